/* SPDX-License-Identifier: Apache-2.0 */
/* Dates, layouts and durations: the results of Go's time package. */
#include "../test.h"

#include "go/time.h"

static str formatted(struct arena *a, struct gotime t, const char *layout)
{
    struct buf b = buf_new(a, KIB);

    gotime_format(&b, t, str_c(layout));
    return buf_str(&b);
}

static str printed(struct arena *a, struct gotime t)
{
    struct buf b = buf_new(a, KIB);

    gotime_string(&b, t);
    return buf_str(&b);
}

static const struct zone *zone_of(struct arena *a, const char *name)
{
    const struct zone *z;
    AUTO_ERR e = {0};

    assert_ok(zone_find(a, str_c(name), &z, &e), &e);
    return z;
}

/* Sunday, July 4 2021, 16:05:09.123456789 at an offset of 2 hours, 30 minutes and 15 seconds. */
static struct gotime sample(struct arena *a)
{
    return gotime_make((int64_t[]){2021, 7, 4, 16, 5, 9, 123456789}, zone_fixed(a, STR(""), 9015));
}

static const struct {
    const char *layout, *want;
} layouts[] = {
    {"", ""},
    {"no element", "no element"},
    {"2006-01-02T15:04:05Z07:00", "2021-07-04T16:05:09+02:30"},
    {"Mon Monday Jan January Janet Mond", "Sun Sunday Jul July Janet Mond"},
    {"1 01 2 02 _2 __2 002 06", "7 07 4 04  4 185 185 21"},
    {"15 3 03 4 04 5 05 PM pm", "16 4 04 5 05 9 09 PM pm"},
    {"_2006 __2006", "_2021 185021"},
    {"-07 -0700 -07:00 -070000 -07:00:00", "+02 +0230 +02:30 +023015 +02:30:15"},
    {"Z07 Z0700 Z07:00 Z070000 Z07:00:00", "+02 +0230 +02:30 +023015 +02:30:15"},
    {"MST", "+0230"},
    {".0 .000 ,000000000 .0000000000", ".1 .123 ,123456789 .123456789"},
    {".9 .999 ,999999999 .99x .990", ".1 .123 ,123456789 .12x .990"},
    {"05.000s 5,9", "09.123s 9,1"},
    {"\xc3\xa9 2 P p Z -", "\xc3\xa9 4 P p Z -"},
};

TEST(layouts_are_examples_of_the_result)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(layouts); i++)
        assert_str(formatted(a, sample(a), layouts[i].layout), str_c(layouts[i].want));
}

static const struct {
    int64_t sec;
    const char *zone, *want;
} moments[] = {
    {0, "UTC", "1970-01-01 00:00:00 +0000 UTC"},
    {-1, "America/New_York", "1969-12-31 18:59:59 -0500 EST"},
    {951782400, "Asia/Kolkata", "2000-02-29 05:30:00 +0530 IST"},
    {1711846799, "Europe/London", "2024-03-31 00:59:59 +0000 GMT"},
    {1711846800, "Europe/London", "2024-03-31 02:00:00 +0100 BST"},
    {253402300799, "Asia/Kathmandu", "10000-01-01 05:44:59 +0545 +0545"},
    {-62135596801, "UTC", "0000-12-31 23:59:59 +0000 UTC"},
    {-62167219201, "UTC", "-0001-12-31 23:59:59 +0000 UTC"},
    {INT64_MAX, "UTC", "292277026596-12-04 15:30:07 +0000 UTC"},
    {7000000000, "Europe/Berlin", "2191-10-27 14:26:40 +0200 CEST"},
    {7007000000, "Australia/Lord_Howe", "2192-01-16 23:53:20 +1100 +11"},
};

TEST(moments_are_shown_in_their_zone)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(moments); i++) {
        struct gotime t = gotime_unix(moments[i].sec, 0, zone_of(a, moments[i].zone));
        assert_str(printed(a, t), str_c(moments[i].want));
    }
}

static const struct {
    const char *layout, *value, *want; /* the moment, or the error */
} parses[] = {
    {"2006-01-02", "2024-02-29", "2024-02-29 00:00:00 -0500 EST"},
    {"2006-01-02 15:04", "2024-03-10 02:30", "2024-03-10 01:30:00 -0500 EST"},
    {"2006-01-02 15:04 MST", "2024-11-03 01:30 EST", "2024-11-03 01:30:00 -0500 EST"},
    {"2006-01-02 MST", "2024-01-02 CET", "2024-01-02 00:00:00 +0000 CET"},
    {"2006-01-02 MST", "2024-01-02 GMT+3", "2024-01-02 03:00:00 +0300 GMT+3"},
    {"2006-01-02 MST", "2024-01-02 UTC", "2024-01-02 00:00:00 +0000 UTC"},
    {"2006-01-02T15:04:05Z07:00", "2024-07-01T00:00:00-04:00", "2024-07-01 00:00:00 -0400 EDT"},
    {"2006-01-02T15:04:05Z07:00", "2024-07-01T00:00:00.25Z", "2024-07-01 00:00:00.25 +0000 UTC"},
    {"Z07:00:00", "Z", "0000-01-01 00:00:00 +0000 UTC"},
    {".999", ".1234567891234", "0000-01-01 00:00:00.123456789 -0456 LMT"},
    {"3PM", "12AM", "0000-01-01 00:00:00 -0456 LMT"},
    {"Jan _2 2006", "fEB  9 2024", "2024-02-09 00:00:00 -0500 EST"},
    {"06", "-5", "1995-01-01 00:00:00 -0500 EST"},
    {"2006-002", "2024-366", "2024-12-31 00:00:00 -0500 EST"},
    {"2006-002", "2023-366", "parsing time \"2023-366\": day-of-year out of range"},
    {"002 01", "032 01", "parsing time \"032 01\": day-of-year does not match month"},
    {"002 2", "032 2", "parsing time \"032 2\": day-of-year does not match day"},
    {"2006-01-02", "2023-02-29", "parsing time \"2023-02-29\": day out of range"},
    {"15", "24", "parsing time \"24\": hour out of range"},
    {"-0700", "+2500", "parsing time \"+2500\": time zone offset hour out of range"},
    {".000", ".-12", "parsing time \".-12\": fractional second out of range"},
    {"2006", "12024", "parsing time \"12024\": extra text: \"4\""},
    {"3PM", "1pm", "parsing time \"1pm\" as \"3PM\": cannot parse \"pm\" as \"PM\""},
    {"x2", "\xc3\xa9",
     "parsing time \"\\xc3\\xa9\" as \"x2\": cannot parse \"\\xc3\\xa9\" as \"x\""},
    {"-07:00", "+1:000",
     "parsing time \"+1:000\" as \"-07:00\": cannot parse \"+1:000\" as \"-07:00\""},
};

TEST(values_are_read_by_a_layout)
{
    AUTO_ARENA a = arena_new();
    const struct zone *local = zone_of(a, "America/New_York");

    for (size_t i = 0; i < COUNT(parses); i++) {
        struct gotime t;
        AUTO_ERR e = {0};
        bool ok = gotime_parse(a, str_c(parses[i].layout), str_c(parses[i].value), local, &t, &e);
        assert_str(ok ? printed(a, t) : e.text, str_c(parses[i].want));
        assert_true(ok || gotime_is_zero(t));
    }
}

TEST(months_and_days_carry_over)
{
    AUTO_ARENA a = arena_new();
    struct gotime t = gotime_make((int64_t[]){2024, 2, 29, 12, 0, 0, 0}, NULL);

    assert_str(printed(a, gotime_add_date(t, 1, 0, 0)), STR("2025-03-01 12:00:00 +0000 UTC"));
    assert_str(printed(a, gotime_add_date(t, 0, -14, 1)), STR("2022-12-30 12:00:00 +0000 UTC"));
    t = gotime_make((int64_t[]){2023, 14, -1, 25, -1, 61, -1}, NULL);
    assert_str(printed(a, t), STR("2024-01-31 01:00:00.999999999 +0000 UTC"));
    /* Nothing is defined here but that it ends. */
    gotime_add_date(t, INT64_MAX, INT64_MIN, INT64_MAX);
}

TEST(differences_stay_within_64_bits)
{
    struct gotime low = gotime_unix(INT64_MIN, 0, NULL), high = gotime_unix(INT64_MAX, 0, NULL);

    assert_true(gotime_sub(high, low) == INT64_MAX);
    assert_true(gotime_sub(low, high) == INT64_MIN);
    assert_true(gotime_sub(gotime_unix(5, 1, NULL), gotime_unix(4, 0, NULL)) == 1000000001);
    assert_true(gotime_compare(low, high) < 0);
}

TEST(moments_are_rounded_to_multiples)
{
    AUTO_ARENA a = arena_new();
    struct gotime t = gotime_unix(1709209455, 678901234, NULL);
    int64_t hour = INT64_C(3600000000000);

    assert_str(printed(a, gotime_truncate(t, hour)), STR("2024-02-29 12:00:00 +0000 UTC"));
    assert_str(printed(a, gotime_round(t, hour)), STR("2024-02-29 12:00:00 +0000 UTC"));
    assert_str(printed(a, gotime_round(t, hour / 60)), STR("2024-02-29 12:24:00 +0000 UTC"));
    assert_str(printed(a, gotime_round(t, 0)), STR("2024-02-29 12:24:15.678901234 +0000 UTC"));
}

TEST(readings_of_the_clock_show_the_steady_clock)
{
    AUTO_ARENA a = arena_new();
    struct gotime t;

    clock_fake(1709164800 * NS_PER_SEC);
    t = gotime_now(NULL);
    assert_true(t.has_mono && t.mono > 0);
    assert_true(str_has_prefix(printed(a, t), STR("2024-02-29 00:00:00 +0000 UTC m=+0.")));
    assert_true(gotime_add(t, 5).mono == t.mono + 5);
    assert_str(printed(a, gotime_in(t, NULL)), STR("2024-02-29 00:00:00 +0000 UTC"));
    clock_real();
}

TEST(go_syntax_names_the_zone)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, KIB);
    const struct zone *berlin = zone_of(a, "Europe/Berlin");

    gotime_go_string(&b, gotime_unix(0, 5, NULL), NULL);
    gotime_go_string(&b, gotime_unix(0, 0, berlin), berlin);
    gotime_go_string(&b, gotime_unix(0, 0, berlin), NULL);
    assert_str(buf_str(&b), STR("time.Date(1970, time.January, 1, 0, 0, 0, 5, time.UTC)"
                                "time.Date(1970, time.January, 1, 1, 0, 0, 0, time.Local)"
                                "time.Date(1970, time.January, 1, 1, 0, 0, 0, "
                                "time.Location(\"Europe/Berlin\"))"));
}

static const struct {
    const char *text, *want; /* as it prints, or the error */
} durations[] = {
    {"0", "0s"},
    {"-0", "0s"},
    {"1h", "1h0m0s"},
    {"+1h2m3.5s", "1h2m3.5s"},
    {"-1.5h", "-1h30m0s"},
    {"1500us", "1.5ms"},
    {"1\xc2\xb5s", "1\xc2\xb5s"},
    {"1\xce\xbcs", "1\xc2\xb5s"},
    {".5ms", "500\xc2\xb5s"},
    {"999ns", "999ns"},
    {"0.0000000001s", "0s"},
    {"-9223372036.854775808s", "-2562047h47m16.854775808s"},
    {"9223372036.854775808s", "time: invalid duration \"9223372036.854775808s\""},
    {"3000000h", "time: invalid duration \"3000000h\""},
    {"", "time: invalid duration \"\""},
    {"-", "time: invalid duration \"-\""},
    {".h", "time: invalid duration \".h\""},
    {"5", "time: missing unit in duration \"5\""},
    {"1h-5m", "time: unknown unit \"h-\" in duration \"1h-5m\""},
    {"1\xc3\xa9", "time: unknown unit \"\\xc3\\xa9\" in duration \"1\\xc3\\xa9\""},
};

TEST(durations_are_read_and_written)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(durations); i++) {
        struct buf b = buf_new(a, KIB);
        AUTO_ERR e = {0};
        int64_t ns;
        if (duration_parse(str_c(durations[i].text), &ns, &e))
            duration_format(&b, ns);
        else
            buf_add(&b, e.text);
        assert_str(buf_str(&b), str_c(durations[i].want));
    }
}

TEST(durations_are_rounded_away_from_zero)
{
    assert_true(duration_round(15, 10) == 20);
    assert_true(duration_round(-15, 10) == -20);
    assert_true(duration_round(14, 10) == 10);
    assert_true(duration_truncate(-15, 10) == -10);
    assert_true(duration_round(7, 0) == 7);
    assert_true(duration_round(INT64_MAX, 2) == INT64_MAX);
    assert_true(duration_round(INT64_MIN, 10) == INT64_MIN);
}

RUN_TESTS(cmocka_unit_test(layouts_are_examples_of_the_result),
          cmocka_unit_test(moments_are_shown_in_their_zone),
          cmocka_unit_test(values_are_read_by_a_layout),
          cmocka_unit_test(months_and_days_carry_over),
          cmocka_unit_test(differences_stay_within_64_bits),
          cmocka_unit_test(moments_are_rounded_to_multiples),
          cmocka_unit_test(readings_of_the_clock_show_the_steady_clock),
          cmocka_unit_test(go_syntax_names_the_zone),
          cmocka_unit_test(durations_are_read_and_written),
          cmocka_unit_test(durations_are_rounded_away_from_zero))
