/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - checks custom resources against the model.
 *
 * Finds everything that is wrong with an object at once: unknown fields, values of the wrong type
 * or out of range, missing fields, references in no form or in several, mutually exclusive
 * alternatives. Each finding names the field and, if the object was read from text, its position.
 * The API server finds most of this too, one object at a time and without positions; some of it
 * (mutually exclusive fields, ids that must match exactly) only this finds.
 *
 * May be called from any thread.
 */
#pragma once

#include "azure/resolve.h"

/* The check stops after this many findings. */
#define FINDINGS_MAX 1000

struct finding {
    struct where at;
    str path;       /* spec.subnets[0].name */
    str text;       /* what is wrong, and what is allowed */
    bool exclusive; /* mutually exclusive members, which schemas cannot express */
};

struct findings {
    struct finding *items;
    size_t len, cap;
};

/* Appends what is wrong with the spec of an object. Results live as long as a. */
void check_object(struct arena *a, struct model *m, const struct model_resource *res,
                  const struct doc *doc, struct findings *out);
