/* SPDX-License-Identifier: Apache-2.0 */
/* test_replace.c - all matches, replacing, expanding, splitting and quoting. */
#include "../test.h"

#include "regex/regex.h"

static struct regex *compile(struct arena *a, const char *pattern)
{
    AUTO_ERR e = {0};
    struct regex *re = NULL;

    assert_ok(regex_compile(a, str_c(pattern), &re, &e), &e);
    return re;
}

static const struct {
    const char *pattern, *text;
    int limit;
    const char *want; /* spans */
} all_cases[] = {
    {"a", "banana", -1, "1-2 3-4 5-6 "},
    {"a", "banana", 2, "1-2 3-4 "},
    {"a", "banana", 0, ""},
    {"a*", "baac", -1, "0-0 1-3 4-4 "},
    {"", "\xC3\xA9x", -1, "0-0 2-2 3-3 "},
    {"", "\xFF", -1, "0-0 1-1 "},
    {"$", "ab", -1, "2-2 "},
    {"\\b", "a b", -1, "0-0 1-1 2-2 3-3 "},
    {"^a", "aaa", -1, "0-1 "},
    {"a|", "ab", -1, "0-1 2-2 "},
};

TEST(empty_matches_next_to_others_do_not_count)
{
    for (size_t i = 0; i < COUNT(all_cases); i++) {
        AUTO_ARENA a = arena_new();
        struct regex *re = compile(a, all_cases[i].pattern);
        struct buf got = buf_new(a, BUF_UNLIMITED);
        struct spans all = regex_find_all(a, re, str_c(all_cases[i].text), all_cases[i].limit, 1);
        for (size_t n = 0; n < all.count; n++)
            buf_fmt(&got, "%zu-%zu ", all.items[n].from, all.items[n].to);
        assert_str(buf_str(&got), str_c(all_cases[i].want));
    }
}

TEST(each_match_brings_its_groups)
{
    AUTO_ARENA a = arena_new();
    struct regex *re = compile(a, "(\\w)=(\\d)?");
    struct spans all = regex_find_all(a, re, STR("a=1 b="), -1, 3);

    assert_int_equal(all.count, 2);
    assert_int_equal(all.stride, 3);
    assert_int_equal(all.items[2].from, 2);
    assert_int_equal(all.items[4].from, 4);
    assert_true(all.items[5].from == STR_NPOS);
}

static const struct {
    const char *pattern, *text, *with, *want, *literal;
} replace_cases[] = {
    {"a", "banana", "<$0>", "b<a>n<a>n<a>", "b<$0>n<$0>n<$0>"},
    {"a(x*)b", "-ab-axxb-", "T", "-T-T-", "-T-T-"},
    {"a(x*)b", "-ab-axxb-", "$1", "--xx-", "-$1-$1-"},
    {"a(x*)b", "-ab-axxb-", "$1W", "---", "-$1W-$1W-"},
    {"a(x*)b", "-ab-axxb-", "${1}W", "-W-xxW-", "-${1}W-${1}W-"},
    {"(?P<n>a)|(?P<n>b)", "ab", "[$n]", "[a][b]", "[$n][$n]"},
    {"a", "a", "$$1", "$1", "$$1"},
    {"a", "a", "$", "$", "$"},
    {"a", "a", "${", "${", "${"},
    {"a", "a", "${0", "${0", "${0"},
    {"a", "a", "${}", "${}", "${}"},
    {"a", "a", "$x$0", "a", "$x$0"},
    {"a", "a", "$00-", "-", "$00-"},
    {"a", "a", "$999999999999-", "-", "$999999999999-"},
    {"(a)", "a", "$1\xC3\xA9", "", "$1\xC3\xA9"}, /* the longest name wins, in any script */
    {"(a)", "a", "$1-", "a-", "$1-"},
    {"", "ab", "-", "-a-b-", "-a-b-"},
    {"a*", "baac", "x", "xbxcx", "xbxcx"},
    {"\\b", "a b", "|", "|a| |b|", "|a| |b|"},
    {"z", "", "x", "", ""},
};

TEST(replacements_are_expanded_as_in_go)
{
    for (size_t i = 0; i < COUNT(replace_cases); i++) {
        AUTO_ARENA a = arena_new();
        struct regex *re = compile(a, replace_cases[i].pattern);
        str text = str_c(replace_cases[i].text), with = str_c(replace_cases[i].with);
        struct buf got = buf_new(a, BUF_UNLIMITED), literal = buf_new(a, BUF_UNLIMITED);
        regex_replace(re, text, with, &got);
        regex_replace_literal(re, text, with, &literal);
        assert_str(buf_str(&got), str_c(replace_cases[i].want));
        assert_str(buf_str(&literal), str_c(replace_cases[i].literal));
    }
}

TEST(a_replacement_stops_at_the_maximum_of_its_buffer)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf out = buf_new(a, 10);

    regex_replace(compile(a, "a"), STR("aaaa"), STR("12345"), &out);
    assert_false(buf_check(&out, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
}

static const struct {
    const char *pattern, *text;
    int limit;
    const char *want; /* each piece ended by ; */
} split_cases[] = {
    {"a", "banana", -1, "b;n;n;;"},
    {"a", "banana", 2, "b;nana;"},
    {"a", "banana", 1, "banana;"},
    {"a", "banana", 0, ""},
    {"", "abc", -1, "a;b;c;"},
    {"", "", -1, ""},
    {"a", "", -1, ";"},
    {"a*", "abaabaccadaaae", 5, ";b;b;c;cadaaae;"},
    {"z+", "pizza", -1, "pi;a;"},
    {"q", "abc", -1, "abc;"},
    {"$", "ab", -1, "ab;"},
};

TEST(texts_are_split_as_in_go)
{
    for (size_t i = 0; i < COUNT(split_cases); i++) {
        AUTO_ARENA a = arena_new();
        struct regex *re = compile(a, split_cases[i].pattern);
        struct buf got = buf_new(a, BUF_UNLIMITED);
        size_t count;
        str *pieces = regex_split(a, re, str_c(split_cases[i].text), split_cases[i].limit, &count);
        for (size_t n = 0; n < count; n++) {
            buf_add(&got, pieces[n]);
            buf_char(&got, ';');
        }
        assert_str(buf_str(&got), str_c(split_cases[i].want));
    }
}

TEST(quoting_escapes_what_is_special)
{
    AUTO_ARENA a = arena_new();

    assert_str(regex_quote(a, STR("")), STR(""));
    assert_str(regex_quote(a, STR("a-b_c\xC3\xA9/\0")), STR("a-b_c\xC3\xA9/\0"));
    assert_str(regex_quote(a, STR("\\.+*?()|[]{}^$")),
               STR("\\\\\\.\\+\\*\\?\\(\\)\\|\\[\\]\\{\\}\\^\\$"));
}

RUN_TESTS(cmocka_unit_test(empty_matches_next_to_others_do_not_count),
          cmocka_unit_test(each_match_brings_its_groups),
          cmocka_unit_test(replacements_are_expanded_as_in_go),
          cmocka_unit_test(a_replacement_stops_at_the_maximum_of_its_buffer),
          cmocka_unit_test(texts_are_split_as_in_go),
          cmocka_unit_test(quoting_escapes_what_is_special))
