/* SPDX-License-Identifier: Apache-2.0 */
/* sites.c - finds the sites of --fleet (contexts, archives, folders), and names them. */
#include "compare/fleet/fleet.h"
#include "compare/input/glob_internal.h"
#include "archive/archive.h"
#include "go/path.h"
#include "go/quote.h"
#include "kube/config/config.h"

/* Files of a folder that a warning names. */
#define PASSED_OVER_SHOWN 5

struct finder {
    struct arena *arena;
    const struct fleet_options *options;
    struct fleet *fleet;
    struct map *seen; /* sources */
    struct str_list passed_over;
};

static bool add_site(struct finder *f, const struct fleet_site *site, struct err *e)
{
    if (map_has(f->seen, site->source))
        return true;
    if (f->fleet->sites.len == FLEET_SITES_MAX)
        return err_set(e, ERR_LIMIT, "a fleet has more than %d sites", FLEET_SITES_MAX);
    map_set(f->seen, site->source, f);
    VEC_PUSH(f->arena, &f->fleet->sites, *site);
    return true;
}

/* ---- Contexts. ---- */

/* In a name of a context "/" is a character like others: contexts of OpenShift are full of them. */
static str without_slashes(struct arena *a, str text)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < text.len; i++)
        buf_char(&out, text.ptr[i] == '/' ? '\1' : text.ptr[i]);
    return buf_str(&out);
}

static bool add_fitting(struct finder *f, str pattern, const struct str_list *contexts,
                        struct err *e)
{
    str plain = without_slashes(f->arena, pattern);
    bool any = false;

    if (go_path_match(plain, STR_NONE) == GO_MATCH_BAD)
        return err_set(e, ERR_USAGE, "--fleet: the pattern %.*s is broken",
                       STR_ARG(go_quoted(f->arena, pattern)));
    for (size_t i = 0; i < contexts->len; i++) {
        str name = contexts->items[i];
        if (go_path_match(plain, without_slashes(f->arena, name)) != GO_MATCH_YES)
            continue;
        any = true;
        const struct fleet_site site = {.name = name,
                                        .context = name,
                                        .live = true,
                                        .source = str_fmt(f->arena, "context %.*s", STR_ARG(name))};
        if (!add_site(f, &site, e))
            return false;
    }
    return any || err_set(e, ERR_NOT_FOUND,
                          "--fleet: of %zu contexts of the kubeconfig none fits %.*s; kubectl "
                          "config get-contexts lists them",
                          contexts->len, STR_ARG(go_quoted(f->arena, pattern)));
}

static bool add_contexts(struct finder *f, str pattern, struct err *e)
{
    struct str_list contexts = {0};

    if (!kube_config_contexts(f->arena, f->options->compare->cluster, &contexts, e))
        return false;
    if (!contexts.len)
        return err_set(e, ERR_NOT_FOUND,
                       "--fleet: the kubeconfig has no contexts; name one with --kubeconfig, or "
                       "archives and folders with --fleet");
    return add_fitting(f, pattern, &contexts, e);
}

/* ---- Files and folders. ---- */

static str site_name(str path)
{
    static const str endings[] = {STR_INIT(".json"), STR_INIT(".yaml"), STR_INIT(".yml")};
    str name = file_base(str_trim_set(path, STR("/"))), stem;

    if (pack_is_named(name, &stem))
        return stem.len ? stem : name;
    for (size_t i = 0; i < COUNT(endings); i++)
        if (str_has_suffix(name, endings[i]) && name.len > endings[i].len)
            return str_without_suffix(name, endings[i]);
    return name.len ? name : path;
}

static bool add_path(struct finder *f, str path, struct err *e)
{
    const struct fleet_site site = {.name = site_name(path), .source = path};

    return add_site(f, &site, e);
}

/* A link that leads nowhere may have been one: it is not compared, and says so. */
static bool is_site(str path, str name)
{
    enum file_kind kind = file_kind(path);
    str stem;

    return kind == FILE_FOLDER || kind == FILE_MISSING ||
           (kind == FILE_REGULAR && pack_is_named(name, &stem));
}

/* Everything in a folder that can be a site. Hidden files cannot. */
static bool add_folder(struct finder *f, str folder, struct err *e)
{
    size_t count, before = f->fleet->sites.len;
    str *names;

    if (!file_list(f->arena, folder, &names, &count, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        str path = file_join(f->arena, folder, names[i]);
        if (names[i].ptr[0] == '.')
            continue;
        if (is_site(path, names[i])) {
            if (!add_path(f, path, e))
                return false;
        } else {
            VEC_PUSH(f->arena, &f->passed_over, path);
        }
    }
    return f->fleet->sites.len > before ||
           err_set(e, ERR_NOT_FOUND,
                   "--fleet: no site is in %.*s: neither a folder nor an archive (.tar, .tar.gz, "
                   ".tgz, .tar.zst, .tar.xz, .zip); NAME=%.*s makes it a site itself",
                   STR_ARG(folder), STR_ARG(folder));
}

static bool add_pattern(struct finder *f, str pattern, struct err *e)
{
    struct str_list paths = {0};

    if (!glob_files(f->arena, STR_NONE, pattern, &paths))
        return err_set(e, ERR_USAGE, "--fleet: the pattern %.*s is broken",
                       STR_ARG(go_quoted(f->arena, pattern)));
    for (size_t i = 0; i < paths.len; i++) {
        /* A pipe would be waited for without end. */
        if (file_kind(paths.items[i]) == FILE_OTHER)
            VEC_PUSH(f->arena, &f->passed_over, paths.items[i]);
        else if (!add_path(f, paths.items[i], e))
            return false;
    }
    return paths.len || err_set(e, ERR_NOT_FOUND, "--fleet: nothing fits the pattern %.*s",
                                STR_ARG(go_quoted(f->arena, pattern)));
}

static bool add_named(struct finder *f, str name, str path, struct err *e)
{
    const struct fleet_site site = {.name = name, .source = path};

    if (!name.len)
        return err_set(e, ERR_USAGE, "--fleet: =%.*s: the name of the site must stand before it",
                       STR_ARG(path));
    if (file_kind(path) == FILE_MISSING)
        return err_set(e, ERR_NOT_FOUND, "--fleet: %.*s=%.*s: there is no such file or folder",
                       STR_ARG(name), STR_ARG(path));
    return add_site(f, &site, e);
}

/* ---- Values. ---- */

static bool is_contexts(str value, str *pattern)
{
    *pattern = str_without_prefix(value, STR("contexts:"));
    if (str_eq(value, STR("contexts")))
        *pattern = STR("*");
    return str_eq(value, STR("contexts")) || str_has_prefix(value, STR("contexts:"));
}

static bool add_part(struct finder *f, str part, struct err *e)
{
    str pattern, name, path;
    enum file_kind kind = file_kind(part);

    if (is_contexts(part, &pattern))
        return add_contexts(f, pattern, e);
    if (kind == FILE_FOLDER)
        return add_folder(f, part, e);
    if (kind != FILE_MISSING)
        return add_path(f, part, e);
    if (str_cut(part, STR("="), &name, &path))
        return add_named(f, name, path, e);
    if (glob_has_meta(part))
        return add_pattern(f, part, e);
    return err_set(e, ERR_NOT_FOUND,
                   "--fleet: %.*s does not exist: sites are archives, folders of them, or contexts",
                   STR_ARG(part.len ? part : STR("\"\"")));
}

static bool add_value(struct finder *f, str value, struct err *e)
{
    bool patterns = str_has_prefix(value, STR("contexts:"));
    str part, rest = value;

    if (!patterns && file_kind(value) != FILE_MISSING)
        return add_part(f, value, e);
    for (bool more = true, first = true; more; first = false) {
        more = str_cut(rest, STR(","), &part, &rest);
        if (!(patterns && !first ? add_contexts(f, part, e) : add_part(f, part, e)))
            return false;
    }
    return true;
}

/* ---- Names. ---- */

static int compare_sites(const void *x, const void *y)
{
    const struct fleet_site *p = x, *q = y;
    int order = str_cmp(p->name, q->name);

    return order ? order : str_cmp(p->source, q->source);
}

static void sort_sites(struct fleet *fleet)
{
    qsort(fleet->sites.items, fleet->sites.len, sizeof(*fleet->sites.items), compare_sites);
}

/* Sources are all different. */
static void make_names_unique(struct fleet *fleet)
{
    struct fleet_site *sites = fleet->sites.items;

    sort_sites(fleet);
    for (size_t i = 0, end; i < fleet->sites.len; i = end) {
        str name = sites[i].name;
        for (end = i + 1; end < fleet->sites.len && str_eq(sites[end].name, name);)
            end++;
        for (size_t k = i; end - i > 1 && k < end; k++)
            sites[k].name = sites[k].source;
    }
    sort_sites(fleet);
}

static str passed_over(const struct finder *f)
{
    const struct str_list *files = &f->passed_over;
    size_t shown = files->len < PASSED_OVER_SHOWN ? files->len : PASSED_OVER_SHOWN;

    if (!files->len)
        return STR_NONE;
    str names = str_join(f->arena, files->items, shown, STR(", "));
    str rest = files->len > shown ? str_fmt(f->arena, " and %zu more", files->len - shown)
                                  : STR_NONE;
    return str_fmt(f->arena, "passed over, neither a folder nor an archive by name: %.*s%.*s",
                   STR_ARG(names), STR_ARG(rest));
}

bool fleet_sites_find(struct arena *a, const struct fleet_options *o, struct fleet *out, str *warn,
                      struct err *e)
{
    struct finder f = {.arena = a, .options = o, .fleet = out, .seen = map_new(a)};

    for (size_t i = 0; i < o->sites.len; i++)
        if (!add_value(&f, o->sites.items[i], e))
            return false;
    make_names_unique(out);
    *warn = passed_over(&f);
    return true;
}
