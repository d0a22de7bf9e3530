/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time.h - times, dates and durations as in Go: its layouts, arithmetic and errors.
 *
 * A layout is an example: the date "Mon Jan 2 15:04:05 -0700 2006" written the way the result
 * should look. Everything else in it is literal text.
 *
 *     struct buf b = buf_new(a, KIB);
 *     gotime_format(&b, gotime_now(NULL), STR(GOTIME_RFC3339));
 *
 * A struct gotime is a value: 64 bits of seconds since 1970, so any year that matters, and the zone
 * it is shown in. Arithmetic wraps where Go's does. Nothing here keeps state: any thread may call
 * it.
 */
#pragma once

#include "base/buf.h"
#include "go/zone.h"

#define GOTIME_RFC3339 "2006-01-02T15:04:05Z07:00"
#define GOTIME_RFC3339_NANO "2006-01-02T15:04:05.999999999Z07:00"

struct gotime {
    int64_t sec;             /* since 1970 in UTC */
    int32_t nsec;            /* 0 to 999,999,999 */
    bool has_mono;           /* read from the clock: String shows the monotonic clock too */
    int64_t mono;            /* nanoseconds since the first reading of this process */
    const struct zone *zone; /* NULL: UTC */
};

/* The date and the time of day in the zone of a moment. */
struct gotime_fields {
    int64_t year;
    int month, day; /* from 1 */
    int hour, minute, second;
    int weekday; /* 0 is Sunday */
    int yearday; /* from 1 */
    str zone_name;
    int32_t zone_offset;
};

/* ---- Making. ---- */

/* nsec may be any number. */
struct gotime gotime_unix(int64_t sec, int64_t nsec, const struct zone *z);
struct gotime gotime_now(const struct zone *z);
/* Go's zero: January 1 of the year 1, UTC. */
struct gotime gotime_zero(void);
/*
 * Year, month, day, hour, minute, second, nanosecond in a zone; each may be out of range, which
 * carries over. A time of day that a zone skips or repeats becomes what Go makes of it.
 */
struct gotime gotime_make(const int64_t parts[7], const struct zone *z);

/* ---- Looking. ---- */

struct gotime_fields gotime_fields(struct gotime t);
bool gotime_is_zero(struct gotime t);
bool gotime_is_dst(struct gotime t);
/* Below, at or above 0. */
int gotime_compare(struct gotime x, struct gotime y);

/* ---- Arithmetic. ---- */

struct gotime gotime_in(struct gotime t, const struct zone *z);
struct gotime gotime_add(struct gotime t, int64_t ns);
struct gotime gotime_add_date(struct gotime t, int64_t years, int64_t months, int64_t days);
/* x - y in nanoseconds; saturates at the limits of int64_t. */
int64_t gotime_sub(struct gotime x, struct gotime y);
/* Down to, or to the nearest, multiple of ns since the zero time. ns <= 0 changes nothing. */
struct gotime gotime_truncate(struct gotime t, int64_t ns);
struct gotime gotime_round(struct gotime t, int64_t ns);

/* ---- Calendar, of any year. ---- */

int64_t gotime_days(int64_t year, int month, int day); /* since 1970 */
int gotime_days_in(int64_t year, int month);
int gotime_weekday(int64_t days);             /* since 1970; 0 is Sunday */
const char *gotime_month_name(int64_t month); /* NULL when it is not 1 to 12 */
const char *gotime_weekday_name(int64_t day); /* NULL when it is not 0 to 6 */

/* ---- Text. ---- */

void gotime_format(struct buf *out, struct gotime t, str layout);
/* Go's String: "2006-01-02 15:04:05.999999999 -0700 MST", and " m=+0.000000001" of clock readings.
 */
void gotime_string(struct buf *out, struct gotime t);
/* Go's GoString: "time.Date(2024, time.May, 1, ...)"; local is shown as time.Local. */
void gotime_go_string(struct buf *out, struct gotime t, const struct zone *local);
/*
 * Go's ParseInLocation: a value without a zone is in local. Zones created for a value live as long
 * as a. Errors are Go's.
 */
MUST_CHECK bool gotime_parse(struct arena *a, str layout, str value, const struct zone *local,
                             struct gotime *out, struct err *e);
/* A text in quotes as Go's time package quotes: bytes beyond ASCII as \xff. */
void gotime_quote(struct buf *out, str s);

/* ---- Durations: nanoseconds. ---- */

/* "1h2m3.5s". */
void duration_format(struct buf *out, int64_t ns);
MUST_CHECK bool duration_parse(str s, int64_t *out, struct err *e);
int64_t duration_truncate(int64_t ns, int64_t multiple);
int64_t duration_round(int64_t ns, int64_t multiple);
