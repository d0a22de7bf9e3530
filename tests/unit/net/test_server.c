/* SPDX-License-Identifier: Apache-2.0 */
/* The server: streams, late answers, limits, stopping; and many streams of the client. */
#include "../test.h"

#include "net/http/http.h"
#include "net/server/handler_serve.h"
#include "net/http/streams.h"
#include "support/pushed.h"

#include <stdatomic.h>

#define SECONDS(n) ((n)*NS_PER_SEC)

/* What handlers keep for the test, which plays the part of other threads. */
struct stage {
    struct lock lock;
    struct server_request *request;
    struct pushed *streams[64];
    size_t stream_count;
};

static void on_stream(void *ctx, struct server_request *r)
{
    struct stage *stage = ctx;
    struct pushed *s = pushed_begin(r, 64 * KIB);

    pushed_write(s, STR("{\"n\":0}\n"));
    AUTO_LOCK guard = lock_take(&stage->lock);
    stage->streams[stage->stream_count++] = s;
}

static void on_later(void *ctx, struct server_request *r)
{
    struct stage *stage = ctx;
    AUTO_LOCK guard = lock_take(&stage->lock);

    stage->request = r;
}

static void on_drop(void *ctx, struct server_request *r)
{
    (void)ctx;
    server_drop(r);
}

static void on_echo(void *ctx, struct server_request *r)
{
    (void)ctx;
    server_reply(r, 200, STR_NONE, server_body(r));
}

static void handle(void *ctx, struct server_request *r)
{
    static const struct server_route routes[] = {
        {"GET", "/stream*", on_stream}, {"GET", "/later", on_later}, {NULL, "/drop", on_drop},
        {"POST", "/echo", on_echo},     {"PUT", "/echo", on_echo},
    };

    server_route(ctx, r, routes, COUNT(routes));
}

struct fixture {
    struct arena *a;
    struct stage stage;
    struct server *server;
    struct http_client *client;
    struct err e;
};

static void begin(struct fixture *f)
{
    const struct server_config config = {.handle = handle, .ctx = &f->stage, .body_max = 1000};
    struct http_config client = http_defaults();

    *f = (struct fixture){.a = arena_new()};
    f->stage.lock = (struct lock)LOCK_INIT;
    client.timeout = SECONDS(5);
    assert_ok(server_start(&config, &f->server, &f->e), &f->e);
    assert_ok(http_client_new(&client, &f->client, &f->e), &f->e);
}

static void end(struct fixture *f)
{
    http_client_free(f->client);
    server_stop(f->server, 0);
    for (size_t i = 0; i < f->stage.stream_count; i++)
        if (f->stage.streams[i])
            pushed_end(f->stage.streams[i], false);
    err_clear(&f->e);
    arena_free(f->a);
}

static bool get(struct fixture *f, const char *method, const char *path, str body,
                struct http_response *response)
{
    struct http_request r = {.method = str_c(method),
                             .url = str_concat(f->a, server_url(f->server), str_c(path)),
                             .body = body};

    return http_send(f->client, f->a, &r, response, &f->e);
}

static struct server_request *wait_for_request(struct stage *stage)
{
    for (int i = 0; i < 30000; i++) {
        {
            AUTO_LOCK guard = lock_take(&stage->lock);
            if (stage->request)
                return stage->request;
        }
        clock_sleep(NS_PER_MS);
    }
    return NULL;
}

static struct pushed *wait_for_stream(struct stage *stage, size_t i)
{
    for (int k = 0; k < 30000; k++) {
        {
            AUTO_LOCK guard = lock_take(&stage->lock);
            if (stage->stream_count > i)
                return stage->streams[i];
        }
        clock_sleep(NS_PER_MS);
    }
    return NULL;
}

TEST(routes_lead_to_handlers)
{
    struct fixture f;
    struct http_response response;

    begin(&f);
    assert_ok(get(&f, "POST", "/echo", STR("x"), &response), &f.e);
    assert_str(response.body, STR("x"));
    assert_ok(get(&f, "GET", "/echo", STR_NONE, &response), &f.e);
    assert_int_equal(response.status, 405);
    assert_str(http_header_get(&response.headers, STR("Allow")), STR("POST, PUT"));
    assert_ok(get(&f, "GET", "/none", STR_NONE, &response), &f.e);
    assert_int_equal(response.status, 404);
    assert_false(get(&f, "GET", "/drop", STR_NONE, &response));
    assert_int_equal(response.failure, HTTP_FAILURE_RESET);
    end(&f);
}

TEST(bodies_over_the_limit_are_refused)
{
    struct fixture f;
    struct http_response response;
    char big[2000];

    begin(&f);
    memset(big, 'x', sizeof(big));
    assert_ok(get(&f, "POST", "/echo", str_of(big, 1000), &response), &f.e);
    assert_int_equal(response.body.len, 1000);
    assert_ok(get(&f, "POST", "/echo", str_of(big, 1001), &response), &f.e);
    assert_int_equal(response.status, 413);
    end(&f);
}

/* "/echo?a&a&a", or a path of so many bytes. */
static const char *long_target(struct arena *a, size_t parameters, size_t bytes)
{
    struct buf b = buf_new(a, MIB);

    buf_add(&b, STR("/echo?a"));
    for (size_t i = 1; i < parameters; i++)
        buf_add(&b, STR("&a=1"));
    while (b.len < bytes)
        buf_char(&b, 'a');
    return str_z(a, buf_str(&b));
}

TEST(targets_over_the_limits_are_answered_at_once)
{
    static const struct {
        size_t parameters, bytes;
        int status;
    } cases[] = {{1, 0, 200},     {400, 0, 200},     {401, 0, 414},   {460, 0, 414},
                 {480, 0, 414},   {4000, 0, 414},    {1, 16384, 200}, {1, 16385, 414},
                 {1, 30000, 414}, {401, 16385, 414}, {9000, 0, 414},  {1, 100000, 414}};
    struct fixture f;

    begin(&f);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *target = long_target(f.a, cases[i].parameters, cases[i].bytes);
        struct http_response response;
        assert_ok(get(&f, "POST", target, STR("x"), &response), &f.e);
        assert_int_equal(response.status, cases[i].status);
    }
    end(&f);
}

static void query_of_last(void *ctx, struct server_request *r)
{
    (void)ctx;
    server_reply(r, 200, STR_NONE, server_query(r, STR("last"), NULL));
}

TEST(every_parameter_of_a_long_query_is_read)
{
    AUTO_ERR e = {0};
    const struct server_config config = {.handle = query_of_last};
    struct http_response response;
    struct fixture f;

    begin(&f);
    server_stop(f.server, 0);
    assert_ok(server_start(&config, &f.server, &e), &e);
    const char *target =
        str_z(f.a, str_concat(f.a, str_c(long_target(f.a, 399, 0)), STR("&last=%41")));
    assert_ok(get(&f, "GET", target, STR_NONE, &response), &f.e);
    assert_str(response.body, STR("A"));
    end(&f);
}

static void *reply_later(void *ctx)
{
    struct server_request *r = wait_for_request(ctx);

    clock_sleep(20 * NS_PER_MS);
    server_add_header(r, STR("X-Late"), STR("yes"));
    server_reply(r, 201, STR_NONE, STR("late"));
    return NULL;
}

TEST(an_answer_may_come_later_from_another_thread)
{
    struct fixture f;
    struct http_response response;
    pthread_t thread;

    begin(&f);
    pthread_create(&thread, NULL, reply_later, &f.stage);
    assert_ok(get(&f, "GET", "/later", STR_NONE, &response), &f.e);
    assert_int_equal(response.status, 201);
    assert_str(response.body, STR("late"));
    assert_str(http_header_get(&response.headers, STR("x-late")), STR("yes"));
    pthread_join(thread, NULL);
    end(&f);
}

static void *stop_server(void *ctx)
{
    struct fixture *f = ctx;

    wait_for_request(&f->stage);
    server_stop(f->server, 0);
    return NULL;
}

TEST(stopping_cuts_what_is_not_answered_and_a_late_answer_is_harmless)
{
    struct fixture f;
    struct http_response response;
    pthread_t thread;

    begin(&f);
    pthread_create(&thread, NULL, stop_server, &f);
    assert_false(get(&f, "GET", "/later", STR_NONE, &response));
    assert_int_equal(response.failure, HTTP_FAILURE_RESET);
    pthread_join(thread, NULL);
    assert_true(server_gone(f.stage.request));
    server_reply(f.stage.request, 200, STR_NONE, STR("too late"));
    http_client_free(f.client);
    err_clear(&f.e);
    arena_free(f.a);
}

/* Requests that their handler keeps, and who answers them: at the same time as the stop. */
static void attach_nothing(struct handler_stream *s, void (*wake)(void *ctx), void *ctx)
{
    (void)s, (void)wake, (void)ctx;
}

static enum handler_pull pull_nothing(struct handler_stream *s, struct buf *out, size_t enough)
{
    (void)s, (void)out, (void)enough;
    return HANDLER_PULL_END;
}

static void close_nothing(struct handler_stream *s)
{
    (void)s;
}

static const struct handler_stream_kind nothing = {attach_nothing, pull_nothing, close_nothing};

struct late_stage {
    struct lock lock;
    struct handler handler;
    struct handler_call *calls[16];
    size_t count, first; /* first: how the first one is answered */
};

static void keep_call(void *ctx, struct handler_call *c)
{
    struct late_stage *s = ctx;
    AUTO_LOCK guard = lock_take(&s->lock);

    s->calls[s->count++] = c;
}

static size_t kept(struct late_stage *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    return s->count;
}

static void *answer_all(void *ctx)
{
    static struct handler_stream source = {&nothing};
    struct late_stage *s = ctx;

    for (size_t i = 0; i < s->count; i++) {
        if ((s->first + i) % 3 == 0)
            handler_reply(s->calls[i], 200, STR("text/plain"), STR("late"));
        else if ((s->first + i) % 3 == 1)
            handler_begin_stream(s->calls[i], 200, STR_NONE, &source);
        else
            handler_drop(s->calls[i]);
    }
    return NULL;
}

static void ignore_end(void *ctx, const struct http_response *response, const struct err *failure)
{
    (void)ctx, (void)response, (void)failure;
}

/* One round: requests are kept, then answered before, during or after the stop. */
static void stop_against_answers(int when, size_t calls, size_t first)
{
    struct late_stage s = {.lock = LOCK_INIT, .handler = {keep_call, &s}, .first = first};
    const struct server_config config = {.handle = handler_serve, .ctx = &s.handler};
    struct http_config http = http_defaults();
    struct http_client *client;
    struct server *server;
    pthread_t thread;
    AUTO_ERR e = {0};

    assert_ok(server_start(&config, &server, &e), &e);
    assert_ok(http_client_new(&http, &client, &e), &e);
    struct http_streams *streams = http_streams_new(client);
    for (size_t i = 0; i < calls; i++)
        http_streams_start(streams, &(struct http_stream){.request.url = server_url(server),
                                                          .on_end = ignore_end});
    while (kept(&s) < calls)
        clock_sleep(NS_PER_MS / 10);
    if (when == 0)
        answer_all(&s);
    else if (when == 1)
        pthread_create(&thread, NULL, answer_all, &s);
    server_stop(server, 0);
    if (when == 1)
        pthread_join(thread, NULL);
    else if (when == 2)
        answer_all(&s);
    http_streams_free(streams);
    http_client_free(client);
}

TEST(answers_may_come_before_during_and_after_the_stop)
{
    for (int round = 0; round < 90; round++)
        stop_against_answers(round % 3, round % 2 ? 1 : 4, (size_t)round / 3);
}

/* ---- Streams of server and client ---- */

struct watcher {
    atomic_int lines, ends, heads;
    struct http_lines split;
    enum http_failure failure;
    enum err_kind kind;
};

static bool count_line(void *ctx, str line, struct err *e)
{
    struct watcher *w = ctx;

    (void)e;
    assert_true(str_has_prefix(line, STR("{\"n\":")));
    w->lines++;
    return true;
}

static bool on_body(void *ctx, const struct http_response *so_far, str piece, struct err *e)
{
    struct watcher *w = ctx;

    (void)so_far;
    return http_lines_add(&w->split, piece, e);
}

static void on_head(void *ctx, const struct http_response *response)
{
    struct watcher *w = ctx;

    assert_int_equal(response->status, 200);
    w->heads++;
}

static void on_end(void *ctx, const struct http_response *response, const struct err *failure)
{
    struct watcher *w = ctx;

    w->failure = response->failure;
    w->kind = failure ? failure->kind : ERR_NONE;
    w->ends++;
}

static void wait_until(atomic_int *what, int want)
{
    for (int i = 0; i < 30000 && *what < want; i++)
        clock_sleep(NS_PER_MS);
    assert_int_equal(*what, want);
}

static uint64_t watch(struct fixture *f, struct http_streams *streams, struct watcher *w)
{
    struct http_stream spec = {
        .request = {.url = str_concat(f->a, server_url(f->server), STR("/stream/x")),
                    .on_body = on_body,
                    .ctx = w,
                    .timeout = -1},
        .on_head = on_head,
        .on_end = on_end,
    };

    *w = (struct watcher){.split = {.rest = buf_new(arena_new(), KIB), .max = KIB}};
    w->split.on_line = count_line;
    w->split.ctx = w;
    return http_streams_start(streams, &spec);
}

static void unwatch(struct watcher *w)
{
    arena_free(w->split.rest.arena);
}

TEST(one_thread_follows_many_streams)
{
    enum { COUNT_OF_STREAMS = 40 };
    struct fixture f;
    static struct watcher w[COUNT_OF_STREAMS];

    begin(&f);
    struct http_streams *streams = http_streams_new(f.client);
    for (size_t i = 0; i < COUNT_OF_STREAMS; i++)
        watch(&f, streams, &w[i]);
    for (size_t i = 0; i < COUNT_OF_STREAMS; i++) {
        struct pushed *s = wait_for_stream(&f.stage, i);
        for (int n = 1; n < 10; n++)
            assert_true(pushed_write(s, str_fmt(f.a, "{\"n\":%d}\n", n)));
        if (i % 2 == 0) {
            pushed_end(s, false);
            f.stage.streams[i] = NULL;
        }
    }
    for (size_t i = 0; i < COUNT_OF_STREAMS; i++)
        wait_until(&w[i].lines, 10);
    for (int i = 0; i < 30000 && http_streams_count(streams) > COUNT_OF_STREAMS / 2; i++)
        clock_sleep(NS_PER_MS);
    assert_int_equal(http_streams_count(streams), COUNT_OF_STREAMS / 2);
    http_streams_free(streams);
    for (size_t i = 0; i < COUNT_OF_STREAMS; i++) {
        assert_int_equal(w[i].ends, 1);
        assert_int_equal(w[i].heads, 1);
        unwatch(&w[i]);
    }
    end(&f);
}

TEST(a_stream_can_be_stopped_and_a_broken_one_says_so)
{
    struct fixture f;
    struct watcher w;

    begin(&f);
    struct http_streams *streams = http_streams_new(f.client);
    uint64_t id = watch(&f, streams, &w);
    wait_until(&w.lines, 1);
    http_streams_stop(streams, id);
    wait_until(&w.ends, 1);
    assert_int_equal(w.kind, ERR_CANCELLED);
    unwatch(&w);
    watch(&f, streams, &w);
    pushed_end(wait_for_stream(&f.stage, 1), true);
    f.stage.streams[1] = NULL;
    wait_until(&w.ends, 1);
    assert_int_equal(w.failure, HTTP_FAILURE_RESET);
    http_streams_free(streams);
    unwatch(&w);
    end(&f);
}

TEST(a_stream_that_cannot_begin_ends_with_an_error)
{
    struct fixture f;
    struct watcher w = {0};
    struct http_stream spec = {.request = {.url = STR("ftp://x/"), .ctx = &w}, .on_end = on_end};

    begin(&f);
    struct http_streams *streams = http_streams_new(f.client);
    assert_int_not_equal(http_streams_start(streams, &spec), 0);
    wait_until(&w.ends, 1);
    assert_int_equal(w.failure, HTTP_FAILURE_CONFIG);
    http_streams_free(streams);
    end(&f);
}

static bool enough(void *ctx, const struct http_response *so_far, str piece, struct err *e)
{
    (void)ctx, (void)so_far, (void)piece, (void)e;
    return false;
}

TEST(a_client_that_leaves_is_noticed)
{
    struct fixture f;
    struct http_response response;

    begin(&f);
    const struct http_request r = {.url = str_concat(f.a, server_url(f.server), STR("/stream")),
                                   .on_body = enough};
    assert_ok(http_send(f.client, f.a, &r, &response, &f.e), &f.e);
    struct pushed *s = wait_for_stream(&f.stage, 0);
    for (int i = 0; i < 30000 && !pushed_gone(s); i++)
        clock_sleep(NS_PER_MS);
    assert_true(pushed_gone(s));
    assert_false(pushed_write(s, STR("x")));
    end(&f);
}

TEST(a_slow_reader_is_cut_off_rather_than_waited_for)
{
    struct fixture f;
    static struct watcher w;
    char piece[KIB];
    bool ok = true;

    begin(&f);
    memset(piece, 'x', sizeof(piece));
    struct http_streams *streams = http_streams_new(f.client);
    watch(&f, streams, &w);
    struct pushed *s = wait_for_stream(&f.stage, 0);
    wait_until(&w.lines, 1);
    /* A line longer than the client takes ends the stream on its side. */
    for (int i = 0; i < 100000 && ok; i++) {
        ok = pushed_write(s, str_of(piece, sizeof(piece)));
        clock_sleep(NS_PER_MS / 10);
    }
    assert_false(ok);
    wait_until(&w.ends, 1);
    assert_int_equal(w.kind, ERR_LIMIT);
    http_streams_free(streams);
    unwatch(&w);
    end(&f);
}

TEST(addresses_and_ports_that_cannot_be_are_errors)
{
    AUTO_ERR e = {0};
    struct fixture f;
    struct server *other;

    begin(&f);
    struct server_config config = {.handle = handle, .port = server_port(f.server)};
    assert_false(server_start(&config, &other, &e));
    assert_true(str_contains(e.text, STR("address already in use")));
    config = (struct server_config){.handle = handle, .address = STR("localhost")};
    assert_false(server_start(&config, &other, &e));
    assert_int_equal(e.kind, ERR_INVALID);
    end(&f);
}

RUN_TESTS(cmocka_unit_test(routes_lead_to_handlers),
          cmocka_unit_test(bodies_over_the_limit_are_refused),
          cmocka_unit_test(targets_over_the_limits_are_answered_at_once),
          cmocka_unit_test(every_parameter_of_a_long_query_is_read),
          cmocka_unit_test(an_answer_may_come_later_from_another_thread),
          cmocka_unit_test(stopping_cuts_what_is_not_answered_and_a_late_answer_is_harmless),
          cmocka_unit_test(answers_may_come_before_during_and_after_the_stop),
          cmocka_unit_test(one_thread_follows_many_streams),
          cmocka_unit_test(a_stream_can_be_stopped_and_a_broken_one_says_so),
          cmocka_unit_test(a_stream_that_cannot_begin_ends_with_an_error),
          cmocka_unit_test(a_client_that_leaves_is_noticed),
          cmocka_unit_test(a_slow_reader_is_cut_off_rather_than_waited_for),
          cmocka_unit_test(addresses_and_ports_that_cannot_be_are_errors))
