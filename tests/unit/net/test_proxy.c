/* SPDX-License-Identifier: Apache-2.0 */
/* Which proxy is used when, and that a request really goes there. */
#include "../test.h"

#include "net/http/http.h"
#include "net/proxy.h"
#include "net/http/streams.h"
#include "support/certs.h"
#include "support/fault_server.h"
#include "support/proxy_server.h"

#include <stdlib.h>
#include <time.h>

static const struct {
    const char *no_proxy, *url;
    bool proxied;
} cases[] = {
    {"", "http://example.com/", true},
    {"", "http://localhost:80/", false},
    {"", "http://127.9.9.9/", false},
    {"", "http://127.9.9.9.example/", true},
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
    /* IPv6 that ends like an IPv4 address, but is none. */
    {"", "http://[2001:db8::ffff:7f00:1]/", true},
    {"10.0.0.0/8", "http://[2001:db8::ffff:a00:1]/", true},
    {"", "http://[::ffff:127.0.0.1]/", false},
    {"10.0.0.0/8", "http://[::ffff:10.0.0.1]/", false},
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

/* A slash too few makes a host of the scheme and a path of the rest. */
TEST(slips_do_not_show_a_password)
{
    static const char *const slips[] = {"http:/u:secret@p:1", "HTTP:/u:secret@p",
                                        "http:///u:secret@p", "u:secret@p:x"};

    for (size_t i = 0; i < COUNT(slips); i++) {
        const struct proxy_settings s = {.https = str_c(slips[i])};
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        str got;
        assert_false(proxy_for(a, &s, STR("https://h/x"), &got, &e));
        assert_true(str_contains(e.text, STR("...@p")));
        assert_false(str_contains(e.text, STR("secret")));
    }
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
    struct http_request r = {.url = STR("http://far.invalid/x")};

    config.proxy = fault_server_url(s);
    config.timeout = 60 * NS_PER_SEC;
    assert_ok(http_client_new(&config, &client, &e), &e);
    assert_ok(http_send(client, a, &r, &response, &e), &e);
    assert_true(str_has_prefix(fault_server_request(s), STR("GET http://far.invalid/x HTTP/1.1")));
    r.method = STR("PUT");
    assert_ok(http_send(client, a, &r, &response, &e), &e);
    assert_true(str_has_prefix(fault_server_request(s), STR("PUT http://far.invalid/x HTTP/1.1")));
    http_client_free(client);
    fault_server_stop(s);
}

/* A variable that is set to nothing is not set. */
TEST(the_environment_is_read_as_by_go)
{
    setenv("REQUEST_METHOD", "", 1);
    assert_false(proxy_from_environment().cgi);
    setenv("REQUEST_METHOD", "GET", 1);
    assert_true(proxy_from_environment().cgi);
    unsetenv("REQUEST_METHOD");
    setenv("HTTPS_PROXY", "", 1);
    setenv("https_proxy", "lower", 1);
    assert_str(proxy_from_environment().https, STR("lower"));
    setenv("HTTPS_PROXY", "upper", 1);
    assert_str(proxy_from_environment().https, STR("upper"));
    unsetenv("HTTPS_PROXY");
    unsetenv("https_proxy");
}

/* curl has other ports in mind, and looks names up that Go leaves to the proxy. */
TEST(proxies_are_what_they_are_in_go)
{
    static const struct {
        const char *proxy, *want; /* NULL: refused */
    } proxies[] = {
        {"http://p", "http://p:80"},
        {"http://u:p%40w@p/", "http://u:p%40w@p:80"},
        {"http://p/path?query", "http://p:80"},
        {"https://p", "https://p:443"},
        {"HTTPS://p:8443", "https://p:8443"},
        {"http://[fd00::1]", "http://[fd00::1]:80"},
        {"socks5://p", "socks5h://p:1080"},
        {"socks5h://p:9", "socks5h://p:9"},
        {"socks4://p", NULL},
        {"ftp://p", NULL},
        {"http://", NULL},
        {"http://p:99999", NULL},
        {"http://u:secret@p:x", NULL},
    };

    for (size_t i = 0; i < COUNT(proxies); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        str got, address;
        bool ok = proxy_for_curl(a, str_c(proxies[i].proxy), &got, &address, &e);
        if (proxies[i].want)
            assert_str(got, str_c(proxies[i].want));
        assert_int_equal(ok, proxies[i].want != NULL);
        assert_false(str_contains(e.text, STR("secret")));
    }
}

static struct http_client *client_of(struct http_config config)
{
    AUTO_ERR e = {0};
    struct http_client *client;

    config.timeout = 60 * NS_PER_SEC;
    assert_ok(http_client_new(&config, &client, &e), &e);
    return client;
}

static const struct fault_step answers[] = {
    {.reply = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
     .again = true}};

TEST(names_are_left_to_socks_proxies)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct fault_server *s = fault_server_start(answers, COUNT(answers), NULL);
    struct proxy_server *p = proxy_server_start(fault_server_port(s), NULL);
    struct http_config config = http_defaults();
    struct http_response response;
    const struct http_request r = {.url = STR("http://only.the.proxy.knows.invalid/x")};

    config.proxy = str_fmt(a, "socks5://127.0.0.1:%u", proxy_server_port(p));
    struct http_client *client = client_of(config);
    assert_ok(http_send(client, a, &r, &response, &e), &e);
    assert_str(response.body, STR("ok"));
    assert_str(proxy_server_asked(p, a), STR("name only.the.proxy.knows.invalid"));
    http_client_free(client);
    proxy_server_stop(p);
    fault_server_stop(s);
}

struct heads {
    struct lock lock;
    unsigned count;
    int status;
    bool proxy_told, ended;
};

static void on_head(void *ctx, const struct http_response *response)
{
    struct heads *h = ctx;
    AUTO_LOCK guard = lock_take(&h->lock);

    h->count++;
    h->status = response->status;
    h->proxy_told = http_header_has(&response->headers, STR("X-Proxy"));
}

static void on_end(void *ctx, const struct http_response *response, const struct err *failure)
{
    struct heads *h = ctx;
    AUTO_LOCK guard = lock_take(&h->lock);

    (void)response;
    (void)failure;
    h->ended = true;
}

static bool has_ended(struct heads *h)
{
    AUTO_LOCK guard = lock_take(&h->lock);

    return h->ended;
}

static void check_connect(const char *method)
{
    static const struct fault_step denied[] = {
        {.reply = "HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
         .again = true}};
    AUTO_ARENA a = arena_new();
    struct test_cert ca = test_ca(a, "test CA");
    struct test_cert leaf = test_leaf(a, &ca, "server", "DNS:far.invalid", -60, 3600);
    const struct fault_tls tls = {leaf.cert, leaf.key, STR_NONE};
    struct fault_server *s = fault_server_start(denied, COUNT(denied), &tls);
    struct proxy_server *p = proxy_server_start(fault_server_port(s), NULL);
    struct http_config config = http_defaults();
    struct heads heads = {.lock = LOCK_INIT};

    config.tls.ca.text = ca.cert;
    config.proxy = str_fmt(a, "http://127.0.0.1:%u", proxy_server_port(p));
    struct http_client *client = client_of(config);
    struct http_streams *streams = http_streams_new(client);
    http_streams_start(streams,
                       &(struct http_stream){.request = {.method = str_c(method),
                                                         .url = STR("https://far.invalid/x?y"),
                                                         .ctx = &heads},
                                             .on_head = on_head,
                                             .on_end = on_end});
    for (int i = 0; i < 60000 && !has_ended(&heads); i++)
        nanosleep(&(struct timespec){.tv_nsec = NS_PER_MS}, NULL);
    http_streams_free(streams);
    assert_str(proxy_server_asked(p, a), STR("CONNECT far.invalid:443"));
    assert_int_equal(heads.count, 1);
    assert_int_equal(heads.status, 403);
    assert_false(heads.proxy_told);
    assert_true(str_has_prefix(fault_server_request(s), str_fmt(a, "%s /x?y HTTP/1.1", method)));
    http_client_free(client);
    proxy_server_stop(p);
    fault_server_stop(s);
}

/* That the tunnel is open is no answer of the server, which has yet to say what it thinks. */
TEST(the_answer_of_a_proxy_to_connect_is_not_the_servers)
{
    check_connect("GET");
    check_connect("PUT");
}

/* Go's words are those of the proxy; the hint says whose they are. */
TEST(a_proxy_that_refuses_is_named)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct proxy_server *p = proxy_server_start(
        1, "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
    struct http_config config = http_defaults();
    struct http_response response;
    const struct http_request r = {.url = STR("https://far.invalid/x")};

    config.proxy = str_fmt(a, "http://u:secret@127.0.0.1:%u", proxy_server_port(p));
    struct http_client *client = client_of(config);
    assert_false(http_send(client, a, &r, &response, &e));
    http_explain(&e, &response);
    assert_str(e.text, str_fmt(a,
                               "Get \"https://far.invalid/x\": Proxy Authentication Required; the "
                               "proxy 127.0.0.1:%u does not connect to the server (407): check its "
                               "address, user and password, and what it allows",
                               proxy_server_port(p)));
    assert_int_equal(response.failure, HTTP_FAILURE_CONNECT);
    assert_int_equal(response.status, 0);
    http_client_free(client);
    proxy_server_stop(p);
}

TEST(a_proxy_that_is_not_there_is_named)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct proxy_server *p = proxy_server_start(1, NULL);
    unsigned port = proxy_server_port(p);
    struct http_config config = http_defaults();
    struct http_response response;
    const struct http_request r = {.url = STR("https://far.invalid/x")};

    proxy_server_stop(p);
    config.proxy = str_fmt(a, "http://u:secret@127.0.0.1:%u", port);
    struct http_client *client = client_of(config);
    assert_false(http_send(client, a, &r, &response, &e));
    http_explain(&e, &response);
    assert_str(e.text, str_fmt(a,
                               "Get \"https://far.invalid/x\": proxyconnect tcp: dial tcp "
                               "127.0.0.1:%u: connect: connection refused; is the proxy "
                               "127.0.0.1:%u right (HTTPS_PROXY, proxy-url)?",
                               port, port));
    http_client_free(client);
}

/* Each step of a way has a proxy of its own, or none. */
TEST(redirects_may_lead_past_the_proxy_and_to_it)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct fault_server *last = fault_server_start(answers, COUNT(answers), NULL);
    str direct = str_fmt(a,
                         "HTTP/1.1 302 Found\r\nLocation: %.*s/x\r\nConnection: close\r\n"
                         "Content-Length: 0\r\n\r\n",
                         STR_ARG(fault_server_url(last)));
    const struct fault_step proxy_script[] = {{.reply = str_z(a, direct), .again = true}};
    struct fault_server *proxy = fault_server_start(proxy_script, COUNT(proxy_script), NULL);
    const struct fault_step first_script[] = {
        {.reply = "HTTP/1.1 302 Found\r\nLocation: http://far.invalid/y\r\nConnection: close\r\n"
                  "Content-Length: 0\r\n\r\n",
         .again = true}};
    struct fault_server *first = fault_server_start(first_script, COUNT(first_script), NULL);
    struct http_response response;
    const struct http_request r = {.url = fault_server_url(first)};

    setenv("HTTP_PROXY", str_z(a, fault_server_url(proxy)), 1);
    struct http_client *client = client_of(http_defaults());
    assert_ok(http_send(client, a, &r, &response, &e), &e);
    assert_str(response.body, STR("ok"));
    assert_true(
        str_has_prefix(fault_server_request(proxy), STR("GET http://far.invalid/y HTTP/1.1")));
    assert_true(str_has_prefix(fault_server_request(last), STR("GET /x HTTP/1.1")));
    http_client_free(client);
    /* A proxy that is none is an error here too. */
    setenv("HTTP_PROXY", "ftp://p", 1);
    client = client_of(http_defaults());
    assert_false(http_send(client, a, &r, &response, &e));
    assert_true(str_contains(e.text, STR("invalid proxy address")));
    http_client_free(client);
    unsetenv("HTTP_PROXY");
    fault_server_stop(first);
    fault_server_stop(proxy);
    fault_server_stop(last);
}

/* Its certificate is looked at as that of the server is, as in Go. */
TEST(a_proxy_may_have_a_certificate_of_the_same_ca)
{
    AUTO_ARENA a = arena_new();
    struct test_cert ca = test_ca(a, "test CA"), other = test_ca(a, "other CA");
    struct test_cert leaf = test_leaf(a, &ca, "proxy", "IP:127.0.0.1", -60, 3600);
    const struct fault_tls tls = {leaf.cert, leaf.key, STR_NONE};
    struct fault_server *s = fault_server_start(answers, COUNT(answers), &tls);
    const struct {
        struct http_tls tls;
        bool works;
    } rows[] = {
        {{.ca.text = ca.cert}, true},
        {{.ca.text = other.cert}, false},
        {{.insecure = true}, true},
        {{.min_version = HTTP_TLS_1_2}, false},
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_ERR e = {0};
        struct http_config config = http_defaults();
        struct http_response response;
        const struct http_request r = {.url = STR("http://far.invalid/x")};
        config.tls = rows[i].tls;
        config.proxy = fault_server_url(s);
        struct http_client *client = client_of(config);
        assert_int_equal(http_send(client, a, &r, &response, &e), rows[i].works);
        if (!rows[i].works)
            assert_int_equal(response.failure, HTTP_FAILURE_TLS_VERIFY);
        http_client_free(client);
    }
    fault_server_stop(s);
}

RUN_TESTS(cmocka_unit_test(the_environment_decides_as_in_go),
          cmocka_unit_test(the_environment_is_read_as_by_go),
          cmocka_unit_test(proxies_are_what_they_are_in_go),
          cmocka_unit_test(slips_do_not_show_a_password),
          cmocka_unit_test(requests_go_to_the_proxy),
          cmocka_unit_test(names_are_left_to_socks_proxies),
          cmocka_unit_test(the_answer_of_a_proxy_to_connect_is_not_the_servers),
          cmocka_unit_test(a_proxy_that_refuses_is_named),
          cmocka_unit_test(a_proxy_that_is_not_there_is_named),
          cmocka_unit_test(redirects_may_lead_past_the_proxy_and_to_it),
          cmocka_unit_test(a_proxy_may_have_a_certificate_of_the_same_ca))
