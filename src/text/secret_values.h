/* SPDX-License-Identifier: Apache-2.0 */
/*
 * secret_values.h - the values of Secrets, wherever they turn up.
 *
 * Templates move values to other fields and objects, functions quote them in errors, annotations
 * hold them as JSON in whatever form. So a text is masked by what it contains: the value of a
 * Secret in hand, as it is, quoted, escaped for a URL, HTML or a script, in other letters, in hex
 * or in base64 (also as a part of something encoded), of at least SECRET_VALUE_MIN bytes, becomes
 * "***" or what else is wanted. Of a value that is a file, also what is secret in it: what has such
 * a name, passwords of URLs, long words with digits, and what is encoded in these. A value that
 * other objects in hand contain openly, or that is a key, is not a secret: it stays as it is.
 * Secrets within other objects count. Names, paths and plumb's own words are not to be given to
 * these functions.
 *
 * Values are sorted and found by their first bytes, so that the time for a text hardly depends on
 * their number. Of long values SECRET_VALUE_KEPT bytes are kept; what follows them in a text is
 * masked too. Without a Secret there is no set (NULL), and nothing costs anything. A set never
 * changes once made: any thread may use it.
 */
#pragma once

#include "value/value.h"

#define SECRET_VALUE_MIN 8
#define SECRET_VALUE_KEPT 1024

struct secret_values;

/* Whether v is a Secret, a list of some, or holds one. */
bool secret_holds(const struct value *v);
/* Whether v is a SecretList, whose items are Secrets without saying so. */
bool secret_is_list(const struct value *v);

/*
 * The values of all Secrets that the objects are or hold, without those that objects without a
 * Secret contain, and without keys and what identifies an object; NULL when there are none. Objects
 * may be NULL. Lives as long as a.
 */
struct secret_values *secret_values_of(struct arena *a, struct value *const *objects, size_t count);

/*
 * The same of one object, which may be a Secret that does not say so, for masking what becomes
 * public: only what identifies the object itself is known, so not its keys. Values that are
 * the mask already are none.
 */
struct secret_values *secret_values_within(struct arena *a, const struct value *object,
                                           bool is_secret, str mask);

/* The text without the values; the text itself when it has none. s may be NULL. */
str secret_values_hide(struct arena *a, const struct secret_values *s, str text);
/*
 * The same for messages, where functions quote what they were given, or the rest of it: a quoted
 * end of a value that the message contains, and a quoted part of a pattern, are masked as well.
 */
str secret_values_hide_message(struct arena *a, const struct secret_values *s, str text);
/*
 * Masks texts and keys in two versions of an object, in place; either may be NULL. What identifies
 * the object stays. Texts that differ still do. Answers whether there was something to mask.
 */
bool secret_values_hide_pair(struct arena *a, const struct secret_values *s, struct value *before,
                             struct value *after);

/* The same for anything else: none of it stays, whatever it is called. */
bool secret_values_hide_all(struct arena *a, const struct secret_values *s, struct value *before,
                            struct value *after);

/* For walks of two versions at once: what other has where v has its item i, or NULL. */
struct value *secret_counterpart(const struct value *v, size_t i, const struct value *other);
