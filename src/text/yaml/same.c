/* SPDX-License-Identifier: Apache-2.0 */
/*
 * same.c - whether two trees would be written alike, without writing them.
 *
 * Most objects are as they should be, and finding that out by comparing texts costs ten times as
 * much. The answer is a plain no wherever it would take more than a look: rounded numbers, texts
 * that are not written as they are.
 */
#include "text/yaml/internal.h"

#include "base/hot.h"

/* Integers that are written the same by every rule: exact as float64, never with an exponent. */
enum { SAFE_DIGITS = 15 };

struct rules {
    enum number_rule x, y;
    bool plain; /* both are NUMBERS_PLAIN: any text is written as it is */
};

static bool same(const struct value *x, const struct value *y, const struct rules *rules);

static bool same_text(str x, str y, const struct rules *rules)
{
    return x.len == y.len && hot_same(x.ptr, y.ptr, x.len) &&
           (rules->plain || !yaml_is_odd_text(x));
}

static bool same_number(const struct value *x, const struct value *y, const struct rules *rules)
{
    bool safe = x->kind == VALUE_INT && y->kind == VALUE_INT && x->len <= SAFE_DIGITS;
    str text = value_text(x);

    if (!str_eq(text, value_text(y)) || str_eq(text, STR("-0")))
        return false;
    return safe || rules->plain;
}

static bool same_key(const struct value *x, const struct value *y, const struct rules *rules)
{
    return (rules->plain || x->key_len <= YAML_LONG_KEY) &&
           same_text(value_key(x), value_key(y), rules);
}

static bool same_keys(const struct value *x, const struct value *y, const struct rules *rules)
{
    for (size_t i = 0; i < x->len; i++)
        if (x->items[i].key_len != y->items[i].key_len ||
            !same_key(&x->items[i], &y->items[i], rules))
            return false;
    return true;
}

static bool same_items(const struct value *x, const struct value *y, const struct rules *rules)
{
    for (size_t i = 0; i < x->len; i++)
        if (!same(&x->items[i], &y->items[i], rules))
            return false;
    return true;
}

/* Members in the order in which they would be written: that of keys is not a proper one. */
static bool same_sorted(const struct value *x, const struct value *y, const struct rules *rules)
{
    AUTO_ARENA a = arena_new();
    struct value **xs = yaml_sort_members(a, x, false), **ys = yaml_sort_members(a, y, false);
    bool ok = true;

    for (size_t i = 0; i < x->len && ok; i++)
        ok = same_key(xs[i], ys[i], rules);
    for (size_t i = 0; i < x->len && ok; i++)
        ok = same(xs[i], ys[i], rules);
    return ok;
}

static bool same_objects(const struct value *x, const struct value *y, const struct rules *rules)
{
    if (x->len != y->len)
        return false;
    return same_keys(x, y, rules) ? same_items(x, y, rules) : same_sorted(x, y, rules);
}

static bool same(const struct value *x, const struct value *y, const struct rules *rules)
{
    switch ((enum value_kind)x->kind) {
    case VALUE_NULL:
        return y->kind == VALUE_NULL;
    case VALUE_BOOL:
        return y->kind == VALUE_BOOL && x->truth == y->truth;
    case VALUE_INT:
    case VALUE_FLOAT:
        return value_is_number(y) && same_number(x, y, rules);
    case VALUE_STRING:
        return y->kind == VALUE_STRING && same_text(value_str(x), value_str(y), rules);
    case VALUE_LIST:
        return y->kind == VALUE_LIST && x->len == y->len && same_items(x, y, rules);
    case VALUE_OBJECT:
        return y->kind == VALUE_OBJECT && same_objects(x, y, rules);
    }
    return false;
}

bool yaml_writes_same(const struct value *x, enum number_rule x_numbers, const struct value *y,
                      enum number_rule y_numbers)
{
    const struct rules rules = {x_numbers, y_numbers,
                                x_numbers == NUMBERS_PLAIN && y_numbers == NUMBERS_PLAIN};

    return same(x, y, &rules);
}
