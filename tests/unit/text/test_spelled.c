/* SPDX-License-Identifier: Apache-2.0 */
/* Finding a text however it is escaped. */
#include "../test.h"

#include "text/spelled.h"

#define SECRET "p+/<a\"&b\\n \xc3\xbc\xf0\x9f\x94\x91'%2B"

static const struct {
    const char *wanted, *text, *want; /* NULL: stays as it is */
} cases[] = {
    {SECRET, "x " SECRET " y", "x *** y"},
    /* JSON: as Go, .NET and PHP write it, in JSON, in JSON again. */
    {SECRET, "\"p+/\\u003ca\\\"\\u0026b\\\\n \xc3\xbc\xf0\x9f\x94\x91'%2B\"", "\"***\""},
    {SECRET, "p\\u002B/\\u003Ca\\u0022\\u0026b\\\\n \\u00FC\\uD83D\\uDD11\\u0027%2B", "***"},
    {SECRET, "p+\\/<a\\\"&b\\\\n \\u00fc\\ud83d\\udd11'%2B", "***"},
    {SECRET, "p+/<a\\\\\\\"&b\\\\\\\\n \\\\u00fc\\\\ud83d\\\\udd11'%2B", "***"},
    {SECRET, "p+/<a\\\\\\\\\\\\\\\"&b\\\\\\\\\\\\\\\\n \xc3\xbc\xf0\x9f\x94\x91'%2B", "***"},
    /* URLs, in either case, in URLs. */
    {SECRET, "?a=p%2B%2F%3Ca%22%26b%5Cn+%C3%BC%F0%9F%94%91%27%252B&b", "?a=***&b"},
    {SECRET, "/p%2b%2f%3ca%22%26b%5cn%20%c3%bc%f0%9f%94%91'%252b/", NULL},
    {SECRET, "/p%2b%2f%3ca%22%26b%5cn%20%c3%bc%f0%9f%94%91'%252B/", "/***/"},
    {SECRET, "p%252B%252F%253Ca%2522%2526b%255Cn%2520%25C3%25BC%25F0%259F%2594%2591%2527%25252B",
     "***"},
    /* HTML and XML. */
    {SECRET, "<b>p+/&lt;a&quot;&amp;b\\n &#xFC;&#128273;&apos;%2B</b>", "<b>***</b>"},
    {SECRET, "p+/&amp;lt;a&#34;&amp;amp;b\\n &uuml;", NULL},
    {SECRET, "p+/&amp;lt;a&amp;#34;&amp;amp;b\\n \xc3\xbc\xf0\x9f\x94\x91&#39;%2B", "***"},
    /* Line breaks. */
    {"one\ntwo\n  three", "one\\r\\ntwo\\r\\n  three", "***"},
    {"one\r\ntwo", "one\n    two, one two, one\ntwo, one\\\\ntwo, onetwo",
     "***, ***, ***, ***, onetwo"},
    /* What only looks like an escape. */
    {"nabc", "\\nabc, \\u00nabc, %nabc, &nabc;", "***, \\u00***, %***, &***;"},
    {"%25", "%25 %2525 25", "*** ***25 25"},
    {"&amp;", "&amp; &amp;amp; amp;", "*** ***amp; amp;"},
    {"a\\", "a\\ a\\\\", "*** ***\\"},
    {"abc", "\\u006", NULL},
    {"abc", "ab", NULL},
    {"abc", "", NULL},
    {"", "abc", NULL},
};

TEST(a_text_is_found_in_all_spellings)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        str text = str_c(cases[i].text);
        str got = spelled_replace(a, text, str_c(cases[i].wanted), STR("***"));
        assert_str(got, cases[i].want ? str_c(cases[i].want) : text);
        assert_true(cases[i].want || got.ptr == text.ptr);
    }
}

/* A server decides what its message is made of. */
TEST(texts_of_escapes_only_take_no_longer)
{
    AUTO_ARENA a = arena_new();
    static const char *const parts[] = {"\\", "%25", "&amp;", "\\ud83d", "a", "+", "\r"};

    for (size_t i = 0; i < COUNT(parts); i++) {
        struct buf text = buf_new(a, BUF_UNLIMITED);
        while (text.len < 4 * MIB)
            buf_add(&text, str_c(parts[i]));
        assert_str(spelled_replace(a, buf_str(&text), STR("\\%&b"), STR("***")), buf_str(&text));
    }
}

/* What takes too long is masked, not shown. */
TEST(texts_that_nearly_match_everywhere_end)
{
    AUTO_ARENA a = arena_new();
    struct buf text = buf_new(a, BUF_UNLIMITED), wanted = buf_new(a, BUF_UNLIMITED);

    buf_repeat(&text, 'a', 1 * MIB);
    buf_repeat(&wanted, 'a', 512 * KIB);
    buf_add(&wanted, STR("b"));
    str got = spelled_replace(a, buf_str(&text), buf_str(&wanted), STR("***"));
    assert_true(str_has_suffix(got, STR("***")));
    assert_true(got.len < text.len);
}

RUN_TESTS(cmocka_unit_test(a_text_is_found_in_all_spellings),
          cmocka_unit_test(texts_of_escapes_only_take_no_longer),
          cmocka_unit_test(texts_that_nearly_match_everywhere_end))
