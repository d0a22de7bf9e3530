/* SPDX-License-Identifier: Apache-2.0 */
#include "arm_script.h"

#include "text/json.h"

static const str host = STR_INIT("https://management.azure.com");

static str member(const struct value *pattern, const char *key)
{
    return value_text(value_get(pattern, str_c(key)));
}

static int64_t number(const struct value *v)
{
    double d = v ? strtod(value_text(v).ptr, NULL) : 0;

    return (int64_t)(d + 0.5);
}

/* The most frequent key of a count by name: recordings list it first. */
static str first_key(const struct value *counts)
{
    return value_len(counts) ? value_key(&counts->items[0]) : STR_NONE;
}

static bool has_header(const struct value *pattern, const char *name)
{
    const struct value *list = value_get(pattern, STR("headers"));

    for (size_t i = 0; i < value_len(list); i++)
        if (str_eq(value_str(&list->items[i]), str_c(name)))
            return true;
    return false;
}

static int64_t seconds_of(str text)
{
    return text.len ? (int64_t)strtol(text.ptr, NULL, 10) * NS_PER_SEC : -1;
}

/* ---- Answers. ---- */

static str resource_body(struct arena *a, str state)
{
    if (!state.len || str_eq(state, STR("None")))
        return STR("{\"id\":\"x\",\"properties\":{}}");
    return str_fmt(a, "{\"id\":\"x\",\"properties\":{\"provisioningState\":\"%.*s\"}}",
                   STR_ARG(state));
}

static str first_body(struct arena *a, const struct value *p)
{
    str kind = member(p, "initialBody"), state = first_key(value_get(p, STR("initialStates")));

    if (!kind.len && str_eq(member(p, "outcome"), STR("immediate-Succeeded")))
        return resource_body(a, STR("Succeeded"));
    if (!kind.len || str_eq(kind, STR("empty")))
        return STR_NONE;
    if (str_has_prefix(kind, STR("operation{")))
        return str_fmt(a, "{\"status\":\"%.*s\"}", STR_ARG(state));
    if (str_contains(kind, STR("resource")) || str_contains(kind, STR("properties")))
        return resource_body(a, state);
    return STR("{}");
}

static void answer_first(struct arena *a, const struct value *p, struct arm_answer *out)
{
    const struct value *status = value_get(p, STR("initialStatus"));
    str after = value_get_str(value_get(p, STR("example")), STR("retryAfter"));

    *out = (struct arm_answer){.http = (int)number(status ? status : value_get(p, STR("status"))),
                               .body = first_body(a, p),
                               .retry_after = -1};
    if (has_header(p, "Azure-AsyncOperation"))
        out->async_operation = str_concat(a, host, STR("/async?t=1"));
    if (has_header(p, "Location"))
        out->location = str_concat(a, host, STR("/location?t=1"));
    if (has_header(p, "Location (relative)"))
        out->location = STR("/subscriptions/x");
    if (has_header(p, "Retry-After"))
        out->retry_after = after.len ? seconds_of(after) : 15 * NS_PER_SEC;
    if (out->http >= 400 && member(p, "code").len)
        out->body = str_fmt(a, "{\"error\":{\"code\":\"%.*s\",\"message\":\"no\"}}",
                            STR_ARG(member(p, "code")));
}

/* The state of the script at a poll: the states in order, the last one at the last poll. */
static str state_at(const struct arm_script *s)
{
    size_t left = s->wanted > s->polls ? s->wanted - s->polls : 0;
    size_t i = left < s->state_count ? s->state_count - 1 - left : 0;

    return s->state_count ? s->states[i] : STR("Succeeded");
}

/* By the poller: an operation, or an HTTP status with the resource. */
static void answer_poll(struct arena *a, struct arm_script *s, struct arm_answer *out)
{
    const struct value *poll = value_get(value_get(s->pattern, STR("example")), STR("firstPoll"));
    str state, poller = member(s->pattern, "poller");

    s->polls++;
    state = state_at(s);
    *out = (struct arm_answer){.http = 200,
                               .retry_after = seconds_of(value_get_str(poll, STR("retryAfter")))};
    if (s->polls > s->wanted)
        state = STR("Succeeded");
    if (str_has_prefix(state, STR("http "))) {
        out->http = (int)strtol(state.ptr + 5, NULL, 10);
        out->body = out->http >= 500 ? STR("<html><title>Trouble</title></html>") : STR_NONE;
    } else if (str_eq(poller, STR("async"))) {
        out->body = str_fmt(a,
                            "{\"status\":\"%.*s\",\"error\":{\"code\":\"Broken\","
                            "\"message\":\"it broke\"}}",
                            STR_ARG(state));
    } else {
        out->body = resource_body(a, state);
        if (str_eq(poller, STR("location")) && s->polls < s->wanted)
            out->http = 202;
    }
}

/* ---- Running. ---- */

static void read_states(struct arm_script *s)
{
    const struct value *sequences = value_get(s->pattern, STR("stateSequences"));
    str rest = first_key(sequences), state;

    while (rest.len && s->state_count < COUNT(s->states)) {
        str_cut(rest, STR(" > "), &state, &rest);
        s->states[s->state_count++] = state;
    }
    s->wanted = (size_t)number(value_get(value_get(s->pattern, STR("polls")), STR("median")));
}

/* What a pattern of deletions ends with; it lists no states. */
static void end_states(struct arm_script *s)
{
    str outcome = member(s->pattern, "outcome"), poller = member(s->pattern, "poller");

    if (s->state_count)
        return;
    s->states[0] = str_eq(poller, STR("location")) ? STR("http 202") : STR("InProgress");
    s->states[1] = outcome;
    if (str_has_prefix(outcome, STR("http-")))
        s->states[1] = str_eq(outcome, STR("http-204")) ? STR("http 204") : STR("http 200");
    s->state_count = outcome.len ? 2 : 1;
}

void arm_script_run(struct arena *a, const struct value *pattern, struct arm_run *out)
{
    struct arm_script s = {.pattern = pattern};
    struct arm_answer answer;
    str method = member(pattern, "method");

    *out = (struct arm_run){.requests = 1};
    read_states(&s);
    end_states(&s);
    answer_first(a, pattern, &answer);
    lro_begin(a, &out->operation, method.len ? method : STR("DELETE"),
              str_concat(a, host, STR("/x?api-version=1")), &answer);
    while (out->operation.next == LRO_POLL && out->requests < 1000) {
        if (answer.retry_after > out->operation.wait)
            out->too_early = true;
        answer_poll(a, &s, &answer);
        lro_step(a, &out->operation, &answer);
        out->requests++;
    }
    out->requests += out->operation.next == LRO_READ;
}
