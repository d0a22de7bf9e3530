/* SPDX-License-Identifier: Apache-2.0 */
/* compare_fleet.h - plumb compare --fleet: compares many sites and reports on them. */
#pragma once

#include "cli/cmd/compare_cli.h"

/*
 * Compares the sites of v->fleet and appends the report to out. given are the options of the
 * command line. status becomes STATUS_DIFFERENT if any site drifts, STATUS_TROUBLE if any could not
 * be compared, and STATUS_INCOMPLETE if v is strict and any comparison is incomplete; trouble
 * outranks the others. ERR_USAGE if options conflict.
 */
MUST_CHECK bool fleet_execute(struct arena *a, const struct compare_values *v,
                              const struct options *given, const struct compare_log *log,
                              struct buf *out, enum exit_status *status, struct err *e);
