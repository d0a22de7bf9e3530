/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.c - exact decimal text and Go's floats; see number.h.
 *
 * A valid number is split into sign, significant digits and a power of ten (struct decimal), on
 * which comparison and hashing work without ever rounding. The digits stay where they are in the
 * text; the point is skipped while reading them.
 */
#include "value/number.h"

#include <float.h>
#include <math.h>

enum { DIGITS_MAX = 17 }; /* always enough for a double */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t count_digits(str s, size_t i)
{
    size_t n = 0;

    while (i + n < s.len && is_digit(s.ptr[i + n]))
        n++;
    return n;
}

bool number_is_valid(str s)
{
    size_t i = s.len && s.ptr[0] == '-', n = count_digits(s, i);

    if (!n || (n > 1 && s.ptr[i] == '0'))
        return false;
    i += n;
    if (i < s.len && s.ptr[i] == '.') {
        n = count_digits(s, i + 1);
        if (!n)
            return false;
        i += 1 + n;
    }
    if (i < s.len && (s.ptr[i] == 'e' || s.ptr[i] == 'E')) {
        i++;
        i += i < s.len && (s.ptr[i] == '+' || s.ptr[i] == '-');
        n = count_digits(s, i);
        if (!n)
            return false;
        i += n;
    }
    return i == s.len;
}

bool number_is_integer(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] == '.' || s.ptr[i] == 'e' || s.ptr[i] == 'E')
            return false;
    return true;
}

/* 0.D1D2D3... * 10^exponent, D1 and the last digit not 0; zero has no digits. */
struct decimal {
    bool negative;
    str digits; /* may contain one point, which is not a digit */
    int64_t exponent;
};

/* Exponents of more digits are all alike: no text is long enough to bring them into reach. */
enum { EXPONENT_DIGITS = 18 };
#define EXPONENT_MAX INT64_C(1000000000000000000)

static int64_t read_exponent(str s)
{
    bool negative = str_has_prefix(s, STR("-"));
    int64_t n = 0;

    if (negative || str_has_prefix(s, STR("+")))
        s = str_from(s, 1);
    while (s.len && s.ptr[0] == '0')
        s = str_from(s, 1);
    if (s.len > EXPONENT_DIGITS)
        n = EXPONENT_MAX;
    else
        for (size_t i = 0; i < s.len; i++)
            n = n * 10 + (s.ptr[i] - '0');
    return negative ? -n : n;
}

static struct decimal read_decimal(str s)
{
    struct decimal d = {.negative = s.ptr[0] == '-'};
    size_t mark = 0, point, zeros = 0;

    s = str_from(s, d.negative);
    while (mark < s.len && s.ptr[mark] != 'e' && s.ptr[mark] != 'E')
        mark++;
    str digits = str_slice(s, 0, mark);
    point = str_find_char(digits, '.');
    d.exponent = (int64_t)(point == STR_NPOS ? digits.len : point);
    while (digits.len && (digits.ptr[0] == '0' || digits.ptr[0] == '.')) {
        zeros += digits.ptr[0] == '0';
        digits = str_from(digits, 1);
    }
    while (digits.len && (digits.ptr[digits.len - 1] == '0' || digits.ptr[digits.len - 1] == '.')) {
        /* Zeros before the point count for the exponent, which is already known. */
        digits.len--;
    }
    d.digits = digits;
    d.exponent -= (int64_t)zeros;
    if (mark < s.len)
        d.exponent += read_exponent(str_from(s, mark + 1));
    if (!digits.len)
        d = (struct decimal){0};
    return d;
}

/* The next digit, or -1 at the end. */
static int next_digit(str *digits)
{
    if (digits->len && digits->ptr[0] == '.')
        *digits = str_from(*digits, 1);
    if (!digits->len)
        return -1;
    int digit = digits->ptr[0] - '0';
    *digits = str_from(*digits, 1);
    return digit;
}

static int compare_magnitude(struct decimal x, struct decimal y)
{
    if (!x.digits.len || !y.digits.len)
        return (x.digits.len > 0) - (y.digits.len > 0);
    if (x.exponent != y.exponent)
        return x.exponent < y.exponent ? -1 : 1;
    for (;;) {
        int dx = next_digit(&x.digits), dy = next_digit(&y.digits);
        if (dx != dy)
            return dx < dy ? -1 : 1;
        if (dx < 0)
            return 0;
    }
}

int number_compare(str x, str y)
{
    if (str_eq(x, y))
        return 0;
    struct decimal dx = read_decimal(x), dy = read_decimal(y);
    if (dx.negative != dy.negative)
        return dx.negative ? -1 : 1;
    int order = compare_magnitude(dx, dy);
    return dx.negative ? -order : order;
}

/* ---- One spelling. ---- */

enum { WHOLE_MAX = 40, SMALLEST = -5 }; /* exponents that are spelled with zeros */

static size_t digit_count(str digits)
{
    return digits.len - (str_find_char(digits, '.') != STR_NPOS);
}

/* The next n digits, zeros behind the last. */
static void add_digits(struct buf *out, str *digits, int64_t n)
{
    for (; n > 0; n--) {
        int digit = next_digit(digits);
        buf_char(out, (char)('0' + (digit < 0 ? 0 : digit)));
    }
}

static void add_fraction(struct buf *out, str digits, int64_t zeros)
{
    if (!digits.len)
        return;
    buf_char(out, '.');
    buf_repeat(out, '0', (size_t)zeros);
    add_digits(out, &digits, (int64_t)digit_count(digits));
}

void number_plain(struct buf *out, str s)
{
    struct decimal d = read_decimal(s);
    int64_t count = (int64_t)digit_count(d.digits), at = d.exponent;
    bool plain = at > SMALLEST - 1 && (at <= WHOLE_MAX || at < count);

    if (d.negative && count)
        buf_char(out, '-');
    if (!count || (plain && at <= 0))
        buf_char(out, '0');
    if (!count)
        return;
    add_digits(out, &d.digits, plain ? at : 1);
    add_fraction(out, d.digits, plain && at < 0 ? -at : 0);
    if (!plain)
        buf_fmt(out, "e%c%lld", at - 1 < 0 ? '-' : '+', llabs((long long)at - 1));
}

uint64_t number_hash(str s)
{
    struct decimal d = read_decimal(s);
    struct {
        uint64_t hash;
        char digits[24];
    } block = {.hash = (uint64_t)d.exponent * 2 + d.negative};
    size_t len = 0;

    /* In blocks through str_hash, which is seeded: sums of digits would collide on purpose. */
    for (int digit; (digit = next_digit(&d.digits)) >= 0;) {
        block.digits[len++] = (char)digit;
        if (len < sizeof(block.digits))
            continue;
        block.hash = str_hash(str_of((const char *)&block, sizeof(block)));
        len = 0;
    }
    return str_hash(str_of((const char *)&block, sizeof(block.hash) + len));
}

/* strtod rounds correctly whatever the number of digits; only its end of text needs care. */
bool number_to_double(str s, double *out)
{
    char small[64];

    if (s.len < sizeof(small)) {
        memcpy(small, s.ptr, s.len);
        small[s.len] = '\0';
        *out = strtod(small, NULL);
    } else {
        AUTO_ARENA a = arena_new();
        *out = strtod(str_z(a, s), NULL);
    }
    return !isinf(*out);
}

/* The magnitude of a whole number that fits 64 bits. */
static bool read_whole(str s, bool *negative, uint64_t *out)
{
    struct decimal d = read_decimal(s);
    uint64_t n = 0;

    *negative = d.negative;
    *out = 0;
    if (d.exponent > 20)
        return false;
    for (int64_t place = d.exponent; place > 0; place--) {
        int digit = next_digit(&d.digits);
        if (__builtin_mul_overflow(n, 10, &n) ||
            __builtin_add_overflow(n, (uint64_t)(digit < 0 ? 0 : digit), &n))
            return false;
    }
    *out = n;
    return next_digit(&d.digits) < 0;
}

bool number_to_u64(str s, uint64_t *out)
{
    bool negative;

    return read_whole(s, &negative, out) && !negative;
}

bool number_to_i64(str s, int64_t *out)
{
    bool negative;
    uint64_t n;

    if (!read_whole(s, &negative, &n) || n > (uint64_t)INT64_MAX + negative)
        return false;
    *out = negative ? (int64_t)(0 - n) : (int64_t)n;
    return true;
}

/* ---- Shortest digits. ---- */

static bool reads_back(const char *digits, size_t len, int exponent, double d)
{
    char text[NUMBER_MAX];

    snprintf(text, sizeof(text), "%c.%.*se%d", digits[0], (int)len - 1, digits + 1, exponent);
    return strtod(text, NULL) == d;
}

/* The next larger number with as many digits. */
static void increment(char *digits, size_t len, int *exponent)
{
    size_t i = len;

    while (i > 0 && digits[i - 1] == '9')
        digits[--i] = '0';
    if (i > 0) {
        digits[i - 1]++;
        return;
    }
    digits[0] = '1';
    ++*exponent;
}

/* The len digits nearest to d, and the exponent of the first. */
static void nearest(char digits[NUMBER_MAX], size_t len, double d, int *exponent)
{
    char text[NUMBER_MAX];

    snprintf(text, sizeof(text), "%.*e", (int)len - 1, d);
    digits[0] = text[0];
    memcpy(digits + 1, text + 2, len - 1);
    *exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
}

/*
 * Tries ever more digits. A normal double that has a text of at most DBL_DIG digits shows it when
 * printed with DBL_DIG, zeros at its end apart, so the search may begin there. Just above a power
 * of two the double below is nearer than the one above, so the nearest decimal may fail where its
 * upper neighbour reads back: that one is tried too (2^-44 is 5.684341886080802e-14).
 */
static size_t shortest(char digits[NUMBER_MAX], double d, int *exponent)
{
    for (size_t len = d < DBL_MIN ? 1 : DBL_DIG;; len++) {
        nearest(digits, len, d, exponent);
        if (len >= DIGITS_MAX || reads_back(digits, len, *exponent, d))
            return len;
        increment(digits, len, exponent);
        if (reads_back(digits, len, *exponent, d))
            return len;
    }
}

size_t number_digits(char out[NUMBER_MAX], double d, int *point)
{
    int exponent;

    assert(isfinite(d));
    if (d == 0) {
        out[0] = '0';
        *point = 1;
        return 1;
    }
    size_t len = shortest(out, fabs(d), &exponent);
    while (len > 1 && out[len - 1] == '0')
        len--;
    *point = exponent + 1;
    return len;
}

static size_t put_exponent(char *out, const char *digits, size_t len, int exponent, bool padded)
{
    size_t n = 0;

    out[n++] = digits[0];
    if (len > 1) {
        out[n++] = '.';
        memcpy(out + n, digits + 1, len - 1);
        n += len - 1;
    }
    return n + (size_t)snprintf(out + n, 8, padded ? "e%c%02d" : "e%c%d", exponent < 0 ? '-' : '+',
                                abs(exponent));
}

static size_t put_plain(char *out, const char *digits, size_t len, int point)
{
    size_t n = 0;

    if (point <= 0) {
        out[n++] = '0';
        out[n++] = '.';
        for (int i = point; i < 0; i++)
            out[n++] = '0';
    }
    for (size_t i = 0; i < len; i++) {
        if (point > 0 && i == (size_t)point)
            out[n++] = '.';
        out[n++] = digits[i];
    }
    for (int i = (int)len; i < point; i++)
        out[n++] = '0';
    return n;
}

size_t number_format(char out[NUMBER_MAX], double d, enum number_style style)
{
    /* From which exponents on a number is written with one. */
    static const struct {
        int lowest, highest;
        bool padded;
    } layouts[] = {
        [NUMBER_JSON] = {-6, 21, false},
        [NUMBER_G] = {-4, 6, true},
    };
    char digits[NUMBER_MAX];
    int point;
    size_t len = number_digits(digits, d, &point), n = 0;
    int exponent = point - 1;

    if (signbit(d))
        out[n++] = '-';
    if (exponent < layouts[style].lowest || exponent >= layouts[style].highest)
        return n + put_exponent(out + n, digits, len, exponent, layouts[style].padded);
    return n + put_plain(out + n, digits, len, point);
}
