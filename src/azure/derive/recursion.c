/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recursion.c - named types below the root: recursive, seen before, embedded.
 *
 * A property of the same type that contains it is followed once, and left out inside that copy; a
 * longer cycle is cut where a type appears again. A type that was derived for this resource is not
 * derived again: that bounds the work by the size of the file, whatever its references do.
 *
 * An object that looks like a resource represents one that exists by itself, so only its id is
 * kept. The overlay lists those that exist only inside their parent.
 */
#include "azure/derive/internal.h"

enum embedded { EMBEDDED_NOT, EMBEDDED_REFERENCE, EMBEDDED_EXPANDED };

static bool looks_like_resource(const struct derive *d, const struct arm_type *t)
{
    const struct arm_prop *properties = arm_prop_find(t, STR("properties"));
    bool name = arm_prop_find(t, STR("name")), type = arm_prop_find(t, STR("type"));

    if (t->kind != ARM_OBJECT || !arm_prop_find(t, STR("id")))
        return false;
    if (name && type)
        return true;
    return properties && (name || type || arm_type_at(d->file, properties->type)->holds_resource);
}

static enum embedded embedding(const struct derive *d, const struct arm_type *t)
{
    if (!looks_like_resource(d, t))
        return EMBEDDED_NOT;
    if (overlay_listed(d->group, LIST_NOT_RESOURCE, t->name, d->version) ||
        overlay_expanded(d->group, t->name, d->kind->name, d->version, d->side))
        return EMBEDDED_EXPANDED;
    return EMBEDDED_REFERENCE;
}

/* Keeps only the id, and makes it writable. */
static struct value *derive_id(struct derive *d, const struct arm_type *t)
{
    const struct place at = {.holder = t->name};
    struct arm_prop id = *arm_prop_find(t, STR("id"));
    struct found_list found = {0};

    id.flags = 0;
    VEC_PUSH(d->arena, &d->stack, t->index);
    derive_member(d, &at, &id, &found);
    d->stack.len--;
    derive_note(d, NOTE_CHANGED, t->name, STR("id"), "an embedded resource: only its id stays");
    if (found.items.len == 0)
        return NULL;
    struct value *type = value_object(d->arena), *props = value_object(d->arena);
    for (size_t i = 0; i < found.items.len; i++)
        value_set(d->arena, props, found.items.items[i].name, found.items.items[i].prop);
    value_set(d->arena, type, STR("props"), props);
    return type;
}

/* How often a type is being derived already, and whether it is the innermost. */
static size_t times_open(const struct derive *d, uint32_t index, bool *innermost)
{
    size_t times = 0;

    for (size_t i = 0; i < d->stack.len; i++)
        times += d->stack.items[i] == index;
    *innermost = d->stack.len > 0 && d->stack.items[d->stack.len - 1] == index;
    return times;
}

static struct memo *memo_of(const struct derive *d, uint32_t index, bool inside)
{
    return &d->memo[(size_t)index * 4 + (d->side == SIDE_STATUS ? 2 : 0) + (inside ? 1 : 0)];
}

static str type_name(struct derive *d, const struct arm_type *t, bool inside)
{
    str name = name_identifier(d->arena, name_last(t->name), true);

    return str_fmt(d->arena, "%.*s%s%s", STR_ARG(name), d->side == SIDE_STATUS ? "_STATUS" : "",
                   inside ? "_Unrolled" : "");
}

static struct value *derive_fresh(struct derive *d, const struct arm_type *t)
{
    enum embedded embedded = embedding(d, t);

    if (d->depth >= DERIVE_DEPTH_MAX) {
        AUTO_ARENA a = arena_new();
        str label = arm_type_label(a, t);
        derive_fail(d, "%.*s: objects are nested more than %d deep", STR_ARG(label),
                    DERIVE_DEPTH_MAX);
        return NULL;
    }
    d->depth++;
    struct value *type = embedded == EMBEDDED_REFERENCE
                             ? derive_id(d, t)
                             : derive_object(d, t, false, embedded == EMBEDDED_EXPANDED);
    d->depth--;
    return type;
}

str derive_named(struct derive *d, const struct arm_type *t)
{
    bool innermost;
    size_t open = times_open(d, t->index, &innermost);

    if (open >= 2 || (open && !innermost)) {
        derive_note(d, NOTE_DROPPED, t->name, STR("*"), "contains itself");
        return STR_NONE;
    }
    struct memo *memo = memo_of(d, t->index, open > 0);
    if (memo->round == d->round)
        return memo->name;
    *memo = (struct memo){.round = d->round};
    struct value *type = derive_fresh(d, t);
    if (type)
        memo->name = derive_put(d, d->types, type_name(d, t, open > 0), type);
    return memo->name;
}
