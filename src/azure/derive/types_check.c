/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types_check.c - checks that need the whole type file.
 *
 * The derivation follows references without checking: a property of a resource type, a variant that
 * is not an object, or an array of itself would lead it astray. Objects may refer to each other in
 * cycles, which are cut later; a type that contains itself without an object in between would never
 * end.
 */
#include "azure/derive/types_internal.h"

/* Levels of arrays of arrays of maps and so on; published files have at most 3. */
enum { NESTING_MAX = 32 };

static bool is_data(const struct arm_type *t)
{
    return t->kind != ARM_RESOURCE && t->kind != ARM_FUNCTION;
}

static bool check_props(const struct type_reader *r, const struct arm_type *t, struct err *e)
{
    for (size_t i = 0; i < t->prop_count; i++) {
        const struct arm_prop *p = &t->props[i];
        const struct arm_type *target = arm_type_at(r->file, p->type);
        if (!is_data(target))
            return types_complain(r, t, &r->root->items[t->index], e,
                                  "property \"%.*s\" refers to type %u, which is a %s",
                                  STR_ARG(p->name), p->type, arm_kind_name(target->kind));
    }
    return true;
}

/* The element type of an array or a map; NULL for everything else. */
static const struct arm_type *held_type(const struct arm_file *f, const struct arm_type *t)
{
    bool map = t->kind == ARM_OBJECT && t->prop_count == 0;

    if (t->item == ARM_NO_TYPE || (t->kind != ARM_ARRAY && !map))
        return NULL;
    return arm_type_at(f, t->item);
}

static bool check_nesting(const struct type_reader *r, const struct arm_type *t, struct err *e)
{
    const struct arm_type *at = t;
    struct buf path = buf_new(r->arena, KIB);

    for (size_t depth = 0; at; depth++, at = held_type(r->file, at)) {
        buf_fmt(&path, "%s%u", depth ? " -> " : "", at->index);
        if (depth > 0 && at == t)
            return types_complain(r, t, &r->root->items[t->index], e,
                                  "contains itself without end: %.*s", STR_ARG(buf_str(&path)));
        if (depth > NESTING_MAX)
            return types_complain(r, t, &r->root->items[t->index], e,
                                  "arrays and maps are nested more than %d deep", NESTING_MAX);
    }
    return true;
}

static bool check_item(const struct type_reader *r, const struct arm_type *t, struct err *e)
{
    if (t->item == ARM_NO_TYPE)
        return true;
    const struct arm_type *item = arm_type_at(r->file, t->item);
    if (!is_data(item))
        return types_complain(r, t, &r->root->items[t->index], e, "holds type %u, which is a %s",
                              item->index, arm_kind_name(item->kind));
    struct arena_mark m = arena_mark(r->arena);
    bool ok = check_nesting(r, t, e);
    arena_rewind(r->arena, m);
    return ok;
}

static bool check_variants(const struct type_reader *r, const struct arm_type *t, struct err *e)
{
    if (t->kind != ARM_DISCRIMINATED)
        return true;
    for (size_t i = 0; i < t->element_count; i++) {
        const struct arm_type *target = arm_type_at(r->file, t->elements[i].type);
        if (target->kind != ARM_OBJECT)
            return types_complain(r, t, &r->root->items[t->index], e,
                                  "element \"%.*s\" refers to type %u, which is a %s and not an "
                                  "ObjectType",
                                  STR_ARG(t->elements[i].name), target->index,
                                  arm_kind_name(target->kind));
    }
    return true;
}

static bool check_body(const struct type_reader *r, const struct arm_type *t, struct err *e)
{
    if (t->kind != ARM_RESOURCE)
        return true;
    const struct arm_type *body = arm_type_at(r->file, t->body);
    if (body->kind != ARM_OBJECT && body->kind != ARM_DISCRIMINATED)
        return types_complain(r, t, &r->root->items[t->index], e,
                              "the body is type %u, which is a %s and not an object", body->index,
                              arm_kind_name(body->kind));
    return true;
}

bool types_check(const struct type_reader *r, struct err *e)
{
    for (size_t i = 0; i < r->file->count; i++) {
        const struct arm_type *t = &r->file->types[i];
        if (!check_props(r, t, e) || !check_item(r, t, e) || !check_variants(r, t, e) ||
            !check_body(r, t, e))
            return false;
    }
    return true;
}
