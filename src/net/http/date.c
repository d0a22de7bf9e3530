/* SPDX-License-Identifier: Apache-2.0 */
/* date.c - dates of HTTP headers; see retry.h. */
#include "go/time.h"
#include "net/retry.h"

/* In the order of Go's http.ParseTime, after two-digit years have been completed. */
static const char *const layouts[] = {
    "Mon, 02 Jan 2006 15:04:05 GMT",
    "Monday, 02-Jan-06 15:04:05 MST",
    "Mon Jan _2 15:04:05 2006",
};

/* A year of two digits that seems to be more than 50 years ahead is in the past (RFC 9110). */
static int64_t nearest_century(struct gotime t, int64_t now)
{
    struct gotime_fields ahead = gotime_fields(gotime_unix(now / NS_PER_SEC, 0, NULL));

    if (gotime_fields(t).year > ahead.year + 50)
        t = gotime_add_date(t, -100, 0, 0);
    return t.sec;
}

bool http_date_parse(str text, int64_t now, int64_t *seconds)
{
    AUTO_ARENA a = arena_new();
    struct gotime t;

    if (text.len > 64)
        return false;
    for (size_t i = 0; i < COUNT(layouts); i++)
        if (gotime_parse(a, str_c(layouts[i]), text, NULL, &t, NULL)) {
            *seconds = i == 1 ? nearest_century(t, now) : t.sec;
            return true;
        }
    return false;
}

str http_date(struct arena *a, int64_t seconds)
{
    struct buf b = buf_new(a, KIB);

    gotime_format(&b, gotime_unix(seconds, 0, NULL), str_c(layouts[0]));
    return buf_str(&b);
}
