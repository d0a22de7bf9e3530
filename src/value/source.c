/* SPDX-License-Identifier: Apache-2.0 */
/* source.c - where a node stands in its text; see source.h. */
#include "value/source.h"

struct where source_where_offset(const struct source *s, size_t offset)
{
    struct where at = {.file = s->file, .line = 1};
    str before = str_slice(s->text, 0, offset), line = before;

    for (size_t lf; (lf = str_find_char(line, '\n')) != STR_NPOS; at.line++)
        line = str_from(line, lf + 1);
    at.column = (uint32_t)utf8_count(line) + 1;
    return at;
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
