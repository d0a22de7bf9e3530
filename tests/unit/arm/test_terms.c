/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_terms.c - calls of a term that has ended are not sent, wherever they wait in the pipe: for a
 * token, their turn, a retry, a provider or a connection.
 */
#include "../test.h"

#include "arm/pipe.h"
#include "net/handler.h"

#define START (INT64_C(1800000000) * NS_PER_SEC)
#define SUBSCRIPTION "00000000-0000-4000-8000-000000000001"

struct stage {
    struct arena *a;
    struct handler azure;
    struct handler_call *held; /* a token that is not given yet */
    bool hold_token;
    unsigned tokens, sent; /* requests: for tokens, and all others */
    int status;            /* of the next answers */
    str retry_after, body;
    bool leads;
    struct credential *credential;
    struct arm_gate *gate;
    struct arm *arm;
    struct arm_pipe *pipe;
};

static void give_token(struct handler_call *c)
{
    handler_reply(c, 200, STR("application/json"),
                  STR("{\"access_token\":\"t\",\"expires_in\":3600,\"token_type\":\"Bearer\"}"));
}

static void answer(void *ctx, struct handler_call *c)
{
    struct stage *s = ctx;

    if (str_contains(c->path, STR("/oauth2/"))) {
        s->tokens++;
        s->held = c;
        if (!s->hold_token)
            give_token(c);
        return;
    }
    s->sent++;
    if (!str_eq(c->method, STR("PUT"))) {
        handler_reply(c, 200, STR("application/json"),
                      STR("{\"registrationState\":\"Registering\"}"));
        return;
    }
    if (s->retry_after.len)
        handler_add_header(c, STR("Retry-After"), s->retry_after);
    handler_reply(c, s->status, STR("application/json"), s->body);
}

static bool leads(void *ctx)
{
    return ((struct stage *)ctx)->leads;
}

static void begin(struct stage *s, unsigned connections)
{
    AUTO_ERR e = {0};
    struct http_config http = http_defaults();
    const struct budget_limits limits = budget_published();
    const struct credential_settings settings = {
        .kind = CREDENTIAL_SECRET,
        .subscription = STR(SUBSCRIPTION),
        .tenant = STR("tenant"),
        .client = STR("client"),
        .secret = STR("secret"),
        .cloud = {.endpoint = STR("http://management.local"),
                  .audience = STR("http://management.local"),
                  .authority = STR("http://management.local/")}};

    clock_drive(START);
    *s = (struct stage){
        .a = arena_new(), .azure = {answer, s}, .status = 200, .body = STR("{}"), .leads = true};
    http.local = &s->azure;
    s->gate = arm_gate_new(&limits);
    assert_ok(credential_new(&settings, &s->credential, &e), &e);
    s->arm = arm_new(&(struct arm_config){.credential = s->credential, .gate = s->gate});
    const struct arm_pipe_config pipe = {
        .gate = s->gate, .http = &http, .connections = connections, .leads = leads, .ctx = s};
    assert_ok(arm_pipe_new(&pipe, &s->pipe, &e), &e);
}

static void end(struct stage *s)
{
    arm_pipe_free(s->pipe);
    arm_free(s->arm);
    credential_free(s->credential);
    arm_gate_free(s->gate);
    arena_free(s->a);
    clock_real();
}

static void put(struct stage *s, uint64_t term)
{
    AUTO_ERR e = {0};
    const struct arm_call call = {
        .method = STR("PUT"),
        .id = STR("/subscriptions/" SUBSCRIPTION "/resourceGroups/g/providers/Test.Lro/none/x"),
        .api_version = STR("2024-03-01"),
        .namespace = STR("default"),
        .body = STR("{}"),
        .term = term};

    assert_ok(arm_pipe_start(s->pipe, s->arm, &call, s, &e), &e);
}

/* What is done now; ERR_NONE is also the answer when nothing is, which counts tells. */
static enum err_kind take(struct stage *s, unsigned *count)
{
    int64_t due;
    struct arm_done *d = arm_pipe_step(s->pipe, &due);
    enum err_kind kind;

    if (!d)
        return ERR_NONE;
    kind = d->failure.kind;
    assert_true(d->ok == (kind == ERR_NONE));
    assert_true(kind != ERR_CANCELLED || d->result.status == 0);
    assert_str(d->call.method, STR("PUT"));
    arm_pipe_release(s->pipe, d);
    ++*count;
    return kind;
}

static void expect_nothing(struct stage *s)
{
    unsigned count = 0;

    (void)take(s, &count);
    assert_int_equal(count, 0);
}

static void expect(struct stage *s, enum err_kind kind)
{
    unsigned count = 0;

    assert_int_equal(take(s, &count), kind);
    assert_int_equal(count, 1);
}

/* Whatever time passes: nobody comes back. */
static void expect_end(struct stage *s, unsigned sent)
{
    int64_t due;

    for (int i = 0; i < 100; i++) {
        clock_drive(clock_mono() + 60 * NS_PER_SEC);
        assert_null(arm_pipe_step(s->pipe, &due));
    }
    assert_int_equal(arm_pipe_stats(s->pipe).unreleased, 0);
    assert_int_equal(s->sent, sent);
}

TEST(between_two_tries)
{
    struct stage s;

    begin(&s, 0);
    s.status = 503;
    put(&s, 1);
    put(&s, 2);
    expect_nothing(&s);
    assert_int_equal(arm_pipe_stats(s.pipe).retrying, 2);
    arm_pipe_cancel(s.pipe, 1);
    s.status = 200;
    expect(&s, ERR_CANCELLED);
    expect_nothing(&s);
    assert_int_equal(s.sent, 2);
    /* The other one goes on, and the term does not begin again. */
    clock_drive(clock_mono() + 60 * NS_PER_SEC);
    expect(&s, ERR_NONE);
    put(&s, 1);
    expect(&s, ERR_CANCELLED);
    expect_end(&s, 3);
    end(&s);
}

TEST(at_the_gate)
{
    struct stage s;

    begin(&s, 0);
    s.status = 429;
    s.retry_after = STR("600");
    put(&s, 1);
    expect_nothing(&s);
    put(&s, 1);
    expect_nothing(&s);
    assert_int_equal(arm_pipe_stats(s.pipe).waiting, 2);
    s.status = 200;
    arm_pipe_cancel(s.pipe, 1);
    expect(&s, ERR_CANCELLED);
    expect(&s, ERR_CANCELLED);
    expect_end(&s, 1);
    end(&s);
}

TEST(for_a_token)
{
    struct stage s;

    begin(&s, 0);
    s.hold_token = true;
    put(&s, 1); /* fetches it */
    put(&s, 1);
    expect_nothing(&s);
    assert_int_equal(s.tokens, 1);
    arm_pipe_cancel(s.pipe, 1);
    expect(&s, ERR_CANCELLED);
    /* The token is for everybody, so it is waited for. */
    expect_nothing(&s);
    give_token(s.held);
    expect(&s, ERR_CANCELLED);
    put(&s, 2);
    expect(&s, ERR_NONE);
    assert_int_equal(s.tokens, 1);
    expect_end(&s, 1);
    end(&s);
}

TEST(for_a_provider)
{
    struct stage s;

    begin(&s, 0);
    s.status = 409;
    s.body = STR("{\"error\":{\"code\":\"MissingSubscriptionRegistration\",\"message\":\"The "
                 "subscription is not registered to use namespace 'Test.Lro'.\"}}");
    put(&s, 1);
    expect_nothing(&s);
    assert_int_equal(arm_pipe_stats(s.pipe).retrying, 1);
    assert_int_equal(s.sent, 2);
    arm_pipe_cancel(s.pipe, 1);
    expect(&s, ERR_CANCELLED);
    expect_end(&s, 2);
    end(&s);
}

/* A process that was suspended has not heard yet that it leads no longer. */
TEST(before_anybody_has_said_so)
{
    struct stage s;

    begin(&s, 0);
    s.status = 503;
    put(&s, 1);
    expect_nothing(&s);
    s.leads = false;
    s.status = 200;
    clock_drive(clock_mono() + 60 * NS_PER_SEC);
    expect(&s, ERR_CANCELLED);
    put(&s, TERM_NONE);
    expect(&s, ERR_NONE);
    expect_end(&s, 2);
    end(&s);
}

/* The end of all, tokens included: who stops does not wait for anybody. */
TEST(at_the_end_of_all_terms)
{
    struct stage s;

    begin(&s, 0);
    put(&s, TERM_NONE);
    expect(&s, ERR_NONE);
    s.status = 503;
    put(&s, TERM_NONE);
    expect_nothing(&s);
    arm_pipe_cancel(s.pipe, 7);
    expect_nothing(&s);
    arm_pipe_cancel(s.pipe, TERM_ALL);
    expect(&s, ERR_CANCELLED);
    expect_end(&s, 2);
    end(&s);
}

RUN_TESTS(cmocka_unit_test(between_two_tries), cmocka_unit_test(at_the_gate),
          cmocka_unit_test(for_a_token), cmocka_unit_test(for_a_provider),
          cmocka_unit_test(before_anybody_has_said_so), cmocka_unit_test(at_the_end_of_all_terms))
