/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.h - JSON to value and back.
 *
 * Strings without escapes are not copied: they point into the source's text, which therefore must
 * live as long as the tree. Errors are worded as Go's encoding/json words them ("invalid character
 * 'x' looking for beginning of value", "unexpected end of JSON input", "exceeded max depth").
 */
#pragma once

#include "text/text.h"

/* Reads a text that holds exactly one value. opts may be NULL. */
MUST_CHECK bool json_read(struct arena *a, const struct source *src,
                          const struct read_options *opts, struct value **out, struct err *e);

/*
 * Reads the values of a text one after the other: concatenated or separated by white space.
 * *offset begins as 0 and moves on; at the end *out is NULL. Each value may use an arena of its
 * own.
 */
MUST_CHECK bool json_read_next(struct arena *a, const struct source *src,
                               const struct read_options *opts, size_t *offset, struct value **out,
                               struct err *e);

struct json_style {
    bool sorted; /* members bytewise by key, as Go writes maps; else in their own order */
    bool html;   /* <, >, &, U+2028 and U+2029 as \u escapes, as Go does by default */
    enum number_rule numbers;
    str indent; /* empty: compact. Otherwise as json.MarshalIndent with no prefix */
};

/* json.Marshal of decoded data: sorted, html, Go's numbers. */
extern const struct json_style json_go;
/* What was read, as it was: own order, exact numbers, nothing escaped needlessly. */
extern const struct json_style json_exact;

/* Appends v, without a final newline. Fails only on numbers that Go cannot write (1e400). */
MUST_CHECK bool json_write(struct buf *out, const struct value *v, const struct json_style *style,
                           struct err *e);
/* Appends a string in quotes with Go's escapes. */
void json_write_string(struct buf *out, str s, bool html);
