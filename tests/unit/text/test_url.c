/* SPDX-License-Identifier: Apache-2.0 */
/* URLs: reading and writing, resolving, joining, queries. */
#include "../test.h"

#include "text/url.h"

TEST(what_is_read_is_written_as_go_does)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"https://h:443/a%2Fb?x=1#y", NULL},
        {"HTTPS://h", "https://h"},
        {"http://[::1]:8080/x", NULL},
        {"http://u:p%40@h/", NULL},
        {"http://h/a b", "http://h/a%20b"},
        {"http://h/%7Euser", NULL},
        {"mailto:a@b", NULL},
        {"//h/x", NULL},
        {"a/b?c", NULL},
        {"*", NULL},
        {"a%3Ab/c", NULL},
        {"a%3Ab c", "./a:b%20c"}, /* the colon would end a scheme */
    };
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct url u;
        assert_ok(url_parse(a, str_c(cases[i].text), &u, &e), &e);
        assert_str(url_text(a, &u), str_c(cases[i].want ? cases[i].want : cases[i].text));
    }
}

TEST(broken_urls_are_errors_in_go_s_words)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"http://h:x/", "parse \"http://h:x/\": invalid port \":x\" after host"},
        {"http://h/%zz", "parse \"http://h/%zz\": invalid URL escape \"%zz\""},
        {":x", "parse \":x\": missing protocol scheme"},
        {"http://a b/", "parse \"http://a b/\": invalid character \" \" in host name"},
        {"1:2", "parse \"1:2\": first path segment in URL cannot contain colon"},
        {"a\nb", "parse \"a\\nb\": net/url: invalid control character in URL"},
    };
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct url u;
        assert_false(url_parse(a, str_c(cases[i].text), &u, &e));
        assert_str(e.text, str_c(cases[i].want));
    }
}

/* The examples of RFC 3986, 5.4, and what servers send. */
TEST(references_are_resolved)
{
    static const struct {
        const char *ref, *want;
    } cases[] = {
        {"g", "http://a/b/c/g"},
        {"./g", "http://a/b/c/g"},
        {"g/", "http://a/b/c/g/"},
        {"/g", "http://a/g"},
        {"//g", "http://g"},
        {"?y", "http://a/b/c/d;p?y"},
        {"g?y", "http://a/b/c/g?y"},
        {"#s", "http://a/b/c/d;p?q#s"},
        {"", "http://a/b/c/d;p?q"},
        {".", "http://a/b/c/"},
        {"..", "http://a/b/"},
        {"../g", "http://a/b/g"},
        {"../..", "http://a/"},
        {"../../../g", "http://a/g"},
        {"/./g", "http://a/g"},
        {"g.", "http://a/b/c/g."},
        {"./../g", "http://a/b/g"},
        {"g/./h", "http://a/b/c/g/h"},
        {"g/../h", "http://a/b/c/h"},
        {"https://x/y", "https://x/y"},
        {"/a%2Fb?x=%20", "http://a/a%2Fb?x=%20"},
    };
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};

    for (size_t i = 0; i < COUNT(cases); i++) {
        str got;
        assert_ok(url_resolve(a, STR("http://a/b/c/d;p?q"), str_c(cases[i].ref), &got, &e), &e);
        assert_str(got, str_c(cases[i].want));
    }
}

TEST(paths_are_joined_with_one_slash)
{
    static const struct {
        const char *base, *path, *want;
    } cases[] = {
        {"https://h", "/api", "https://h/api"},
        {"https://h/", "api", "https://h/api"},
        {"https://h/p/", "/api/v1?limit=5", "https://h/p/api/v1?limit=5"},
        {"https://h/p?x=1", "api?y=2", "https://h/p/api?x=1&y=2"},
        {"https://h", "", "https://h"},
        {"https://h", "/", "https://h/"},
    };
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_str(url_join(a, str_c(cases[i].base), str_c(cases[i].path)), str_c(cases[i].want));
}

TEST(parts_are_found)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct url u;

    assert_ok(url_parse(a, STR("https://[fe80::1]:6443/x"), &u, &e), &e);
    assert_str(url_hostname(&u), STR("fe80::1"));
    assert_str(url_port(&u), STR("6443"));
    assert_int_equal(url_port_number(&u), 6443);
    assert_ok(url_parse(a, STR("https://h"), &u, &e), &e);
    assert_int_equal(url_port_number(&u), 443);
    assert_true(url_same_origin(STR("https://H/x"), STR("https://h:443/y")));
    assert_false(url_same_origin(STR("https://h/x"), STR("http://h/x")));
    assert_false(url_same_origin(STR("https://h/x"), STR("/x")));
}

TEST(queries_are_escaped_and_found)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, KIB);
    str got;

    buf_add(&b, STR("/api"));
    url_query_add(&b, STR("a"), STR("1 2&3"));
    url_query_add(&b, STR("b"), STR("x=y"));
    assert_str(buf_str(&b), STR("/api?a=1+2%263&b=x%3Dy"));
    assert_true(url_query_get(a, STR("a=1+2%263&b=x%3Dy&b=z"), STR("b"), &got));
    assert_str(got, STR("x=y"));
    assert_false(url_query_get(a, STR("a=1"), STR("c"), &got));
    assert_false(url_query_get(a, STR(""), STR(""), &got));
    b = buf_new(a, KIB);
    url_path_escape(&b, STR("a/b c%?;d:e@f"));
    assert_str(buf_str(&b), STR("a%2Fb%20c%25%3F%3Bd:e@f"));
    assert_true(url_unescape(a, STR("a%2Fb+c"), false, &got));
    assert_str(got, STR("a/b+c"));
    assert_false(url_unescape(a, STR("a%2"), false, &got));
}

TEST(a_password_is_never_shown)
{
    static const struct {
        const char *url, *want;
    } cases[] = {
        {"https://h/x", "https://h/x"},
        {"https://TOKEN@h/x", "https://xxxxx@h/x"},
        {"https://TOKEN:x-oauth-basic@h/x", "https://xxxxx@h/x"},
        {"https://@h/x", "https://@h/x"},
        {"http:/u:p@h:1/x", "http:/u:xxxxx@h:1/x"},
        {"HTTPS:u:p@h:1", "HTTPS:u:xxxxx@h:1"},
        {"http://http:/u:p@h:1", "http://http:/u:xxxxx@h:1"},
        {"http:////u:p@h:1", "http:////u:xxxxx@h:1"},
        {"https://h/@scope/x", "https://h/@scope/x"},
        {"https://u:p@h/x?a=b", "https://u:xxxxx@h/x?a=b"},
        {"https://u:p@q@h:1/x", "https://u:xxxxx@h:1/x"},
        {"https://:p@h", "https://:xxxxx@h"},
        {"https://u:@h", "https://xxxxx@h"},
        {"https://h:80/a@b", "https://h:80/a@b"},
        {"https://[::1]:80/a@b", "https://[::1]:80/a@b"},
        {"https://u:p/q@h/x", "https://u:xxxxx@h/x"},
        {"https://u:p?q@h/x", "https://u:xxxxx@h/x"},
        {"https://u:1#q@h/x", "https://u:1#q@h/x"},
        {"u:p@h", "u:p@h"},
        {"http://https://u:p@h/x", "http://https://u:xxxxx@h/x"},
        {"https://h/?to=http://u:p@h/x", "https://h/?to=http://u:xxxxx@h/x"},
        {"", ""},
    };
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct url u;

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_str(url_shown(a, str_c(cases[i].url)), str_c(cases[i].want));
    assert_false(url_parse(a, STR("https://u:p/q@h:x"), &u, &e));
    assert_str(e.text, STR("parse \"https://u:xxxxx@h:x\": net/url: invalid userinfo"));
    assert_false(url_parse(a, STR("https://u:p#q@h/x"), &u, &e));
    assert_str(e.text, STR("parse \"https://u:xxxxx\": net/url: invalid userinfo"));
    assert_false(url_parse(a, STR("https://u:p@h:x"), &u, &e));
    assert_str(e.text, STR("parse \"https://u:xxxxx@h:x\": invalid port \":x\" after host"));
}

RUN_TESTS(cmocka_unit_test(what_is_read_is_written_as_go_does),
          cmocka_unit_test(broken_urls_are_errors_in_go_s_words),
          cmocka_unit_test(references_are_resolved),
          cmocka_unit_test(paths_are_joined_with_one_slash), cmocka_unit_test(parts_are_found),
          cmocka_unit_test(queries_are_escaped_and_found),
          cmocka_unit_test(a_password_is_never_shown))
