/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hot.h - for the few files where callgrind shows that instructions matter.
 *
 * Not part of base.h: plain C is enough everywhere else.
 */
#pragma once

#include "base/attr.h"

/*
 * For functions that word an error: out of line, so that their callers stay small, without the
 * arguments of the message on their stack.
 */
#define COLD __attribute__((cold, noinline))
/* Out of line, so that the fast path of the caller needs no large stack frame. */
#define NOINLINE __attribute__((noinline))
/* Always inlined, however large the compiler thinks it is. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Eight bytes at any address as a number. */
ALWAYS_INLINE uint64_t hot_load_8(const char *p)
{
    uint64_t x;

    memcpy(&x, p, sizeof x);
    return x;
}

/* Sixteen bytes processed at once. */
typedef signed char hot_bytes __attribute__((vector_size(16)));

/* Up to so many bytes hot_same calls nothing. */
#define HOT_SHORT 16

/* Whether n bytes are the same: a few loads for the short texts that keys and names are. */
ALWAYS_INLINE bool hot_same(const char *x, const char *y, size_t n)
{
    uint64_t a, b, c, d;
    uint32_t e, f, g, h;

    if (n > HOT_SHORT)
        return !memcmp(x, y, n);
    if (n >= sizeof(a)) {
        memcpy(&a, x, sizeof(a));
        memcpy(&b, y, sizeof(b));
        memcpy(&c, x + n - sizeof(c), sizeof(c));
        memcpy(&d, y + n - sizeof(d), sizeof(d));
        return !((a ^ b) | (c ^ d));
    }
    if (n >= sizeof(e)) {
        memcpy(&e, x, sizeof(e));
        memcpy(&f, y, sizeof(f));
        memcpy(&g, x + n - sizeof(g), sizeof(g));
        memcpy(&h, y + n - sizeof(h), sizeof(h));
        return !((e ^ f) | (g ^ h));
    }
    return !n || (x[0] == y[0] && x[n / 2] == y[n / 2] && x[n - 1] == y[n - 1]);
}
