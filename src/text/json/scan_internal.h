/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_internal.h - skips the plain characters of a JSON string, sixteen bytes at a time.
 *
 * Private to the JSON files of this folder. A byte is plain when neither reader nor writer has to
 * look at it: printable ASCII other than the quote and the backslash; with html, not <, > and &
 * either. Everything is inline because most strings are too short to pay for a call.
 */
#pragma once

#include "base/base.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static inline bool json_is_plain(char c, bool html)
{
    if (html && (c == '<' || c == '>' || c == '&'))
        return false;
    return (unsigned char)c >= 0x20 && (unsigned char)c < 0x80 && c != '"' && c != '\\';
}

#ifdef __SSE2__

/* One bit for each of the 16 bytes at p that is not plain. Bytes from 0x80 on are negative. */
static inline unsigned json_odd_bits(const char *p, bool html)
{
    __m128i b = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i odd = _mm_cmplt_epi8(b, _mm_set1_epi8(0x20));

    odd = _mm_or_si128(odd, _mm_cmpeq_epi8(b, _mm_set1_epi8('"')));
    odd = _mm_or_si128(odd, _mm_cmpeq_epi8(b, _mm_set1_epi8('\\')));
    if (html) {
        odd = _mm_or_si128(odd, _mm_cmpeq_epi8(b, _mm_set1_epi8('<')));
        odd = _mm_or_si128(odd, _mm_cmpeq_epi8(b, _mm_set1_epi8('>')));
        odd = _mm_or_si128(odd, _mm_cmpeq_epi8(b, _mm_set1_epi8('&')));
    }
    return (unsigned)_mm_movemask_epi8(odd);
}

/* The first byte of [p, end) that is not plain, or a place near end to go on from byte by byte. */
static inline const char *json_skip_blocks(const char *p, const char *end, bool html)
{
    while (end - p >= 16) {
        unsigned odd = json_odd_bits(p, html);
        if (odd)
            return p + __builtin_ctz(odd);
        p += 16;
    }
    return p;
}

#else

/* The high bit of each byte that is c, and perhaps of some after the first such byte. */
static inline uint64_t json_bytes_like(uint64_t word, char c)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);

    return (word ^ ones * (unsigned char)c) - ones;
}

/* The same, eight bytes at a time: not 0 when one of them is not plain. */
static inline uint64_t json_odd_bytes(uint64_t word, bool html)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t odd = word | (word - ones * 0x20);

    odd |= json_bytes_like(word, '"') | json_bytes_like(word, '\\');
    if (html)
        odd |= json_bytes_like(word, '<') | json_bytes_like(word, '>') | json_bytes_like(word, '&');
    return odd & ones * 0x80;
}

/* Borrows make the bytes after the first odd one unreliable, so this only stops at the block. */
static inline const char *json_skip_blocks(const char *p, const char *end, bool html)
{
    uint64_t word;

    for (; end - p >= 8; p += 8) {
        memcpy(&word, p, sizeof(word));
        if (json_odd_bytes(word, html))
            break;
    }
    return p;
}

#endif

/* The first byte of [p, end) that is not plain, or end. */
static inline const char *json_skip_plain(const char *p, const char *end, bool html)
{
    p = json_skip_blocks(p, end, html);
    while (p < end && json_is_plain(*p, html))
        p++;
    return p;
}
