/* SPDX-License-Identifier: Apache-2.0 */
/*
 * member.h - case-insensitive lookup of object members.
 *
 * ARM sometimes changes the case of names in its responses. So do manifests: the original reads
 * them as Go reads JSON, where a case-insensitive match counts if there is no exact one.
 */
#pragma once

#include "azure/model/model.h"

/* The member of this very name, else the first one that differs only in case, else NULL. */
const struct value *member_fold(const struct value *object, str name);
/* Its text when it is a string, else empty. */
str member_fold_str(const struct value *object, str name);

/*
 * The property that a member of an object of type t sets; a name in another case counts only while
 * the exact one is not there. NULL when it is unknown, when it is unset (null, or a collection
 * without elements, which the original treats alike), and when it gives way to another property for
 * the same place in ARM that is set too.
 */
const struct model_prop *member_prop(const struct model_type *t, const struct value *object,
                                     const struct value *member);
