/* SPDX-License-Identifier: Apache-2.0 */
/* test_quote.c - foreign text made safe to show. */
#include "../test.h"

#include "base/quote.h"

static const struct {
    str text, terminal;
} cases[] = {
    {STR_INIT("plain"), STR_INIT("plain")},
    {STR_INIT(""), STR_INIT("")},
    {STR_INIT("a\"b\\c'"), STR_INIT("a\"b\\c'")},
    {STR_INIT("t\tn\nr\r"), STR_INIT("t\tn\nr\\r")},
    {STR_INIT("\033[31m"), STR_INIT("\\x1b[31m")},
    {STR_INIT("\0\x7f"), STR_INIT("\\x00\\x7f")},
    {STR_INIT("\u00e9\u65e5\U0001f600"), STR_INIT("\u00e9\u65e5\U0001f600")},
    {STR_INIT("\xc2\x9b"), STR_INIT("\\u009b")},
    {STR_INIT("a\u202eb"), STR_INIT("a\\u202eb")},
    {STR_INIT("\u2066x"), STR_INIT("\\u2066x")},
    {STR_INIT("\xff\xc3"), STR_INIT("\\xff\\xc3")},
    {STR_INIT("\u00a0"), STR_INIT("\u00a0")},
};

TEST(nothing_can_command_a_terminal)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        struct buf out = buf_new(a, BUF_UNLIMITED);
        quote_for_terminal(&out, cases[i].text);
        assert_str(buf_str(&out), cases[i].terminal);
    }
}

static const struct {
    const char *text, *want;
} people[] = {
    {"a::b\n+::c\n", "a::b\n+::c\n"},
    {"::error::x", "\\x3a:error::x"},
    {" \t ::error::x\n::y", " \t \\x3a:error::x\n\\x3a:y"},
    {"\u00a0\u3000::x", "\u00a0\u3000\\x3a:x"},
    {"\033::x", "\\x1b::x"},
    {"a ##[b] ##[c]", "a \\x23#[b] \\x23#[c]"},
    {"###[a]\n##", "#\\x23#[a]\n##"},
    {"::##[a]", "\\x3a:\\x23#[a]"},
    {"a\u2028::b\u202e\n", "a\\u2028::b\\u202e\n"},
    {"", ""},
};

TEST(no_line_is_a_command_of_a_workflow)
{
    for (size_t i = 0; i < COUNT(people); i++) {
        AUTO_ARENA a = arena_new();
        struct buf out = buf_new(a, BUF_UNLIMITED);
        quote_for_people(&out, str_c(people[i].text));
        assert_str(buf_str(&out), str_c(people[i].want));
    }
}

TEST(a_quoted_line_is_one_line)
{
    AUTO_ARENA a = arena_new();

    assert_str(quote_line(a, STR("a\nb\tc\033\n")), STR("a\\nb\tc\\x1b\\n"));
    assert_str(quote_line(a, STR("")), STR(""));
}

/* Long texts are looked at in pieces, which must leave no gap. */
TEST(a_dangerous_byte_is_found_wherever_it_is)
{
    for (size_t len = 1; len <= 50; len++) {
        for (size_t at = 0; at < len; at++) {
            AUTO_ARENA a = arena_new();
            struct buf text = buf_new(a, BUF_UNLIMITED), want = buf_new(a, BUF_UNLIMITED);
            struct buf out = buf_new(a, BUF_UNLIMITED);
            buf_repeat(&text, 'x', at);
            buf_repeat(&want, 'x', at);
            buf_char(&text, 0x7F);
            buf_add(&want, STR("\\x7f"));
            buf_repeat(&text, 'x', len - at - 1);
            buf_repeat(&want, 'x', len - at - 1);
            quote_for_people(&out, buf_str(&text));
            assert_str(buf_str(&out), buf_str(&want));
            assert_str(quote_line(a, buf_str(&text)), buf_str(&want));
        }
    }
}

RUN_TESTS(cmocka_unit_test(nothing_can_command_a_terminal),
          cmocka_unit_test(no_line_is_a_command_of_a_workflow),
          cmocka_unit_test(a_quoted_line_is_one_line),
          cmocka_unit_test(a_dangerous_byte_is_found_wherever_it_is))
