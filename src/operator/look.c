/* SPDX-License-Identifier: Apache-2.0 */
/* look.c - the start of every pass, also after a crash: the object shows how far it has got. */
#include "operator/internal.h"

/* How often it has failed in a row, even after a restart. */
static uint32_t memory_attempt(const struct pass *p)
{
    int64_t attempt;

    return value_to_i64(memory_get(p, "attempt"), &attempt) && attempt > 0 && attempt < 1000
               ? (uint32_t)attempt
               : 0;
}

static bool is_anothers(const struct pass *p)
{
    str namespace = object_annotation(p->object, STR(ANNOTATION_OPERATOR_NAMESPACE));

    return namespace.len && !str_eq(namespace, p->config->namespace) && !p->config->take_over;
}

/* The answer to a write was lost: the API server's version shows how new a view must be. */
struct pass_step state_refresh(struct pass *p)
{
    const struct arm_answer *answer = pass_answer(p);
    const struct value *object;

    if (!answer)
        return step_kube(p, KUBE_GET, pass_path(p, ""), NULL);
    if (answer->http == 404)
        return (struct pass_step){.kind = STEP_FORGET};
    if (answer->http != 200 || !(object = pass_read_json(p, answer->body)))
        return step_rest(5 * NS_PER_SEC);
    p->card->unsure = false;
    p->card->version = object_version(object);
    return step_to(STATE_LOOK);
}

struct pass_step look_onward(struct pass *p)
{
    if (!p->drop_token &&
        str_eq(object_annotation(p->object, STR(ANNOTATION_POLL_ID)), STR(POLLER_PUT)))
        return step_to(STATE_FOLLOW);
    /* Under "skip" nothing is sent, so nothing is gathered. */
    if (pass_policy(p) == POLICY_SKIP)
        return step_to(STATE_READ);
    p->ungathered = calm_may_be(p);
    return step_to(p->ungathered ? STATE_READ : STATE_GATHER);
}

static struct pass_step leave(struct pass *p)
{
    if (!p->card->overlaps)
        pass_report(
            p, true, "Overlap", STR_NONE,
            str_fmt(p->arena, "the object belongs to the operator in namespace %.*s",
                    STR_ARG(object_annotation(p->object, STR(ANNOTATION_OPERATOR_NAMESPACE)))));
    p->card->overlaps = true;
    return step_rest(STEP_NEVER);
}

struct pass_step state_look(struct pass *p)
{
    struct pass_step otherwise;

    p->object = p->ports->find(p->ports->ctx, p->arena, &p->card->key);
    if (!p->object)
        return (struct pass_step){.kind = STEP_FORGET};
    memory_load(p);
    p->card->outdated = object_version(p->object) < p->card->version;
    if (p->card->outdated)
        return step_rest(STEP_NEVER);
    uint64_t intent = meta_intent(p->object);
    bool is_news = p->card->seen != intent;
    p->card->seen = intent;
    if (is_anothers(p))
        return leave(p);
    p->card->overlaps = false;
    if (is_news)
        meta_report_unknown(p);
    if (!pass_resource(p, &otherwise))
        return otherwise;
    if (p->card->unsure)
        return step_to(STATE_REFRESH);
    if (p->card->renewed)
        p->card->attempt = 0;
    else if (!p->card->attempt)
        p->card->attempt = memory_attempt(p);
    p->card->renewed = false;
    if (object_is_deleting(p->object) && !object_has_finalizer(p->object, STR(FINALIZER)))
        return step_rest(STEP_NEVER);
    /* If nothing is needed from Azure, no credential is needed. */
    if (object_is_deleting(p->object) && (pass_policy(p) != POLICY_MANAGE || copy_is(p)))
        return step_to(STATE_RELEASE);
    if (!pass_account(p, &otherwise))
        return otherwise;
    if (object_is_deleting(p->object))
        return step_to(STATE_REMOVE);
    if (!object_has_finalizer(p->object, STR(FINALIZER)) || !pass_id(p).len || !owner_is_bound(p) ||
        copy_is(p))
        return step_to(STATE_CLAIM);
    return look_onward(p);
}
