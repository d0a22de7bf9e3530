/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.c - decides whether there is a cause to write to Azure. Pure.
 *
 * There is a cause if the resource does not exist or has failed (then with increasing delays), if
 * the payload differs from that of the last PUT, or if Azure is not as it should be (drift.c).
 * After a change of the API version nothing recorded applies, so only the members that are set are
 * compared. If the last PUT is not remembered, the resource is adopted by reading it; the
 * condition, or the annotation that survives the loss of the status, shows whether this generation
 * was sent.
 */
#include "operator/internal.h"

#include "value/number.h"

/* Whether anything shows that this generation is in Azure; a failed attempt does not. */
static bool was_sent(const struct pass *p)
{
    str text = object_annotation(p->object, STR(ANNOTATION_GENERATION));
    struct condition ready;
    int64_t generation;

    if (condition_get(value_get(p->object, STR("status")), STR("Ready"), &ready) &&
        !str_eq(ready.status, STR("Unknown")))
        return str_eq(ready.status, STR("True")) && ready.generation >= p->generation;
    return number_is_valid(text) && number_to_i64(text, &generation) &&
           generation >= p->generation && p->generation > 0;
}

bool judge_cause(struct pass *p, struct cause *out)
{
    bool known, same = memory_is_payload(p, &known);

    *out = (struct cause){.name = "absent"};
    if (!p->body)
        return true;
    out->name = "failed";
    if (read_has_failed(p->body) && read_may_retry(p))
        return true;
    out->name = "payload";
    if (known && !same)
        return true;
    out->name = "generation";
    if (!known && !was_sent(p))
        return true;
    if (read_has_failed(p->body))
        return false; /* too early for a retry, and nothing to compare with */
    enum drift_mode mode = drift_mode(p);
    out->name = "period";
    if (mode == DRIFT_PUT_ONLY)
        return true;
    out->name = "drift";
    return drift_is_found(p) && mode == DRIFT_CORRECT;
}

/*
 * While another client's change is in progress nothing can be compared, and Azure would reject a
 * PUT. After this many looks the state is assumed to be permanent, and Azure decides.
 */
#define BUSY_WAIT (60 * NS_PER_SEC)
#define BUSY_LOOKS 60

/* Not later than a short period requires. */
static struct pass_step look_again(const struct pass *p)
{
    return step_rest(p->config->period < BUSY_WAIT ? p->config->period : BUSY_WAIT);
}

/* While the activity log is queried. */
enum { PHASE_WRITE = 1, PHASE_REPORT };

/* The next step after the verdict, via the activity log if an author is to be named. */
static struct pass_step go_on(struct pass *p, bool write)
{
    struct pass_step step;

    if (drift_is_news(p) && author_ask(p, &step)) {
        p->phase = write ? PHASE_WRITE : PHASE_REPORT;
        return step;
    }
    return step_to(write ? STATE_CHECK : STATE_EXPORT);
}

static bool is_kept_waiting(const struct pass *p)
{
    uint32_t *looks = &p->card->busy;

    *looks = !read_is_busy(p->body) ? 0 : *looks < BUSY_LOOKS ? *looks + 1 : BUSY_LOOKS;
    return *looks && *looks < BUSY_LOOKS;
}

/*
 * If a user's change has to wait, the status says so; nothing is said about drift, which is not
 * certain yet.
 */
static struct pass_step wait_for_others(struct pass *p)
{
    if (str_eq(str_c(p->cause.name), STR("drift")) || str_eq(str_c(p->cause.name), STR("period")))
        return look_again(p);
    return step_wait_for(
        p, "ReconciliationBlocked",
        str_fmt(p->arena,
                "the resource is in state \"%.*s\" in Azure: another operation is in progress; "
                "this is sent when it has ended",
                STR_ARG(status_without_secrets(p, read_state(p->body)))),
        BUSY_WAIT);
}

/* A list is trusted only if it shows no change. */
static bool is_odd(const struct pass *p)
{
    return read_has_failed(p->body) || read_is_busy(p->body) ||
           (p->drift && (p->drift->news.count || p->drift->learn));
}

struct pass_step state_judge(struct pass *p)
{
    if (p->phase) {
        author_take(p, pass_answer(p));
        return step_to(p->phase == PHASE_WRITE ? STATE_CHECK : STATE_EXPORT);
    }
    if (pass_policy(p) == POLICY_SKIP) {
        if (p->body)
            return step_to(STATE_EXPORT);
        return step_explain(p, "Warning", "AzureResourceNotFound",
                            str_fmt(p->arena,
                                    "%.*s does not exist, and reconcile-policy \"skip\" does not "
                                    "create it",
                                    STR_ARG(pass_id(p))));
    }
    bool write = judge_cause(p, &p->cause), busy = is_kept_waiting(p);
    replay_keep(p, write);
    if (p->listed && (write || is_odd(p))) {
        p->card->suspect = true;
        return step_rest(0);
    }
    if (!write && read_has_failed(p->body))
        return step_rest(explain_period(p));
    if (write && busy)
        return wait_for_others(p);
    if (drift_waits(p))
        return look_again(p);
    if (!write)
        drift_tally_avoided(p);
    return go_on(p, write);
}
