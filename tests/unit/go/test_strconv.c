/* SPDX-License-Identifier: Apache-2.0 */
/* test_strconv.c - numbers and quoted texts as Go's strconv reads them. */
#include "../test.h"

#include "go/quote.h"
#include "go/strconv.h"

#include <math.h>

static const struct {
    const char *text;
    int base;
    bool ok;
    int64_t want;
} ints[] = {
    {"0", 0, true, 0},
    {"-0", 0, true, 0},
    {"+7", 0, true, 7},
    {"0x1F", 0, true, 31},
    {"0b101", 0, true, 5},
    {"0o17", 0, true, 15},
    {"017", 0, true, 15},
    {"017", 10, true, 17},
    {"1_000", 0, true, 1000},
    {"0x_f", 0, true, 15},
    {"0_7", 0, true, 7},
    {"9223372036854775807", 0, true, INT64_MAX},
    {"-9223372036854775808", 0, true, INT64_MIN},
    {"9223372036854775808", 0, false, INT64_MAX},
    {"-9223372036854775809", 0, false, INT64_MIN},
    {"99999999999999999999999", 0, false, INT64_MAX},
    {"", 0, false, 0},
    {"-", 0, false, 0},
    {"08", 0, false, 0},
    {"0x", 0, false, 0},
    {"1_000", 10, false, 0},
    {"_1", 0, false, 0},
    {"1__0", 0, false, 0},
    {"1_", 0, false, 0},
    {"1.0", 0, false, 0},
    {"12a", 0, false, 0},
};

TEST(integers_are_read_as_go_does)
{
    for (size_t i = 0; i < COUNT(ints); i++) {
        int64_t got = 1;
        assert_int_equal(go_parse_int(str_c(ints[i].text), ints[i].base, &got), ints[i].ok);
        assert_int_equal(got, ints[i].want);
    }
}

TEST(integers_without_sign_reach_farther)
{
    uint64_t got = 1;

    assert_true(go_parse_uint(STR("18446744073709551615"), 0, &got));
    assert_true(got == UINT64_MAX);
    assert_false(go_parse_uint(STR("18446744073709551616"), 0, &got));
    assert_true(got == UINT64_MAX);
    assert_false(go_parse_uint(STR("-1"), 0, &got));
    assert_true(got == 0);
}

static const struct {
    const char *text;
    bool ok;
    double want;
} floats[] = {
    {"1.5", true, 1.5},
    {"-1e3", true, -1000},
    {".5", true, .5},
    {"0x1p-2", true, .25},
    {"1_0.5", true, 10.5},
    {"-Inf", true, -(double)INFINITY},
    {"infinity", true, (double)INFINITY},
    {"1e999", false, (double)INFINITY},
    {"0x1", false, 0},
    {"1e", false, 0},
    {"1_.5", false, 0},
    {"", false, 0},
};

TEST(floats_are_read_as_go_does)
{
    for (size_t i = 0; i < COUNT(floats); i++) {
        double got = 1;
        assert_int_equal(go_parse_float(str_c(floats[i].text), &got), floats[i].ok);
        assert_true(got == floats[i].want);
    }
}

TEST(digits_have_values)
{
    assert_int_equal(go_hex_digit('7'), 7);
    assert_int_equal(go_hex_digit('f'), 15);
    assert_int_equal(go_hex_digit('A'), 10);
    assert_int_equal(go_hex_digit('g'), -1);
    assert_int_equal(go_hex_digit('@'), -1);
    assert_int_equal(go_hex_digit(0x661), -1);
    assert_true(go_digit_at(STR("a1"), 1));
    assert_false(go_digit_at(STR("a1"), 2));
}

static const struct {
    const char *quoted, *want; /* NULL: it is broken */
} quotes[] = {
    {"\"plain\"", "plain"},
    {"\"a\\tb\\\"\\x41\\101\\u00e9\\U0001f600\"", "a\tb\"AA\u00e9\U0001f600"},
    {"`a\\t\rb`", "a\\tb"},
    {"\"\\'\"", NULL},
    {"\"\\ud800\"", NULL},
    {"\"\\400\"", NULL},
    {"\"\\q\"", NULL},
    {"\"\\x4\"", NULL},
};

TEST(quotes_are_undone_as_go_does)
{
    for (size_t i = 0; i < COUNT(quotes); i++) {
        AUTO_ARENA a = arena_new();
        str got;
        bool ok = go_unquote(a, str_c(quotes[i].quoted), &got);
        assert_int_equal(ok, quotes[i].want != NULL);
        if (ok)
            assert_str(got, str_c(quotes[i].want));
    }
}

RUN_TESTS(cmocka_unit_test(integers_are_read_as_go_does),
          cmocka_unit_test(integers_without_sign_reach_farther),
          cmocka_unit_test(floats_are_read_as_go_does), cmocka_unit_test(digits_have_values),
          cmocka_unit_test(quotes_are_undone_as_go_does))
