/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time_parse.c - parses times by a layout.
 */
#include "go/time_internal.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"

#define UNSET (-1)

/* What has been read so far. */
struct parse {
    struct arena *arena;
    str value;         /* the rest */
    const char *range; /* which part is out of range, or NULL */
    int64_t year;
    int month, day, yearday; /* UNSET: not given */
    int hour, minute, second;
    int64_t nsec;
    bool is_am, is_pm, is_utc;
    int32_t offset; /* UNSET: not given. Upstream: one second west of UTC is the same */
    str zone_name;
};

/* ---- Numbers ---- */

bool gotime_take_digits(str *s, uint64_t *out)
{
    size_t n = 0;

    *out = 0;
    for (; go_digit_at(*s, n); n++) {
        if (*out > (UINT64_C(1) << 63) / 10)
            return false;
        *out = *out * 10 + (uint64_t)(s->ptr[n] - '0');
        if (*out > UINT64_C(1) << 63)
            return false;
    }
    *s = str_from(*s, n);
    return true;
}

/* The whole of s, with a sign or not; "" is 0. */
static bool to_number(str s, int64_t *out)
{
    bool negative = s.len && s.ptr[0] == '-';
    uint64_t n;

    if (negative || (s.len && s.ptr[0] == '+'))
        s = str_from(s, 1);
    if (!gotime_take_digits(&s, &n) || s.len)
        return false;
    *out = (int64_t)(negative ? -n : n);
    return true;
}

/* One or two digits; two when fixed. */
static bool take_two(str *s, bool fixed, int *out)
{
    *out = 0;
    if (!go_digit_at(*s, 0) || (fixed && !go_digit_at(*s, 1)))
        return false;
    *out = s->ptr[0] - '0';
    if (go_digit_at(*s, 1))
        *out = *out * 10 + (s->ptr[1] - '0');
    *s = str_from(*s, go_digit_at(*s, 1) ? 2 : 1);
    return true;
}

/* Up to three digits; three when fixed. */
static bool take_three(str *s, bool fixed, int *out)
{
    size_t n = 0;

    *out = 0;
    for (; n < 3 && go_digit_at(*s, n); n++)
        *out = *out * 10 + (s->ptr[n] - '0');
    if (!n || (fixed && n != 3))
        return false;
    *s = str_from(*s, n);
    return true;
}

/* As take_two; at least low, below high, else out of range. */
static bool take_ranged(struct parse *p, bool fixed, int low, int high, const char *what, int *out)
{
    if (!take_two(&p->value, fixed, out))
        return false;
    if (*out < low || *out >= high)
        p->range = what;
    return true;
}

/* ---- Elements ---- */

/* Takes one of count names, of width bytes unless that is 0. *out is its index. */
static bool take_name(str *s, const char *(*name)(int64_t), int first, int count, size_t width,
                      int *out)
{
    for (int i = first; i < first + count; i++) {
        str want = str_c(name(i));
        if (width)
            want.len = width;
        if (!str_eq_fold(str_slice(*s, 0, want.len), want))
            continue;
        *s = str_from(*s, want.len);
        *out = i;
        return true;
    }
    return false;
}

static bool take_short_year(struct parse *p)
{
    if (p->value.len < 2 || !to_number(str_slice(p->value, 0, 2), &p->year))
        return false;
    p->year += p->year >= 69 ? 1900 : 2000;
    p->value = str_from(p->value, 2);
    return true;
}

static bool take_long_year(struct parse *p)
{
    if (p->value.len < 4 || !go_digit_at(p->value, 0) ||
        !to_number(str_slice(p->value, 0, 4), &p->year))
        return false;
    p->value = str_from(p->value, 4);
    return true;
}

static void skip_space(struct parse *p)
{
    if (p->value.len && p->value.ptr[0] == ' ')
        p->value = str_from(p->value, 1);
}

static bool is_point(str s)
{
    return s.len && (s.ptr[0] == '.' || s.ptr[0] == ',');
}

/* Takes a fraction of so many bytes, including its point. Digits after the ninth are ignored. */
static bool take_fraction(struct parse *p, size_t bytes)
{
    str s = str_slice(p->value, 0, bytes < 10 ? bytes : 10);

    if (p->value.len < bytes || !is_point(s) || !to_number(str_from(s, 1), &p->nsec))
        return false;
    p->value = str_from(p->value, bytes);
    if (p->nsec < 0)
        p->range = "fractional second";
    for (size_t i = s.len; i < 10 && p->nsec > 0; i++)
        p->nsec *= 10;
    return true;
}

/* Takes a point and all digits after it, if there are any. */
static bool take_free_fraction(struct parse *p)
{
    size_t n = 1;

    if (!is_point(p->value) || !go_digit_at(p->value, 1))
        return true;
    while (go_digit_at(p->value, n))
        n++;
    return take_fraction(p, n);
}

/* A fraction may follow even when the layout has none. */
static bool take_second(struct parse *p, bool fixed, str rest_of_layout)
{
    if (!take_ranged(p, fixed, 0, 60, "second", &p->second))
        return false;
    if (p->range || gotime_next_chunk(rest_of_layout).element == ELEMENT_FRACTION)
        return true;
    return take_free_fraction(p);
}

static bool take_half(struct parse *p, str am, str pm)
{
    str two = str_slice(p->value, 0, 2);

    p->is_am = p->is_am || str_eq(two, am);
    p->is_pm = p->is_pm || str_eq(two, pm);
    p->value = str_from(p->value, 2);
    return str_eq(two, am) || str_eq(two, pm);
}

/* Two digits at a position of the value. */
static bool two_at(const struct parse *p, size_t at, int *out)
{
    str two = str_slice(p->value, at, at + 2);

    return take_two(&two, true, out);
}

static bool take_offset(struct parse *p, struct offset_shape shape)
{
    size_t colon = shape.has_colons, minutes_at = 3 + colon, seconds_at = minutes_at + 2 + colon;
    size_t len = shape.has_seconds ? seconds_at + 2 : shape.has_minutes ? minutes_at + 2 : 3;
    int hours, minutes = 0, seconds = 0;
    bool ok;

    if (shape.is_iso && p->value.len && p->value.ptr[0] == 'Z') {
        p->value = str_from(p->value, 1);
        p->is_utc = true;
        return true;
    }
    if (p->value.len < len || (colon && p->value.ptr[3] != ':') ||
        (colon && shape.has_seconds && p->value.ptr[6] != ':'))
        return false;
    ok = two_at(p, 1, &hours) && (!shape.has_minutes || two_at(p, minutes_at, &minutes)) &&
         (!shape.has_seconds || two_at(p, seconds_at, &seconds));
    if (hours > 24)
        p->range = "time zone offset hour";
    if (minutes > 60)
        p->range = "time zone offset minute";
    if (seconds > 60)
        p->range = "time zone offset second";
    p->offset = (hours * 60 + minutes) * 60 + seconds;
    if (p->value.ptr[0] == '-')
        p->offset = -p->offset;
    ok = ok && (p->value.ptr[0] == '-' || p->value.ptr[0] == '+');
    p->value = str_from(p->value, len);
    return ok;
}

/* The length of an offset such as "+3" or "-11", up to 23 hours; 0 when s is not one. */
static size_t signed_hours(str s)
{
    str rest = str_from(s, 1);
    size_t digits = rest.len;
    uint64_t hours;

    if (!s.len || (s.ptr[0] != '+' && s.ptr[0] != '-') || !gotime_take_digits(&rest, &hours))
        return 0;
    return rest.len < digits && hours <= 23 ? s.len - rest.len : 0;
}

/* The length of what looks like the abbreviation of a zone, or 0. */
static size_t zone_name_len(str s)
{
    size_t upper = 0;

    if (s.len < 3)
        return 0;
    if (str_has_prefix(s, STR("ChST")) || str_has_prefix(s, STR("MeST")))
        return 4;
    if (str_has_prefix(s, STR("GMT")))
        return 3 + signed_hours(str_from(s, 3));
    if (s.ptr[0] == '+' || s.ptr[0] == '-')
        return signed_hours(s);
    while (upper < 6 && upper < s.len && s.ptr[upper] >= 'A' && s.ptr[upper] <= 'Z')
        upper++;
    if (upper == 3 || (upper == 5 && s.ptr[4] == 'T'))
        return upper;
    return upper == 4 && (s.ptr[3] == 'T' || str_has_prefix(s, STR("WITA"))) ? 4 : 0;
}

static bool take_zone_name(struct parse *p)
{
    size_t n;

    if (str_has_prefix(p->value, STR("UTC"))) {
        p->is_utc = true;
        p->value = str_from(p->value, 3);
        return true;
    }
    n = zone_name_len(p->value);
    if (!n)
        return false;
    p->zone_name = str_slice(p->value, 0, n);
    p->value = str_from(p->value, n);
    return true;
}

static bool take_clock(struct parse *p, const struct gotime_chunk *c)
{
    switch (c->element) {
    case ELEMENT_HOUR:
        return take_ranged(p, false, 0, 24, "hour", &p->hour);
    case ELEMENT_HOUR12:
    case ELEMENT_ZERO_HOUR12:
        return take_ranged(p, c->element == ELEMENT_ZERO_HOUR12, 0, 13, "hour", &p->hour);
    case ELEMENT_MINUTE:
    case ELEMENT_ZERO_MINUTE:
        return take_ranged(p, c->element == ELEMENT_ZERO_MINUTE, 0, 60, "minute", &p->minute);
    case ELEMENT_SECOND:
    case ELEMENT_ZERO_SECOND:
        return take_second(p, c->element == ELEMENT_ZERO_SECOND, c->rest);
    case ELEMENT_UPPER_PM:
        return take_half(p, STR("AM"), STR("PM"));
    case ELEMENT_LOWER_PM:
        return take_half(p, STR("am"), STR("pm"));
    case ELEMENT_OFFSET:
        return take_offset(p, c->shape);
    case ELEMENT_ZONE_NAME:
        return take_zone_name(p);
    default: /* ELEMENT_FRACTION */
        return c->fraction_trims ? take_free_fraction(p) : take_fraction(p, 1 + (size_t)c->digits);
    }
}

static bool take_date(struct parse *p, const struct gotime_chunk *c)
{
    int ignored;

    switch (c->element) {
    case ELEMENT_YEAR:
        return take_short_year(p);
    case ELEMENT_LONG_YEAR:
        return take_long_year(p);
    case ELEMENT_MONTH:
        return take_name(&p->value, gotime_month_name, 1, 12, 3, &p->month);
    case ELEMENT_LONG_MONTH:
        return take_name(&p->value, gotime_month_name, 1, 12, 0, &p->month);
    case ELEMENT_NUM_MONTH:
    case ELEMENT_ZERO_MONTH:
        return take_ranged(p, c->element == ELEMENT_ZERO_MONTH, 1, 13, "month", &p->month);
    case ELEMENT_WEEKDAY:
        return take_name(&p->value, gotime_weekday_name, 0, 7, 3, &ignored);
    case ELEMENT_LONG_WEEKDAY:
        return take_name(&p->value, gotime_weekday_name, 0, 7, 0, &ignored);
    case ELEMENT_UNDER_DAY:
        skip_space(p);
        return take_two(&p->value, false, &p->day);
    case ELEMENT_DAY:
    case ELEMENT_ZERO_DAY:
        return take_two(&p->value, c->element == ELEMENT_ZERO_DAY, &p->day);
    case ELEMENT_UNDER_YEARDAY:
        skip_space(p);
        skip_space(p);
        return take_three(&p->value, false, &p->yearday);
    case ELEMENT_ZERO_YEARDAY:
        return take_three(&p->value, true, &p->yearday);
    default:
        return take_clock(p, c);
    }
}

/* ---- The whole ---- */

/* Skips the text between elements; a run of blanks matches any other, or none at the end. */
static bool skip_text(str *value, str prefix)
{
    while (prefix.len) {
        if (prefix.ptr[0] != ' ') {
            if (!value->len || value->ptr[0] != prefix.ptr[0])
                return false;
            prefix = str_from(prefix, 1);
            *value = str_from(*value, 1);
            continue;
        }
        if (value->len && value->ptr[0] != ' ')
            return false;
        while (prefix.len && prefix.ptr[0] == ' ')
            prefix = str_from(prefix, 1);
        while (value->len && value->ptr[0] == ' ')
            *value = str_from(*value, 1);
    }
    return true;
}

static bool cannot_parse(struct arena *a, str value, str layout, const str at[2], struct err *e)
{
    if (!e)
        return false; /* quoting costs more than parsing */
    return err_set(e, ERR_INVALID, "parsing time %.*s as %.*s: cannot parse %.*s as %.*s",
                   STR_ARG(gotime_quoted(a, value)), STR_ARG(gotime_quoted(a, layout)),
                   STR_ARG(gotime_quoted(a, at[0])), STR_ARG(gotime_quoted(a, at[1])));
}

static bool fails(struct arena *a, str value, const char *why, struct err *e)
{
    if (!e)
        return false;
    return err_set(e, ERR_INVALID, "parsing time %.*s: %s", STR_ARG(gotime_quoted(a, value)), why);
}

/* Takes all elements of the layout off p->value. */
static bool take_all(struct parse *p, str layout, struct err *e)
{
    str whole = p->value, rest = layout;

    for (;;) {
        struct gotime_chunk c = gotime_next_chunk(rest);
        str before;
        if (!skip_text(&p->value, c.prefix))
            return cannot_parse(p->arena, whole, layout, (str[]){p->value, c.prefix}, e);
        if (c.element == ELEMENT_NONE)
            break;
        before = p->value;
        if (!take_date(p, &c) && !p->range)
            return cannot_parse(p->arena, whole, layout, (str[]){before, c.text}, e);
        if (p->range)
            return fails(p->arena, whole,
                         str_z(p->arena, str_fmt(p->arena, "%s out of range", p->range)), e);
        rest = c.rest;
    }
    if (p->value.len)
        return e && err_set(e, ERR_INVALID, "parsing time %.*s: extra text: %.*s",
                            STR_ARG(gotime_quoted(p->arena, whole)),
                            STR_ARG(gotime_quoted(p->arena, p->value)));
    return true;
}

/* Sets month and day from the day of the year. Returns NULL, or what is wrong. */
static const char *use_yearday(struct parse *p)
{
    int month = 1, day = p->yearday;
    bool leap = gotime_days_in(p->year, 2) == 29;

    if (day < 1 || day > 365 + leap)
        return "day-of-year out of range";
    while (day > gotime_days_in(p->year, month))
        day -= gotime_days_in(p->year, month++);
    if (p->month != UNSET && p->month != month)
        return "day-of-year does not match month";
    if (p->day != UNSET && p->day != day)
        return "day-of-year does not match day";
    p->month = month;
    p->day = day;
    return NULL;
}

/* Fills in what the value did not give. Returns NULL, or what is wrong. */
static const char *complete(struct parse *p)
{
    const char *wrong = p->yearday == UNSET ? NULL : use_yearday(p);

    if (wrong)
        return wrong;
    if (p->is_pm && p->hour < 12)
        p->hour += 12;
    else if (p->is_am && p->hour == 12)
        p->hour = 0;
    if (p->month == UNSET)
        p->month = 1;
    if (p->day == UNSET)
        p->day = 1;
    return p->day < 1 || p->day > gotime_days_in(p->year, p->month) ? "day out of range" : NULL;
}

static struct gotime with_offset(struct parse *p, struct gotime t, const struct zone *local)
{
    struct zone_span span;

    t.sec -= p->offset;
    span = zone_at(local, t.sec);
    if (span.offset == p->offset && (!p->zone_name.len || str_eq(span.name, p->zone_name)))
        return gotime_in(t, local);
    return gotime_in(t, zone_fixed(p->arena, p->zone_name, p->offset));
}

static struct gotime with_zone_name(struct parse *p, struct gotime t, const struct zone *local)
{
    int32_t offset = 0;
    int64_t hours = 0;

    if (zone_offset_named(local, p->zone_name, t.sec, &offset)) {
        t.sec -= offset;
        return gotime_in(t, local);
    }
    /* Upstream: the offset of GMT+3 is shown but the moment stays where UTC has it. */
    if (str_has_prefix(p->zone_name, STR("GMT")) && to_number(str_from(p->zone_name, 3), &hours))
        offset = (int32_t)hours * 3600;
    return gotime_in(t, zone_fixed(p->arena, p->zone_name, offset));
}

bool gotime_parse(struct arena *a, str layout, str value, const struct zone *local,
                  struct gotime *out, struct err *e)
{
    struct parse p = {.arena = a,
                      .value = value,
                      .month = UNSET,
                      .day = UNSET,
                      .yearday = UNSET,
                      .offset = UNSET};
    const char *wrong;
    bool zoned;

    *out = gotime_zero();
    if (!take_all(&p, layout, e))
        return false;
    wrong = complete(&p);
    if (wrong)
        return fails(a, value, wrong, e);
    zoned = p.is_utc || p.offset != UNSET || p.zone_name.len;
    *out = gotime_make((int64_t[]){p.year, p.month, p.day, p.hour, p.minute, p.second, p.nsec},
                       zoned ? NULL : local);
    if (p.is_utc || !zoned)
        return true;
    *out = p.offset != UNSET ? with_offset(&p, *out, local) : with_zone_name(&p, *out, local);
    return true;
}
