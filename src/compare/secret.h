/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secret.h - masks the values of Secrets, showing only whether they are the same.
 *
 * Values of data and stringData become "***", or "*** (before)" and "*** (after)" if both sides
 * have the key and differ. This includes Secrets inside other objects, such as a ManifestWork, and
 * annotations that hold such an object as JSON, such as kubectl's last-applied-configuration; an
 * annotation that holds it in another form (a list, JSON in JSON, YAML, truncated text) is masked
 * as a whole. Elsewhere values are found by secret_values.h. Masked values keep their positions.
 * All functions may be called from any thread.
 */
#pragma once

#include "text/secret_values.h"

/* Whether the object is a Secret, of any version. */
bool secret_is(const struct value *object);
/*
 * Masks two versions of an object if one of them is or contains a Secret, and values wherever they
 * occur; either version and values may be NULL. What changes is replaced with a copy, which lives
 * as long as a and the original.
 */
void secret_mask_pair(struct arena *a, const struct secret_values *values, struct value **before,
                      struct value **after);
/*
 * Masks a merge patch from before to after in place: the data of Secrets, also of those embedded in
 * the object, and values wherever they occur. Returns whether there was anything to mask.
 */
bool secret_mask_patch(struct arena *a, const struct secret_values *values,
                       const struct value *before, const struct value *after, struct value *patch);
/*
 * Like the original: masks only data, only of v1 Secrets, and fails if it is not a mapping. Sides
 * that change are replaced with copies.
 */
MUST_CHECK bool secret_mask(struct arena *a, struct value **merged, struct value **live,
                            struct err *e);
