/* SPDX-License-Identifier: Apache-2.0 */
/*
 * baseline.h - compares results with an earlier report.
 *
 * Whether an object that differed before and differs now has become worse:
 *
 *   - Both reports have all differences field by field: a field differs that did not, or its actual
 *     value has changed. Expected values do not count, so a reference may change.
 *   - Otherwise: the text of the difference has an added or removed line that the earlier text
 *     lacks, or has it more often. Headers, hunk lines and context do not count.
 *
 * Values of Secrets are masked in both: such fields and lines are named, since a change does not
 * show.
 *
 * Objects are known by their ids, the second of one id is compared with the second. What is missing
 * is known by part, component, message and template: it is new, remaining or fixed, never worse.
 * May be called from any thread.
 */
#pragma once

#include "compare/compare.h"

/* Reads a JSON report of ours or of the original. Errors name the file and say what to do. */
MUST_CHECK bool baseline_read(struct arena *a, str path, struct results *out, struct err *e);
/* Fills r->baseline, which lives as long as a and both results. */
void baseline_apply(struct arena *a, str file, const struct results *earlier, struct results *r);
