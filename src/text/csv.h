/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv.h - one record of comma separated values, as Go's encoding/csv reads it.
 *
 * Lists on the command line and the paths of omitted fields are written this way.
 */
#pragma once

#include "base/base.h"

/*
 * Reads the first record that is not an empty line; what follows it is not looked at. Fields are
 * separated by comma, a field in double quotes may hold anything ("" is a quote). Errors are worded
 * as Go words them, with line and column in the text: `parse error on line 1, column 3: bare " in
 * non-quoted-field`; a text without a record is "EOF". Fields live as long as a and text.
 */
MUST_CHECK bool csv_read(struct arena *a, str text, char comma, str **fields, size_t *count,
                         struct err *e);
