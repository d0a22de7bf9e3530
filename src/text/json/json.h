/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.h - JSON to value and back.
 *
 * Strings without escapes are not copied: they point into the source's text, which therefore must
 * live as long as the tree. Errors have the wording of Go's encoding/json ("invalid character 'x'
 * looking for beginning of value", "unexpected end of JSON input", "exceeded max depth"). Where Go
 * would silently lose data (invalid UTF-8 or an unpaired surrogate in a string), reading fails
 * unless opts->go asks for Go's behaviour. The first error is reported, except that a number beyond
 * float64 (opts->go) comes last, as in Go.
 */
#pragma once

#include "text/text.h"

/* Reads a text that contains exactly one value. opts may be NULL. */
MUST_CHECK bool json_read(struct arena *a, const struct source *src,
                          const struct read_options *opts, struct value **out, struct err *e);

/*
 * Reads the values of a text one after the other: concatenated or separated by white space.
 * *offset begins as 0 and moves on; at the end *out is NULL. Each value may use an arena of its
 * own. Errors are those of Go's Decoder, which says "unexpected EOF" wherever the text ends too
 * early; *offset stays at a value that is malformed, and moves past one that is only out of range.
 */
MUST_CHECK bool json_read_next(struct arena *a, const struct source *src,
                               const struct read_options *opts, size_t *offset, struct value **out,
                               struct err *e);

struct json_style {
    bool sorted; /* members sorted bytewise by key, as Go writes maps; else in their own order */
    bool html;   /* <, > and & as \u escapes, as Go does by default */
    enum number_rule numbers;
    str indent; /* empty: compact. Otherwise as json.MarshalIndent with no prefix */
};

/* json.Marshal of decoded data: sorted, html, Go's numbers. */
extern const struct json_style json_go;
/* The same where every number is a float64, and where numbers keep their exact text. */
extern const struct json_style json_go_floats, json_go_plain;
/* What was read, unchanged: own order, exact numbers, no more escapes than Go needs. */
extern const struct json_style json_exact;

/*
 * Appends v, without a final newline. Fails only on numbers that Go cannot write: when numbers are
 * rounded, 1e400 is "json: unsupported value: +Inf". -0 stays -0 as a float, and becomes 0 as a Go
 * integer.
 */
MUST_CHECK bool json_write(struct buf *out, const struct value *v, const struct json_style *style,
                           struct err *e);
/*
 * Appends a string in quotes with Go's escapes. U+2028 and U+2029 are always escaped; a byte that
 * is not UTF-8 becomes \ufffd.
 */
void json_write_string(struct buf *out, str s, bool html);
