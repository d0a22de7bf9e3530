/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - whether a PUT may be sent: the kind's gates on the owner and on the resource.
 *
 * The owner is read only for kinds that need it.
 */
#include "operator/internal.h"

#include "arm/id.h"

/* Where the owner can be read. False: there is none, or it is unknown how to read it. */
static bool owner_url(struct pass *p, str *out)
{
    const struct model_resource *owner;
    struct arm_id id, parent;

    if (!p->resource->owner_kind.len ||
        !model_find_hub(p->config->model, p->resource->owner_group, p->resource->owner_kind, &owner,
                        NULL) ||
        !arm_id_parse(p->arena, pass_id(p), &id, NULL) || !arm_id_parent(p->arena, &id, &parent))
        return false;
    *out = pass_url_of(p, arm_id_print(p->arena, &parent), owner->api_version);
    return true;
}

/* True if the owner was read, or need not be. */
static bool has_owner(struct pass *p, struct pass_step *step)
{
    const struct ext ext = pass_ext(p);
    const struct arm_answer *answer;
    str url;

    if (p->phase > 0 || !ext_asks_owner(&ext) || !owner_url(p, &url)) {
        p->phase = 1;
        return true;
    }
    if (!(answer = pass_answer(p))) {
        *step = step_arm(p, ARM_GET, url, NULL);
        return false;
    }
    p->phase = 1;
    p->owner_body = answer->http == 200 ? pass_read_json(p, answer->body) : NULL;
    if (p->owner_body)
        return true;
    *step = step_answer_refused(p, STR("GET"), answer);
    return false;
}

/* A decision to postpone ends the pass without a PUT. */
static bool passes(struct pass *p,
                   struct decision (*point)(const struct ext *x, const struct ext_input *in),
                   struct pass_step *step)
{
    struct decision d;

    if (!pass_point(p, point, &d, step))
        return false;
    if (d.kind != DECISION_POSTPONE)
        return true;
    *step = (struct pass_step){.kind = STEP_PERIOD};
    return false;
}

struct pass_step state_check(struct pass *p)
{
    struct pass_step step;

    if (!has_owner(p, &step))
        return step;
    if (p->phase == 1) {
        if (!passes(p, ext_owner_check, &step))
            return step;
        p->phase = 2;
    }
    return passes(p, ext_check, &step) ? step_to(STATE_SEND) : step;
}
