/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.c - positions of nodes in their text; see source.h.
 *
 * Mark number i is the place of the boundary i * BLOCK: its line in the upper half and its column
 * in the lower one, or 0 while nobody has counted so far. Every thread that counts finds the same,
 * so marks need no lock.
 */
#include "value/source.h"

#include <stdatomic.h>

#define BLOCK (4 * KIB)

void source_remember(struct arena *a, struct source *s)
{
    s->marks = (_Atomic uint64_t *)ARENA_ARRAY(a, uint64_t, s->text.len / BLOCK + 1);
}

/* Where block i begins: not within a code point, which has up to three more bytes. */
static size_t boundary(str text, size_t i)
{
    size_t at = i * BLOCK;

    for (int more = 0; i && more < 3 && at < text.len && (text.ptr[at] & 0xC0) == 0x80; more++)
        at++;
    return at;
}

/* The place behind part, which begins at the place at. */
static struct where move_on(struct where at, str part)
{
    size_t last = str_rfind_char(part, '\n');

    if (last != STR_NPOS) {
        at.line += (uint32_t)str_count_char(part, '\n');
        at.column = 1;
        part = str_from(part, last + 1);
    }
    at.column += (uint32_t)utf8_count(part);
    return at;
}

/* The place of the last boundary up to *block that is known; *block becomes its number. */
static struct where last_known(const struct source *s, size_t *block)
{
    uint64_t mark = 0;

    while (*block && !(mark = atomic_load_explicit(&s->marks[*block], memory_order_relaxed)))
        --*block;
    if (!*block)
        return (struct where){.file = s->file, .line = s->lines_before + 1, .column = 1};
    return (struct where){
        .file = s->file, .line = (uint32_t)(mark >> 32), .column = (uint32_t)mark};
}

struct where source_where_offset(const struct source *s, size_t offset)
{
    size_t target = s->marks ? (offset < s->text.len ? offset : s->text.len) / BLOCK : 0;

    if (target && boundary(s->text, target) > offset)
        target--;
    size_t block = target;
    struct where at = last_known(s, &block);
    size_t from = boundary(s->text, block);
    while (block < target) {
        size_t to = boundary(s->text, ++block);
        at = move_on(at, str_slice(s->text, from, to));
        atomic_store_explicit(&s->marks[block], (uint64_t)at.line << 32 | at.column,
                              memory_order_relaxed);
        from = to;
    }
    return move_on(at, str_slice(s->text, from, offset));
}

struct where source_where(const struct source *s, const struct value *v)
{
    if (!v || !v->pos)
        return (struct where){.file = s->file};
    return source_where_offset(s, v->pos - 1);
}

bool source_offset(const struct source *s, const struct value *v, size_t *out)
{
    uintptr_t text = (uintptr_t)s->text.ptr, key = v ? (uintptr_t)v->key : 0;

    if (!v || !v->pos)
        return false;
    *out = v->pos - 1;
    if (v->key_len && key >= text && key - text < *out)
        *out = key - text;
    return true;
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
