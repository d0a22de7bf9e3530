/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet_read.h - reads a fleet from the JSON report about it.
 *
 *     if (fleet_is_report(&source) && fleet_from_json(a, &source, &fleet, e))
 *         ... report_find(STR("html"), true)->write_fleet(&fleet, ...)
 *
 * For turning one report into another; fleet_baseline.h compares a fleet with an earlier report.
 * May be called from any thread.
 */
#pragma once

#include "compare/fleet/fleet.h"

struct source;

/* Whether the text looks like such a report, rather than one about a single site. */
bool fleet_is_report(const struct source *source);
/*
 * Unknown members are ignored, missing ones are empty. Sites without a unique name, findings
 * without a unique digest, and findings of sites that are not in the report or were not compared
 * are errors. The fleet lives as long as a and the source.
 */
MUST_CHECK bool fleet_from_json(struct arena *a, const struct source *source, struct fleet *out,
                                struct err *e);
