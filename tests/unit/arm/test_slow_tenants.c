/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_slow_tenants.c - one pipe, a thousand credentials: tenants that take a minute for a token
 * and providers that take a minute to register delay only their own calls. Driven time.
 */
#include "../test.h"

#include "arm/pipe.h"
#include "net/handler.h"

#define START (INT64_C(1800000000) * NS_PER_SEC)
#define MINUTE (60 * NS_PER_SEC)

enum { CREDENTIALS = 1000, SLOW = 10, UNREGISTERED = 10 };

struct world {
    struct arena *a;
    struct handler handler;
    struct handler_call *held[SLOW]; /* requests for tokens of slow tenants */
    unsigned held_count, tokens, registrations;
    struct http_config http;
    struct arm_gate *gate;
    struct arm_pipe *pipe;
    struct credential *credentials[CREDENTIALS];
    struct arm *arms[CREDENTIALS];
    int64_t ended[CREDENTIALS];
    bool ok[CREDENTIALS];
};

static void give_token(struct handler_call *c)
{
    handler_reply(c, 200, STR("application/json"),
                  STR("{\"access_token\":\"t\",\"expires_in\":3600}"));
}

static void answer_token(struct world *w, struct handler_call *c)
{
    w->tokens++;
    if (str_has_prefix(c->path, STR("/slow")))
        w->held[w->held_count++] = c;
    else
        give_token(c);
}

/* Unregistered until a minute after the start. */
static void answer_provider(struct world *w, struct handler_call *c)
{
    bool registered = clock_mono() >= START + MINUTE;

    w->registrations += str_eq(c->method, STR("POST"));
    handler_reply(c, 200, STR("application/json"),
                  registered ? STR("{\"registrationState\":\"Registered\"}")
                             : STR("{\"registrationState\":\"Registering\"}"));
}

static void answer(void *ctx, struct handler_call *c)
{
    struct world *w = ctx;

    if (str_has_suffix(c->path, STR("/oauth2/v2.0/token")))
        answer_token(w, c);
    else if (str_contains(c->path, STR("/resourceGroups/")) &&
             str_contains(c->path, STR("Microsoft.New")) && clock_mono() < START + MINUTE)
        handler_reply(c, 409, STR("application/json"),
                      STR("{\"error\":{\"code\":\"MissingSubscriptionRegistration\",\"message\":"
                          "\"The subscription is not registered to use namespace "
                          "'Microsoft.New'\",\"details\":[{\"code\":"
                          "\"MissingSubscriptionRegistration\",\"target\":\"Microsoft.New\"}]}}"));
    else if (str_contains(c->path, STR("/resourceGroups/")))
        handler_reply(c, 200, STR("application/json"), STR("{}"));
    else
        answer_provider(w, c);
}

static bool is_slow(unsigned i)
{
    return i % (CREDENTIALS / SLOW) == 0;
}

static bool is_new(unsigned i)
{
    return i % (CREDENTIALS / UNREGISTERED) == 1;
}

static void open_credential(struct world *w, unsigned i)
{
    AUTO_ERR e = {0};
    const struct credential_settings settings = {
        .kind = CREDENTIAL_SECRET,
        .subscription = str_fmt(w->a, "sub-%u", i),
        .tenant = str_fmt(w->a, "%s-%u", is_slow(i) ? "slow" : "tenant", i),
        .client = STR("client"),
        .secret = STR("planted-secret"),
        .cloud = {STR("http://management.local"), STR("https://management.core.windows.net/"),
                  STR("http://login.local/")}};

    assert_ok(credential_new(&settings, &w->credentials[i], &e), &e);
    const struct arm_config config = {.credential = w->credentials[i], .gate = w->gate};
    w->arms[i] = arm_new(&config);
}

static void begin(struct world *w)
{
    const struct budget_limits limits = budget_published();
    AUTO_ERR e = {0};

    clock_drive(START);
    *w = (struct world){.a = arena_new(), .handler = {answer, w}, .http = http_defaults()};
    w->http.local = &w->handler;
    w->gate = arm_gate_new(&limits);
    const struct arm_pipe_config config = {.gate = w->gate, .http = &w->http};
    assert_ok(arm_pipe_new(&config, &w->pipe, &e), &e);
    for (unsigned i = 0; i < CREDENTIALS; i++)
        open_credential(w, i);
}

static void end(struct world *w)
{
    arm_pipe_free(w->pipe);
    for (unsigned i = 0; i < CREDENTIALS; i++) {
        arm_free(w->arms[i]);
        credential_free(w->credentials[i]);
    }
    for (unsigned i = 0; i < w->held_count; i++)
        if (w->held[i])
            give_token(w->held[i]);
    arm_gate_free(w->gate);
    arena_free(w->a);
    clock_real();
}

/* Two calls of each credential. */
static void start_all(struct world *w)
{
    AUTO_ERR e = {0};

    for (unsigned i = 0; i < 2 * CREDENTIALS; i++) {
        unsigned k = i % CREDENTIALS;
        const struct arm_call call = {
            .method = STR("PUT"),
            .id = str_fmt(w->a, "/subscriptions/sub-%u/resourceGroups/g/providers/%s/things/x", k,
                          is_new(k) ? "Microsoft.New" : "Microsoft.Old"),
            .api_version = STR("1"),
            .body = STR("{}")};
        assert_ok(arm_pipe_start(w->pipe, w->arms[k], &call, &w->ended[k], &e), &e);
    }
}

static int64_t take_done(struct world *w)
{
    struct arm_done *d;
    int64_t due;

    while ((d = arm_pipe_step(w->pipe, &due))) {
        int64_t *ended = d->ctx;
        *ended = clock_mono();
        w->ok[ended - w->ended] = d->ok;
        arm_pipe_release(w->pipe, d);
    }
    return due;
}

static void answer_held(struct world *w)
{
    for (unsigned i = 0; i < w->held_count; i++)
        give_token(w->held[i]);
    w->held_count = 0;
}

/* Until nothing is left; the slow tenants answer after so long. */
static void run(struct world *w, int64_t slow)
{
    int64_t due;

    start_all(w);
    while ((due = take_done(w)) != INT64_MAX) {
        int64_t held = w->held_count ? START + slow : INT64_MAX;
        clock_drive(due < held ? due : held);
        if (clock_mono() >= START + slow)
            answer_held(w);
    }
}

static struct world w;

static void check(bool slow_ok, int64_t slow_end)
{
    for (unsigned i = 0; i < CREDENTIALS; i++) {
        int64_t took = w.ended[i] - START;
        assert_int_equal(w.ok[i], slow_ok || !is_slow(i));
        if (is_slow(i))
            assert_true(took >= slow_end && took < slow_end + NS_PER_SEC);
        else if (is_new(i))
            assert_true(took >= MINUTE && took < MINUTE + 10 * NS_PER_SEC);
        else
            assert_true(took < NS_PER_SEC);
    }
    /* Both calls of a credential share one token. */
    assert_int_equal(w.tokens, CREDENTIALS);
    assert_int_equal(w.registrations, 2 * UNREGISTERED);
}

TEST(tenants_that_answer_late_hold_up_nobody_else)
{
    begin(&w);
    run(&w, 20 * NS_PER_SEC);
    check(true, 20 * NS_PER_SEC);
    end(&w);
}

/* Nobody waits for a token for longer than 30 seconds. */
TEST(tenants_that_answer_after_a_minute_hold_up_nobody_else)
{
    begin(&w);
    run(&w, MINUTE);
    check(false, 30 * NS_PER_SEC);
    end(&w);
}

TEST(a_pipe_ends_while_tokens_are_fetched)
{
    begin(&w);
    start_all(&w);
    (void)take_done(&w);
    assert_int_equal(w.held_count, SLOW);
    end(&w);
}

RUN_TESTS(cmocka_unit_test(tenants_that_answer_late_hold_up_nobody_else),
          cmocka_unit_test(tenants_that_answer_after_a_minute_hold_up_nobody_else),
          cmocka_unit_test(a_pipe_ends_while_tokens_are_fetched))
