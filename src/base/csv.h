/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv.h - one record of comma-separated values, as Go's encoding/csv reads it.
 *
 * Paths of omitted fields use this syntax, with a dot as separator, and so do command-line options
 * that take lists. Fields in double quotes may contain the separator and line breaks, and a doubled
 * quote is a quote. Empty lines before the record are skipped, the record ends at the first line
 * break outside quotes, CR LF counts as LF, and what follows the record is ignored. May be called
 * from any thread.
 */
#pragma once

#include "base/str.h"

struct err;

/*
 * Reads the first record of text; fields live as long as a and text. Errors are worded as Go's,
 * columns count bytes: 'parse error on line 1, column 3: bare " in non-quoted-field'; "EOF" when
 * there is no record.
 */
MUST_CHECK bool csv_record(struct arena *a, str text, char comma, str **fields, size_t *count,
                           struct err *e);
