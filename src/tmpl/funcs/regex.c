/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex.c - regular expressions.
 *
 * The forms without must panic in Go when a pattern is wrong, with the pattern in the message;
 * regexMatch alone answers false.
 */
#include "tmpl/funcs/common.h"
#include "tmpl/funcs/families.h"

#include "regex/regex.h"

/* A pattern at work, and what it may cost. */
struct matching {
    struct regex *re;
    uint64_t given, left;
};

/* What searching costs is counted in units of which so many are a step. */
#define UNITS_PER_STEP 8

/* Whether there are steps left for the pattern of the first argument. */
static bool prepare(struct tmpl_call *c, struct matching *m)
{
    if (!call_steps(c, 10 + (uint64_t)arg_str(c, 0).len * 20))
        return false;
    m->given = m->left = c->rt->steps * UNITS_PER_STEP;
    return true;
}

static bool compile_limited(struct tmpl_call *c, struct matching *m, struct err *e)
{
    if (!regex_compile_shared(c->arena, arg_str(c, 0), &m->re, e))
        return false;
    regex_limit(m->re, &m->left);
    return true;
}

/* The pattern of the first argument. soft: as the forms without must complain. */
static bool compile(struct tmpl_call *c, bool soft, struct matching *m)
{
    AUTO_ERR e = {0};
    struct buf b;

    if (!prepare(c, m))
        return false;
    if (compile_limited(c, m, &e))
        return true;
    if (!soft)
        return call_fail_str(c, str_copy(c->arena, e.text));
    b = buf_new(c->arena, BUF_UNLIMITED);
    buf_add(&b, STR("regexp: Compile("));
    if (go_can_backquote(arg_str(c, 0)))
        buf_fmt(&b, "`%.*s`", STR_ARG(arg_str(c, 0)));
    else
        go_quote(&b, arg_str(c, 0));
    buf_add(&b, STR("): "));
    buf_add(&b, e.text);
    return call_fail_str(c, buf_str(&b));
}

/* Pays for what was searched; fails when that was too much. */
static bool settle(struct tmpl_call *c, const struct matching *m)
{
    return call_steps(c, m->left ? (m->given - m->left) / UNITS_PER_STEP : UINT64_MAX);
}

static bool fn_match(struct tmpl_call *c)
{
    AUTO_ERR e = {0};
    struct matching m = {0};

    if (!prepare(c, &m))
        return false;
    if (!compile_limited(c, &m, &e))
        return return_bool(c, false);
    bool found = regex_match(m.re, arg_str(c, 1));
    return settle(c, &m) && return_bool(c, found);
}

static bool fn_must_match(struct tmpl_call *c)
{
    struct matching m = {0};

    if (!compile(c, false, &m))
        return false;
    bool found = regex_match(m.re, arg_str(c, 1));
    return settle(c, &m) && return_bool(c, found);
}

static bool find(struct tmpl_call *c, bool soft)
{
    str text = arg_str(c, 1);
    struct matching m = {0};
    struct span span;

    if (!compile(c, soft, &m))
        return false;
    bool found = regex_find(m.re, text, 0, &span, 1);
    return settle(c, &m) && return_str(c, found ? str_slice(text, span.from, span.to) : STR_NONE);
}

static bool fn_find(struct tmpl_call *c)
{
    return find(c, true);
}

static bool fn_must_find(struct tmpl_call *c)
{
    return find(c, false);
}

static bool find_all(struct tmpl_call *c, bool soft)
{
    str text = arg_str(c, 1);
    struct matching m = {0};
    struct spans all;
    struct tv list;

    if (!compile(c, soft, &m))
        return false;
    if (!call_room(c, text.len * 2 * sizeof(struct span)))
        return false;
    all = regex_find_all(c->arena, m.re, text, arg_int(c, 2), 1);
    if (!settle(c, &m))
        return false;
    if (!all.count)
        return return_tv(c, tv_object(TV_STRINGS, NULL));
    list = tv_list_new(c->rt, TV_STRINGS, all.count);
    for (size_t i = 0; i < all.count; i++) {
        const struct span *s = &all.items[i * all.stride];
        list.list->items[i] = tv_str(str_slice(text, s->from, s->to));
    }
    return return_tv(c, list);
}

static bool fn_find_all(struct tmpl_call *c)
{
    return find_all(c, true);
}

static bool fn_must_find_all(struct tmpl_call *c)
{
    return find_all(c, false);
}

static bool replace(struct tmpl_call *c, bool soft, bool literal)
{
    struct buf b = call_buf(c);
    struct matching m = {0};

    if (!compile(c, soft, &m))
        return false;
    if (literal)
        regex_replace_literal(m.re, arg_str(c, 1), arg_str(c, 2), &b);
    else
        regex_replace(m.re, arg_str(c, 1), arg_str(c, 2), &b);
    return settle(c, &m) && return_call_buf(c, &b);
}

static bool fn_replace(struct tmpl_call *c)
{
    return replace(c, true, false);
}

static bool fn_must_replace(struct tmpl_call *c)
{
    return replace(c, false, false);
}

static bool fn_replace_literal(struct tmpl_call *c)
{
    return replace(c, true, true);
}

static bool fn_must_replace_literal(struct tmpl_call *c)
{
    return replace(c, false, true);
}

static bool split(struct tmpl_call *c, bool soft)
{
    struct matching m = {0};
    size_t count;
    str *parts;

    if (!compile(c, soft, &m))
        return false;
    if (!call_room(c, arg_str(c, 1).len * 3 * sizeof(str)))
        return false;
    if (arg_int(c, 2) == 0)
        return return_tv(c, tv_object(TV_STRINGS, NULL));
    parts = regex_split(c->arena, m.re, arg_str(c, 1), arg_int(c, 2), &count);
    return settle(c, &m) && return_tv(c, strings_of(c, parts, count));
}

static bool fn_split(struct tmpl_call *c)
{
    return split(c, true);
}

static bool fn_must_split(struct tmpl_call *c)
{
    return split(c, false);
}

static bool fn_quote_meta(struct tmpl_call *c)
{
    return return_str(c, regex_quote(c->arena, arg_str(c, 0)));
}

const struct tmpl_func tmpl_regex_funcs[] = {
    {"mustRegexFind", "func(string, string) (string, error)", SPRIG, fn_must_find, "As regexFind",
     "{{ mustRegexFind \"[a-z]+\" \"1ab\" }}"},
    {"mustRegexFindAll", "func(string, string, int) ([]string, error)", SPRIG, fn_must_find_all,
     "As regexFindAll", "{{ mustRegexFindAll \"[0-9]\" \"1a2\" -1 }}"},
    {"mustRegexMatch", "func(string, string) (bool, error)", SPRIG, fn_must_match,
     "As regexMatch, but a wrong pattern fails", "{{ mustRegexMatch \"^a\" \"abc\" }}"},
    {"mustRegexReplaceAll", "func(string, string, string) (string, error)", SPRIG, fn_must_replace,
     "As regexReplaceAll", "{{ mustRegexReplaceAll \"a(x*)b\" \"-axxb-\" \"${1}W\" }}"},
    {"mustRegexReplaceAllLiteral", "func(string, string, string) (string, error)", SPRIG,
     fn_must_replace_literal, "As regexReplaceAllLiteral",
     "{{ mustRegexReplaceAllLiteral \"a\" \"abc\" \"$1\" }}"},
    {"mustRegexSplit", "func(string, string, int) ([]string, error)", SPRIG, fn_must_split,
     "As regexSplit", "{{ mustRegexSplit \"z+\" \"pizza\" -1 }}"},
    {"regexFind", "func(string, string) string", SPRIG, fn_find, "The first match",
     "{{ regexFind \"[a-z]+\" \"1ab\" }}"},
    {"regexFindAll", "func(string, string, int) []string", SPRIG, fn_find_all,
     "At most n matches, all for -1", "{{ regexFindAll \"[0-9]\" \"1a2\" -1 }}"},
    {"regexMatch", "func(string, string) bool", SPRIG, fn_match, "Whether a text has a match",
     "{{ regexMatch \"^a\" \"abc\" }}"},
    {"regexQuoteMeta", "func(string) string", SPRIG, fn_quote_meta,
     "Escape what is special in a pattern", "{{ regexQuoteMeta \"1.2\" }}"},
    {"regexReplaceAll", "func(string, string, string) string", SPRIG, fn_replace,
     "Replace all matches; ${1} is the first group",
     "{{ regexReplaceAll \"a(x*)b\" \"-axxb-\" \"${1}W\" }}"},
    {"regexReplaceAllLiteral", "func(string, string, string) string", SPRIG, fn_replace_literal,
     "Replace all matches by a text as it is", "{{ regexReplaceAllLiteral \"a\" \"abc\" \"$1\" }}"},
    {"regexSplit", "func(string, string, int) []string", SPRIG, fn_split,
     "The at most n pieces between matches", "{{ regexSplit \"z+\" \"pizza\" -1 }}"},
    {0},
};
