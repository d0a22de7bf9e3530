/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crd_internal.h - shared by the files about definitions.
 */
#pragma once

#include "azure/crd.h"

/* The schema of a builtin object, and of status.operatorStatus. They live as long as a. */
struct value *crd_builtin(struct arena *a, enum model_builtin builtin);
struct value *crd_operator_status(struct arena *a);
/* The status of an object that has not been reconciled yet. */
struct value *crd_first_status(struct arena *a);

/*
 * Makes schema accept and keep everything that other does. Both are structural schemas; schema must
 * share no nodes with other trees.
 */
void crd_widen(struct arena *a, struct value *schema, const struct value *other);
