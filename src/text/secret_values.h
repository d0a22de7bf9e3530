/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secret_values.h - the values of Secrets, wherever they turn up.
 *
 * Templates move values to other fields and objects, functions quote them in errors, annotations
 * contain them as JSON in various forms. So texts are masked by content: every value of a known
 * Secret with at least SECRET_VALUE_MIN bytes is replaced by "***" or another mask, whether it is
 * literal, quoted, escaped for a URL, HTML or a script, in a different case, in hex or in base64
 * (even as part of something encoded). If a value is a file, the secrets in it are masked too:
 * values with a secret name, passwords in URLs, long words with digits, and whatever these encode.
 * A value that is a key, or that other known objects contain openly, is not a secret and stays
 * unmasked. Secrets embedded in other objects count. Do not pass names, paths or plumb's own
 * messages to these functions.
 *
 * Values are sorted and found by their first bytes, so that the time for a text hardly depends on
 * their number. Only the first SECRET_VALUE_KEPT bytes of a long value are kept; if a text contains
 * them, everything after them is masked too. Without a Secret there is no set (NULL), and nothing
 * costs anything. A set never changes once made: any thread may use it.
 */
#pragma once

#include "value/value.h"

#define SECRET_VALUE_MIN 8
#define SECRET_VALUE_KEPT 1024

struct secret_values;

/* Whether v is a Secret, a list of Secrets, or contains one. */
bool secret_holds(const struct value *v);
/* Whether v is a SecretList, whose items are Secrets even without a kind. */
bool secret_is_list(const struct value *v);

/*
 * The values of all Secrets among the objects or embedded in them, except values that occur in
 * objects without a Secret, as keys, or in the identity of an object; NULL when there are none.
 * Objects may be NULL. Lives as long as a.
 */
struct secret_values *secret_values_of(struct arena *a, struct value *const *objects, size_t count);

/*
 * The same for one object, for masking before it is published. is_secret: it is a Secret even
 * without a kind. Only its own identity is excluded, not its keys. Values that are masked already
 * do not count.
 */
struct secret_values *secret_values_within(struct arena *a, const struct value *object,
                                           bool is_secret, str mask);

/* The text with the values masked; the text itself when it contains none. s may be NULL. */
str secret_values_hide(struct arena *a, const struct secret_values *s, str text);
/*
 * The same for error messages, in which functions quote their argument or a part of it: if the
 * message contains a value, a quoted part of it of four bytes or more and any quoted suffix are
 * masked as well, and so is such a part of any value in backquotes, as in errors about patterns.
 */
str secret_values_hide_message(struct arena *a, const struct secret_values *s, str text);
/*
 * Masks texts and keys in two versions of an object, in place; either may be NULL. The identity of
 * the object is kept, and texts that differed still differ. Returns whether there was anything to
 * mask.
 */
bool secret_values_hide_pair(struct arena *a, const struct secret_values *s, struct value *before,
                             struct value *after);

/* The same for any other tree: no field is exempt, whatever its name. */
bool secret_values_hide_all(struct arena *a, const struct secret_values *s, struct value *before,
                            struct value *after);

/* For walking two versions at once: the node in other that corresponds to item i of v, or NULL. */
struct value *secret_counterpart(const struct value *v, size_t i, const struct value *other);
