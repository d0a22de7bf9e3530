/* SPDX-License-Identifier: Apache-2.0 */
/* test_operation.c - the requests of an operation until its very end: answers in, steps out. */
#include "../test.h"

#include "support/operation.h"
#include "value/value.h"

#define HOME "https://management.azure.com"
#define THING HOME "/subscriptions/s/x?api-version=1"

/* An answer, and the step that it leads to. */
struct turn {
    struct arm_answer answer;
    enum operation_next next;
    const char *url;
    int64_t wait;
    bool poll;
};

#define ANSWER(status, text) .http = (status), .body = STR_INIT(text), .retry_after = -1
#define ASYNC(url) .async_operation = STR_INIT(url)

static const struct {
    const char *method;
    struct turn turns[5];
    const char *body, *error, *why; /* at the end */
} cases[] = {
    /* The operation is polled where it says, and what it made is read. */
    {"PUT",
     {{{ANSWER(201, "{}"), ASYNC(HOME "/op")}, OPERATION_ASK, HOME "/op", 0, true},
      {{ANSWER(200, "{\"status\":\"Running\"}")}, OPERATION_ASK, HOME "/op", 0, true},
      {{.retry_after = -1}, OPERATION_ASK, HOME "/op", 0, true},
      {{ANSWER(200, "{\"status\":\"Succeeded\"}")}, OPERATION_ASK, THING, 0, false},
      {{ANSWER(200, "{\"name\":\"x\"}")}, OPERATION_DONE, NULL, 0, false}},
     .body = "x"},
    /* Done at once. */
    {"PUT", {{{ANSWER(200, "{\"name\":\"x\"}")}, OPERATION_DONE, NULL, 0, false}}, .body = "x"},
    /* The first request, the operation and the last read may be refused. */
    {"PUT",
     {{{ANSWER(409, "{\"error\":{\"code\":\"Busy\",\"message\":\"m\"}}")},
       OPERATION_FAILED,
       NULL,
       0,
       false}},
     .error = "Busy"},
    {"PUT",
     {{{ANSWER(201, "{}"), ASYNC(HOME "/op")}, OPERATION_ASK, HOME "/op", 0, true},
      {{ANSWER(200, "{\"status\":\"Failed\",\"error\":{\"code\":\"Sku\",\"message\":\"m\"}}")},
       OPERATION_FAILED,
       NULL,
       0,
       false}},
     .error = "Sku"},
    {"PUT",
     {{{ANSWER(201, "{}"), ASYNC(HOME "/op")}, OPERATION_ASK, HOME "/op", 0, true},
      {{ANSWER(200, "{\"status\":\"Succeeded\"}")}, OPERATION_ASK, THING, 0, false},
      {{ANSWER(403, "{\"error\":{\"code\":\"Forbidden\",\"message\":\"m\"}}")},
       OPERATION_FAILED,
       NULL,
       0,
       false}},
     .error = "Forbidden"},
    {"PUT",
     {{{ANSWER(201, "{}"), ASYNC(HOME "/op")}, OPERATION_ASK, HOME "/op", 0, true},
      {{ANSWER(200, "{\"status\":\"Succeeded\"}")}, OPERATION_ASK, THING, 0, false},
      {{.retry_after = -1}, OPERATION_FAILED, NULL, 0, false}},
     .why = "no answer"},
    /* Elsewhere nobody sees our token: the resource tells, or nothing does. */
    {"PUT",
     {{{ANSWER(201, "{}"), ASYNC("https://evil.example/op")}, OPERATION_ASK, THING, 0, true},
      {{ANSWER(200, "{\"properties\":{\"provisioningState\":\"Succeeded\"},\"name\":\"x\"}")},
       OPERATION_DONE,
       NULL,
       0,
       false}},
     .body = "x"},
    {"POST",
     {{{ANSWER(202, ""), ASYNC("https://evil.example/op?sig=planted")},
       OPERATION_FAILED,
       NULL,
       0,
       false}},
     .why = "leads to https://evil.example"},
    /* A deletion has ended when the resource is gone. */
    {"DELETE", {{{ANSWER(404, "{}")}, OPERATION_DONE, NULL, 0, false}}, .body = NULL},
    {"DELETE",
     {{{ANSWER(202, "")}, OPERATION_ASK, THING, 0, false},
      {{ANSWER(200, "{}")}, OPERATION_ASK, THING, 15 * NS_PER_SEC, false},
      {{ANSWER(200, "{}")}, OPERATION_ASK, THING, 15 * NS_PER_SEC, false},
      {{ANSWER(404, "{}")}, OPERATION_DONE, NULL, 0, false}},
     .body = NULL},
    {"DELETE",
     {{{ANSWER(202, "")}, OPERATION_ASK, THING, 0, false},
      {{ANSWER(500, "{\"error\":{\"code\":\"Oops\",\"message\":\"m\"}}")},
       OPERATION_FAILED,
       NULL,
       0,
       false}},
     .error = "Oops"},
};

static const struct operation_about thing = {.url = STR_INIT(THING), .endpoint = STR_INIT(HOME)};

static void check(const struct operation_step *step, const struct turn *turn)
{
    assert_int_equal(step->next, turn->next);
    if (step->next != OPERATION_ASK)
        return;
    assert_str(step->url, str_c(turn->url));
    assert_int_equal(step->poll, turn->poll);
    assert_true(!turn->wait || step->wait == turn->wait);
    assert_int_equal(step->priority, turn->poll ? BUDGET_POLL : BUDGET_USER);
}

TEST(each_answer_leads_to_the_next_question_or_the_end)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        struct operation_about about = thing;
        struct operation_step step;
        struct operation o;
        about.method = str_c(cases[i].method);
        about.priority = BUDGET_USER;
        operation_begin(a, &o, &about, &cases[i].turns[0].answer, &step);
        check(&step, &cases[i].turns[0]);
        for (size_t k = 1; step.next == OPERATION_ASK; k++) {
            operation_step(a, &o, &cases[i].turns[k].answer, &step);
            check(&step, &cases[i].turns[k]);
        }
        assert_str(value_get_str(step.body, STR("name")), str_c(cases[i].body));
        assert_str(step.error.code, str_c(cases[i].error));
        assert_true(str_contains(step.why, str_c(cases[i].why)));
        assert_false(str_contains(step.why, STR("planted")));
    }
}

TEST(what_never_goes_away_is_not_looked_at_for_ever)
{
    AUTO_ARENA a = arena_new();
    const struct arm_answer accepted = {.http = 202, .retry_after = -1};
    const struct arm_answer there = {ANSWER(200, "{}")};
    struct operation_about about = thing;
    struct operation_step step;
    struct operation o;
    unsigned looks = 0;

    about.method = STR("DELETE");
    operation_begin(a, &o, &about, &accepted, &step);
    for (; step.next == OPERATION_ASK; looks++)
        operation_step(a, &o, &there, &step);
    assert_int_equal(looks, 40);
    assert_int_equal(step.next, OPERATION_FAILED);
    assert_true(str_contains(step.why, STR("still there")));
}

TEST(another_process_takes_it_up_by_its_token)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    const struct arm_answer first = {ANSWER(201, "{}"), ASYNC(HOME "/op")};
    struct operation_about about = thing;
    struct operation_step step;
    struct operation o, other;

    about.method = STR("PUT");
    operation_begin(a, &o, &about, &first, &step);
    str token = lro_token(a, &o.lro);
    assert_ok(operation_resume(a, &other, &about, token, &step, &e), &e);
    assert_int_equal(step.next, OPERATION_ASK);
    assert_str(step.url, STR(HOME "/op"));
    about.endpoint = STR("https://management.chinacloudapi.cn");
    assert_false(operation_resume(a, &other, &about, token, &step, &e));
}

RUN_TESTS(cmocka_unit_test(each_answer_leads_to_the_next_question_or_the_end),
          cmocka_unit_test(what_never_goes_away_is_not_looked_at_for_ever),
          cmocka_unit_test(another_process_takes_it_up_by_its_token))
