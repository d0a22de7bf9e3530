/* SPDX-License-Identifier: Apache-2.0 */
/*
 * common.c - conversions as Sprig does them; see common.h.
 */
#include "tmpl/funcs/common.h"

#include <math.h>

str as_text(struct rt *rt, struct tv v)
{
    struct buf b;

    if (v.type != TV_BYTES)
        return tv_to_str(rt, v);
    b = buf_new(rt->arena, rt_room(rt));
    tv_printf(rt, &b, STR("%s"), &v, 1);
    return buf_str(&b);
}

bool return_bytes(struct tmpl_call *c, str s)
{
    struct tv out = tv_list_new(c->rt, TV_BYTES, s.len);

    for (size_t i = 0; i < s.len; i++)
        out.list->items[i] = (struct tv){.type = TV_UINT8, .u = (unsigned char)s.ptr[i]};
    return return_tv(c, out);
}

struct tv strings_of(struct tmpl_call *c, const str *items, size_t count)
{
    struct tv out = tv_list_new(c->rt, TV_STRINGS, count);

    for (size_t i = 0; i < count; i++)
        out.list->items[i] = tv_str(items[i]);
    return out;
}

struct tv as_strings(struct tmpl_call *c, struct tv v)
{
    size_t n = tv_len(c->rt, v);
    struct tv out;

    if (v.type == TV_STRINGS)
        return v;
    if (tv_info(v.type)->kind != TV_KIND_SLICE) {
        str one = as_text(c->rt, v);
        return strings_of(c, &one, v.type != TV_INVALID);
    }
    out = tv_list_new(c->rt, TV_STRINGS, n);
    out.list->len = 0;
    for (size_t i = 0; i < n; i++) {
        struct tv item = tv_concrete(tv_at(c->rt, v, i));
        if (item.type != TV_INVALID)
            out.list->items[out.list->len++] = tv_str(as_text(c->rt, item));
    }
    return out;
}

/* Go's conversion of a float64 on amd64: what does not fit is the smallest integer. */
static int64_t truncate(double f)
{
    return f >= -9223372036854775808.0 && f < 9223372036854775808.0 ? (int64_t)f : INT64_MIN;
}

/* "12.000" reads as "12". */
static str without_zero_decimals(str s)
{
    size_t end = s.len;

    while (end && s.ptr[end - 1] == '0')
        end--;
    return end && end < s.len && s.ptr[end - 1] == '.' ? str_slice(s, 0, end - 1) : s;
}

int64_t as_int64(struct tv v)
{
    int64_t i = 0;

    switch (v.type) {
    case TV_BOOL:
        return v.truth;
    case TV_FLOAT64:
        return truncate(tv_float64(v));
    case TV_STRING:
        return go_parse_int(without_zero_decimals(tv_text(v)), 0, &i) ? i : 0;
    case TV_INT:
    case TV_INT64:
    case TV_UINT8:
    case TV_UINT32:
    case TV_UINT64:
    case TV_MONTH:
    case TV_WEEKDAY:
        return v.i;
    default:
        return 0;
    }
}

double as_float64(struct tv v)
{
    double f = 0;

    switch (v.type) {
    case TV_BOOL:
        return v.truth;
    case TV_FLOAT64:
        return tv_float64(v);
    case TV_STRING:
        return go_parse_float(tv_text(v), &f) ? f : 0;
    case TV_INT:
    case TV_INT64:
    case TV_MONTH:
    case TV_WEEKDAY:
        return (double)v.i;
    case TV_UINT8:
    case TV_UINT32:
    case TV_UINT64:
        return (double)v.u;
    default:
        return 0;
    }
}

bool is_empty(const struct rt *rt, struct tv v)
{
    return !tv_is_true(rt, v);
}
