/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nested_internal.h - following paths through objects and lists, and values as Go prints them. For
 * this folder only.
 */
#pragma once

#include "value/path.h"

/* What a path leads to. Fails, worded as the original, where the way is blocked. */
MUST_CHECK bool nested_get(struct arena *a, const struct value *root, const struct path *p,
                           const struct value **out, struct err *e);
/* As nested_get, and it must be a string; *found: whether there is a value. */
MUST_CHECK bool nested_string(struct arena *a, const struct value *root, const struct path *p,
                              bool floats, str *out, bool *found, struct err *e);
/* Appends v as Go's %v does. floats: all numbers are float64. */
void go_print(struct buf *out, const struct value *v, bool floats);
/* As Go's %T: "map[string]interface {}". */
const char *go_type(const struct value *v, bool floats);
