/* SPDX-License-Identifier: Apache-2.0 */
/*
 * results_json.h - reads the results of a comparison from its JSON report.
 *
 * For turning one report into another. May be called from any thread.
 */
#pragma once

#include "compare/compare.h"

struct source;

/* Fails unless the JSON is the report of a comparison: it must have a Summary and Diffs. */
MUST_CHECK bool results_check_json(struct arena *a, const struct source *src, struct err *e);
/*
 * Reads a report of the original. Keys are case-insensitive, unknown ones are ignored and missing
 * ones are empty. The results live as long as a, and so must the source. Errors are those of Go's
 * encoding/json.
 */
MUST_CHECK bool results_from_json(struct arena *a, const struct source *src, struct results *out,
                                  struct err *e);
