/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults at every boundary of a request: each ends in an error that says what happened, or in a
 * retry that succeeds, within the limits.
 */
#include "../test.h"

#include "net/http/http.h"
#include "net/http/pull.h"
#include "net/retry.h"
#include "net/http/streams.h"
#include "support/certs.h"
#include "support/fault_server.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <time.h>
#include <zlib.h>

#define HEAD_OK "HTTP/1.1 200 OK\r\n"
#define OK HEAD_OK "Content-Length: 2\r\n\r\nok"

struct fault_case {
    const char *name;
    struct fault_step step;
    enum http_failure failure;
    enum err_kind kind;
    const char *want;
    bool tls;
};

static const struct fault_case cases[] = {
    {"reset before the request is read",
     {.before_request = true, .end = FAULT_RESET},
     HTTP_FAILURE_RESET,
     ERR_IO,
     NULL,
     false},
    {"reset in the middle of the request",
     {.read_only = 10, .end = FAULT_RESET},
     HTTP_FAILURE_RESET,
     ERR_IO,
     "connection reset by peer",
     false},
    {"reset after the request",
     {.end = FAULT_RESET},
     HTTP_FAILURE_RESET,
     ERR_IO,
     "connection reset by peer",
     false},
    {"closed after the request", {.end = FAULT_CLOSE}, HTTP_FAILURE_RESET, ERR_IO, ": EOF", false},
    {"closed in the status line", {.reply = "HTTP/1.1 2"}, HTTP_FAILURE_RESET, ERR_IO, NULL, false},
    {"closed in the head",
     {.reply = HEAD_OK "Content-Le"},
     HTTP_FAILURE_RESET,
     ERR_IO,
     NULL,
     false},
    {"reset in the head",
     {.reply = HEAD_OK "Content-Le", .end = FAULT_RESET},
     HTTP_FAILURE_RESET,
     ERR_IO,
     NULL,
     false},
    {"half a body",
     {.reply = HEAD_OK "Content-Length: 100\r\n\r\nhalf"},
     HTTP_FAILURE_RESET,
     ERR_IO,
     "unexpected EOF",
     false},
    {"half a body and a reset",
     {.reply = HEAD_OK "Content-Length: 100\r\n\r\nhalf", .end = FAULT_RESET},
     HTTP_FAILURE_RESET,
     ERR_IO,
     NULL,
     false},
    {"half a chunk",
     {.reply = HEAD_OK "Transfer-Encoding: chunked\r\n\r\n10\r\nhalf"},
     HTTP_FAILURE_RESET,
     ERR_IO,
     NULL,
     false},
    {"no last chunk",
     {.reply = HEAD_OK "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"},
     HTTP_FAILURE_RESET,
     ERR_IO,
     NULL,
     false},
    {"a chunk that is not a number",
     {.reply = HEAD_OK "Transfer-Encoding: chunked\r\n\r\nzz\r\n"},
     HTTP_FAILURE_RESET,
     ERR_IO,
     NULL,
     false},
    {"no HTTP at all",
     {.reply = "SSH-2.0-OpenSSH_9.2\r\n"},
     HTTP_FAILURE_PROTOCOL,
     ERR_IO,
     NULL,
     false},
    {"4 GB announced",
     {.reply = HEAD_OK "Content-Length: 4294967296\r\n\r\nx"},
     HTTP_FAILURE_TOO_LARGE,
     ERR_LIMIT,
     "the body of the answer has more than 67108864 bytes",
     false},
    {"a length that nothing can hold",
     {.reply = HEAD_OK "Content-Length: 99999999999999999999\r\n\r\nhalf"},
     HTTP_FAILURE_PROTOCOL,
     ERR_IO,
     "bad Content-Length \"99999999999999999999\"",
     false},
    {"a length of more than 63 bits",
     {.reply = HEAD_OK "Content-Length: 9223372036854775808\r\n\r\nhalf"},
     HTTP_FAILURE_PROTOCOL,
     ERR_IO,
     "bad Content-Length \"9223372036854775808\"",
     false},
    {"a negative length",
     {.reply = HEAD_OK "Content-Length: -4\r\n\r\nhalf"},
     HTTP_FAILURE_PROTOCOL,
     ERR_IO,
     "Content-Length",
     false},
    {"two lengths that differ",
     {.reply = HEAD_OK "Content-Length: 100\r\nContent-Length: 4\r\n\r\nhalf"},
     HTTP_FAILURE_PROTOCOL,
     ERR_IO,
     "http: message cannot contain multiple Content-Length headers; got [\"100\" \"4\"]",
     false},
    {"a list of lengths",
     {.reply = HEAD_OK "Content-Length: 4, 100\r\n\r\nhalf"},
     HTTP_FAILURE_PROTOCOL,
     ERR_IO,
     "bad Content-Length \"4, 100\"",
     false},
    {"a length that curl does not see",
     {.reply = HEAD_OK "Content-Length : 100\r\n\r\nhalf"},
     HTTP_FAILURE_RESET,
     ERR_IO,
     "unexpected EOF",
     false},
    {"a length that nothing can hold, TLS",
     {.reply = HEAD_OK "Content-Length: 99999999999999999999\r\n\r\nhalf"},
     HTTP_FAILURE_PROTOCOL,
     ERR_IO,
     "bad Content-Length",
     true},
    {"gzip that is none",
     {.reply = HEAD_OK "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain"},
     HTTP_FAILURE_PROTOCOL,
     ERR_IO,
     "gzip",
     false},
    {"a compression that nobody asked for",
     {.reply = HEAD_OK "Content-Encoding: br\r\nContent-Length: 5\r\n\r\nplain"},
     HTTP_FAILURE_PROTOCOL,
     ERR_IO,
     "asked for",
     false},
    {"silence",
     {.end = FAULT_HANG},
     HTTP_FAILURE_TIMEOUT,
     ERR_IO,
     "nothing came from the server for 0.15 s",
     false},
    {"silence in the body",
     {.reply = HEAD_OK "Content-Length: 100\r\n\r\nhalf", .end = FAULT_HANG},
     HTTP_FAILURE_TIMEOUT,
     ERR_IO,
     "nothing came from the server for 0.15 s",
     false},
    {"slow drip",
     {.reply = HEAD_OK "Content-Length: 100\r\n\r\n" OK OK, .drip_ms = 5, .end = FAULT_HANG},
     HTTP_FAILURE_TIMEOUT,
     ERR_IO,
     NULL,
     false},
    {"closed before TLS",
     {.before_tls = true, .before_request = true},
     HTTP_FAILURE_RESET,
     ERR_IO,
     "EOF",
     true},
    {"reset in the TLS handshake",
     {.before_tls = true, .read_only = 10, .end = FAULT_RESET},
     HTTP_FAILURE_RESET,
     ERR_IO,
     NULL,
     true},
    {"HTTP instead of TLS",
     {.before_tls = true, .before_request = true, .reply = OK},
     HTTP_FAILURE_TLS,
     ERR_IO,
     "http: server gave HTTP response to HTTPS client",
     true},
    {"reset after the request, TLS", {.end = FAULT_RESET}, HTTP_FAILURE_RESET, ERR_IO, NULL, true},
    {"half a body, TLS",
     {.reply = HEAD_OK "Content-Length: 100\r\n\r\nhalf"},
     HTTP_FAILURE_RESET,
     ERR_IO,
     NULL,
     true},
};

/*
 * Limits that nothing here reaches, however busy the machine is; but for silence and for a drip the
 * one that shall end them, and only that one: a busy machine could reach either first.
 */
static struct http_client *new_client(str ca, int64_t timeout, int64_t idle_timeout)
{
    AUTO_ERR e = {0};
    struct http_config config = http_defaults();
    struct http_client *client;

    config.timeout = timeout ? timeout : 60 * NS_PER_SEC;
    config.idle_timeout = idle_timeout ? idle_timeout : 30 * NS_PER_SEC;
    config.no_proxy = true;
    config.tls.ca.text = ca;
    assert_ok(http_client_new(&config, &client, &e), &e);
    return client;
}

/* ---- The ways in which requests are sent. ---- */

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

static bool send_by_streams(struct http_client *client, struct arena *a,
                            const struct http_request *r, struct http_response *response,
                            struct err *e)
{
    struct http_streams *streams = http_streams_new(client);
    struct http_stream spec = {.request = *r, .arena = a, .on_end = keep_outcome};
    struct outcome o = {.done = false};

    spec.request.ctx = &o;
    http_streams_start(streams, &spec);
    for (int i = 0; i < 60000 && !o.done; i++)
        nanosleep(&(struct timespec){.tv_nsec = NS_PER_MS}, NULL);
    http_streams_free(streams);
    *response = o.response;
    if (!o.failure.kind)
        return true;
    err_copy(e, &o.failure);
    err_clear(&o.failure);
    return false;
}

static bool send_by_pull(struct http_client *client, struct arena *a, const struct http_request *r,
                         struct http_response *response, struct err *e)
{
    struct http_pull *p;
    char piece[1000];
    size_t got = 1;
    bool ok = http_pull_open(client, a, r, response, &p, e);

    if (!ok)
        return false;
    while (ok && got)
        ok = http_pull_read(p, piece, sizeof(piece), &got, e);
    http_pull_close(p);
    return ok;
}

typedef bool send_fn(struct http_client *client, struct arena *a, const struct http_request *r,
                     struct http_response *response, struct err *e);

static send_fn *const ways[] = {http_send, send_by_streams, send_by_pull};

/* Streamed bodies have no limit, and pulled ones no compression. */
static bool applies(const struct fault_case *c, send_fn *by)
{
    return by != send_by_pull || (c->failure != HTTP_FAILURE_TOO_LARGE &&
                                  !strstr(c->step.reply ? c->step.reply : "", "Content-Encoding"));
}

static void check_fault(const struct fault_case *c, const struct test_cert *ca,
                        const struct test_cert *leaf, send_fn *by)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    const struct fault_tls tls = {leaf->cert, leaf->key, STR_NONE};
    struct fault_server *s = fault_server_start(&c->step, 1, c->tls ? &tls : NULL);
    bool is_silence = c->failure == HTTP_FAILURE_TIMEOUT && c->want;
    bool is_drip = c->failure == HTTP_FAILURE_TIMEOUT && !c->want;
    struct http_client *client =
        new_client(ca->cert, is_drip ? 400 * NS_PER_MS : 0, is_silence ? 150 * NS_PER_MS : 0);
    const struct http_request r = {.url = fault_server_url(s)};
    struct http_response response;

    bool ok = by(client, a, &r, &response, &e);
    if (ok || response.failure != c->failure || (c->want && !str_contains(e.text, str_c(c->want))))
        print_error("%s: %s: %.*s\n", c->name, http_failure_name(response.failure),
                    STR_ARG(e.text));
    assert_false(ok);
    assert_int_equal(response.failure, c->failure);
    assert_int_equal(e.kind, c->kind);
    assert_true(str_has_prefix(e.text, STR("Get \"http")));
    assert_true(!c->want || str_contains(e.text, str_c(c->want)));
    assert_true(response.hint.len > 0);
    http_client_free(client);
    fault_server_stop(s);
}

TEST(every_fault_is_a_clear_error)
{
    AUTO_ARENA a = arena_new();
    struct test_cert ca = test_ca(a, "test CA");
    struct test_cert leaf = test_leaf(a, &ca, "server", "IP:127.0.0.1", -60, 3600);

    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t k = 0; k < COUNT(ways); k++)
            if (applies(&cases[i], ways[k]))
                check_fault(&cases[i], &ca, &leaf, ways[k]);
}

/* The same faults, then a proper answer: reading requests get it, by one more attempt. */
TEST(faults_of_the_network_are_retried)
{
    AUTO_ARENA a = arena_new();
    size_t retried = 0;

    clock_fake(NS_PER_SEC);
    random_fake(1);
    for (size_t i = 0; i < COUNT(cases); i++) {
        bool worth_it = cases[i].failure == HTTP_FAILURE_RESET;
        if (cases[i].tls || (!worth_it && cases[i].failure != HTTP_FAILURE_PROTOCOL))
            continue;
        AUTO_ERR e = {0};
        const struct fault_step script[] = {cases[i].step, {.reply = OK}};
        struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
        struct http_client *client = new_client(STR_NONE, 0, 0);
        const struct http_request r = {.url = fault_server_url(s)};
        struct http_response response;
        bool ok = retry_send(client, a, &r, &retry_reads, &response, &e);
        if (ok != worth_it)
            print_error("%s: %.*s\n", cases[i].name, STR_ARG(e.text));
        assert_int_equal(ok, worth_it);
        assert_int_equal(fault_server_connections(s), worth_it ? 2 : 1);
        retried += worth_it;
        http_client_free(client);
        fault_server_stop(s);
    }
    assert_true(retried > 8);
    clock_real();
    random_real();
}

struct answer_case {
    const char *reply;
    int64_t waited_ms; /* at least; -1: no retry */
    bool post;
};

#define EMPTY "Content-Length: 0\r\n\r\n"

static const struct answer_case answers[] = {
    {"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\n" EMPTY, 7000, false},
    {"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 3600\r\n" EMPTY, -1, false},
    {"HTTP/1.1 429 Too Many Requests\r\nRetry-After: Thu, 01 Jan 1970 00:00:21 GMT\r\n" EMPTY,
     20000, false},
    {"HTTP/1.1 503 Service Unavailable\r\nRetry-After: soon\r\n" EMPTY, 500, false},
    {"HTTP/1.1 500 Internal Server Error\r\n" EMPTY, 500, false},
    {"HTTP/1.1 503 Service Unavailable\r\n" EMPTY, 500, false},
    {"HTTP/1.1 503 Service Unavailable\r\nretry-after-ms: 250\r\n" EMPTY, 250, false},
    {"HTTP/1.1 503 Service Unavailable\r\n" EMPTY, -1, true},
    {"HTTP/1.1 501 Not Implemented\r\n" EMPTY, -1, false},
    {"HTTP/1.1 400 Bad Request\r\n" EMPTY, -1, false},
};

static void check_answer(const struct answer_case *c)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    const struct fault_step script[] = {{.reply = c->reply}, {.reply = OK}};
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    struct http_client *client = new_client(STR_NONE, 0, 0);
    const struct http_request r = {.method = c->post ? STR("POST") : STR("GET"),
                                   .url = fault_server_url(s)};
    struct http_response response;

    clock_fake(NS_PER_SEC);
    assert_ok(retry_send(client, a, &r, &retry_reads, &response, &e), &e);
    int64_t waited = (clock_mono() - NS_PER_SEC) / NS_PER_MS;
    if (c->waited_ms < 0) {
        assert_int_equal(waited, 0);
        assert_int_not_equal(response.status, 200);
    } else {
        assert_int_equal(response.status, 200);
        assert_in_range(waited, c->waited_ms, c->waited_ms * 12 / 10);
    }
    http_client_free(client);
    fault_server_stop(s);
}

TEST(answers_that_ask_for_patience_are_retried)
{
    random_fake(1);
    for (size_t i = 0; i < COUNT(answers); i++)
        check_answer(&answers[i]);
    clock_real();
    random_real();
}

TEST(attempts_end)
{
    static const struct fault_step script[] = {
        {.reply = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy",
         .again = true}};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    struct http_client *client = new_client(STR_NONE, 0, 0);
    const struct http_request r = {.url = fault_server_url(s)};
    struct http_response response;

    clock_fake(0);
    random_fake(7);
    assert_ok(retry_send(client, a, &r, &retry_reads, &response, &e), &e);
    assert_int_equal(response.status, 503);
    assert_str(response.body, STR("busy"));
    assert_int_equal(fault_server_connections(s), 5);
    assert_in_range(clock_mono(), 7500 * NS_PER_MS, 9000 * NS_PER_MS);
    clock_real();
    random_real();
    http_client_free(client);
    fault_server_stop(s);
}

TEST(what_never_left_may_be_sent_again_and_writes_that_did_are_not)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    const struct fault_step script[] = {{.end = FAULT_RESET}, {.reply = OK}};
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    struct http_client *client = new_client(STR_NONE, 0, 0);
    struct http_request r = {
        .method = STR("POST"), .url = str_copy(a, fault_server_url(s)), .body = STR("x")};
    struct http_response response;

    clock_fake(0);
    assert_false(retry_send(client, a, &r, &retry_reads, &response, &e));
    assert_int_equal(fault_server_connections(s), 1);
    assert_true(response.sent);
    fault_server_stop(s);
    assert_false(retry_send(client, a, &r, &retry_reads, &response, &e));
    assert_int_equal(response.failure, HTTP_FAILURE_REFUSED);
    assert_true(clock_mono() > 7 * NS_PER_SEC);
    assert_false(response.sent);
    clock_real();
    http_client_free(client);
}

TEST(a_refused_connection_reads_as_in_go)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct http_client *client = new_client(STR_NONE, 0, 0);
    struct http_response response;
    const struct http_request r = {.url = STR("http://127.0.0.1:1/x.yaml")};
    /* No label may have 64 characters, so no name server is asked. */
    const struct http_request unknown = {
        .url = STR("http://x123456789012345678901234567890123456789012345678901234567890123/")};

    assert_false(http_send(client, a, &r, &response, &e));
    assert_str(e.text, STR("Get \"http://127.0.0.1:1/x.yaml\": dial tcp 127.0.0.1:1: connect: "
                           "connection refused"));
    assert_false(http_send(client, a, &unknown, &response, &e));
    assert_int_equal(response.failure, HTTP_FAILURE_DNS);
    assert_true(str_contains(e.text, STR(": dial tcp: lookup x1234")));
    assert_true(str_has_suffix(e.text, STR(": no such host")));
    http_client_free(client);
}

/*
 * A connection that was kept open may die just when a request is sent on it. curl would send that
 * again by itself, whatever it is; a write must not be, because the server may have acted on it.
 */
TEST(a_write_is_not_sent_again_when_a_kept_connection_dies)
{
    static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};

    for (size_t i = 0; i < COUNT(methods); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        const struct fault_step script[] = {{.first_reply = OK}, {.reply = OK}};
        struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
        struct http_client *client = new_client(STR_NONE, 0, 0);
        const struct http_request warm = {.url = fault_server_url(s)};
        const struct http_request r = {.method = str_c(methods[i]),
                                       .url = fault_server_url(s),
                                       .body = i ? STR("x") : STR_NONE};
        struct http_response response;
        assert_ok(http_send(client, a, &warm, &response, &e), &e);
        bool ok = http_send(client, a, &r, &response, &e);
        assert_int_equal(ok, i == 0);
        assert_int_equal(response.failure, ok ? HTTP_FAILURE_NONE : HTTP_FAILURE_RESET);
        assert_true(response.sent);
        assert_true(ok || str_has_suffix(e.text, STR(": EOF")));
        assert_int_equal(fault_server_requests(s), ok ? 3 : 2);
        http_client_free(client);
        fault_server_stop(s);
    }
}

/* size zeros in gzip. */
static str zip_zeros(struct arena *a, size_t size)
{
    unsigned char *zeros = arena_alloc(a, size), *out = arena_alloc(a, size);
    z_stream z = {
        .next_in = zeros, .avail_in = (uInt)size, .next_out = out, .avail_out = (uInt)size};

    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return str_of((const char *)out, z.total_out);
}

TEST(a_body_bomb_is_stopped_at_the_limit)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf reply = buf_new(a, MIB);
    struct http_client *client = new_client(STR_NONE, 0, 0);
    struct http_response response;
    str bomb = zip_zeros(a, 10 * MIB);

    buf_fmt(&reply, HEAD_OK "Content-Encoding: gzip\r\nContent-Length: %zu\r\n\r\n", bomb.len);
    buf_add(&reply, bomb);
    const struct fault_step script[] = {{.reply = reply.data, .reply_len = reply.len}};
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    const struct http_request r = {.url = fault_server_url(s), .body_max = 50 * 1024};
    assert_false(http_send(client, a, &r, &response, &e));
    assert_int_equal(response.failure, HTTP_FAILURE_TOO_LARGE);
    assert_true(response.body.len <= 50 * 1024);
    http_client_free(client);
    fault_server_stop(s);
}

static bool take_nothing(void *ctx, const struct http_response *so_far, str piece, struct err *e)
{
    (void)so_far;
    (void)e;
    *(size_t *)ctx += piece.len;
    return true;
}

/* As lists of a cluster are read: nothing is kept, so that the limit of a body does not apply. */
TEST(a_bomb_is_stopped_where_nothing_is_kept)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf reply = buf_new(a, MIB);
    struct http_client *client = new_client(STR_NONE, 0, 0);
    struct http_response response;
    str bomb = zip_zeros(a, 160 * MIB);
    size_t taken = 0;

    buf_fmt(&reply, HEAD_OK "Content-Encoding: gzip\r\nContent-Length: %zu\r\n\r\n", bomb.len);
    buf_add(&reply, bomb);
    const struct fault_step script[] = {{.reply = reply.data, .reply_len = reply.len}};
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    const struct http_request r = {
        .url = fault_server_url(s), .on_body = take_nothing, .ctx = &taken};
    assert_false(http_send(client, a, &r, &response, &e));
    assert_int_equal(response.failure, HTTP_FAILURE_PROTOCOL);
    assert_true(str_has_suffix(
        e.text, STR(": gzip: it unpacks to more than 200 times its size, which is not trusted")));
    assert_true(taken <= 101 * MIB);
    http_client_free(client);
    fault_server_stop(s);
}

TEST(gzip_that_ends_early_is_no_answer)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf reply = buf_new(a, MIB);
    struct http_client *client = new_client(STR_NONE, 0, 0);
    struct http_response response;
    str zip = zip_zeros(a, 10 * KIB);

    buf_fmt(&reply, HEAD_OK "Content-Encoding: gzip\r\nContent-Length: %zu\r\n\r\n", zip.len - 12);
    buf_add(&reply, str_slice(zip, 0, zip.len - 12));
    const struct fault_step script[] = {{.reply = reply.data, .reply_len = reply.len}};
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    const struct http_request r = {.url = fault_server_url(s)};
    assert_false(http_send(client, a, &r, &response, &e));
    assert_int_equal(response.failure, HTTP_FAILURE_PROTOCOL);
    assert_true(str_has_suffix(e.text, STR(": gzip: unexpected EOF")));
    http_client_free(client);
    fault_server_stop(s);
}

/* Several in a row, which is allowed, in bytes one by one. */
TEST(gzip_in_any_pieces_is_unpacked)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf reply = buf_new(a, MIB);
    struct http_client *client = new_client(STR_NONE, 0, 0);
    struct http_response response;
    str zip = zip_zeros(a, 100 * KIB);

    buf_fmt(&reply, HEAD_OK "Content-Encoding: gzip\r\nContent-Length: %zu\r\n\r\n", zip.len * 2);
    buf_add(&reply, zip);
    buf_add(&reply, zip);
    const struct fault_step script[] = {
        {.reply = reply.data, .reply_len = reply.len, .drip_ms = 1}};
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    const struct http_request r = {.url = fault_server_url(s)};
    assert_ok(http_send(client, a, &r, &response, &e), &e);
    assert_int_equal(response.body.len, 200 * KIB);
    http_client_free(client);
    fault_server_stop(s);
}

/* A byte now and then keeps no connection alive. */
TEST(an_answer_that_drips_is_none)
{
    static const struct fault_step script[] = {{.reply = OK OK OK, .drip_ms = 100}};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct http_client *client = new_client(STR_NONE, 0, 0);
    struct http_response response;
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    const struct http_request r = {.url = fault_server_url(s), .idle_timeout = NS_PER_SEC};

    assert_false(http_send(client, a, &r, &response, &e));
    assert_int_equal(response.failure, HTTP_FAILURE_TIMEOUT);
    assert_true(str_contains(e.text, STR("came from the server")));
    http_client_free(client);
    fault_server_stop(s);
}

/* A caller that takes its time is not taken for a server that does. */
static bool doze(void *ctx, const struct http_response *so_far, str piece, struct err *e)
{
    (void)so_far;
    (void)piece;
    (void)e;
    if (!(*(int *)ctx)++)
        nanosleep(&(struct timespec){.tv_sec = 3, .tv_nsec = 200 * NS_PER_MS}, NULL);
    return true;
}

TEST(a_slow_caller_is_no_slow_server)
{
    static const struct fault_step script[] = {
        {.reply = HEAD_OK "Content-Length: 20\r\n\r\n01234567890123456789", .drip_ms = 5}};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    int count = 0;
    struct http_client *client = new_client(STR_NONE, 0, 0);
    struct http_response response;
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    const struct http_request r = {
        .url = fault_server_url(s), .idle_timeout = 3 * NS_PER_SEC, .on_body = doze, .ctx = &count};

    assert_ok(http_send(client, a, &r, &response, &e), &e);
    assert_true(count > 1);
    http_client_free(client);
    fault_server_stop(s);
}

/* Who vanishes without a word is looked for: the options of our side's socket. */
TEST(connections_notice_a_peer_that_vanished)
{
    static const struct fault_step script[] = {{.first_reply = OK, .end = FAULT_HANG}};
    static const struct {
        int option, want;
    } wanted[] = {
        {TCP_KEEPIDLE, 30}, {TCP_KEEPINTVL, 5}, {TCP_KEEPCNT, 3}, {TCP_USER_TIMEOUT, 45000}};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct http_client *client = new_client(STR_NONE, 0, 0);
    struct http_response response;
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    const struct http_request r = {.url = fault_server_url(s)};
    size_t found = 0;

    assert_ok(http_send(client, a, &r, &response, &e), &e);
    for (int fd = 0; fd < 1024; fd++) {
        struct sockaddr_in peer = {0};
        socklen_t len = sizeof(peer);
        if (getpeername(fd, (struct sockaddr *)&peer, &len) ||
            ntohs(peer.sin_port) != fault_server_port(s))
            continue;
        found++;
        for (size_t i = 0; i < COUNT(wanted); i++) {
            int got = 0;
            len = sizeof(got);
            assert_int_equal(getsockopt(fd, IPPROTO_TCP, wanted[i].option, &got, &len), 0);
            assert_int_equal(got, wanted[i].want);
        }
    }
    assert_int_equal(found, 1);
    http_client_free(client);
    fault_server_stop(s);
}

TEST(too_many_headers_are_refused)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf reply = buf_new(a, MIB);
    struct http_config config = http_defaults();
    struct http_client *client;
    struct http_response response;

    config.header_max = 4 * KIB;
    buf_add(&reply, STR(HEAD_OK));
    for (int i = 0; i < 200; i++)
        buf_fmt(&reply, "X-%d: 0123456789012345678901234567890123456789\r\n", i);
    buf_add(&reply, STR("Content-Length: 0\r\n\r\n"));
    const struct fault_step script[] = {{.reply = reply.data, .reply_len = reply.len}};
    struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
    assert_ok(http_client_new(&config, &client, &e), &e);
    const struct http_request r = {.url = fault_server_url(s)};
    assert_false(http_send(client, a, &r, &response, &e));
    assert_int_equal(response.failure, HTTP_FAILURE_TOO_LARGE);
    assert_true(str_contains(e.text, STR("the head of the answer has more than 4096 bytes")));
    http_client_free(client);
    fault_server_stop(s);
}

/* ---- Heads that do not end. ---- */

static str repeat(struct arena *a, const char *before, const char *text, size_t bytes)
{
    struct buf b = buf_new(a, 16 * MIB);

    buf_add(&b, str_c(before));
    while (b.len < bytes)
        buf_add(&b, str_c(text));
    return buf_str(&b);
}

TEST(a_head_that_does_not_end_is_reported_as_such)
{
    static const struct {
        const char *name, *before, *text;
    } heads[] = {
        {"lines", HEAD_OK, "X-A: 0123456789012345678901234567890123456789\r\n"},
        {"one line", HEAD_OK "X-A: ", "0123456789"},
        {"a name", HEAD_OK, "x"},
        {"a status line", "HTTP/1.1 200 ", "ok"},
        {"interim answers", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\n\r\n"},
        {"trailers", HEAD_OK "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n",
         "X-A: 0123456789012345678901234567890123456789\r\n"},
    };
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(heads); i++)
        for (size_t k = 0; k < COUNT(ways); k++) {
            AUTO_ERR e = {0};
            str reply = repeat(a, heads[i].before, heads[i].text, 4 * MIB);
            const struct fault_step script[] = {{.reply = reply.ptr, .reply_len = reply.len}};
            struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
            struct http_client *client = new_client(STR_NONE, 0, 0);
            const struct http_request r = {.url = fault_server_url(s)};
            struct http_response response;
            assert_false(ways[k](client, a, &r, &response, &e));
            if (response.failure != HTTP_FAILURE_TOO_LARGE)
                print_error("%s, way %zu: %.*s\n", heads[i].name, k, STR_ARG(e.text));
            assert_int_equal(response.failure, HTTP_FAILURE_TOO_LARGE);
            assert_int_equal(e.kind, ERR_LIMIT);
            assert_true(str_contains(e.text, STR("the head of the answer ")));
            http_client_free(client);
            fault_server_stop(s);
            arena_reset(a);
        }
}

/* None of these has a body, whatever it announces. */
TEST(answers_without_a_body_may_announce_one)
{
    static const struct {
        const char *method, *reply;
        int status;
    } answers_[] = {
        {"HEAD", HEAD_OK "Content-Length: 100\r\n\r\n", 200},
        {"GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n", 304},
        {"GET", "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", 204},
        {"GET", HEAD_OK "Content-Length: 2\r\nContent-Length: 2\r\n\r\nok", 200},
        {"GET",
         HEAD_OK "Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
         200},
    };
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(answers_); i++) {
        AUTO_ERR e = {0};
        const struct fault_step script[] = {{.reply = answers_[i].reply}};
        struct fault_server *s = fault_server_start(script, COUNT(script), NULL);
        struct http_client *client = new_client(STR_NONE, 0, 0);
        const struct http_request r = {.method = str_c(answers_[i].method),
                                       .url = fault_server_url(s)};
        struct http_response response;
        assert_ok(http_send(client, a, &r, &response, &e), &e);
        assert_int_equal(response.status, answers_[i].status);
        http_client_free(client);
        fault_server_stop(s);
    }
}

RUN_TESTS(cmocka_unit_test(a_head_that_does_not_end_is_reported_as_such),
          cmocka_unit_test(answers_without_a_body_may_announce_one),
          cmocka_unit_test(every_fault_is_a_clear_error),
          cmocka_unit_test(faults_of_the_network_are_retried),
          cmocka_unit_test(answers_that_ask_for_patience_are_retried),
          cmocka_unit_test(attempts_end),
          cmocka_unit_test(what_never_left_may_be_sent_again_and_writes_that_did_are_not),
          cmocka_unit_test(a_refused_connection_reads_as_in_go),
          cmocka_unit_test(a_body_bomb_is_stopped_at_the_limit),
          cmocka_unit_test(a_write_is_not_sent_again_when_a_kept_connection_dies),
          cmocka_unit_test(a_bomb_is_stopped_where_nothing_is_kept),
          cmocka_unit_test(gzip_that_ends_early_is_no_answer),
          cmocka_unit_test(gzip_in_any_pieces_is_unpacked),
          cmocka_unit_test(an_answer_that_drips_is_none),
          cmocka_unit_test(a_slow_caller_is_no_slow_server),
          cmocka_unit_test(connections_notice_a_peer_that_vanished),
          cmocka_unit_test(too_many_headers_are_refused))
