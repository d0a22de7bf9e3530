/* SPDX-License-Identifier: Apache-2.0 */
/* test_rfc3339.c - times in metadata, in Go's words. */
#include "../test.h"

#include "compare/schema.h"

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
};

TEST(times_are_checked_as_go_does)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ERR e = {0};
        bool ok = rfc3339_check(a, cases[i].text, &e);
        assert_int_equal(ok, cases[i].want == NULL);
        if (!ok)
            assert_str(e.text, str_fmt(a, "parsing time \"%.*s\"%s", STR_ARG(cases[i].text),
                                       cases[i].want));
    }
}

RUN_TESTS(cmocka_unit_test(times_are_checked_as_go_does))
