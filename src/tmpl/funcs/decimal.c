/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decimal.c - addf, subf, mulf, divf: exact decimal arithmetic, as shopspring/decimal does it.
 *
 * A float enters as its shortest digits and the result leaves as the nearest float64, so that 0.1 +
 * 0.2 is 0.3. Quotients have 16 places after the point, rounded half away from zero.
 */
#include "tmpl/funcs/common.h"
#include "tmpl/funcs/families.h"

#include "value/number.h"

#include <math.h>

#define DIVISION_PLACES 16
#define OPERATION_STEPS 20 /* of numbers with few digits */

/* A magnitude with sign: digits * 10^exp. Digits count from the lowest. */
struct decimal {
    bool negative;
    uint8_t *digits;
    size_t len; /* without leading zeros; 0 is zero */
    int64_t exp;
};

static void drop_leading_zeros(struct decimal *d)
{
    while (d->len && d->digits[d->len - 1] == 0)
        d->len--;
}

static struct decimal from_double(struct arena *a, double f)
{
    char text[NUMBER_MAX];
    int point = 0;
    size_t n = number_digits(text, fabs(f), &point);
    struct decimal d = {.negative = f < 0, .len = n, .exp = point - (int64_t)n};

    d.digits = ARENA_ARRAY(a, uint8_t, n);
    for (size_t i = 0; i < n; i++)
        d.digits[i] = (uint8_t)(text[n - 1 - i] - '0');
    drop_leading_zeros(&d);
    if (!d.len)
        d.exp = 0;
    return d;
}

/* The nearest float64; too large is infinite. */
static double to_double(struct arena *a, const struct decimal *d)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    double f = 0;

    if (!d->len)
        return 0;
    if (d->negative)
        buf_char(&b, '-');
    for (size_t i = d->len; i > 0; i--)
        buf_char(&b, (char)('0' + d->digits[i - 1]));
    buf_fmt(&b, "e%lld", (long long)d->exp);
    number_to_double(buf_str(&b), &f);
    return f;
}

/* The same value with more zeros at the end, so that exp becomes smaller. */
static struct decimal rescale(struct arena *a, const struct decimal *d, int64_t exp)
{
    size_t zeros = (size_t)(d->exp - exp);
    struct decimal out = *d;

    out.digits = ARENA_ARRAY(a, uint8_t, d->len + zeros);
    if (d->len)
        memcpy(out.digits + zeros, d->digits, d->len);
    out.len = d->len ? d->len + zeros : 0;
    out.exp = exp;
    return out;
}

static int compare_magnitude(const struct decimal *x, const struct decimal *y)
{
    if (x->len != y->len)
        return x->len < y->len ? -1 : 1;
    for (size_t i = x->len; i > 0; i--)
        if (x->digits[i - 1] != y->digits[i - 1])
            return x->digits[i - 1] < y->digits[i - 1] ? -1 : 1;
    return 0;
}

/* x + y or, with x the larger one, x - y, of magnitudes with the same exponent. */
static struct decimal combine(struct arena *a, const struct decimal *x, const struct decimal *y,
                              bool subtract)
{
    size_t n = (x->len > y->len ? x->len : y->len) + 1;
    struct decimal out = {.digits = ARENA_ARRAY(a, uint8_t, n), .len = n, .exp = x->exp};
    int carry = 0;

    for (size_t i = 0; i < n; i++) {
        int dx = i < x->len ? x->digits[i] : 0, dy = i < y->len ? y->digits[i] : 0;
        int sum = subtract ? dx - dy + carry : dx + dy + carry;
        carry = sum < 0 ? -1 : sum / 10;
        out.digits[i] = (uint8_t)(sum < 0 ? sum + 10 : sum % 10);
    }
    drop_leading_zeros(&out);
    return out;
}

static struct decimal add(struct arena *a, const struct decimal *x, const struct decimal *y)
{
    int64_t exp = x->exp < y->exp ? x->exp : y->exp;
    struct decimal p = rescale(a, x, exp), q = rescale(a, y, exp), out;

    if (p.negative == q.negative) {
        out = combine(a, &p, &q, false);
        out.negative = p.negative;
    } else if (compare_magnitude(&p, &q) >= 0) {
        out = combine(a, &p, &q, true);
        out.negative = p.negative;
    } else {
        out = combine(a, &q, &p, true);
        out.negative = q.negative;
    }
    return out;
}

static struct decimal subtract(struct arena *a, const struct decimal *x, const struct decimal *y)
{
    struct decimal negated = *y;

    negated.negative = !y->negative;
    return add(a, x, &negated);
}

static struct decimal multiply(struct arena *a, const struct decimal *x, const struct decimal *y)
{
    size_t n = x->len + y->len;
    struct decimal out = {.negative = x->negative != y->negative,
                          .digits = ARENA_ARRAY(a, uint8_t, n + 1),
                          .len = n,
                          .exp = x->exp + y->exp};

    for (size_t i = 0; i < x->len; i++) {
        unsigned carry = 0;
        for (size_t j = 0; j < y->len || carry; j++) {
            unsigned sum = out.digits[i + j] + carry +
                           (j < y->len ? (unsigned)x->digits[i] * y->digits[j] : 0);
            out.digits[i + j] = (uint8_t)(sum % 10);
            carry = sum / 10;
        }
    }
    drop_leading_zeros(&out);
    return out;
}

/* Takes y off rest as often as it goes: one digit of a quotient. */
static uint8_t take_off(struct arena *a, struct decimal *rest, const struct decimal *y)
{
    uint8_t times = 0;

    for (; compare_magnitude(rest, y) >= 0; times++)
        *rest = combine(a, rest, y, true);
    return times;
}

/* rest * 10 + digit. */
static void bring_down(struct arena *a, struct decimal *rest, uint8_t digit)
{
    struct decimal longer = rescale(a, rest, rest->exp - 1);

    if (!longer.len) {
        longer.digits = ARENA_ARRAY(a, uint8_t, 1);
        longer.len = 1;
    }
    longer.digits[0] = digit;
    longer.exp = rest->exp;
    drop_leading_zeros(&longer);
    *rest = longer;
}

/* |x| / |y| as integers, rounded half up. */
static struct decimal divide_integers(struct arena *a, const struct decimal *x,
                                      const struct decimal *y)
{
    struct decimal q = {.digits = ARENA_ARRAY(a, uint8_t, x->len + 1), .len = x->len};
    struct decimal rest = {.digits = ARENA_ARRAY(a, uint8_t, 1)}, twice;
    uint8_t unit = 1;
    struct decimal one = {.digits = &unit, .len = 1};

    for (size_t i = x->len; i > 0; i--) {
        bring_down(a, &rest, x->digits[i - 1]);
        q.digits[i - 1] = take_off(a, &rest, y);
    }
    drop_leading_zeros(&q);
    twice = combine(a, &rest, &rest, false);
    return compare_magnitude(&twice, y) >= 0 ? combine(a, &q, &one, false) : q;
}

static struct decimal divide(struct arena *a, const struct decimal *x, const struct decimal *y)
{
    int64_t shift = x->exp - y->exp + DIVISION_PLACES;
    struct decimal p = *x, q = *y, out;

    p.exp = q.exp = 0;
    if (shift >= 0)
        p = rescale(a, &p, -shift);
    else
        q = rescale(a, &q, shift);
    p.exp = q.exp = 0;
    out = divide_integers(a, &p, &q);
    out.negative = x->negative != y->negative;
    out.exp = -DIVISION_PLACES;
    return out;
}

typedef struct decimal operation(struct arena *a, const struct decimal *x, const struct decimal *y);

static bool make(struct tmpl_call *c, struct tv v, struct decimal *out)
{
    double f = as_float64(v);

    if (isnan(f))
        return call_fail(c, "Cannot create a Decimal from NaN");
    if (isinf(f))
        return call_fail(c, "Cannot create a Decimal from %s", f > 0 ? "+Inf" : "-Inf");
    *out = from_double(c->arena, f);
    return true;
}

/* first op args[from] op args[from + 1] ... */
static bool fold(struct tmpl_call *c, struct tv first, size_t from, operation *op)
{
    struct decimal sum = {0}, d = {0};

    if (!make(c, first, &sum))
        return false;
    for (size_t i = from; i < c->count; i++) {
        if (!make(c, c->args[i], &d))
            return false;
        if (op == divide && !d.len)
            return call_fail(c, "decimal division by 0");
        if (!call_room(c, 64 * (sum.len + 2000)) || !call_steps(c, OPERATION_STEPS + sum.len))
            return false;
        sum = op(c->arena, &sum, &d);
    }
    return return_float(c, to_double(c->arena, &sum));
}

static bool fn_addf(struct tmpl_call *c)
{
    return fold(c, tv_float(0), 0, add);
}

static bool fn_add1f(struct tmpl_call *c)
{
    struct tv args[] = {c->args[0], tv_float(1)};
    struct tmpl_call two = *c;
    bool ok;

    two.args = args;
    two.count = 2;
    ok = fold(&two, args[0], 1, add);
    c->result = two.result;
    c->error = two.error;
    c->error_kind = two.error_kind;
    return ok;
}

static bool fn_subf(struct tmpl_call *c)
{
    return fold(c, arg_tv(c, 0), 1, subtract);
}

static bool fn_mulf(struct tmpl_call *c)
{
    return fold(c, arg_tv(c, 0), 1, multiply);
}

static bool fn_divf(struct tmpl_call *c)
{
    return fold(c, arg_tv(c, 0), 1, divide);
}

const struct tmpl_func tmpl_decimal_funcs[] = {
    {"add1f", "func(any) float64", SPRIG, fn_add1f, "One more, with decimals", "{{ add1f 1.5 }}"},
    {"addf", "func(...any) float64", SPRIG, fn_addf, "The sum of decimals", "{{ addf 0.1 0.2 }}"},
    {"divf", "func(any, ...any) float64", SPRIG, fn_divf, "Divide decimals", "{{ divf 10 4 }}"},
    {"mulf", "func(any, ...any) float64", SPRIG, fn_mulf, "The product of decimals",
     "{{ mulf 1.5 2 }}"},
    {"subf", "func(any, ...any) float64", SPRIG, fn_subf, "Subtract decimals",
     "{{ subf 7.5 2 3 }}"},
    {0},
};
