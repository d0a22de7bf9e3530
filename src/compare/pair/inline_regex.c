/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inline_regex.c - the function "regex": the template's text is a regular expression.
 *
 * It is searched for in the value of the object. If it matches, the matched text replaces it, so
 * that a match of the whole value is not a difference; named groups in it are replaced with what
 * they captured anywhere in the object, so that they must agree.
 */
#include "compare/pair/inline_internal.h"
#include "compare/log_buffer_internal.h"
#include "go/quote.h"
#include "regex/regex.h"

static bool validate(struct arena *a, str pattern, struct captures *c, struct err *e)
{
    struct regex *re;

    if (inline_compile(a, pattern, true, c, &re, e))
        return true;
    return err_wrap(e, "invalid regex passed to inline regex diff function");
}

/* A named group that took part. */
struct captured {
    struct span span;
    str name;
};

struct captured_list {
    struct captured *items;
    size_t len, cap;
};

/* Whether x lies within y, equal or empty at its edge included. */
static bool is_within(struct span x, struct span y)
{
    return x.from >= y.from && x.to <= y.to;
}

/* Keeps only the outermost groups, of equal ones the first. */
static void add_outermost(struct arena *a, struct captured_list *list, struct captured new_)
{
    bool inside = false;
    size_t kept = 0;

    for (size_t i = 0; i < list->len; i++) {
        inside |= is_within(new_.span, list->items[i].span);
        if (is_within(new_.span, list->items[i].span) || !is_within(list->items[i].span, new_.span))
            list->items[kept++] = list->items[i];
    }
    if (!inside || kept < list->len) {
        list->len = kept;
        VEC_PUSH(a, list, new_);
    }
}

static int by_start(const void *x, const void *y)
{
    const struct captured *p = x, *q = y;

    return p->span.from < q->span.from ? -1 : p->span.from > q->span.from;
}

/* Puts replacements in for the outermost named groups. */
static void replace_groups(struct arena *a, const struct regex *re, str value,
                           const struct span *spans, struct captures *c, struct buf *out)
{
    struct captured_list list = {0};
    size_t at = spans[0].from;

    for (size_t i = 1; i <= regex_groups(re); i++) {
        struct captured new_ = {spans[i], regex_group_name(re, i)};
        /* Upstream crashes where a group took no part; it is not captured here. */
        if (new_.name.len && new_.span.from != STR_NPOS)
            add_outermost(a, &list, new_);
        inline_pay(c, 1 + list.len);
        if (!c->left)
            return;
    }
    if (list.len)
        qsort(list.items, list.len, sizeof(*list.items), by_start);
    for (size_t i = 0; i < list.len; i++) {
        const struct captured *group = &list.items[i];
        if (group->span.from < at)
            continue;
        buf_add(out, str_slice(value, at, group->span.from));
        buf_add(out, capture_text(a, c, captures_get(c, group->name)));
        at = group->span.to;
    }
    buf_add(out, str_slice(value, at, spans[0].to));
}

static str compare(struct arena *a, str pattern, str value, struct captures *c,
                   struct log_buffer *log)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    struct regex *re;
    AUTO_ERR e = {0};

    if (!inline_compile(a, pattern, true, c, &re, &e)) {
        log_buffer_info(log, "Failed to compile regex %.*s in inline diff: %.*s",
                        STR_ARG(go_quoted(a, pattern)), STR_ARG(e.text));
        return pattern;
    }
    size_t count = regex_groups(re) + 1;
    struct span *spans = ARENA_ARRAY(a, struct span, count);
    if (!regex_find(re, value, 0, spans, count))
        return pattern;
    for (size_t i = 1; i < count; i++)
        if (regex_group_name(re, i).len && spans[i].from != STR_NPOS)
            captures_add(c, regex_group_name(re, i), str_slice(value, spans[i].from, spans[i].to));
    replace_groups(a, re, value, spans, c, &out);
    captures_warn(c, &out);
    return buf_str(&out);
}

const struct inline_function inline_regex = {"regex", validate, compare};
