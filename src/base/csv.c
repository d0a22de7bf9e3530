/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv.c - one record of comma-separated values; see csv.h.
 *
 * Lines are taken one by one, because a line's end is normalised before anything looks at it and
 * because errors count lines and columns in what was normalised.
 */
#include "base/csv.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"

struct csv {
    struct arena *a;
    str rest;    /* lines not yet taken */
    str line;    /* what is left of the current line */
    bool broken; /* the current line ends in LF, which is not part of line */
    char comma;
    size_t first;    /* number of the line where the record begins */
    size_t row, col; /* position of line in the text */
    VEC(str) fields;
    struct err *e;
};

/* Takes the next line, without its LF or CR LF; a CR before the end of the text is dropped too. */
static bool next_line(struct csv *c)
{
    c->broken = false;
    if (!c->rest.len) {
        c->line = STR_NONE;
        return false;
    }
    c->broken = str_cut(c->rest, STR("\n"), &c->line, &c->rest);
    c->line = str_without_suffix(c->line, STR("\r"));
    if (!c->broken && !c->line.len)
        return false;
    c->row++;
    c->col = 1;
    return true;
}

static void skip(struct csv *c, size_t n)
{
    c->line = str_from(c->line, n);
    c->col += n;
}

static bool fail(const struct csv *c, size_t col, const char *what)
{
    if (c->first == c->row)
        return err_set(c->e, ERR_INVALID, "parse error on line %zu, column %zu: %s", c->row, col,
                       what);
    return err_set(c->e, ERR_INVALID, "record on line %zu; parse error on line %zu, column %zu: %s",
                   c->first, c->row, col, what);
}

static bool fail_quoted(const struct csv *c, size_t col)
{
    return fail(c, col, "extraneous or missing \" in quoted-field");
}

/* Takes the separator, if one follows: another field begins. */
static bool take_comma(struct csv *c)
{
    if (!c->line.len || c->line.ptr[0] != c->comma)
        return false;
    skip(c, 1);
    return true;
}

static bool read_plain(struct csv *c)
{
    str field = str_slice(c->line, 0, str_find_char(c->line, c->comma));
    size_t quote = str_find_char(field, '"');

    if (quote != STR_NPOS)
        return fail(c, c->col + quote, "bare \" in non-quoted-field");
    VEC_PUSH(c->a, &c->fields, field);
    skip(c, field.len);
    return true;
}

/* Adds the rest of the line to a quoted field, which goes on in the next line. */
static bool read_on(struct csv *c, struct buf *text)
{
    bool broken = c->broken;

    buf_add(text, c->line);
    skip(c, c->line.len);
    if (broken) {
        buf_char(text, '\n');
        c->col++;
    }
    return (broken && next_line(c)) || fail_quoted(c, c->col);
}

static bool read_quoted(struct csv *c)
{
    struct buf text = buf_new(c->a, BUF_UNLIMITED);

    skip(c, 1);
    for (;;) {
        size_t quote = str_find_char(c->line, '"');
        if (quote == STR_NPOS) {
            if (!read_on(c, &text))
                return false;
            continue;
        }
        buf_add(&text, str_slice(c->line, 0, quote));
        skip(c, quote + 1);
        if (!c->line.len || c->line.ptr[0] != '"')
            break;
        buf_char(&text, '"');
        skip(c, 1);
    }
    VEC_PUSH(c->a, &c->fields, buf_str(&text));
    return !c->line.len || c->line.ptr[0] == c->comma || fail_quoted(c, c->col - 1);
}

static bool read_field(struct csv *c)
{
    return c->line.len && c->line.ptr[0] == '"' ? read_quoted(c) : read_plain(c);
}

bool csv_record(struct arena *a, str text, char comma, str **fields, size_t *count, struct err *e)
{
    struct csv c = {.a = a, .rest = text, .comma = comma, .e = e};
    bool found = false;

    while (!found && next_line(&c))
        found = c.line.len > 0;
    if (!found)
        return err_set(e, ERR_INVALID, "EOF");
    c.first = c.row;
    do {
        if (!read_field(&c))
            return false;
    } while (take_comma(&c));
    *fields = c.fields.items;
    *count = c.fields.len;
    return true;
}
