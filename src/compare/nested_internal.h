/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nested_internal.h - follows paths through objects and lists, and prints values as Go does. For
 * this folder only.
 */
#pragma once

#include "value/path.h"

/* The value at a path. Fails in the original's words if a step is neither an object nor a list. */
MUST_CHECK bool nested_get(struct arena *a, const struct value *root, const struct path *p,
                           const struct value **out, struct err *e);
/* Like nested_get, but it must be a string; *found: whether there is a value. */
MUST_CHECK bool nested_string(struct arena *a, const struct value *root, const struct path *p,
                              bool floats, str *out, bool *found, struct err *e);
/* Appends v like Go's %v. floats: all numbers are float64. */
void go_print(struct buf *out, const struct value *v, bool floats);
/* Like Go's %T: "map[string]interface {}". */
const char *go_type(const struct value *v, bool floats);
