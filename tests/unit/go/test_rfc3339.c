/* SPDX-License-Identifier: Apache-2.0 */
/* test_rfc3339.c - times of RFC 3339, rejected in Go's words. */
#include "../test.h"

#include "go/time.h"

static const struct {
    str text;
    const char *want; /* what follows the text; NULL: it is a time */
} cases[] = {
    {STR_INIT("2024-02-29T23:59:59Z"), NULL},
    {STR_INIT("2024-03-05T07:08:09.123456789+05:30"), NULL},
    {STR_INIT("2024-03-05T07:08:09,5Z"), NULL},
    {STR_INIT("notatime"),
     " as \"2006-01-02T15:04:05Z07:00\": cannot parse \"notatime\" as \"2006\""},
    {STR_INIT("2024-03-05"), " as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"T\""},
    {STR_INIT("2024-03-05 07:08:09Z"),
     " as \"2006-01-02T15:04:05Z07:00\": cannot parse \" 07:08:09Z\" as \"T\""},
    {STR_INIT("2024-03-05T07:08:09"),
     " as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"Z07:00\""},
    {STR_INIT("2024-13-05T07:08:09Z"), ": month out of range"},
    {STR_INIT("2023-02-29T07:08:09Z"), ": day out of range"},
    {STR_INIT("2024-03-05T24:08:09Z"), ": hour out of range"},
    {STR_INIT("2024-03-05T07:08:09Zx"), ": extra text: \"x\""},
    /* The range of an offset is looked at before its shape, its minutes before its hours. */
    {STR_INIT("2024-03-05T07:08:09+35:x0"), ": time zone offset hour out of range"},
    {STR_INIT("2024-03-05T07:08:09+35:70"), ": time zone offset minute out of range"},
};

TEST(times_are_checked_as_go_does)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ERR e = {0};
        struct gotime t;
        bool ok = gotime_parse(a, STR(GOTIME_RFC3339), cases[i].text, NULL, &t, &e);
        assert_int_equal(ok, cases[i].want == NULL);
        if (!ok)
            assert_str(e.text, str_fmt(a, "parsing time \"%.*s\"%s", STR_ARG(cases[i].text),
                                       cases[i].want));
    }
}

TEST(bytes_beyond_ascii_are_quoted_one_by_one)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct gotime t;

    assert_false(
        gotime_parse(a, STR(GOTIME_RFC3339), STR("2024-03-05T07:08:09Z\u00e9"), NULL, &t, &e));
    assert_str(e.text,
               STR("parsing time \"2024-03-05T07:08:09Z\\xc3\\xa9\": extra text: \"\\xc3\\xa9\""));
}

RUN_TESTS(cmocka_unit_test(times_are_checked_as_go_does),
          cmocka_unit_test(bytes_beyond_ascii_are_quoted_one_by_one))
