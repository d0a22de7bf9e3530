/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arm_case.h - reads cases of arm-put, for several kinds of vectors.
 *
 * One case per file: docs (the object itself first, then what it refers to), secrets, config maps,
 * and the expected path, api-version and body. Names in braces replace the recorded ones.
 */
#pragma once

#include "azure/manifests.h"

struct arm_case {
    struct model *model;
    struct value *filled;        /* the case, with the recorded names */
    VEC(struct value *) objects; /* docs, then Secrets and ConfigMaps */
    size_t docs;                 /* how many of them are docs */
};

/*
 * Reads a case. The model is the built-in one; if there is none, the folder ../shared/azure/model.
 */
MUST_CHECK bool arm_case_read(struct arena *a, const struct value *vector, struct arm_case *out,
                              struct err *e);
/* All objects of the case except the one at index without; SIZE_MAX: all of them. */
struct manifests *arm_case_manifests(struct arena *a, const struct arm_case *c, size_t without);
/* Whether the recorded body depends on what Azure already held. */
bool arm_case_has_state(const struct value *vector);
/* Adds a Secret or ConfigMap with these values. */
void arm_case_add(struct arena *a, struct arm_case *c, bool secret, str name,
                  const struct value *values);
