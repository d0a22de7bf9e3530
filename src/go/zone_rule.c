/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zone_rule.c - the rule at the end of a zone file, in the format of the TZ variable in POSIX.
 */
#include "go/zone_internal.h"

#include "go/time.h"

#define HOUR 3600
#define DAY 86400

/* ---- Parsing: each function takes its part off *s ---- */

static bool take_char(str *s, char c)
{
    if (!s->len || s->ptr[0] != c)
        return false;
    *s = str_from(*s, 1);
    return true;
}

static bool take_number(str *s, int min, int max, int *out)
{
    size_t n = 0;

    *out = 0;
    for (; n < s->len && s->ptr[n] >= '0' && s->ptr[n] <= '9'; n++) {
        *out = *out * 10 + (s->ptr[n] - '0');
        if (*out > max)
            return false;
    }
    *s = str_from(*s, n);
    return n > 0 && *out >= min;
}

/* Letters, three at least, or anything between < and >. */
static bool take_name(str *s, str *out)
{
    size_t n = 0;

    if (s->len && s->ptr[0] == '<') {
        n = str_find_char(*s, '>');
        if (n == STR_NPOS)
            return false;
        *out = str_slice(*s, 1, n);
        *s = str_from(*s, n + 1);
        return true;
    }
    while (n < s->len && !strchr("0123456789,-+", s->ptr[n]))
        n++;
    *out = str_slice(*s, 0, n);
    *s = str_from(*s, n);
    return n >= 3;
}

/* "[+-]hh[:mm[:ss]]" in seconds. */
static bool take_offset(str *s, int *out)
{
    bool negative = false;
    int hours, minutes = 0, seconds = 0;

    if (!take_char(s, '+'))
        negative = take_char(s, '-');
    if (!take_number(s, 0, 24 * 7, &hours))
        return false;
    if (take_char(s, ':')) {
        if (!take_number(s, 0, 59, &minutes))
            return false;
        if (take_char(s, ':') && !take_number(s, 0, 59, &seconds))
            return false;
    }
    *out = hours * HOUR + minutes * 60 + seconds;
    if (negative)
        *out = -*out;
    return true;
}

static bool take_day(str *s, struct zone_change *out)
{
    if (take_char(s, 'J')) {
        out->kind = ZONE_DAY_JULIAN;
        return take_number(s, 1, 365, &out->day);
    }
    if (take_char(s, 'M')) {
        out->kind = ZONE_DAY_OF_WEEK;
        return take_number(s, 1, 12, &out->month) && take_char(s, '.') &&
               take_number(s, 1, 5, &out->week) && take_char(s, '.') &&
               take_number(s, 0, 6, &out->day);
    }
    out->kind = ZONE_DAY_OF_YEAR;
    return take_number(s, 0, 365, &out->day);
}

static bool take_change(str *s, struct zone_change *out)
{
    if (!take_day(s, out))
        return false;
    out->time = 2 * HOUR;
    return !take_char(s, '/') || take_offset(s, &out->time);
}

/* The part after the standard time. */
static bool take_dst(str s, struct zone_rule *r)
{
    int offset = r->std_offset + HOUR;

    r->has_dst = true;
    if (!take_name(&s, &r->dst_name))
        return false;
    if (s.len && s.ptr[0] != ',') {
        if (!take_offset(&s, &offset))
            return false;
        offset = -offset;
    }
    r->dst_offset = offset;
    if (!s.len)
        s = STR(",M3.2.0,M11.1.0");
    return (take_char(&s, ',') || take_char(&s, ';')) && take_change(&s, &r->to_dst) &&
           take_char(&s, ',') && take_change(&s, &r->to_std) && !s.len;
}

bool zone_rule_parse(str s, struct zone_rule *out)
{
    int offset;

    *out = (struct zone_rule){0};
    if (!take_name(&s, &out->std_name) || !take_offset(&s, &offset))
        return false;
    out->std_offset = -offset;
    return !s.len || s.ptr[0] == ',' || take_dst(s, out);
}

/* ---- Applying ---- */

/* The day of the year, from 0, of the week-th weekday of a month. */
static int day_of_week(int64_t year, const struct zone_change *c)
{
    int first = gotime_weekday(gotime_days(year, c->month, 1));
    int day = (c->day - first + 7) % 7;

    for (int i = 1; i < c->week && day + 7 < gotime_days_in(year, c->month); i++)
        day += 7;
    return (int)(gotime_days(year, c->month, 1) - gotime_days(year, 1, 1)) + day;
}

/* Seconds from the start of a year in UTC to a change; offset is the one before it. */
static int64_t change_in(int64_t year, const struct zone_change *c, int32_t offset)
{
    int day = c->day;

    if (c->kind == ZONE_DAY_JULIAN)
        day += (gotime_days_in(year, 2) == 29 && c->day >= 60) - 1;
    else if (c->kind == ZONE_DAY_OF_WEEK)
        day = day_of_week(year, c);
    return (int64_t)day * DAY + c->time - offset;
}

/* A time in the year that begins at start; wraps in years that only hostile input has. */
static int64_t moment(int64_t start, int64_t sec)
{
    return (int64_t)((uint64_t)start + (uint64_t)sec);
}

struct zone_span zone_rule_at(const struct zone_rule *r, int64_t last, int64_t sec)
{
    struct zone_span std = {r->std_name, r->std_offset, false, last, INT64_MAX};
    struct zone_span dst = {r->dst_name, r->dst_offset, true, 0, 0}, *outer = &std, *inner = &dst;
    int64_t year, from, to, year_start;

    if (!r->has_dst)
        return std;
    year = gotime_fields(gotime_unix(sec, 0, NULL)).year;
    year_start = (int64_t)((uint64_t)gotime_days(year, 1, 1) * DAY);
    from = change_in(year, &r->to_dst, r->std_offset);
    to = change_in(year, &r->to_std, r->dst_offset);
    if (to < from) { /* the southern hemisphere: the year begins in summer */
        int64_t swap = from;
        from = to;
        to = swap;
        outer = &dst;
        inner = &std;
    }
    inner->start = moment(year_start, from);
    inner->end = moment(year_start, to);
    if (sec >= inner->start && sec < inner->end)
        return *inner;
    outer->start = sec < inner->start ? year_start : inner->end;
    outer->end = sec < inner->start ? inner->start : moment(year_start, 365 * (int64_t)DAY);
    return *outer;
}
