/* SPDX-License-Identifier: Apache-2.0 */
/*
 * math.c - number functions of templates. Those on decimals (addf and its like) are in decimal.c.
 *
 * Integers wrap around, as Go's do.
 */
#include "tmpl/funcs/common.h"
#include "tmpl/funcs/families.h"

#include <inttypes.h>
#include <math.h>

/* ---- Integers ------------------------------------------------------------------------------- */

static uint64_t arg_u(const struct tmpl_call *c, size_t i)
{
    return (uint64_t)as_int64(c->args[i]);
}

static bool fn_add(struct tmpl_call *c)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < c->count; i++)
        sum += arg_u(c, i);
    return return_int(c, (int64_t)sum);
}

static bool fn_add1(struct tmpl_call *c)
{
    return return_int(c, (int64_t)(arg_u(c, 0) + 1));
}

static bool fn_sub(struct tmpl_call *c)
{
    return return_int(c, (int64_t)(arg_u(c, 0) - arg_u(c, 1)));
}

static bool fn_mul(struct tmpl_call *c)
{
    uint64_t product = arg_u(c, 0);

    for (size_t i = 1; i < c->count; i++)
        product *= arg_u(c, i);
    return return_int(c, (int64_t)product);
}

static bool fn_div(struct tmpl_call *c)
{
    int64_t a = as_int64(arg_tv(c, 0)), b = as_int64(arg_tv(c, 1));

    if (b == 0)
        return call_fail(c, "runtime error: integer divide by zero");
    return return_int(c, b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b);
}

static bool fn_mod(struct tmpl_call *c)
{
    int64_t a = as_int64(arg_tv(c, 0)), b = as_int64(arg_tv(c, 1));

    if (b == 0)
        return call_fail(c, "runtime error: integer divide by zero");
    return return_int(c, b == -1 ? 0 : a % b);
}

static bool fn_max(struct tmpl_call *c)
{
    int64_t best = as_int64(arg_tv(c, 0));

    for (size_t i = 1; i < c->count; i++)
        if (as_int64(c->args[i]) > best)
            best = as_int64(c->args[i]);
    return return_int(c, best);
}

static bool fn_min(struct tmpl_call *c)
{
    int64_t best = as_int64(arg_tv(c, 0));

    for (size_t i = 1; i < c->count; i++)
        if (as_int64(c->args[i]) < best)
            best = as_int64(c->args[i]);
    return return_int(c, best);
}

static bool fn_rand_int(struct tmpl_call *c)
{
    int64_t low = arg_int(c, 0), span;

    if (__builtin_sub_overflow(arg_int(c, 1), low, &span) || span <= 0)
        return call_fail(c, "invalid argument to Intn");
    if (!call_steps(c, RANDOM_STEPS))
        return false;
    return return_int(c, low + (int64_t)random_below((uint64_t)span));
}

/* ---- Floats --------------------------------------------------------------------------------- */

static double max_of(double x, double y)
{
    if (isinf(x) || isinf(y))
        return x > 0 && isinf(x)      ? x
               : y > 0 && isinf(y)    ? y
               : isnan(x) || isnan(y) ? x + y
               : x > y                ? x
                                      : y;
    if (isnan(x) || isnan(y))
        return x + y;
    if (x == 0 && y == 0)
        return signbit(x) ? y : x;
    return x > y ? x : y;
}

static bool fn_maxf(struct tmpl_call *c)
{
    double best = as_float64(arg_tv(c, 0));

    for (size_t i = 1; i < c->count; i++)
        best = max_of(best, as_float64(c->args[i]));
    return return_float(c, best);
}

static bool fn_minf(struct tmpl_call *c)
{
    double best = as_float64(arg_tv(c, 0));

    for (size_t i = 1; i < c->count; i++)
        best = -max_of(-best, -as_float64(c->args[i]));
    return return_float(c, best);
}

static bool fn_floor(struct tmpl_call *c)
{
    return return_float(c, floor(as_float64(arg_tv(c, 0))));
}

static bool fn_ceil(struct tmpl_call *c)
{
    return return_float(c, ceil(as_float64(arg_tv(c, 0))));
}

/*
 * Go's math.Pow(10, n), which multiplies squares of the mantissa: its last bits can differ from
 * those of C's pow.
 */
static double power_of_ten(int64_t n)
{
    int xe, ae = 0;
    double x1 = frexp(10, &xe), a1 = 1;

    for (uint64_t i = n < 0 ? 0 - (uint64_t)n : (uint64_t)n; i; i >>= 1) {
        if (xe < -(1 << 12) || xe > 1 << 12) {
            ae += xe;
            break;
        }
        if (i & 1) {
            a1 *= x1;
            ae += xe;
        }
        x1 *= x1;
        xe *= 2;
        if (x1 < .5) {
            x1 += x1;
            xe--;
        }
    }
    if (n < 0) {
        a1 = 1 / a1;
        ae = -ae;
    }
    return ldexp(a1, ae);
}

static bool fn_round(struct tmpl_call *c)
{
    double round_on = c->count > 2 ? c->args[2].f : .5, whole;
    double power = power_of_ten(arg_int(c, 1)), digit = power * as_float64(arg_tv(c, 0));

    if (modf(digit, &whole) >= round_on)
        return return_float(c, ceil(digit) / power);
    return return_float(c, floor(digit) / power);
}

/* ---- Conversion ----------------------------------------------------------------------------- */

static bool fn_to_int(struct tmpl_call *c)
{
    return return_int(c, as_int64(arg_tv(c, 0)));
}

static bool fn_to_float(struct tmpl_call *c)
{
    return return_float(c, as_float64(arg_tv(c, 0)));
}

static bool fn_to_decimal(struct tmpl_call *c)
{
    int64_t i = 0;

    return return_int(c, go_parse_int(tv_to_str(c->rt, arg_tv(c, 0)), 8, &i) ? i : 0);
}

/* ---- Sequences ------------------------------------------------------------------------------ */

/* How many numbers a walk from start towards stop visits. */
static size_t steps_of(int64_t start, int64_t stop, int64_t step)
{
    uint64_t distance, width;

    if (step == 0 || (stop < start) != (step < 0) || stop == start)
        return 0;
    distance = step < 0 ? (uint64_t)start - (uint64_t)stop : (uint64_t)stop - (uint64_t)start;
    width = step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
    return (size_t)((distance - 1) / width + 1);
}

static bool ints(struct tmpl_call *c, int64_t start, int64_t stop, int64_t step)
{
    size_t n = steps_of(start, stop, step);
    struct tv list;

    if (!call_steps(c, n) || !call_room(c, n * sizeof(struct tv)))
        return false;
    list = tv_list_new(c->rt, TV_INTS, n);
    for (size_t i = 0; i < n; i++)
        list.list->items[i] = tv_int((int64_t)((uint64_t)start + i * (uint64_t)step));
    return return_tv(c, list);
}

static bool fn_until(struct tmpl_call *c)
{
    return ints(c, 0, arg_int(c, 0), arg_int(c, 0) < 0 ? -1 : 1);
}

static bool fn_until_step(struct tmpl_call *c)
{
    return ints(c, arg_int(c, 0), arg_int(c, 1), arg_int(c, 2));
}

/* The numbers from start to stop with blanks between. */
static bool seq_text(struct tmpl_call *c, int64_t start, int64_t stop, int64_t step)
{
    size_t n = steps_of(start, stop, step);
    struct buf b = call_buf(c);

    if (!call_steps(c, 2 * (uint64_t)n))
        return false;
    for (size_t i = 0; i < n && !b.overflow; i++)
        buf_fmt(&b, i ? " %" PRId64 : "%" PRId64, (int64_t)((uint64_t)start + i * (uint64_t)step));
    return return_call_buf(c, &b);
}

static bool fn_seq(struct tmpl_call *c)
{
    int64_t start = 1, step, end, towards;

    if (c->count == 0 || c->count > 3)
        return return_str(c, STR_NONE);
    end = arg_int(c, c->count - 1);
    if (c->count > 1)
        start = arg_int(c, 0);
    towards = end < start ? -1 : 1;
    step = c->count == 3 ? arg_int(c, 1) : towards;
    if (c->count == 3 && end < start && step > 0)
        return return_str(c, STR_NONE);
    return seq_text(c, start, (int64_t)((uint64_t)end + (uint64_t)towards), step);
}

const struct tmpl_func tmpl_math_funcs[] = {
    {"add", "func(...any) int64", SPRIG, fn_add, "The sum of integers", "{{ add 1 2 3 }}"},
    {"add1", "func(any) int64", SPRIG, fn_add1, "One more", "{{ add1 4 }}"},
    {"biggest", "func(any, ...any) int64", SPRIG, fn_max, "As max", "{{ biggest 1 2 }}"},
    {"ceil", "func(any) float64", SPRIG, fn_ceil, "Round up", "{{ ceil 1.2 }}"},
    {"div", "func(any, any) int64", SPRIG, fn_div, "Divide integers, cutting the rest",
     "{{ div 7 2 }}"},
    {"float64", "func(any) float64", SPRIG, fn_to_float, "Anything as a float64",
     "{{ float64 \"1.5\" }}"},
    {"floor", "func(any) float64", SPRIG, fn_floor, "Round down", "{{ floor 1.8 }}"},
    {"int", "func(any) int", SPRIG, fn_to_int, "Anything as an int", "{{ int \"12\" }}"},
    {"int64", "func(any) int64", SPRIG, fn_to_int, "Anything as an int64", "{{ int64 1.9 }}"},
    {"max", "func(any, ...any) int64", SPRIG, fn_max, "The largest integer", "{{ max 1 2 3 }}"},
    {"maxf", "func(any, ...any) float64", SPRIG, fn_maxf, "The largest number", "{{ maxf 1.5 2 }}"},
    {"min", "func(any, ...any) int64", SPRIG, fn_min, "The smallest integer", "{{ min 1 2 3 }}"},
    {"minf", "func(any, ...any) float64", SPRIG, fn_minf, "The smallest number",
     "{{ minf 1.5 2 }}"},
    {"mod", "func(any, any) int64", SPRIG, fn_mod, "The rest of a division", "{{ mod 7 2 }}"},
    {"mul", "func(any, ...any) int64", SPRIG, fn_mul, "The product of integers", "{{ mul 2 3 }}"},
    {"randInt", "func(int, int) int", SPRIG, fn_rand_int, "A random integer from a to below b",
     "{{ randInt 12 30 }}"},
    {"round", "func(any, int, ...float64) float64", SPRIG, fn_round,
     "Round to places, up from a fraction on (0.5)", "{{ round 123.5555 3 }}"},
    {"seq", "func(...int) string", SPRIG, fn_seq, "Numbers with blanks between", "{{ seq 1 2 9 }}"},
    {"sub", "func(any, any) int64", SPRIG, fn_sub, "Subtract integers", "{{ sub 5 2 }}"},
    {"toDecimal", "func(any) int64", SPRIG, fn_to_decimal, "An octal text as an integer",
     "{{ toDecimal \"777\" }}"},
    {"until", "func(int) []int", SPRIG, fn_until, "The integers from 0 to below n",
     "{{ until 5 }}"},
    {"untilStep", "func(int, int, int) []int", SPRIG, fn_until_step,
     "The integers from a to below b in steps", "{{ untilStep 3 6 2 }}"},
    {0},
};
