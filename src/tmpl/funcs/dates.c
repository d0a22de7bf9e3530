/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dates.c - Sprig's functions for dates and durations.
 */
#include "tmpl/funcs/families.h"

#include "base/clock.h"
#include "tmpl/funcs/times.h"

/* Times as they are, int and int64 as seconds since 1970, anything else as now. */
static struct gotime moment_of(struct tmpl_call *c, struct tv v)
{
    switch (v.type) {
    case TV_TIME:
        return time_of(v);
    case TV_INT:
    case TV_INT64:
        return gotime_unix(v.i, 0, local_zone(c->rt));
    default:
        return gotime_now(local_zone(c->rt));
    }
}

static bool format_in(struct tmpl_call *c, str layout, struct tv date, const struct zone *z)
{
    struct buf b = call_buf(c);

    if (!pay_for_layout(c, layout))
        return false;
    gotime_format(&b, gotime_in(moment_of(c, date), z), layout);
    return return_call_buf(c, &b);
}

/* A zone that there is not is UTC. */
static const struct zone *zone_named(struct tmpl_call *c, str name)
{
    const struct zone *z;

    if (str_eq(name, STR("Local")))
        return local_zone(c->rt);
    return zone_find(c->arena, name, &z, NULL) ? z : NULL;
}

#define HTML_DATE STR("2006-01-02")

static bool fn_date(struct tmpl_call *c)
{
    return format_in(c, arg_str(c, 0), arg_tv(c, 1), local_zone(c->rt));
}

static bool fn_date_in_zone(struct tmpl_call *c)
{
    return format_in(c, arg_str(c, 0), arg_tv(c, 1), zone_named(c, arg_str(c, 2)));
}

static bool fn_html_date(struct tmpl_call *c)
{
    return format_in(c, HTML_DATE, arg_tv(c, 0), local_zone(c->rt));
}

static bool fn_html_date_in_zone(struct tmpl_call *c)
{
    return format_in(c, HTML_DATE, arg_tv(c, 0), zone_named(c, arg_str(c, 1)));
}

static bool fn_now(struct tmpl_call *c)
{
    return return_time(c, gotime_now(local_zone(c->rt)));
}

static bool fn_ago(struct tmpl_call *c)
{
    struct buf b = call_buf(c);
    int64_t ns = gotime_sub(gotime_now(NULL), moment_of(c, arg_tv(c, 0)));

    duration_format(&b, duration_round(ns, NS_PER_SEC));
    return return_call_buf(c, &b);
}

/* Durations can have a term for every two bytes. */
MUST_CHECK static bool pay_for_duration(struct tmpl_call *c, str text)
{
    return call_steps(c, text.len);
}

static bool fn_date_modify(struct tmpl_call *c)
{
    struct gotime t = time_of(arg_tv(c, 1));
    int64_t ns;

    if (!pay_for_duration(c, arg_str(c, 0)))
        return false;
    return return_time(c, duration_parse(arg_str(c, 0), &ns, NULL) ? gotime_add(t, ns) : t);
}

static bool fn_must_date_modify(struct tmpl_call *c)
{
    AUTO_ERR e = {0};
    int64_t ns;

    if (!pay_for_duration(c, arg_str(c, 0)))
        return false;
    if (!duration_parse(arg_str(c, 0), &ns, &e))
        return call_fail_str(c, str_copy(c->arena, e.text));
    return return_time(c, gotime_add(time_of(arg_tv(c, 1)), ns));
}

static bool fn_to_date(struct tmpl_call *c)
{
    struct gotime t;

    if (!pay_for_layout(c, arg_str(c, 0)))
        return false;
    if (!gotime_parse(c->arena, arg_str(c, 0), arg_str(c, 1), local_zone(c->rt), &t, NULL))
        t = gotime_zero();
    return return_time(c, t);
}

static bool fn_must_to_date(struct tmpl_call *c)
{
    AUTO_ERR e = {0};
    struct gotime t;

    if (!pay_for_layout(c, arg_str(c, 0)))
        return false;
    if (!gotime_parse(c->arena, arg_str(c, 0), arg_str(c, 1), local_zone(c->rt), &t, &e))
        return call_fail_str(c, str_copy(c->arena, e.text));
    return return_time(c, t);
}

static bool fn_unix_epoch(struct tmpl_call *c)
{
    return return_str(c, str_fmt(c->arena, "%lld", (long long)time_of(arg_tv(c, 0)).sec));
}

/* strconv.ParseInt(s, 10, 64), whose value out of range is the nearest one. */
static int64_t leading_seconds(str s)
{
    int64_t n;

    if (str_to_i64(s, &n))
        return n;
    for (size_t i = s.len && (s.ptr[0] == '-' || s.ptr[0] == '+'); i < s.len; i++)
        if (s.ptr[i] < '0' || s.ptr[i] > '9')
            return 0;
    if (s.len < 19)
        return 0;
    return s.ptr[0] == '-' ? INT64_MIN : INT64_MAX;
}

static bool fn_duration(struct tmpl_call *c)
{
    struct buf b = call_buf(c);
    struct tv v = arg_tv(c, 0);
    int64_t seconds = 0;

    if (v.type == TV_STRING)
        seconds = leading_seconds(tv_text(v));
    else if (v.type == TV_INT64)
        seconds = v.i;
    duration_format(&b, (int64_t)((uint64_t)seconds * (uint64_t)NS_PER_SEC));
    return return_call_buf(c, &b);
}

/* The nanoseconds that durationRound is about. */
static int64_t span_of(struct tv v)
{
    int64_t ns = 0;

    if (v.type == TV_STRING)
        return duration_parse(tv_text(v), &ns, NULL) ? ns : 0;
    if (v.type == TV_INT64)
        return v.i;
    return v.type == TV_TIME ? gotime_sub(gotime_now(NULL), time_of(v)) : 0;
}

static bool fn_duration_round(struct tmpl_call *c)
{
    static const struct {
        uint64_t seconds;
        const char *unit;
    } units[] = {
        {31536000, "y"}, {2592000, "mo"}, {86400, "d"}, {3600, "h"}, {60, "m"}, {1, "s"},
    };
    struct tv v = arg_tv(c, 0);

    if (v.type == TV_STRING && !pay_for_duration(c, tv_text(v)))
        return false;
    int64_t ns = span_of(v);
    uint64_t magnitude = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

    for (size_t i = 0; i < COUNT(units); i++) {
        uint64_t unit = units[i].seconds * (uint64_t)NS_PER_SEC;
        if (magnitude > unit)
            return return_str(c, str_fmt(c->arena, "%llu%s", (unsigned long long)(magnitude / unit),
                                         units[i].unit));
    }
    return return_str(c, STR("0s"));
}

#define IN_ZONE "func(string, any, string) string"
#define MODIFY "func(string, time.Time) time.Time"
#define MUST_MODIFY "func(string, time.Time) (time.Time, error)"

const struct tmpl_func tmpl_date_funcs[] = {
    {"ago", "func(any) string", SPRIG, fn_ago, "How long ago a date is, to the second",
     "{{ ago .created }}"},
    {"date", "func(string, any) string", SPRIG, fn_date,
     "A date in the local time zone, written by a layout", "{{ now | date \"2006-01-02\" }}"},
    {"dateInZone", IN_ZONE, SPRIG, fn_date_in_zone, "A date in a time zone, written by a layout",
     "{{ dateInZone \"15:04 MST\" now \"Europe/Berlin\" }}"},
    {"dateModify", MODIFY, SPRIG, fn_date_modify,
     "Add a duration to a date; a wrong duration adds nothing", "{{ now | dateModify \"-1.5h\" }}"},
    {"date_in_zone", IN_ZONE, SPRIG, fn_date_in_zone, "The same as dateInZone",
     "{{ date_in_zone \"15:04 MST\" now \"UTC\" }}"},
    {"date_modify", MODIFY, SPRIG, fn_date_modify, "The same as dateModify",
     "{{ now | date_modify \"24h\" }}"},
    {"duration", "func(any) string", SPRIG, fn_duration, "Seconds as a duration",
     "{{ duration \"95\" }}"},
    {"durationRound", "func(any) string", SPRIG, fn_duration_round,
     "A duration in its largest unit", "{{ durationRound \"2h10m5s\" }}"},
    {"htmlDate", "func(any) string", SPRIG, fn_html_date,
     "A date as HTML date pickers take it, in the local time zone", "{{ now | htmlDate }}"},
    {"htmlDateInZone", "func(any, string) string", SPRIG, fn_html_date_in_zone,
     "A date as HTML date pickers take it, in a time zone", "{{ htmlDateInZone now \"UTC\" }}"},
    {"mustDateModify", MUST_MODIFY, SPRIG, fn_must_date_modify,
     "Add a duration to a date; fail when it is wrong", "{{ now | mustDateModify \"-1.5h\" }}"},
    {"mustToDate", "func(string, string) (time.Time, error)", SPRIG, fn_must_to_date,
     "Read a date by a layout; fail when it does not fit",
     "{{ mustToDate \"2006-01-02\" \"2024-02-29\" }}"},
    {"must_date_modify", MUST_MODIFY, SPRIG, fn_must_date_modify, "The same as mustDateModify",
     "{{ now | must_date_modify \"24h\" }}"},
    {"now", "func() time.Time", SPRIG, fn_now, "The current date and time", "{{ now.Year }}"},
    {"toDate", "func(string, string) time.Time", SPRIG, fn_to_date,
     "Read a date by a layout; the year 1 when it does not fit",
     "{{ (toDate \"2006-01-02\" \"2024-02-29\").Weekday }}"},
    {"unixEpoch", "func(time.Time) string", SPRIG, fn_unix_epoch, "Seconds since 1970",
     "{{ now | unixEpoch }}"},
    {0},
};
