/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time.c - the calendar, and arithmetic with times.
 *
 * Days are counted from 1970 in the proleptic Gregorian calendar. Its pattern repeats every 400
 * years; years that begin in March put the leap day last, which makes months regular.
 */
#include "go/time_internal.h"

#include "base/clock.h"
#include "base/err.h"

#include <stdatomic.h>

#define DAY 86400
#define DAYS_PER_ERA 146097      /* 400 years */
#define ERA_TO_1970 719468       /* days from March 1 of the year 0 */
#define ZERO_TIME (-62135596800) /* January 1 of the year 1 */

/* Overflow wraps, as in Go. */
static int64_t wrap_add(int64_t x, int64_t y)
{
    return (int64_t)((uint64_t)x + (uint64_t)y);
}

static int64_t wrap_mul(int64_t x, int64_t y)
{
    return (int64_t)((uint64_t)x * (uint64_t)y);
}

/* Towards minus infinity; by is positive. */
static int64_t floor_div(int64_t x, int64_t by)
{
    return x / by - (x % by < 0);
}

static int64_t floor_mod(int64_t x, int64_t by)
{
    int64_t rest = x % by;

    return rest < 0 ? rest + by : rest;
}

/* ---- Calendar ---- */

int64_t gotime_days(int64_t year, int month, int day)
{
    int64_t y = wrap_add(year, -(month <= 2)), era = floor_div(y, 400);
    int64_t year_of_era = floor_mod(y, 400);
    int64_t day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

    return wrap_add(wrap_mul(era, DAYS_PER_ERA), day_of_era - ERA_TO_1970);
}

static bool is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int gotime_days_in(int64_t year, int month)
{
    static const uint8_t days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    return days[month - 1] + (month == 2 && is_leap(year));
}

int gotime_weekday(int64_t days)
{
    return (int)floor_mod(floor_mod(days, 7) + 4, 7);
}

const char *gotime_month_name(int64_t month)
{
    static const char *const names[12] = {"January",   "February", "March",    "April",
                                          "May",       "June",     "July",     "August",
                                          "September", "October",  "November", "December"};

    return month >= 1 && month <= 12 ? names[month - 1] : NULL;
}

const char *gotime_weekday_name(int64_t day)
{
    static const char *const names[7] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                         "Thursday", "Friday", "Saturday"};

    return day >= 0 && day <= 6 ? names[day] : NULL;
}

/*
 * Splits a count of seconds into days and the seconds of the day. Go counts unsigned from a March 1
 * that is before nearly every time 64 bits can hold: the few times before it wrap to the other end.
 */
static int64_t split_days(int64_t sec, int *of_day)
{
    const uint64_t first_day = UINT64_C(730692556) * DAYS_PER_ERA + ERA_TO_1970;
    uint64_t from_first = (uint64_t)sec + first_day * DAY;

    *of_day = (int)(from_first % DAY);
    return (int64_t)(from_first / DAY - first_day);
}

static void set_date(struct gotime_fields *f, int64_t days)
{
    int64_t from_era = wrap_add(days, ERA_TO_1970), era = floor_div(from_era, DAYS_PER_ERA);
    int64_t d = floor_mod(from_era, DAYS_PER_ERA);
    int64_t year = (d - d / 1460 + d / 36524 - d / (DAYS_PER_ERA - 1)) / 365;
    int64_t day_of_year = d - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * day_of_year + 2) / 153;

    f->day = (int)(day_of_year - (153 * month + 2) / 5 + 1);
    f->month = (int)(month < 10 ? month + 3 : month - 9);
    f->year = year + era * 400 + (f->month <= 2);
    f->weekday = gotime_weekday(days);
    f->yearday = (int)(days - gotime_days(f->year, 1, 1)) + 1;
}

struct gotime_fields gotime_fields(struct gotime t)
{
    struct zone_span span = zone_at(t.zone, t.sec);
    struct gotime_fields f = {.zone_name = span.name, .zone_offset = span.offset};
    int of_day;

    set_date(&f, split_days(wrap_add(t.sec, span.offset), &of_day));
    f.hour = of_day / 3600;
    f.minute = of_day / 60 % 60;
    f.second = of_day % 60;
    return f;
}

/* ---- Making ---- */

/* Carries what exceeds base in *low into *high. */
static void carry(int64_t *high, int64_t *low, int64_t base)
{
    *high = wrap_add(*high, floor_div(*low, base));
    *low = floor_mod(*low, base);
}

struct gotime gotime_unix(int64_t sec, int64_t nsec, const struct zone *z)
{
    carry(&sec, &nsec, NS_PER_SEC);
    return (struct gotime){.sec = sec, .nsec = (int32_t)nsec, .zone = z};
}

struct gotime gotime_now(const struct zone *z)
{
    static _Atomic int64_t first; /* just before the first reading; 0: none yet */
    int64_t mono = clock_mono(), none = 0;
    struct gotime t = gotime_unix(0, clock_now(), z);

    atomic_compare_exchange_strong(&first, &none, mono - 1);
    t.has_mono = true;
    t.mono = mono - first;
    return t;
}

struct gotime gotime_zero(void)
{
    return gotime_unix(ZERO_TIME, 0, NULL);
}

/* The time at which clocks in a zone show what UTC shows at sec. */
static int64_t to_utc(int64_t sec, const struct zone *z)
{
    struct zone_span span = zone_at(z, sec);
    int64_t utc = wrap_add(sec, -(int64_t)span.offset);

    /*
     * Near a change the guess may be on the wrong side: then the offset that applies there decides.
     */
    if (span.offset && (utc < span.start || utc >= span.end))
        utc = wrap_add(sec, -(int64_t)zone_at(z, utc).offset);
    return utc;
}

enum { YEAR, MONTH, DAY_OF_MONTH, HOUR, MINUTE, SECOND, NANOSECOND };

struct gotime gotime_make(const int64_t parts[7], const struct zone *z)
{
    int64_t p[7], month, sec;

    memcpy(p, parts, sizeof(p));
    month = wrap_add(p[MONTH], -1);
    carry(&p[YEAR], &month, 12);
    carry(&p[SECOND], &p[NANOSECOND], NS_PER_SEC);
    carry(&p[MINUTE], &p[SECOND], 60);
    carry(&p[HOUR], &p[MINUTE], 60);
    carry(&p[DAY_OF_MONTH], &p[HOUR], 24);
    sec = gotime_days(p[YEAR], (int)month + 1, 1);
    sec = wrap_mul(wrap_add(sec, wrap_add(p[DAY_OF_MONTH], -1)), DAY);
    sec = wrap_add(sec, p[HOUR] * 3600 + p[MINUTE] * 60 + p[SECOND]);
    return gotime_unix(to_utc(sec, z), p[NANOSECOND], z);
}

/* ---- Looking ---- */

bool gotime_is_zero(struct gotime t)
{
    return t.sec == ZERO_TIME && t.nsec == 0;
}

bool gotime_is_dst(struct gotime t)
{
    return zone_at(t.zone, t.sec).is_dst;
}

int gotime_compare(struct gotime x, struct gotime y)
{
    if (x.has_mono && y.has_mono)
        return (x.mono > y.mono) - (x.mono < y.mono);
    if (x.sec != y.sec)
        return x.sec < y.sec ? -1 : 1;
    return (x.nsec > y.nsec) - (x.nsec < y.nsec);
}

/* ---- Arithmetic ---- */

static struct gotime without_mono(struct gotime t)
{
    t.has_mono = false;
    t.mono = 0;
    return t;
}

struct gotime gotime_in(struct gotime t, const struct zone *z)
{
    t.zone = z;
    return without_mono(t);
}

struct gotime gotime_add(struct gotime t, int64_t ns)
{
    struct gotime sum =
        gotime_unix(wrap_add(t.sec, ns / NS_PER_SEC), t.nsec + ns % NS_PER_SEC, t.zone);

    if (t.has_mono)
        sum.has_mono = !__builtin_add_overflow(t.mono, ns, &sum.mono);
    return sum.has_mono ? sum : without_mono(sum);
}

struct gotime gotime_add_date(struct gotime t, int64_t years, int64_t months, int64_t days)
{
    struct gotime_fields f = gotime_fields(t);
    int64_t parts[7] = {wrap_add(f.year, years),
                        wrap_add(f.month, months),
                        wrap_add(f.day, days),
                        f.hour,
                        f.minute,
                        f.second,
                        t.nsec};

    return gotime_make(parts, t.zone);
}

int64_t gotime_sub(struct gotime x, struct gotime y)
{
    __int128 ns = ((__int128)x.sec - y.sec) * NS_PER_SEC + x.nsec - y.nsec;

    if (x.has_mono && y.has_mono)
        ns = (__int128)x.mono - y.mono;
    if (ns > INT64_MAX)
        return INT64_MAX;
    return ns < INT64_MIN ? INT64_MIN : (int64_t)ns;
}

/* What is left beyond the last multiple of ns since the zero time. */
static int64_t beyond(struct gotime t, int64_t ns)
{
    __int128 rest = ((__int128)t.sec - ZERO_TIME) * NS_PER_SEC + t.nsec;

    rest %= ns;
    return (int64_t)(rest < 0 ? rest + ns : rest);
}

struct gotime gotime_truncate(struct gotime t, int64_t ns)
{
    t = without_mono(t);
    return ns <= 0 ? t : gotime_add(t, -beyond(t, ns));
}

struct gotime gotime_round(struct gotime t, int64_t ns)
{
    int64_t rest;

    t = without_mono(t);
    if (ns <= 0)
        return t;
    rest = beyond(t, ns);
    return gotime_add(t, gotime_less_than_half(rest, ns) ? -rest : ns - rest);
}
