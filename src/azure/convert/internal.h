/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - shared by the files of this folder.
 */
#pragma once

#include "azure/convert/convert.h"

/*
 * Replaces values that only the operator understands with those for ARM, as the rules of the kind
 * say, for a resource that is not in Azure yet. rules NULL: the built-in ones.
 */
void payload_replace(const struct kind_set *rules, const struct model_resource *res,
                     struct value *body);

/* ---- missing.c ---- */

/* A resolver around r that remembers what was looked up last. */
struct asking {
    const struct resolver *r;
    struct object_key object;
    str key; /* in a Secret or ConfigMap; empty: all of it */
};
struct resolver asking_resolver(struct asking *q);
/* Appends what was looked up last. */
void missing_add(struct arena *a, struct missing *m, const struct asking *q, str path, str text);
/* Fills e with everything that is missing. Always false. */
bool missing_fail(const struct missing *m, struct where at, struct err *e);
