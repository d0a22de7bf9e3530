/* SPDX-License-Identifier: Apache-2.0 */
/* buf.c - text that grows, up to a maximum; see buf.h. */
#include "base/buf.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/utf8.h"

enum { FIRST = 64 };

struct buf buf_new(struct arena *a, size_t max)
{
    return (struct buf){.arena = a, .max = max};
}

/* Doubles, but never beyond the maximum, so that a limit is also a limit on memory. */
static __attribute__((noinline)) bool grow(struct buf *b, size_t n)
{
    if (b->overflow || n > b->max - b->len) {
        b->overflow = true;
        return false;
    }
    size_t cap = b->cap ? b->cap : FIRST;
    while (cap < b->len + n)
        cap *= 2;
    if (cap > b->max)
        cap = b->max;
    b->data = arena_grow(b->arena, b->data, b->cap, cap);
    b->cap = cap;
    return true;
}

static inline char *room(struct buf *b, size_t n)
{
    if (UNLIKELY(b->overflow || n > b->cap - b->len) && !grow(b, n))
        return NULL;
    return b->data + b->len;
}

char *buf_room(struct buf *b, size_t n)
{
    return room(b, n);
}

void buf_wrote(struct buf *b, size_t n)
{
    assert(n <= b->cap - b->len);
    b->len += n;
}

void buf_add_grown(struct buf *b, str s)
{
    char *at = room(b, s.len);

    if (!at)
        return;
    memcpy(at, s.ptr, s.len);
    b->len += s.len;
}

void buf_char_grown(struct buf *b, char c)
{
    buf_add_grown(b, (str){&c, 1});
}

void buf_repeat(struct buf *b, char c, size_t count)
{
    char *at = count ? buf_room(b, count) : NULL;

    if (!at)
        return;
    memset(at, c, count);
    b->len += count;
}

void buf_rune(struct buf *b, uint32_t rune)
{
    char bytes[UTF8_MAX];

    buf_add(b, (str){bytes, utf8_encode(bytes, rune)});
}

void buf_vfmt(struct buf *b, const char *format, va_list args)
{
    size_t spare = b->overflow ? 0 : b->cap - b->len;
    size_t len = str_print(spare ? b->data + b->len : NULL, spare, format, args);
    char *at = len ? buf_room(b, len) : NULL;

    if (!at)
        return;
    if (len > spare)
        str_print(at, len, format, args);
    b->len += len;
}

void buf_fmt(struct buf *b, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    buf_vfmt(b, format, args);
    va_end(args);
}

void buf_truncate(struct buf *b, size_t len)
{
    if (len < b->len)
        b->len = len;
}

str buf_str(const struct buf *b)
{
    return (str){b->data, b->len};
}

bool buf_check(const struct buf *b, struct err *e)
{
    if (!b->overflow)
        return true;
    return err_set(e, ERR_LIMIT, "text is larger than the limit of %zu bytes", b->max);
}
