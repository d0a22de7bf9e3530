/* SPDX-License-Identifier: Apache-2.0 */
/* types_answer.c - the files of api/sim: how writes are answered and limited. */
#include "sim/types.h"

/* Far beyond any legitimate file. */
#define ANSWERS_MAX 64
#define LIMITS_MAX 1000
#define DAY 86400

/* Enums are ints, so a word can be read into each of them. */
static bool read_poller(struct fields *f, const struct value *v, void *out)
{
    static const struct field_word words[] = {
        {"none", POLLER_NONE},         {"async", POLLER_ASYNC}, {"location", POLLER_LOCATION},
        {"relative", POLLER_RELATIVE}, {"body", POLLER_BODY},   {0}};

    return fields_word(f, v, words, out);
}

static bool read_body(struct fields *f, const struct value *v, void *out)
{
    static const struct field_word words[] = {
        {"resource", BODY_RESOURCE}, {"operation", BODY_OPERATION}, {"started", BODY_STARTED},
        {"empty", BODY_EMPTY},       {"other", BODY_OTHER},         {0}};

    return fields_word(f, v, words, out);
}

bool sim_read_seconds(struct fields *f, const struct value *v, void *out)
{
    return fields_number(f, v, DAY, out);
}

/* Seconds, or a list of them: the first answer, then each poll. */
static bool read_retries(struct fields *f, const struct value *v, void *out)
{
    struct sim_answer *answer = out;

    if (!value_is(v, VALUE_LIST)) {
        answer->retry_count = 1;
        return fields_number(f, v, DAY, &answer->retry_after[0]);
    }
    if (!v->len || v->len > SIM_RETRIES_MAX)
        return fields_fail(f, v, "retryAfter is a number of seconds, or 1 to %d of them",
                           SIM_RETRIES_MAX);
    for (size_t i = 0; i < v->len; i++)
        if (!fields_number(f, &v->items[i], DAY, &answer->retry_after[i]))
            return false;
    answer->retry_count = v->len;
    return true;
}

static bool read_polls(struct fields *f, const struct value *v, void *out)
{
    return fields_number(f, v, 1000, out);
}

static bool read_status(struct fields *f, const struct value *v, void *out)
{
    int64_t status;

    if (!value_to_i64(v, &status) ||
        (status != 200 && status != 201 && status != 202 && status != 204))
        return fields_fail(f, v, "status must be 200, 201, 202 or 204");
    *(int *)out = (int)status;
    return true;
}

/* A state, or those that it goes through, one per line. */
static bool read_running(struct fields *f, const struct value *v, void *out)
{
    struct buf b = buf_new(f->arena, BUF_UNLIMITED);

    if (!value_is(v, VALUE_LIST))
        return fields_text(f, v, out);
    for (size_t i = 0; i < v->len; i++) {
        str state;
        if (!fields_text(f, &v->items[i], &state))
            return false;
        buf_fmt(&b, "%s%.*s", i ? "\n" : "", STR_ARG(state));
    }
    *(str *)out = buf_str(&b);
    return true;
}

/* The members of an operation besides its status. */
static bool read_operation(struct fields *f, const struct value *v, void *out)
{
    static const struct field_word words[] = {
        {"id", OPERATION_ID},
        {"name", OPERATION_NAME},
        {"startTime", OPERATION_START},
        {"endTime", OPERATION_END},
        {"error", OPERATION_ERROR},
        {"percentComplete", OPERATION_PERCENT},
        {"properties", OPERATION_PROPERTIES},
        {"resourceId", OPERATION_RESOURCE},
        {0},
    };
    int64_t *members = out;

    if (!value_is(v, VALUE_LIST))
        return fields_fail(f, v, "operation must be a list of members");
    *members = OPERATION_GIVEN;
    for (size_t i = 0; i < v->len; i++) {
        int word = 0;
        if (!fields_word(f, &v->items[i], words, &word))
            return false;
        *members |= word;
    }
    return true;
}

static bool read_answer(struct fields *f, const struct value *v, struct sim_answer *answer)
{
    static const struct field fields[] = {
        {"absent", sim_read_when_absent, offsetof(struct sim_answer, when)},
        {"body", read_body, offsetof(struct sim_answer, body)},
        {"from", fields_text, offsetof(struct sim_answer, when.from)},
        {"is", sim_read_when_is, offsetof(struct sim_answer, when)},
        {"location", fields_bool, offsetof(struct sim_answer, location)},
        {"operation", read_operation, offsetof(struct sim_answer, members)},
        {"pollStatus", read_status, offsetof(struct sim_answer, poll_status)},
        {"poller", read_poller, offsetof(struct sim_answer, poller)},
        {"polls", read_polls, offsetof(struct sim_answer, polls)},
        {"retryAfter", read_retries, 0},
        {"result", read_status, offsetof(struct sim_answer, result)},
        {"running", read_running, offsetof(struct sim_answer, running)},
        {"state", fields_text, offsetof(struct sim_answer, state)},
        {"status", read_status, offsetof(struct sim_answer, status)},
        {"to", fields_text, offsetof(struct sim_answer, when.to)},
        {"when", sim_read_when, offsetof(struct sim_answer, when)},
        {0},
    };

    if (!fields_read(f, v, fields, answer) || !sim_check_when(f, v, &answer->when))
        return false;
    if (answer->poller != POLLER_NONE && answer->poller != POLLER_RELATIVE &&
        !value_get(v, STR("polls")))
        answer->polls = 1;
    return true;
}

bool sim_read_answers(struct fields *f, const struct value *v, void *out)
{
    struct sim_answers *answers = out;
    size_t count = value_is(v, VALUE_LIST) ? v->len : 1;

    if (!count || count > ANSWERS_MAX)
        return fields_fail(f, v, "%.*s needs 1 to %d answers", STR_ARG(value_key(v)), ANSWERS_MAX);
    for (size_t i = 0; i < count; i++) {
        struct sim_answer answer = {0};
        if (!read_answer(f, value_is(v, VALUE_LIST) ? &v->items[i] : v, &answer))
            return false;
        if (!answer.status)
            return fields_fail(f, v, "%.*s needs a status", STR_ARG(value_key(v)));
        VEC_PUSH(f->arena, answers, answer);
    }
    const struct sim_when *last = &answers->items[answers->len - 1].when;
    if (last->from.len || last->to.len || last->conditions.len)
        return fields_fail(f, v, "the last answer of %.*s must be without conditions",
                           STR_ARG(value_key(v)));
    return true;
}

/* ---- Limits of providers. ----------------------------------------------------------------------
 */

static bool read_kind(struct fields *f, const struct value *v, void *out)
{
    static const struct field_word words[] = {
        {"read", 0}, {"write", 0}, {"delete", 0}, {"change", 0}, {0}};
    int word = 0;

    return fields_word(f, v, words, &word) && fields_text(f, v, out);
}

static bool read_amount(struct fields *f, const struct value *v, void *out)
{
    return fields_number(f, v, 1000000, out);
}

static bool read_limit(struct fields *f, const struct value *v, struct sim_limit *limit)
{
    static const struct field fields[] = {
        {"count", read_amount, offsetof(struct sim_limit, count)},
        {"kind", read_kind, offsetof(struct sim_limit, kind)},
        {"name", fields_text, offsetof(struct sim_limit, name)},
        {"provider", fields_text, offsetof(struct sim_limit, provider)},
        {"seconds", sim_read_seconds, offsetof(struct sim_limit, seconds)},
        {0},
    };

    if (!fields_read(f, v, fields, limit))
        return false;
    if (!limit->provider.len || !limit->name.len || !limit->count || !limit->seconds)
        return fields_fail(f, v, "a limit needs provider, name, count and seconds");
    return true;
}

bool sim_read_limits(struct fields *f, const struct value *v, void *out)
{
    struct sim_limits *limits = out;

    if (!value_is(v, VALUE_LIST) || v->len > LIMITS_MAX)
        return fields_fail(f, v, "limits must be a list of at most %d", LIMITS_MAX);
    for (size_t i = 0; i < v->len; i++) {
        struct sim_limit limit = {0};
        if (!read_limit(f, &v->items[i], &limit))
            return false;
        VEC_PUSH(f->arena, limits, limit);
    }
    return true;
}
