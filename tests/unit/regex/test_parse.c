/* SPDX-License-Identifier: Apache-2.0 */
/* test_parse.c - which patterns are accepted, and Go's words for those that are not. */
#include "../test.h"

#include "regex/regex.h"

static void check_error(str pattern, str want)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct regex *re;

    if (regex_compile(a, pattern, &re, &e))
        fail_msg("accepted: %.*s", STR_ARG(pattern));
    assert_str(str_without_prefix(e.text, STR("error parsing regexp: ")), want);
    assert_int_equal(e.kind, ERR_INVALID);
}

static void check_accepted(str pattern)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct regex *re;

    assert_ok(regex_compile(a, pattern, &re, &e), &e);
}

static const struct {
    const char *pattern, *want;
} error_cases[] = {
    {"(a", "missing closing ): `(a`"},
    {"a)", "unexpected ): `a)`"},
    {"(a))b", "unexpected ): `(a))b`"},
    {"(|", "missing closing ): `(|`"},
    {"[a", "missing closing ]: `[a`"},
    {"x[^", "missing closing ]: `[^`"},
    {"[]", "missing closing ]: `[]`"},
    {"[a-\\", "trailing backslash at end of expression: ``"},
    {"[z-a]", "invalid character class range: `z-a`"},
    {"[a-\\d]", "invalid escape sequence: `\\d`"},
    {"[[:foo:]]", "invalid character class range: `[:foo:]`"},
    {"\\p{Foo}", "invalid character class range: `\\p{Foo}`"},
    {"\\p{Foo", "invalid character class range: `\\p{Foo`"},
    {"\\pX", "invalid character class range: `\\pX`"},
    {"\\p", "invalid character class range: `\\p`"},
    {"\\p{}", "invalid character class range: `\\p{}`"},
    {"\\p{Latn}", "invalid character class range: `\\p{Latn}`"},
    {"\\p{L&}", "invalid character class range: `\\p{L&}`"},
    {"*", "missing argument to repetition operator: `*`"},
    {"a|+?", "missing argument to repetition operator: `+?`"},
    {"(*)", "missing argument to repetition operator: `*`"},
    {"(?i)*", "missing argument to repetition operator: `*`"},
    {"{2}", "missing argument to repetition operator: `{2}`"},
    {"a**", "invalid nested repetition operator: `**`"},
    {"a*??", "invalid nested repetition operator: `*??`"},
    {"a+*?b", "invalid nested repetition operator: `+*?`"},
    {"a{2}{3}", "invalid nested repetition operator: `{2}{3}`"},
    {"a{1001}", "invalid repeat count: `{1001}`"},
    {"a{2,1}", "invalid repeat count: `{2,1}`"},
    {"a{1,99999999999}", "invalid repeat count: `{1,99999999999}`"},
    {"((a{100}){10}){2}?", "invalid repeat count: `{2}?`"},
    {"(a{1000}){1000}", "invalid repeat count: `{1000}`"},
    {"\\", "trailing backslash at end of expression: ``"},
    {"\\1", "invalid escape sequence: `\\1`"},
    {"\\8", "invalid escape sequence: `\\8`"},
    {"\\C", "invalid escape sequence: `\\C`"},
    {"\\E", "invalid escape sequence: `\\E`"},
    {"\\Z", "invalid escape sequence: `\\Z`"},
    {"\\x4", "invalid escape sequence: `\\x4`"},
    {"\\x{110000}", "invalid escape sequence: `\\x{110000`"},
    {"\\x{}", "invalid escape sequence: `\\x{}`"},
    {"\\\xC3\xA9", "invalid escape sequence: `\\\xC3\xA9`"},
    {"(?", "invalid or unsupported Perl syntax: `(?`"},
    {"(?=a)", "invalid or unsupported Perl syntax: `(?=`"},
    {"(?<=a)", "invalid named capture: `(?<=a)`"},
    {"(?<!a)>", "invalid named capture: `(?<!a)>`"},
    {"(?#x)", "invalid or unsupported Perl syntax: `(?#`"},
    {"(?x)", "invalid or unsupported Perl syntax: `(?x`"},
    {"(?i-)", "invalid or unsupported Perl syntax: `(?i-)`"},
    {"(?i--s)", "invalid or unsupported Perl syntax: `(?i--`"},
    {"(?P=n)", "invalid or unsupported Perl syntax: `(?P`"},
    {"(?P<", "invalid or unsupported Perl syntax: `(?P`"},
    {"(?<", "invalid or unsupported Perl syntax: `(?<`"},
    {"(?P<n", "invalid named capture: `(?P<n`"},
    {"(?P<n>", "missing closing ): `(?P<n>`"},
    {"(?P<>a)", "invalid named capture: `(?P<>`"},
    {"(?<a-b>c)", "invalid named capture: `(?<a-b>`"},
    {"a\xFFz", "invalid UTF-8: `\xFFz`"},
    {"\\Qa\xFF\\Eb", "invalid UTF-8: `\xFF`"},
    {"(?<\xFF>a)", "invalid UTF-8: `\xFF`"},
    {"\\p{\xC3", "invalid UTF-8: `\xC3`"},
};

TEST(a_fault_is_worded_as_in_go)
{
    for (size_t i = 0; i < COUNT(error_cases); i++)
        check_error(str_c(error_cases[i].pattern), str_c(error_cases[i].want));
}

TEST(a_fault_shows_nul_bytes_too)
{
    check_error(STR("a\0("), STR("missing closing ): `a\0(`"));
}

static const char *const accepted_cases[] = {
    "",
    "^*",
    "$+",
    "\\b?",
    "(?:)*",
    "()",
    "a||b",
    "(|)",
    "a{,2}",
    "a{2",
    "a{02}",
    "{",
    "a{x}",
    "}",
    "]",
    "[]a]",
    "[^]a]",
    "[-a]",
    "[a-]",
    "[\\d-z]",
    "[a-c-e]",
    "[[:word:]:]",
    "[[:a]",
    "\\Q[a\\E]",
    "\\Q",
    "\\x{10FFFF}",
    "\\07",
    "\\123",
    "\\_\\-",
    "a{0}",
    "a{1000}",
    "(?P<1>a)",
    "(?<n>a)",
    "(?<n>a)(?P<n>b)",
    "(?ims-U:a)",
    "(?i)(?-i)",
    "(?)",
    "a\\Q\\E*",
    "a*\\Q\\E*",
    "\\p{^Lu}",
    "\\P{^L}",
    "\\pl",
    "\\p{letter}",
    "\\p{Lowercase-Letter}",
    "\\p{cn}",
    "\\p{LC}",
    "\\p{any}",
    "\\p{ASCII}",
    "\\p{Assigned}",
    "\\p{greek}",
    "((((((((((a{2}){2}){2}){2}){2}){2}){2}){2}){2}))",
};

TEST(what_go_accepts_is_accepted)
{
    for (size_t i = 0; i < COUNT(accepted_cases); i++)
        check_accepted(str_c(accepted_cases[i]));
}

/* Upstream: Go 1.26 looks names up without underscores in a table that has them. */
TEST(scripts_of_two_words_are_not_found)
{
    check_error(STR("\\p{Old_Italic}"), STR("invalid character class range: `\\p{Old_Italic}`"));
    check_error(STR("\\p{Olditalic}"), STR("invalid character class range: `\\p{Olditalic}`"));
}

static str repeated(struct arena *a, str before, str middle, str after, size_t count)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < count; i++)
        buf_add(&b, before);
    buf_add(&b, middle);
    for (size_t i = 0; i < count; i++)
        buf_add(&b, after);
    return buf_str(&b);
}

static void check_fault_kind(str pattern, const char *want)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct regex *re;

    assert_false(regex_compile(a, pattern, &re, &e));
    str text = str_without_prefix(e.text, STR("error parsing regexp: "));
    assert_str(str_slice(text, 0, strlen(want)), str_c(want));
}

TEST(nesting_stops_at_a_thousand)
{
    AUTO_ARENA a = arena_new();

    check_accepted(repeated(a, STR("("), STR("a"), STR(")"), 999));
    check_fault_kind(repeated(a, STR("("), STR("a"), STR(")"), 1000),
                     "expression nests too deeply: `((((");
    check_accepted(repeated(a, STR("(?:"), STR("a"), STR(")*"), 999));
    check_fault_kind(repeated(a, STR("(?:"), STR("a"), STR(")*"), 1000),
                     "expression nests too deeply: `(?:(?:");
}

TEST(programs_stop_growing_at_gos_limit)
{
    AUTO_ARENA a = arena_new();

    check_accepted(repeated(a, STR("a{1000}"), STR(""), STR(""), 100));
    check_fault_kind(repeated(a, STR("a{1000}"), STR(""), STR(""), 3400),
                     "expression too large: `a{1000}a");
    check_fault_kind(repeated(a, STR("\\pL"), STR(""), STR(""), 30000), "expression too large: `");
}

TEST(groups_cannot_take_unbounded_memory)
{
    AUTO_ARENA a = arena_new();

    check_fault_kind(repeated(a, STR("(a|b)"), STR(""), STR(""), 5000), "expression too large: `");
    check_accepted(repeated(a, STR("(a|b)"), STR(""), STR(""), 500));
}

TEST(a_pattern_of_many_megabytes_is_too_large)
{
    AUTO_ARENA a = arena_new();

    check_fault_kind(repeated(a, STR("abcdefgh"), STR(""), STR(""), 1 * MIB),
                     "expression too large: `abcd");
}

RUN_TESTS(cmocka_unit_test(a_fault_is_worded_as_in_go),
          cmocka_unit_test(a_fault_shows_nul_bytes_too),
          cmocka_unit_test(what_go_accepts_is_accepted),
          cmocka_unit_test(scripts_of_two_words_are_not_found),
          cmocka_unit_test(nesting_stops_at_a_thousand),
          cmocka_unit_test(programs_stop_growing_at_gos_limit),
          cmocka_unit_test(groups_cannot_take_unbounded_memory),
          cmocka_unit_test(a_pattern_of_many_megabytes_is_too_large))
