/* SPDX-License-Identifier: Apache-2.0 */
/* test_local.c - requests answered by a handler in this process, with every kind of client. */
#include "../test.h"

#include "net/handler.h"
#include "net/http/pull.h"
#include "net/http/streams.h"
#include "net/tape/tape.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- A handler: echoes, keeps calls for later, drops, streams numbers. ---- */

struct numbers {
    struct handler_stream stream;
    struct stage *stage;
    unsigned next;
};

struct stage {
    struct handler handler;
    struct http_config config;
    struct http_client *client;
    struct handler_call *kept;
    /* Of the stream: how many there are so far, where it ends, whom to wake. */
    unsigned limit, last;
    bool broken;
    void (*wake)(void *ctx);
    void *wake_ctx;
    unsigned open;
};

static void attach(struct handler_stream *s, void (*wake)(void *ctx), void *ctx)
{
    struct stage *stage = ((struct numbers *)s)->stage;

    stage->wake = wake;
    stage->wake_ctx = ctx;
}

static enum handler_pull pull(struct handler_stream *s, struct buf *out, size_t enough)
{
    struct numbers *n = (struct numbers *)s;
    size_t begin = out->len;

    while (n->next < n->stage->limit && out->len - begin < enough)
        buf_fmt(out, "%u\n", n->next++);
    if (out->len > begin)
        return HANDLER_PULL_MORE;
    if (n->next < n->stage->last)
        return HANDLER_PULL_WAIT;
    return n->stage->broken ? HANDLER_PULL_BROKEN : HANDLER_PULL_END;
}

static void close_numbers(struct handler_stream *s)
{
    ((struct numbers *)s)->stage->open--;
    block_free(s);
}

static void echo(struct handler_call *c)
{
    str agent = handler_header(c, STR("User-Agent"));

    handler_add_header(c, STR("X-Base"), c->base);
    handler_reply(c, 201, STR("text/plain"),
                  str_fmt(c->arena, "%.*s %.*s [%.*s] %.*s %.*s", STR_ARG(c->method),
                          STR_ARG(c->path), STR_ARG(c->query), STR_ARG(agent), STR_ARG(c->body)));
}

static void answer(void *ctx, struct handler_call *c)
{
    static const struct handler_stream_kind kind = {attach, pull, close_numbers};
    struct stage *s = ctx;

    if (str_eq(c->path, STR("/later"))) {
        s->kept = c;
    } else if (str_eq(c->path, STR("/drop"))) {
        handler_drop(c);
    } else if (str_eq(c->path, STR("/numbers"))) {
        struct numbers *n = block_new(sizeof(*n));
        *n = (struct numbers){.stream = {&kind}, .stage = s};
        s->open++;
        handler_begin_stream(c, 200, STR("text/plain"), &n->stream);
    } else {
        echo(c);
    }
}

static void begin(struct stage *s, struct tape *tape)
{
    AUTO_ERR e = {0};

    *s = (struct stage){.handler = {answer, s}, .config = http_defaults()};
    s->config.local = &s->handler;
    s->config.tape = tape;
    s->config.user_agent = STR("me");
    s->config.body_max = 1000;
    assert_ok(http_client_new(&s->config, &s->client, &e), &e);
}

static void end(struct stage *s)
{
    http_client_free(s->client);
    assert_int_equal(s->open, 0);
    clock_real();
}

/* ---- Plain requests. ---- */

TEST(a_request_reaches_the_handler_as_it_would_over_a_socket)
{
    static const struct {
        const char *method, *url, *body, *want;
        int status;
        enum http_failure failure;
    } cases[] = {
        {"GET", "http://h:8/a%20b?x=%41&y", "", "GET /a b [x=%41&y] me ", 201, HTTP_FAILURE_NONE},
        {"", "https://h", "", "GET / [] me ", 201, HTTP_FAILURE_NONE},
        {"PUT", "http://h/x", "data", "PUT /x [] me data", 201, HTTP_FAILURE_NONE},
        {"HEAD", "http://h/x", "", "", 201, HTTP_FAILURE_NONE},
        {"GET", "http://h/drop", "", "", 0, HTTP_FAILURE_RESET},
        {"GET", "/x", "", "", 0, HTTP_FAILURE_CONFIG},
        {"GET", "http://h/%zz", "", "", 0, HTTP_FAILURE_CONFIG},
        {"GET", "http://h/numbers", "", "", 200, HTTP_FAILURE_TOO_LARGE},
    };
    struct stage s;

    begin(&s, NULL);
    s.limit = s.last = 1000;
    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct http_request r = {.method = str_c(cases[i].method),
                                 .url = str_c(cases[i].url),
                                 .body = str_c(cases[i].body)};
        struct http_response response;
        bool ok = http_send(s.client, a, &r, &response, &e);
        assert_int_equal(ok, !cases[i].failure);
        assert_int_equal(response.status, cases[i].status);
        assert_int_equal(response.failure, cases[i].failure);
        if (ok) {
            assert_str(response.body, str_c(cases[i].want));
            assert_true(
                str_has_prefix(http_header_get(&response.headers, STR("x-base")), STR("http")));
        }
    }
    end(&s);
}

static bool sum(void *ctx, const struct http_response *so_far, str piece, struct err *e)
{
    (void)e;
    assert_int_equal(so_far->status, 200);
    for (size_t i = 0; i < piece.len; i++)
        *(unsigned *)ctx += piece.ptr[i] == '\n';
    return *(unsigned *)ctx < 100000;
}

TEST(a_stream_is_pulled_to_its_end_or_until_the_caller_has_enough)
{
    static const struct {
        unsigned last, want;
        bool broken, ok;
    } cases[] = {
        {50000, 50000, false, true}, {50000, 50000, true, false}, {300000, 0, false, true}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct stage s;
        struct http_response response;
        unsigned lines = 0;
        begin(&s, NULL);
        s.limit = s.last = cases[i].last;
        s.broken = cases[i].broken;
        struct http_request r = {.url = STR("http://h/numbers"), .on_body = sum, .ctx = &lines};
        assert_int_equal(http_send(s.client, a, &r, &response, &e), cases[i].ok);
        assert_true(cases[i].want ? lines == cases[i].want : lines < cases[i].last);
        end(&s);
    }
}

/* ---- Answers that come later. ---- */

static void *answer_later(void *ctx)
{
    struct stage *s = ctx;

    echo(s->kept);
    return NULL;
}

/* Keeps the call and answers from another thread. */
static void answer_by_thread(void *ctx, struct handler_call *c)
{
    struct stage *s = ctx;
    pthread_t t;

    s->kept = c;
    assert_int_equal(pthread_create(&t, NULL, answer_later, s), 0);
    pthread_detach(t);
}

TEST(an_answer_may_come_later_from_another_thread)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct stage s;
    struct http_response response;

    begin(&s, NULL);
    s.handler.answer = answer_by_thread;
    for (int i = 0; i < 200; i++) {
        struct http_request r = {.url = STR("http://h/x")};
        assert_ok(http_send(s.client, a, &r, &response, &e), &e);
        assert_str(response.body, STR("GET /x [] me "));
    }
    end(&s);
}

TEST(an_answer_that_nobody_waits_for_any_more_is_dropped)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct stage s;
    struct http_response response;
    struct http_cancel *cancel = http_cancel_new();

    begin(&s, NULL);
    http_cancel_raise(cancel);
    struct http_request r = {.url = STR("http://h/later"), .cancel = cancel};
    assert_false(http_send(s.client, a, &r, &response, &e));
    assert_int_equal(e.kind, ERR_CANCELLED);
    echo(s.kept);
    http_cancel_free(cancel);
    end(&s);
}

/* ---- Pulled by the reader. ---- */

TEST(a_body_is_read_like_a_file)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct stage s;
    struct http_response response;
    struct http_pull *p;
    char block[5000];
    size_t got, all = 0;

    begin(&s, NULL);
    s.limit = s.last = 100000;
    struct http_request r = {.url = STR("http://h/numbers")};
    assert_ok(http_pull_open(s.client, a, &r, &response, &p, &e), &e);
    while (assert_ok(http_pull_read(p, block, sizeof(block), &got, &e), &e), got)
        all += got;
    assert_int_equal(all, 588890);
    http_pull_close(p);
    assert_ok(http_pull_open(s.client, a, &r, &response, &p, &e), &e);
    http_pull_close(p);
    r.url = STR("http://h/drop");
    assert_false(http_pull_open(s.client, a, &r, &response, &p, &e));
    end(&s);
}

/* ---- Tapes. ---- */

TEST(a_tape_records_and_replays_what_a_handler_answered)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct stage s;
    struct http_response response;
    struct tape *tape;
    char path[] = "/tmp/plumb-local-XXXXXX";
    struct http_request r = {.url = STR("http://h/x?y"), .body = STR("b"), .method = STR("PUT")};

    close(mkstemp(path));
    assert_ok(tape_record(str_c(path), &tape, &e), &e);
    begin(&s, tape);
    assert_ok(http_send(s.client, a, &r, &response, &e), &e);
    end(&s);
    assert_ok(tape_close(tape, &e), &e);
    assert_ok(tape_replay(str_c(path), &tape, &e), &e);
    begin(&s, tape);
    s.handler.answer = NULL;
    assert_ok(http_send(s.client, a, &r, &response, &e), &e);
    assert_int_equal(response.status, 201);
    assert_str(response.body, STR("PUT /x [y] me b"));
    end(&s);
    assert_ok(tape_close(tape, &e), &e);
    unlink(path);
}

/* ---- Many at once, by a thread and driven. ---- */

struct outcome {
    struct lock lock;
    unsigned heads, lines, ends, failures;
    enum err_kind kind;
};

static bool count_lines(void *ctx, const struct http_response *so_far, str piece, struct err *e)
{
    struct outcome *o = ctx;
    AUTO_LOCK guard = lock_take(&o->lock);

    (void)so_far;
    (void)e;
    for (size_t i = 0; i < piece.len; i++)
        o->lines += piece.ptr[i] == '\n';
    return true;
}

static void on_head(void *ctx, const struct http_response *response)
{
    struct outcome *o = ctx;
    AUTO_LOCK guard = lock_take(&o->lock);

    o->heads += response->status == 200;
}

static void on_end(void *ctx, const struct http_response *response, const struct err *failure)
{
    struct outcome *o = ctx;
    AUTO_LOCK guard = lock_take(&o->lock);

    (void)response;
    o->ends++;
    o->failures += failure != NULL;
    o->kind = failure ? failure->kind : ERR_NONE;
}

static struct http_stream stream_of(struct outcome *o, const char *url)
{
    return (struct http_stream){.request = {.url = str_c(url), .on_body = count_lines, .ctx = o},
                                .on_head = on_head,
                                .on_end = on_end};
}

TEST(streams_end_on_their_thread)
{
    struct outcome o = {.lock = LOCK_INIT};
    struct stage s;

    begin(&s, NULL);
    s.limit = s.last = 100000;
    struct http_streams *streams = http_streams_new(s.client);
    struct http_stream spec = stream_of(&o, "http://h/numbers");
    for (int i = 0; i < 10; i++)
        http_streams_start(streams, &spec);
    while (http_streams_count(streams))
        sched_yield();
    http_streams_free(streams);
    assert_int_equal(o.ends, 10);
    assert_int_equal(o.heads, 10);
    assert_int_equal(o.failures, 0);
    assert_int_equal(o.lines, 1000000);
    end(&s);
}

TEST(driven_streams_move_by_steps_alone)
{
    struct outcome o = {.lock = LOCK_INIT};
    struct stage s;
    int64_t now = 1000 * NS_PER_SEC;

    clock_drive(now);
    begin(&s, NULL);
    s.limit = 10;
    s.last = 20;
    struct http_streams *streams = http_streams_new(s.client);
    struct http_stream spec = stream_of(&o, "http://h/numbers");
    spec.request.timeout = 60 * NS_PER_SEC;
    spec.request.idle_timeout = -1;
    http_streams_start(streams, &spec);
    assert_int_equal(o.heads, 0);
    assert_true(http_streams_step(streams) == now + 60 * NS_PER_SEC + 1);
    assert_int_equal(o.lines, 10);
    s.limit = 15;
    (void)http_streams_step(streams);
    assert_int_equal(o.lines, 10);
    s.wake(s.wake_ctx);
    (void)http_streams_step(streams);
    assert_int_equal(o.lines, 15);
    assert_int_equal(o.ends, 0);
    /* Its time is over, by the time of the driver. */
    clock_drive(now + 60 * NS_PER_SEC + 1);
    assert_true(http_streams_step(streams) == INT64_MAX);
    assert_int_equal(o.ends, 1);
    assert_int_equal(o.kind, ERR_IO);
    /* One that is never answered ends with the streams, and is answered too late. */
    struct http_stream later = stream_of(&o, "http://h/later");
    http_streams_start(streams, &later);
    (void)http_streams_step(streams);
    http_streams_free(streams);
    assert_int_equal(o.ends, 2);
    assert_int_equal(o.kind, ERR_CANCELLED);
    echo(s.kept);
    end(&s);
}

/* Whether fn ends the process by an assertion. */
static bool aborts(void (*fn)(void))
{
    int status;
    pid_t pid = fork();

    if (!pid) {
        close(2);
        signal(SIGABRT, SIG_DFL);
        clock_drive(1);
        fn();
        _exit(0);
    }
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void sleep_a_bit(void)
{
    clock_sleep(1);
}

static void wait_a_bit(void)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;

    pthread_mutex_lock(&m);
    clock_wait(&c, &m, 1);
}

static void wait_for_an_answer(void)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct stage s;
    struct http_response response;

    begin(&s, NULL);
    struct http_request r = {.url = STR("http://h/later")};
    assert_false(http_send(s.client, a, &r, &response, &e));
}

TEST(whoever_waits_in_driven_mode_aborts)
{
    assert_true(aborts(sleep_a_bit));
    assert_true(aborts(wait_a_bit));
    assert_true(aborts(wait_for_an_answer));
}

RUN_TESTS(cmocka_unit_test(a_request_reaches_the_handler_as_it_would_over_a_socket),
          cmocka_unit_test(a_stream_is_pulled_to_its_end_or_until_the_caller_has_enough),
          cmocka_unit_test(an_answer_may_come_later_from_another_thread),
          cmocka_unit_test(an_answer_that_nobody_waits_for_any_more_is_dropped),
          cmocka_unit_test(a_body_is_read_like_a_file),
          cmocka_unit_test(a_tape_records_and_replays_what_a_handler_answered),
          cmocka_unit_test(streams_end_on_their_thread),
          cmocka_unit_test(driven_streams_move_by_steps_alone),
          cmocka_unit_test(whoever_waits_in_driven_mode_aborts))
