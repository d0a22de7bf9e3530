/* SPDX-License-Identifier: Apache-2.0 */
/* test_faults.c - faults on demand, and what the simulator reports about itself. */
#include "../test.h"

#include "sim/sim.h"
#include "text/json/json.h"
#include "value/source.h"

#define GROUP "/subscriptions/s/resourceGroups/g"
#define ODD GROUP "/providers/Example.Odd/things/x"
#define TOPIC GROUP "/providers/Microsoft.EventGrid/topics/t"
#define VNET GROUP "/providers/Microsoft.Network/virtualNetworks/v"

static struct arena *a;
static struct sim *sim;
static struct sim_response r;
static struct value *answer;

static int begin(void **state)
{
    struct sim_config config = sim_defaults();

    (void)state;
    config.virtual_time = true;
    a = arena_new();
    return sim_new(&config, &sim, NULL) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    sim_free(sim);
    arena_free(a);
    return 0;
}

static int ask(const char *method, const char *url, const char *body)
{
    struct sim_request q = {.method = str_c(method), .base = STR("http://h"), .body = str_c(body)};
    struct source src;

    str_cut(str_without_prefix(str_c(url), STR("http://h")), STR("?"), &q.path, &q.query);
    if (!q.query.len)
        q.query = STR("api-version=2024-03-01");
    sim_handle(sim, a, &q, &r);
    src = (struct source){.text = r.body};
    answer = NULL;
    if (r.body.len && !json_read(a, &src, NULL, &answer, NULL))
        answer = NULL;
    return r.status;
}

static void put_group(void)
{
    assert_int_equal(ask("PUT", GROUP, "{\"location\":\"westus2\"}"), 201);
}

TEST(the_next_requests_fail_as_often_as_told)
{
    put_group();
    assert_int_equal(ask("POST", "/_sim/faults",
                         "kind: fail\nmethod: PUT\ntype: Example.*\nstatus: 503\ncode: Busy\n"
                         "count: 2\nafter: 1\nretryAfter: 7\n"),
                     204);
    assert_int_equal(ask("PUT", ODD, "{}"), 201);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ask("GET", ODD, ""), 200);
        assert_int_equal(ask("PUT", ODD, "{}"), 503);
        assert_str(http_header_get(&r.headers, STR("Retry-After")), STR("7"));
    }
    assert_int_equal(ask("PUT", ODD, "{}"), 200);
    ask("GET", "/_sim/faults", "");
    assert_int_equal(value_len(answer), 0);
}

TEST(a_dropped_connection_comes_after_the_work)
{
    put_group();
    ask("POST", "/_sim/faults", "{\"kind\":\"drop\",\"method\":\"PUT\"}");
    ask("PUT", ODD, "{}");
    assert_true(r.drop);
    assert_int_equal(ask("GET", ODD, ""), 200);
    assert_false(r.drop);
}

TEST(properties_change_behind_the_back_and_policies_add_tags)
{
    put_group();
    ask("PUT", ODD, "{\"properties\":{\"size\":1}}");
    ask("POST", "/_sim/faults",
        "faults:\n- {kind: change, id: " ODD ", at: properties.size, value: 5}\n"
        "- {kind: policy, type: Example.Odd/things, tags: {owner: them}}\n");
    ask("GET", ODD, "");
    assert_str(value_text(value_get(value_get(answer, STR("properties")), STR("size"))), STR("5"));
    assert_int_equal(ask("PUT", ODD, "{\"properties\":{\"size\":1}}"), 200);
    assert_str(value_get_str(value_get(answer, STR("tags")), STR("owner")), STR("them"));
    ask("GET", "/_sim/assert", "");
    assert_str(value_text(value_get(answer, STR("noopWrites"))), STR("0"));
}

TEST(an_operation_can_fail_and_can_be_slow)
{
    put_group();
    ask("POST", "/_sim/faults",
        "faults:\n- {kind: operation, code: SkuNotAvailable, message: none left}\n"
        "- {kind: slow, factor: 5, count: 1}\n");
    assert_int_equal(ask("PUT", VNET, "{\"location\":\"westus2\"}"), 201);
    const char *url = str_z(a, http_header_get(&r.headers, STR("Azure-AsyncOperation")));
    int polls = 1;
    while (ask("GET", url, "") == 200 && polls < 100 &&
           str_eq(value_get_str(answer, STR("status")), STR("InProgress")))
        polls++;
    assert_in_range(polls, 6, 60);
    assert_str(value_get_str(answer, STR("status")), STR("Failed"));
    assert_str(value_get_str(value_get(answer, STR("error")), STR("code")), STR("SkuNotAvailable"));
    assert_int_equal(ask("GET", VNET, ""), 404);
}

TEST(counters_and_log_tell_what_was_asked)
{
    put_group();
    ask("PUT", ODD, "{\"a\":1}");
    ask("PUT", ODD, "{\"a\":1}");
    ask("POST", "/_sim/faults", "{\"kind\":\"throttle\"}");
    assert_int_equal(ask("GET", ODD, ""), 429);
    assert_int_equal(
        ask("POST", "/_sim/assert", "{\"writes\":3,\"noopWrites\":1,\"throttled\":{\"max\":1}}"),
        200);
    assert_int_equal(ask("POST", "/_sim/assert", "{\"writes\":2,\"hats\":1}"), 409);
    assert_int_equal(value_len(value_get(answer, STR("failures"))), 2);
    ask("GET", "/_sim/log", "");
    assert_int_equal(value_len(answer), 4);
    assert_str(value_get_str(value_at(answer, 3), STR("method")), STR("GET"));
    ask("DELETE", "/_sim/log", "");
    ask("GET", "/_sim/log?last=3", "");
    assert_int_equal(value_len(answer), 0);
}

TEST(the_log_says_what_was_created_whatever_the_status)
{
    put_group();
    assert_int_equal(ask("PUT", TOPIC, "{\"location\":\"westus2\"}"), 201);
    ask("POST", "/_sim/time?advance=1h", "");
    assert_int_equal(ask("PUT", TOPIC, "{\"location\":\"westus2\"}"), 201);
    ask("GET", "/_sim/log", "");
    assert_true(value_is_true(value_get(value_at(answer, 0), STR("created"))));
    assert_true(value_is_true(value_get(value_at(answer, 1), STR("created"))));
    assert_null(value_get(value_at(answer, value_len(answer) - 1), STR("created")));
}

TEST(virtual_time_moves_when_told)
{
    ask("GET", "/_sim/time", "");
    assert_str(value_get_str(answer, STR("now")), STR("2026-01-01T00:00:00.0000000Z"));
    assert_int_equal(ask("POST", "/_sim/time?advance=24h", ""), 200);
    assert_str(value_get_str(answer, STR("now")), STR("2026-01-02T00:00:00.0000000Z"));
    assert_int_equal(ask("POST", "/_sim/time?advance=soon", ""), 400);
}

static const struct {
    const char *text, *why;
} bad_plans[] = {
    {"faults:\n- kind: fail\n", "plan:2:3: fail needs a status"},
    {"faults:\n- kind: melt\n", "plan:2:9: kind must be one of"},
    {"faults:\n- kind: drop\n  cuont: 1\n", "plan:3:10: unknown key \"cuont\""},
    {"faults: 1\n", "a plan is an object with a list of faults"},
    {"kind: change\n", "a change needs the id"},
    {"kind: slow\nfactor: -1\n", "factor must be a number from 0"},
};

TEST(bad_plans_are_told_with_their_line)
{
    for (size_t i = 0; i < COUNT(bad_plans); i++) {
        struct source src = {.file = STR("plan"), .text = str_c(bad_plans[i].text)};
        AUTO_ERR e = {0};
        assert_false(sim_add_faults(sim, &src, &e));
        str message = err_message(a, &e);
        if (!str_contains(message, str_c(bad_plans[i].why)))
            assert_str(message, str_c(bad_plans[i].why));
    }
}

static const struct {
    const char *text, *why;
} bad_types[] = {
    {"{\"types\":\n{\"A/b\": {\"crate\": {}}}}", "t.json:2:19: type A/b: unknown key \"crate\""},
    {"{\"types\": {\"A\": {}}}", "a type is written Provider/type"},
    {"{\"types\": {\"A/b\": {\"create\": {\"status\": 500}}}}", "status must be 200"},
    {"{\"types\": {\"A/b\": {\"create\": {}}}}", "create needs a status"},
    {"{\"types\": {\"A/b\": {\"rules\": [{\"add\": \"a\"}]}}}", "this rule needs a value"},
    {"{\"types\": {\"A/b\": {\"rules\": [{\"add\": \"a..b\", \"value\": 1}]}}}",
     "must name members"},
    {"{\"types\": {\"A/b\": {\"rules\": [{}]}}}", "a rule needs one of"},
    {"{\"types\": {\"A/b\": {\"rules\": [{\"spell\": \"a\", \"as\": \"loud\"}]}}}",
     "one of display"},
    {"{\"types\": {\"A/b\": {\"mirrors\": {\"c\": {}}}}}", "a mirror needs at"},
    {"[]", "an object is wanted"},
};

TEST(bad_behaviour_is_told_with_its_line)
{
    for (size_t i = 0; i < COUNT(bad_types); i++) {
        struct source src = {.file = STR("t.json"), .text = str_c(bad_types[i].text)};
        AUTO_ERR e = {0};
        assert_false(sim_add_types(sim, &src, &e));
        str message = err_message(a, &e);
        if (!str_contains(message, str_c(bad_types[i].why)))
            assert_str(message, str_c(bad_types[i].why));
    }
}

TEST(rules_change_what_is_shown)
{
    struct source src = {
        .file = STR("t.json"),
        .text =
            STR("{\"types\": {\"Example.Odd/things\": {\"create\": {\"status\": 201, \"poller\": "
                "\"relative\"}, \"rules\": ["
                "{\"add\": \"properties.color\", \"value\": \"red\"},"
                "{\"add\": \"properties.new\", \"value\": 1, \"from\": \"2025-01-01\"},"
                "{\"add\": \"properties.list.[].id\", \"value\": \"$id/x\"},"
                "{\"drop\": \"properties.secret\"},"
                "{\"set\": \"properties.size\", \"value\": 9, \"when\": \"kind\", \"is\": \"big\"},"
                "{\"spell\": \"location\", \"as\": \"display\"},"
                "{\"extend\": \"properties.list\", \"value\": [{\"n\": 3}]},"
                "{\"reverse\": \"properties.order\"},"
                "{\"late\": \"properties.endpoint\"},"
                "{\"early\": \"properties.hint\", \"value\": 1},"
                "{\"add\": \"properties.endpoint\", \"value\": \"$url\"}]}}}")};
    AUTO_ERR e = {0};

    put_group();
    assert_ok(sim_add_types(sim, &src, &e), &e);
    assert_int_equal(ask("PUT", ODD,
                         "{\"location\":\"westus2\",\"kind\":\"big\",\"properties\":{\"secret\":1,"
                         "\"size\":1,\"order\":[1,2,3],\"list\":[{\"n\":1}]}}"),
                     201);
    assert_str(http_header_get(&r.headers, STR("Location")), STR(ODD));
    assert_null(value_get(value_get(answer, STR("properties")), STR("endpoint")));
    assert_non_null(value_get(value_get(answer, STR("properties")), STR("hint")));
    ask("GET", ODD, "");
    str id = STR("\"properties\":{\"size\":9,\"order\":[3,2,1],\"list\":[{\"n\":1,\"id\":\"" ODD
                 "/x\"},{\"n\":3}],\"color\":\"red\",\"endpoint\":\"https://x.example.net/\"}}");
    assert_true(str_has_suffix(r.body, id));
    assert_str(value_get_str(answer, STR("location")), STR("West US 2"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

RUN_TESTS(CASE(the_next_requests_fail_as_often_as_told),
          CASE(a_dropped_connection_comes_after_the_work),
          CASE(properties_change_behind_the_back_and_policies_add_tags),
          CASE(an_operation_can_fail_and_can_be_slow), CASE(counters_and_log_tell_what_was_asked),
          CASE(the_log_says_what_was_created_whatever_the_status),
          CASE(virtual_time_moves_when_told), CASE(bad_plans_are_told_with_their_line),
          CASE(bad_behaviour_is_told_with_its_line), CASE(rules_change_what_is_shown))
