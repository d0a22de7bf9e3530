/* SPDX-License-Identifier: Apache-2.0 */
/* test_quote.c - text in quotes as Go writes it. */
#include "../test.h"

#include "go/quote.h"

static const struct {
    str text, quoted;
} cases[] = {
    {STR_INIT("plain"), STR_INIT("\"plain\"")},
    {STR_INIT(""), STR_INIT("\"\"")},
    {STR_INIT("a\"b\\c'"), STR_INIT("\"a\\\"b\\\\c'\"")},
    {STR_INIT("t\tn\nr\r"), STR_INIT("\"t\\tn\\nr\\r\"")},
    {STR_INIT("\033[31m"), STR_INIT("\"\\x1b[31m\"")},
    {STR_INIT("\0\x7f"), STR_INIT("\"\\x00\\x7f\"")},
    {STR_INIT("\u00e9\u65e5\U0001f600"), STR_INIT("\"\u00e9\u65e5\U0001f600\"")},
    {STR_INIT("\xc2\x9b"), STR_INIT("\"\\u009b\"")},
    {STR_INIT("a\u202eb"), STR_INIT("\"a\\u202eb\"")},
    {STR_INIT("\u2066x"), STR_INIT("\"\\u2066x\"")},
    {STR_INIT("\xff\xc3"), STR_INIT("\"\\xff\\xc3\"")},
    {STR_INIT("\u00a0"), STR_INIT("\"\\u00a0\"")},
};

TEST(quotes_are_those_of_go)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        assert_str(go_quoted(a, cases[i].text), cases[i].quoted);
    }
}

TEST(quotes_in_ascii_escape_the_rest)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);

    go_quote_with(&b, STR("a\u00e9\U0001f600\xff"), true);
    assert_str(buf_str(&b), STR("\"a\\u00e9\\U0001f600\\xff\""));
}

static const struct {
    uint64_t c;
    bool ascii;
    const char *want;
} runes[] = {
    {'a', false, "'a'"},       {'\'', false, "'\\''"},      {'"', false, "'\"'"},
    {'\n', false, "'\\n'"},    {0x1b, false, "'\\x1b'"},    {0xe9, false, "'\u00e9'"},
    {0xe9, true, "'\\u00e9'"}, {0xd800, false, "'\ufffd'"}, {0x110000, true, "'\\ufffd'"},
};

TEST(a_character_is_in_single_quotes)
{
    for (size_t i = 0; i < COUNT(runes); i++) {
        AUTO_ARENA a = arena_new();
        struct buf b = buf_new(a, BUF_UNLIMITED);
        go_quote_rune(&b, runes[i].c, runes[i].ascii);
        assert_str(buf_str(&b), str_c(runes[i].want));
    }
}

TEST(backquotes_are_for_one_plain_line)
{
    assert_true(go_can_backquote(STR("a\t\"\u00e9")));
    assert_false(go_can_backquote(STR("a`")));
    assert_false(go_can_backquote(STR("a\n")));
    assert_false(go_can_backquote(STR("\xff")));
    assert_false(go_can_backquote(STR("\ufeff")));
}

RUN_TESTS(cmocka_unit_test(quotes_are_those_of_go),
          cmocka_unit_test(quotes_in_ascii_escape_the_rest),
          cmocka_unit_test(a_character_is_in_single_quotes),
          cmocka_unit_test(backquotes_are_for_one_plain_line))
