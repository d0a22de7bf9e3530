/* SPDX-License-Identifier: Apache-2.0 */
/* test_arm.c - the client of Azure Resource Manager against a scripted one. */
#include "../test.h"

#include "net/server/server.h"
#include "support/arm_wait.h"

#define NOW (INT64_C(1800000000) * NS_PER_SEC)
#define ID "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/my net"
#define TARGET                                                                                     \
    "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/"               \
    "my%20net?api-version=1"
#define POLLS 3

/* ---- The server: answers by a script, or as a small Azure with one resource. ---- */

struct step {
    const char *expect;         /* "PUT /..." */
    int status;                 /* 0: the connection is closed instead */
    const char *header, *value; /* HOST in a value is the server */
    const char *body;
};

struct stage {
    struct lock lock;
    const struct step *script;
    size_t count, at;
    unsigned tokens, wrong;
    bool managed; /* the credential is that of the machine */
    str url;
    struct arena *arena; /* of seen: the client has its own */
    struct buf seen;     /* headers of the last request */
    /* The small Azure. */
    bool exists, ready;
    unsigned creates, updates, deletes, polls;
};

static void give_token(struct stage *s, struct server_request *r)
{
    server_reply(r, 200, STR("application/json"),
                 str_fmt(server_arena(r), "{\"access_token\":\"token-%u\",\"expires_in\":3600}",
                         ++s->tokens));
}

static str with_host(struct stage *s, struct arena *a, const char *text)
{
    str before, after;

    if (!str_cut(str_c(text), STR("HOST"), &before, &after))
        return before;
    return str_fmt(a, "%.*s%.*s%.*s", STR_ARG(before), STR_ARG(s->url), STR_ARG(after));
}

static void play(struct stage *s, struct server_request *r)
{
    struct arena *a = server_arena(r);
    const struct step *step = s->at < s->count ? &s->script[s->at++] : NULL;
    str asked = str_fmt(a, "%.*s %.*s", STR_ARG(server_method(r)), STR_ARG(server_target(r)));

    buf_truncate(&s->seen, 0);
    for (size_t i = 0; i < server_headers(r)->len; i++)
        buf_fmt(&s->seen, "%.*s: %.*s\n", STR_ARG(server_headers(r)->items[i].name),
                STR_ARG(server_headers(r)->items[i].value));
    if (!step || !str_eq(asked, str_c(step->expect))) {
        print_error("asked [%.*s] want [%s]\n", STR_ARG(asked), step ? step->expect : "nothing");
        s->wrong++;
        server_reply(r, 418, STR_NONE, STR("{}"));
        return;
    }
    if (!step->status) {
        server_drop(r);
        return;
    }
    if (step->header)
        server_add_header(r, str_c(step->header), with_host(s, a, step->value));
    server_reply(r, step->status, STR("application/json"),
                 with_host(s, a, step->body ? step->body : ""));
}

static void operate(struct stage *s, struct server_request *r)
{
    str method = server_method(r);

    if (str_eq(server_path(r), STR("/op"))) {
        s->ready = s->polls++ + 1 >= POLLS;
        server_add_header(r, STR("Retry-After"), STR("7"));
        server_reply(r, 200, STR("application/json"),
                     s->ready ? STR("{\"status\":\"Succeeded\"}")
                              : STR("{\"status\":\"InProgress\"}"));
        return;
    }
    if (str_eq(method, STR("GET"))) {
        server_reply(r, s->exists ? 200 : 404, STR("application/json"),
                     s->exists ? STR("{\"name\":\"my net\"}") : STR("{}"));
        return;
    }
    s->deletes += str_eq(method, STR("DELETE"));
    if (str_eq(method, STR("PUT"))) {
        s->creates += !s->exists;
        s->updates += s->exists;
    }
    s->exists = str_eq(method, STR("PUT"));
    server_add_header(r, STR("Azure-AsyncOperation"),
                      str_concat(server_arena(r), s->url, STR("/op?t=1&c=2")));
    server_add_header(r, STR("Retry-After"), STR("3"));
    server_reply(r, 202, STR("application/json"), STR("{}"));
}

static void handle(void *ctx, struct server_request *r)
{
    struct stage *s = ctx;
    AUTO_LOCK guard = lock_take(&s->lock);

    if (str_has_suffix(server_path(r), STR("/oauth2/v2.0/token"))) {
        give_token(s, r);
    } else if (str_has_prefix(server_path(r), STR("/metadata/"))) {
        server_add_header(r, STR("Location"), STR("/elsewhere/oauth2/v2.0/token"));
        server_reply(r, 302, STR_NONE, STR_NONE);
    } else if (s->script) {
        play(s, r);
    } else {
        operate(s, r);
    }
}

/* ---- The client. ---- */

struct fixture {
    struct arena *a;
    struct stage stage;
    struct server *server;
    struct http_client *http;
    struct credential *credential;
    struct arm_gate *gate;
    struct arm_wait wait;
    struct arm_call call;
    struct arm_result result;
    struct err e;
};

static void open_client(struct fixture *f)
{
    const struct credential_settings settings = {
        .kind = f->stage.managed ? CREDENTIAL_MANAGED : CREDENTIAL_SECRET,
        .metadata = f->stage.url,
        .subscription = STR("s"),
        .tenant = STR("t"),
        .client = STR("c"),
        .secret = STR("planted-secret-arm"),
        .cloud = {.endpoint = f->stage.url,
                  .audience = STR("aud"),
                  .authority = str_concat(f->a, f->stage.url, STR("/"))}};
    struct http_config http = http_defaults();
    struct budget_limits limits = budget_published();

    http.no_proxy = true;
    f->gate = arm_gate_new(&limits);
    assert_ok(http_client_new(&http, &f->http, &f->e), &f->e);
    assert_ok(credential_new(&settings, &f->credential, &f->e), &f->e);
    const struct arm_config config = {
        .credential = f->credential, .gate = f->gate, .agent = STR("aso-controller/v2")};
    const struct arm_pipe_config pipe = {.gate = f->gate, .http = &http};
    f->wait.arm = arm_new(&config);
    assert_ok(arm_pipe_new(&pipe, &f->wait.pipe, &f->e), &f->e);
}

static void close_client(struct fixture *f)
{
    arm_wait_end(&f->wait);
    arm_pipe_free(f->wait.pipe);
    arm_free(f->wait.arm);
    credential_free(f->credential);
    http_client_free(f->http);
    arm_gate_free(f->gate);
}

static void begin(struct fixture *f, const struct step *script, size_t count)
{
    const struct server_config config = {.handle = handle, .ctx = &f->stage};

    *f = (struct fixture){.a = arena_new()};
    f->stage.lock = (struct lock)LOCK_INIT;
    f->stage.arena = arena_new();
    f->stage.seen = buf_new(f->stage.arena, MIB);
    f->stage.script = script;
    f->stage.count = count;
    assert_ok(server_start(&config, &f->server, &f->e), &f->e);
    f->stage.url = server_url(f->server);
    f->call = (struct arm_call){
        .method = STR("GET"), .id = STR(ID), .api_version = STR("1"), .namespace = STR("default")};
    clock_fake(NOW);
    open_client(f);
}

static void end(struct fixture *f)
{
    assert_int_equal(f->stage.wrong, 0);
    if (f->stage.script)
        assert_int_equal(f->stage.at, f->stage.count);
    close_client(f);
    server_stop(f->server, 0);
    err_clear(&f->e);
    arena_free(f->stage.arena);
    arena_free(f->a);
    clock_real();
}

static void expect_ok(struct fixture *f)
{
    assert_ok(arm_wait_send(&f->wait, &f->call, &f->result, &f->e), &f->e);
}

static void expect_refusal(struct fixture *f, const char *text)
{
    assert_false(arm_wait_send(&f->wait, &f->call, &f->result, &f->e));
    if (!str_contains(f->e.text, str_c(text)))
        assert_str(f->e.text, str_c(text));
}

TEST(a_request_has_its_headers)
{
    static const struct step script[] = {
        {"POST "
         "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/"
         "my%20net/listKeys?api-version=1&x=y",
         200, "x-ms-request-id", "r1", "{\"a\":1}"}};
    struct fixture f;
    str seen;

    begin(&f, script, COUNT(script));
    f.call.method = STR("POST");
    f.call.action = STR("listKeys");
    f.call.query = STR("x=y");
    f.call.body = STR("{}");
    f.call.correlation = STR("corr-1");
    expect_ok(&f);
    seen = buf_str(&f.stage.seen);
    assert_true(str_contains(seen, STR("Authorization: Bearer token-1\n")));
    assert_true(str_contains(seen, STR("Content-Type: application/json\n")));
    assert_true(str_contains(seen, STR("x-ms-correlation-request-id: corr-1\n")));
    assert_true(str_contains(
        seen, str_fmt(f.a, "x-ms-client-request-id: %.*s\n", STR_ARG(f.result.client_request_id))));
    assert_true(str_contains(seen, STR("User-Agent: plumb/")));
    assert_true(str_contains(seen, STR(" aso-controller/v2\n")));
    assert_str(f.result.request_id, STR("r1"));
    assert_str(f.result.body, STR("{\"a\":1}"));
    end(&f);
}

TEST(a_refused_token_is_renewed_once)
{
    static const struct step script[] = {
        {"GET " TARGET, 401, NULL, NULL, "{\"error\":{\"code\":\"ExpiredAuthenticationToken\"}}"},
        {"GET " TARGET, 200, NULL, NULL, "{}"},
        {"GET " TARGET, 401, NULL, NULL, "{\"error\":{\"code\":\"InvalidAuthenticationToken\"}}"},
        {"GET " TARGET, 401, NULL, NULL, "{\"error\":{\"code\":\"InvalidAuthenticationToken\"}}"}};
    struct fixture f;

    begin(&f, script, COUNT(script));
    expect_ok(&f);
    assert_int_equal(f.stage.tokens, 2);
    expect_refusal(&f, "InvalidAuthenticationToken");
    assert_int_equal(f.e.kind, ERR_DENIED);
    end(&f);
}

/* The metadata service is on the machine itself: whoever answers with an address is another. */
TEST(a_metadata_service_that_redirects_is_not_followed)
{
    struct fixture f;

    begin(&f, NULL, 0);
    close_client(&f);
    f.stage.managed = true;
    open_client(&f);
    expect_refusal(&f, "the metadata service at");
    assert_int_equal(f.stage.tokens, 0);
    end(&f);
}

TEST(trouble_of_the_server_is_tried_three_times_in_place)
{
    /* The connection breaks first: curl itself tries once more on one that was used before. */
    static const struct step script[] = {
        {"GET " TARGET, 0, NULL, NULL, NULL},   {"GET " TARGET, 503, "Retry-After", "9", "{}"},
        {"GET " TARGET, 200, NULL, NULL, "{}"}, {"GET " TARGET, 500, NULL, NULL, "{}"},
        {"GET " TARGET, 502, NULL, NULL, "{}"}, {"GET " TARGET, 500, NULL, NULL, "{}"},
    };
    struct fixture f;

    begin(&f, script, COUNT(script));
    expect_ok(&f);
    assert_int_equal(f.result.tries, 3);
    assert_true(clock_now() >= NOW + 9 * NS_PER_SEC);
    assert_false(arm_wait_send(&f.wait, &f.call, &f.result, &f.e));
    assert_int_equal(f.e.kind, ERR_IO);
    assert_int_equal(f.result.tries, 3);
    end(&f);
}

TEST(a_post_is_not_sent_twice)
{
    /* The first leaves a connection behind, on which curl would send the second once more. */
    static const struct step script[] = {{"GET " TARGET, 200, NULL, NULL, "{}"},
                                         {"POST " TARGET, 0, NULL, NULL, NULL},
                                         {"POST " TARGET, 500, NULL, NULL, "{}"}};
    struct fixture f;

    begin(&f, script, COUNT(script));
    expect_ok(&f);
    f.call.method = STR("POST");
    assert_false(arm_wait_send(&f.wait, &f.call, &f.result, &f.e));
    assert_int_equal(f.result.status, 0);
    assert_false(arm_wait_send(&f.wait, &f.call, &f.result, &f.e));
    assert_int_equal(f.result.status, 500);
    end(&f);
}

TEST(throttling_pauses_the_bucket_and_a_busy_object_does_not)
{
    static const struct step script[] = {
        {"PUT " TARGET, 429, "Retry-After", "17",
         "{\"error\":{\"code\":\"SubscriptionRequestsThrottled\",\"message\":\"x\"}}"},
        {"PUT " TARGET, 200, NULL, NULL, "{}"},
        {"PUT " TARGET, 429, "Retry-After", "11",
         "{\"error\":{\"code\":\"RetryableError\",\"message\":\"A retryable error occurred.\","
         "\"details\":[{\"code\":\"ReferencedResourceNotProvisioned\",\"message\":\"Wait.\"}]}}"}};
    struct fixture f;
    struct budget_stats *stats;
    int64_t before;

    begin(&f, script, COUNT(script));
    f.call.method = STR("PUT");
    f.call.body = STR("{}");
    expect_ok(&f);
    assert_true(clock_now() >= NOW + 17 * NS_PER_SEC);
    before = clock_now();
    expect_refusal(&f, "Wait.");
    assert_true(f.result.retry_after == 11 * NS_PER_SEC && clock_now() - before < NS_PER_SEC);
    for (size_t i = arm_gate_stats(f.gate, f.a, &stats); i--;)
        assert_int_equal(stats[i].paused, 0);
    end(&f);
}

/* Five refusals at once would be as many requests within a moment, of each object. */
TEST(throttling_that_asks_for_no_pause_gets_one)
{
#define AT_ONCE                                                                                    \
    {                                                                                              \
        "GET " TARGET, 429, "Retry-After", "0",                                                    \
            "{\"error\":{\"code\":\"SubscriptionRequestsThrottled\",\"message\":\"x\"}}"           \
    }
    static const struct step script[] = {
        AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE, {"GET " TARGET, 200, NULL, NULL, "{}"}};
    struct fixture f;

    begin(&f, script, COUNT(script));
    expect_ok(&f);
    assert_true(clock_now() >= NOW + 15 * NS_PER_SEC);
    end(&f);
}

TEST(a_missing_provider_is_registered_and_waited_for)
{
    static const struct step script[] = {
        {"PUT " TARGET, 409, NULL, NULL,
         "{\"error\":{\"code\":\"MissingSubscriptionRegistration\",\"message\":\"x\",\"details\":"
         "[{\"code\":\"MissingSubscriptionRegistration\",\"target\":\"Microsoft.Other\"}]}}"},
        {"POST /subscriptions/s/providers/Microsoft.Other/register?api-version=2019-05-01", 200,
         NULL, NULL, "{\"registrationState\":\"Registering\"}"},
        {"GET /subscriptions/s/providers/Microsoft.Other?api-version=2019-05-01", 200, NULL, NULL,
         "{\"registrationState\":\"Registering\"}"},
        {"GET /subscriptions/s/providers/Microsoft.Other?api-version=2019-05-01", 200, NULL, NULL,
         "{\"registrationState\":\"Registered\"}"},
        {"PUT " TARGET, 201, NULL, NULL, "{\"name\":\"x\"}"}};
    struct fixture f;

    begin(&f, script, COUNT(script));
    f.call.method = STR("PUT");
    f.call.body = STR("{}");
    expect_ok(&f);
    assert_int_equal(f.result.status, 201);
    end(&f);
}

TEST(a_deadline_ends_waiting)
{
    static const struct step script[] = {
        {"GET " TARGET, 429, "Retry-After", "100",
         "{\"error\":{\"code\":\"SubscriptionRequestsThrottled\"}}"}};
    struct fixture f;

    begin(&f, script, COUNT(script));
    f.call.deadline = clock_mono() + 20 * NS_PER_SEC;
    assert_false(arm_wait_send(&f.wait, &f.call, &f.result, &f.e));
    assert_true(str_contains(f.e.text, STR("waiting for the request budget")));
    assert_true(clock_mono() <= f.call.deadline);
    end(&f);
}

/* ---- Operations. ---- */

TEST(an_operation_that_fails_says_why)
{
    static const struct step script[] = {
        {"PUT " TARGET, 201, "Azure-AsyncOperation", "HOST/op", "{}"},
        {"GET /op", 500, NULL, NULL, "{}"},
        {"GET /op", 200, NULL, NULL,
         "{\"status\":\"Failed\",\"error\":{\"code\":\"SkuNotAvailable\",\"message\":\"No.\"}}"},
        {"POST " TARGET, 202, "Azure-AsyncOperation", "http://evil.example/op", "{}"}};
    struct fixture f;
    struct lro o;

    begin(&f, script, COUNT(script));
    f.call.method = STR("PUT");
    f.call.body = STR("{}");
    assert_ok(arm_wait_begin(&f.wait, f.a, &f.call, &o, &f.result, &f.e), &f.e);
    assert_false(arm_wait_follow(&f.wait, f.a, &f.call, &o, &f.result, &f.e));
    assert_str(f.e.text, STR("SkuNotAvailable: No."));
    assert_str(f.result.verdict.reason, STR("SkuNotAvailable"));
    f.call.method = STR("POST");
    assert_false(arm_wait_begin(&f.wait, f.a, &f.call, &o, &f.result, &f.e));
    assert_int_equal(f.e.kind, ERR_DENIED);
    end(&f);
}

/* Some providers name hosts of their own. The token is not for them. */
TEST(an_operation_elsewhere_is_followed_by_its_resource)
{
    static const struct step script[] = {
        {"PUT " TARGET, 201, "Azure-AsyncOperation", "https://westus2.rp.example.azure.com/op",
         "{\"properties\":{\"provisioningState\":\"Creating\"}}"},
        {"GET " TARGET, 200, NULL, NULL, "{\"properties\":{\"provisioningState\":\"Creating\"}}"},
        {"GET " TARGET, 200, NULL, NULL, "{\"properties\":{\"provisioningState\":\"Succeeded\"}}"},
        {"DELETE " TARGET, 202, "Location", "https://westus2.rp.example.azure.com/op", NULL},
        {"GET " TARGET, 200, NULL, NULL, "{}"},
        {"GET " TARGET, 404, NULL, NULL, "{}"}};
    struct fixture f;
    struct lro o;

    begin(&f, script, COUNT(script));
    f.call.method = STR("PUT");
    f.call.body = STR("{}");
    assert_ok(arm_wait_begin(&f.wait, f.a, &f.call, &o, &f.result, &f.e), &f.e);
    assert_ok(arm_wait_follow(&f.wait, f.a, &f.call, &o, &f.result, &f.e), &f.e);
    assert_true(str_contains(f.result.body, STR("Succeeded")));
    f.call.method = STR("DELETE");
    f.call.body = STR_NONE;
    assert_ok(arm_wait_begin(&f.wait, f.a, &f.call, &o, &f.result, &f.e), &f.e);
    assert_ok(arm_wait_follow(&f.wait, f.a, &f.call, &o, &f.result, &f.e), &f.e);
    assert_int_equal(o.next, LRO_DONE);
    end(&f);
}

TEST(a_deletion_without_a_way_to_follow_is_watched)
{
    static const struct step script[] = {{"DELETE " TARGET, 202, NULL, NULL, NULL},
                                         {"GET " TARGET, 200, NULL, NULL, "{}"},
                                         {"GET " TARGET, 404, NULL, NULL, "{}"},
                                         {"DELETE " TARGET, 404, NULL, NULL, NULL}};
    struct fixture f;
    struct lro o;

    begin(&f, script, COUNT(script));
    f.call.method = STR("DELETE");
    assert_ok(arm_wait_begin(&f.wait, f.a, &f.call, &o, &f.result, &f.e), &f.e);
    assert_int_equal(o.next, LRO_DONE);
    assert_ok(arm_wait_begin(&f.wait, f.a, &f.call, &o, &f.result, &f.e), &f.e);
    assert_int_equal(o.next, LRO_DONE);
    end(&f);
}

static bool goes_on(const struct lro *o)
{
    return o->next == LRO_POLL || o->next == LRO_READ;
}

/* A process that ends after so many polls; what it leaves is the token. */
static str first_life(struct fixture *f, unsigned polls)
{
    struct lro o;

    assert_ok(arm_wait_begin(&f->wait, f->a, &f->call, &o, &f->result, &f->e), &f->e);
    for (unsigned i = 0; i < polls && goes_on(&o); i++) {
        clock_advance(o.wait);
        assert_ok(arm_wait_poll(&f->wait, f->a, &f->call, &o, &f->result, &f->e), &f->e);
    }
    return goes_on(&o) ? str_copy(f->a, lro_token(f->a, &o)) : STR_NONE;
}

static void live_twice(const char *method, unsigned polls)
{
    struct fixture f;
    struct lro o;
    str token;

    begin(&f, NULL, 0);
    f.call.method = str_c(method);
    f.call.body = str_eq(f.call.method, STR("PUT")) ? STR("{}") : STR_NONE;
    f.stage.exists = !f.call.body.len;
    token = first_life(&f, polls);
    close_client(&f);
    open_client(&f);
    if (token.len) {
        assert_ok(arm_wait_resume(&f.wait, f.a, &f.call, token, &o, &f.e), &f.e);
        assert_ok(arm_wait_follow(&f.wait, f.a, &f.call, &o, &f.result, &f.e), &f.e);
        assert_int_equal(o.next, LRO_DONE);
    }
    if (f.call.body.len)
        assert_str(f.result.body, STR("{\"name\":\"my net\"}"));
    assert_int_equal(f.stage.creates, f.call.body.len ? 1 : 0);
    assert_int_equal(f.stage.updates, 0);
    assert_int_equal(f.stage.deletes, f.call.body.len ? 0 : 1);
    /* Whoever ends between the last poll and the look at the resource asks once more. */
    assert_int_equal(f.stage.polls, POLLS + (polls == POLLS && f.call.body.len > 0));
    assert_true(f.stage.ready && f.stage.exists == (f.call.body.len > 0));
    end(&f);
}

TEST(an_operation_goes_on_after_the_end_of_the_process_at_any_step)
{
    for (unsigned polls = 0; polls <= POLLS + 1; polls++) {
        live_twice("PUT", polls);
        live_twice("DELETE", polls);
    }
}

/* Ended between the request and the keeping of the token: it is sent again and creates nothing. */
TEST(a_put_whose_token_was_lost_creates_nothing_twice)
{
    struct fixture f;
    struct lro o;

    begin(&f, NULL, 0);
    f.call.method = STR("PUT");
    f.call.body = STR("{}");
    first_life(&f, 0);
    close_client(&f);
    open_client(&f);
    assert_ok(arm_wait_begin(&f.wait, f.a, &f.call, &o, &f.result, &f.e), &f.e);
    assert_ok(arm_wait_follow(&f.wait, f.a, &f.call, &o, &f.result, &f.e), &f.e);
    assert_int_equal(f.stage.creates, 1);
    end(&f);
}

TEST(waits_of_operations_are_kept)
{
    struct fixture f;
    struct lro o;

    begin(&f, NULL, 0);
    f.call.method = STR("PUT");
    f.call.body = STR("{}");
    assert_ok(arm_wait_begin(&f.wait, f.a, &f.call, &o, &f.result, &f.e), &f.e);
    assert_ok(arm_wait_follow(&f.wait, f.a, &f.call, &o, &f.result, &f.e), &f.e);
    assert_int_equal((clock_now() - NOW) / NS_PER_SEC, 3 + 7 * POLLS);
    end(&f);
}

RUN_TESTS(cmocka_unit_test(a_request_has_its_headers),
          cmocka_unit_test(a_refused_token_is_renewed_once),
          cmocka_unit_test(a_metadata_service_that_redirects_is_not_followed),
          cmocka_unit_test(trouble_of_the_server_is_tried_three_times_in_place),
          cmocka_unit_test(a_post_is_not_sent_twice),
          cmocka_unit_test(throttling_pauses_the_bucket_and_a_busy_object_does_not),
          cmocka_unit_test(throttling_that_asks_for_no_pause_gets_one),
          cmocka_unit_test(a_missing_provider_is_registered_and_waited_for),
          cmocka_unit_test(a_deadline_ends_waiting),
          cmocka_unit_test(an_operation_that_fails_says_why),
          cmocka_unit_test(an_operation_elsewhere_is_followed_by_its_resource),
          cmocka_unit_test(a_deletion_without_a_way_to_follow_is_watched),
          cmocka_unit_test(an_operation_goes_on_after_the_end_of_the_process_at_any_step),
          cmocka_unit_test(a_put_whose_token_was_lost_creates_nothing_twice),
          cmocka_unit_test(waits_of_operations_are_kept))
