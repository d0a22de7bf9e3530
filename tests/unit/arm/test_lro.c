/* SPDX-License-Identifier: Apache-2.0 */
/* test_lro.c - long-running operations: ends, waiting, tokens. */
#include "../test.h"

#include "arm/lro.h"

#define HOST "https://management.azure.com"
#define URL HOST "/subscriptions/s/x?api-version=1"

static const struct {
    const char *method;
    struct arm_answer first;
    enum lro_protocol protocol;
    enum lro_next next;
} firsts[] = {
    {"PUT", {.http = 200, .body = STR_INIT("{}"), .retry_after = -1}, LRO_NONE, LRO_DONE},
    {"PUT",
     {.http = 201,
      .location = STR_INIT("/subscriptions/s/x"),
      .retry_after = -1,
      .body = STR_INIT("{}")},
     LRO_NONE,
     LRO_DONE},
    {"PUT", {.http = 202, .location = STR_INIT("/op"), .retry_after = -1}, LRO_LOCATION, LRO_POLL},
    {"PUT", {.http = 202, .retry_after = -1}, LRO_RESOURCE, LRO_POLL},
    {"PUT",
     {.http = 201,
      .body = STR_INIT("{\"properties\":{\"provisioningState\":\"Creating\"}}"),
      .retry_after = -1},
     LRO_RESOURCE,
     LRO_POLL},
    {"PUT",
     {.http = 201,
      .async_operation = STR_INIT(HOST "/a"),
      .retry_after = -1,
      .body = STR_INIT("{\"properties\":{\"provisioningState\":\"SUCCEEDED\"}}")},
     LRO_ASYNC,
     LRO_DONE},
    {"PUT",
     {.http = 200,
      .operation_location = STR_INIT(HOST "/o"),
      .retry_after = -1,
      .body = STR_INIT("{\"status\":\"running\"}")},
     LRO_OPERATION,
     LRO_POLL},
    {"PUT", {.http = 409, .retry_after = -1}, LRO_NONE, LRO_FAILED},
    {"DELETE", {.http = 404, .retry_after = -1}, LRO_NONE, LRO_DONE},
    {"DELETE", {.http = 204, .retry_after = -1}, LRO_NONE, LRO_DONE},
    {"DELETE", {.http = 202, .retry_after = -1}, LRO_NONE, LRO_READ},
};

TEST(the_first_answer_chooses_the_protocol)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(firsts); i++) {
        struct lro o;
        lro_begin(a, &o, str_c(firsts[i].method), STR(URL), &firsts[i].first);
        assert_int_equal(o.next, firsts[i].next);
        assert_int_equal(o.protocol, firsts[i].protocol);
    }
}

static struct lro started(struct arena *a, const char *method)
{
    struct lro o;

    lro_begin(a, &o, str_c(method), STR(URL),
              &(struct arm_answer){.http = 202,
                                   .async_operation = STR(HOST "/a?t=1&c=2"),
                                   .retry_after = 3 * NS_PER_SEC});
    return o;
}

TEST(retry_after_is_honoured_and_limited)
{
    AUTO_ARENA a = arena_new();
    struct lro o = started(a, "PUT");

    assert_int_equal(o.wait, 3 * NS_PER_SEC);
    lro_step(a, &o,
             &(struct arm_answer){.http = 200,
                                  .body = STR("{\"status\":\"Enqueued\"}"),
                                  .retry_after = 99999 * NS_PER_SEC});
    assert_int_equal(o.next, LRO_POLL);
    assert_int_equal(o.wait, LRO_WAIT_MAX);
    /* As without a hint: seconds, or polls would use up what Azure allows everybody. */
    lro_step(a, &o,
             &(struct arm_answer){
                 .http = 200, .body = STR("{\"status\":\"Enqueued\"}"), .retry_after = 0});
    assert_int_equal(o.next, LRO_POLL);
    assert_true(o.wait >= 5 * NS_PER_SEC);
}

TEST(a_wait_is_honoured_before_the_last_look_too)
{
    AUTO_ARENA a = arena_new();
    struct lro o = started(a, "PUT"), quick = o;

    lro_step(a, &o,
             &(struct arm_answer){.http = 200,
                                  .body = STR("{\"status\":\"Succeeded\"}"),
                                  .retry_after = 7 * NS_PER_SEC});
    assert_int_equal(o.next, LRO_READ);
    assert_int_equal(o.wait, 7 * NS_PER_SEC);
    lro_step(a, &quick,
             &(struct arm_answer){
                 .http = 200, .body = STR("{\"status\":\"Succeeded\"}"), .retry_after = -1});
    assert_int_equal(quick.wait, 0);
}

TEST(a_poll_that_fails_does_not_end_the_operation)
{
    AUTO_ARENA a = arena_new();
    struct lro o = started(a, "PUT");

    for (int i = 0; i < LRO_TROUBLE_MAX; i++) {
        lro_step(a, &o, &(struct arm_answer){.http = i % 2 ? 503 : 0, .retry_after = -1});
        assert_int_equal(o.next, LRO_POLL);
    }
    struct lro gone = o;
    lro_step(a, &gone, &(struct arm_answer){.http = 500, .retry_after = -1});
    assert_int_equal(gone.next, LRO_FAILED);
    lro_step(a, &o, &(struct arm_answer){.http = 200, .body = STR("{\"status\":\"succeeded\"}")});
    assert_int_equal(o.next, LRO_READ);
    assert_str(o.final_url, STR(URL));
}

TEST(a_bad_end_has_its_error)
{
    AUTO_ARENA a = arena_new();
    struct lro o = started(a, "PUT");

    lro_step(a, &o,
             &(struct arm_answer){.http = 200,
                                  .body = STR("{\"status\":\"Failed\",\"error\":{\"code\":\"C\","
                                              "\"message\":\"m\"}}")});
    assert_int_equal(o.next, LRO_FAILED);
    assert_str(o.error.code, STR("C"));
}

TEST(a_lost_operation_is_looked_up)
{
    AUTO_ARENA a = arena_new();
    struct lro o = started(a, "DELETE");

    lro_step(a, &o, &(struct arm_answer){.http = 404, .retry_after = -1});
    assert_int_equal(o.next, LRO_READ);
}

TEST(tokens_are_those_of_the_reference_operator)
{
    AUTO_ARENA a = arena_new();
    struct lro o = started(a, "PUT"), back;
    AUTO_ERR e = {0};

    assert_str(lro_token(a, &o),
               STR("{\"type\":\"GenericResource\",\"token\":{\"asyncURL\":\"" HOST
                   "/a?t=1\\u0026c=2\",\"locURL\":\"\",\"origURL\":\"" URL
                   "\",\"method\":\"PUT\",\"finalState\":\"\",\"state\":\"InProgress\"}}"));
    assert_ok(lro_resume(a, lro_token(a, &o), STR("PUT"), STR(HOST), &back, &e), &e);
    assert_int_equal(back.next, LRO_POLL);
    assert_int_equal(back.protocol, LRO_ASYNC);
    assert_str(back.poll_url, o.poll_url);
    assert_str(back.url, o.url);
}

static const struct {
    const char *token, *want;
} refused[] = {
    {"", "the token of the operation is broken: unexpected end of JSON input"},
    {"{}", "the token of the operation is about \"\", not GenericResource"},
    {"{\"type\":\"GenericDeleteResponse\"}",
     "the token of the operation is about \"GenericDeleteResponse\", not GenericResource"},
    {"{\"type\":\"GenericResource\",\"token\":{}}",
     "the token of the operation names no way to follow it"},
    {"{\"type\":\"GenericResource\",\"token\":{\"type\":\"loc\",\"pollURL\":\"https://evil/x\"}}",
     "the operation would be followed to https://evil/x, which is not " HOST
     ": rejected, the operation is started again"},
    {"{\"type\":\"GenericResource\",\"token\":{\"type\":\"loc\",\"pollURL\":\"" HOST ".evil/x\"}}",
     "the operation would be followed to " HOST ".evil/x, which is not " HOST
     ": rejected, the operation is started again"},
};

TEST(foreign_tokens_are_refused)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(refused); i++) {
        AUTO_ERR e = {0};
        struct lro o;
        assert_false(lro_resume(a, str_c(refused[i].token), STR("PUT"), STR(HOST), &o, &e));
        assert_str(e.text, str_c(refused[i].want));
    }
}

static const struct {
    const char *url, *endpoint;
    bool home;
} places[] = {
    {"https://management.azure.com/op", "https://management.azure.com", true},
    {"https://MANAGEMENT.azure.com:443/op?x", "https://management.azure.com", true},
    {"https://eastus2.management.azure.com/op", "https://management.azure.com", true},
    {"https://a.b.Management.azure.com/op", "https://management.azure.com", true},
    {"http://127.0.0.1:8642/op", "http://127.0.0.1:8642", true},
    {"http://127.0.0.1:8643/op", "http://127.0.0.1:8642", false},
    {"https://management.azure.com:444/op", "https://management.azure.com", false},
    {"http://management.azure.com/op", "https://management.azure.com", false},
    {"http://eastus2.localhost/op", "http://localhost", false},
    {"https://evilmanagement.azure.com/op", "https://management.azure.com", false},
    {"https://azure.com/op", "https://management.azure.com", false},
    {"https://management.azure.com.evil.example/op", "https://management.azure.com", false},
    {"https://evil.example/.management.azure.com", "https://management.azure.com", false},
    {"https://evil.example#.management.azure.com", "https://management.azure.com", false},
    {"https://evil.example?.management.azure.com", "https://management.azure.com", false},
    {"https://evil.example\\.management.azure.com/", "https://management.azure.com", false},
    {"https://u:p@eastus2.management.azure.com/op", "https://management.azure.com", false},
    {"https://evil@management.azure.com/op", "https://management.azure.com", false},
    {"https://.management.azure.com/op", "https://management.azure.com", false},
    {"https://a_b.management.azure.com/op", "https://management.azure.com", false},
    {"https://1.127.0.0.1/op", "https://127.0.0.1", false},
    {"//eastus2.management.azure.com/op", "https://management.azure.com", false},
    {"/op", "https://management.azure.com", false},
    {"", "https://management.azure.com", false},
};

TEST(tokens_are_shown_to_resource_manager_only)
{
    for (size_t i = 0; i < COUNT(places); i++) {
        bool home = lro_is_home(str_c(places[i].url), str_c(places[i].endpoint));
        if (home != places[i].home)
            print_error("%s at %s\n", places[i].url, places[i].endpoint);
        assert_int_equal(home, places[i].home);
    }
}

RUN_TESTS(cmocka_unit_test(the_first_answer_chooses_the_protocol),
          cmocka_unit_test(tokens_are_shown_to_resource_manager_only),
          cmocka_unit_test(retry_after_is_honoured_and_limited),
          cmocka_unit_test(a_wait_is_honoured_before_the_last_look_too),
          cmocka_unit_test(a_poll_that_fails_does_not_end_the_operation),
          cmocka_unit_test(a_bad_end_has_its_error),
          cmocka_unit_test(a_lost_operation_is_looked_up),
          cmocka_unit_test(tokens_are_those_of_the_reference_operator),
          cmocka_unit_test(foreign_tokens_are_refused))
