/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - what the files of conversion share.
 */
#pragma once

#include "azure/convert/convert.h"

/*
 * Replaces values that only the operator understands by what ARM is to get, as the rules of the
 * kind say, for a resource that is not in Azure yet. rules NULL: the built-in ones.
 */
void payload_replace(const struct kind_set *rules, const struct model_resource *res,
                     struct value *body);

/* ---- missing.c ---- */

/* A look-up in r, and what it asked for last. */
struct asking {
    const struct resolver *r;
    struct object_key object;
    str key; /* of a Secret or ConfigMap; empty: all of it */
};
struct resolver asking_resolver(struct asking *q);
/* Appends what was asked last. */
void missing_add(struct arena *a, struct missing *m, const struct asking *q, str path, str text);
/* Fills e with all that is missing. Always false. */
bool missing_fail(const struct missing *m, struct where at, struct err *e);
