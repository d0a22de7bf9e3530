/* SPDX-License-Identifier: Apache-2.0 */
/*
 * utf8.h - code points in text.
 *
 * As in Go: a byte that does not start a valid sequence decodes as U+FFFD of width 1. Overlong
 * forms, surrogates and everything above U+10FFFF are invalid. Input is validated once, on entry,
 * with utf8_find_invalid. May be called from any thread.
 */
#pragma once

#include "base/str.h"

#define RUNE_ERROR 0xFFFDu
#define RUNE_MAX 0x10FFFFu
#define UTF8_MAX 4 /* bytes of the longest sequence */

/* utf8_decode where the first byte is not ASCII. */
uint32_t utf8_decode_multi(str s, size_t *width);
/* The first code point of s, which is not empty, and its width in bytes. */
#ifdef __clang_analyzer__
uint32_t utf8_decode(str s, size_t *width);
#else
static inline uint32_t utf8_decode(str s, size_t *width)
{
    *width = 1;
    return (unsigned char)s.ptr[0] < 0x80 ? (unsigned char)s.ptr[0] : utf8_decode_multi(s, width);
}
#endif
/* The last code point of s, which is not empty, and its width in bytes. */
uint32_t utf8_decode_last(str s, size_t *width);
/* Writes r to out and returns the width. Surrogates and values out of range become U+FFFD. */
size_t utf8_encode(char out[UTF8_MAX], uint32_t r);
/* Position of the first byte that is not valid UTF-8, or STR_NPOS. */
size_t utf8_find_invalid(str s);
/* Code points; an invalid byte counts as one. */
size_t utf8_count(str s);
/* s with each invalid byte replaced by U+FFFD; s itself when it is valid. */
str utf8_repair(struct arena *a, str s);
