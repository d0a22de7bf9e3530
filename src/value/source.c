/* SPDX-License-Identifier: Apache-2.0 */
/* source.c - where a node stands in its text; see source.h. */
#include "value/source.h"

enum { STEP = 4096 };

/* A line and a column, both counted from 0. */
struct place {
    uint32_t line, column;
};

struct source_index {
    size_t count;
    struct place places[]; /* of the offsets 0, STEP, 2 * STEP, ... */
};

/* Code points begin with any byte that does not continue one. */
static size_t count_begins(str s)
{
    size_t n = 0;

    for (size_t i = 0; i < s.len; i++)
        n += ((unsigned char)s.ptr[i] & 0xC0) != 0x80;
    return n;
}

/* The place behind text, which begins at from. */
static struct place advance(struct place from, str text)
{
    for (size_t lf; (lf = str_find_char(text, '\n')) != STR_NPOS;) {
        from = (struct place){.line = from.line + 1};
        text = str_from(text, lf + 1);
    }
    from.column += (uint32_t)count_begins(text);
    return from;
}

void source_make_index(struct arena *a, struct source *s)
{
    size_t count = s->text.len / STEP + 1;

    if (count <= 2)
        return;
    struct source_index *index =
        arena_alloc(a, sizeof(*index) + arena_array_size(count, sizeof(struct place)));
    index->count = count;
    for (size_t i = 1; i < count; i++)
        index->places[i] =
            advance(index->places[i - 1], str_slice(s->text, (i - 1) * STEP, i * STEP));
    s->index = index;
}

struct where source_where_offset(const struct source *s, size_t offset)
{
    struct place at = {0};
    size_t from = 0;

    if (offset > s->text.len)
        offset = s->text.len;
    if (s->index) {
        from = offset / STEP * STEP;
        at = s->index->places[offset / STEP];
    }
    at = advance(at, str_slice(s->text, from, offset));
    return (struct where){.file = s->file, .line = at.line + 1, .column = at.column + 1};
}

struct where source_where(const struct source *s, const struct value *v)
{
    if (!v || !v->pos)
        return (struct where){.file = s->file};
    return source_where_offset(s, v->pos - 1);
}

bool source_err(struct err *e, const struct source *s, const struct value *v, const char *format,
                ...)
{
    va_list args;

    if (!e)
        return false;
    AUTO_ARENA a = arena_new();
    va_start(args, format);
    str text = str_vfmt(a, format, args);
    va_end(args);
    err_set(e, ERR_INVALID, "%.*s", STR_ARG(text));
    return err_at(e, source_where(s, v));
}
