/* SPDX-License-Identifier: Apache-2.0 */
/*
 * member.h - case-insensitive lookup of object members.
 *
 * ARM sometimes changes the case of names in its responses. Case may differ in manifests too: the
 * original reads them as Go reads JSON, where a case-insensitive match counts if there is no exact
 * one.
 */
#pragma once

#include "azure/model/model.h"

/* The member with exactly this name, else the first one that differs only in case, else NULL. */
const struct value *member_fold(const struct value *object, str name);
/* Its text when it is a string, else empty. */
str member_fold_str(const struct value *object, str name);

/*
 * The property that a member of an object of type t sets; a name in a different case counts only if
 * the exact one is absent. NULL when it is unknown, when it is unset (null, or an empty collection,
 * which the original treats the same way), and when another property for the same path in ARM is
 * set too and takes precedence.
 */
const struct model_prop *member_prop(const struct model_type *t, const struct value *object,
                                     const struct value *member);
