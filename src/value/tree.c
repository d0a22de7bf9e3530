/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c - whole trees: copy, merge, compare, hash; see value.h. Recursion is bounded by
 * VALUE_DEPTH_MAX, which readers enforce. */
#include "value/value.h"

#include "value/number.h"

static const char *copy_text(struct arena *a, const char *text, size_t len)
{
    return len ? str_copy(a, (str){text, len}).ptr : text;
}

/* Copies what lies below v, whose node has already been copied. */
static void copy_below(struct arena *a, struct value *v)
{
    v->key = copy_text(a, v->key, v->key_len);
    if (v->kind >= VALUE_INT && v->kind <= VALUE_STRING)
        v->text = copy_text(a, v->text, v->len);
    if (!value_is_container(v))
        return;
    value_adopt(a, v, (enum value_kind)v->kind, v->items, v->len);
    for (size_t i = 0; i < v->len; i++)
        copy_below(a, &v->items[i]);
}

struct value *value_copy(struct arena *a, const struct value *v)
{
    struct value *root = arena_alloc_raw(a, sizeof(*root));

    *root = *v;
    copy_below(a, root);
    return root;
}

/* The same for the nodes of a container alone. */
static void clone_below(struct arena *a, struct value *v)
{
    value_adopt(a, v, (enum value_kind)v->kind, v->items, v->len);
    for (size_t i = 0; i < v->len; i++)
        if (value_is_container(&v->items[i]))
            clone_below(a, &v->items[i]);
}

struct value *value_clone(struct arena *a, const struct value *v)
{
    struct value *root = arena_alloc_raw(a, sizeof(*root));

    *root = *v;
    if (value_is_container(v))
        clone_below(a, root);
    return root;
}

/* base is ours to change. */
static void merge_into(struct arena *a, struct value *base, const struct value *over)
{
    for (size_t i = 0; i < over->len; i++) {
        const struct value *member = &over->items[i];
        struct value *below = value_get(base, value_key(member));
        if (value_is(below, VALUE_OBJECT) && member->kind == VALUE_OBJECT)
            merge_into(a, below, member);
        else
            value_set(a, base, value_key(member), value_clone(a, member));
    }
}

struct value *value_merge(struct arena *a, const struct value *base, const struct value *over)
{
    if (!value_is(base, VALUE_OBJECT) || !value_is(over, VALUE_OBJECT))
        return value_clone(a, over);
    struct value *merged = value_clone(a, base);
    merge_into(a, merged, over);
    return merged;
}

static bool equal_objects(const struct value *x, const struct value *y)
{
    for (size_t i = 0; i < x->len; i++) {
        const struct value *mine = &x->items[i], *other = &y->items[i];
        /* Usually both have the same order. */
        if (!str_eq(value_key(mine), value_key(other)))
            other = value_get(y, value_key(mine));
        if (!value_equal(mine, other))
            return false;
    }
    return true;
}

static bool equal_lists(const struct value *x, const struct value *y)
{
    for (size_t i = 0; i < x->len; i++)
        if (!value_equal(&x->items[i], &y->items[i]))
            return false;
    return true;
}

bool value_equal(const struct value *x, const struct value *y)
{
    if (!x || !y)
        return x == y;
    if (value_is_number(x) && value_is_number(y))
        return number_compare(value_text(x), value_text(y)) == 0;
    if (x->kind != y->kind)
        return false;
    switch ((enum value_kind)x->kind) {
    case VALUE_BOOL:
        return x->truth == y->truth;
    case VALUE_STRING:
        return str_eq(value_text(x), value_text(y));
    case VALUE_LIST:
        return x->len == y->len && equal_lists(x, y);
    case VALUE_OBJECT:
        return x->len == y->len && equal_objects(x, y);
    case VALUE_NULL:
    case VALUE_INT:
    case VALUE_FLOAT:
        break;
    }
    return true;
}

static int compare_sizes(size_t x, size_t y)
{
    return (x > y) - (x < y);
}

static int compare_lists(const struct value *x, const struct value *y)
{
    for (size_t i = 0; i < x->len && i < y->len; i++) {
        int order = value_compare(&x->items[i], &y->items[i]);
        if (order)
            return order;
    }
    return compare_sizes(x->len, y->len);
}

static int compare_objects(const struct value *x, const struct value *y)
{
    AUTO_ARENA a = arena_new();
    struct value **mine = value_sorted(a, x), **other = value_sorted(a, y);

    for (size_t i = 0; i < x->len && i < y->len; i++) {
        int order = str_cmp(value_key(mine[i]), value_key(other[i]));
        if (!order)
            order = value_compare(mine[i], other[i]);
        if (order)
            return order;
    }
    return compare_sizes(x->len, y->len);
}

int value_compare(const struct value *x, const struct value *y)
{
    if (!x || !y)
        return (x != NULL) - (y != NULL);
    if (value_is_number(x) && value_is_number(y))
        return number_compare(value_text(x), value_text(y));
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    switch ((enum value_kind)x->kind) {
    case VALUE_BOOL:
        return (int)x->truth - (int)y->truth;
    case VALUE_STRING:
        return str_cmp(value_text(x), value_text(y));
    case VALUE_LIST:
        return compare_lists(x, y);
    case VALUE_OBJECT:
        return compare_objects(x, y);
    case VALUE_NULL:
    case VALUE_INT:
    case VALUE_FLOAT:
        break;
    }
    return 0;
}

static uint64_t blend(uint64_t hash, uint64_t more)
{
    return (hash ^ more) * UINT64_C(0x9E3779B97F4A7C15);
}

uint64_t value_hash(const struct value *v)
{
    uint64_t hash = v ? v->kind : UINT64_MAX;

    if (!v)
        return hash;
    switch ((enum value_kind)v->kind) {
    case VALUE_NULL:
        return blend(hash, 0x100);
    case VALUE_BOOL:
        return blend(hash, v->truth ? 0x300 : 0x200);
    case VALUE_INT:
    case VALUE_FLOAT:
        return number_hash(value_text(v));
    case VALUE_STRING:
        return str_hash(value_text(v));
    case VALUE_LIST:
        for (size_t i = 0; i < v->len; i++)
            hash = blend(hash, value_hash(&v->items[i]));
        return hash;
    case VALUE_OBJECT:
        /* A sum does not depend on the order. The key goes in first, or else members that swap key
         * and text would have equal hashes, and lists of them could be made to collide. */
        for (size_t i = 0; i < v->len; i++)
            hash += blend(blend(1, str_hash(value_key(&v->items[i]))), value_hash(&v->items[i]));
        return hash;
    }
    return hash;
}
