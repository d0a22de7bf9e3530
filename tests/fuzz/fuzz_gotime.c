/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_gotime.c - layouts, values, durations, and zone files.
 *
 * The input is a layout and, behind the first NUL, a value. What a value was read as, written by
 * RFC 3339 with nanoseconds and read again, is the same moment. What a duration was read as prints
 * as something that reads as the same. The value is tried as a zone file too, which may say
 * anything but must answer for every moment.
 */
#include "base/base.h"
#include "go/time.h"

static str formatted(struct arena *a, struct gotime t, str layout)
{
    struct buf b = buf_new(a, MIB);

    gotime_format(&b, t, layout);
    return buf_str(&b);
}

static void check_moment(struct arena *a, struct gotime t, str layout)
{
    struct gotime_fields f = gotime_fields(t);
    struct gotime again;

    formatted(a, t, layout);
    if (f.month < 1 || f.month > 12 || f.day < 1 || f.day > gotime_days_in(f.year, f.month))
        abort();
    if (f.year < 0 || f.year > 9999 || f.zone_offset % 60 || f.zone_offset > 86400 ||
        f.zone_offset < -86400)
        return;
    if (!gotime_parse(a, STR(GOTIME_RFC3339_NANO), formatted(a, t, STR(GOTIME_RFC3339_NANO)), NULL,
                      &again, NULL) ||
        gotime_compare(t, again))
        abort();
}

static void check_duration(struct arena *a, str text)
{
    struct buf b = buf_new(a, KIB);
    int64_t ns, again;

    if (!duration_parse(text, &ns, NULL))
        return;
    duration_format(&b, ns);
    if (!duration_parse(buf_str(&b), &again, NULL) || again != ns)
        abort();
    gotime_round(gotime_unix(ns, 0, NULL), ns);
    duration_round(ns, ns / 7);
}

static void check_zone(struct arena *a, str data, str layout)
{
    static const int64_t moments[] = {INT64_MIN,  -62135596800, -1,       0,
                                      1720000000, 7000000000,   INT64_MAX};
    const struct zone *z;

    if (!zone_read(a, STR("x"), data, &z, NULL))
        return;
    for (size_t i = 0; i < COUNT(moments); i++)
        formatted(a, gotime_unix(moments[i], 0, z), layout);
    gotime_make((int64_t[]){2024, 3, 31, 2, 30, 0, 0}, z);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const zones[] = {"", "America/New_York", "Australia/Lord_Howe"};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    const struct zone *local;
    struct gotime t;
    str layout, value;

    str_cut(str_of((const char *)data, size), STR("\0"), &layout, &value);
    if (!zone_find(a, str_c(zones[size % COUNT(zones)]), &local, NULL))
        local = NULL;
    if (gotime_parse(a, layout, value, local, &t, &e))
        check_moment(a, t, layout);
    else if (!str_has_prefix(e.text, STR("parsing time \"")))
        abort();
    check_duration(a, layout);
    check_duration(a, value);
    check_zone(a, value, layout);
    return 0;
}
