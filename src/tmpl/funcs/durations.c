/* SPDX-License-Identifier: Apache-2.0 */
/*
 * durations.c - what templates see of months, weekdays and durations: how they print and their
 * methods.
 */
#include "base/clock.h"
#include "tmpl/funcs/objects.h"
#include "tmpl/funcs/times.h"

static void name_or_number(struct buf *out, const char *name, const char *type, int64_t i)
{
    if (name)
        buf_add(out, str_c(name));
    else
        buf_fmt(out, "%%!%s(%llu)", type, (unsigned long long)i);
}

void month_string(struct rt *rt, struct tv v, struct buf *out)
{
    (void)rt;
    name_or_number(out, gotime_month_name(v.i), "Month", v.i);
}

void weekday_string(struct rt *rt, struct tv v, struct buf *out)
{
    (void)rt;
    name_or_number(out, gotime_weekday_name(v.i), "Weekday", v.i);
}

void duration_string(struct rt *rt, struct tv v, struct buf *out)
{
    (void)rt;
    duration_format(out, v.i);
}

/* String of any of them. */
static bool to_string(struct tmpl_call *c)
{
    return return_str(c, tv_to_str(c->rt, c->self));
}

const struct tmpl_func month_methods[] = {
    METHOD("String", "func() string", to_string),
    {0},
};

const struct tmpl_func weekday_methods[] = {
    METHOD("String", "func() string", to_string),
    {0},
};

static bool duration_abs(struct tmpl_call *c)
{
    int64_t ns = c->self.i;

    return return_type(c, TV_DURATION, ns >= 0 ? ns : ns == INT64_MIN ? INT64_MAX : -ns);
}

/* As Go divides: whole units and the rest apart, so that no digit is lost. */
static bool return_units(struct tmpl_call *c, int64_t ns)
{
    int64_t whole = c->self.i / ns, rest = c->self.i % ns;

    return return_float(c, (double)whole + (double)rest / (double)ns);
}

static bool duration_hours(struct tmpl_call *c)
{
    return return_units(c, 3600 * NS_PER_SEC);
}

static bool duration_minutes(struct tmpl_call *c)
{
    return return_units(c, 60 * NS_PER_SEC);
}

static bool duration_seconds(struct tmpl_call *c)
{
    return return_units(c, NS_PER_SEC);
}

static bool duration_milliseconds(struct tmpl_call *c)
{
    return return_int(c, c->self.i / 1000000);
}

static bool duration_microseconds(struct tmpl_call *c)
{
    return return_int(c, c->self.i / 1000);
}

static bool duration_nanoseconds(struct tmpl_call *c)
{
    return return_int(c, c->self.i);
}

static bool duration_to_multiple(struct tmpl_call *c)
{
    return return_type(c, TV_DURATION, duration_round(c->self.i, arg_int(c, 0)));
}

static bool duration_down(struct tmpl_call *c)
{
    return return_type(c, TV_DURATION, duration_truncate(c->self.i, arg_int(c, 0)));
}

const struct tmpl_func duration_methods[] = {
    METHOD("Abs", "func() time.Duration", duration_abs),
    METHOD("Hours", "func() float64", duration_hours),
    METHOD("Microseconds", "func() int64", duration_microseconds),
    METHOD("Milliseconds", "func() int64", duration_milliseconds),
    METHOD("Minutes", "func() float64", duration_minutes),
    METHOD("Nanoseconds", "func() int64", duration_nanoseconds),
    METHOD("Round", "func(time.Duration) time.Duration", duration_to_multiple),
    METHOD("Seconds", "func() float64", duration_seconds),
    METHOD("String", "func() string", to_string),
    METHOD("Truncate", "func(time.Duration) time.Duration", duration_down),
    {0},
};
