/* SPDX-License-Identifier: Apache-2.0 */
/* arm_wait.c - blocking calls, one at a time; see arm_wait.h. */
#include "support/arm_wait.h"

#include "arm/arm_internal.h"
#include "support/operation.h"

void arm_wait_end(struct arm_wait *w)
{
    if (w->last)
        arm_pipe_release(w->pipe, w->last);
    w->last = NULL;
}

bool arm_wait_send(struct arm_wait *w, const struct arm_call *call, struct arm_result *result,
                   struct err *e)
{
    bool started = arm_pipe_start(w->pipe, w->arm, call, NULL, e);

    arm_wait_end(w);
    *result = (struct arm_result){.retry_after = -1};
    if (!started)
        return false;
    w->last = arm_pipe_next(w->pipe);
    *result = w->last->result;
    return w->last->ok || err_copy(e, &w->last->failure);
}

/* ---- Operations. ---- */

static struct arm_call reading(const struct arm_call *call)
{
    struct arm_call get = *call;

    get.method = STR("GET");
    get.body = get.action = STR_NONE;
    return get;
}

static struct operation_about about(struct arm_wait *w, struct arena *a,
                                    const struct arm_call *call)
{
    const struct arm_call get = reading(call);

    return (struct operation_about){.method = call->method,
                                    .url = arm_url(w->arm, a, call),
                                    .resource = arm_url(w->arm, a, &get),
                                    .endpoint = w->arm->settings->cloud.endpoint,
                                    .priority = call->priority};
}

/* An answer that outlives its call. */
static struct arm_answer keep(struct arena *a, const struct arm_result *result)
{
    struct arm_answer answer = arm_answer_of(result);
    str *const texts[] = {&answer.body, &answer.async_operation, &answer.operation_location,
                          &answer.location, &answer.request_id};

    for (size_t i = 0; i < COUNT(texts); i++)
        *texts[i] = str_copy(a, *texts[i]);
    return answer;
}

static bool failed(struct arm_wait *w, struct arena *a, const struct arm_call *call,
                   const struct operation *o, const struct operation_step *step,
                   struct arm_result *result, struct err *e)
{
    const struct arm_call get = reading(call), *sent = o->reads ? &get : call;
    const struct error_facts facts = {.error = &result->error,
                                      .method = sent->method,
                                      .group = sent->group,
                                      .kind = sent->kind,
                                      .api_version = sent->api_version};

    if (!step->error.http && step->why.len)
        return err_set_str(e, step->kind, step->why);
    result->error = step->error;
    rules_classify(a, w->arm->config.rules, &facts, &result->verdict);
    return arm_refused(a, result, e);
}

/* Makes the request of the step and takes the answer. */
static bool ask(struct arm_wait *w, struct arena *a, const struct arm_call *call,
                struct operation *o, struct operation_step *step, struct arm_result *result,
                struct err *e)
{
    struct arm_call get = reading(call);
    struct arm_answer answer = {.retry_after = -1};
    AUTO_ERR failure = {0};

    get.priority = step->priority;
    get.address = step->poll ? step->url : STR_NONE;
    if (arm_wait_send(w, &get, result, &failure) || result->status)
        answer = keep(a, result);
    else if (!step->poll || failure.kind != ERR_IO)
        return err_copy(e, &failure);
    operation_step(a, o, &answer, step);
    return true;
}

/*
 * Goes on while only the resource is left to be read, but not before a Retry-After of the last
 * answer.
 */
static bool conclude(struct arm_wait *w, struct arena *a, const struct arm_call *call,
                     struct operation *o, struct operation_step *step, struct arm_result *result,
                     struct err *e)
{
    while (step->next == OPERATION_ASK && o->reads && (o->looks || step->wait <= 0)) {
        clock_sleep(step->wait);
        if (!ask(w, a, call, o, step, result, e))
            return false;
    }
    if (step->next == OPERATION_FAILED)
        return failed(w, a, call, o, step, result, e);
    if (step->next == OPERATION_DONE)
        result->body = step->text;
    return true;
}

bool arm_wait_begin(struct arm_wait *w, struct arena *a, const struct arm_call *call,
                    struct lro *operation, struct arm_result *result, struct err *e)
{
    const struct operation_about what = about(w, a, call);
    struct operation_step step;
    struct operation o;
    struct arm_answer first;
    AUTO_ERR failure = {0};
    bool ok;

    if (!arm_wait_send(w, call, result, &failure) && !result->status)
        return err_copy(e, &failure);
    first = keep(a, result);
    operation_begin(a, &o, &what, &first, &step);
    ok = conclude(w, a, call, &o, &step, result, e);
    *operation = o.lro;
    return ok;
}

bool arm_wait_resume(struct arm_wait *w, struct arena *a, const struct arm_call *call, str token,
                     struct lro *operation, struct err *e)
{
    const struct operation_about what = about(w, a, call);
    struct operation_step step;
    struct operation o;

    if (!operation_resume(a, &o, &what, token, &step, e))
        return false;
    *operation = o.lro;
    return true;
}

bool arm_wait_poll(struct arm_wait *w, struct arena *a, const struct arm_call *call,
                   struct lro *operation, struct arm_result *result, struct err *e)
{
    const struct operation_about what = about(w, a, call);
    struct operation_step step;
    struct operation o;
    bool ok;

    assert(operation->next == LRO_POLL || operation->next == LRO_READ);
    operation->wait = 0;
    operation_take_up(a, &o, &what, operation, &step);
    ok = (step.next != OPERATION_ASK || o.reads || ask(w, a, call, &o, &step, result, e)) &&
         conclude(w, a, call, &o, &step, result, e);
    *operation = o.lro;
    return ok;
}

bool arm_wait_follow(struct arm_wait *w, struct arena *a, const struct arm_call *call,
                     struct lro *operation, struct arm_result *result, struct err *e)
{
    while (operation->next == LRO_POLL || operation->next == LRO_READ) {
        clock_sleep(operation->wait);
        if (!arm_wait_poll(w, a, call, operation, result, e))
            return false;
    }
    return true;
}
