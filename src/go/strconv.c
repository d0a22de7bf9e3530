/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strconv.c - numbers in Go's spelling.
 */
#include "go/strconv.h"

#include <math.h>

/* Whether underscores are only between digits (a base prefix counts as one). */
static bool underscores_ok(str s)
{
    char saw = '^';
    bool hex = false;
    size_t i = 0;

    if (s.len && (s.ptr[0] == '-' || s.ptr[0] == '+'))
        s = str_from(s, 1);
    if (s.len >= 2 && s.ptr[0] == '0' && strchr("box", s.ptr[1] | 0x20)) {
        i = 2;
        saw = '0';
        hex = (s.ptr[1] | 0x20) == 'x';
    }
    for (; i < s.len; i++) {
        int digit = go_hex_digit(s.ptr[i]);
        if (digit >= 0 && (hex || digit < 10)) {
            saw = '0';
        } else if (s.ptr[i] == '_') {
            if (saw != '0')
                return false;
            saw = '_';
        } else {
            if (saw == '_')
                return false;
            saw = '!';
        }
    }
    return saw != '_';
}

/* Takes "0x" and the like off the front of *s and returns the base. */
static unsigned take_base(str *s)
{
    char c;

    if (!s->len || s->ptr[0] != '0')
        return 10;
    c = s->len >= 3 ? (char)(s->ptr[1] | 0x20) : 0;
    if (c == 'b' || c == 'o' || c == 'x') {
        *s = str_from(*s, 2);
        return c == 'b' ? 2 : c == 'o' ? 8 : 16;
    }
    *s = str_from(*s, 1);
    return 8;
}

/*
 * strconv.ParseUint; *range means that the number is only too large: *out is then the largest
 * value.
 */
static bool parse_uint(str s, int base_arg, uint64_t *out, bool *range)
{
    str whole = s;
    unsigned base = (unsigned)base_arg;
    bool underscores = false;
    uint64_t n = 0;

    *range = false;
    *out = 0;
    if (!s.len)
        return false;
    if (base_arg == 0)
        base = take_base(&s);
    for (size_t i = 0; i < s.len; i++) {
        int digit = go_hex_digit(s.ptr[i]);
        if (s.ptr[i] == '_' && base_arg == 0) {
            underscores = true;
            continue;
        }
        if (digit < 0 || (unsigned)digit >= base)
            return false;
        if (__builtin_mul_overflow(n, base, &n) || __builtin_add_overflow(n, (uint64_t)digit, &n)) {
            *range = true;
            *out = UINT64_MAX;
            return false;
        }
    }
    if (underscores && !underscores_ok(whole))
        return false;
    *out = n;
    return true;
}

bool go_parse_uint(str s, int base, uint64_t *out)
{
    bool range;

    return parse_uint(s, base, out, &range);
}

bool go_parse_int(str s, int base, int64_t *out)
{
    bool range, negative = s.len && s.ptr[0] == '-';
    uint64_t u;

    *out = 0;
    if (s.len && (s.ptr[0] == '+' || s.ptr[0] == '-'))
        s = str_from(s, 1);
    if (!parse_uint(s, base, &u, &range)) {
        if (range)
            *out = negative ? INT64_MIN : INT64_MAX;
        return false;
    }
    if (u > (uint64_t)INT64_MAX + negative) {
        *out = negative ? INT64_MIN : INT64_MAX;
        return false;
    }
    *out = negative ? (int64_t)(0 - u) : (int64_t)u;
    return true;
}

static bool is_special_float(str s, double *out)
{
    bool negative = s.len && s.ptr[0] == '-';

    if (str_eq_fold(s, STR("nan"))) {
        *out = (double)NAN;
        return true;
    }
    if (s.len && (s.ptr[0] == '+' || negative))
        s = str_from(s, 1);
    if (!str_eq_fold(s, STR("inf")) && !str_eq_fold(s, STR("infinity")))
        return false;
    *out = negative ? -(double)INFINITY : (double)INFINITY;
    return true;
}

/* Digits and underscores from i on; *any: whether there was a digit. */
static size_t skip_digits(str s, size_t i, bool hex, bool *any)
{
    for (; i < s.len; i++) {
        int digit = go_hex_digit(s.ptr[i]);
        bool ok = digit >= 0 && (hex || digit < 10);
        if (!ok && s.ptr[i] != '_')
            break;
        *any |= ok;
    }
    return i;
}

/* Whether s is a floating-point literal. */
static bool is_float(str s)
{
    bool hex, mantissa = false, exponent = false;
    size_t i = s.len && (s.ptr[0] == '+' || s.ptr[0] == '-');

    hex = i + 2 < s.len && s.ptr[i] == '0' && (s.ptr[i + 1] | 0x20) == 'x';
    if (hex)
        i += 2;
    i = skip_digits(s, i, hex, &mantissa);
    if (i < s.len && s.ptr[i] == '.')
        i = skip_digits(s, i + 1, hex, &mantissa);
    if (!mantissa)
        return false;
    if (i < s.len && (s.ptr[i] | 0x20) == (hex ? 'p' : 'e')) {
        i++;
        if (i < s.len && (s.ptr[i] == '+' || s.ptr[i] == '-'))
            i++;
        if (i >= s.len || s.ptr[i] < '0' || s.ptr[i] > '9')
            return false;
        i = skip_digits(s, i, false, &exponent);
    }
    if (hex && !exponent)
        return false;
    return i == s.len && (str_find_char(s, '_') == STR_NPOS || underscores_ok(s));
}

bool go_parse_float(str s, double *out)
{
    AUTO_ARENA a = NULL;
    char small[64], *z = small;
    size_t n = 0;

    *out = 0;
    if (is_special_float(s, out))
        return true;
    if (!is_float(s))
        return false;
    if (s.len >= sizeof(small)) {
        a = arena_new();
        z = arena_alloc_text(a, s.len + 1);
    }
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] != '_')
            z[n++] = s.ptr[i];
    z[n] = '\0';
    *out = strtod(z, NULL); /* exact, and the locale is never set */
    return !isinf(*out);
}
