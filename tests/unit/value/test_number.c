/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of value/number.h, with recordings of the original's numbers in tests/recorded/number. */
#include "../test.h"

#include "value/number.h"

#include <inttypes.h>
#include <math.h>

TEST(numbers_are_spelled_as_in_json)
{
    static const char *const valid[] = {
        "0",
        "-0",
        "1",
        "-1",
        "10",
        "1.0",
        "0.5",
        "-0.05",
        "1e5",
        "1E5",
        "1e+5",
        "1e-5",
        "0e0",
        "1.5e300",
        "1e99999999999999999999",
        "18446744073709551616",
    };
    static const char *const invalid[] = {
        "",     "-",   "+1",  "01",       "-01",       "00",    ".5",  "1.",
        "1.e5", "e5",  "1e",  "1e+",      "1e-",       "1.5.",  "1 ",  " 1",
        "0x10", "1_0", "NaN", "Infinity", "-Infinity", "1e5.0", "--1",
    };

    for (size_t i = 0; i < COUNT(valid); i++)
        assert_true(number_is_valid(str_c(valid[i])));
    for (size_t i = 0; i < COUNT(invalid); i++)
        assert_false(number_is_valid(str_c(invalid[i])));
    assert_false(number_is_valid(STR("1\0")));
    assert_true(number_is_integer(STR("-12")));
    assert_false(number_is_integer(STR("1.0")));
    assert_false(number_is_integer(STR("1e3")));
    assert_false(number_is_integer(STR("1E3")));
}

TEST(equal_numbers_have_one_spelling)
{
    static const struct {
        const char *number, *want;
    } cases[] = {
        {"0", "0"},
        {"-0", "0"},
        {"0.000", "0"},
        {"-0e9", "0"},
        {"8080", "8080"},
        {"8080.0", "8080"},
        {"8.08e3", "8080"},
        {"-808000e-2", "-8080"},
        {"1.50", "1.5"},
        {"0.5", "0.5"},
        {"5e-1", "0.5"},
        {"0.00100", "0.001"},
        {"1e-5", "0.00001"},
        {"0.0000123", "0.0000123"},
        {"1e-6", "0.000001"},
        {"0.00000012", "1.2e-7"},
        {"9007199254740993", "9007199254740993"},
        {"9007199254740993.0", "9007199254740993"},
        {"18446744073709551616", "18446744073709551616"},
        {"1e21", "1000000000000000000000"},
        {"1e40", "1e+40"},
        {"12e38", "1200000000000000000000000000000000000000"},
        {"12e39", "1.2e+40"},
        {"0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"},
        {"1e400", "1e+400"},
        {"-1.25e-400", "-1.25e-400"},
    };
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf out = buf_new(a, BUF_UNLIMITED);
        number_plain(&out, str_c(cases[i].number));
        assert_string_equal(str_z(a, buf_str(&out)), cases[i].want);
    }
}

/* In groups of equal numbers, each group above the one before. */
static const char *const ordered[] = {
    "-1e1000000000000000000000",
    "<",
    "-10e999999999999999",
    "-1e1000000000000000",
    "<",
    "-18446744073709551617",
    "<",
    "-18446744073709551616",
    "-1.8446744073709551616e19",
    "<",
    "-1.5",
    "-1.50",
    "-15e-1",
    "<",
    "-1",
    "-1.0",
    "<",
    "-0.1",
    "<",
    "-1e-400",
    "<",
    "0",
    "-0",
    "0.0",
    "-0.00e5",
    "0e999999999999999999999",
    "<",
    "1e-1000000000000000000000",
    "<",
    "1e-999999999999999999",
    "<",
    "1e-400",
    "0.1e-399",
    "<",
    "0.1",
    "1e-1",
    "0.10",
    "<",
    "1",
    "1.0",
    "1e0",
    "1E+0",
    "0.1e1",
    "10e-1",
    "1e00000000000000000000000",
    "<",
    "9007199254740991",
    "<",
    "9007199254740992",
    "<",
    "9007199254740993",
    "9007199254740993.0",
    "<",
    "18446744073709551615",
    "<",
    "18446744073709551616",
    "<",
    "100000000000000000000",
    "1e20",
    "0.00001e25",
    "<",
    "100000000000000000000.1",
    "<",
    "1e10000000000000000",
    "10e9999999999999999",
    "<",
    "1e1000000000000000000000",
};

static int sign(int x)
{
    return (x > 0) - (x < 0);
}

TEST(comparison_is_exact)
{
    for (size_t i = 0, group = 0; i < COUNT(ordered); i++) {
        if (ordered[i][0] == '<') {
            group++;
            continue;
        }
        for (size_t j = 0, other = 0; j < COUNT(ordered); j++) {
            if (ordered[j][0] == '<') {
                other++;
                continue;
            }
            str x = str_c(ordered[i]), y = str_c(ordered[j]);
            if (sign(number_compare(x, y)) != (group > other) - (group < other))
                fail_msg("%s and %s", ordered[i], ordered[j]);
            if (group == other)
                assert_true(number_hash(x) == number_hash(y));
            else
                assert_false(number_hash(x) == number_hash(y));
        }
    }
}

TEST(digits_beyond_any_size_count)
{
    AUTO_ARENA a = arena_new();
    struct buf x = buf_new(a, 1 * MIB), y = buf_new(a, 1 * MIB);

    buf_repeat(&x, '3', 100000);
    buf_add(&y, buf_str(&x));
    assert_int_equal(number_compare(buf_str(&x), buf_str(&y)), 0);
    y.data[99999] = '4';
    assert_int_equal(number_compare(buf_str(&x), buf_str(&y)), -1);
    assert_false(number_hash(buf_str(&x)) == number_hash(buf_str(&y)));
    buf_add(&x, STR("e-100000"));
    assert_int_equal(number_compare(buf_str(&x), STR("0.3334")), -1);
    assert_int_equal(number_compare(buf_str(&x), STR("0.3333")), 1);
}

/* Calls fn with the words of each line of a recording. */
static void each_line(const char *path, void (*fn)(const str *words))
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str text, line;
    size_t lines = 0;

    assert_ok(file_read(a, str_c(path), &text, &e), &e);
    while (str_next_line(&text, &line)) {
        str words[3], rest;
        if (str_has_prefix(line, STR("#")))
            continue;
        assert_true(str_cut(line, STR(" "), &words[0], &rest));
        assert_true(str_cut(rest, STR(" "), &words[1], &words[2]));
        fn(words);
        lines++;
    }
    assert_true(lines > 500);
}

static void check_comparison(const str *words)
{
    int64_t want;

    assert_true(str_to_i64(words[2], &want));
    if (number_compare(words[0], words[1]) != (int)want)
        fail_msg("%.*s and %.*s", STR_ARG(words[0]), STR_ARG(words[1]));
    assert_int_equal(number_compare(words[1], words[0]), -(int)want);
    assert_int_equal(number_hash(words[0]) == number_hash(words[1]), want == 0);
}

TEST(comparison_agrees_with_recorded_rationals)
{
    each_line("tests/recorded/number/compare.txt", check_comparison);
}

static double from_bits(uint64_t bits)
{
    double d;

    memcpy(&d, &bits, sizeof(d));
    return d;
}

static void check_format(const str *words)
{
    AUTO_ARENA a = arena_new();
    char text[NUMBER_MAX];
    double d = from_bits(strtoull(str_z(a, words[0]), NULL, 16)), back;

    assert_str(str_of(text, number_format(text, d, NUMBER_JSON)), words[1]);
    assert_str(str_of(text, number_format(text, d, NUMBER_G)), words[2]);
    assert_true(number_to_double(words[1], &back));
    assert_memory_equal(&back, &d, sizeof(d));
}

TEST(doubles_are_written_as_recorded)
{
    each_line("tests/recorded/number/format.txt", check_format);
}

static const struct {
    double d;
    const char *json, *g;
} layouts[] = {
    {0, "0", "0"},
    {-0.0, "-0", "-0"},
    {1, "1", "1"},
    {-1.5, "-1.5", "-1.5"},
    {100000, "100000", "100000"},
    {1000000, "1000000", "1e+06"},
    {123456789, "123456789", "1.23456789e+08"},
    {1e20, "100000000000000000000", "1e+20"},
    {1e21, "1e+21", "1e+21"},
    {1e-4, "0.0001", "0.0001"},
    {1e-5, "0.00001", "1e-05"},
    {1e-6, "0.000001", "1e-06"},
    {1e-7, "1e-7", "1e-07"},
    {-1.2345678901234567e-6, "-0.0000012345678901234567", "-1.2345678901234567e-06"},
    {5e-324, "5e-324", "5e-324"},
    {1.7976931348623157e308, "1.7976931348623157e+308", "1.7976931348623157e+308"},
    {0.1 + 0.2, "0.30000000000000004", "0.30000000000000004"},
    {5.684341886080802e-14, "5.684341886080802e-14", "5.684341886080802e-14"},
    {9007199254740992.0, "9007199254740992", "9.007199254740992e+15"},
};

TEST(layouts_follow_the_original)
{
    char text[NUMBER_MAX];

    for (size_t i = 0; i < COUNT(layouts); i++) {
        assert_str(str_of(text, number_format(text, layouts[i].d, NUMBER_JSON)),
                   str_c(layouts[i].json));
        assert_str(str_of(text, number_format(text, layouts[i].d, NUMBER_G)), str_c(layouts[i].g));
    }
}

TEST(digits_come_without_zeros_around_them)
{
    static const struct {
        double d;
        const char *digits;
        int point;
    } cases[] = {{0, "0", 1}, {1200, "12", 4}, {-0.05, "5", -1}, {123.456, "123456", 3}};
    char text[NUMBER_MAX];
    int point;

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_str(str_of(text, number_digits(text, cases[i].d, &point)), str_c(cases[i].digits));
        assert_int_equal(point, cases[i].point);
    }
}

TEST(doubles_are_the_nearest_and_overflow_is_told)
{
    static const struct {
        const char *text;
        double want;
        bool fits;
    } cases[] = {
        {"1e400", INFINITY, false},
        {"-1e400", -INFINITY, false},
        {"1e-400", 0, true},
        {"-1e-400", -0.0, true},
        {"1.7976931348623158e308", 1.7976931348623157e308, true},
        {"1.7976931348623159e308", INFINITY, false},
        {"9007199254740993", 9007199254740992.0, true},
        {"9007199254740993.0000000000000000000000000000000000000000000000000000000000000000000001",
         9007199254740994.0, true},
        {"2.4703282292062327e-324", 0, true},
        {"2.4703282292062328e-324", 5e-324, true},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        double got;
        assert_int_equal(number_to_double(str_c(cases[i].text), &got), cases[i].fits);
        assert_memory_equal(&got, &cases[i].want, sizeof(got));
    }
}

TEST(whole_numbers_that_fit_become_integers)
{
    static const struct {
        const char *text;
        bool fits_signed, fits_unsigned;
        int64_t i;
        uint64_t u;
    } cases[] = {
        {"0", true, true, 0, 0},
        {"-0", true, true, 0, 0},
        {"-0.0e5", true, true, 0, 0},
        {"0e99999999999999999999999", true, true, 0, 0},
        {"1e3", true, true, 1000, 1000},
        {"5.0", true, true, 5, 5},
        {"5.5", false, false, 0, 0},
        {"0.5", false, false, 0, 0},
        {"1e-1", false, false, 0, 0},
        {"-7", true, false, -7, 0},
        {"123.45e2", true, true, 12345, 12345},
        {"123.45e1", false, false, 0, 0},
        {"12300e-2", true, true, 123, 123},
        {"9223372036854775807", true, true, INT64_MAX, INT64_MAX},
        {"9223372036854775808", false, true, 0, UINT64_C(9223372036854775808)},
        {"-9223372036854775808", true, false, INT64_MIN, 0},
        {"-9223372036854775809", false, false, 0, 0},
        {"18446744073709551615", false, true, 0, UINT64_MAX},
        {"1844674407370955161.5e1", false, true, 0, UINT64_MAX},
        {"18446744073709551616", false, false, 0, 0},
        {"99999999999999999999", false, false, 0, 0},
        {"1e19", false, true, 0, UINT64_C(10000000000000000000)},
        {"1e20", false, false, 0, 0},
        {"1e21", false, false, 0, 0},
        {"1e9999999999999999999", false, false, 0, 0},
        {"1e-9999999999999999999", false, false, 0, 0},
    };

    for (size_t n = 0; n < COUNT(cases); n++) {
        int64_t i = 0;
        uint64_t u = 0;
        bool fits_signed = number_to_i64(str_c(cases[n].text), &i);
        bool fits_unsigned = number_to_u64(str_c(cases[n].text), &u);
        if (fits_signed != cases[n].fits_signed || fits_unsigned != cases[n].fits_unsigned)
            fail_msg("%s", cases[n].text);
        if (fits_signed)
            assert_true(i == cases[n].i);
        if (fits_unsigned)
            assert_true(u == cases[n].u);
    }
}

RUN_TESTS(cmocka_unit_test(numbers_are_spelled_as_in_json),
          cmocka_unit_test(equal_numbers_have_one_spelling), cmocka_unit_test(comparison_is_exact),
          cmocka_unit_test(digits_beyond_any_size_count),
          cmocka_unit_test(comparison_agrees_with_recorded_rationals),
          cmocka_unit_test(doubles_are_written_as_recorded),
          cmocka_unit_test(layouts_follow_the_original),
          cmocka_unit_test(digits_come_without_zeros_around_them),
          cmocka_unit_test(doubles_are_the_nearest_and_overflow_is_told),
          cmocka_unit_test(whole_numbers_that_fit_become_integers))
