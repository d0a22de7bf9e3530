/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hash.h - str_hash to inline, for maps: templates look up thousands of short texts. All others
 * call str_hash.
 */
#pragma once

#include "base/hot.h"
#include "base/str.h"

/* 0: not made yet. */
extern uint64_t hash_seed;
/* Makes the seed, the first time that it is needed. */
uint64_t hash_seed_make(void);

ALWAYS_INLINE uint64_t hash_mix(uint64_t x, uint64_t y)
{
    __uint128_t product = (__uint128_t)x * y;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Packs 1 to 7 bytes into one number, some of them twice: the length is part of the hash. */
ALWAYS_INLINE uint64_t hash_load_few(const char *p, size_t n)
{
    uint32_t first, last;

    if (n < 4)
        return (uint64_t)(uint8_t)p[0] | (uint64_t)(uint8_t)p[n / 2] << 8 |
               (uint64_t)(uint8_t)p[n - 1] << 16;
    memcpy(&first, p, sizeof first);
    memcpy(&last, p + n - sizeof last, sizeof last);
    return first | (uint64_t)last << 32;
}

/*
 * Multiply and fold, sixteen bytes at a time; the seed keeps foreign keys from colliding on
 * purpose. It is another in the second factor, because factors may change places.
 */
ALWAYS_INLINE uint64_t hash_text(str s)
{
    uint64_t seed = __atomic_load_n(&hash_seed, __ATOMIC_RELAXED);
    const char *p = s.ptr;
    size_t left = s.len;

    if (UNLIKELY(!seed))
        seed = hash_seed_make();
    const uint64_t turned = seed << 32 | seed >> 32;
    uint64_t hash = seed ^ s.len;
    for (; left >= 16; p += 16, left -= 16)
        hash = hash_mix(hash ^ hot_load_8(p), hot_load_8(p + 8) ^ turned);
    if (left >= 8) {
        hash = hash_mix(hash ^ hot_load_8(p), UINT64_C(0x9E3779B97F4A7C15) ^ seed);
        p += 8;
        left -= 8;
    }
    if (left)
        hash = hash_mix(hash ^ hash_load_few(p, left), UINT64_C(0xD6E8FEB86659FD93));
    return hash_mix(hash, UINT64_C(0xA0761D6478BD642F));
}
