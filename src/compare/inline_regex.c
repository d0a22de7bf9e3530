/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inline_regex.c - the function "regex": the template's text is a regular expression.
 *
 * It is searched in the value of the object. Where it matches, the matched text stands in its
 * place, so that a match of the whole value is no difference; named groups in it are replaced by
 * what they captured anywhere in the object, so that they must agree.
 */
#include "base/quote.h"
#include "compare/internal.h"
#include "regex/regex.h"

static bool validate(struct arena *a, str pattern, struct err *e)
{
    struct regex *re;

    if (regex_compile(a, pattern, &re, e))
        return true;
    return err_wrap(e, "invalid regex passed to inline regex diff function");
}

/* Puts replacements in for the outermost named groups. */
static void replace_groups(struct arena *a, const struct regex *re, str value,
                           const struct span *spans, const struct captures *c, struct buf *out)
{
    size_t at = spans[0].from;
    bool any = false;

    for (size_t i = 1; i <= regex_groups(re); i++) {
        str name = regex_group_name(re, i);
        /* Upstream crashes where a group took no part; it is not captured here. */
        if (!name.len || spans[i].from == STR_NPOS || spans[i].from < at)
            continue;
        if (any && spans[i].from == at && spans[i].to == at)
            continue;
        buf_add(out, str_slice(value, at, spans[i].from));
        buf_add(out, capture_text(a, captures_get(c, name)));
        at = spans[i].to;
        any = true;
    }
    buf_add(out, str_slice(value, at, spans[0].to));
}

static str compare(struct arena *a, str pattern, str value, struct captures *c, struct journal *j)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    struct regex *re;
    AUTO_ERR e = {0};

    if (!regex_compile(a, pattern, &re, &e)) {
        journal_info(j, "Failed to compile regex %.*s in inline diff: %.*s",
                     STR_ARG(quote_of(a, pattern)), STR_ARG(e.text));
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
