/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h - what the formats share. */
#pragma once

#include "report/report.h"
#include "value/value.h"

extern const struct report_format report_json, report_junit, report_patches, report_yaml;

/* The results as one tree, members in the order in which the original writes them. */
struct value *report_tree(struct arena *a, const struct results *r);
