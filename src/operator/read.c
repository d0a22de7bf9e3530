/* SPDX-License-Identifier: Apache-2.0 */
/*
 * read.c - reads the resource from Azure.
 *
 * An operation may succeed and still leave a resource in state Failed, which is a failure like any
 * other. For three kinds, Azure only reports whether they exist.
 */
#include "operator/internal.h"

#include "base/clock.h"

str read_state(const struct value *body)
{
    return value_get_str(value_get(body, STR("properties")), STR("provisioningState"));
}

bool read_has_failed(const struct value *body)
{
    bool well = true;

    return lro_state_ends(read_state(body), &well) && !well;
}

bool read_is_busy(const struct value *body)
{
    str state = read_state(body);
    bool well;

    return state.len && !lro_state_ends(state, &well);
}

/* The first retry, and the longest pause between two of them. */
#define FAILED_DELAY (60 * NS_PER_SEC)
#define FAILED_DELAY_MAX (86400 * NS_PER_SEC)

int64_t read_retry_delay(const struct pass *p)
{
    int64_t delay = FAILED_DELAY;

    for (uint32_t i = 0; i < p->card->attempt && delay < FAILED_DELAY_MAX; i++)
        delay *= 2;
    return delay < FAILED_DELAY_MAX ? delay : FAILED_DELAY_MAX;
}

/* How far clocks of different machines may differ. */
#define CLOCKS_DIFFER (60 * NS_PER_SEC)

/* Stamps order as texts. */
static bool is_after(str stamp, int64_t time)
{
    char text[CLOCK_STAMP];

    clock_stamp(time, text);
    return str_cmp(str_slice(stamp, 0, 19), str_of(text, 19)) > 0;
}

/*
 * A change of the spec does not wait: it is a separate cause. A noted time is never further away
 * than the longest pause, unless the clock was set back since: then do not wait any longer.
 */
bool read_may_retry(const struct pass *p)
{
    str next = memory_text(p, "nextRetry");
    int64_t longest = read_retry_delay(p), period = explain_period(p);

    longest = (longest > period ? longest : period) + CLOCKS_DIFFER;
    return !next.len || !is_after(next, p->now) || is_after(next, p->now + longest);
}

static bool head_only(const struct pass *p)
{
    return (p->resource->operations & (MODEL_GET | MODEL_HEAD)) == MODEL_HEAD;
}

struct pass_step read_ask(struct pass *p)
{
    return step_arm(p, head_only(p) ? ARM_HEAD : ARM_GET, pass_url(p), NULL);
}

/* Whether the body is an error that was sent with a success status. */
static bool is_refusal(const struct value *body)
{
    return value_is(value_get(body, STR("error")), VALUE_OBJECT) && !value_get(body, STR("id"));
}

/* A kind whose existence is all that Azure reports counts as it was sent. */
static struct value *body_of(struct pass *p, const struct arm_answer *answer)
{
    if (!head_only(p)) {
        struct value *body = answer->http == 200 ? pass_read_json(p, answer->body) : NULL;
        return is_refusal(body) ? NULL : body;
    }
    if (answer->http != 200 && answer->http != 204)
        return NULL;
    return p->request.body ? value_clone(p->arena, p->request.body) : value_object(p->arena);
}

/* Within READ, if a list is requested first. */
enum { PHASE_LIST = 1, PHASE_SAMPLE };
/* How long to wait until another object has listed the collection. */
#define SWEEP_WAIT_TIME (20 * NS_PER_SEC)

/* The payload may not be known yet. */
static struct pass_step judge(const struct pass *p)
{
    return step_to(p->ungathered ? STATE_GATHER : STATE_SHAPE);
}

/* Starts the look: with a list that has the resource, or could have it. */
static struct pass_step begin(struct pass *p)
{
    bool lists = p->sweeps && !p->sent && !p->card->suspect && !head_only(p);
    str out;

    p->card->suspect = false;
    switch (lists ? sweep_ask(p->sweeps, p, p->now, &out) : SWEEP_GET) {
    case SWEEP_BODY:
        if (calm_is(p, out)) {
            p->listed = true;
            return calm_end(p);
        }
        p->body = pass_read_json(p, out);
        p->listed = p->body != NULL;
        return p->listed ? judge(p) : read_ask(p);
    case SWEEP_LIST:
        p->phase = PHASE_LIST;
        return step_arm(p, ARM_GET, out, NULL);
    case SWEEP_WAIT:
        return step_rest(SWEEP_WAIT_TIME);
    case SWEEP_GET:
        break;
    }
    return read_ask(p);
}

struct pass_step state_read(struct pass *p)
{
    const struct arm_answer *answer = pass_answer(p);
    struct pass_step otherwise;
    struct cloud_error error;
    str next;

    if (!answer)
        return pass_may_ask(p, &otherwise) ? begin(p) : otherwise;
    if (p->phase == PHASE_LIST) {
        if (sweep_page(p, answer, p->now, &next))
            return step_arm(p, ARM_GET, next, NULL);
        p->phase = PHASE_SAMPLE;
        return read_ask(p);
    }
    if (!p->phase && answer->http == 200 && calm_is(p, answer->body))
        return calm_end(p);
    p->body = body_of(p, answer);
    if (p->phase == PHASE_SAMPLE)
        sweep_sample(p, p->now);
    if (!p->body && (answer->http != 404 || p->sent)) {
        /* The operation succeeded but left nothing: the next pass starts over. */
        p->drop_token = p->sent;
        return step_answer_refused(p, STR("GET"), answer);
    }
    if (!p->sent)
        return judge(p);
    if (read_has_failed(p->body)) {
        cloud_error_from(p->arena, 200, p->body, &error);
        error.retry_after = -1;
        return step_refused(p, STR("PUT"), &error);
    }
    return step_to(STATE_LEARN);
}
