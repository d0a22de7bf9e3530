/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv.c - one record of comma separated values.
 */
#include "text/csv.h"

#define BARE_QUOTE "bare \" in non-quoted-field"
#define STRAY_QUOTE "extraneous or missing \" in quoted-field"

struct csv {
    struct arena *arena;
    str rest;           /* lines not yet read */
    str line;           /* what is left of the current one, with its newline */
    size_t lines;       /* read so far */
    size_t record_line; /* where the record began */
    size_t pos_line,
        pos_column; /* of line.ptr, as Go counts: a line that is not there is no line */
    char comma;
    VEC(str) fields;
};

static bool fail(struct csv *c, size_t line, size_t column, const char *what, struct err *e)
{
    if (line != c->record_line)
        return err_set(e, ERR_INVALID,
                       "record on line %zu; parse error on line %zu, column %zu: %s",
                       c->record_line, line, column, what);
    return err_set(e, ERR_INVALID, "parse error on line %zu, column %zu: %s", line, column, what);
}

/* The next line ends in LF even if the text has CR LF. At the very end, a CR is dropped. */
static bool next_line(struct csv *c)
{
    size_t end = str_find_char(c->rest, '\n');
    str line = end == STR_NPOS ? c->rest : str_slice(c->rest, 0, end + 1);

    c->rest = str_from(c->rest, line.len);
    c->lines++;
    c->line = line;
    if (line.len == 0)
        return false;
    if (end == STR_NPOS)
        c->line = str_without_suffix(line, STR("\r"));
    else if (str_has_suffix(line, STR("\r\n")))
        c->line = str_concat(c->arena, str_slice(line, 0, line.len - 2), STR("\n"));
    return true;
}

static bool is_blank(str line)
{
    return line.len == 0 || str_eq(line, STR("\n"));
}

static void advance(struct csv *c, size_t bytes)
{
    c->line = str_from(c->line, bytes);
    c->pos_column += bytes;
}

/* Reads a field without quotes; *more tells whether a comma followed. */
static bool plain_field(struct csv *c, bool *more, struct err *e)
{
    size_t comma = str_find_char(c->line, c->comma);
    str field = str_slice(c->line, 0, comma);
    size_t quote;

    *more = comma != STR_NPOS;
    if (!*more)
        field = str_without_suffix(field, STR("\n"));
    quote = str_find_char(field, '"');
    if (quote != STR_NPOS)
        return fail(c, c->lines, c->pos_column + quote, BARE_QUOTE, e);
    VEC_PUSH(c->arena, &c->fields, field);
    if (*more)
        advance(c, comma + 1);
    return true;
}

/* What a quote inside a quoted field means. */
enum quote_meaning { QUOTE_LITERAL, QUOTE_ENDS_FIELD, QUOTE_ENDS_RECORD, QUOTE_STRAY };

static enum quote_meaning after_quote(const struct csv *c)
{
    if (str_has_prefix(c->line, STR("\"")))
        return QUOTE_LITERAL;
    if (c->line.len && c->line.ptr[0] == c->comma)
        return QUOTE_ENDS_FIELD;
    return is_blank(c->line) ? QUOTE_ENDS_RECORD : QUOTE_STRAY;
}

/* Goes on reading a quoted field on the next line. */
static bool continue_field(struct csv *c, struct buf *field, struct err *e)
{
    if (c->line.len == 0)
        return fail(c, c->pos_line, c->pos_column, STRAY_QUOTE, e);
    buf_add(field, c->line);
    advance(c, c->line.len);
    if (next_line(c)) {
        c->pos_line++;
        c->pos_column = 1;
    }
    return true;
}

static bool quoted_field(struct csv *c, bool *more, struct err *e)
{
    struct buf field = buf_new(c->arena, BUF_UNLIMITED);

    advance(c, 1);
    for (;;) {
        size_t quote = str_find_char(c->line, '"');
        if (quote == STR_NPOS) {
            if (!continue_field(c, &field, e))
                return false;
            continue;
        }
        buf_add(&field, str_slice(c->line, 0, quote));
        advance(c, quote + 1);
        enum quote_meaning meaning = after_quote(c);
        if (meaning == QUOTE_STRAY)
            return fail(c, c->lines, c->pos_column - 1, STRAY_QUOTE, e);
        if (meaning == QUOTE_LITERAL)
            buf_char(&field, '"');
        *more = meaning == QUOTE_ENDS_FIELD;
        if (meaning != QUOTE_ENDS_RECORD)
            advance(c, 1);
        if (meaning == QUOTE_LITERAL)
            continue;
        VEC_PUSH(c->arena, &c->fields, buf_str(&field));
        return true;
    }
}

bool csv_read(struct arena *a, str text, char comma, str **fields, size_t *count, struct err *e)
{
    struct csv c = {.arena = a, .rest = text, .comma = comma, .pos_column = 1};
    bool more = true, ok = true;

    do {
        if (!next_line(&c))
            return err_set(e, ERR_INVALID, "EOF");
    } while (is_blank(c.line));
    c.record_line = c.pos_line = c.lines;
    while (ok && more)
        ok = str_has_prefix(c.line, STR("\"")) ? quoted_field(&c, &more, e)
                                               : plain_field(&c, &more, e);
    *fields = c.fields.items;
    *count = c.fields.len;
    return ok;
}
