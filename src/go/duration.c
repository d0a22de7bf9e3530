/* SPDX-License-Identifier: Apache-2.0 */
/*
 * duration.c - formats, parses and rounds durations as Go does; see go/time.h.
 */
#include "go/time_internal.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"

/* ---- Rounding and writing ---- */

int64_t duration_truncate(int64_t ns, int64_t multiple)
{
    return multiple <= 0 ? ns : ns - ns % multiple;
}

int64_t duration_round(int64_t ns, int64_t multiple)
{
    int64_t rest, out;

    if (multiple <= 0)
        return ns;
    rest = ns % multiple;
    if (ns < 0) {
        if (gotime_less_than_half(-rest, multiple))
            return ns - rest;
        return __builtin_sub_overflow(ns, multiple + rest, &out) ? INT64_MIN : out;
    }
    if (gotime_less_than_half(rest, multiple))
        return ns - rest;
    return __builtin_add_overflow(ns, multiple - rest, &out) ? INT64_MAX : out;
}

/* Appends whole, with part as a fraction of that many digits; trailing zeros are dropped. */
static void add_fraction(struct buf *out, uint64_t whole, uint64_t part, int digits)
{
    while (digits && part % 10 == 0) {
        part /= 10;
        digits--;
    }
    buf_fmt(out, "%llu", (unsigned long long)whole);
    if (digits)
        buf_fmt(out, ".%0*llu", digits, (unsigned long long)part);
}

void duration_format(struct buf *out, int64_t ns)
{
    uint64_t u = ns < 0 ? -(uint64_t)ns : (uint64_t)ns, second = (uint64_t)NS_PER_SEC;

    if (ns < 0)
        buf_char(out, '-');
    if (u >= second) {
        if (u >= 3600 * second)
            buf_fmt(out, "%lluh", (unsigned long long)(u / (3600 * second)));
        if (u >= 60 * second)
            buf_fmt(out, "%llum", (unsigned long long)(u / (60 * second) % 60));
        add_fraction(out, u / second % 60, u % second, 9);
        buf_char(out, 's');
    } else if (u >= 1000000) {
        add_fraction(out, u / 1000000, u % 1000000, 6);
        buf_add(out, STR("ms"));
    } else if (u >= 1000) {
        add_fraction(out, u / 1000, u % 1000, 3);
        buf_add(out, STR("\u00b5s"));
    } else if (u) {
        buf_fmt(out, "%lluns", (unsigned long long)u);
    } else {
        buf_add(out, STR("0s"));
    }
}

/* ---- Reading ---- */

static bool bad_duration(str whole, struct err *e)
{
    if (!e)
        return false; /* no message needed, and quoting costs more than parsing */
    AUTO_ARENA a = arena_new();

    return err_set(e, ERR_INVALID, "time: invalid duration %.*s", STR_ARG(gotime_quoted(a, whole)));
}

static bool bad_unit(str unit, str whole, struct err *e)
{
    if (!e)
        return false;
    AUTO_ARENA a = arena_new();

    if (!unit.len)
        return err_set(e, ERR_INVALID, "time: missing unit in duration %.*s",
                       STR_ARG(gotime_quoted(a, whole)));
    return err_set(e, ERR_INVALID, "time: unknown unit %.*s in duration %.*s",
                   STR_ARG(gotime_quoted(a, unit)), STR_ARG(gotime_quoted(a, whole)));
}

/* The digits of a fraction as part / *scale; those that do not fit into 64 bits are dropped. */
static uint64_t take_part(str *s, double *scale)
{
    uint64_t part = 0;
    bool full = false;
    size_t n = 0;

    *scale = 1;
    for (; go_digit_at(*s, n); n++) {
        uint64_t digit = (uint64_t)(s->ptr[n] - '0');
        full = full || part > INT64_MAX / 10 || part * 10 + digit > UINT64_C(1) << 63;
        if (full)
            continue;
        part = part * 10 + digit;
        *scale *= 10;
    }
    *s = str_from(*s, n);
    return part;
}

static uint64_t unit_ns(str unit)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {
        {"ns", 1},       {"us", 1000},      {"\u00b5s", 1000},      {"\u03bcs", 1000},
        {"ms", 1000000}, {"s", NS_PER_SEC}, {"m", 60 * NS_PER_SEC}, {"h", 3600 * NS_PER_SEC},
    };

    for (size_t i = 0; i < COUNT(units); i++)
        if (str_eq(unit, str_c(units[i].name)))
            return (uint64_t)units[i].ns;
    return 0;
}

/* Letters up to the next number. */
static str take_unit(str *s)
{
    size_t n = 0;
    str unit;

    while (n < s->len && s->ptr[n] != '.' && !go_digit_at(*s, n))
        n++;
    unit = str_slice(*s, 0, n);
    *s = str_from(*s, n);
    return unit;
}

/* "1.5h" off the start of *s, added to *sum, which stays at or below 2^63. */
static bool take_term(str *s, str whole, uint64_t *sum, struct err *e)
{
    size_t before = s->len;
    uint64_t n, part = 0, unit;
    str name;
    double scale = 1;
    bool any;

    if (!gotime_take_digits(s, &n))
        return bad_duration(whole, e);
    any = s->len != before;
    if (s->len && s->ptr[0] == '.') {
        *s = str_from(*s, 1);
        before = s->len;
        part = take_part(s, &scale);
        any = any || s->len != before;
    }
    if (!any)
        return bad_duration(whole, e);
    name = take_unit(s);
    unit = unit_ns(name);
    if (!unit)
        return bad_unit(name, whole, e);
    if (n > (UINT64_C(1) << 63) / unit)
        return bad_duration(whole, e);
    n = n * unit + (part ? (uint64_t)((double)part * ((double)unit / scale)) : 0);
    *sum += n;
    return (n <= UINT64_C(1) << 63 && *sum <= UINT64_C(1) << 63) || bad_duration(whole, e);
}

bool duration_parse(str s, int64_t *out, struct err *e)
{
    str whole = s;
    bool negative = s.len && s.ptr[0] == '-';
    uint64_t sum = 0;

    *out = 0;
    if (negative || (s.len && s.ptr[0] == '+'))
        s = str_from(s, 1);
    if (str_eq(s, STR("0")))
        return true;
    if (!s.len)
        return bad_duration(whole, e);
    while (s.len) {
        if (s.ptr[0] != '.' && !go_digit_at(s, 0))
            return bad_duration(whole, e);
        if (!take_term(&s, whole, &sum, e))
            return false;
    }
    if (!negative && sum > INT64_MAX)
        return bad_duration(whole, e);
    *out = (int64_t)(negative ? -sum : sum);
    return true;
}
