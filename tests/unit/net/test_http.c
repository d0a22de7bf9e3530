/* SPDX-License-Identifier: Apache-2.0 */
/* The HTTP client against a server that answers properly. */
#include "../test.h"

#include "net/http/http.h"
#include "net/server/server.h"
#include "support/certs.h"
#include "support/fault_server.h"

/* Answers what the path asks for. */
static void handle(void *ctx, struct server_request *r)
{
    str path = server_path(r);
    struct arena *a = server_arena(r);

    (void)ctx;
    server_add_header(r, STR("X-Target"), server_target(r));
    server_add_header(r, STR("X-Authorization"), server_header(r, STR("Authorization")));
    if (str_eq(path, STR("/echo"))) {
        server_add_header(r, STR("X-Agent"), server_header(r, STR("User-Agent")));
        server_add_header(r, STR("X-Type"), server_header(r, STR("Content-Type")));
        server_add_header(r, STR("X-Query"), server_query(r, STR("q"), NULL));
        server_reply(r, 200, STR("text/plain"),
                     str_fmt(a, "%.*s %.*s", STR_ARG(server_method(r)), STR_ARG(server_body(r))));
    } else if (str_eq(path, STR("/big"))) {
        char *big = arena_alloc_text(a, 300 * KIB);
        memset(big, 'x', 300 * KIB);
        server_reply(r, 200, STR("text/plain"), str_of(big, 300 * KIB));
    } else if (str_has_prefix(path, STR("/moved"))) {
        server_add_header(r, STR("Location"),
                          str_eq(path, STR("/moved")) ? STR("/echo?q=2") : STR("/moved-for-ever"));
        server_reply(r, 302, STR_NONE, STR_NONE);
    } else {
        server_reply(r, 404, STR("application/json"), STR("{\"kind\":\"Status\"}"));
    }
}

struct fixture {
    struct arena *a;
    struct server *server;
    struct http_client *client;
    struct err e;
};

static struct fixture begin(const struct http_config *config)
{
    struct fixture f = {.a = arena_new()};
    const struct server_config server = {.handle = handle};
    struct http_config usual = http_defaults();

    usual.timeout = 60 * NS_PER_SEC;
    assert_ok(server_start(&server, &f.server, &f.e), &f.e);
    assert_ok(http_client_new(config ? config : &usual, &f.client, &f.e), &f.e);
    return f;
}

static void end(struct fixture *f)
{
    http_client_free(f->client);
    server_stop(f->server, 0);
    err_clear(&f->e);
    arena_free(f->a);
}

static str at(struct fixture *f, const char *path)
{
    return str_concat(f->a, server_url(f->server), str_c(path));
}

TEST(a_request_has_its_method_headers_and_body)
{
    struct fixture f = begin(NULL);
    struct http_response response;
    struct http_request r = {
        .method = STR("PUT"), .url = at(&f, "/echo?q=a%20b"), .body = STR("hello")};

    http_header_add(f.a, &r.headers, STR("content-type"), STR("application/json"));
    assert_ok(http_send(f.client, f.a, &r, &response, &f.e), &f.e);
    assert_int_equal(response.status, 200);
    assert_str(response.body, STR("PUT hello"));
    assert_str(http_header_get(&response.headers, STR("X-AGENT")), STR("plumb/" PLUMB_VERSION));
    assert_str(http_header_get(&response.headers, STR("x-type")), STR("application/json"));
    assert_str(http_header_get(&response.headers, STR("x-query")), STR("a b"));
    assert_true(response.sent);
    assert_true(response.took > 0);
    end(&f);
}

TEST(bodies_come_with_any_method_and_empty_ones_too)
{
    struct fixture f = begin(NULL);
    static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};
    struct http_response response;

    for (size_t i = 0; i < COUNT(methods); i++) {
        struct http_request r = {
            .method = str_c(methods[i]), .url = at(&f, "/echo"), .with_body = i % 2 == 0};
        assert_ok(http_send(f.client, f.a, &r, &response, &f.e), &f.e);
        assert_str(response.body, str_fmt(f.a, "%s ", methods[i]));
    }
    struct http_request head = {.method = STR("HEAD"), .url = at(&f, "/big")};
    assert_ok(http_send(f.client, f.a, &head, &response, &f.e), &f.e);
    assert_int_equal(response.status, 200);
    assert_int_equal(response.body.len, 0);
    assert_str(http_header_get(&response.headers, STR("content-length")), STR("307200"));
    end(&f);
}

TEST(a_bad_status_is_an_answer)
{
    struct fixture f = begin(NULL);
    struct http_response response;
    const struct http_request r = {.url = at(&f, "/nothing")};

    assert_ok(http_send(f.client, f.a, &r, &response, &f.e), &f.e);
    assert_int_equal(response.status, 404);
    assert_str(response.body, STR("{\"kind\":\"Status\"}"));
    assert_str(http_status_text(f.a, 404), STR("404 Not Found"));
    end(&f);
}

/* curl is told the target of those that follow no redirects, and finds that of the others itself.
 */
TEST(the_target_is_that_of_the_url_whether_redirects_are_followed_or_not)
{
    static const struct {
        const char *url, *want;
    } cases[] = {
        {"", "/"},
        {"/", "/"},
        {"?q=1", "/?q=1"},
        {"/echo", "/echo"},
        {"/echo?", "/echo"},
        {"/echo?q=a%20b&r=/?:@%2f", "/echo?q=a%20b&r=/?:@%2f"},
        {"/echo#fragment?", "/echo"},
        {"/a b", "/a%20b"},
        {"/a/%7e/%2F//./../c;d=e:f@g", "/a/%7e/%2F//./../c;d=e:f@g"},
        {"/\xc3\xa4", "/%C3%A4"},
        {"//double/", "//double/"},
    };
    static const char *const methods[] = {"PUT", "GET", "DELETE"};
    struct fixture f = begin(NULL);

    for (size_t i = 0; i < COUNT(cases) * COUNT(methods); i++) {
        struct http_response response;
        str target = str_c(cases[i / COUNT(methods)].want);
        const struct http_request r = {.method = str_c(methods[i % COUNT(methods)]),
                                       .url = at(&f, cases[i / COUNT(methods)].url)};
        assert_ok(http_send(f.client, f.a, &r, &response, &f.e), &f.e);
        assert_str(http_header_get(&response.headers, STR("X-Target")), target);
    }
    end(&f);
}

TEST(a_target_that_cannot_be_sent_is_an_error_in_either_way)
{
    static const char *const methods[] = {"PUT", "GET"};
    struct fixture f = begin(NULL);

    for (size_t i = 0; i < COUNT(methods); i++) {
        struct http_response response;
        const struct http_request r = {.method = str_c(methods[i]), .url = at(&f, "/echo?q=a b")};
        assert_false(http_send(f.client, f.a, &r, &response, &f.e));
        assert_false(response.sent);
        err_clear(&f.e);
    }
    end(&f);
}

TEST(the_user_of_a_url_is_authorized_whether_redirects_are_followed_or_not)
{
    static const char *const methods[] = {"PUT", "GET"};
    struct fixture f = begin(NULL);

    for (size_t i = 0; i < COUNT(methods); i++) {
        struct http_response response;
        const struct http_request r = {
            .method = str_c(methods[i]),
            .url = str_fmt(f.a, "http://u:p@127.0.0.1:%u/echo", server_port(f.server))};
        assert_ok(http_send(f.client, f.a, &r, &response, &f.e), &f.e);
        assert_str(http_header_get(&response.headers, STR("X-Authorization")), STR("Basic dTpw"));
    }
    end(&f);
}

TEST(redirects_are_followed_up_to_a_limit)
{
    struct fixture f = begin(NULL);
    struct http_response response;
    const struct http_request r = {.url = at(&f, "/moved")};
    const struct http_request for_ever = {.url = at(&f, "/moved-for-ever")};
    const struct http_request post = {.method = STR("POST"), .url = at(&f, "/moved")};

    assert_ok(http_send(f.client, f.a, &r, &response, &f.e), &f.e);
    assert_int_equal(response.status, 200);
    assert_str(response.url, at(&f, "/echo?q=2"));
    assert_false(http_send(f.client, f.a, &for_ever, &response, &f.e));
    assert_int_equal(response.failure, HTTP_FAILURE_REDIRECT);
    assert_true(str_contains(f.e.text, STR("stopped after 10 redirects")));
    assert_ok(http_send(f.client, f.a, &post, &response, &f.e), &f.e);
    assert_int_equal(response.status, 302);
    end(&f);
}

static bool count_bytes(void *ctx, const struct http_response *so_far, str piece, struct err *e)
{
    size_t *count = ctx;

    (void)e;
    assert_int_equal(so_far->status, 200);
    *count += piece.len;
    return *count < 100 * KIB;
}

TEST(a_body_can_be_taken_in_pieces_until_it_is_enough)
{
    struct fixture f = begin(NULL);
    struct http_response response;
    size_t count = 0;
    const struct http_request r = {
        .url = at(&f, "/big"), .on_body = count_bytes, .ctx = &count, .body_max = 10};

    assert_ok(http_send(f.client, f.a, &r, &response, &f.e), &f.e);
    assert_true(count >= 100 * KIB && count < 300 * KIB);
    assert_int_equal(response.body.len, 0);
    end(&f);
}

TEST(a_body_over_the_limit_is_refused)
{
    struct fixture f = begin(NULL);
    struct http_response response;
    const struct http_request r = {.url = at(&f, "/big"), .body_max = 1000};

    assert_false(http_send(f.client, f.a, &r, &response, &f.e));
    assert_int_equal(f.e.kind, ERR_LIMIT);
    assert_int_equal(response.failure, HTTP_FAILURE_TOO_LARGE);
    assert_true(str_contains(f.e.text, STR("the body of the answer has more than 1000 bytes")));
    end(&f);
}

/* The server takes one connection at a time: another one would not be answered. */
TEST(a_connection_serves_many_requests)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    const struct server_config config = {.handle = handle, .threads = 1, .connections_max = 1};
    struct http_config client_config = http_defaults();
    struct http_response response;
    struct http_client *client;
    struct server *server;

    client_config.timeout = 30 * NS_PER_SEC;
    assert_ok(server_start(&config, &server, &e), &e);
    assert_ok(http_client_new(&client_config, &client, &e), &e);
    const struct http_request r = {.url = str_concat(a, server_url(server), STR("/echo"))};
    for (int i = 0; i < 50; i++)
        assert_ok(http_send(client, a, &r, &response, &e), &e);
    http_client_free(client);
    server_stop(server, 0);
}

TEST(urls_and_headers_that_cannot_be_are_refused)
{
    static const struct {
        const char *url, *want;
    } cases[] = {
        {"ftp://x/", "Get \"ftp://x/\": unsupported protocol scheme \"ftp\""},
        {"/no/host", "Get \"/no/host\": unsupported protocol scheme \"\""},
        {"http:///x", "Get \"http:///x\": http: no Host in request URL"},
        {"http://x:99999/", "Get \"http://x:99999/\": dial tcp: address 99999: invalid port"},
        {"http://[::1/", "parse \"http://[::1/\": missing ']' in host"},
    };
    struct fixture f = begin(NULL);
    struct http_response response;

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct http_request r = {.url = str_c(cases[i].url)};
        assert_false(http_send(f.client, f.a, &r, &response, &f.e));
        assert_str(f.e.text, str_c(cases[i].want));
        assert_int_equal(response.failure, HTTP_FAILURE_CONFIG);
    }
    struct http_request bad = {.url = at(&f, "/echo")};
    http_header_add(f.a, &bad.headers, STR("X"), STR("a\r\nInjected: yes"));
    assert_false(http_send(f.client, f.a, &bad, &response, &f.e));
    assert_int_equal(f.e.kind, ERR_INVALID);
    end(&f);
}

static void *raise_soon(void *ctx)
{
    clock_sleep(50 * NS_PER_MS);
    http_cancel_raise(ctx);
    return NULL;
}

TEST(a_waiting_request_can_be_cancelled_from_another_thread)
{
    static const struct fault_step script[] = {{.end = FAULT_HANG}};
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    struct http_cancel *cancel = http_cancel_new();
    struct fixture f = begin(NULL);
    struct http_response response;
    const struct http_request r = {.url = fault_server_url(s), .cancel = cancel};
    pthread_t thread;
    int64_t start = clock_mono();

    pthread_create(&thread, NULL, raise_soon, cancel);
    assert_false(http_send(f.client, f.a, &r, &response, &f.e));
    assert_int_equal(f.e.kind, ERR_CANCELLED);
    assert_int_equal(response.failure, HTTP_FAILURE_CANCELLED);
    assert_true(clock_mono() - start < 20 * NS_PER_SEC);
    assert_false(http_send(f.client, f.a, &r, &response, &f.e));
    assert_false(http_cancel_wait(cancel, NS_PER_SEC, &f.e));
    pthread_join(thread, NULL);
    end(&f);
    fault_server_stop(s);
    http_cancel_free(cancel);
}

static bool keep_line(void *ctx, str line, struct err *e)
{
    struct buf *out = ctx;

    (void)e;
    buf_fmt(out, "[%.*s]", STR_ARG(line));
    return true;
}

TEST(a_stream_is_cut_into_lines_wherever_its_pieces_end)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};

    for (size_t size = 1; size < 12; size++) {
        struct buf out = buf_new(a, KIB);
        struct http_lines l = {
            .rest = buf_new(a, KIB), .max = 5, .on_line = keep_line, .ctx = &out};
        str text = STR("one\n\ntwo\nthree\nend");
        for (size_t i = 0; i < text.len; i += size)
            assert_ok(http_lines_add(&l, str_slice(text, i, i + size), &e), &e);
        assert_ok(http_lines_end(&l, &e), &e);
        assert_str(buf_str(&out), STR("[one][][two][three][end]"));
        assert_false(http_lines_add(&l, STR("longer"), &e));
        assert_int_equal(e.kind, ERR_LIMIT);
    }
}

/* ---- TLS ---- */

static const char ok_reply[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
static const struct fault_step ok_script[] = {{.reply = ok_reply, .again = true}};

struct tls_case {
    const char *names;
    long from, to;
    bool other_ca, insecure, client_cert, client_ca;
    const char *server_name;
    const char *want; /* NULL: it works */
    enum http_failure failure;
};

static const struct tls_case tls_cases[] = {
    {"IP:127.0.0.1", -60, 3600, 0, 0, 0, 0, NULL, NULL, 0},
    {"DNS:kubernetes", -60, 3600, 0, 0, 0, 0, "kubernetes", NULL, 0},
    {"DNS:other", -60, 3600, 0, 1, 0, 0, NULL, NULL, 0},
    {"IP:127.0.0.1", -60, 3600, 0, 0, 1, 1, NULL, NULL, 0},
    {"IP:127.0.0.1", -7200, -60, 0, 0, 0, 0, NULL,
     "tls: failed to verify certificate: x509: certificate has expired or is not yet valid",
     HTTP_FAILURE_TLS_VERIFY},
    {"IP:127.0.0.1", 3600, 7200, 0, 0, 0, 0, NULL,
     "tls: failed to verify certificate: x509: certificate has expired or is not yet valid",
     HTTP_FAILURE_TLS_VERIFY},
    {"DNS:other", -60, 3600, 0, 0, 0, 0, NULL,
     "tls: failed to verify certificate: x509: certificate is not valid for 127.0.0.1",
     HTTP_FAILURE_TLS_VERIFY},
    {"DNS:other", -60, 3600, 0, 0, 0, 0, "wrong",
     "tls: failed to verify certificate: x509: certificate is not valid for wrong",
     HTTP_FAILURE_TLS_VERIFY},
    {"IP:127.0.0.1", -60, 3600, 1, 0, 0, 0, NULL,
     "tls: failed to verify certificate: x509: certificate signed by unknown authority",
     HTTP_FAILURE_TLS_VERIFY},
    {"IP:127.0.0.1", -60, 3600, 0, 0, 0, 1, NULL, "remote error: tls: ", HTTP_FAILURE_TLS},
};

/* Made once: under valgrind a key takes a while. */
struct authorities {
    struct test_cert ca, other, client_cert;
};

static void check_tls(const struct tls_case *c, const struct authorities *all, size_t number)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct test_cert ca = all->ca, other = all->other, client_cert = all->client_cert;
    struct test_cert leaf = test_leaf(a, &ca, "server", c->names, c->from, c->to);
    const struct fault_tls tls = {leaf.cert, leaf.key, c->client_ca ? ca.cert : STR_NONE};
    struct fault_server *s = fault_server_start(ok_script, COUNT(ok_script), &tls);
    struct http_config config = http_defaults();
    struct http_client *client;
    struct http_response response;

    config.timeout = 20 * NS_PER_SEC;
    config.tls.ca.text = c->other_ca ? other.cert : ca.cert;
    config.tls.insecure = c->insecure;
    config.tls.server_name = str_c(c->server_name);
    if (c->client_cert) {
        config.tls.cert.text = client_cert.cert;
        config.tls.key.text = client_cert.key;
    }
    assert_ok(http_client_new(&config, &client, &e), &e);
    const struct http_request r = {.url = fault_server_url(s)};
    bool ok = http_send(client, a, &r, &response, &e);
    if (ok != !c->want || (c->want && !str_contains(e.text, str_c(c->want))))
        print_error("case %zu: %.*s\n", number, STR_ARG(e.text));
    assert_int_equal(ok, !c->want);
    assert_int_equal(response.failure, c->failure);
    if (!ok) {
        assert_true(str_contains(e.text, str_c(c->want)));
        assert_true(response.hint.len > 0);
        http_explain(&e, &response);
        assert_true(str_contains(e.text, response.hint));
    } else {
        str host = str_fmt(a, "Host: 127.0.0.1:%u\r\n", fault_server_port(s));
        assert_true(str_contains(fault_server_request(s), host));
    }
    http_client_free(client);
    fault_server_stop(s);
}

TEST(tls_verifies_what_it_should)
{
    AUTO_ARENA a = arena_new();
    struct authorities all = {test_ca(a, "test CA"), test_ca(a, "another CA"), {{0}, {0}}};

    all.client_cert = test_leaf(a, &all.ca, "client", NULL, -60, 3600);
    for (size_t i = 0; i < COUNT(tls_cases); i++)
        check_tls(&tls_cases[i], &all, i);
}

TEST(redirects_never_leave_tls)
{
    static const struct fault_step script[] = {
        {.reply =
             "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"}};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct test_cert ca = test_ca(a, "test CA");
    struct test_cert leaf = test_leaf(a, &ca, "server", "IP:127.0.0.1", -60, 3600);
    const struct fault_tls tls = {leaf.cert, leaf.key, STR_NONE};
    struct fault_server *s = fault_server_start(script, COUNT(script), &tls);
    struct http_config config = http_defaults();
    struct http_client *client;
    struct http_response response;

    config.tls.ca.text = ca.cert;
    assert_ok(http_client_new(&config, &client, &e), &e);
    const struct http_request r = {.url = fault_server_url(s)};
    assert_false(http_send(client, a, &r, &response, &e));
    assert_int_equal(response.failure, HTTP_FAILURE_REDIRECT);
    http_client_free(client);
    fault_server_stop(s);
}

TEST(certificates_that_cannot_be_used_are_found_when_the_client_is_made)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct test_cert ca = test_ca(a, "test CA"), other = test_ca(a, "another CA");
    struct http_config config = http_defaults();
    struct http_client *client;

    config.tls.ca.text = STR("no PEM");
    assert_false(http_client_new(&config, &client, &e));
    assert_str(e.text, STR("unable to load root certificates: unable to parse bytes as PEM block"));
    config = http_defaults();
    config.tls.cert.text = ca.cert;
    config.tls.key.text = other.key;
    assert_false(http_client_new(&config, &client, &e));
    assert_str(e.text, STR("tls: private key does not match public key"));
}

TEST(tls_servers_of_our_own_work)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct test_cert ca = test_ca(a, "test CA");
    struct test_cert leaf = test_leaf(a, &ca, "server", "IP:127.0.0.1", -60, 3600);
    const struct server_config config = {.handle = handle, .cert = leaf.cert, .key = leaf.key};
    struct http_config client_config = http_defaults();
    struct server *server;
    struct http_client *client;
    struct http_response response;

    assert_ok(server_start(&config, &server, &e), &e);
    client_config.tls.ca.text = ca.cert;
    assert_ok(http_client_new(&client_config, &client, &e), &e);
    const struct http_request r = {.url = str_concat(a, server_url(server), STR("/echo"))};
    assert_true(str_has_prefix(r.url, STR("https://127.0.0.1:")));
    assert_ok(http_send(client, a, &r, &response, &e), &e);
    assert_str(response.body, STR("GET "));
    http_client_free(client);
    server_stop(server, 0);
}

RUN_TESTS(cmocka_unit_test(a_request_has_its_method_headers_and_body),
          cmocka_unit_test(bodies_come_with_any_method_and_empty_ones_too),
          cmocka_unit_test(a_bad_status_is_an_answer),
          cmocka_unit_test(the_target_is_that_of_the_url_whether_redirects_are_followed_or_not),
          cmocka_unit_test(a_target_that_cannot_be_sent_is_an_error_in_either_way),
          cmocka_unit_test(the_user_of_a_url_is_authorized_whether_redirects_are_followed_or_not),
          cmocka_unit_test(redirects_are_followed_up_to_a_limit),
          cmocka_unit_test(a_body_can_be_taken_in_pieces_until_it_is_enough),
          cmocka_unit_test(a_body_over_the_limit_is_refused),
          cmocka_unit_test(a_connection_serves_many_requests),
          cmocka_unit_test(urls_and_headers_that_cannot_be_are_refused),
          cmocka_unit_test(a_waiting_request_can_be_cancelled_from_another_thread),
          cmocka_unit_test(a_stream_is_cut_into_lines_wherever_its_pieces_end),
          cmocka_unit_test(tls_verifies_what_it_should),
          cmocka_unit_test(redirects_never_leave_tls),
          cmocka_unit_test(certificates_that_cannot_be_used_are_found_when_the_client_is_made),
          cmocka_unit_test(tls_servers_of_our_own_work))
