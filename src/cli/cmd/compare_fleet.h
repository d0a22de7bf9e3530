/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare_fleet.h - plumb compare --fleet: from option values to a report about many sites.
 */
#pragma once

#include "cli/cmd/compare_cli.h"

/*
 * Compares the sites of v->fleet and appends the report to out. given tells which options stood in
 * the command line. status becomes STATUS_DIFFERENT when some site drifts, STATUS_TROUBLE when some
 * could not be compared, and STATUS_INCOMPLETE when v is strict and the comparison of some is
 * incomplete; trouble outranks the others. ERR_USAGE when options do not go together.
 */
MUST_CHECK bool fleet_execute(struct arena *a, const struct compare_values *v,
                              const struct options *given, const struct compare_log *log,
                              struct buf *out, enum exit_status *status, struct err *e);
