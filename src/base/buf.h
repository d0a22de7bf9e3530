/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buf.h - a growing text buffer with a maximum size.
 *
 *     struct buf b = buf_new(a, 1 * MIB);
 *     buf_add(&b, STR("x = "));
 *     buf_fmt(&b, "%d\n", x);
 *     if (!buf_check(&b, e))
 *         return false;
 *
 * An append that would exceed the maximum is dropped and remembered: from then on nothing is added,
 * and buf_check fails. So writers append unconditionally and check once, at the end. The text lives
 * as long as the arena. One thread at a time.
 */
#pragma once

#include "base/str.h"

struct err;

struct buf {
    struct arena *arena;
    char *data;
    size_t len, cap, max;
    bool overflow;
};

/* For text whose size is bounded by what is already in memory. */
#define BUF_UNLIMITED ((size_t)1 << 46)

struct buf buf_new(struct arena *a, size_t max);
/* The slow path of buf_add, for when there may be too little room. */
void buf_add_grown(struct buf *b, str s);
/* Inline, because it is called so often, mostly with short texts of known length. */
static inline void buf_add(struct buf *b, str s)
{
    if (b->overflow || s.len > b->cap - b->len) {
        buf_add_grown(b, s);
    } else if (s.len) {
        memcpy(b->data + b->len, s.ptr, s.len);
        b->len += s.len;
    }
}
/* The slow path of buf_char: taking the address of c there would cost each of its callers. */
void buf_char_grown(struct buf *b, char c);
static inline void buf_char(struct buf *b, char c)
{
    if (b->overflow || b->len == b->cap)
        buf_char_grown(b, c);
    else
        b->data[b->len++] = c;
}
void buf_repeat(struct buf *b, char c, size_t count);
void buf_rune(struct buf *b, uint32_t rune);
void buf_fmt(struct buf *b, const char *format, ...) FORMAT(2, 3);
void buf_vfmt(struct buf *b, const char *format, va_list args) FORMAT(2, 0);
/*
 * Makes room for n more bytes and returns where they go, or NULL when that would exceed the
 * maximum. Follow with buf_wrote.
 */
char *buf_room(struct buf *b, size_t n);
void buf_wrote(struct buf *b, size_t n);
/* Drops all but the first len bytes. */
void buf_truncate(struct buf *b, size_t len);
/* What was written so far. Valid until the next append. */
str buf_str(const struct buf *b);
/* False, with ERR_LIMIT naming the maximum, when something was dropped. */
MUST_CHECK bool buf_check(const struct buf *b, struct err *e);
