/* SPDX-License-Identifier: Apache-2.0 */
/* test_inline.c - functions that compare single fields. */
#include "../test.h"

#include "compare/pair/inline_internal.h"
#include "compare/log_buffer_internal.h"

static const struct {
    const struct inline_function *function;
    const char *pattern, *value, *want;
} cases[] = {
    {&inline_regex, "[a-z]+", "abc", "abc"},
    {&inline_regex, "[a-z]+", "123", "[a-z]+"},
    {&inline_regex, "[a-z]+", "12abc", "abc"},
    {&inline_regex, "(?<n>[a-z]+)-(?<m>[0-9]+)", "abc-12", "abc-12"},
    {&inline_regex, "(?<n>a)-(?<n>b)", "a-b",
     "(?<n>=a)-(?<n>=a)\nWARNING: Capturegroup (?<n>\u2026) matched multiple values: \u00ab a | b "
     "\u00bb"},
    {&inline_regex, "x(?<n>b)?", "x", "x"},
    {&inline_regex, "(?:(?<n>x)|(?<m>y))*", "yx", "yx"},
    {&inline_regex, "(?<n>)(?<n>xy)z", "xyz",
     "(?<n>=)z\nWARNING: Capturegroup (?<n>\u2026) matched multiple values: \u00ab  | xy \u00bb"},
    {&inline_regex, "(", "(", "("},
    {&inline_capturegroups, "user (?<u>[a-z]+) ok", "user bob ok", "user bob ok"},
    {&inline_capturegroups, "user (?<u>[a-z]+) ok", "user 12 ok", "user (?<u>[a-z]+) ok"},
    {&inline_capturegroups, "a.c", "abc", "a.c"},
    {&inline_capturegroups, "(?<a>x", "y", "(?<a>x"},
    {&inline_capturegroups, "(?<a>[)]+)", ")))", ")))"},
};

TEST(results_show_what_did_not_fit)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        struct captures c = {.arena = a, .left = INLINE_COST_MAX};
        struct log_buffer log = {.arena = a};
        (void)cases[i].function->compare(a, str_c(cases[i].pattern), str_c(cases[i].value), &c,
                                         &log);
        assert_str(
            cases[i].function->compare(a, str_c(cases[i].pattern), str_c(cases[i].value), &c, &log),
            str_c(cases[i].want));
    }
}

TEST(broken_patterns_are_refused_with_their_line)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct captures c = {.arena = a, .left = INLINE_COST_MAX};

    assert_false(inline_capturegroups.validate(a, STR("fine\n(?<a>[z-a])\n(?<b>*)"), &c, &e));
    assert_str(e.text, STR("line 2 error parsing regexp: invalid character class range: `z-a`\n"
                           "line 3 error parsing regexp: missing argument to repetition operator: "
                           "`*`"));
    assert_false(inline_regex.validate(a, STR("("), &c, &e));
    assert_str(e.text, STR("invalid regex passed to inline regex diff function: error parsing "
                           "regexp: missing closing ): `(`"));
}

RUN_TESTS(cmocka_unit_test(results_show_what_did_not_fit),
          cmocka_unit_test(broken_patterns_are_refused_with_their_line))
