/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain.c - writes into the status why the object is not Ready; then rests until the retry.
 *
 * The status says what is wrong, whether the operator can recover by itself, and when it tries
 * again. Even problems that only a user can fix are checked once in a period, since quotas and
 * policies change without the cluster noticing.
 */
#include "operator/internal.h"

#include "operator/schedule.h"

/* This many failures in a row of a healthy object are not reported. */
#define QUIET_TRIES 3

/* Whether a resource that had failed before was written again, in vain. */
static bool failed_again(const struct pass *p)
{
    return p->tried && p->cause.name && str_eq(str_c(p->cause.name), STR("failed"));
}

int64_t explain_period(const struct pass *p)
{
    return schedule_retry(p->config->period, p->object, drift_writes(p));
}

/* Grows with each failure by the rule's factor, up to the period unless the rule has a maximum. */
static int64_t full_delay(const struct pass *p)
{
    const struct rule_retry *rule = p->verdict.rule;
    int64_t period = explain_period(p), max = rule && rule->max ? rule->max : period;
    double delay = rule ? (double)rule->base : (double)NS_PER_SEC;

    if (str_eq(p->verdict.severity, STR("Error")))
        return period;
    for (uint32_t i = 0; i < p->card->attempt && delay < (double)max; i++)
        delay *= rule ? rule->factor : 2;
    return delay < (double)max ? (int64_t)delay : max;
}

/* The same throughout a pass, so that the status has the actual time. */
static int64_t retry_delay(struct pass *p)
{
    const struct rule_retry *rule = p->verdict.rule;
    int64_t period = explain_period(p);

    if (failed_again(p))
        return read_retry_delay(p);
    if (p->verdict.retry)
        return p->verdict.retry < period ? p->verdict.retry : period;
    if (!p->verdict.delay)
        p->verdict.delay = rule && rule->jitter > 0 ? schedule_spread(full_delay(p), rule->jitter)
                                                    : full_delay(p);
    return p->verdict.delay;
}

static void remember(struct pass *p)
{
    const struct verdict *v = &p->verdict;
    bool timed = !v->waits || v->retry;

    memory_set(p, "attempt", v->waits ? NULL : value_int(p->arena, p->card->attempt + 1));
    if (timed)
        memory_set_text(p, "nextRetry", memory_stamp(p->arena, p->now + retry_delay(p)));
    else
        memory_set(p, "nextRetry", NULL);
    memory_set_text(p, "class", v->class ? str_c(v->class) : STR_NONE);
    memory_set_text(p, "rule", v->rules);
    memory_set_text(p, "requestId", v->request_id);
    drift_remember_guard(p);
}

/* Removes a useless token, and sets the generation that was tried. */
static struct value *metadata(struct pass *p)
{
    struct value *after = value_clone(p->arena, p->object);

    if (p->drop_token)
        pass_drop_token(p, after);
    if (p->tried && p->generation)
        object_set_annotation(p->arena, after, STR(ANNOTATION_GENERATION),
                              str_fmt(p->arena, "%lld", (long long)p->generation));
    pass_annotate(p, after);
    if (memory_is_annotated(p))
        remember(p);
    memory_annotate(p, after);
    return meta_patch_object(p->arena, p->object, after, false);
}

void explain_keep(struct pass *p)
{
    if (p->sent && p->digest.len)
        p->card->put = p->rejects ? str_hash(p->digest) : 0;
}

static struct pass_step rest(struct pass *p)
{
    int64_t delay = retry_delay(p), period = explain_period(p);

    explain_keep(p);
    /* It is looked at in between, since others may fix it. */
    if (delay > period)
        delay = period;
    p->card->well = false;
    p->card->waits = p->verdict.waits;
    if (object_generation(p->object) != p->generation && p->tried)
        return step_rest(0);
    if (p->verdict.waits)
        return step_rest(p->verdict.retry ? delay : STEP_NEVER);
    p->card->attempt++;
    return step_rest(delay);
}

/*
 * Whether the status does not show it yet. An object that is waited for changes on its way to
 * Ready, and the messages of its dependents with it: for these a new reason is news, but a new text
 * is not.
 */
static bool is_news(struct pass *p, const struct condition *next)
{
    struct condition shown;

    if (!condition_get(value_get(p->object, STR("status")), next->type, &shown))
        return true;
    return !str_eq(shown.reason, next->reason) || shown.generation != next->generation ||
           (!p->verdict.waits && !str_eq(shown.message, status_without_secrets(p, next->message)));
}

static void tell(struct pass *p)
{
    const struct verdict *v = &p->verdict;

    pass_report(p, !str_eq(v->severity, STR("Info")),
                object_is_deleting(p->object) ? "DeleteActionError" : "CreateOrUpdateActionError",
                v->reason, advice_text(p, v->message));
    decisions_add(p, &(struct made){.action = v->waits                            ? "wait"
                                              : str_eq(v->severity, STR("Error")) ? "stop"
                                                                                  : "retry",
                                    .reason = v->reason,
                                    .message = v->message,
                                    .once = true});
}

struct pass_step state_explain(struct pass *p)
{
    const struct arm_answer *answer = pass_answer(p);
    struct condition c = {
        .type = STR("Ready"),
        .status = STR("False"),
        .severity = p->verdict.severity,
        .reason = p->verdict.reason,
        .message = str_concat(p->arena, advice_text(p, p->verdict.message), advice_when(p)),
        .generation = p->tried && p->generation ? p->generation : object_generation(p->object)};
    struct value *patch;
    struct pass_step otherwise;

    if (p->verdict.quiet && p->card->attempt < QUIET_TRIES)
        return rest(p);
    if (answer && !pass_wrote(p, answer, &otherwise))
        return otherwise;
    if (p->phase == 0) {
        p->phase = 1;
        if (!p->told && is_news(p, &c))
            tell(p);
        p->told = true;
        if (!(p->rejects & REJECTS_METADATA) && (patch = metadata(p)))
            return step_kube(p, KUBE_PATCH, pass_path(p, ""), patch);
    }
    if (p->phase == 1) {
        p->phase = 2;
        remember(p);
        if ((patch = status_patch(p, p->rejects & REJECTS_BODY ? NULL : p->body, &c)))
            return step_kube(p, KUBE_PATCH, pass_path(p, "/status"), patch);
    }
    return rest(p);
}
