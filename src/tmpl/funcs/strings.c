/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strings.c - string functions of templates.
 *
 * Lengths and positions are in bytes, as in Go. Functions about words and letter case are in
 * words.c.
 */
#include "tmpl/funcs/common.h"
#include "tmpl/funcs/families.h"

#include "base/unicode.h"

/* ---- Questions ------------------------------------------------------------------------------ */

static bool fn_contains(struct tmpl_call *c)
{
    return return_bool(c, str_contains(arg_str(c, 1), arg_str(c, 0)));
}

static bool fn_has_prefix(struct tmpl_call *c)
{
    return return_bool(c, str_has_prefix(arg_str(c, 1), arg_str(c, 0)));
}

static bool fn_has_suffix(struct tmpl_call *c)
{
    return return_bool(c, str_has_suffix(arg_str(c, 1), arg_str(c, 0)));
}

/* ---- Cutting -------------------------------------------------------------------------------- */

static bool is_cut(uint32_t r, str set)
{
    while (set.len) {
        size_t width;
        if (utf8_decode(set, &width) == r)
            return true;
        set = str_from(set, width);
    }
    return false;
}

/* Whether white space, or code points of set, begin or end a text; searching the set is charged. */
struct cutting {
    struct rt *rt;
    str set;
    bool space;
};

static bool cuts(const struct cutting *x, uint32_t r)
{
    if (x->space)
        return unicode_is_space(r);
    return rt_charge_bytes(x->rt, x->set.len) && is_cut(r, x->set);
}

static str trim(str s, const struct cutting *x)
{
    size_t width;

    while (s.len && cuts(x, utf8_decode(s, &width)))
        s = str_from(s, width);
    while (s.len && cuts(x, utf8_decode_last(s, &width)))
        s.len -= width;
    return s;
}

static bool fn_trim(struct tmpl_call *c)
{
    return return_str(c, trim(arg_str(c, 0), &(struct cutting){.space = true}));
}

static bool fn_trim_all(struct tmpl_call *c)
{
    const struct cutting x = {.rt = c->rt, .set = arg_str(c, 0)};

    return return_str(c, trim(arg_str(c, 1), &x));
}

static bool fn_trim_prefix(struct tmpl_call *c)
{
    return return_str(c, str_without_prefix(arg_str(c, 1), arg_str(c, 0)));
}

static bool fn_trim_suffix(struct tmpl_call *c)
{
    return return_str(c, str_without_suffix(arg_str(c, 1), arg_str(c, 0)));
}

static bool fn_trunc(struct tmpl_call *c)
{
    int64_t n = arg_int(c, 0);
    str s = arg_str(c, 1);

    if (n < 0 && (int64_t)s.len + n > 0)
        return return_str(c, str_from(s, (size_t)((int64_t)s.len + n)));
    if (n >= 0 && (int64_t)s.len > n)
        return return_str(c, str_slice(s, 0, (size_t)n));
    return return_str(c, s);
}

/* Go's panic for s[from:to]. */
static bool out_of_bounds(struct tmpl_call *c, int64_t from, int64_t to, size_t len)
{
    const char *text = "runtime error: slice bounds out of range";

    if (to < 0)
        return call_fail(c, "%s [:%lld]", text, (long long)to);
    if (to > (int64_t)len)
        return call_fail(c, "%s [:%lld] with length %zu", text, (long long)to, len);
    if (from < 0)
        return call_fail(c, "%s [%lld:]", text, (long long)from);
    return call_fail(c, "%s [%lld:%lld]", text, (long long)from, (long long)to);
}

static bool fn_substr(struct tmpl_call *c)
{
    int64_t from = arg_int(c, 0), to = arg_int(c, 1);
    str s = arg_str(c, 2);

    if (from < 0)
        from = 0;
    else if (to < 0 || to > (int64_t)s.len)
        to = (int64_t)s.len;
    if (to < 0 || to > (int64_t)s.len || from > to)
        return out_of_bounds(c, from, to, s.len);
    return return_str(c, str_slice(s, (size_t)from, (size_t)to));
}

/* goutils.AbbreviateFull: offset bytes may go at the front, the result has at most width. */
static str abbreviate(struct arena *a, str s, int64_t offset, int64_t width)
{
    int64_t len = (int64_t)s.len;
    str rest;

    if (width < 4)
        return STR_NONE;
    if (len <= width)
        return s;
    if (offset > len)
        offset = len;
    if (len - offset < width - 3)
        offset = len - (width - 3);
    if (offset <= 4)
        return str_concat(a, str_slice(s, 0, (size_t)(width - 3)), STR("..."));
    if (width < 7)
        return STR_NONE;
    if (offset + width - 3 < len)
        rest = abbreviate(a, str_from(s, (size_t)offset), 0, width - 3);
    else
        rest = str_from(s, (size_t)(len - (width - 3)));
    return str_concat(a, STR("..."), rest);
}

static bool fn_abbrev(struct tmpl_call *c)
{
    int64_t width = arg_int(c, 0);

    if (width < 4)
        return return_str(c, arg_str(c, 1));
    return return_str(c, abbreviate(c->arena, arg_str(c, 1), 0, width));
}

static bool fn_abbrevboth(struct tmpl_call *c)
{
    int64_t left = arg_int(c, 0), right = arg_int(c, 1);

    if (right < 4 || (left > 0 && right < 7))
        return return_str(c, arg_str(c, 2));
    return return_str(c, abbreviate(c->arena, arg_str(c, 2), left, right));
}

/* ---- Joining and replacing ------------------------------------------------------------------ */

static bool fn_repeat(struct tmpl_call *c)
{
    int64_t n = arg_int(c, 0);
    str s = arg_str(c, 1);
    size_t size;
    char *text;

    if (n < 0)
        return call_fail(c, "strings: negative Repeat count");
    if (__builtin_mul_overflow(s.len, (size_t)n, &size))
        size = SIZE_MAX;
    if (!call_room(c, size))
        return false;
    text = arena_alloc_text(c->arena, size);
    for (size_t i = 0; s.len && i < size; i += s.len)
        memcpy(text + i, s.ptr, s.len);
    return return_str(c, str_of(text, size));
}

static void replace_all(struct buf *b, str s, str old, str with)
{
    for (;;) {
        size_t at = str_find(s, old);
        if (at == STR_NPOS)
            break;
        buf_add(b, str_slice(s, 0, at));
        buf_add(b, with);
        s = str_from(s, at + old.len);
    }
    buf_add(b, s);
}

/* Go's Replace of the empty text: before each code point and at the end. */
static void replace_empty(struct buf *b, str s, str with)
{
    buf_add(b, with);
    while (s.len) {
        size_t width;
        utf8_decode(s, &width);
        buf_add(b, str_slice(s, 0, width));
        buf_add(b, with);
        s = str_from(s, width);
    }
}

static bool fn_replace(struct tmpl_call *c)
{
    struct buf b = call_buf(c);

    if (arg_str(c, 0).len)
        replace_all(&b, arg_str(c, 2), arg_str(c, 0), arg_str(c, 1));
    else
        replace_empty(&b, arg_str(c, 2), arg_str(c, 1));
    return return_call_buf(c, &b);
}

static bool indent(struct tmpl_call *c, str first)
{
    int64_t n = arg_int(c, 0);
    str s = arg_str(c, 1);
    struct buf b = call_buf(c), pad = call_buf(c);

    if (n < 0)
        return call_fail(c, "strings: negative Repeat count");
    if (!call_room(c, (size_t)n))
        return false;
    buf_add(&b, first);
    buf_repeat(&b, ' ', (size_t)n);
    buf_char(&pad, '\n');
    buf_repeat(&pad, ' ', (size_t)n);
    replace_all(&b, s, STR("\n"), buf_str(&pad));
    return return_call_buf(c, &b);
}

static bool fn_indent(struct tmpl_call *c)
{
    return indent(c, STR_NONE);
}

static bool fn_nindent(struct tmpl_call *c)
{
    return indent(c, STR("\n"));
}

static bool fn_cat(struct tmpl_call *c)
{
    struct buf b = call_buf(c);
    bool first = true;

    for (size_t i = 0; i < c->count; i++) {
        if (c->args[i].type == TV_INVALID)
            continue;
        if (!first)
            buf_char(&b, ' ');
        first = false;
        tv_print(c->rt, &b, c->args[i]);
    }
    return return_call_buf(c, &b);
}

static bool fn_join(struct tmpl_call *c)
{
    struct tv list = as_strings(c, arg_tv(c, 1));
    struct buf b = call_buf(c);

    for (size_t i = 0; i < tv_len(c->rt, list); i++) {
        if (i)
            buf_add(&b, arg_str(c, 0));
        buf_add(&b, tv_text(list.list->items[i]));
    }
    return return_call_buf(c, &b);
}

/* ---- Quoting -------------------------------------------------------------------------------- */

static bool fn_quote(struct tmpl_call *c)
{
    struct buf b = call_buf(c);

    for (size_t i = 0; i < c->count; i++) {
        if (c->args[i].type == TV_INVALID)
            continue;
        if (b.len)
            buf_char(&b, ' ');
        go_quote(&b, as_text(c->rt, c->args[i]));
    }
    return return_call_buf(c, &b);
}

static bool fn_squote(struct tmpl_call *c)
{
    struct buf b = call_buf(c);

    for (size_t i = 0; i < c->count; i++) {
        if (c->args[i].type == TV_INVALID)
            continue;
        buf_add(&b, b.len ? STR(" '") : STR("'"));
        tv_print(c->rt, &b, c->args[i]);
        buf_char(&b, '\'');
    }
    return return_call_buf(c, &b);
}

/* ---- Splitting ------------------------------------------------------------------------------ */

/* Where the next piece ends: at sep, or behind one code point when sep is empty. */
static bool next_piece(str s, str sep, size_t *end)
{
    if (!sep.len) {
        utf8_decode(s, end);
        return *end < s.len;
    }
    *end = sep.len == 1 ? str_find_char(s, sep.ptr[0]) : str_find(s, sep);
    return *end != STR_NPOS;
}

/* Go's SplitN; n < 0: all. *nil tells that there is nothing at all. */
static bool split(struct tmpl_call *c, str s, str sep, int64_t n, struct tv *out)
{
    VEC(struct tv) parts = {0};
    struct tv_list *list;

    *out = tv_object(TV_STRINGS, NULL);
    if (n == 0)
        return true;
    if (!call_room(c, s.len / (sep.len ? sep.len : 1) * 3 * sizeof(str)))
        return false;
    while (s.len || sep.len) {
        size_t end;
        if ((n > 0 && (int64_t)parts.len + 1 >= n) || (!s.len && !sep.len) ||
            !next_piece(s, sep, &end))
            break;
        VEC_PUSH(c->arena, &parts, tv_str(str_slice(s, 0, end)));
        s = str_from(s, end + sep.len);
    }
    if (s.len || sep.len)
        VEC_PUSH(c->arena, &parts, tv_str(s));
    list = ARENA_NEW(c->arena, struct tv_list);
    *list = (struct tv_list){.len = parts.len, .items = parts.items};
    *out = tv_object(TV_STRINGS, list);
    return true;
}

static bool fn_split_list(struct tmpl_call *c)
{
    struct tv list;

    return split(c, arg_str(c, 1), arg_str(c, 0), -1, &list) && return_tv(c, list);
}

/* The pieces as a map from _0, _1, ... */
static bool split_map(struct tmpl_call *c, str s, str sep, int64_t n)
{
    struct tv map = tv_map_new(c->rt, TV_STRMAP), list;

    if (!split(c, s, sep, n, &list))
        return false;
    if (!call_room(c, tv_len(c->rt, list) * 128))
        return false;
    for (size_t i = 0; i < tv_len(c->rt, list); i++)
        tv_set(c->rt, map, str_fmt(c->arena, "_%zu", i), list.list->items[i]);
    return return_tv(c, map);
}

static bool fn_split(struct tmpl_call *c)
{
    return split_map(c, arg_str(c, 1), arg_str(c, 0), -1);
}

static bool fn_splitn(struct tmpl_call *c)
{
    return split_map(c, arg_str(c, 2), arg_str(c, 0), arg_int(c, 1));
}

/* ---- Conversion ----------------------------------------------------------------------------- */

static bool fn_to_string(struct tmpl_call *c)
{
    return return_str(c, as_text(c->rt, arg_tv(c, 0)));
}

static bool fn_to_strings(struct tmpl_call *c)
{
    return return_tv(c, as_strings(c, arg_tv(c, 0)));
}

static int by_text(const void *x, const void *y)
{
    return str_cmp(tv_text(*(const struct tv *)x), tv_text(*(const struct tv *)y));
}

/* Upstream: a []string is sorted in place, so that all who hold it see that. */
static bool fn_sort_alpha(struct tmpl_call *c)
{
    struct tv v = arg_tv(c, 0), list;
    uint64_t bytes = 0;
    str one;

    if (tv_kind(v) != TV_KIND_SLICE) {
        one = as_text(c->rt, v);
        return return_tv(c, strings_of(c, &one, 1));
    }
    list = as_strings(c, v);
    for (size_t i = 0; i < tv_len(c->rt, list); i++)
        bytes += list.list->items[i].len;
    rt_charge_sort(c->rt, tv_len(c->rt, list), bytes, false);
    if (tv_len(c->rt, list) && c->rt->steps)
        qsort(list.list->items, list.list->len, sizeof(struct tv), by_text);
    return return_tv(c, list);
}

static bool fn_atoi(struct tmpl_call *c)
{
    int64_t i = 0;

    return return_int(c, go_parse_int(arg_str(c, 0), 10, &i) || i ? i : 0);
}

static bool fn_plural(struct tmpl_call *c)
{
    return return_str(c, arg_int(c, 2) == 1 ? arg_str(c, 0) : arg_str(c, 1));
}

static bool fn_hello(struct tmpl_call *c)
{
    return return_str(c, STR("Hello!"));
}

static bool fn_shuffle(struct tmpl_call *c)
{
    str s = arg_str(c, 0);
    size_t n = utf8_count(s);
    uint32_t *runes;
    struct buf b = call_buf(c);

    if (!call_room(c, n * sizeof(*runes)) || !call_steps(c, n * RANDOM_STEPS))
        return false;
    runes = ARENA_ARRAY(c->arena, uint32_t, n);
    for (size_t i = 0, width; i < n; i++, s = str_from(s, width))
        runes[i] = utf8_decode(s, &width);
    for (size_t i = n; i > 1; i--) {
        size_t other = (size_t)random_below(i);
        uint32_t kept = runes[i - 1];
        runes[i - 1] = runes[other];
        runes[other] = kept;
    }
    for (size_t i = 0; i < n; i++)
        buf_rune(&b, runes[i]);
    return return_call_buf(c, &b);
}

const struct tmpl_func tmpl_string_funcs[] = {
    {"abbrev", "func(int, string) string", SPRIG, fn_abbrev, "Cut to a width, ending in dots",
     "{{ abbrev 5 \"hello world\" }}"},
    {"abbrevboth", "func(int, int, string) string", SPRIG, fn_abbrevboth,
     "Cut at both sides, with dots", "{{ abbrevboth 5 10 \"1234 5678 9123\" }}"},
    {"atoi", "func(string) int", SPRIG, fn_atoi, "A decimal text as an integer",
     "{{ atoi \"12\" }}"},
    {"cat", "func(...any) string", SPRIG, fn_cat, "The arguments with blanks between",
     "{{ cat \"a\" 1 }}"},
    {"contains", "func(string, string) bool", SPRIG, fn_contains,
     "Whether the first text stands in the second", "{{ contains \"b\" \"abc\" }}"},
    {"hasPrefix", "func(string, string) bool", SPRIG, fn_has_prefix,
     "Whether the second text begins with the first", "{{ hasPrefix \"a\" \"abc\" }}"},
    {"hasSuffix", "func(string, string) bool", SPRIG, fn_has_suffix,
     "Whether the second text ends with the first", "{{ hasSuffix \"c\" \"abc\" }}"},
    {"hello", "func() string", SPRIG, fn_hello, "A greeting", "{{ hello }}"},
    {"indent", "func(int, string) string", SPRIG, fn_indent, "Indent every line by blanks",
     "{{ indent 2 .text }}"},
    {"join", "func(string, any) string", SPRIG, fn_join, "The elements with a text between",
     "{{ join \",\" .list }}"},
    {"nindent", "func(int, string) string", SPRIG, fn_nindent,
     "A newline, then every line indented by blanks", "{{ nindent 2 .text }}"},
    {"plural", "func(string, string, int) string", SPRIG, fn_plural,
     "The first text for one, else the second", "{{ plural \"one\" \"many\" 2 }}"},
    {"quote", "func(...any) string", SPRIG, fn_quote, "The arguments in double quotes",
     "{{ quote .name }}"},
    {"repeat", "func(int, string) string", SPRIG, fn_repeat, "A text many times",
     "{{ repeat 3 \"ab\" }}"},
    {"replace", "func(string, string, string) string", SPRIG, fn_replace,
     "Replace a text by another, everywhere", "{{ replace \" \" \"-\" \"a b\" }}"},
    {"shuffle", "func(string) string", SPRIG, fn_shuffle, "The characters in random order",
     "{{ shuffle \"abc\" }}"},
    {"sortAlpha", "func(any) []string", SPRIG, fn_sort_alpha, "The elements as sorted texts",
     "{{ sortAlpha .list }}"},
    {"split", "func(string, string) map[string]string", SPRIG, fn_split,
     "The pieces between a separator as _0, _1, ...", "{{ (split \"/\" \"a/b\")._0 }}"},
    {"splitList", "func(string, string) []string", SPRIG, fn_split_list,
     "The pieces between a separator", "{{ splitList \",\" \"a,b\" }}"},
    {"splitn", "func(string, int, string) map[string]string", SPRIG, fn_splitn,
     "At most n pieces as _0, _1, ...", "{{ (splitn \"/\" 2 \"a/b/c\")._1 }}"},
    {"squote", "func(...any) string", SPRIG, fn_squote, "The arguments in single quotes",
     "{{ squote .name }}"},
    {"substr", "func(int, int, string) string", SPRIG, fn_substr, "The bytes from a to b",
     "{{ substr 0 3 \"hello\" }}"},
    {"toString", "func(any) string", SPRIG, fn_to_string, "Anything as text", "{{ toString 1 }}"},
    {"toStrings", "func(any) []string", SPRIG, fn_to_strings, "The elements as texts",
     "{{ toStrings .list }}"},
    {"trim", "func(string) string", SPRIG, fn_trim, "Without white space at both ends",
     "{{ trim \" a \" }}"},
    {"trimAll", "func(string, string) string", SPRIG, fn_trim_all,
     "Without these characters at both ends", "{{ trimAll \"$\" \"$5\" }}"},
    {"trimPrefix", "func(string, string) string", SPRIG, fn_trim_prefix, "Without a prefix",
     "{{ trimPrefix \"v\" \"v1\" }}"},
    {"trimSuffix", "func(string, string) string", SPRIG, fn_trim_suffix, "Without a suffix",
     "{{ trimSuffix \"-\" \"a-\" }}"},
    {"trimall", "func(string, string) string", SPRIG, fn_trim_all, "As trimAll",
     "{{ trimall \"$\" \"$5\" }}"},
    {"trunc", "func(int, string) string", SPRIG, fn_trunc,
     "The first n bytes, or with a negative n the last", "{{ trunc 3 \"hello\" }}"},
    {0},
};
