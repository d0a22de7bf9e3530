/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.c - eq, ne, lt, le, gt, ge.
 *
 * Integers compare with integers whatever their width and sign, everything else only with its own
 * kind.
 */
#include "tmpl/funcs/families.h"

/* Kinds that can be ordered or compared by value; TV_KIND_INVALID for the rest. */
static enum tv_kind basic_kind(struct tv v)
{
    enum tv_kind kind = tv_kind(v);

    return kind <= TV_KIND_STRING ? kind : TV_KIND_INVALID;
}

static bool incompatible(struct tmpl_call *c, struct tv x, struct tv y)
{
    return call_fail(c, "incompatible types for comparison: %s and %s", tv_type_name(x),
                     tv_type_name(y));
}

/* An integer of one sign against one of the other. */
static bool mixed_equal(struct tv x, struct tv y)
{
    return x.i >= 0 && y.i >= 0 && x.u == y.u;
}

static bool is_mixed(enum tv_kind x, enum tv_kind y)
{
    return (x == TV_KIND_INT && y == TV_KIND_UINT) || (x == TV_KIND_UINT && y == TV_KIND_INT);
}

/* Fails with a text in Go's format. Always false. */
static bool fail_values(struct tmpl_call *c, str format, const struct tv *args, size_t count)
{
    struct buf b = call_buf(c);

    tv_printf(c->rt, &b, format, args, count);
    return call_fail_str(c, buf_str(&b));
}

static struct tv type_of(struct tv v)
{
    return tv_str(str_c(tv_type_name(v)));
}

/* Two values of which neither is basic. */
static bool equal_others(struct tmpl_call *c, struct tv x, struct tv y, bool *out)
{
    bool nil_x = x.type == TV_INVALID || tv_is_nil(x), nil_y = y.type == TV_INVALID || tv_is_nil(y);

    if (x.type != TV_INVALID && y.type != TV_INVALID && tv_kind(x) != tv_kind(y))
        return fail_values(c, STR("non-comparable types %s: %v, %s: %v"),
                           (struct tv[]){x, type_of(x), type_of(y), y}, 4);
    if (nil_x || nil_y) {
        *out = nil_x == nil_y;
        return true;
    }
    if (tv_kind(y) == TV_KIND_SLICE || tv_kind(y) == TV_KIND_MAP)
        return fail_values(c, STR("non-comparable type %s: %v"), (struct tv[]){y, type_of(y)}, 2);
    if (tv_kind(x) == TV_KIND_PTR)
        *out = x.object == y.object;
    else if (x.type == y.type && tv_info(x.type)->equal)
        *out = tv_info(x.type)->equal(x.object, y.object, false);
    else
        *out = tv_deep_equal(c->rt, x, y);
    return true;
}

static bool equal(struct tmpl_call *c, struct tv x, struct tv y, bool *out)
{
    enum tv_kind kx = basic_kind(x), ky = basic_kind(y);

    *out = false;
    if (kx != ky) {
        if (is_mixed(kx, ky))
            *out = mixed_equal(x, y);
        else if (x.type != TV_INVALID && y.type != TV_INVALID)
            return incompatible(c, x, y);
        return true;
    }
    if (kx == TV_KIND_INVALID)
        return equal_others(c, x, y, out);
    if (kx == TV_KIND_INT || kx == TV_KIND_UINT)
        *out = x.u == y.u;
    else
        *out = tv_deep_equal(c->rt, x, y);
    return true;
}

static bool fn_eq(struct tmpl_call *c)
{
    struct tv x = tv_concrete(arg_tv(c, 0));
    bool same = false;

    if (c->count == 1)
        return call_fail(c, "missing argument for comparison");
    for (size_t i = 1; i < c->count; i++) {
        if (!equal(c, x, tv_concrete(c->args[i]), &same))
            return false;
        if (same)
            return return_bool(c, true);
    }
    return return_bool(c, false);
}

static bool fn_ne(struct tmpl_call *c)
{
    bool same = false;

    return equal(c, tv_concrete(arg_tv(c, 0)), tv_concrete(arg_tv(c, 1)), &same) &&
           return_bool(c, !same);
}

static bool less_basic(struct tmpl_call *c, struct tv x, struct tv y, bool *out)
{
    switch (tv_kind(x)) {
    case TV_KIND_FLOAT:
        *out = tv_float_less(x, y);
        return true;
    case TV_KIND_INT:
        *out = x.i < y.i;
        return true;
    case TV_KIND_UINT:
        *out = x.u < y.u;
        return true;
    case TV_KIND_STRING:
        *out = str_cmp(tv_text(x), tv_text(y)) < 0;
        return true;
    default:
        return call_fail(c, "invalid type for comparison");
    }
}

static bool less(struct tmpl_call *c, struct tv x, struct tv y, bool *out)
{
    enum tv_kind kx = basic_kind(x), ky = basic_kind(y);

    if (kx == TV_KIND_INVALID || ky == TV_KIND_INVALID)
        return call_fail(c, "invalid type for comparison");
    if (kx == ky)
        return less_basic(c, x, y, out);
    if (!is_mixed(kx, ky))
        return incompatible(c, x, y);
    *out = kx == TV_KIND_INT ? x.i < 0 || x.u < y.u : y.i >= 0 && x.u < y.u;
    return true;
}

static bool less_or_equal(struct tmpl_call *c, struct tv x, struct tv y, bool *out)
{
    return less(c, x, y, out) && (*out || equal(c, x, y, out));
}

static bool fn_lt(struct tmpl_call *c)
{
    bool answer = false;

    return less(c, tv_concrete(arg_tv(c, 0)), tv_concrete(arg_tv(c, 1)), &answer) &&
           return_bool(c, answer);
}

static bool fn_le(struct tmpl_call *c)
{
    bool answer = false;

    return less_or_equal(c, tv_concrete(arg_tv(c, 0)), tv_concrete(arg_tv(c, 1)), &answer) &&
           return_bool(c, answer);
}

static bool fn_gt(struct tmpl_call *c)
{
    bool answer = false;

    return less_or_equal(c, tv_concrete(arg_tv(c, 0)), tv_concrete(arg_tv(c, 1)), &answer) &&
           return_bool(c, !answer);
}

static bool fn_ge(struct tmpl_call *c)
{
    bool answer = false;

    return less(c, tv_concrete(arg_tv(c, 0)), tv_concrete(arg_tv(c, 1)), &answer) &&
           return_bool(c, !answer);
}

#define TWO_VALUES "func(reflect.Value, reflect.Value) (bool, error)"

const struct tmpl_func tmpl_compare_funcs[] = {
    {"eq", "func(reflect.Value, ...reflect.Value) (bool, error)", ALL_PROFILES, fn_eq,
     "Whether the first argument equals any of the others", "{{ eq .x 1 2 }}"},
    {"ge", TWO_VALUES, ALL_PROFILES, fn_ge, "Whether a >= b", "{{ ge 2 1 }}"},
    {"gt", TWO_VALUES, ALL_PROFILES, fn_gt, "Whether a > b", "{{ gt 2 1 }}"},
    {"le", TWO_VALUES, ALL_PROFILES, fn_le, "Whether a <= b", "{{ le 1 2 }}"},
    {"lt", TWO_VALUES, ALL_PROFILES, fn_lt, "Whether a < b", "{{ lt 1 2 }}"},
    {"ne", TWO_VALUES, ALL_PROFILES, fn_ne, "Whether a differs from b", "{{ ne .x 1 }}"},
    {0},
};
