/* SPDX-License-Identifier: Apache-2.0 */
/* Which proxy is used for what, and that a request really goes there. */
#include "../test.h"

#include "net/http.h"
#include "net/proxy.h"
#include "support/fault_server.h"

static const struct {
    const char *no_proxy, *url;
    bool proxied;
} cases[] = {
    {"", "http://example.com/", true},
    {"", "http://localhost:80/", false},
    {"", "http://127.9.9.9/", false},
    {"", "http://[::1]/", false},
    {"*", "http://example.com/", false},
    {"example.com", "http://example.com/", false},
    {"example.com", "http://www.example.com/", false},
    {"example.com", "http://badexample.com/", true},
    {".example.com", "http://example.com/", true},
    {".example.com", "http://www.example.com/", false},
    {"*.example.com", "http://www.example.com/", false},
    {"EXAMPLE.com , other", "http://Example.COM/", false},
    {"example.com:8080", "http://example.com/", true},
    {"example.com:8080", "http://example.com:8080/", false},
    {"10.0.0.0/8", "http://10.1.2.3/", false},
    {"10.0.0.0/8", "http://11.1.2.3/", true},
    {"10.128.0.0/9", "http://10.127.0.1/", true},
    {"10.0.0.1", "http://10.0.0.1:99/", false},
    {"10.0.0.1:98", "http://10.0.0.1:99/", true},
    {"fd00::/8", "http://[fd12::1]/", false},
    {"fd00::1", "http://[fd00::1]/", false},
    {"10.0.0.0/99", "http://10.1.2.3/", true},
};

TEST(the_environment_decides_as_in_go)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct proxy_settings s = {.http = STR("proxy:3128"), .https = STR("http://secure")};
    str got;

    for (size_t i = 0; i < COUNT(cases); i++) {
        s.no_proxy = str_c(cases[i].no_proxy);
        assert_ok(proxy_for(a, &s, str_c(cases[i].url), &got, &e), &e);
        if (got.len != (cases[i].proxied ? 17U : 0U))
            print_error("%s: %s: %.*s\n", cases[i].no_proxy, cases[i].url, STR_ARG(got));
        assert_str(got, cases[i].proxied ? STR("http://proxy:3128") : STR_NONE);
    }
    assert_ok(proxy_for(a, &s, STR("https://example.com"), &got, &e), &e);
    assert_str(got, STR("http://secure"));
    s.cgi = true;
    assert_false(proxy_for(a, &s, STR("http://example.com"), &got, &e));
    s = (struct proxy_settings){.http = STR("http://[")};
    assert_false(proxy_for(a, &s, STR("http://example.com"), &got, &e));
}

TEST(requests_go_to_the_proxy)
{
    static const struct fault_step script[] = {
        {.reply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", .again = true}};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    struct http_config config = http_defaults();
    struct http_client *client;
    struct http_response response;
    const struct http_request r = {.url = STR("http://far.invalid/x")};

    config.proxy = fault_server_url(s);
    config.timeout = 60 * NS_PER_SEC;
    assert_ok(http_client_new(&config, &client, &e), &e);
    assert_ok(http_send(client, a, &r, &response, &e), &e);
    assert_true(str_has_prefix(fault_server_request(s), STR("GET http://far.invalid/x HTTP/1.1")));
    http_client_free(client);
    fault_server_stop(s);
}

RUN_TESTS(cmocka_unit_test(the_environment_decides_as_in_go),
          cmocka_unit_test(requests_go_to_the_proxy))
