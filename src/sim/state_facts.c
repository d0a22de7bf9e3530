/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_facts.c - what a state file has in addition to resources: operations with their polls,
 * providers and their registration, how often each resource was rejected, the activity log,
 * counters, randomness and time. Each is a fact: a kind, a key, and an object as JSON.
 *
 * To add a kind: a function that restores it, a line in the table, and sim_database_fact where it
 * changes.
 */
#include "sim/internal.h"

#include <string.h>

/* ---- Numbers and texts by their offset in a struct. ---------------------------------------------
 * */

static void numbers_out(struct arena *a, struct value *v, const struct sim_place *places,
                        size_t count, const void *from)
{
    for (size_t i = 0; i < count; i++)
        value_set_int(a, v, str_c(places[i].name),
                      *(const int64_t *)((const char *)from + places[i].offset));
}

static bool numbers_in(const struct value *v, const struct sim_place *places, size_t count,
                       void *to)
{
    for (size_t i = 0; i < count; i++)
        if (!value_to_i64(value_get(v, str_c(places[i].name)),
                          (int64_t *)((char *)to + places[i].offset)))
            return false;
    return true;
}

/* ---- The simulator itself. ---------------------------------------------------------------------
 */

void sim_keep_counters(struct sim *s, struct arena *a)
{
    struct value *v;

    if (!s->database)
        return;
    v = value_object(a);
    numbers_out(a, v, sim_counters, SIM_COUNTERS, &s->counters);
    value_set_int(a, v, STR("time"), s->time);
    value_set_int(a, v, STR("chance"), (int64_t)s->chance);
    sim_database_fact(s->database, "simulator", STR("now"), sim_json(a, v));
}

static bool take_counters(struct sim *s, str key, const struct value *v)
{
    int64_t chance;

    (void)key;
    if (!numbers_in(v, sim_counters, SIM_COUNTERS, &s->counters) ||
        !value_to_i64(value_get(v, STR("time")), &s->time) ||
        !value_to_i64(value_get(v, STR("chance")), &chance))
        return false;
    s->chance = (uint64_t)chance;
    return true;
}

/* ---- Operations. -------------------------------------------------------------------------------
 */

static const struct sim_place operation_numbers[] = {
    {"polls", offsetof(struct sim_operation, polls)},
    {"started", offsetof(struct sim_operation, started)},
    {"ends", offsetof(struct sim_operation, ends)},
    {"wanted", offsetof(struct sim_operation, answer.polls)},
    {"members", offsetof(struct sim_operation, answer.members)},
};

static const struct sim_place operation_texts[] = {
    {"target", offsetof(struct sim_operation, target)},
    {"code", offsetof(struct sim_operation, code)},
    {"message", offsetof(struct sim_operation, message)},
    {"state", offsetof(struct sim_operation, answer.state)},
    {"running", offsetof(struct sim_operation, answer.running)},
};

void sim_keep_operation(struct sim *s, struct arena *a, const struct sim_operation *o)
{
    struct value *v, *retries;

    if (!s->database)
        return;
    v = value_object(a);
    numbers_out(a, v, operation_numbers, COUNT(operation_numbers), o);
    for (size_t i = 0; i < COUNT(operation_texts); i++)
        value_set_str(a, v, str_c(operation_texts[i].name),
                      *(const str *)((const char *)o + operation_texts[i].offset));
    value_set_int(a, v, STR("outcome"), o->outcome);
    value_set_int(a, v, STR("poller"), o->answer.poller);
    value_set_int(a, v, STR("pollStatus"), o->answer.poll_status);
    value_set_int(a, v, STR("result"), o->answer.result);
    value_set_bool(a, v, STR("location"), o->answer.location);
    value_set_bool(a, v, STR("deletes"), o->deletes);
    value_set_bool(a, v, STR("creates"), o->creates);
    retries = value_set(a, v, STR("retryAfter"), value_list(a));
    for (size_t i = 0; i < o->answer.retry_count; i++)
        value_add(a, retries, value_int(a, o->answer.retry_after[i]));
    sim_database_fact(s->database, "operation", o->node.key, sim_json(a, v));
}

/* Reads a status of an answer, or 0. */
static bool take_status(const struct value *v, const char *name, int *out)
{
    int64_t status;

    if (!value_to_i64(value_get(v, str_c(name)), &status) ||
        (status && (status < 200 || status > 204)))
        return false;
    *out = (int)status;
    return true;
}

static bool take_answer(struct sim_operation *o, const struct value *v)
{
    const struct value *retries = value_get(v, STR("retryAfter"));
    int64_t outcome, poller;

    if (!take_status(v, "pollStatus", &o->answer.poll_status) ||
        !take_status(v, "result", &o->answer.result))
        return false;
    if (!value_to_i64(value_get(v, STR("outcome")), &outcome) || outcome < 0 ||
        outcome > OUTCOME_FAILED || !value_to_i64(value_get(v, STR("poller")), &poller) ||
        poller < 0 || poller > POLLER_BODY || value_len(retries) > SIM_RETRIES_MAX)
        return false;
    o->outcome = (enum sim_outcome)outcome;
    o->answer.poller = (enum sim_poller)poller;
    o->answer.location = value_is_true(value_get(v, STR("location")));
    o->deletes = value_is_true(value_get(v, STR("deletes")));
    o->creates = value_is_true(value_get(v, STR("creates")));
    o->answer.retry_count = value_len(retries);
    for (size_t i = 0; i < o->answer.retry_count; i++)
        if (!value_to_i64(&retries->items[i], &o->answer.retry_after[i]))
            return false;
    return true;
}

static bool take_operation(struct sim *s, str key, const struct value *v)
{
    struct sim_operation *o = sim_operation_add(s, key);
    AUTO_ARENA a = arena_new();

    if (!numbers_in(v, operation_numbers, COUNT(operation_numbers), o) || !take_answer(o, v))
        return false;
    for (size_t i = 0; i < COUNT(operation_texts); i++)
        sim_keep((str *)((char *)o + operation_texts[i].offset),
                 value_get_str(v, str_c(operation_texts[i].name)));
    struct sim_resource *r = sim_store_find(a, s->store, o->target);
    if (r && o->outcome == OUTCOME_RUNNING)
        r->operation = o;
    return true;
}

/* ---- By kind. ----------------------------------------------------------------------------------
 */

static const struct {
    const char *kind;
    bool (*take)(struct sim *s, str key, const struct value *v);
} kinds[] = {
    {"activity", sim_take_activity}, {"attempt", sim_take_attempt}, {"operation", take_operation},
    {"provider", sim_take_provider}, {"simulator", take_counters},
};

bool sim_remember(struct sim *s, struct arena *a, str kind, str key, str text)
{
    const struct value *v = sim_parse(a, text);

    for (size_t i = 0; i < COUNT(kinds); i++)
        if (str_eq(kind, str_c(kinds[i].kind)))
            return kinds[i].take(s, key, v);
    return false;
}
