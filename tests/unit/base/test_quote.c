/* SPDX-License-Identifier: Apache-2.0 */
/* test_quote.c - foreign text made fit to be shown. */
#include "../test.h"

#include "base/quote.h"

static const struct {
    str text, quoted, terminal;
} cases[] = {
    {STR_INIT("plain"), STR_INIT("\"plain\""), STR_INIT("plain")},
    {STR_INIT(""), STR_INIT("\"\""), STR_INIT("")},
    {STR_INIT("a\"b\\c'"), STR_INIT("\"a\\\"b\\\\c'\""), STR_INIT("a\"b\\c'")},
    {STR_INIT("t\tn\nr\r"), STR_INIT("\"t\\tn\\nr\\r\""), STR_INIT("t\tn\nr\\r")},
    {STR_INIT("\033[31m"), STR_INIT("\"\\x1b[31m\""), STR_INIT("\\x1b[31m")},
    {STR_INIT("\0\x7f"), STR_INIT("\"\\x00\\x7f\""), STR_INIT("\\x00\\x7f")},
    {STR_INIT("\u00e9\u65e5\U0001f600"), STR_INIT("\"\u00e9\u65e5\U0001f600\""),
     STR_INIT("\u00e9\u65e5\U0001f600")},
    {STR_INIT("\xc2\x9b"), STR_INIT("\"\\u009b\""), STR_INIT("\\u009b")},
    {STR_INIT("a\u202eb"), STR_INIT("\"a\\u202eb\""), STR_INIT("a\\u202eb")},
    {STR_INIT("\u2066x"), STR_INIT("\"\\u2066x\""), STR_INIT("\\u2066x")},
    {STR_INIT("\xff\xc3"), STR_INIT("\"\\xff\\xc3\""), STR_INIT("\\xff\\xc3")},
    {STR_INIT("\u00a0"), STR_INIT("\"\\u00a0\""), STR_INIT("\u00a0")},
};

TEST(quotes_are_those_of_go)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        assert_str(quote_of(a, cases[i].text), cases[i].quoted);
    }
}

TEST(nothing_can_command_a_terminal)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        struct buf out = buf_new(a, BUF_UNLIMITED);
        quote_for_terminal(&out, cases[i].text);
        assert_str(buf_str(&out), cases[i].terminal);
    }
}

TEST(a_quoted_line_is_one_line)
{
    AUTO_ARENA a = arena_new();

    assert_str(quote_line(a, STR("a\nb\tc\033\n")), STR("a\\nb\tc\\x1b\\n"));
    assert_str(quote_line(a, STR("")), STR(""));
}

RUN_TESTS(cmocka_unit_test(quotes_are_those_of_go),
          cmocka_unit_test(nothing_can_command_a_terminal),
          cmocka_unit_test(a_quoted_line_is_one_line))
