/* SPDX-License-Identifier: Apache-2.0 */
/* test_streams.c - many small requests on few connections; faults are in test_faults.c. */
#include "../test.h"

#include "net/server/server.h"
#include "net/http/streams.h"
#include "support/certs.h"
#include "support/fault_server.h"

#include <arpa/inet.h>
#include <stdatomic.h>

#define OK "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

/* ---- A server that says what it was asked, and may let requests wait. ---- */

struct stage {
    struct server *server;
    struct lock lock;
    bool hold;
    struct server_request *held[1000];
    size_t held_count, most;
    _Atomic unsigned requests;
};

static void echo(struct server_request *r)
{
    struct arena *a = server_arena(r);
    str host = server_header(r, STR("Host")), body = server_body(r);

    server_reply(r, 200, STR("text/plain"),
                 str_fmt(a, "%.*s %.*s %s %.*s", STR_ARG(server_method(r)),
                         STR_ARG(server_target(r)), host.len ? "host" : "no host", STR_ARG(body)));
}

static void handle(void *ctx, struct server_request *r)
{
    struct stage *s = ctx;
    AUTO_LOCK guard = lock_take(&s->lock);

    s->requests++;
    if (!s->hold) {
        echo(r);
        return;
    }
    s->held[s->held_count++] = r;
    if (s->held_count > s->most)
        s->most = s->held_count;
}

static size_t held(struct stage *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    return s->held_count;
}

/* From now on nobody waits, not even one whose client left before it was read. */
static void let_go(struct stage *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    s->hold = false;
    while (s->held_count)
        echo(s->held[--s->held_count]);
}

/* How many this process has to the server. */
static size_t connections(const struct stage *s)
{
    size_t found = 0;

    for (int fd = 0; fd < 4096; fd++) {
        struct sockaddr_in peer = {0};
        socklen_t len = sizeof(peer);
        found += !getpeername(fd, (struct sockaddr *)&peer, &len) &&
                 ntohs(peer.sin_port) == server_port(s->server);
    }
    return found;
}

static struct http_client *new_client(str ca)
{
    AUTO_ERR e = {0};
    struct http_config config = http_defaults();
    struct http_client *client;

    config.no_proxy = true;
    config.tls.ca.text = ca;
    assert_ok(http_client_new(&config, &client, &e), &e);
    return client;
}

static struct stage *start(struct arena *a, const struct test_cert *leaf)
{
    AUTO_ERR e = {0};
    struct stage *s = ARENA_NEW(a, struct stage);
    struct server_config config = {.handle = handle, .ctx = s};

    s->lock = (struct lock)LOCK_INIT;
    if (leaf) {
        config.cert = leaf->cert;
        config.key = leaf->key;
    }
    assert_ok(server_start(&config, &s->server, &e), &e);
    return s;
}

/* ---- One after the other. ---- */

struct outcome {
    _Atomic bool done;
    struct http_response response;
    struct err failure;
};

static void keep_outcome(void *ctx, const struct http_response *response, const struct err *failure)
{
    struct outcome *o = ctx;

    o->response = *response;
    if (failure)
        err_copy(&o->failure, failure);
    o->done = true;
}

/* Starts r and waits for its end. */
static bool send_one(struct http_streams *streams, struct arena *a, const struct http_request *r,
                     struct http_response *response, struct err *e)
{
    struct outcome o = {.done = false};
    struct http_stream spec = {.request = *r, .arena = a, .on_end = keep_outcome};

    spec.request.ctx = &o;
    http_streams_start(streams, &spec);
    for (int i = 0; i < 30000 && !o.done; i++)
        clock_sleep(NS_PER_MS);
    assert_true(o.done);
    *response = o.response;
    bool ok = !o.failure.kind;
    if (!ok)
        err_copy(e, &o.failure);
    err_clear(&o.failure);
    return ok;
}

static struct http_streams *new_streams(struct http_client *client, size_t max)
{
    struct http_streams *streams = http_streams_new(client);

    http_streams_configure(streams, max, NULL, NULL);
    return streams;
}

static void exchange(struct arena *a, struct http_streams *streams, str base, const char *method,
                     const char *body)
{
    AUTO_ERR e = {0};
    struct http_request r = {.method = str_c(method),
                             .url = str_concat(a, base, STR("/a%20b?x=1#fragment")),
                             .body = str_c(body)};
    struct http_response response;

    assert_ok(send_one(streams, a, &r, &response, &e), &e);
    assert_int_equal(response.status, 200);
    assert_true(response.sent && response.took > 0);
    assert_true(str_has_prefix(response.peer, STR("127.0.0.1:")));
    if (str_eq(r.method, STR("HEAD")))
        assert_str(response.body, STR_NONE);
    else
        assert_str(response.body,
                   str_fmt(a, "%s /a%%20b?x=1 host %s", method[0] ? method : "GET", body));
}

static void one_after_the_other(bool tls)
{
    AUTO_ARENA a = arena_new();
    struct test_cert ca = test_ca(a, "test CA");
    struct test_cert leaf = test_leaf(a, &ca, "server", "IP:127.0.0.1", -60, 3600);
    struct stage *s = start(a, tls ? &leaf : NULL);
    struct http_client *client = new_client(ca.cert);
    struct http_streams *streams = new_streams(client, 8);
    static const char *const methods[] = {"", "GET", "PUT", "POST", "PATCH", "DELETE", "HEAD"};
    char *large = arena_alloc(a, 2 * MIB + 1);

    memset(large, 'x', 2 * MIB);
    for (size_t i = 0; i < COUNT(methods); i++)
        exchange(a, streams, server_url(s->server), methods[i],
                 i < 2 || i == COUNT(methods) - 1 ? "" : "{}");
    exchange(a, streams, server_url(s->server), "PUT", large);
    exchange(a, streams, server_url(s->server), "PUT", "small");
    assert_int_equal(connections(s), 1);
    assert_int_equal(s->requests, COUNT(methods) + 2);
    http_streams_free(streams);
    http_client_free(client);
    server_stop(s->server, 0);
}

TEST(one_connection_serves_requests_one_after_the_other)
{
    one_after_the_other(false);
    one_after_the_other(true);
}

/* ---- Many at once. ---- */

struct crowd {
    _Atomic unsigned done, failed;
};

static void count(void *ctx, const struct http_response *response, const struct err *failure)
{
    struct crowd *c = ctx;

    c->failed += failure || response->status != 200;
    c->done++;
}

static void wait_until(_Atomic unsigned *n, unsigned wanted)
{
    for (int i = 0; i < 3000 && *n < wanted; i++)
        clock_sleep(10 * NS_PER_MS);
    assert_int_equal(*n, wanted);
}

TEST(many_requests_share_the_connections_there_are)
{
    AUTO_ARENA a = arena_new();
    struct stage *s = start(a, NULL);
    struct http_client *client = new_client(STR_NONE);
    struct http_streams *streams = new_streams(client, 20);
    struct crowd crowd = {0};
    struct arena *arenas[200];

    s->hold = true;
    for (size_t i = 0; i < COUNT(arenas); i++) {
        arenas[i] = arena_new();
        http_streams_start(
            streams, &(struct http_stream){.arena = arenas[i],
                                           .request = {.url = server_url(s->server), .ctx = &crowd},
                                           .on_end = count});
    }
    wait_until(&s->requests, 20);
    assert_int_equal(held(s), 20);
    let_go(s);
    wait_until(&crowd.done, COUNT(arenas));
    assert_int_equal(crowd.failed, 0);
    assert_int_equal(s->most, 20);
    assert_int_equal(connections(s), 20);
    http_streams_free(streams);
    for (size_t i = 0; i < COUNT(arenas); i++)
        arena_free(arenas[i]);
    http_client_free(client);
    server_stop(s->server, 0);
}

static void expect_cancelled(void *ctx, const struct http_response *response,
                             const struct err *failure)
{
    struct crowd *c = ctx;

    c->failed += !failure || failure->kind != ERR_CANCELLED ||
                 response->failure != HTTP_FAILURE_CANCELLED;
    c->done++;
}

/* Some on their way, some waiting for a connection; some flagged, the others cut by the end. */
TEST(what_is_under_way_can_be_cancelled)
{
    AUTO_ARENA a = arena_new();
    struct stage *s = start(a, NULL);
    struct http_client *client = new_client(STR_NONE);
    struct http_streams *streams = new_streams(client, 3);
    struct http_cancel *cancel = http_cancel_new();
    struct crowd crowd = {0};
    struct arena *arenas[10];

    s->hold = true;
    for (size_t i = 0; i < COUNT(arenas); i++) {
        arenas[i] = arena_new();
        http_streams_start(streams,
                           &(struct http_stream){.arena = arenas[i],
                                                 .request = {.url = server_url(s->server),
                                                             .cancel = i % 2 ? cancel : NULL,
                                                             .ctx = &crowd},
                                                 .on_end = expect_cancelled});
    }
    wait_until(&s->requests, 3);
    http_cancel_raise(cancel);
    wait_until(&crowd.done, COUNT(arenas) / 2);
    http_streams_free(streams);
    assert_int_equal(crowd.done, COUNT(arenas));
    assert_int_equal(crowd.failed, 0);
    let_go(s);
    for (size_t i = 0; i < COUNT(arenas); i++)
        arena_free(arenas[i]);
    http_cancel_free(cancel);
    http_client_free(client);
    server_stop(s->server, 0);
}

/* ---- Connections that ended in the meantime. ---- */

/* Two answers: the connection is closed after the second request came, before a byte of it. */
static void drop_second(void *ctx, struct server_request *r)
{
    _Atomic unsigned *n = ctx;

    if (++*n == 2)
        server_drop(r);
    else
        server_reply(r, 200, STR("text/plain"), STR("ok"));
}

static bool second_request(const char *method, unsigned *requests)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    _Atomic unsigned n = 0;
    const struct server_config config = {.handle = drop_second, .ctx = &n};
    struct http_client *client = new_client(STR_NONE);
    struct http_streams *streams = new_streams(client, 2);
    struct http_response response;
    struct server *server;

    assert_ok(server_start(&config, &server, &e), &e);
    const struct http_request r = {.method = str_c(method), .url = server_url(server)};
    assert_ok(send_one(streams, a, &r, &response, &e), &e);
    bool ok = send_one(streams, a, &r, &response, &e);
    if (!ok) {
        assert_int_equal(response.failure, HTTP_FAILURE_RESET);
        assert_true(response.sent);
    }
    *requests = n;
    http_streams_free(streams);
    http_client_free(client);
    server_stop(server, 0);
    return ok;
}

TEST(a_dropped_connection_repeats_only_what_may_be_repeated)
{
    unsigned requests;

    assert_true(second_request("GET", &requests));
    assert_int_equal(requests, 3);
    assert_true(second_request("PUT", &requests));
    assert_int_equal(requests, 3);
    assert_false(second_request("POST", &requests));
    assert_int_equal(requests, 2);
    assert_false(second_request("PATCH", &requests));
    assert_int_equal(requests, 2);
}

/* The server closes after each answer without saying so: a POST must not run into it. */
TEST(a_post_looks_at_its_connection_first)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    static const struct fault_step script[] = {{.reply = OK, .again = true}};
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    struct http_client *client = new_client(STR_NONE);
    struct http_streams *streams = new_streams(client, 2);
    const struct http_request r = {
        .method = STR("POST"), .url = fault_server_url(s), .body = STR("x")};
    struct http_response response;

    for (size_t i = 1; i <= 5; i++) {
        assert_ok(send_one(streams, a, &r, &response, &e), &e);
        while (fault_server_closed(s) < i)
            clock_sleep(NS_PER_MS);
    }
    assert_int_equal(fault_server_connections(s), 5);
    http_streams_free(streams);
    http_client_free(client);
    fault_server_stop(s);
}

/* Whether there is a moment in which this process does nothing; a thread in a circle leaves none.
 */
static bool comes_to_rest(void)
{
    for (int i = 0; i < 40; i++) {
        int64_t cpu = clock_cpu();
        clock_sleep(50 * NS_PER_MS);
        if (clock_cpu() - cpu < 10 * NS_PER_MS)
            return true;
    }
    return false;
}

/* Nobody waits for it, so its end must not keep the thread busy. */
TEST(a_connection_that_ends_at_rest_costs_nothing)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    static const struct fault_step script[] = {{.reply = OK, .again = true}};
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    struct http_client *client = new_client(STR_NONE);
    struct http_streams *streams = new_streams(client, 2);
    const struct http_request r = {.url = fault_server_url(s)};
    struct http_response response;

    for (size_t i = 1; i <= 3; i++) {
        assert_ok(send_one(streams, a, &r, &response, &e), &e);
        while (fault_server_closed(s) < i)
            clock_sleep(NS_PER_MS);
        assert_true(comes_to_rest());
    }
    http_streams_free(streams);
    http_client_free(client);
    fault_server_stop(s);
}

/* ---- What is sent. ---- */

static void reply_length(void *ctx, struct server_request *r)
{
    (void)ctx;
    server_reply(r, 200, STR("text/plain"), server_header(r, STR("Content-Length")));
}

/* As Go does. Front ends answer 411 to a POST without a length. */
TEST(writes_without_a_body_have_a_length)
{
    static const struct {
        const char *method, *length;
    } cases[] = {{"GET", ""}, {"DELETE", ""}, {"POST", "0"}, {"PUT", "0"}, {"PATCH", "0"}};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    const struct server_config config = {.handle = reply_length};
    struct http_client *client = new_client(STR_NONE);
    struct http_response response;
    struct server *server;

    assert_ok(server_start(&config, &server, &e), &e);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct http_request r = {.method = str_c(cases[i].method), .url = server_url(server)};
        assert_ok(http_send(client, a, &r, &response, &e), &e);
        assert_str(response.body, str_c(cases[i].length));
    }
    http_client_free(client);
    server_stop(server, 0);
}

TEST(bad_requests_are_refused_before_they_leave)
{
    static const struct {
        const char *url, *method, *header, *value;
    } bad[] = {
        {"http://127.0.0.1:1/a\r\nX: y", "GET", "A", "b"},
        {"http://127.0.0.1:1/", "GE T", "A", "b"},
        {"http://127.0.0.1:1/", "GET", "A", "b\r\nc"},
        {"ftp://127.0.0.1/", "GET", "A", "b"},
        {"nonsense", "GET", "A", "b"},
        {"", "GET", "A", "b"},
    };
    AUTO_ARENA a = arena_new();
    struct http_client *client = new_client(STR_NONE);
    struct http_streams *streams = new_streams(client, 2);

    for (size_t i = 0; i < COUNT(bad); i++) {
        AUTO_ERR e = {0};
        struct http_request r = {.method = str_c(bad[i].method), .url = str_c(bad[i].url)};
        struct http_response response;
        http_header_add(a, &r.headers, str_c(bad[i].header), str_c(bad[i].value));
        assert_false(send_one(streams, a, &r, &response, &e));
        assert_int_equal(e.kind, ERR_INVALID);
        assert_int_equal(response.failure, HTTP_FAILURE_CONFIG);
        assert_false(response.sent);
    }
    http_streams_free(streams);
    http_client_free(client);
}

RUN_TESTS(cmocka_unit_test(one_connection_serves_requests_one_after_the_other),
          cmocka_unit_test(many_requests_share_the_connections_there_are),
          cmocka_unit_test(what_is_under_way_can_be_cancelled),
          cmocka_unit_test(a_dropped_connection_repeats_only_what_may_be_repeated),
          cmocka_unit_test(a_post_looks_at_its_connection_first),
          cmocka_unit_test(a_connection_that_ends_at_rest_costs_nothing),
          cmocka_unit_test(writes_without_a_body_have_a_length),
          cmocka_unit_test(bad_requests_are_refused_before_they_leave))
