/* SPDX-License-Identifier: Apache-2.0 */
/*
 * describe.c - follows ARM paths in published types.
 *
 * A file of types is a list; "#/12" means element 12. Objects have properties; discriminated ones
 * also have elements, whose properties are at the same level.
 */
#include "azure/derive/describe.h"

#include "text/json/json.h"

/* The largest file of types. */
#define TYPES_MAX (256 * MIB)

struct describer {
    struct arena *arena;
    str folder;
    struct map *files; /* path to the list of types */
    struct err failure;
};

struct describer *describe_open(struct arena *a, str folder)
{
    struct describer *d = ARENA_NEW(a, struct describer);

    *d = (struct describer){.arena = a, .folder = folder, .files = map_new(a)};
    return d;
}

bool describe_check(const struct describer *d, struct err *e)
{
    return d->failure.kind == ERR_NONE || err_copy(e, &d->failure);
}

static struct value *read_types(struct describer *d, str path)
{
    struct source *src = ARENA_NEW(d->arena, struct source);
    struct value *root = NULL;
    AUTO_ERR e = {0};

    src->file = path;
    if (!file_read_max(d->arena, path, TYPES_MAX, &src->text, &e) ||
        !json_read(d->arena, src, NULL, &root, &e)) {
        if (d->failure.kind == ERR_NONE)
            err_copy(&d->failure, &e);
        root = NULL;
    }
    return root ? root : value_list(d->arena);
}

/* The types of the provider and API version of a resource. */
static const struct value *types_of(struct describer *d, const struct model_resource *res)
{
    str provider, rest;

    str_cut(res->arm_type, STR("/"), &provider, &rest);
    provider = str_lower(d->arena, provider);
    str path = str_fmt(d->arena, "%.*s/%.*s/%.*s/types.json", STR_ARG(d->folder), STR_ARG(provider),
                       STR_ARG(res->api_version));
    struct value *types = map_get(d->files, path);
    if (!types) {
        types = read_types(d, path);
        map_set(d->files, path, types);
    }
    return types;
}

/* The target of a reference {"$ref": "#/12"}. */
static const struct value *follow(const struct value *types, const struct value *ref)
{
    str text = str_without_prefix(value_get_str(ref, STR("$ref")), STR("#/"));
    uint64_t i;

    return str_to_u64(text, &i) ? value_at(types, i) : NULL;
}

static const struct value *body_of(const struct value *types, const struct model_resource *res)
{
    AUTO_ARENA a = arena_new();
    str wanted = str_fmt(a, "%.*s@%.*s", STR_ARG(res->arm_type), STR_ARG(res->api_version));

    for (size_t i = 0; i < value_len(types); i++)
        if (str_eq_fold(value_get_str(value_at(types, i), STR("name")), wanted) &&
            value_get(value_at(types, i), STR("body")))
            return follow(types, value_get(value_at(types, i), STR("body")));
    return NULL;
}

/* The property of an object, which may be a discriminated one. */
static const struct value *property_of(const struct value *types, const struct value *t, str name)
{
    const struct value *p = value_get(value_get(t, STR("properties")), name);
    const struct value *elements = value_get(t, STR("elements"));

    if (!p)
        p = value_get(value_get(t, STR("baseProperties")), name);
    for (size_t i = 0; !p && value_is(elements, VALUE_OBJECT) && i < elements->len; i++)
        p = value_get(value_get(follow(types, &elements->items[i]), STR("properties")), name);
    return p;
}

static const struct value *items_of(const struct value *types, const struct value *t)
{
    const struct value *item = value_get(t, STR("itemType"));

    return follow(types, item ? item : value_get(t, STR("additionalProperties")));
}

str describe_property(void *ctx, const struct model_resource *res, const str *steps, size_t count)
{
    const struct value *types, *t, *p = NULL;

    if (res->scope == SCOPE_NONE)
        return STR_NONE;
    types = types_of(ctx, res);
    t = body_of(types, res);
    for (size_t i = 0; t && i < count; i++) {
        if (str_eq(steps[i], STR("*"))) {
            t = items_of(types, t);
            continue;
        }
        p = property_of(types, t, steps[i]);
        t = follow(types, value_get(p, STR("type")));
        if (!p)
            return STR_NONE;
    }
    return value_get_str(p, STR("description"));
}
