/* SPDX-License-Identifier: Apache-2.0 */
/* files.c - finds, reads and merges kubeconfig files; see config.h. */
#include "kube/config/config_internal.h"
#include "text/yaml/yaml.h"

/* ---- One file ------------------------------------------------------------------------------- */

/* Makes the file name under key absolute, relative to the folder of the kubeconfig. */
static bool resolve(struct arena *a, struct value *object, const char *key, str folder,
                    struct err *e)
{
    struct value *v = value_get(object, str_c(key));
    str name = value_str(v);

    if (!name.len || name.ptr[0] == '/')
        return true;
    if (!file_absolute(a, file_join(a, folder, name), &name, e))
        return false;
    value_set_str(a, object, str_c(key), name);
    return true;
}

static str folder_of(str path)
{
    size_t slash = str_rfind_char(path, '/');

    return slash == STR_NPOS ? STR(".") : slash == 0 ? STR("/") : str_slice(path, 0, slash);
}

static bool resolve_cluster(struct arena *a, struct value *cluster, str folder, struct err *e)
{
    return resolve(a, cluster, "certificate-authority", folder, e);
}

static bool resolve_user(struct arena *a, struct value *user, str folder, struct err *e)
{
    struct value *exec = value_get(user, STR("exec"));
    str command = value_get_str(exec, STR("command"));

    if (str_find_char(command, '/') != STR_NPOS && !resolve(a, exec, "command", folder, e))
        return false;
    return resolve(a, user, "client-certificate", folder, e) &&
           resolve(a, user, "client-key", folder, e) && resolve(a, user, "tokenFile", folder, e);
}

/* Reads one of the three lists of named items. */
struct section {
    const char *list, *member, *go_list, *go_map;
    bool (*resolve)(struct arena *a, struct value *v, str folder, struct err *e);
};

static const struct section sections[] = {
    {"clusters", "cluster", "[]NamedCluster", "map[string]*api.Cluster", resolve_cluster},
    {"contexts", "context", "[]NamedContext", "map[string]*api.Context", NULL},
    {"users", "user", "[]NamedAuthInfo", "map[string]*api.AuthInfo", resolve_user},
};

/* Adds new names to into: the first file that has a name wins, and each file has it only once. */
static bool read_section(struct arena *a, const struct section *s, const struct source *src,
                         const struct value *root, struct map *into, struct err *e)
{
    const struct value *list = value_get(root, str_c(s->list));
    struct map *own = map_new(a);

    for (size_t i = 0; i < value_len(list); i++) {
        struct value *item = &list->items[i];
        struct value *v = value_get(item, str_c(s->member));
        str name = value_get_str(item, STR("name"));
        if (map_has(own, name))
            return source_err(e, src, item,
                              "error converting *%s into *%s: duplicate name \"%.*s\" in list",
                              s->go_list, s->go_map, STR_ARG(name));
        v = value_is(v, VALUE_OBJECT) ? v : value_object(a);
        map_set(own, name, v);
        if (s->resolve && !s->resolve(a, v, folder_of(src->file), e))
            return false;
        if (!map_has(into, name))
            map_set(into, name, v);
    }
    return true;
}

static bool add_file(struct arena *a, str path, str text, struct kubeconfig *k, struct err *e)
{
    const struct read_options options = {.quotes = QUOTE_NEVER};
    struct source *src = ARENA_NEW(a, struct source);
    struct map *const maps[] = {k->clusters, k->contexts, k->users};
    struct value *root;

    if (!yaml_source(a, path, text, src, e) || !yaml_read(a, src, &options, &root, e) ||
        !kubeconfig_check(src, root, e))
        return false;
    for (size_t i = 0; i < COUNT(sections); i++)
        if (!read_section(a, &sections[i], src, root, maps[i], e))
            return false;
    if (!k->current_context.len)
        k->current_context = value_get_str(root, STR("current-context"));
    return true;
}

static bool read_one(struct arena *a, str path, bool must_exist, struct kubeconfig *k,
                     struct err *e)
{
    str text;

    if (file_kind(path) == FILE_MISSING)
        return !must_exist ||
               err_set(e, ERR_NOT_FOUND, "stat %.*s: no such file or directory", STR_ARG(path));
    if (!file_read_max(a, path, KUBE_FILE_MAX, &text, e) || !add_file(a, path, text, k, e))
        return err_wrap(e, "error loading config file \"%.*s\"", STR_ARG(path));
    return true;
}

/* ---- All of them ---------------------------------------------------------------------------- */

/* A single error as is, with its position; several in one line. */
static bool report_faults(struct arena *a, const struct str_list *faults, const struct err *last,
                          struct err *e)
{
    if (!faults->len)
        return true;
    if (faults->len == 1)
        return err_copy(e, last);
    return err_set(e, ERR_INVALID, "[%.*s]",
                   STR_ARG(str_join(a, faults->items, faults->len, STR(", "))));
}

/* The files of KUBECONFIG, each once. */
static bool read_list(struct arena *a, str list, struct kubeconfig *k, struct err *e)
{
    struct map *seen = map_new(a);
    struct str_list faults = {0};
    str rest = list, path;
    bool more = true;
    AUTO_ERR fault = {0};

    while (more) {
        more = str_cut(rest, STR(":"), &path, &rest);
        if (!path.len || map_has(seen, path))
            continue;
        map_set(seen, path, seen);
        if (!read_one(a, path, false, k, &fault))
            VEC_PUSH(a, &faults, str_copy(a, fault.text));
    }
    return report_faults(a, &faults, &fault, e);
}

bool kubeconfig_load(struct arena *a, const struct kube_flags *flags, struct kubeconfig *out,
                     struct err *e)
{
    str list = str_c(getenv("KUBECONFIG")), home = str_c(getenv("HOME"));

    *out = (struct kubeconfig){map_new(a), map_new(a), map_new(a), STR_NONE};
    if (flags->kubeconfig.len)
        return read_one(a, flags->kubeconfig, true, out, e);
    if (list.len)
        return read_list(a, list, out, e);
    return !home.len || read_one(a, file_join(a, home, STR(".kube/config")), false, out, e);
}

static int compare_names(const void *x, const void *y)
{
    return str_cmp(*(const str *)x, *(const str *)y);
}

bool kube_config_contexts(struct arena *a, const struct kube_flags *flags, struct str_list *out,
                          struct err *e)
{
    struct kubeconfig k;

    *out = (struct str_list){0};
    if (!kubeconfig_load(a, flags, &k, e))
        return false;
    for (size_t i = 0; i < map_len(k.contexts); i++)
        VEC_PUSH(a, out, map_key(k.contexts, i));
    if (out->len)
        qsort(out->items, out->len, sizeof(*out->items), compare_names);
    return true;
}
