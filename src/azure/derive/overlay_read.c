/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overlay_read.c - reads overlay files: groups, kinds and versions.
 *
 * Keys are checked against tables, so that a misspelled one is an error instead of a fact that
 * silently does nothing.
 */
#include "azure/derive/overlay_internal.h"
#include "text/json/json.h"

#include <stdlib.h>

struct key_row {
    str name;
    enum value_kind kind;
};

static const struct key_row group_keys[] = {
    {STR_INIT("additionalProperties"), VALUE_LIST},
    {STR_INIT("expand"), VALUE_OBJECT},
    {STR_INIT("format"), VALUE_INT},
    {STR_INIT("group"), VALUE_STRING},
    {STR_INIT("kinds"), VALUE_OBJECT},
    {STR_INIT("models"), VALUE_OBJECT},
    {STR_INIT("noAdditionalProperties"), VALUE_LIST},
    {STR_INIT("noFlatten"), VALUE_LIST},
    {STR_INIT("notResource"), VALUE_LIST},
    {STR_INIT("payload"), VALUE_STRING},
    {STR_INIT("props"), VALUE_OBJECT},
};

static const struct key_row kind_keys[] = {
    {STR_INIT("azureName"), VALUE_STRING},  {STR_INIT("azureNameFromConfig"), VALUE_BOOL},
    {STR_INIT("configMaps"), VALUE_OBJECT}, {STR_INIT("operatorSpec"), VALUE_OBJECT},
    {STR_INIT("ops"), VALUE_LIST},          {STR_INIT("owner"), VALUE_STRING},
    {STR_INIT("perVersion"), VALUE_OBJECT}, {STR_INIT("plural"), VALUE_STRING},
    {STR_INIT("secrets"), VALUE_LIST},      {STR_INIT("targets"), VALUE_OBJECT},
    {STR_INIT("type"), VALUE_STRING},       {STR_INIT("uuidName"), VALUE_BOOL},
    {STR_INIT("versions"), VALUE_LIST},
};

const char *side_name(enum side side)
{
    return side == SIDE_SPEC ? "spec" : "status";
}

/* ---- Checks. ---- */

static bool check_key(const struct overlay_reader *r, const struct value *v,
                      const struct key_row *rows, size_t count, struct err *e)
{
    str key = value_key(v);

    for (size_t i = 0; i < count; i++) {
        if (!str_eq(rows[i].name, key))
            continue;
        if (v->kind == rows[i].kind || v->kind == VALUE_NULL)
            return true;
        return source_err(e, r->src, v, "%.*s must be of type %s, not %s", STR_ARG(key),
                          value_kind_name(rows[i].kind), value_kind_name((enum value_kind)v->kind));
    }
    return source_err(e, r->src, v, "unknown key \"%.*s\"", STR_ARG(key));
}

static bool check_keys(const struct overlay_reader *r, const struct value *v,
                       const struct key_row *rows, size_t count, struct err *e)
{
    for (size_t i = 0; i < value_len(v); i++)
        if (!check_key(r, &v->items[i], rows, count, e))
            return false;
    return true;
}

static bool check_strings(const struct overlay_reader *r, const struct value *list, struct err *e)
{
    for (size_t i = 0; i < value_len(list); i++)
        if (!value_is(&list->items[i], VALUE_STRING))
            return source_err(e, r->src, &list->items[i], "must be a string, not of type %s",
                              value_kind_name((enum value_kind)list->items[i].kind));
    return true;
}

/* Paths of references to types, or to "*": anything. */
static bool check_targets(const struct overlay_reader *r, const struct value *targets,
                          struct err *e)
{
    for (size_t i = 0; i < value_len(targets); i++) {
        const struct value *types = &targets->items[i];
        if (!value_is(types, VALUE_LIST) || !types->len)
            return source_err(e, r->src, types, "targets of %.*s must be a list of types",
                              STR_ARG(value_key(types)));
        if (!check_strings(r, types, e))
            return false;
        for (size_t k = 0; k < types->len; k++)
            if (str_find_char(value_str(&types->items[k]), '/') == STR_NPOS &&
                !str_eq(value_str(&types->items[k]), STR("*")))
                return source_err(e, r->src, &types->items[k],
                                  "a target is a type like Provider/type, or \"*\"");
    }
    return true;
}

/* ---- Kinds. ---- */

int overlay_compare_texts(const void *x, const void *y)
{
    return str_cmp(*(const str *)x, *(const str *)y);
}

bool overlay_offers(const struct overlay_kind *k, str version)
{
    for (size_t i = 0; i < k->versions->len; i++)
        if (str_eq(value_str(&k->versions->items[i]), version))
            return true;
    return false;
}

static bool check_overrides(const struct overlay_reader *r, const struct overlay_kind *k,
                            struct err *e)
{
    const struct value *per = value_get(k->node, STR("perVersion"));

    for (size_t i = 0; i < value_len(per); i++) {
        const struct value *v = &per->items[i];
        if (!overlay_offers(k, value_key(v)))
            return source_err(e, r->src, v, "%.*s is not among the versions of %.*s",
                              STR_ARG(value_key(v)), STR_ARG(k->name));
        if (!check_keys(r, v, kind_keys, COUNT(kind_keys), e))
            return false;
    }
    return true;
}

bool overlay_api_version(struct arena *a, str version, str *out)
{
    str date = str_without_prefix(str_without_prefix(version, STR("v")), STR("1api"));
    bool preview = str_has_suffix(date, STR("preview"));
    uint64_t number;

    date = str_without_suffix(date, STR("preview"));
    if (!str_has_prefix(version, STR("v")) || date.len != 8 || !str_to_u64(date, &number))
        return false;
    *out = str_fmt(a, "%.*s-%.*s-%.*s%s", 4, date.ptr, 2, date.ptr + 4, 2, date.ptr + 6,
                   preview ? "-preview" : "");
    return true;
}

static bool check_versions(const struct overlay_reader *r, const struct value *versions,
                           struct err *e)
{
    str ignored;

    if (!check_strings(r, versions, e))
        return false;
    for (size_t i = 0; i < value_len(versions); i++)
        if (!overlay_api_version(r->arena, value_str(&versions->items[i]), &ignored))
            return source_err(e, r->src, &versions->items[i],
                              "a version has the form vYYYYMMDD or vYYYYMMDDpreview");
    return true;
}

static bool read_kind(struct overlay_reader *r, const struct value *v, struct overlay_kind *k,
                      struct err *e)
{
    *k = (struct overlay_kind){.name = value_key(v), .node = v, .group = r->group};
    if (!value_is(v, VALUE_OBJECT))
        return source_err(e, r->src, v, "kind %.*s must be an object", STR_ARG(k->name));
    if (!check_keys(r, v, kind_keys, COUNT(kind_keys), e))
        return false;
    k->arm_type = value_get_str(v, STR("type"));
    k->versions = value_get(v, STR("versions"));
    if (str_find_char(k->arm_type, '/') == STR_NPOS)
        return source_err(e, r->src, v, "kind %.*s needs a type like Provider/type",
                          STR_ARG(k->name));
    if (value_len(k->versions) == 0)
        return source_err(e, r->src, v, "kind %.*s needs versions", STR_ARG(k->name));
    return check_versions(r, k->versions, e) && check_strings(r, value_get(v, STR("ops")), e) &&
           check_strings(r, value_get(v, STR("secrets")), e) &&
           check_targets(r, value_get(v, STR("targets")), e) && check_overrides(r, k, e);
}

/* All versions of the group, each once, sorted. */
static void collect_versions(struct overlay_reader *r)
{
    struct overlay_group *g = r->group;
    VEC(str) names = {0};

    for (size_t i = 0; i < g->kind_count; i++)
        for (size_t j = 0; j < g->kinds[i].versions->len; j++)
            VEC_PUSH(r->arena, &names, value_str(&g->kinds[i].versions->items[j]));
    if (names.len)
        qsort(names.items, names.len, sizeof(str), overlay_compare_texts);
    g->versions = map_new(r->arena);
    for (size_t i = 0; i < names.len; i++)
        map_set(g->versions, names.items[i], g);
}

static int compare_kinds(const void *x, const void *y)
{
    return str_cmp(((const struct overlay_kind *)x)->name, ((const struct overlay_kind *)y)->name);
}

static bool read_kinds(struct overlay_reader *r, const struct value *kinds, struct err *e)
{
    struct overlay_group *g = r->group;

    if (value_len(kinds) > OVERLAY_KINDS_MAX)
        return source_err(e, r->src, kinds, "more than %d kinds", OVERLAY_KINDS_MAX);
    g->kind_count = value_len(kinds);
    g->kinds = ARENA_ARRAY(r->arena, struct overlay_kind, g->kind_count);
    for (size_t i = 0; i < g->kind_count; i++)
        if (!read_kind(r, &kinds->items[i], &g->kinds[i], e))
            return false;
    if (g->kind_count)
        qsort(g->kinds, g->kind_count, sizeof(*g->kinds), compare_kinds);
    collect_versions(r);
    return true;
}

/* ---- Groups. ---- */

static bool read_payload(struct overlay_reader *r, const struct value *v, struct err *e)
{
    if (!v)
        return true;
    r->group->explicit_collections = str_eq(value_str(v), STR("explicitCollections"));
    return r->group->explicit_collections ||
           source_err(e, r->src, v, "payload can be explicitCollections only");
}

static bool check_models(struct overlay_reader *r, struct err *e)
{
    const struct value *models = r->group->models;

    for (size_t i = 0; i < value_len(models); i++) {
        const struct value *m = &models->items[i];
        if (!value_is(value_get(m, STR("resources")), VALUE_OBJECT) ||
            !value_is(value_get(m, STR("types")), VALUE_OBJECT))
            return source_err(e, r->src, m, "a model has resources and types");
        if (map_has(r->group->versions, value_key(m)))
            return source_err(e, r->src, m, "version %.*s is also one that is derived",
                              STR_ARG(value_key(m)));
    }
    return true;
}

static bool read_group(struct arena *a, const struct source *src, str name, const struct value *v,
                       struct overlay_group *g, struct err *e)
{
    struct overlay_reader r = {.arena = a, .src = src, .group = g};

    *g = (struct overlay_group){.name = name, .src = src};
    if (!value_is(v, VALUE_OBJECT))
        return source_err(e, src, v, "the overlay of a group must be an object");
    if (!check_keys(&r, v, group_keys, COUNT(group_keys), e) ||
        !read_kinds(&r, value_get(v, STR("kinds")), e) ||
        !read_payload(&r, value_get(v, STR("payload")), e))
        return false;
    g->models = value_get(v, STR("models"));
    return check_models(&r, e) && overlay_read_facts(&r, v, e);
}

/* ---- Files. ---- */

static bool check_format(const struct source *src, const struct value *root, struct err *e)
{
    int64_t format;

    return (value_to_i64(value_get(root, STR("format")), &format) && format == 1) ||
           source_err(e, src, root, "an overlay is an object with \"format\":1");
}

static bool parse_file(struct arena *a, const struct source *src, struct value **root,
                       struct err *e)
{
    static const struct read_options strict = {.duplicates = DUPLICATE_ERROR};

    return json_read(a, src, &strict, root, e) && check_format(src, *root, e);
}

static bool read_text(struct arena *a, str path, struct source **out, struct err *e)
{
    *out = ARENA_NEW(a, struct source);
    (*out)->file = path;
    return file_read_max(a, path, OVERLAY_MAX, &(*out)->text, e);
}

static int compare_groups(const void *x, const void *y)
{
    const struct overlay_group *const *gx = x, *const *gy = y;

    return str_cmp((*gx)->name, (*gy)->name);
}

static void take_groups(struct arena *a, struct overlay_group *groups, size_t count,
                        struct overlay *out)
{
    out->groups = ARENA_ARRAY(a, struct overlay_group *, count);
    out->group_count = count;
    for (size_t i = 0; i < count; i++)
        out->groups[i] = &groups[i];
    if (count)
        qsort(out->groups, count, sizeof(*out->groups), compare_groups);
}

bool overlay_parse(struct arena *a, const struct source *src, str group, struct overlay *out,
                   struct err *e)
{
    struct value *root;

    *out = (struct overlay){0};
    if (!parse_file(a, src, &root, e))
        return false;
    const struct value *all = value_get(root, STR("groups"));
    size_t count = all ? value_len(all) : 1;
    struct overlay_group *groups = ARENA_ARRAY(a, struct overlay_group, count);
    for (size_t i = 0; i < count; i++) {
        const struct value *v = all ? &all->items[i] : root;
        if (!read_group(a, src, all ? value_key(v) : group, v, &groups[i], e))
            return false;
    }
    take_groups(a, groups, count, out);
    return true;
}

static bool read_single(struct arena *a, str path, struct overlay *out, struct err *e)
{
    struct source *src;

    return read_text(a, path, &src, e) &&
           overlay_parse(a, src, str_without_suffix(file_base(path), STR(".json")), out, e);
}

static bool read_folder(struct arena *a, str path, struct overlay *out, struct err *e)
{
    str *names;
    size_t count, taken = 0;

    if (!file_list(a, path, &names, &count, e))
        return false;
    struct overlay_group *groups = ARENA_ARRAY(a, struct overlay_group, count);
    for (size_t i = 0; i < count; i++) {
        struct source *src;
        struct value *root;
        if (!str_has_suffix(names[i], STR(".json")))
            continue;
        if (!read_text(a, file_join(a, path, names[i]), &src, e) || !parse_file(a, src, &root, e) ||
            !read_group(a, src, str_without_suffix(names[i], STR(".json")), root, &groups[taken],
                        e))
            return false;
        taken++;
    }
    take_groups(a, groups, taken, out);
    return true;
}

bool overlay_read(struct arena *a, str path, struct overlay *out, struct err *e)
{
    *out = (struct overlay){0};
    bool folder = file_kind(path) == FILE_FOLDER;
    if (!(folder ? read_folder : read_single)(a, path, out, e))
        return false;
    if (out->group_count > 0)
        return true;
    err_set(e, ERR_NOT_FOUND, "no overlay files here: they are called GROUP.json");
    return err_at(e, (struct where){.file = path});
}

const struct overlay_group *overlay_find(const struct overlay *o, str group)
{
    for (size_t i = 0; i < o->group_count; i++)
        if (str_eq(o->groups[i]->name, group))
            return o->groups[i];
    return NULL;
}

const struct value *overlay_option(const struct overlay_kind *k, str version, str key)
{
    const struct value *over = value_get(value_get(k->node, STR("perVersion")), version);
    const struct value *v = value_get(over, key);

    if (!v)
        v = value_get(k->node, key);
    return v;
}
