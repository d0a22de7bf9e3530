/* SPDX-License-Identifier: Apache-2.0 */
/* test_csv.c - records of comma-separated values, with the original's errors. */
#include "../test.h"

static const struct {
    const char *text;
    const char *fields; /* each followed by | */
    const char *error;
} cases[] = {
    {"a", "a|", NULL},
    {"a,b", "a|b|", NULL},
    {"a,,b,", "a||b||", NULL},
    {",", "||", NULL},
    {" a , b ", " a | b |", NULL},
    {"\"a,b\",c", "a,b|c|", NULL},
    {"\"a\"\"b\"", "a\"b|", NULL},
    {"\"\"", "|", NULL},
    {"\"\",\"\"", "||", NULL},
    {"a\nb", "a|", NULL},
    {"a\r\nb", "a|", NULL},
    {"a\r", "a|", NULL},
    {"a\rb", "a\rb|", NULL},
    {"\n\r\n\na", "a|", NULL},
    {"\"a\nb\",c\nd", "a\nb|c|", NULL},
    {"\"a\r\nb\"", "a\nb|", NULL},
    {"\"a\"\n", "a|", NULL},
    {"", NULL, "EOF"},
    {"\n\n", NULL, "EOF"},
    {"\r", NULL, "EOF"},
    {"a\"", NULL, "parse error on line 1, column 2: bare \" in non-quoted-field"},
    {"ab,c\"d", NULL, "parse error on line 1, column 5: bare \" in non-quoted-field"},
    {"\n\na\"", NULL, "parse error on line 3, column 2: bare \" in non-quoted-field"},
    {"\"a\" ", NULL, "parse error on line 1, column 3: extraneous or missing \" in quoted-field"},
    {"\"", NULL, "parse error on line 1, column 2: extraneous or missing \" in quoted-field"},
    {"\"a\n", NULL, "parse error on line 1, column 4: extraneous or missing \" in quoted-field"},
    {"\n\"a\nb\"c", NULL,
     "record on line 2; parse error on line 3, column 2: extraneous or missing \" in quoted-field"},
};

TEST(records_are_read_as_the_original_reads_them)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ERR e = {0};
        struct buf got = buf_new(a, 1 * KIB);
        str *fields;
        size_t count;
        if (cases[i].error) {
            assert_false(csv_record(a, str_c(cases[i].text), ',', &fields, &count, &e));
            assert_str(e.text, str_c(cases[i].error));
            continue;
        }
        assert_ok(csv_record(a, str_c(cases[i].text), ',', &fields, &count, &e), &e);
        for (size_t k = 0; k < count; k++)
            buf_fmt(&got, "%.*s|", STR_ARG(fields[k]));
        assert_str(buf_str(&got), str_c(cases[i].fields));
    }
}

TEST(the_separator_is_the_callers)
{
    AUTO_ARENA a = arena_new();
    str *fields;
    size_t count;

    assert_true(csv_record(a, STR("a,b.c"), '.', &fields, &count, NULL));
    assert_int_equal(count, 2);
    assert_str(fields[0], STR("a,b"));
}

RUN_TESTS(cmocka_unit_test(records_are_read_as_the_original_reads_them),
          cmocka_unit_test(the_separator_is_the_callers))
