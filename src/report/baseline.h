/* SPDX-License-Identifier: Apache-2.0 */
/*
 * baseline.h - compares results with an earlier report.
 *
 * When an object that differed before and still differs counts as worse:
 *
 *   - If both reports list all differences by field: a field differs that did not before, or its
 *     actual value has changed. Expected values do not count, so a reference may change.
 *   - Otherwise: the text of the difference has an added or removed line that the earlier text
 *     lacks or has fewer times. Headers, hunk lines and context do not count.
 *
 * Values of Secrets are masked in both reports. Such fields and lines are listed, since a change
 * would not show.
 *
 * Objects are matched by id; if an id occurs twice, the second is compared with the second. Missing
 * objects are matched by part, component, message and template: they are new, remaining or fixed,
 * never worse. May be called from any thread.
 */
#pragma once

#include "compare/compare.h"

/* Reads a JSON report of ours or of the original. Errors name the file and say what to do. */
MUST_CHECK bool baseline_read(struct arena *a, str path, struct results *out, struct err *e);
/* Fills r->baseline, which lives as long as a and both results. */
void baseline_apply(struct arena *a, str file, const struct results *earlier, struct results *r);
