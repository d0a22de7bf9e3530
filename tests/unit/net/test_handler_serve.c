/* SPDX-License-Identifier: Apache-2.0 */
/* test_handler_serve.c - a handler behind a socket: answers now and later, streams that are pulled.
 */
#include "../test.h"

#include "net/server/handler_serve.h"
#include "net/http/http.h"

#include <stdatomic.h>

/* A stream that counts to its limit, one line for each tick of the test. */
struct counter {
    struct handler_stream stream;
    struct stage *stage;
    void (*wake)(void *ctx);
    void *wake_ctx;
    unsigned next;
};

struct stage {
    struct server *server;
    struct http_client *client;
    struct handler handler;
    struct lock lock;
    unsigned ticks; /* lines that may be given */
    struct counter *counter;
    struct handler_call *later;
    _Atomic unsigned closed;
};

static enum handler_pull pull(struct handler_stream *stream, struct buf *out, size_t enough)
{
    struct counter *c = (struct counter *)stream;
    AUTO_LOCK guard = lock_take(&c->stage->lock);

    (void)enough;
    if (c->next == 3)
        return HANDLER_PULL_END;
    if (c->next == c->stage->ticks)
        return HANDLER_PULL_WAIT;
    buf_fmt(out, "line %u\n", c->next++);
    return HANDLER_PULL_MORE;
}

static void close_counter(struct handler_stream *stream)
{
    struct counter *c = (struct counter *)stream;
    struct stage *s = c->stage;

    {
        AUTO_LOCK guard = lock_take(&s->lock);
        s->counter = NULL;
    }
    block_free(c);
    s->closed++;
}

static void attach(struct handler_stream *stream, void (*wake)(void *ctx), void *ctx)
{
    struct counter *c = (struct counter *)stream;
    AUTO_LOCK guard = lock_take(&c->stage->lock);

    c->wake = wake;
    c->wake_ctx = ctx;
}

static const struct handler_stream_kind counter_kind = {attach, pull, close_counter};

static void begin_counting(struct stage *s, struct handler_call *call)
{
    struct counter *c = block_new(sizeof *c);

    *c = (struct counter){.stream.kind = &counter_kind, .stage = s};
    {
        AUTO_LOCK guard = lock_take(&s->lock);
        s->counter = c;
    }
    handler_begin_stream(call, 200, STR("text/plain"), &c->stream);
}

static void answer(void *ctx, struct handler_call *c)
{
    struct stage *s = ctx;

    if (str_eq(c->path, STR("/drop")))
        handler_drop(c);
    else if (str_eq(c->path, STR("/count")))
        begin_counting(s, c);
    else if (str_eq(c->path, STR("/later"))) {
        AUTO_LOCK guard = lock_take(&s->lock);
        s->later = c;
    } else {
        handler_add_header(c, STR("X-Seen"), handler_header(c, STR("X-Asked")));
        str name = handler_query(c, STR("name"));
        handler_reply(c, 201, STR("text/plain"),
                      str_fmt(c->arena, "%.*s %.*s %.*s %.*s", STR_ARG(c->method), STR_ARG(c->path),
                              STR_ARG(name), STR_ARG(c->body)));
    }
}

static void begin(struct stage *s)
{
    struct http_config config = http_defaults();
    AUTO_ERR e = {0};

    *s = (struct stage){.lock = LOCK_INIT};
    s->handler = (struct handler){answer, s};
    struct server_config server = {.handle = handler_serve, .ctx = &s->handler};
    assert_ok(server_start(&server, &s->server, &e), &e);
    config.no_proxy = true;
    assert_ok(http_client_new(&config, &s->client, &e), &e);
}

static void end(struct stage *s)
{
    http_client_free(s->client);
    server_stop(s->server, NS_PER_SEC);
}

static bool ask(struct stage *s, struct arena *a, const char *path, struct http_request request,
                struct http_response *response)
{
    AUTO_ERR e = {0};

    request.url = str_fmt(a, "%.*s%s", STR_ARG(server_url(s->server)), path);
    return http_send(s->client, a, &request, response, &e);
}

TEST(a_call_has_the_whole_request_and_its_answer_the_whole_reply)
{
    AUTO_ARENA a = arena_new();
    struct stage s;
    struct http_response response;
    struct http_request request = {.method = STR("PUT"), .body = STR("text")};

    begin(&s);
    http_header_add(a, &request.headers, STR("X-Asked"), STR("yes"));
    assert_true(ask(&s, a, "/a%20b?name=x%2By", request, &response));
    assert_int_equal(response.status, 201);
    assert_str(response.body, STR("PUT /a b x+y text"));
    assert_str(http_header_get(&response.headers, STR("X-Seen")), STR("yes"));
    assert_str(http_header_get(&response.headers, STR("Content-Type")), STR("text/plain"));
    assert_false(ask(&s, a, "/drop", (struct http_request){0}, &response));
    end(&s);
}

static void *answer_later(void *ctx)
{
    struct stage *s = ctx;
    struct handler_call *c = NULL;

    while (!c) {
        AUTO_LOCK guard = lock_take(&s->lock);
        c = s->later;
    }
    handler_reply(c, 200, STR_NONE, STR("at last"));
    return NULL;
}

TEST(an_answer_may_come_later_from_another_thread)
{
    AUTO_ARENA a = arena_new();
    struct stage s;
    struct http_response response;
    pthread_t thread;

    begin(&s);
    assert_int_equal(pthread_create(&thread, NULL, answer_later, &s), 0);
    assert_true(ask(&s, a, "/later", (struct http_request){0}, &response));
    assert_str(response.body, STR("at last"));
    pthread_join(thread, NULL);
    end(&s);
}

/* Each piece that comes allows the next one, and wakes the stream. */
static bool next_tick(void *ctx, const struct http_response *so_far, str piece, struct err *e)
{
    struct stage *s = ctx;
    AUTO_LOCK guard = lock_take(&s->lock);

    (void)so_far, (void)piece, (void)e;
    s->ticks++;
    if (s->counter && s->counter->wake)
        s->counter->wake(s->counter->wake_ctx);
    return true;
}

TEST(a_stream_is_pulled_as_its_client_reads_and_closed_at_its_end)
{
    AUTO_ARENA a = arena_new();
    struct stage s;
    struct http_response response;
    struct http_request request = {.on_body = next_tick, .ctx = &s};

    begin(&s);
    s.ticks = 1;
    assert_true(ask(&s, a, "/count", request, &response));
    assert_int_equal(response.status, 200);
    assert_int_equal(s.ticks, 4);
    end(&s);
    assert_int_equal(s.closed, 1);
}

static bool enough(void *ctx, const struct http_response *so_far, str piece, struct err *e)
{
    (void)ctx, (void)so_far, (void)piece, (void)e;
    return false;
}

TEST(a_stream_is_closed_when_its_client_leaves_or_the_server_stops)
{
    AUTO_ARENA a = arena_new();
    struct stage s;
    struct http_response response;
    struct http_request request = {.on_body = enough, .ctx = &s};

    begin(&s);
    s.ticks = 1;
    assert_true(ask(&s, a, "/count", request, &response));
    end(&s);
    assert_int_equal(s.closed, 1);
}

RUN_TESTS(cmocka_unit_test(a_call_has_the_whole_request_and_its_answer_the_whole_reply),
          cmocka_unit_test(an_answer_may_come_later_from_another_thread),
          cmocka_unit_test(a_stream_is_pulled_as_its_client_reads_and_closed_at_its_end),
          cmocka_unit_test(a_stream_is_closed_when_its_client_leaves_or_the_server_stops))
