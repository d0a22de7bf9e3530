/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_match.c - what matches where, by both machines, and in how many steps.
 *
 * A result is written as the spans of the first match: "0-2 1-2 -", where "-" is a group that did
 * not participate; no match is "none".
 */
#include "../test.h"

#include "regex/internal.h"

static struct regex *compile(struct arena *a, str pattern)
{
    AUTO_ERR e = {0};
    struct regex *re = NULL;

    assert_ok(regex_compile(a, pattern, &re, &e), &e);
    return re;
}

static str describe(struct arena *a, const struct regex *re, str text, enum search_engine engine)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    struct search s = {.re = re, .text = text, .arena = a, .slot_count = 2 * (re->groups + 1)};

    s.slots = ARENA_ARRAY(a, size_t, s.slot_count);
    if (!rx_search_run(&s, 0, engine))
        return STR("none");
    for (size_t i = 0; i < s.slot_count; i += 2) {
        buf_add(&out, i ? STR(" ") : STR(""));
        if (s.slots[i + 1] == STR_NPOS)
            buf_char(&out, '-');
        else
            buf_fmt(&out, "%zu-%zu", s.slots[i], s.slots[i + 1]);
    }
    return buf_str(&out);
}

static void check(str pattern, str text, str want)
{
    AUTO_ARENA a = arena_new();
    struct regex *re = compile(a, pattern);

    assert_str(describe(a, re, text, SEARCH_PIKE), want);
    assert_str(describe(a, re, text, SEARCH_BACKTRACK), want);
    assert_int_equal(regex_match(re, text), !str_eq(want, STR("none")));
}

static const struct {
    const char *pattern, *text, *want;
} cases[] = {
    {"", "", "0-0"},
    {"a", "ba", "1-2"},
    {"a|ab", "ab", "0-1"},
    {"ab|a", "ab", "0-2"},
    {"a*?b", "aab", "0-3"},
    {"(a+)(b+)?", "caad", "1-3 1-3 -"},
    {"(a)|(b)", "b", "0-1 - 0-1"},
    {"(?U)a+", "aaa", "0-1"},
    {"(?U)a+?", "aaa", "0-3"},
    {"a{2,3}", "aaaa", "0-3"},
    {"a{2,3}?", "aaaa", "0-2"},
    {"(a){0}b", "ab", "1-2 -"},
    {"x{0,0}y", "xy", "1-2"},
    {"(?:a{2}){2,}", "aaaaaaa", "0-6"},
    {"^b", "ab", "none"},
    {"(?m)^b", "a\nb", "2-3"},
    {"a$", "a\n", "none"},
    {"(?m)a$", "a\n", "0-1"},
    {"(?m)a\\z", "a\n", "none"},
    {"\\Ab|c", "ac", "1-2"},
    {"a.c", "a\nc", "none"},
    {"(?s)a.c", "a\nc", "0-3"},
    {"[^a]", "a\n", "1-2"},
    {"\\bb", "ab b", "3-4"},
    {"\\Bb", "b ab", "3-4"},
    {"\\b", "\xC3\xA9", "none"},
    {"\\s", "\v", "none"},
    {"[[:space:]]", "\v", "0-1"},
    {"\\v", "x\v", "1-2"},
    {"\\Qa.b\\E+", "xa.bb", "1-5"},
    {"\\x41\\x{e9}\\101\\07",
     "A\xC3\xA9"
     "A\a",
     "0-5"},
    /* Loops that can be empty: Go's answers since 1.17. */
    {"(|a)*", "aa", "0-0 0-0"},
    {"(|a)+", "aa", "0-0 0-0"},
    {"(a|)*", "aa", "0-2 1-2"},
    {"(a*)*", "b", "0-0 0-0"},
    {"(a*)+", "b", "0-0 0-0"},
    {"(\\w*)*", "ab", "0-2 0-2"},
    {"([^a]|$)+", "ba", "0-1 0-1"},
    {"(a|b)*?c", "abc", "0-3 1-2"},
    {"((a)|b)*", "ab", "0-2 1-2 0-1"},
    {"(?:(a)|b)*", "ab", "0-2 0-1"},
    /* Prefixes in common. */
    {"abc|abd|aef|bcx|bcy", "zaef", "1-4"},
    {"(?:a|ab)(?:c|bcd)(d*)", "abcd", "0-4 4-4"},
    {"[ab]c|[ab]d|x", "bd", "0-2"},
    {"a|b|c|", "d", "0-0"},
    {"(?i:A)b|A[cd]", "ac", "0-2"}, /* Upstream: the second A loses its case */
    {"a.|\\n|.b", "xb", "0-2"},
    /* Without case. */
    {"(?i)straSSe",
     "STRA\xC5\xBF\xC5\xBF"
     "E",
     "0-9"},
    {"(?i)k", "\xE2\x84\xAA", "0-3"},
    {"(?i)\\w", "\xE2\x84\xAA", "0-3"},
    {"(?i)[^k]", "\xE2\x84\xAA", "none"},
    {"(?i)\xCF\x83", "\xCE\xA3\xCF\x82", "0-2"},
    {"(?i)[\xCE\xB1-\xCF\x89]+", "\xCE\x91\xCE\xA9", "0-4"},
    {"(?i)a(?-i)b", "Ab", "0-2"},
    {"(?i)a(?-i)b", "AB", "none"},
    /* Unicode. */
    {"\\pL+", "1\xC3\xA9\xE6\x97\xA5", "1-6"},
    {"\\PL", "\xC3\xA9-", "2-3"},
    {"\\p{Greek}", "a\xCE\xB1", "1-3"},
    {"\\p{^Greek}",
     "\xCE\xB1"
     "a",
     "2-3"},
    {"[\\p{Lu}\\d]+", "aB1", "1-3"},
    {"\\p{Uppercase_Letter}", "aB", "1-2"},
    {"\\p{ascii}", "\xC3\xA9x", "2-3"},
    {"\\p{Cn}", "a\xCD\xB8", "1-3"},
    {"\\p{Assigned}",
     "\xCD\xB8"
     "a",
     "2-3"},
    {"\\P{Any}", "a", "none"},
    {"[^\\x00-\\x{10FFFF}]", "a", "none"},
    /* Bytes that are not UTF-8 are U+FFFD each. */
    {"^.$", "\xFF", "0-1"},
    {"\\x{FFFD}", "a\xFF", "1-2"},
    {"\\xff", "\xFF", "none"},
    {".{2}", "\xE6\x97", "0-2"},
    {"b",
     "\xE6\x97"
     "b",
     "2-3"},
    /* A condition that failed before a skip may hold after it. */
    {"[^[:punct:]b]?\\b(\\pL)", " -b\n", "2-3 2-3"},
};

TEST(both_machines_match_as_go_does)
{
    for (size_t i = 0; i < COUNT(cases); i++)
        check(str_c(cases[i].pattern), str_c(cases[i].text), str_c(cases[i].want));
}

TEST(a_search_from_the_middle_sees_what_is_before)
{
    AUTO_ARENA a = arena_new();
    struct span span;

    assert_false(regex_find(compile(a, STR("^b")), STR("ab"), 1, &span, 1));
    assert_false(regex_find(compile(a, STR("\\bb")), STR("ab"), 1, &span, 1));
    assert_true(regex_find(compile(a, STR("(?m)^b")), STR("\nb"), 1, &span, 1));
    assert_true(regex_find(compile(a, STR("$")), STR("ab"), 2, &span, 1));
    assert_false(regex_find(compile(a, STR("$")), STR("ab"), 3, &span, 1));
}

TEST(spans_beyond_the_groups_are_empty)
{
    AUTO_ARENA a = arena_new();
    struct regex *re = compile(a, STR("(?<x>a)(b)?"));
    struct span spans[5];

    assert_true(regex_find(re, STR("a"), 0, spans, 5));
    assert_int_equal(spans[1].to, 1);
    for (size_t i = 2; i < 5; i++)
        assert_true(spans[i].from == STR_NPOS);
    assert_int_equal(regex_groups(re), 2);
    assert_str(regex_group_name(re, 0), STR(""));
    assert_str(regex_group_name(re, 1), STR("x"));
    assert_str(regex_group_name(re, 2), STR(""));
    assert_str(regex_group_name(re, 3), STR(""));
}

static const char *const hard_patterns[] = {
    "(a+)+$", "(a*)*c", "(a|aa)+$", "(.*)(.*)(.*)x", "(?:a?){20}a{20}c", "(a?)*?c", "(?i)(a|A)*b$",
};

static uint64_t steps(struct arena *a, const struct regex *re, size_t count,
                      enum search_engine engine)
{
    struct buf text = buf_new(a, BUF_UNLIMITED);

    buf_repeat(&text, 'a', count);
    buf_add(&text, STR("bz"));
    struct search s = {.re = re, .text = buf_str(&text), .arena = a};
    if (engine == SEARCH_BACKTRACK)
        assert_true(rx_backtrack_fits(&s, 0));
    assert_false(rx_search_run(&s, 0, engine));
    return s.steps;
}

TEST(twice_the_text_takes_twice_the_steps)
{
    for (size_t i = 0; i < COUNT(hard_patterns); i++) {
        AUTO_ARENA a = arena_new();
        struct regex *re = compile(a, str_c(hard_patterns[i]));
        for (enum search_engine e = SEARCH_PIKE; e <= SEARCH_BACKTRACK; e++) {
            uint64_t once = steps(a, re, 1000, e), twice = steps(a, re, 2000, e);
            assert_in_range(twice * 100 / once, 180, 210);
        }
    }
}

TEST(a_long_text_is_searched_too)
{
    AUTO_ARENA a = arena_new();
    struct regex *re = compile(a, STR("(x+)(y)z$"));
    struct buf text = buf_new(a, BUF_UNLIMITED);
    struct span spans[3];

    buf_repeat(&text, 'x', 300000);
    buf_add(&text, STR("yz"));
    assert_true(regex_find(re, buf_str(&text), 0, spans, 3));
    assert_int_equal(spans[0].from, 0);
    assert_int_equal(spans[1].to, 300000);
    assert_int_equal(spans[2].from, 300000);
    assert_false(regex_match(compile(a, STR("^y")), buf_str(&text)));
    assert_false(regex_match(compile(a, STR("q")), buf_str(&text)));
}

/* Short texts are matched on the stack, until their bits or their jobs need more. */
TEST(texts_of_any_length_match_alike)
{
    static const char *const patterns[] = {"^(a|b)*c$", "(a*)*c", "b", "(?:a|ab)(?:c|bcd)*$"};

    for (size_t i = 0; i < COUNT(patterns); i++) {
        AUTO_ARENA a = arena_new();
        struct regex *re = compile(a, str_c(patterns[i]));
        struct buf text = buf_new(a, BUF_UNLIMITED);
        for (size_t len = 0; len < 400; len++, buf_char(&text, len % 7 ? 'a' : 'c')) {
            bool found = !str_eq(describe(a, re, buf_str(&text), SEARCH_PIKE), STR("none"));
            assert_int_equal(regex_match(re, buf_str(&text)), found);
        }
    }
}

RUN_TESTS(cmocka_unit_test(both_machines_match_as_go_does),
          cmocka_unit_test(a_search_from_the_middle_sees_what_is_before),
          cmocka_unit_test(spans_beyond_the_groups_are_empty),
          cmocka_unit_test(twice_the_text_takes_twice_the_steps),
          cmocka_unit_test(a_long_text_is_searched_too),
          cmocka_unit_test(texts_of_any_length_match_alike))
