/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secret.h - masks the values of Secrets, showing only whether they are the same.
 *
 * Values of data and stringData become "***", or "*** (before)" and "*** (after)" where both sides
 * have the key and differ; also of Secrets within other objects, such as a ManifestWork. The same
 * happens inside annotations that hold such an object as JSON, as kubectl's
 * last-applied-configuration does; an annotation that holds it in another form (a list, JSON in
 * JSON, YAML, a text that was cut off) is masked as a whole. Elsewhere values are found by
 * secret_values.h. Masked values keep their places. All functions may be called from any thread.
 */
#pragma once

#include "text/secret_values.h"

/* Whether the object is a Secret, of whatever version. */
bool secret_is(const struct value *object);
/*
 * Masks two versions of an object when one of them is a Secret or holds one, and values wherever
 * they are; either version and values may be NULL. What changes is replaced by a copy, which lives
 * as long as a and what it was copied from.
 */
void secret_mask_pair(struct arena *a, const struct secret_values *values, struct value **before,
                      struct value **after);
/*
 * Masks a merge patch, in place: for a Secret its data, and values wherever they are. Answers
 * whether there was something to mask.
 */
bool secret_mask_patch(struct arena *a, const struct secret_values *values, bool is_secret,
                       struct value *patch);
/*
 * As the original: masks data only, of objects that are Secrets of version v1, and fails where it
 * is not a mapping. Sides that change are replaced by copies.
 */
MUST_CHECK bool secret_mask(struct arena *a, struct value **merged, struct value **live,
                            struct err *e);
