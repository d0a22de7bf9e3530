/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_lro.c - any sequence of answers to a PUT or DELETE: every operation ends in one of the four
 * ways, its token reads back, and a refusal always has a code and a text.
 *
 * A line is an answer: a digit that picks the status, letters that pick headers, then the body.
 */
#include "arm/lro.h"
#include "arm/rules/rules.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HOST "https://management.azure.com"
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            __builtin_trap();                                                                      \
    } while (0)

static struct arm_answer answer_of(str line)
{
    static const int statuses[] = {200, 201, 202, 204, 400, 404, 429, 500, 0, 302};
    struct arm_answer answer = {.retry_after = -1};
    size_t i = 1;

    if (line.len)
        answer.http = statuses[(unsigned char)line.ptr[0] % COUNT(statuses)];
    for (; i < line.len && line.ptr[i] >= 'a' && line.ptr[i] <= 'z'; i++) {
        if (line.ptr[i] == 'a')
            answer.async_operation = STR(HOST "/a");
        else if (line.ptr[i] == 'o')
            answer.operation_location = STR(HOST "/o");
        else if (line.ptr[i] == 'l')
            answer.location = STR(HOST "/l");
        else if (line.ptr[i] == 'r')
            answer.location = STR("/r");
        else
            answer.retry_after = (line.ptr[i] - 'a') * NS_PER_SEC;
    }
    answer.body = str_from(line, i);
    return answer;
}

static void check_error(struct arena *a, const struct cloud_error *e)
{
    struct error_verdict v;

    CHECK(e->code.len && cloud_error_text(a, e).len);
    rules_classify(a, rules_errors(), &(struct error_facts){.error = e, .method = STR("PUT")}, &v);
    CHECK(v.retry && v.rule.len && v.reason.len);
}

static void check_token(struct arena *a, const struct lro *o)
{
    struct lro back;

    CHECK(lro_resume(a, lro_token(a, o), o->method, STR(HOST), &back, NULL));
    CHECK(str_eq(back.poll_url, o->poll_url) && back.protocol == o->protocol);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_ARENA a = arena_new();
    str rest = {(const char *)data, size}, line = STR_NONE;
    struct arm_answer answer;
    struct lro o;

    str_next_line(&rest, &line);
    answer = answer_of(line);
    lro_begin(a, &o, size % 2 ? STR("PUT") : STR("DELETE"), STR(HOST "/x?api-version=1"), &answer);
    while (o.next == LRO_POLL) {
        CHECK(o.poll_url.len && o.wait >= 0 && o.wait <= LRO_WAIT_MAX);
        check_token(a, &o);
        if (!str_next_line(&rest, &line))
            break;
        answer = answer_of(line);
        lro_step(a, &o, &answer);
    }
    if (o.next == LRO_FAILED)
        check_error(a, &o.error);
    return 0;
}
