/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fmt_number.c - strconv: floats in every layout, and quoting.
 */
#include "tmpl/fmt.h"

#include "base/unicode.h"
#include "value/number.h"

#include <math.h>

/* ---- Floats --------------------------------------------------------------------------------- */

/* Digits of a number without leading or trailing zeros: 0.DIGITS * 10^point. */
struct digits {
    const char *text;
    int count, point;
};

#define EXACT_MAX 1100 /* digits of the longest double, written in full */

/* The shortest digits that read back. */
static struct digits shortest_digits(char *space, double f)
{
    struct digits d = {.text = space};

    d.count = (int)number_digits(space, f, &d.point);
    if (f == 0)
        d.count = d.point = 0;
    return d;
}

/* The digits of f rounded exactly to count significant ones (at least one). */
static struct digits rounded_digits(char *space, size_t size, double f, int count)
{
    struct digits d = {.text = space};
    int n = count > EXACT_MAX - 32 ? EXACT_MAX - 32 : count;
    char *e;

    snprintf(space, size, "%.*e", n - 1, f);
    e = strchr(space, 'e');
    d.point = (int)strtol(e + 1, NULL, 10) + 1;
    if (n > 1)
        memmove(space + 1, space + 2, (size_t)n - 1);
    d.count = n;
    while (d.count > 0 && space[d.count - 1] == '0')
        d.count--;
    if (d.count == 0)
        d.point = 0;
    return d;
}

static char digit_at(const struct digits *d, int i)
{
    return i >= 0 && i < d->count ? d->text[i] : '0';
}

static void layout_e(struct buf *out, const struct digits *d, int precision, char verb)
{
    int exp = d->count ? d->point - 1 : 0;

    buf_char(out, digit_at(d, 0));
    if (precision > 0) {
        buf_char(out, '.');
        for (int i = 1; i <= precision && i < d->count; i++)
            buf_char(out, d->text[i]);
        if (precision >= d->count)
            buf_repeat(out, '0', (size_t)(precision - (d->count > 1 ? d->count - 1 : 0)));
    }
    buf_fmt(out, "%c%c%02d", verb, exp < 0 ? '-' : '+', exp < 0 ? -exp : exp);
}

static void layout_f(struct buf *out, const struct digits *d, int precision)
{
    if (d->point > 0)
        for (int i = 0; i < d->point; i++)
            buf_char(out, digit_at(d, i));
    else
        buf_char(out, '0');
    if (precision > 0) {
        buf_char(out, '.');
        for (int i = 0; i < precision; i++)
            buf_char(out, digit_at(d, d->point + i));
    }
}

static void layout_g(struct buf *out, const struct digits *d, int precision, bool shortest,
                     char verb)
{
    int limit = precision, exp = d->point - 1;

    if (limit > d->count && d->count >= d->point)
        limit = d->count;
    if (shortest)
        limit = 6;
    if (exp < -4 || exp >= limit) {
        if (precision > d->count)
            precision = d->count;
        layout_e(out, d, precision - 1, (char)(verb + 'e' - 'g'));
        return;
    }
    if (precision > d->point)
        precision = d->count;
    layout_f(out, d, precision > d->point ? precision - d->point : 0);
}

/* %f with a precision: C's printf is exact and rounds ties to even, as Go does. */
static void exact_f(struct buf *out, double f, int precision)
{
    int n = snprintf(NULL, 0, "%.*f", precision, f);
    char *room = buf_room(out, (size_t)n + 1);

    if (!room)
        return;
    snprintf(room, (size_t)n + 1, "%.*f", precision, f);
    buf_wrote(out, (size_t)n);
}

/* The 53 bits of the mantissa, and the biased exponent that goes with them. */
static uint64_t float_parts(double f, int *exp)
{
    uint64_t bits, mantissa;

    memcpy(&bits, &f, sizeof(bits));
    mantissa = bits & ((UINT64_C(1) << 52) - 1);
    *exp = (int)(bits >> 52 & 0x7ff);
    if (*exp == 0)
        ++*exp;
    else
        mantissa |= UINT64_C(1) << 52;
    return mantissa;
}

/* %b: mantissa and power of two. */
static void layout_b(struct buf *out, double f)
{
    int exp;
    uint64_t mantissa = float_parts(f, &exp);

    exp -= 1023 + 52;
    buf_fmt(out, "%llup%+d", (unsigned long long)mantissa, exp);
}

/* Rounds the mantissa of %x, one digit before and precision after the point, to even. */
static uint64_t round_hex(uint64_t mantissa, int precision, int *exp)
{
    int shift = precision * 4;
    uint64_t extra = (mantissa << shift) & ((UINT64_C(1) << 60) - 1);

    mantissa >>= 60 - shift;
    if ((extra | (mantissa & 1)) > UINT64_C(1) << 59)
        mantissa++;
    mantissa <<= 60 - shift;
    if (mantissa & UINT64_C(1) << 61) {
        mantissa >>= 1;
        ++*exp;
    }
    return mantissa;
}

/* %x: hexadecimal mantissa and power of two. */
static void layout_x(struct buf *out, double f, int precision, bool upper)
{
    const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    int exp;
    uint64_t mantissa = float_parts(f, &exp);

    exp -= 1023;
    if (mantissa == 0)
        exp = 0;
    mantissa <<= 60 - 52;
    while (mantissa != 0 && !(mantissa & UINT64_C(1) << 60)) {
        mantissa <<= 1;
        exp--;
    }
    if (precision >= 0 && precision < 15)
        mantissa = round_hex(mantissa, precision, &exp);
    buf_fmt(out, "0%c%c", upper ? 'X' : 'x', '0' + (int)(mantissa >> 60 & 1));
    mantissa <<= 4;
    if ((precision < 0 && mantissa != 0) || precision > 0)
        buf_char(out, '.');
    for (int i = 0; precision < 0 ? mantissa != 0 : i < precision; i++, mantissa <<= 4)
        buf_char(out, digits[mantissa >> 60 & 15]);
    buf_fmt(out, "%c%c%02d", upper ? 'P' : 'p', exp < 0 ? '-' : '+', exp < 0 ? -exp : exp);
}

static void layout_shortest(struct buf *out, double f, char verb)
{
    char space[NUMBER_MAX];
    struct digits d = shortest_digits(space, f);

    if (verb == 'e' || verb == 'E')
        layout_e(out, &d, d.count > 1 ? d.count - 1 : 0, verb);
    else if (verb == 'f')
        layout_f(out, &d, d.count > d.point ? d.count - d.point : 0);
    else
        layout_g(out, &d, d.count, true, verb);
}

static void layout_rounded(struct buf *out, double f, char verb, int precision)
{
    char space[EXACT_MAX];
    struct digits d;

    if (verb == 'f') {
        exact_f(out, f, precision);
    } else if (verb == 'e' || verb == 'E') {
        d = rounded_digits(space, sizeof(space), f, precision + 1);
        layout_e(out, &d, precision, verb);
    } else {
        precision = precision ? precision : 1;
        d = rounded_digits(space, sizeof(space), f, precision);
        layout_g(out, &d, precision, false, verb);
    }
}

void go_float(struct buf *out, double f, char verb, int precision)
{
    if (isnan(f)) {
        buf_add(out, STR("NaN"));
        return;
    }
    if (isinf(f)) {
        buf_add(out, f > 0 ? STR("+Inf") : STR("-Inf"));
        return;
    }
    if (signbit(f)) {
        buf_char(out, '-');
        f = -f;
    }
    if (verb == 'b')
        layout_b(out, f);
    else if (verb == 'x' || verb == 'X')
        layout_x(out, f, precision, verb == 'X');
    else if (precision < 0)
        layout_shortest(out, f, verb);
    else
        layout_rounded(out, f, verb, precision);
}

/* ---- Texts of messages ----------------------------------------------------------------------- */

str str_first_runes(str s, size_t count)
{
    size_t at = 0, width;

    for (; count && at < s.len; count--, at += width)
        utf8_decode(str_from(s, at), &width);
    return str_slice(s, 0, at);
}

void go_quote_short(struct buf *out, str s)
{
    go_quote(out, str_first_runes(s, 10));
}

void go_rune(struct buf *out, uint32_t rune)
{
    buf_fmt(out, "U+%04X", rune);
    if (unicode_is_print(rune)) {
        buf_add(out, STR(" '"));
        buf_rune(out, rune);
        buf_char(out, '\'');
    }
}
