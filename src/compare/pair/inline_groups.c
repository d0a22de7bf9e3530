/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inline_groups.c - the function "capturegroups": text with (?<name>...) groups in it.
 *
 * Everything outside groups is literal. The text and the value are compared character by character,
 * with each group as one private-use character; if a piece with groups was replaced by another
 * piece, the groups are matched against that piece alone.
 */
#include "compare/pair/inline_internal.h"
#include "compare/log_buffer_internal.h"
#include "diff/diff.h"
#include "go/quote.h"
#include "regex/regex.h"

#define FIRST_PRIVATE 0xF0000u

struct group {
    size_t from, to;
    str name;
};

struct groups {
    struct group *items;
    size_t len, cap;
};

/* ---- Finding groups. ---- */

/* The end of the name that begins at from: behind its ">". */
static size_t skip_name(str pattern, size_t from, str *name)
{
    for (size_t i = from; i < pattern.len; i++) {
        if (pattern.ptr[i] == '>') {
            *name = str_slice(pattern, from, i);
            return i + 1;
        }
        if (pattern.ptr[i] == '\\')
            i++;
    }
    return pattern.len;
}

/* Behind the parenthesis that closes the group; 0 when none does. */
static size_t skip_group(str pattern, size_t from)
{
    long brackets = 0, depth = 0;

    for (size_t i = from; i < pattern.len; i++) {
        char c = pattern.ptr[i];
        if (c == '\\')
            i++;
        else if (c == '[')
            brackets++;
        else if (c == ']')
            brackets--;
        else if (c == '(' && brackets <= 0)
            depth++;
        else if (c == ')' && brackets <= 0 && --depth < 0)
            return i + 1;
    }
    return 0;
}

bool group_next(str text, size_t from, struct span *group, str *name)
{
    size_t found = str_find(str_from(text, from), STR("(?<"));

    *name = STR_NONE;
    if (found == STR_NPOS)
        return false;
    group->from = from + found;
    group->to = skip_group(text, skip_name(text, group->from + 3, name));
    return group->to > 0;
}

static struct groups find_groups(struct arena *a, str pattern)
{
    struct groups out = {0};
    struct span span;
    size_t at = 0;
    str name;

    for (; group_next(pattern, at, &span, &name); at = span.to) {
        struct group g = {span.from, span.to, name};
        VEC_PUSH(a, &out, g);
    }
    return out;
}

/* ---- Groups as regular expressions. ---- */

static char char_at(str s, size_t i)
{
    return i < s.len ? s.ptr[i] : '\0';
}

static str to_regex(struct arena *a, str text, const struct groups *groups)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    size_t at = 0;

    for (size_t i = 0; i < groups->len; i++) {
        const struct group *g = &groups->items[i];
        buf_add(&out, regex_quote(a, str_slice(text, at, g->from)));
        if (g->from == 0)
            buf_char(&out, '^');
        else if (text.ptr[g->from - 1] == ' ')
            buf_add(&out, STR("\\b"));
        buf_add(&out, str_slice(text, g->from, g->to));
        if (g->to == text.len)
            buf_char(&out, '$');
        else if (char_at(text, g->to) == ' ')
            buf_add(&out, STR("\\b"));
        at = g->to;
    }
    buf_add(&out, regex_quote(a, str_from(text, at)));
    return buf_str(&out);
}

static bool validate(struct arena *a, str pattern, struct captures *c, struct err *e)
{
    AUTO_ERR all = {0};
    str rest = pattern, line;
    bool more = true;

    for (size_t number = 1; more; number++) {
        AUTO_ERR one = {0};
        struct regex *re;
        more = str_cut(rest, STR("\n"), &line, &rest);
        struct groups groups = find_groups(a, line);
        if (inline_compile(a, to_regex(a, line, &groups), false, c, &re, &one))
            continue;
        if (!c->left)
            return err_copy(e, &one);
        str text = str_copy(a, one.text);
        err_set(&one, ERR_INVALID, "line %zu %.*s", number, STR_ARG(text));
        err_join(&all, &one);
    }
    return all.kind == ERR_NONE || err_copy(e, &all);
}

/* ---- Capturing. ---- */

static str with_placeholders(struct arena *a, str pattern, const struct groups *groups)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    size_t at = 0;

    for (size_t i = 0; i < groups->len; i++) {
        buf_add(&out, str_slice(pattern, at, groups->items[i].from));
        buf_rune(&out, FIRST_PRIVATE + (uint32_t)i);
        at = groups->items[i].to;
    }
    buf_add(&out, str_from(pattern, at));
    return buf_str(&out);
}

static str without_placeholders(struct arena *a, str text, str pattern, const struct groups *groups)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    size_t width;

    for (size_t i = 0; i < text.len; i += width) {
        uint32_t r = utf8_decode(str_from(text, i), &width);
        if (r >= FIRST_PRIVATE && r - FIRST_PRIVATE < groups->len) {
            const struct group *g = &groups->items[r - FIRST_PRIVATE];
            buf_add(&out, str_slice(pattern, g->from, g->to));
        } else {
            buf_add(&out, str_slice(text, i, i + width));
        }
    }
    return buf_str(&out);
}

static void capture_pair(struct arena *a, str deleted, str inserted, struct captures *c,
                         struct log_buffer *log)
{
    struct groups groups = find_groups(a, deleted);
    struct regex *re;
    AUTO_ERR e = {0};

    if (!groups.len)
        return;
    log_buffer_info(log, "Comparing Pattern '%.*s' to value '%.*s'", STR_ARG(deleted),
                    STR_ARG(inserted));
    if (!inline_compile(a, to_regex(a, deleted, &groups), false, c, &re, &e)) {
        log_buffer_warn(log, "capturegroup error: template %.*s regex compilation failed: %.*s",
                        STR_ARG(go_quoted(a, deleted)), STR_ARG(e.text));
        return;
    }
    size_t count = regex_groups(re) + 1;
    struct span *spans = ARENA_ARRAY(a, struct span, count);
    if (!regex_find(re, inserted, 0, spans, count))
        return;
    for (size_t i = 1; i < count; i++) {
        bool took_part = spans[i].from != STR_NPOS;
        if (regex_group_name(re, i).len)
            captures_add(c, regex_group_name(re, i),
                         took_part ? str_slice(inserted, spans[i].from, spans[i].to) : STR_NONE);
    }
}

static void capture_all(struct arena *a, str pattern, str value, const struct groups *groups,
                        struct captures *c, struct log_buffer *log)
{
    struct diff_pieces d = diff_chars(a, with_placeholders(a, pattern, groups), value, &c->left);

    for (size_t i = 0; i + 1 < d.count && c->left; i++) {
        const struct diff_piece *x = &d.items[i], *y = &d.items[i + 1];
        bool turned = x->op == DIFF_INSERT && y->op == DIFF_DELETE;
        if (!turned && !(x->op == DIFF_DELETE && y->op == DIFF_INSERT))
            continue;
        str deleted = turned ? y->text : x->text, inserted = turned ? x->text : y->text;
        capture_pair(a, without_placeholders(a, deleted, pattern, groups),
                     without_placeholders(a, inserted, pattern, groups), c, log);
    }
}

static str compare(struct arena *a, str pattern, str value, struct captures *c,
                   struct log_buffer *log)
{
    struct groups groups = find_groups(a, pattern);
    struct buf out = buf_new(a, BUF_UNLIMITED);
    size_t at = 0;

    capture_all(a, pattern, value, &groups, c, log);
    for (size_t i = 0; i < groups.len; i++) {
        const struct group *g = &groups.items[i];
        const struct capture *known = captures_get(c, g->name);
        str text = known ? capture_text(a, c, known) : STR_NONE;
        buf_add(&out, str_slice(pattern, at, g->from));
        buf_add(&out, text.len ? text : str_slice(pattern, g->from, g->to));
        at = g->to;
    }
    buf_add(&out, str_from(pattern, at));
    captures_warn(c, &out);
    return buf_str(&out);
}

const struct inline_function inline_capturegroups = {"capturegroups", validate, compare};
