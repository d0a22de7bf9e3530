/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge.c - merges the variants of an object into one tree, with holes where they differ.
 *
 * A hole is a text that occurs in no variant, so that it can be found in the YAML. Literal values
 * are common to all variants. Whatever cannot be merged member by member becomes a single hole:
 * lists of different lengths, values of different kinds, mappings without a common member, list
 * elements with optional members. Values of Secrets, including those in other objects and in copies
 * in annotations, are holes even if they are the same in all variants.
 */
#include "compare/draft/internal.h"
#include "compare/secret.h"

struct merging {
    struct arena *arena;
    struct holes *holes;
    bool marked; /* some variant has marks of its own: see mark_secrets */
};

/* The same place of all variants. */
struct place {
    const struct value **items;
    size_t count;
    struct path path;
};

static struct value *merge(struct merging *m, const struct place *p);

/* ---- Holes. ---- */

static struct value *make_hole(struct merging *m, const struct path *path, bool optional)
{
    str text = str_fmt(m->arena, "%.*s%zux", STR_ARG(m->holes->mark), m->holes->len);

    VEC_PUSH(m->arena, m->holes, ((struct hole){.path = *path, .optional = optional}));
    return value_string(m->arena, text);
}

struct looking {
    str mark;
    bool found;
};

static bool look_for_mark(void *ctx, struct value *v, size_t depth)
{
    struct looking *l = ctx;

    (void)depth;
    l->found |= str_contains(value_str(v), l->mark) || str_contains(value_key(v), l->mark);
    return !l->found;
}

/* A text that no variant has anywhere. */
static str find_mark(struct arena *a, const struct variants *v)
{
    for (unsigned i = 0;; i++) {
        struct looking l = {.mark = str_fmt(a, "PLUMBHOLE%ux", i)};
        for (size_t k = 0; k < v->len && !l.found; k++)
            value_walk(v->items[k].root, look_for_mark, &l);
        if (!l.found)
            return l.mark;
    }
}

/* ---- Values of Secrets. ---- */

/* The mark alone, without a number: what is not to be written. */
static bool is_marked(const struct merging *m, const struct value *v)
{
    return v->kind == VALUE_STRING && str_eq(value_str(v), m->holes->mark);
}

/* Key and place stay. */
static void set_mark(const struct merging *m, struct value *v)
{
    v->kind = VALUE_STRING;
    v->room = v->indexed = 0;
    v->text = m->holes->mark.ptr;
    v->len = (uint32_t)m->holes->mark.len;
}

/* Keys may hold values of Secrets as well. */
static bool has_other_keys(const struct value *was, const struct value *now)
{
    for (size_t i = 0; now->kind == VALUE_OBJECT && i < now->len; i++)
        if (!str_eq(value_key(&was->items[i]), value_key(&now->items[i])))
            return true;
    return false;
}

/* Marks what is not what it was before it was masked. */
static void mark_changes(const struct merging *m, const struct value *was, struct value *now,
                         bool root)
{
    if (was->kind != now->kind ||
        (value_is_container(now) ? was->len != now->len : !value_equal(was, now)) ||
        (!root && has_other_keys(was, now))) {
        set_mark(m, now);
        return;
    }
    for (size_t i = 0; value_is_container(now) && i < now->len; i++)
        mark_changes(m, &was->items[i], &now->items[i], false);
}

/* The object, or a copy with marks instead of what its Secrets hold. */
static const struct value *mark_secrets(struct merging *m, struct value *object)
{
    struct value *masked = object, *none = NULL;

    if (!secret_holds(object))
        return object;
    secret_mask_pair(m->arena, secret_values_of(m->arena, &object, 1), &masked, &none);
    mark_changes(m, object, masked, true);
    m->marked = true;
    return masked;
}

/* ---- Members and elements. ---- */

static struct place place_new(struct merging *m, const struct place *above, struct step step)
{
    return (struct place){.items = ARENA_ARRAY(m->arena, const struct value *, above->count),
                          .path = path_append(m->arena, &above->path, step)};
}

static struct place member_of(struct merging *m, const struct place *p, str key)
{
    struct place below = place_new(m, p, (struct step){.kind = STEP_KEY, .key = key});

    for (size_t i = 0; i < p->count; i++) {
        const struct value *v = value_get(p->items[i], key);
        if (v)
            below.items[below.count++] = v;
    }
    return below;
}

/* The keys of all variants, each once, in the order in which they are met. */
static struct map *all_keys(struct arena *a, const struct place *p)
{
    struct map *keys = map_new(a);

    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < value_len(p->items[i]); k++)
            map_set(keys, value_key(&p->items[i]->items[k]), keys);
    return keys;
}

static bool is_element(const struct place *p)
{
    return p->path.len && p->path.steps[p->path.len - 1].kind == STEP_INDEX;
}

static struct value *merge_objects(struct merging *m, const struct place *p)
{
    const struct map *keys = all_keys(m->arena, p);
    struct value *out = value_object(m->arena);
    size_t common = 0;

    for (size_t i = 0; i < map_len(keys); i++)
        common += member_of(m, p, map_key(keys, i)).count == p->count;
    if (map_len(keys) && (!common || (is_element(p) && common < map_len(keys))))
        return make_hole(m, &p->path, false);
    for (size_t i = 0; i < map_len(keys); i++) {
        str key = map_key(keys, i);
        struct place below = member_of(m, p, key);
        value_set(m->arena, out, key,
                  below.count == p->count ? merge(m, &below) : make_hole(m, &below.path, true));
    }
    return out;
}

static struct value *merge_lists(struct merging *m, const struct place *p)
{
    struct value *out = value_list(m->arena);
    size_t len = p->items[0]->len;

    for (size_t i = 1; i < p->count; i++)
        if (p->items[i]->len != len)
            return make_hole(m, &p->path, false);
    for (size_t i = 0; i < len; i++) {
        struct place below = place_new(m, p, (struct step){.kind = STEP_INDEX, .index = i});
        for (below.count = 0; below.count < p->count; below.count++)
            below.items[below.count] = &p->items[below.count]->items[i];
        value_add(m->arena, out, merge(m, &below));
    }
    return out;
}

static struct value *merge(struct merging *m, const struct place *p)
{
    bool same_kind = true, equal = true, marked = false;

    for (size_t i = 0; i < p->count; i++) {
        same_kind &= p->items[i]->kind == p->items[0]->kind;
        equal &= value_equal(p->items[i], p->items[0]);
        marked |= is_marked(m, p->items[i]);
    }
    m->holes->secrets += marked;
    if (marked)
        return make_hole(m, &p->path, false);
    if (equal && !(m->marked && value_is_container(p->items[0])))
        return value_clone(m->arena, p->items[0]);
    if (same_kind && p->items[0]->kind == VALUE_OBJECT)
        return merge_objects(m, p);
    if (same_kind && p->items[0]->kind == VALUE_LIST)
        return merge_lists(m, p);
    return make_hole(m, &p->path, false);
}

struct value *draft_merge(struct arena *a, const struct variants *v, struct holes *holes)
{
    struct merging m = {.arena = a, .holes = holes};
    struct place root = {.items = ARENA_ARRAY(a, const struct value *, v->len), .count = v->len};

    holes->mark = find_mark(a, v);
    for (size_t i = 0; i < v->len; i++)
        root.items[i] = mark_secrets(&m, v->items[i].root);
    return merge(&m, &root);
}
