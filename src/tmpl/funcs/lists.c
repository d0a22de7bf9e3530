/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lists.c - list functions of templates.
 *
 * Each takes any slice and makes a new []interface {}; nothing is changed in place. The must forms
 * fail where the others panic, which looks the same from a template.
 */
#include "tmpl/funcs/common.h"
#include "tmpl/funcs/families.h"

#include <math.h>

/* Whether v is a slice; what says how Go begins its complaint. */
static bool want_slice(struct tmpl_call *c, struct tv v, const char *what)
{
    if (v.type == TV_INVALID)
        return call_fail(c, NIL_DEREFERENCE);
    if (tv_kind(v) == TV_KIND_SLICE)
        return true;
    return call_fail(c, "%s %s", what, tv_info(v.type)->kind_name);
}

static bool new_list(struct tmpl_call *c, size_t n, struct tv *out)
{
    if (!call_room(c, n > SIZE_MAX / sizeof(struct tv) ? SIZE_MAX : n * sizeof(struct tv)))
        return false;
    *out = tv_list_new(c->rt, TV_LIST, n);
    return true;
}

/* Copies count elements of from, beginning at first, to out at at. */
static void copy_items(struct tmpl_call *c, struct tv out, size_t at, struct tv from, size_t first,
                       size_t count)
{
    for (size_t i = 0; i < count; i++)
        out.list->items[at + i] = tv_concrete(tv_at(c->rt, from, first + i));
}

static bool fn_list(struct tmpl_call *c)
{
    struct tv out;

    if (!new_list(c, c->count, &out))
        return false;
    if (c->count)
        memcpy(out.list->items, c->args, c->count * sizeof(struct tv));
    return return_tv(c, out);
}

/* ---- One element ---------------------------------------------------------------------------- */

static bool fn_first(struct tmpl_call *c)
{
    struct tv v = arg_tv(c, 0);

    if (!want_slice(c, v, "Cannot find first on type"))
        return false;
    return return_tv(c, tv_len(c->rt, v) ? tv_concrete(tv_at(c->rt, v, 0)) : tv_none());
}

static bool fn_last(struct tmpl_call *c)
{
    struct tv v = arg_tv(c, 0);
    size_t n = tv_len(c->rt, v);

    if (!want_slice(c, v, "Cannot find last on type"))
        return false;
    return return_tv(c, n ? tv_concrete(tv_at(c->rt, v, n - 1)) : tv_none());
}

static bool fn_push(struct tmpl_call *c)
{
    struct tv v = arg_tv(c, 0), out;
    size_t n = tv_len(c->rt, v);

    if (!want_slice(c, v, "Cannot push on type") || !new_list(c, n + 1, &out))
        return false;
    copy_items(c, out, 0, v, 0, n);
    out.list->items[n] = arg_tv(c, 1);
    return return_tv(c, out);
}

static bool fn_prepend(struct tmpl_call *c)
{
    struct tv v = arg_tv(c, 0), out;
    size_t n = tv_len(c->rt, v);

    if (!want_slice(c, v, "Cannot prepend on type") || !new_list(c, n + 1, &out))
        return false;
    out.list->items[0] = arg_tv(c, 1);
    copy_items(c, out, 1, v, 0, n);
    return return_tv(c, out);
}

/* ---- Parts ---------------------------------------------------------------------------------- */

/* All but one element; nil for an empty list. */
static bool all_but(struct tmpl_call *c, const char *what, size_t first)
{
    struct tv v = arg_tv(c, 0), out;
    size_t n = tv_len(c->rt, v);

    if (!want_slice(c, v, what))
        return false;
    if (!n)
        return return_tv(c, tv_object(TV_LIST, NULL));
    if (!new_list(c, n - 1, &out))
        return false;
    copy_items(c, out, 0, v, first, n - 1);
    return return_tv(c, out);
}

static bool fn_rest(struct tmpl_call *c)
{
    return all_but(c, "Cannot find rest on type", 1);
}

static bool fn_initial(struct tmpl_call *c)
{
    return all_but(c, "Cannot find initial on type", 0);
}

static bool fn_slice(struct tmpl_call *c)
{
    struct tv v = arg_tv(c, 0);
    int64_t n = (int64_t)tv_len(c->rt, v), from, to;

    if (!want_slice(c, v, "list should be type of slice or array but"))
        return false;
    if (!n)
        return return_tv(c, tv_none());
    from = c->count > 1 ? as_int64(c->args[1]) : 0;
    to = c->count > 2 ? as_int64(c->args[2]) : n;
    if (from < 0 || to < from || to > (int64_t)tv_capacity(c->rt, v))
        return call_fail(c, "reflect.Value.Slice: slice index out of bounds");
    return return_tv(c, tv_slice_far(c->rt, v, (size_t)from, (size_t)to));
}

/* How many chunks Go makes, and how long the last one is: floats, so that a size of 0 behaves. */
static bool chunk_sizes(struct tmpl_call *c, int64_t size, size_t n, size_t *count, size_t *last)
{
    double chunks = floor(((double)n - 1) / (double)size) + 1, rest;

    if (size == 0 || !(chunks >= 0 && chunks < 1e15))
        return call_fail(c, "runtime error: makeslice: len out of range");
    rest = floor(fmod((double)n, (double)size));
    *count = (size_t)chunks;
    *last = rest == 0 ? (size_t)size : (size_t)rest;
    /* With a size below 0 there is no chunk, or the last one only, or it would be that small. */
    return size > 0 || !*count || rest > 0 ||
           call_fail(c, "runtime error: makeslice: len out of range");
}

static bool fn_chunk(struct tmpl_call *c)
{
    struct tv v = arg_tv(c, 1), out, one;
    int64_t size = arg_int(c, 0);
    size_t n = tv_len(c->rt, v), count = 0, last = 0;

    if (!want_slice(c, v, "Cannot chunk type") || !chunk_sizes(c, size, n, &count, &last))
        return false;
    if (!call_room(c, 64 * count))
        return false;
    out = tv_list_new(c->rt, TV_LISTS, count);
    for (size_t i = 0; i < count; i++) {
        size_t len = i + 1 == count ? last : (size_t)size;
        if (!new_list(c, len, &one))
            return false;
        copy_items(c, one, 0, v, i * (size_t)size, len);
        out.list->items[i] = one;
    }
    return return_tv(c, out);
}

/* ---- Filters -------------------------------------------------------------------------------- */

/* Whether the element belongs into the result, of which out is what there is so far. */
typedef bool keep_fn(struct tmpl_call *c, struct tv item, const struct tv_list *out);

static bool filter(struct tmpl_call *c, const char *what, keep_fn *keep)
{
    struct tv v = arg_tv(c, 0), out;
    size_t n = tv_len(c->rt, v);

    if (!want_slice(c, v, what) || !new_list(c, n, &out))
        return false;
    out.list->len = 0;
    for (size_t i = 0; i < n && c->rt->steps; i++) {
        struct tv item = tv_concrete(tv_at(c->rt, v, i));
        if (keep(c, item, out.list))
            out.list->items[out.list->len++] = item;
    }
    return return_tv(c, out);
}

static bool in_list(struct tmpl_call *c, struct tv item, const struct tv *items, size_t count)
{
    for (size_t i = 0; i < count && c->rt->steps; i++)
        if (tv_deep_equal(c->rt, item, items[i]))
            return true;
    return false;
}

static bool keep_full(struct tmpl_call *c, struct tv item, const struct tv_list *out)
{
    (void)out;
    return !is_empty(c->rt, item);
}

static bool keep_new(struct tmpl_call *c, struct tv item, const struct tv_list *out)
{
    return !in_list(c, item, out->items, out->len);
}

static bool keep_other(struct tmpl_call *c, struct tv item, const struct tv_list *out)
{
    (void)out;
    return !in_list(c, item, c->args + 1, c->count - 1);
}

static bool fn_compact(struct tmpl_call *c)
{
    return filter(c, "Cannot compact on type", keep_full);
}

static bool fn_uniq(struct tmpl_call *c)
{
    return filter(c, "Cannot find uniq on type", keep_new);
}

static bool fn_without(struct tmpl_call *c)
{
    return filter(c, "Cannot find without on type", keep_other);
}

/* ---- The rest ------------------------------------------------------------------------------- */

static bool fn_has(struct tmpl_call *c)
{
    struct tv v = arg_tv(c, 1);

    if (v.type == TV_INVALID)
        return return_bool(c, false);
    if (!want_slice(c, v, "Cannot find has on type"))
        return false;
    for (size_t i = 0; i < tv_len(c->rt, v); i++)
        if (tv_deep_equal(c->rt, arg_tv(c, 0), tv_concrete(tv_at(c->rt, v, i))))
            return return_bool(c, true);
    return return_bool(c, false);
}

static bool fn_reverse(struct tmpl_call *c)
{
    struct tv v = arg_tv(c, 0), out;
    size_t n = tv_len(c->rt, v);

    if (!want_slice(c, v, "Cannot find reverse on type") || !new_list(c, n, &out))
        return false;
    for (size_t i = 0; i < n; i++)
        out.list->items[n - 1 - i] = tv_concrete(tv_at(c->rt, v, i));
    return return_tv(c, out);
}

static bool fn_concat(struct tmpl_call *c)
{
    struct tv out;
    size_t n = 0;

    for (size_t i = 0; i < c->count; i++) {
        if (c->args[i].type == TV_INVALID)
            return call_fail(c, NIL_DEREFERENCE);
        if (tv_kind(c->args[i]) != TV_KIND_SLICE)
            return call_fail(c, "Cannot concat type %s as list",
                             tv_info(c->args[i].type)->kind_name);
        n += tv_len(c->rt, c->args[i]);
    }
    if (!n)
        return return_tv(c, tv_object(TV_LIST, NULL));
    if (!new_list(c, n, &out))
        return false;
    n = 0;
    for (size_t i = 0; i < c->count; i++) {
        copy_items(c, out, n, c->args[i], 0, tv_len(c->rt, c->args[i]));
        n += tv_len(c->rt, c->args[i]);
    }
    return return_tv(c, out);
}

#define TO_LIST "func(any) []any"
#define MUST_TO_LIST "func(any) ([]any, error)"

const struct tmpl_func tmpl_list_funcs[] = {
    {"append", "func(any, any) []any", SPRIG, fn_push, "The list with one more at the end",
     "{{ append .list 4 }}"},
    {"chunk", "func(int, any) [][]any", SPRIG, fn_chunk, "The list in pieces of this size",
     "{{ chunk 3 .list }}"},
    {"compact", TO_LIST, SPRIG, fn_compact, "The list without empty elements",
     "{{ compact .list }}"},
    {"concat", "func(...any) any", SPRIG, fn_concat, "Lists one after the other",
     "{{ concat .list .more }}"},
    {"first", "func(any) any", SPRIG, fn_first, "The first element", "{{ first .list }}"},
    {"has", "func(any, any) bool", SPRIG, fn_has, "Whether a list has this element",
     "{{ has 4 .list }}"},
    {"initial", TO_LIST, SPRIG, fn_initial, "All but the last element", "{{ initial .list }}"},
    {"last", "func(any) any", SPRIG, fn_last, "The last element", "{{ last .list }}"},
    {"list", "func(...any) []any", SPRIG, fn_list, "A list of the arguments", "{{ list 1 2 3 }}"},
    {"mustAppend", "func(any, any) ([]any, error)", SPRIG, fn_push, "As append",
     "{{ mustAppend .list 4 }}"},
    {"mustChunk", "func(int, any) ([][]any, error)", SPRIG, fn_chunk, "As chunk",
     "{{ mustChunk 3 .list }}"},
    {"mustCompact", MUST_TO_LIST, SPRIG, fn_compact, "As compact", "{{ mustCompact .list }}"},
    {"mustFirst", "func(any) (any, error)", SPRIG, fn_first, "As first", "{{ mustFirst .list }}"},
    {"mustHas", "func(any, any) (bool, error)", SPRIG, fn_has, "As has", "{{ mustHas 4 .list }}"},
    {"mustInitial", MUST_TO_LIST, SPRIG, fn_initial, "As initial", "{{ mustInitial .list }}"},
    {"mustLast", "func(any) (any, error)", SPRIG, fn_last, "As last", "{{ mustLast .list }}"},
    {"mustPrepend", "func(any, any) ([]any, error)", SPRIG, fn_prepend, "As prepend",
     "{{ mustPrepend .list 0 }}"},
    {"mustPush", "func(any, any) ([]any, error)", SPRIG, fn_push, "As append",
     "{{ mustPush .list 4 }}"},
    {"mustRest", MUST_TO_LIST, SPRIG, fn_rest, "As rest", "{{ mustRest .list }}"},
    {"mustReverse", MUST_TO_LIST, SPRIG, fn_reverse, "As reverse", "{{ mustReverse .list }}"},
    {"mustSlice", "func(any, ...any) (any, error)", SPRIG, fn_slice, "As slice",
     "{{ mustSlice .list 1 3 }}"},
    {"mustUniq", MUST_TO_LIST, SPRIG, fn_uniq, "As uniq", "{{ mustUniq .list }}"},
    {"mustWithout", "func(any, ...any) ([]any, error)", SPRIG, fn_without, "As without",
     "{{ mustWithout .list 3 }}"},
    {"prepend", "func(any, any) []any", SPRIG, fn_prepend, "The list with one more in front",
     "{{ prepend .list 0 }}"},
    {"push", "func(any, any) []any", SPRIG, fn_push, "As append", "{{ push .list 4 }}"},
    {"rest", TO_LIST, SPRIG, fn_rest, "All but the first element", "{{ rest .list }}"},
    {"reverse", TO_LIST, SPRIG, fn_reverse, "The list backwards", "{{ reverse .list }}"},
    {"slice", "func(any, ...any) any", SPRIG, fn_slice, "The elements from a to below b",
     "{{ slice .list 1 3 }}"},
    {"tuple", "func(...any) []any", SPRIG, fn_list, "As list", "{{ tuple 1 2 }}"},
    {"uniq", TO_LIST, SPRIG, fn_uniq, "The list without repetitions", "{{ uniq .list }}"},
    {"without", "func(any, ...any) []any", SPRIG, fn_without, "The list without these elements",
     "{{ without .list 3 }}"},
    {0},
};
