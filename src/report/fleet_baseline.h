/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet_baseline.h - compares a fleet with an earlier report about it.
 *
 * A site already had a finding if the earlier report has the same object of the same site, with all
 * fields that differ now and with the same actual values; more fields may have differed then.
 * Expected values do not count, so a reference may change. If the fields are unknown, digests are
 * compared. Missing objects are matched by part, component, message and template.
 *
 * All findings are new for a site that is not in the earlier report, or could not be compared then.
 * Sites that could not be compared now are left out. May be called from any thread.
 */
#pragma once

#include "compare/fleet/fleet.h"

struct fleet_earlier;

/* Reads a JSON report of --fleet. Errors name the file and say what to do. */
MUST_CHECK bool fleet_baseline_read(struct arena *a, str path, struct fleet_earlier **out,
                                    struct err *e);
/* Fills f->baseline and the fresh sites of each finding; these live as long as a. */
void fleet_baseline_apply(struct arena *a, const struct fleet_earlier *earlier, struct fleet *f);
