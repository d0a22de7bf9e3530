/* SPDX-License-Identifier: Apache-2.0 */
/*
 * toml.h - writing TOML as BurntSushi/toml's encoder does, for the template function toToml.
 */
#pragma once

#include "text/text.h"

/*
 * Appends v, which must be an object. Errors read as that encoder's ("toml: top-level values must
 * be Go maps or structs", "toml: array type mixed ...").
 */
MUST_CHECK bool toml_write(struct buf *out, const struct value *v, enum number_rule numbers,
                           struct err *e);
