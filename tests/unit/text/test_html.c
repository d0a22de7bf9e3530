/* SPDX-License-Identifier: Apache-2.0 */
/* test_html.c - escapes for HTML, JavaScript and URLs. The expected texts were written by Go. */
#include "../test.h"

#include "text/html.h"

struct escape_case {
    str in, want;
};

static const struct escape_case html_cases[] = {
    {STR_INIT(""), STR_INIT("")},
    {STR_INIT("plain"), STR_INIT("plain")},
    {STR_INIT("\"'&<>"), STR_INIT("&#34;&#39;&amp;&lt;&gt;")},
    {STR_INIT("a\000b"), STR_INIT("a\357\277\275b")},
    {STR_INIT("\001\037\177 \t\n\r"), STR_INIT("\001\037\177 \t\n\r")},
    {STR_INIT("\\/=`+%~-_.!*();:@$,#[]"), STR_INIT("\\/=`+%~-_.!*();:@$,#[]")},
    {STR_INIT("\303\251\344\270\226\360\237\230\200"),
     STR_INIT("\303\251\344\270\226\360\237\230\200")},
    {STR_INIT("\302\240\302\255\342\200\250\342\200\251\357\273\277\357\277\275"),
     STR_INIT("\302\240\302\255\342\200\250\342\200\251\357\273\277\357\277\275")},
    {STR_INIT("\302\205\315\270\356\200\200\363\240\200\201\364\217\277\277"),
     STR_INIT("\302\205\315\270\356\200\200\363\240\200\201\364\217\277\277")},
    {STR_INIT("\377\303(\342\202"), STR_INIT("\377\303(\342\202")},
    {STR_INIT("a b+c&d=e/f?g"), STR_INIT("a b+c&amp;d=e/f?g")},
};

static const struct escape_case js_cases[] = {
    {STR_INIT(""), STR_INIT("")},
    {STR_INIT("plain"), STR_INIT("plain")},
    {STR_INIT("\"'&<>"), STR_INIT("\\\"\\'\\u0026\\u003C\\u003E")},
    {STR_INIT("a\000b"), STR_INIT("a\\u0000b")},
    {STR_INIT("\001\037\177 \t\n\r"), STR_INIT("\\u0001\\u001F\177 \\u0009\\u000A\\u000D")},
    {STR_INIT("\\/=`+%~-_.!*();:@$,#[]"), STR_INIT("\\\\/\\u003D`+%~-_.!*();:@$,#[]")},
    {STR_INIT("\303\251\344\270\226\360\237\230\200"),
     STR_INIT("\303\251\344\270\226\360\237\230\200")},
    {STR_INIT("\302\240\302\255\342\200\250\342\200\251\357\273\277\357\277\275"),
     STR_INIT("\\u00A0\\u00AD\\u2028\\u2029\\uFEFF\357\277\275")},
    {STR_INIT("\302\205\315\270\356\200\200\363\240\200\201\364\217\277\277"),
     STR_INIT("\\u0085\\u0378\\uE000\\uE0001\\u10FFFF")},
    {STR_INIT("\377\303(\342\202"), STR_INIT("\377\303(\342\202")},
    {STR_INIT("a b+c&d=e/f?g"), STR_INIT("a b+c\\u0026d\\u003De/f?g")},
};

static const struct escape_case url_cases[] = {
    {STR_INIT(""), STR_INIT("")},
    {STR_INIT("plain"), STR_INIT("plain")},
    {STR_INIT("\"'&<>"), STR_INIT("%22%27%26%3C%3E")},
    {STR_INIT("a\000b"), STR_INIT("a%00b")},
    {STR_INIT("\001\037\177 \t\n\r"), STR_INIT("%01%1F%7F+%09%0A%0D")},
    {STR_INIT("\\/=`+%~-_.!*();:@$,#[]"),
     STR_INIT("%5C%2F%3D%60%2B%25~-_.%21%2A%28%29%3B%3A%40%24%2C%23%5B%5D")},
    {STR_INIT("\303\251\344\270\226\360\237\230\200"), STR_INIT("%C3%A9%E4%B8%96%F0%9F%98%80")},
    {STR_INIT("\302\240\302\255\342\200\250\342\200\251\357\273\277\357\277\275"),
     STR_INIT("%C2%A0%C2%AD%E2%80%A8%E2%80%A9%EF%BB%BF%EF%BF%BD")},
    {STR_INIT("\302\205\315\270\356\200\200\363\240\200\201\364\217\277\277"),
     STR_INIT("%C2%85%CD%B8%EE%80%80%F3%A0%80%81%F4%8F%BF%BF")},
    {STR_INIT("\377\303(\342\202"), STR_INIT("%FF%C3%28%E2%82")},
    {STR_INIT("a b+c&d=e/f?g"), STR_INIT("a+b%2Bc%26d%3De%2Ff%3Fg")},
};

static void check(void (*escape)(struct buf *, str), const struct escape_case *cases, size_t count)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < count; i++) {
        struct buf b = buf_new(a, BUF_UNLIMITED);
        escape(&b, cases[i].in);
        assert_str(buf_str(&b), cases[i].want);
    }
}

TEST(html_escapes_what_would_begin_markup)
{
    check(html_escape, html_cases, COUNT(html_cases));
}

TEST(js_escapes_what_would_end_a_string_and_what_cannot_be_seen)
{
    check(js_escape, js_cases, COUNT(js_cases));
}

TEST(url_query_escape_keeps_only_unreserved_characters)
{
    check(url_query_escape, url_cases, COUNT(url_cases));
}

RUN_TESTS(cmocka_unit_test(html_escapes_what_would_begin_markup),
          cmocka_unit_test(js_escapes_what_would_end_a_string_and_what_cannot_be_seen),
          cmocka_unit_test(url_query_escape_keeps_only_unreserved_characters))
