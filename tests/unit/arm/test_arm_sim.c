/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_arm_sim.c - the client against the simulated ARM: every verb, pages, registration,
 * throttling, every protocol of operations, and faults from a plan. Everything runs twice: over
 * sockets, and in this process without any.
 */
#include "../test.h"

#include "support/azure_stage.h"
#include "support/credential_wait.h"
#include "text/json/json.h"

static bool in_process;

struct world {
    struct azure_stage stage;
    struct azure_client client;
    struct arena *a;
    struct arm_result result;
    struct err e;
};

static void begin(struct world *w, const char *preset)
{
    *w = (struct world){.a = arena_new()};
    azure_stage_start(&w->stage, preset, NULL, NULL);
    clock_fake(INT64_C(1800000000) * NS_PER_SEC);
    if (in_process)
        azure_client_open_local(&w->client, azure_stage_handler(&w->stage));
    else
        azure_client_open(&w->client, azure_stage_url(&w->stage));
    struct arm_call group = azure_call(w->a, "PUT", "", "", "{\"location\":\"westus2\"}");
    group.id = STR(AZURE_GROUP);
    assert_ok(arm_wait_send(&w->client.wait, &group, &w->result, &w->e), &w->e);
    arm_wait_end(&w->client.wait);
}

static void end(struct world *w)
{
    azure_client_close(&w->client);
    azure_stage_stop(&w->stage);
    err_clear(&w->e);
    arena_free(w->a);
    clock_real();
}

static void fault(struct world *w, const char *plan)
{
    assert_int_equal(azure_stage_ask(&w->stage, w->a, "POST", "/_sim/faults", plan, NULL), 204);
}

/* One call, from beginning to end. */
static bool send(struct world *w, const struct arm_call *call)
{
    struct arm_done *d;
    bool ok;

    err_clear(&w->e);
    assert_ok(arm_pipe_start(w->client.pipe, w->client.arm, call, w, &w->e), &w->e);
    d = arm_pipe_next(w->client.pipe);
    assert_ptr_equal(d->ctx, w);
    ok = d->ok;
    w->result = (struct arm_result){.status = d->result.status,
                                    .tries = d->result.tries,
                                    .retry_after = d->result.retry_after,
                                    .body = str_copy(w->a, d->result.body)};
    if (!ok)
        err_copy(&w->e, &d->failure);
    arm_pipe_release(w->client.pipe, d);
    return ok;
}

TEST(all_verbs)
{
    struct world w;

    begin(&w, "");
    struct arm_call call =
        azure_call(w.a, "PUT", "Test.Lro/none", "x", "{\"location\":\"westus2\"}");
    assert_ok(send(&w, &call), &w.e);
    assert_int_equal(w.result.status, 201);
    call.method = STR("PATCH");
    call.body = STR("{\"tags\":{\"a\":\"b\"}}");
    assert_ok(send(&w, &call), &w.e);
    call.method = STR("GET");
    call.body = STR_NONE;
    assert_ok(send(&w, &call), &w.e);
    assert_true(str_contains(w.result.body, STR("\"a\":\"b\"")));
    call.method = STR("HEAD");
    assert_ok(send(&w, &call), &w.e);
    call.method = STR("POST");
    call.action = STR("listKeys");
    assert_ok(send(&w, &call), &w.e);
    assert_true(str_contains(w.result.body, STR("primaryKey")));
    call.method = STR("DELETE");
    call.action = STR_NONE;
    assert_ok(send(&w, &call), &w.e);
    call.method = STR("GET");
    assert_false(send(&w, &call));
    assert_int_equal(w.e.kind, ERR_NOT_FOUND);
    call.method = STR("HEAD");
    assert_false(send(&w, &call));
    assert_int_equal(w.result.status, 404);
    end(&w);
}

TEST(lists_come_in_pages)
{
    struct world w;
    struct value *page;
    size_t count = 0;

    begin(&w, "unlimited");
    for (int i = 0; i < 250; i++) {
        struct arm_call put =
            azure_call(w.a, "PUT", "Test.Lro/none", str_z(w.a, str_fmt(w.a, "x%d", i)), "{}");
        assert_ok(send(&w, &put), &w.e);
    }
    struct arm_call list = azure_call(w.a, "GET", "Test.Lro", "none", "");
    do {
        struct source src = {.file = STR("page")};
        assert_ok(send(&w, &list), &w.e);
        src.text = w.result.body;
        assert_ok(json_read(w.a, &src, NULL, &page, &w.e), &w.e);
        count += value_len(value_get(page, STR("value")));
        list.address = value_get_str(page, STR("nextLink"));
    } while (list.address.len);
    assert_int_equal(count, 250);
    end(&w);
}

TEST(providers_are_registered_on_demand)
{
    struct world w;

    begin(&w, "unregistered");
    struct arm_call call = azure_call(w.a, "PUT", "Microsoft.Storage/storageAccounts", "acc",
                                      "{\"location\":\"westus2\"}");
    assert_ok(send(&w, &call), &w.e);
    assert_int_equal(w.result.tries, 2);
    end(&w);
}

/* ---- Operations. ---- */

static const char *const protocols[] = {"async", "both", "location", "relative", "body", "none"};

static void operate(struct world *w, const char *protocol)
{
    const char *type = str_z(w->a, str_fmt(w->a, "Test.Lro/%s", protocol));
    struct arm_call put = azure_call(w->a, "PUT", type, "x", "{\"location\":\"westus2\"}");
    struct arm_call delete = azure_call(w->a, "DELETE", type, "x", "");
    struct arm_call get = azure_call(w->a, "GET", type, "x", "");
    struct lro o;

    assert_ok(arm_wait_begin(&w->client.wait, w->a, &put, &o, &w->result, &w->e), &w->e);
    assert_ok(arm_wait_follow(&w->client.wait, w->a, &put, &o, &w->result, &w->e), &w->e);
    assert_int_equal(o.next, LRO_DONE);
    assert_true(str_contains(w->result.body, STR("\"provisioningState\":\"Succeeded\"")));
    assert_true(o.polls <= 4);
    assert_ok(arm_wait_begin(&w->client.wait, w->a, &delete, &o, &w->result, &w->e), &w->e);
    assert_ok(arm_wait_follow(&w->client.wait, w->a, &delete, &o, &w->result, &w->e), &w->e);
    assert_int_equal(o.next, LRO_DONE);
    assert_false(arm_wait_send(&w->client.wait, &get, &w->result, &w->e));
    assert_int_equal(w->e.kind, ERR_NOT_FOUND);
}

TEST(operations_by_every_protocol)
{
    struct world w;

    begin(&w, "");
    for (size_t i = 0; i < COUNT(protocols); i++)
        operate(&w, protocols[i]);
    assert_int_equal(azure_stage_count(&w.stage, "throttled"), 0);
    end(&w);
}

/* The same with the pipe: the machine of lro.h, fed by whoever takes the answers. */
TEST(operations_by_the_pipe)
{
    struct world w;
    struct arm_done *d;
    struct lro o = {0};
    unsigned polls = 0;

    begin(&w, "");
    struct arm_call call = azure_call(w.a, "PUT", "Test.Lro/async", "x", "{}");
    assert_ok(arm_pipe_start(w.client.pipe, w.client.arm, &call, &o, &w.e), &w.e);
    while ((d = arm_pipe_next(w.client.pipe))) {
        assert_ok(d->ok, &d->failure);
        struct arm_answer answer = arm_answer_of(&d->result);
        answer.async_operation = str_copy(w.a, answer.async_operation);
        if (!polls++)
            lro_begin(w.a, &o, STR("PUT"), STR("http://h/x"), &answer);
        else
            lro_step(w.a, &o, &answer);
        o.state = str_copy(w.a, o.state);
        arm_pipe_release(w.client.pipe, d);
        if (o.next != LRO_POLL)
            break;
        struct arm_call poll = call;
        poll.method = STR("GET");
        poll.body = STR_NONE;
        poll.address = o.poll_url;
        assert_ok(arm_pipe_start(w.client.pipe, w.client.arm, &poll, &o, &w.e), &w.e);
    }
    assert_int_equal(o.next, LRO_READ);
    call.address = STR("https://evil.example/op");
    assert_false(send(&w, &call));
    assert_int_equal(w.e.kind, ERR_DENIED);
    end(&w);
}

/* ---- Trouble. ---- */

TEST(trouble_from_the_fault_plan)
{
    struct world w;

    begin(&w, "");
    struct arm_call put = azure_call(w.a, "PUT", "Test.Lro/none", "x", "{}");
    struct arm_call post = azure_call(w.a, "POST", "Test.Lro/none", "x", "");
    post.action = STR("listKeys");
    fault(&w, "{\"kind\":\"drop\",\"method\":\"PUT\"}");
    assert_ok(send(&w, &put), &w.e);
    assert_int_equal(w.result.status, 200); /* the first one had created it */
    fault(&w, "{\"kind\":\"fail\",\"method\":\"PUT\",\"status\":503,\"retryAfter\":5}");
    assert_ok(send(&w, &put), &w.e);
    assert_int_equal(w.result.tries, 2);
    fault(&w, "{\"kind\":\"throttle\",\"method\":\"PUT\",\"retryAfter\":17}");
    int64_t before = clock_mono();
    assert_ok(send(&w, &put), &w.e);
    assert_true(clock_mono() - before >= 17 * NS_PER_SEC);
    fault(&w, "{\"kind\":\"fail\",\"method\":\"PUT\",\"status\":400,\"code\":\"BadThing\"}");
    assert_false(send(&w, &put));
    assert_int_equal(w.e.kind, ERR_INVALID);
    assert_true(str_contains(w.e.text, STR("BadThing")));
    /* An action that may have been done is not repeated: once it arrived, and once only. */
    int64_t actions = azure_stage_count(&w.stage, "actions");
    fault(&w, "{\"kind\":\"drop\",\"method\":\"POST\"}");
    assert_false(send(&w, &post));
    assert_int_equal(w.e.kind, ERR_IO);
    assert_int_equal(azure_stage_count(&w.stage, "actions"), actions + 1);
    assert_ok(send(&w, &post), &w.e);
    end(&w);
}

TEST(operations_in_trouble)
{
    struct world w;
    struct lro o;

    begin(&w, "");
    struct arm_call put = azure_call(w.a, "PUT", "Test.Lro/async", "x", "{}");
    fault(&w, "{\"kind\":\"slow\",\"type\":\"Test.Lro/async\",\"factor\":4}");
    fault(&w, "{\"kind\":\"fail\",\"method\":\"GET\",\"status\":500,\"after\":1,\"count\":2}");
    assert_ok(arm_wait_begin(&w.client.wait, w.a, &put, &o, &w.result, &w.e), &w.e);
    assert_ok(arm_wait_follow(&w.client.wait, w.a, &put, &o, &w.result, &w.e), &w.e);
    assert_true(o.polls > 3);
    fault(&w, "{\"kind\":\"operation\",\"code\":\"SkuNotAvailable\",\"message\":\"None left.\"}");
    struct arm_call other = azure_call(w.a, "PUT", "Test.Lro/async", "y", "{}");
    assert_ok(arm_wait_begin(&w.client.wait, w.a, &other, &o, &w.result, &w.e), &w.e);
    assert_false(arm_wait_follow(&w.client.wait, w.a, &other, &o, &w.result, &w.e));
    assert_true(str_contains(w.e.text, STR("SkuNotAvailable")));
    end(&w);
}

/* The budget keeps a burst within the buckets of the simulator, which have the published sizes. */
TEST(a_burst_is_not_throttled)
{
    struct world w;

    begin(&w, "azure");
    struct arm_call put = azure_call(w.a, "PUT", "Test.Lro/none", "x", "{}");
    struct arm_call get = azure_call(w.a, "GET", "Test.Lro/none", "x", "");
    assert_ok(send(&w, &put), &w.e);
    for (int i = 0; i < 300; i++)
        assert_ok(arm_pipe_start(w.client.pipe, w.client.arm, &get, &w, &w.e), &w.e);
    for (int i = 0; i < 300; i++) {
        struct arm_done *d = arm_pipe_next(w.client.pipe);
        assert_ok(d->ok, &d->failure);
        /* The time of the simulator goes with ours. */
        azure_stage_ask(&w.stage, w.a, "POST", "/_sim/time?advance=40ms", "", NULL);
        arm_pipe_release(w.client.pipe, d);
    }
    assert_int_equal(azure_stage_count(&w.stage, "throttled"), 0);
    end(&w);
}

/* The other five ways to be refused a token are in test_credential.c. */
TEST(a_wrong_tenant_is_named)
{
    struct world w;
    struct credential *credential;
    str token;

    begin(&w, "");
    struct credential_settings settings = *credential_settings(w.client.credential);
    settings.tenant = STR("tenant-of-others");
    assert_ok(credential_new(&settings, &credential, &w.e), &w.e);
    assert_false(
        credential_wait(credential, w.client.http, w.a, STR("scope/.default"), &token, NULL, &w.e));
    assert_int_equal(w.e.kind, ERR_DENIED);
    assert_true(str_contains(w.e.text, STR("Tenant 'tenant-of-others' not found")));
    assert_true(str_contains(w.e.text, STR("check AZURE_TENANT_ID")));
    assert_false(str_contains(w.e.text, STR(AZURE_SECRET)));
    credential_free(credential);
    end(&w);
}

static int64_t pipe_ends(const char *how)
{
    struct world w;
    int64_t sent;

    begin(&w, "");
    struct http_cancel *cancel = http_cancel_new();
    struct arm_call get = azure_call(w.a, "GET", "Test.Lro/none", "x", "");
    fault(&w, "{\"kind\":\"throttle\",\"method\":\"GET\",\"retryAfter\":600}");
    get.cancel = cancel;
    get.deadline = strcmp(how, "deadline") ? 0 : clock_mono() + 20 * NS_PER_SEC;
    assert_ok(arm_pipe_start(w.client.pipe, w.client.arm, &get, &w, &w.e), &w.e);
    if (!strcmp(how, "cancel"))
        http_cancel_raise(cancel);
    if (strcmp(how, "free")) {
        struct arm_done *d = arm_pipe_next(w.client.pipe);
        assert_false(d->ok);
        /* The flag may be seen before the answer came, or after, which is the refusal then. */
        if (strcmp(how, "cancel"))
            assert_int_equal(d->failure.kind, ERR_IO);
        else
            assert_true(d->failure.kind == ERR_CANCELLED || d->failure.kind == ERR_THROTTLED);
        arm_pipe_release(w.client.pipe, d);
        assert_int_equal(arm_pipe_stats(w.client.pipe).unreleased, 0);
    }
    sent = azure_stage_count(&w.stage, "throttled");
    end(&w);
    http_cancel_free(cancel);
    return sent;
}

TEST(waiting_in_the_pipe_ends_by_deadline_cancel_and_the_end_of_the_pipe)
{
    assert_int_equal(pipe_ends("deadline"), 1);
    assert_true(pipe_ends("cancel") <= 1);
    assert_true(pipe_ends("free") <= 1);
}

TEST(a_pipe_has_a_limit)
{
    struct world w;
    struct arm_pipe *small;

    begin(&w, "");
    struct http_config http = http_defaults();
    if (in_process)
        http.local = azure_stage_handler(&w.stage);
    const struct arm_pipe_config config = {.gate = w.client.gate, .http = &http, .calls_max = 3};
    assert_ok(arm_pipe_new(&config, &small, &w.e), &w.e);
    struct arm_call get = azure_call(w.a, "GET", "Test.Lro/none", "x", "");
    for (int i = 0; i < 3; i++)
        assert_ok(arm_pipe_start(small, w.client.arm, &get, &w, &w.e), &w.e);
    assert_false(arm_pipe_start(small, w.client.arm, &get, &w, &w.e));
    assert_int_equal(w.e.kind, ERR_LIMIT);
    arm_pipe_free(small);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_verbs),
        cmocka_unit_test(lists_come_in_pages),
        cmocka_unit_test(providers_are_registered_on_demand),
        cmocka_unit_test(operations_by_every_protocol),
        cmocka_unit_test(operations_by_the_pipe),
        cmocka_unit_test(trouble_from_the_fault_plan),
        cmocka_unit_test(operations_in_trouble),
        cmocka_unit_test(a_burst_is_not_throttled),
        cmocka_unit_test(a_wrong_tenant_is_named),
        cmocka_unit_test(waiting_in_the_pipe_ends_by_deadline_cancel_and_the_end_of_the_pipe),
        cmocka_unit_test(a_pipe_has_a_limit)};
    int failed = cmocka_run_group_tests_name("over sockets", tests, NULL, NULL);

    in_process = true;
    return failed + cmocka_run_group_tests_name("in process", tests, NULL, NULL);
}
