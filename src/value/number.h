/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.h - numbers as exact text, and Go's int64 and float64 on request.
 *
 * All functions are pure and may be called from any thread. The locale is never consulted.
 */
#pragma once

#include "base/base.h"

/* The longest text of number_format_*: sign, 17 digits, point, exponent, and zeros up to 1e21. */
#define NUMBER_MAX 32

/* Whether s is a number as JSON spells it. */
bool number_is_valid(str s);
/* Whether a valid number is spelled as an integer: no point, no exponent. */
bool number_is_integer(str s);
/*
 * Exact comparison of two valid numbers by value: below, at or above 0. Any number of digits is
 * supported; exponents of more than 18 digits count as equally large.
 */
int number_compare(str x, str y);
/*
 * Appends the canonical spelling of a valid number, the same for all equal numbers: 8.08e3 and
 * 8080.0 are 8080, 1.50 is 1.5, -0 is 0. Whole numbers of up to 40 digits have no exponent;
 * otherwise the layout is that of NUMBER_JSON.
 */
void number_plain(struct buf *out, str s);
/* Equal numbers have equal hashes. */
uint64_t number_hash(str s);

/* The nearest double, as strconv.ParseFloat: false (and ±Inf) when it overflows. */
bool number_to_double(str s, double *out);
/* The value when it is a whole number that fits. 1e3 and 5.0 are whole. */
MUST_CHECK bool number_to_i64(str s, int64_t *out);
MUST_CHECK bool number_to_u64(str s, uint64_t *out);

/*
 * The shortest digits that read back as d, which is finite; returns the length of the text.
 * NUMBER_JSON is encoding/json's layout (1e+21, 1e-7, 1000000), NUMBER_G that of strconv's 'g',
 * which %v, templates and YAML use (1e+21, 1e-07, 1e+06).
 */
enum number_style { NUMBER_JSON, NUMBER_G };
size_t number_format(char out[NUMBER_MAX], double d, enum number_style style);
/*
 * The digits themselves: writes at most 17 digits without leading or trailing zeros ("0" for 0),
 * and sets *point so that |d| = 0.DIGITS * 10^point. For other layouts, as printf's.
 */
size_t number_digits(char out[NUMBER_MAX], double d, int *point);
