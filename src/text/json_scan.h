/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_scan.h - skipping over what is plain in a JSON string, sixteen bytes at a time.
 *
 * Private to the JSON files of this folder. A byte is plain when neither reader nor writer has to
 * look at it: printable ASCII other than the quote and the backslash. Everything is inline because
 * most strings are shorter than a call is long.
 */
#pragma once

#include "base/base.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static inline bool json_is_plain(char c)
{
    return (unsigned char)c >= 0x20 && (unsigned char)c < 0x80 && c != '"' && c != '\\';
}

#ifdef __SSE2__

/* One bit for each of the 16 bytes at p that is not plain. Bytes from 0x80 on are negative. */
static inline unsigned json_odd_bits(const char *p)
{
    __m128i b = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i odd = _mm_cmplt_epi8(b, _mm_set1_epi8(0x20));

    odd = _mm_or_si128(odd, _mm_cmpeq_epi8(b, _mm_set1_epi8('"')));
    odd = _mm_or_si128(odd, _mm_cmpeq_epi8(b, _mm_set1_epi8('\\')));
    return (unsigned)_mm_movemask_epi8(odd);
}

/* The first byte of [p, end) that is not plain, or a place near end from where to go on slowly. */
static inline const char *json_skip_blocks(const char *p, const char *end)
{
    while (end - p >= 16) {
        unsigned odd = json_odd_bits(p);
        if (odd)
            return p + __builtin_ctz(odd);
        p += 16;
    }
    return p;
}

#else

/* The same eight bytes at a time: a byte's high bit is set in the result when it is not plain. */
static inline uint64_t json_odd_bytes(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), high = ones * 0x80;
    uint64_t quote = word ^ ones * '"', backslash = word ^ ones * '\\';

    return (word | (word - ones * 0x20) | (quote - ones) | (backslash - ones)) & high;
}

/* Borrows make bytes behind the first odd one unreliable, so the block is only left, not cut. */
static inline const char *json_skip_blocks(const char *p, const char *end)
{
    uint64_t word;

    for (; end - p >= 8; p += 8) {
        memcpy(&word, p, sizeof(word));
        if (json_odd_bytes(word))
            break;
    }
    return p;
}

#endif

/* The first byte of [p, end) that is not plain, or end. */
static inline const char *json_skip_plain(const char *p, const char *end)
{
    p = json_skip_blocks(p, end);
    while (p < end && json_is_plain(*p))
        p++;
    return p;
}
