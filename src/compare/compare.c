/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.c - loads a comparison: the reference, the user config, the overrides, and the
 * correlators made from them. What is loaded here runs in run.c and never changes again.
 */
#include "compare/internal.h"
#include "compare/reference/templates_internal.h"
#include "go/quote.h"
#include "net/redact.h"

#include <sys/stat.h>
#include <errno.h>

struct loading {
    struct arena *arena;
    const struct compare_options *options;
    struct log_buffer log;
    struct compare *compare;
};

/* ---- The reference. ---- */

/* What the user should know before a folder is looked into. */
static bool check_reference(struct arena *a, const struct compare_options *o, bool *folder,
                            struct err *e)
{
    struct stat st = {0};

    if (root_is_remote(o->reference))
        return true;
    bool missing = stat(str_z(a, o->reference), &st) != 0 && errno == ENOENT;
    if (missing && o->dialect->own_words)
        return err_set(e, ERR_NOT_FOUND,
                       "the reference %.*s does not exist; name its metadata file, or the folder "
                       "that holds metadata.yaml",
                       STR_ARG(redact_place(a, o->reference)));
    if (missing)
        return err_set(e, ERR_NOT_FOUND, "\"Reference config file doesn't exist\"");
    *folder = S_ISDIR(st.st_mode);
    return true;
}

static bool find_reference(struct arena *a, const struct compare_options *o, struct root *root,
                           str *file, struct err *e)
{
    bool folder = false;

    if (!check_reference(a, o, &folder, e) ||
        !root_open_linked(a, o->reference, o->outside_links || !o->dialect->confined_links, root,
                          file, e))
        return false;
    root->original = !o->dialect->own_words;
    if (o->dialect->folder_names && folder) {
        root->folder = o->reference;
        *file = STR("metadata.yaml");
    }
    return true;
}

/* Of a path that is listed twice, the last one. */
static bool find_template(const struct reference *r, str path, size_t *index)
{
    for (size_t i = r->templates.len; i-- > 0;)
        if (str_eq(r->templates.items[i].path, path)) {
            *index = i;
            return true;
        }
    return false;
}

static int compare_strs(const void *x, const void *y)
{
    return str_cmp(*(const str *)x, *(const str *)y);
}

/* Turns paths into indexes of templates. Of several unknown ones the first by object counts. */
static bool resolve_pairs(struct arena *a, const struct reference *r, const struct map *pairs,
                          struct map **out, struct err *e)
{
    str *ids = ARENA_ARRAY(a, str, map_len(pairs));

    for (size_t i = 0; i < map_len(pairs); i++)
        ids[i] = map_key(pairs, i);
    qsort(ids, map_len(pairs), sizeof(str), compare_strs);
    *out = map_new(a);
    for (size_t i = 0; i < map_len(pairs); i++) {
        const str *path = map_get(pairs, ids[i]);
        size_t *index = ARENA_NEW(a, size_t);
        if (!find_template(r, *path, index))
            return err_set(e, ERR_INVALID,
                           "error in template manual matching for resource: %.*s no template in "
                           "the name of %.*s",
                           STR_ARG(ids[i]), STR_ARG(*path));
        map_set(*out, ids[i], index);
    }
    return true;
}

static bool build_correlators(struct loading *l, const struct map *pairs, struct err *e)
{
    struct arena *a = l->arena;
    struct compare *c = l->compare;
    const struct reference *r = &c->reference;
    struct candidate *candidates = ARENA_ARRAY(a, struct candidate, r->templates.len);
    struct correlator *chain[2];
    size_t count = 0;
    struct map *exact;

    if (map_len(pairs)) {
        if (!resolve_pairs(a, r, pairs, &exact, e))
            return false;
        chain[count++] = correlate_exact(a, exact);
    }
    for (size_t i = 0; i < r->templates.len; i++)
        candidates[i] =
            (struct candidate){r->templates.items[i].identity, r->templates.items[i].path};
    chain[count++] = correlate_group(a, template_groups, candidates, r->templates.len, &l->log);
    c->templates = correlate_multi(a, chain, count);
    if (c->overrides.len)
        c->override_finder = overrides_correlator(a, &c->overrides, &l->log);
    return true;
}

/* ---- Checks that the original does not make. ---- */

/* How many templates a message names. */
#define REPEATED_SHOWN 10

/*
 * The original takes such references: only the first of the two is ever chosen, and both count as
 * matched when it is, so that a component with both is never said to lack anything.
 */
static bool check_repeated(struct arena *a, const struct reference *r, struct err *e)
{
    struct map *seen = map_new(a), *repeated = map_new(a);
    struct str_list shown = {0};

    for (size_t i = 0; i < r->templates.len; i++) {
        str path = r->templates.items[i].path;
        if (map_has(seen, path))
            map_set(repeated, path, &repeated);
        map_set(seen, path, &seen);
    }
    for (size_t i = 0; i < map_len(repeated) && i < REPEATED_SHOWN; i++)
        VEC_PUSH(a, &shown, map_key(repeated, i));
    if (!map_len(repeated))
        return true;
    str names = str_join(a, shown.items, shown.len, STR(", "));
    return err_set(e, ERR_INVALID, "the reference lists %zu template%s more than once: %.*s%s",
                   map_len(repeated), map_len(repeated) == 1 ? "" : "s", STR_ARG(names),
                   map_len(repeated) > shown.len ? ", ..." : "");
}

/* For an unknown name the original silently writes no overrides. */
static bool check_override_for(struct arena *a, const struct reference *r,
                               const struct str_list *names, struct err *e)
{
    struct str_list known = {0};
    size_t index;

    for (size_t i = 0; i < r->templates.len && i < REPEATED_SHOWN; i++)
        VEC_PUSH(a, &known, r->templates.items[i].path);
    for (size_t i = 0; i < names->len; i++)
        if (!find_template(r, names->items[i], &index))
            return err_set(e, ERR_USAGE,
                           "--generate-override-for: the reference has no template %.*s; it has "
                           "%.*s%s",
                           STR_ARG(go_quoted(a, names->items[i])),
                           STR_ARG(str_join(a, known.items, known.len, STR(", "))),
                           r->templates.len > known.len ? ", ..." : "");
    return true;
}

/* ---- The whole. ---- */

static bool load_from(struct loading *l, struct root *root, struct err *e)
{
    struct arena *a = l->arena;
    const struct compare_options *o = l->options;
    struct reference *r = &l->compare->reference;
    struct map *pairs = map_new(a);
    str file = STR_NONE;

    r->helm = o->dialect->helm_functions;
    r->single = o->dialect->single_documents;
    return find_reference(a, o, root, &file, e) && reference_load(a, root, file, &l->log, r, e) &&
           (!o->config.len || user_config_load(a, o->config, r->single, &pairs, e)) &&
           templates_parse(a, root, &l->log, r, e) &&
           (!o->dialect->sound_overrides ||
            (check_repeated(a, r, e) && check_override_for(a, r, &o->override_for, e))) &&
           (!o->overrides.len ||
            overrides_load(a, o->overrides, r->single, &l->compare->overrides, e)) &&
           build_correlators(l, pairs, e);
}

bool compare_load(struct arena *a, const struct compare_options *options,
                  const struct compare **out, struct err *e)
{
    struct arena_mark before = arena_mark(a);
    struct compare *c = ARENA_NEW(a, struct compare);
    struct loading l = {.arena = a,
                        .options = options,
                        .log = {.arena = a, .verbose = options->log.verbose},
                        .compare = c};
    struct root root = {0};

    *out = c;
    bool ok = load_from(&l, &root, e);
    root_close(&root);
    log_buffer_flush(&l.log, &options->log);
    /* The reference may be read again, to say what is wrong with it. */
    if (!ok)
        arena_rewind(a, before);
    return ok;
}

bool compare_is_remote(const struct compare_options *options)
{
    return root_is_remote(options->reference);
}

bool compare_hash(struct arena *a, const struct compare *c, str *out)
{
    return reference_hash(a, &c->reference, out);
}

void compare_kinds(struct arena *a, const struct compare *c, struct compare_kinds *out)
{
    struct map *seen = map_new(a);

    for (size_t i = 0; i < c->reference.templates.len; i++) {
        const struct identity *id = &c->reference.templates.items[i].identity;
        struct compare_kind kind = {.kind = id->kind};
        str version;
        api_version_split(id->api_version, &kind.group, &version);
        str key = str_fmt(a, "%.*s/%.*s", STR_ARG(kind.group), STR_ARG(kind.kind));
        if (map_has(seen, key))
            continue;
        map_set(seen, key, seen);
        VEC_PUSH(a, out, kind);
    }
}
