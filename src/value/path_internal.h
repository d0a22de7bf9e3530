/* SPDX-License-Identifier: Apache-2.0 */
/* path_internal.h - shared by the files about paths; for src/value only. */
#pragma once

#include "value/path.h"

/*
 * Which element of list the step selects: its number, the length of the list for an identifier that
 * is not in it yet, or something larger for an index past the end. False when the step selects no
 * element of any list.
 */
bool path_select(const struct step *step, const struct value *list, size_t *out);
/* What the step selects from v, or NULL. */
struct value *path_follow(const struct step *step, const struct value *v);
