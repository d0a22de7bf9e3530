/* SPDX-License-Identifier: Apache-2.0 */
/*
 * builtins.c - the functions that every Go template has, but for comparison.
 */
#include "tmpl/funcs/families.h"

#include "text/html.h"
#include "tmpl/code.h"

/* ---- Logic ---------------------------------------------------------------------------------- */

/* Never called: call.c stops at the argument that decides. */
bool fn_and(struct tmpl_call *c)
{
    return return_tv(c, tv_none());
}

bool fn_or(struct tmpl_call *c)
{
    return return_tv(c, (struct tv){.flags = TV_IFACE});
}

static bool fn_not(struct tmpl_call *c)
{
    return return_bool(c, !tv_is_true(c->rt, arg_tv(c, 0)));
}

/* What Go prints for a reflect.Value that is not a string. */
static str string_form(struct tmpl_call *c, struct tv v)
{
    if (v.type == TV_STRING)
        return tv_text(v);
    return str_fmt(c->arena, "<%s Value>", v.type == TV_INVALID ? "invalid" : tv_type_name(v));
}

/* No value of ours is a function, so this always fails. */
static bool fn_call(struct tmpl_call *c)
{
    struct tv f = tv_concrete(arg_tv(c, 0));
    struct buf b = buf_new(c->arena, BUF_UNLIMITED);

    if (f.type == TV_INVALID)
        return call_fail(c, "call of nil");
    if (c->site->count)
        node_print(&b, c->site->args[0]);
    else
        buf_add(&b, string_form(c, f));
    buf_fmt(&b, " of type %s", tv_type_name(f));
    return call_fail_str(c, str_concat(c->arena, STR("non-function "), buf_str(&b)));
}

/* ---- Lists and maps ------------------------------------------------------------------------- */

/* Behind a pointer: only versions are pointers. */
static struct tv dereference(struct tv v)
{
    v = tv_concrete(v);
    if (tv_kind(v) == TV_KIND_PTR)
        v.type = (uint8_t)tv_info(v.type)->elem;
    return v;
}

static bool fn_len(struct tmpl_call *c)
{
    struct tv v = arg_tv(c, 0);

    if (v.type == TV_INVALID)
        return call_fail(c, v.flags & TV_IFACE
                                ? "len of nil pointer"
                                : "reflect: call of reflect.Value.Type on zero Value");
    v = dereference(v);
    if (tv_kind(v) != TV_KIND_STRING && tv_kind(v) != TV_KIND_SLICE && tv_kind(v) != TV_KIND_MAP)
        return call_fail(c, "len of type %s", tv_type_name(v));
    return return_int(c, (int64_t)tv_len(c->rt, v));
}

/* An index into something with max elements. */
static bool index_arg(struct tmpl_call *c, struct tv index, size_t max, size_t *out)
{
    if (index.type == TV_INVALID && !(index.flags & TV_IFACE))
        return call_fail(c, "cannot index slice/array with nil");
    if ((index.flags & TV_IFACE) ||
        (tv_kind(index) != TV_KIND_INT && tv_kind(index) != TV_KIND_UINT))
        return call_fail(c, "cannot index slice/array with type %s",
                         index.flags & TV_IFACE ? "interface {}" : tv_type_name(index));
    if (index.i < 0 || index.u > max)
        return call_fail(c, "index out of range: %lld", (long long)index.i);
    *out = (size_t)index.u;
    return true;
}

static bool index_list(struct tmpl_call *c, struct tv index, struct tv *item)
{
    size_t n = tv_len(c->rt, *item), i;
    bool text = item->type == TV_STRING;

    if (!index_arg(c, tv_concrete(index), n, &i))
        return false;
    if (i == n)
        return call_fail(c, "reflect: %s index out of range", text ? "string" : "slice");
    *item = text ? (struct tv){.type = TV_UINT8, .u = (unsigned char)item->text[i]}
                 : tv_at(c->rt, *item, i);
    return true;
}

static bool index_map(struct tmpl_call *c, struct tv index, struct tv *item)
{
    struct tv map = *item;

    if (index.type == TV_INVALID)
        return call_fail(c, "value is nil; should be of type string");
    if (index.type != TV_STRING)
        return call_fail(c, "value has type %s; should be string", tv_type_name(index));
    if (!tv_get(c->rt, map, tv_text(index), item))
        *item = map.type == TV_STRMAP ? tv_str(STR_NONE) : (struct tv){.flags = TV_IFACE};
    return true;
}

/* An element of what the function list made: how templates take the list they are called with. */
static bool index_made_list(struct tmpl_call *c)
{
    struct tv list = arg_tv(c, 0), index = arg_tv(c, 1), item;

    if (c->count != 2 || list.type != TV_LIST || list.flags & TV_DATA || index.type != TV_INT ||
        !list.list || index.u >= list.list->len)
        return false;
    item = list.list->items[index.u];
    item.flags |= TV_IFACE;
    return return_tv(c, item);
}

static bool fn_index(struct tmpl_call *c)
{
    struct tv item = tv_concrete(arg_tv(c, 0));

    if (c->count > 1 && index_made_list(c))
        return true;
    if (item.type == TV_INVALID)
        return call_fail(c, "index of untyped nil");
    for (size_t i = 1; i < c->count; i++) {
        struct tv index = tv_concrete(c->args[i]);
        if (item.type == TV_INVALID)
            return call_fail(c, "index of nil pointer");
        item = dereference(item);
        if (item.type == TV_STRING || tv_kind(item) == TV_KIND_SLICE) {
            if (!index_list(c, index, &item))
                return false;
        } else if (tv_kind(item) != TV_KIND_MAP) {
            return call_fail(c, "can't index item of type %s", tv_type_name(item));
        } else if (!index_map(c, index, &item)) {
            return false;
        }
    }
    return return_tv(c, item);
}

static bool slice_indexes(struct tmpl_call *c, size_t max, size_t at[3])
{
    for (size_t i = 1; i < c->count; i++)
        if (!index_arg(c, c->args[i], max, &at[i - 1]))
            return false;
    for (size_t i = 0; i < (c->count == 4 ? 2 : 1); i++)
        if (at[i] > at[i + 1])
            return call_fail(c, "invalid slice index: %zu > %zu", at[i], at[i + 1]);
    return true;
}

static bool fn_slice(struct tmpl_call *c)
{
    struct tv item = tv_concrete(arg_tv(c, 0));
    size_t at[3] = {0, tv_len(c->rt, item), 0};

    if (item.type == TV_INVALID)
        return call_fail(c, "slice of untyped nil");
    if (c->count > 4)
        return call_fail(c, "too many slice indexes: %zu", c->count - 1);
    if (item.type != TV_STRING && tv_kind(item) != TV_KIND_SLICE)
        return call_fail(c, "can't slice item of type %s", tv_type_name(item));
    if (item.type == TV_STRING && c->count == 4)
        return call_fail(c, "cannot 3-index slice a string");
    if (!slice_indexes(c, tv_capacity(c->rt, item), at))
        return false;
    if (item.type == TV_STRING)
        return return_str(c, str_slice(tv_text(item), at[0], at[1]));
    return return_tv(c, tv_slice_far(c->rt, item, at[0], at[1]));
}

/* ---- Text ----------------------------------------------------------------------------------- */

static bool fn_print(struct tmpl_call *c)
{
    struct buf b = call_buf(c);

    tv_sprint(c->rt, &b, c->args, c->count);
    return return_call_buf(c, &b);
}

static bool fn_println(struct tmpl_call *c)
{
    struct buf b = call_buf(c);

    tv_sprintln(c->rt, &b, c->args, c->count);
    return return_call_buf(c, &b);
}

static bool fn_printf(struct tmpl_call *c)
{
    struct buf b = call_buf(c);

    tv_printf(c->rt, &b, arg_str(c, 0), c->args + 1, c->count - 1);
    return return_call_buf(c, &b);
}

/* The text that the escaping functions escape: as print, but nil is "<no value>". */
static str printed_args(struct tmpl_call *c)
{
    struct tv *args;
    struct buf b;

    if (c->count == 1 && c->args[0].type == TV_STRING)
        return arg_str(c, 0);
    args = ARENA_ARRAY(c->arena, struct tv, c->count);
    b = call_buf(c);
    for (size_t i = 0; i < c->count; i++)
        args[i] = c->args[i].type == TV_INVALID ? tv_str(STR("<no value>")) : c->args[i];
    tv_sprint(c->rt, &b, args, c->count);
    return buf_str(&b);
}

/* The printed arguments made safe by an escape of text/html.h, which can print each byte anew. */
static bool return_escaped(struct tmpl_call *c, void (*escape)(struct buf *out, str text))
{
    str s = printed_args(c);
    struct buf b = call_buf(c);

    if (!call_steps(c, 2 * (uint64_t)s.len))
        return false;
    escape(&b, s);
    return return_call_buf(c, &b);
}

static bool fn_html(struct tmpl_call *c)
{
    return return_escaped(c, html_escape);
}

static bool fn_js(struct tmpl_call *c)
{
    return return_escaped(c, js_escape);
}

static bool fn_urlquery(struct tmpl_call *c)
{
    return return_escaped(c, url_query_escape);
}

const struct tmpl_func tmpl_builtin_funcs[] = {
    {"and", "func(reflect.Value, ...reflect.Value) reflect.Value", ALL_PROFILES, fn_and,
     "The first argument that is false, else the last", "{{ and true .x }}"},
    {"call", "func(reflect.Value, ...reflect.Value) (reflect.Value, error)", ALL_PROFILES, fn_call,
     "Call a value that is a function", "{{ call .f 1 }}"},
    {"html", "func(...any) string", ALL_PROFILES, fn_html, "Escape for HTML", "{{ html \"<\" }}"},
    {"index", "func(reflect.Value, ...reflect.Value) (reflect.Value, error)", ALL_PROFILES,
     fn_index, "An element of a list, map or text, by one or more indexes",
     "{{ index .list 0 \"key\" }}"},
    {"js", "func(...any) string", ALL_PROFILES, fn_js, "Escape for JavaScript", "{{ js \"'\" }}"},
    {"len", "func(reflect.Value) (int, error)", ALL_PROFILES, fn_len,
     "The length of a text, list or map", "{{ len .list }}"},
    {"not", "func(reflect.Value) bool", ALL_PROFILES, fn_not, "Whether the argument is false",
     "{{ not .x }}"},
    {"or", "func(reflect.Value, ...reflect.Value) reflect.Value", ALL_PROFILES, fn_or,
     "The first argument that is true, else the last", "{{ or .x \"none\" }}"},
    {"print", "func(...any) string", ALL_PROFILES, fn_print, "The arguments as text",
     "{{ print \"a\" 1 }}"},
    {"printf", "func(string, ...any) string", ALL_PROFILES, fn_printf,
     "The arguments as a format says", "{{ printf \"%05d\" 42 }}"},
    {"println", "func(...any) string", ALL_PROFILES, fn_println,
     "The arguments as text, with blanks between and a newline", "{{ println \"a\" 1 }}"},
    {"slice", "func(reflect.Value, ...reflect.Value) (reflect.Value, error)", TMPL_GO, fn_slice,
     "A part of a text or list", "{{ slice \"abc\" 1 2 }}"},
    {"urlquery", "func(...any) string", ALL_PROFILES, fn_urlquery, "Escape for the query of a URL",
     "{{ urlquery \"a b\" }}"},
    {0},
};
