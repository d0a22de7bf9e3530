/* SPDX-License-Identifier: Apache-2.0 */
/*
 * toml.h - TOML as BurntSushi/toml (1.5.0) writes and reads it, for the template functions toToml
 * and fromToml.
 *
 * Writing: keys are sorted bytewise; plain values come before tables; tables are indented by two
 * blanks per level. A list whose elements are all objects is an array of tables, any other list is
 * written on one line, with the objects in it as inline tables. Members that are null are left out.
 *
 * As an extension, a root that is not an object is written as a bare value, without a newline.
 */
#pragma once

#include "text/text.h"

/*
 * Appends v. May be called from any thread. On failure, out keeps what was written so far. The
 * errors that the encoder returns, and toToml shows as its result:
 *
 *   toml: cannot encode array with nil element
 *   toml: top-level values must be Go maps or structs    the root is a list of objects
 *
 * A root that is null crashes the encoder, which Go's templates report as a template error:
 * ERR_USAGE, with the text of the crash.
 */
MUST_CHECK bool toml_write(struct buf *out, const struct value *v, enum number_rule numbers,
                           struct err *e);

/* The same for a tree whose strings have an enum toml_kind as tag, as toml_read gives it. */
MUST_CHECK bool toml_write_tagged(struct buf *out, const struct value *v, enum number_rule numbers,
                                  struct err *e);

/*
 * The type of a node that was read, beyond its kind. TOML has values that JSON lacks: they are
 * strings whose tag is their type.
 */
enum toml_kind {
    TOML_PLAIN,
    TOML_TABLES,         /* a list made by [[key]]: all its elements are objects */
    TOML_FLOAT,          /* a string: inf, -inf, nan or -nan */
    TOML_DATETIME,       /* a string: 1979-05-27T07:32:00.5Z */
    TOML_LOCAL_DATETIME, /* a string: 1979-05-27T07:32:00 */
    TOML_LOCAL_DATE,     /* a string: 1979-05-27 */
    TOML_LOCAL_TIME,     /* a string: 07:32:00 */
};
enum toml_kind toml_kind(const struct value *v);

/* How deep keys, lists and inline tables may nest. Anything deeper is ERR_LIMIT. */
#define TOML_DEPTH_MAX 250

/*
 * Reads a document, which is an object. Strings without escapes are not copied: the source must
 * live as long as the tree. Errors are worded as BurntSushi/toml words them, odd line numbers
 * included: "toml: line 1 (last key "a"): unexpected EOF; expected value".
 *
 * Upstream: a key whose value is a list may be given again, and the last one wins.
 */
MUST_CHECK bool toml_read(struct arena *a, const struct source *src, struct value **out,
                          struct err *e);
