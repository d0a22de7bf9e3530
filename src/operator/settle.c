/* SPDX-License-Identifier: Apache-2.0 */
/*
 * settle.c - the end of a successful pass: writes the status if it has changed, then rests for a
 * period.
 */
#include "operator/internal.h"

#include "operator/schedule.h"

/* Sets the generation that is in Azure, and removes the token. */
static struct value *metadata(struct pass *p)
{
    struct value *after = value_clone(p->arena, p->object);

    pass_drop_token(p, after);
    if (p->sent && p->config->version.len)
        object_set_label(p->arena, after, STR(LABEL_VERSION), p->config->version);
    if (p->sent) /* the user may have moved to another version since the claim */
        object_set_annotation(p->arena, after, STR(ANNOTATION_API_VERSION), p->resource->version);
    if (p->config->take_over)
        object_set_annotation(p->arena, after, STR(ANNOTATION_OPERATOR_NAMESPACE),
                              p->config->namespace);
    if (p->sent && p->generation)
        object_set_annotation(p->arena, after, STR(ANNOTATION_GENERATION),
                              str_fmt(p->arena, "%lld", (long long)p->generation));
    pass_annotate(p, after);
    if (memory_is_annotated(p))
        settle_remember(p);
    memory_annotate(p, after);
    /*
     * Only a token must be in the version that was seen; other people's writes are no reason to
     * start over.
     */
    return meta_patch_object(p->arena, p->object, after,
                             object_annotation(p->object, STR(ANNOTATION_POLL_TOKEN)).len > 0);
}

/*
 * Notes what was sent. An adopted object that is as it should be costs no write, unless its payload
 * contains Secrets, whose changes only show in the digest.
 */
void settle_remember_payload(struct pass *p)
{
    if (!p->digest.len ||
        (!p->sent && !p->card->put && !p->secrets.len && !(p->drift && p->drift->learn)))
        return;
    memory_set_text(p, "payloadDigest", p->digest);
    memory_set_text(p, "apiVersion", p->resource->api_version);
    memory_set_text(p, "claimedId", pass_id(p));
    if (!p->sent)
        return;
    const struct ext ext = pass_ext(p);
    memory_set_text(p, "takenAt", memory_stamp(p->arena, p->now));
    if (p->own_payload)
        memory_set(p, "sentChildren", ext_sent(p->arena, &ext, p->own_payload));
}

void settle_remember(struct pass *p)
{
    memory_forget_failure(p);
    settle_remember_payload(p);
    drift_remember(p);
}

struct pass_step state_settle(struct pass *p)
{
    const struct arm_answer *answer = p->asked ? NULL : pass_answer(p);
    struct condition ready;
    struct value *patch;
    struct pass_step otherwise;
    struct decision d;

    if (answer && !pass_wrote(p, answer, &otherwise))
        return otherwise;
    if (!p->generation)
        p->generation = object_generation(p->object);
    ready = status_condition(p, "", "Succeeded", STR_NONE);
    if (answer)
        p->mark = 0; /* the next look will show whether that was all */
    if (p->phase == 0) {
        if (!pass_point(p, ext_success, &d, &otherwise))
            return otherwise;
        p->phase = 1;
        if ((patch = metadata(p)))
            return step_kube(p, KUBE_PATCH, pass_path(p, ""), patch);
    }
    if (p->phase == 1) {
        p->phase = 2;
        settle_remember(p);
        if ((patch = status_patch(p, p->body, &ready)))
            return step_kube(p, KUBE_PATCH, pass_path(p, "/status"), patch);
    }
    p->card->attempt = 0;
    p->card->well = true;
    p->card->put = 0;
    calm_note(p);
    if (object_generation(p->object) != p->generation)
        return step_rest(0);
    return (struct pass_step){.kind = STEP_PERIOD,
                              .delay = drift_is_settling(p) ? schedule_second_look() : 0};
}
