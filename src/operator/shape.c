/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shape.c - adapts the payload to the kind: adds children that others created, and what only Azure
 * knows. Under policy "skip" nothing is sent, so nothing is asked.
 */
#include "operator/internal.h"

struct pass_step state_shape(struct pass *p)
{
    struct decision d;
    struct pass_step step;

    if (pass_policy(p) == POLICY_SKIP)
        return step_to(STATE_JUDGE);
    if (!pass_point(p, ext_payload, &d, &step))
        return step;
    p->own_payload = p->request.body;
    if (d.value)
        p->request.body = d.value;
    return step_to(STATE_JUDGE);
}
