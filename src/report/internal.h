/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h - what the formats share. */
#pragma once

#include "report/report.h"
#include "value/value.h"

extern const struct report_format report_json, report_junit, report_patches, report_yaml;

/* The results as one tree, members in the order in which the original writes them. */
struct value *report_tree(struct arena *a, const struct results *r);
/* What the original does not have: the members of a diff, and those of the whole. */
void report_tree_fields(struct arena *a, struct value *out, const struct result_diff *d);
void report_tree_more(struct arena *a, struct value *out, const struct results *r);
/* "changed", "missing", "extra". */
const char *result_kind_name(enum result_kind kind);
/* "file:line", only the file, or nothing. Lives as long as a. */
str place_text(struct arena *a, struct result_place place);

/* The same for people: the comparison with an earlier report; explanations. */
void report_baseline_text(struct buf *out, const struct results *r);
