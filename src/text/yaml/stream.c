/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - streams of documents, split as Kubernetes tools do it.
 *
 * They cut the text at lines before they parse it, so "---" at the beginning of a line separates
 * even inside a block scalar or a quoted one. The line itself belongs to no document, except that
 * of the document it opens when nothing precedes it: that shows in the line numbers of errors.
 */
#include "text/yaml/internal.h"

enum line_kind { LINE_CONTENT, LINE_SEPARATOR, LINE_BROKEN };

/* What follows the dashes may only be a comment. */
static enum line_kind line_kind(str line, str *rest)
{
    if (!str_has_prefix(line, STR("---")))
        return LINE_CONTENT;
    *rest = str_trim_set(str_from(line, 3), STR(" \t\r\n\v\f"));
    return !rest->len || rest->ptr[0] == '#' ? LINE_SEPARATOR : LINE_BROKEN;
}

bool yaml_is_prologue(str text)
{
    bool directives = false;
    str line;

    while (str_next_line(&text, &line)) {
        if (line.len && line.ptr[0] == '%')
            directives = true;
        else if ((line = str_trim(line)).len && line.ptr[0] != '#')
            return false;
    }
    return directives;
}

static size_t end_of_line(str text, size_t from)
{
    size_t lf = str_find_char(str_from(text, from), '\n');

    return lf == STR_NPOS ? text.len : from + lf + 1;
}

/* The next line from the one at from on that begins with a dash, or the end. */
static size_t find_dashed_line(str text, size_t from)
{
    size_t lf;

    if (from < text.len && text.ptr[from] == '-')
        return from;
    lf = str_find_pair(str_from(text, from), '\n', '-');
    return lf == STR_NPOS ? text.len : from + lf + 1;
}

/* A line that is not a separator, in a part that begins at from, may belong to what follows. */
static bool fail_separator(const struct yaml_stream *s, size_t from, size_t at, str rest,
                           struct err *e)
{
    str text = s->src->text, ignored;
    size_t end = s->offset;

    while ((end = find_dashed_line(text, end)) < text.len &&
           line_kind(str_slice(text, end, end_of_line(text, end)), &ignored) == LINE_CONTENT)
        end = end_of_line(text, end);
    rest = yaml_quotable(s->opts ? s->opts->quotes : QUOTE_UNLESS_SECRET,
                         str_slice(text, from, end), rest);
    err_set(e, ERR_INVALID, "invalid Yaml document separator: %.*s", STR_ARG(rest));
    return err_at(e, source_where_offset(s->src, at));
}

/* Finds the next part, [*from, *to), and moves on behind it. */
static bool next_part(struct yaml_stream *s, size_t *from, size_t *to, struct err *e)
{
    str text = s->src->text, rest;

    *from = s->offset;
    for (size_t at = *from, next; (at = find_dashed_line(text, at)) < text.len; at = next) {
        next = end_of_line(text, at);
        s->offset = next;
        *to = at;
        switch (line_kind(str_slice(text, at, next), &rest)) {
        case LINE_BROKEN:
            return fail_separator(s, *from, at, rest, e);
        case LINE_SEPARATOR:
            if (at > *from &&
                ((s->opts && s->opts->go) || !yaml_is_prologue(str_slice(text, *from, at))))
                return true;
            break;
        case LINE_CONTENT:
            break;
        }
    }
    *to = s->offset = text.len;
    return true;
}

/* All line ends of YAML 1.1, which Go's parser knows, though its tools only split at "\n---". */
static bool ends_with_line(str text)
{
    static const char *const ends[] = {"\n", "\r", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"};

    for (size_t i = 0; i < COUNT(ends); i++)
        if (str_has_suffix(text, str_c(ends[i])))
            return true;
    return false;
}

static bool is_mark(str text)
{
    return str_has_prefix(text, STR("---")) || str_has_prefix(text, STR("..."));
}

static bool has_line_of(str text, str mark)
{
    for (size_t from = 0, at; (at = str_find(str_from(text, from), mark)) != STR_NPOS;) {
        from += at + mark.len;
        if (ends_with_line(str_slice(text, 0, from - mark.len)))
            return true;
    }
    return false;
}

/* Whether the text may have lines that do not end with LF: it has the first byte of another end. */
static bool has_odd_lines(str text)
{
    return str_contains(text, STR("\r")) || str_contains(text, STR("\xC2")) ||
           str_contains(text, STR("\xE2"));
}

static bool has_mark_behind_lf(str text, char first)
{
    for (size_t lf; (lf = str_find_pair(text, '\n', first)) != STR_NPOS;) {
        text = str_from(text, lf + 1);
        if (is_mark(text))
            return true;
    }
    return false;
}

/* Whether a line but the first begins with a mark between documents. */
static bool has_marks(str text)
{
    if (has_odd_lines(text))
        return has_line_of(text, STR("---")) || has_line_of(text, STR("..."));
    return has_mark_behind_lf(text, '-') || has_mark_behind_lf(text, '.');
}

bool yaml_may_go_on(str text)
{
    bool utf16 = str_has_prefix(text, STR("\xFF\xFE")) || str_has_prefix(text, STR("\xFE\xFF"));

    return utf16 || has_marks(text);
}

/* More empty documents than that count as something: each takes its time. */
#define EMPTY_MAX 10000

enum yaml_rest yaml_rest(str text, uint32_t *line)
{
    const struct source source = {.text = text};
    struct value *first, *next = NULL;
    size_t offset = 0, empty = 0;
    AUTO_ARENA a = arena_new();
    AUTO_ERR fault = {0};

    if (!yaml_read_next(a, &source, NULL, &offset, &first, &fault)) {
        /* The first one can be read, so what fails is behind it. */
        *line = fault.at.line;
        return yaml_may_go_on(text) ? YAML_REST_DOCUMENT : YAML_REST_LOOSE;
    }
    bool ok;
    while ((ok = yaml_read_next(a, &source, NULL, &offset, &next, &fault)) && next &&
           next->kind == VALUE_NULL && empty < EMPTY_MAX)
        empty++;
    if (ok && !next)
        return YAML_REST_NONE;
    *line = ok ? source_where(&source, next).line : fault.at.line;
    return YAML_REST_DOCUMENT;
}

bool yaml_stream_next(struct arena *a, struct yaml_stream *s, struct value **out, struct err *e)
{
    size_t from, to;

    *out = NULL;
    while (s->offset < s->src->text.len) {
        struct value *v;
        if (!next_part(s, &from, &to, e))
            return false;
        size_t next = to;
        struct ypart part = {.src = s->src, .from = from, .to = to};
        /* Go's tools take the first document of a part, and leave out what follows. */
        bool go = s->opts && s->opts->go;
        bool fast = (go || !yaml_may_go_on(str_slice(s->src->text, from, to))) &&
                    yaml_fast(a, &part, s->opts, &v);
        part.next = go ? NULL : &next;
        if (!fast && !yaml_read_proper(a, &part, s->opts, &v, e))
            return false;
        if (next < to)
            s->offset = next;
        if (v->kind != VALUE_NULL) {
            *out = v;
            return true;
        }
    }
    return true;
}
