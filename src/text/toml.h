/* SPDX-License-Identifier: Apache-2.0 */
/*
 * toml.h - writing TOML as BurntSushi/toml's encoder (1.5.0) does, for the template function
 * toToml.
 *
 * Keys are sorted bytewise; plain values come before tables; tables are indented by two blanks per
 * level. A list whose elements are all objects is an array of tables, any other list is written on
 * one line, with the objects in it as inline tables. Members that are null are left out.
 *
 * What can be written although TOML has no such document: a root that is no object gives just its
 * value, without a newline.
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
 * A root that is null is a crash of the encoder, which Go's templates report as an error of the
 * template: ERR_USAGE, with the text of the crash.
 */
MUST_CHECK bool toml_write(struct buf *out, const struct value *v, enum number_rule numbers,
                           struct err *e);
