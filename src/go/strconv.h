/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strconv.h - numbers in Go's spelling, as its strconv reads them.
 *
 * Base 0 takes the base from the text: 0x, 0o or a lone 0, 0b, with underscores between digits.
 * Pure; may be called from any thread.
 */
#pragma once

#include "base/base.h"

/* The value of a hexadecimal digit; -1 when c is not one. */
static inline int go_hex_digit(uint32_t c)
{
    if (c >= '0' && c <= '9')
        return (int)(c - '0');
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? (int)(c - 'a') + 10 : -1;
}

/* Whether s has a decimal digit at i. */
static inline bool go_digit_at(str s, size_t i)
{
    return i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9';
}

/*
 * strconv.ParseInt and ParseUint, of 64 bits. On failure *out is the nearest valid number if the
 * number is out of range, and 0 if it is not a number.
 */
MUST_CHECK bool go_parse_int(str s, int base, int64_t *out);
MUST_CHECK bool go_parse_uint(str s, int base, uint64_t *out);
/* strconv.ParseFloat, of 64 bits: *out is infinite when the number is out of range. */
MUST_CHECK bool go_parse_float(str s, double *out);
