/* SPDX-License-Identifier: Apache-2.0 */
/* follow.c - polls an operation under way until it ends. */
#include "operator/internal.h"

/* Resumes the operation noted on the object. False: the token is useless. */
static bool resume(struct pass *p)
{
    bool deleting = object_is_deleting(p->object);

    if (!lro_resume(p->arena, object_annotation(p->object, STR(ANNOTATION_POLL_TOKEN)),
                    deleting ? STR("DELETE") : STR("PUT"), p->account.endpoint, &p->operation,
                    NULL))
        return false;
    if (!p->operation.url.len)
        p->operation.url = pass_url(p);
    if (!str_to_i64(object_annotation(p->object, STR(ANNOTATION_GENERATION)), &p->generation))
        p->generation = 0;
    /* A PUT of that generation is under way: its result says nothing about a newer one. */
    p->tried = !deleting && p->generation;
    p->following = true;
    return true;
}

/* The operation after a poll lives with the answer, so that the previous one can be freed. */
static void take_poll(struct pass *p, const struct arm_answer *answer)
{
    struct arena *a = p->polls[p->polled] ? p->polls[p->polled] : p->arena;
    struct lro *o = &p->operation;

    lro_step(a, o, answer);
    o->method = str_copy(a, o->method);
    o->url = str_copy(a, o->url);
    o->poll_url = str_copy(a, o->poll_url);
    o->final_url = str_copy(a, o->final_url);
    o->state = str_copy(a, o->state);
}

static struct pass_step ended(struct pass *p)
{
    bool deleting = str_eq(p->operation.method, STR("DELETE"));

    p->drop_token = true;
    p->following = false;
    if (p->operation.next == LRO_FAILED)
        return step_refused(p, p->operation.method, &p->operation.error);
    p->sent = true;
    if (deleting)
        return step_to(STATE_REMOVE);
    /* If it was resumed from the token, the payload is not known yet. */
    return step_to(p->request.body || pass_policy(p) == POLICY_SKIP ? STATE_READ : STATE_GATHER);
}

/* Before the next request: a poll, or the look at the resource if the end asks for a wait, too. */
static bool must_wait(const struct pass *p)
{
    const struct lro *o = &p->operation;

    return !p->paused && (o->next == LRO_POLL || (o->next == LRO_READ && o->wait > 0));
}

struct pass_step state_follow(struct pass *p)
{
    const struct arm_answer *answer = pass_answer(p);

    if (!p->following && !resume(p)) {
        p->drop_token = true;
        return object_is_deleting(p->object) ? step_to(STATE_REMOVE) : look_onward(p);
    }
    if (answer)
        take_poll(p, answer);
    /* An address that is not Azure's must not see our token: read the resource itself. */
    if (p->operation.next == LRO_POLL && !lro_is_home(p->operation.poll_url, p->account.endpoint) &&
        !lro_stay_home(&p->operation))
        return step_explain(p, "Error", "Failed",
                            STR("the address of the operation is not of Resource Manager"));
    if (must_wait(p))
        return step_pause(p->operation.wait);
    p->paused = false;
    if (p->operation.next != LRO_POLL)
        return ended(p);
    p->priority = PRIORITY_POLL;
    return step_arm(p, ARM_GET, p->operation.poll_url, NULL);
}
