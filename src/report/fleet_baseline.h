/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet_baseline.h - a fleet against an earlier report about it.
 *
 * A site has a finding already when the earlier report has the same object of the same site with
 * all fields that differ now, and the same actual values; it may have had more of them. What is
 * expected does not count, so a reference may change. Where fields are not known, digests decide.
 * What is missing is known by part, component, message and template.
 *
 * All findings are new for a site that the earlier report does not have, or could not compare.
 * Nothing is said about sites that could not be compared now. May be called from any thread.
 */
#pragma once

#include "compare/fleet/fleet.h"

struct fleet_earlier;

/* Reads a JSON report of --fleet. Errors name the file and say what to do. */
MUST_CHECK bool fleet_baseline_read(struct arena *a, str path, struct fleet_earlier **out,
                                    struct err *e);
/* Fills f->baseline and what is fresh of each finding; these live as long as a. */
void fleet_baseline_apply(struct arena *a, const struct fleet_earlier *earlier, struct fleet *f);
