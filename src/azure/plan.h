/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - plans what to send for a set of manifests, and in which order.
 *
 * Owners come before what they own, what is referred to before what refers to it, and what writes a
 * secret or config map before what reads it; otherwise the order of the files is kept. There is no
 * network access: anything that is not among the manifests becomes a placeholder in braces, and so
 * do secrets.
 */
#pragma once

#include "azure/check.h"
#include "azure/convert/convert.h"
#include "azure/manifests.h"

struct plan_step {
    const struct doc *doc;
    const struct model_resource *resource;
    struct arm_request request; /* id is empty if it could not be computed */
    str notes;                  /* lines: what was not found, or why nothing is sent */
};

struct plan {
    struct plan_step *steps;
    size_t count;
    struct findings findings; /* what is wrong with the manifests: if any, nothing is to be sent */
    struct {
        const struct doc **items;
        size_t len, cap;
    } ignored; /* objects that are not ours */
};

/*
 * Plans for all manifests. strict: owners and references to objects that are not among them are
 * findings; otherwise they are notes. Fails only when the model cannot be read.
 */
MUST_CHECK bool plan_make(struct arena *a, struct manifests *m, bool strict, struct plan *out,
                          struct err *e);
