/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys.c - keys: how keys that are not strings are spelled, and the order in which keys are
 * written.
 */
#include "text/yaml/internal.h"

#include "base/unicode.h"
#include "value/number.h"

#include <math.h>

/* ---- Keys to text. ---- */

enum ykey_kind yaml_key_kind(const struct value *key)
{
    uint64_t u;
    int64_t i;

    switch (key->kind) {
    case VALUE_NULL:
        return YKEY_NULL;
    case VALUE_BOOL:
        return YKEY_BOOL;
    case VALUE_INT:
        if (number_to_i64(value_text(key), &i))
            return YKEY_INT;
        return number_to_u64(value_text(key), &u) ? YKEY_UINT : YKEY_FLOAT;
    case VALUE_FLOAT:
        return YKEY_FLOAT;
    default:
        return YKEY_STRING;
    }
}

/* The fewest digits that read back as the same float: text gets "d.ddde±xx". */
static void shortest_float(float f, char *text, size_t size)
{
    for (int digits = 0; digits < 9; digits++) {
        snprintf(text, size, "%.*e", digits, (double)f);
        if (strtof(text, NULL) == f)
            return;
    }
}

/* A positive float without exponent, from its digits. */
static str spell_float(struct arena *a, str digits, int exponent)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    if (exponent < 0) {
        buf_add(&b, STR("0."));
        buf_repeat(&b, '0', (size_t)(-exponent - 1));
        buf_add(&b, digits);
        return buf_str(&b);
    }
    size_t whole = (size_t)exponent + 1;
    buf_add(&b, str_slice(digits, 0, whole));
    if (digits.len < whole)
        buf_repeat(&b, '0', whole - digits.len);
    if (digits.len > whole)
        buf_fmt(&b, ".%.*s", STR_ARG(str_from(digits, whole)));
    return buf_str(&b);
}

/* Upstream: keys are printed as if they were 32-bit floats: 3.141592653589793 is "3.1415927". */
static str float_key(struct arena *a, double d)
{
    char text[32], digits[16];
    float f = (float)d;
    size_t n = 0;

    if (isnan(f))
        return STR(".nan");
    if (isinf(f))
        return f > 0 ? STR(".inf") : STR("-.inf");
    shortest_float(fabsf(f), text, sizeof(text));
    char *e = strchr(text, 'e');
    int exponent = (int)strtol(e + 1, NULL, 10);
    for (const char *p = text; p < e; p++)
        if (*p != '.')
            digits[n++] = *p;
    const char *sign = signbit(f) ? "-" : "";
    if (exponent >= -4 && exponent < 6) {
        str plain = spell_float(a, str_of(digits, n), exponent);
        return str_fmt(a, "%s%.*s", sign, STR_ARG(plain));
    }
    return str_fmt(a, "%s%s", sign, text);
}

bool yaml_key_text(struct arena *a, const struct value *key, str *out)
{
    double d = 0;

    if (value_is_container(key))
        return false;
    switch (yaml_key_kind(key)) {
    case YKEY_STRING:
    case YKEY_INT:
        *out = value_text(key);
        return true;
    case YKEY_BOOL:
        *out = key->truth ? STR("true") : STR("false");
        return true;
    case YKEY_FLOAT:
        if ((key->tag & RAW_WHAT) == RAW_INF)
            d = key->text[0] == '+' ? INFINITY : key->text[0] == '-' ? -INFINITY : NAN;
        else
            (void)number_to_double(value_text(key), &d);
        *out = float_key(a, d);
        return true;
    default:
        return false;
    }
}

/* ---- Order. ---- */

/* The number that s begins with, after first, wrapping around; *digits is how long it is. */
static int64_t leading_number(str s, uint64_t first, size_t *digits)
{
    size_t width;

    for (*digits = 0; s.len; ++*digits) {
        uint32_t rune = utf8_decode(s, &width);
        if (!unicode_is_digit(rune))
            break;
        first = first * 10 + rune - '0';
        s = str_from(s, width);
    }
    return (int64_t)first;
}

/* Whether the digits that s ends with are not all zeros. */
static bool ends_with_number(str s)
{
    size_t width;

    while (s.len) {
        uint32_t rune = utf8_decode_last(s, &width);
        if (!unicode_is_digit(rune))
            return false;
        if (rune != '0')
            return true;
        s.len -= width;
    }
    return false;
}

/* Both differ at i, and neither has a letter there. */
static int compare_numbers(str x, str y, size_t i, int by_rune)
{
    bool zero = x.ptr[i] == '0' || y.ptr[i] == '0';
    uint64_t first = zero && ends_with_number(str_slice(x, 0, i));
    size_t x_digits, y_digits;
    int64_t x_number = leading_number(str_from(x, i), first, &x_digits);
    int64_t y_number = leading_number(str_from(y, i), first, &y_digits);

    if (x_number != y_number)
        return x_number < y_number ? -1 : 1;
    if (x_digits != y_digits)
        return x_digits < y_digits ? -1 : 1;
    return by_rune;
}

/* The first place where both differ, moved back to the beginning of its character. */
static size_t first_difference(str x, str y)
{
    size_t i = 0, shorter = x.len < y.len ? x.len : y.len;

    while (i < shorter && x.ptr[i] == y.ptr[i])
        i++;
    if (i < shorter)
        while (i > 0 && ((uint8_t)x.ptr[i] & 0xC0) == 0x80)
            i--;
    return i;
}

static bool ends_with_digit(str s)
{
    size_t width;

    return s.len && unicode_is_digit(utf8_decode_last(s, &width));
}

/* letters_first: version 3 of Go's library puts a letter first where it follows a digit. */
static int compare_keys(str x, str y, bool letters_first)
{
    size_t width, i = first_difference(x, y);

    if (i >= x.len || i >= y.len)
        return (x.len > y.len) - (x.len < y.len);
    uint32_t rx = utf8_decode(str_from(x, i), &width), ry = utf8_decode(str_from(y, i), &width);
    bool lx = unicode_is_letter(rx), ly = unicode_is_letter(ry);
    int by_rune = rx < ry ? -1 : 1;
    if (lx && ly)
        return by_rune;
    if (lx || ly)
        return ly != (letters_first && ends_with_digit(str_slice(x, 0, i))) ? -1 : 1;
    return compare_numbers(x, y, i, by_rune);
}

int yaml_key_compare(str x, str y)
{
    return compare_keys(x, y, false);
}

int yaml_key_compare_pretty(str x, str y)
{
    return compare_keys(x, y, true);
}
