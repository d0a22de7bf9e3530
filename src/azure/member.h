/* SPDX-License-Identifier: Apache-2.0 */
/*
 * member.h - members of objects whose names may be spelled in other letters.
 *
 * ARM answers so now and then. Manifests too: the original reads them as Go reads JSON, where a
 * name in other letters counts when the exact one is not there.
 */
#pragma once

#include "value/value.h"

/* The member of this very name, else the first one that differs only in case, else NULL. */
const struct value *member_fold(const struct value *object, str name);
/* Its text when it is a string, else empty. */
str member_fold_str(const struct value *object, str name);
