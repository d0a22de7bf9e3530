/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex.h - regular expressions in Go's dialect.
 *
 * Syntax, error texts, and results are those of Go's regexp package (Go 1.26): leftmost-first
 * matches, submatches, named groups in both spellings, Unicode classes and simple case folding.
 * Bytes that are not UTF-8 match as U+FFFD, one at a time.
 *
 * The engine is our own, because patterns must parse, fail and match exactly as in Go
 * (docs/design/regex.md). Matching takes time in proportion to text and compiled pattern, never
 * more (pike.c, backtrack.c); regex_limit bounds it further.
 *
 * A regex is compiled once, is immutable, and may be used from any number of threads. Matching
 * allocates in the arena of the call.
 */
#pragma once

#include "base/base.h"

struct regex;

/*
 * Compiles a pattern; the result lives as long as a. Errors read as Go's: "error parsing regexp:
 * missing closing ): `(a`". Patterns that nest over 1,000 deep or grow too large fail as in Go;
 * unlike in Go, so do patterns over 4 MiB and those whose groups would take too much memory to
 * track.
 */
MUST_CHECK bool regex_compile(struct arena *a, str pattern, struct regex **out, struct err *e);

/*
 * The same for patterns that are compiled again and again: the result is shared by the whole
 * process, as long as there are few of them and they are small.
 */
MUST_CHECK bool regex_compile_shared(struct arena *a, str pattern, struct regex **out,
                                     struct err *e);

/* The number of groups, without the whole match. */
size_t regex_groups(const struct regex *re);
/* The name of group i (1 is the first), empty when it has none; i = 0 is empty. */
str regex_group_name(const struct regex *re, size_t i);

/*
 * Searching takes time in proportion to text and pattern, both of which may be untrusted. After
 * this call, every search with re is charged to *left, in units of a few nanoseconds; when it is
 * used up, *left is 0 and nothing more is found. Only for expressions used by a single thread, and
 * only as long as left lives.
 */
void regex_limit(struct regex *re, uint64_t *left);
/* regex_match with a limit for this call, for expressions that threads share. */
bool regex_match_within(const struct regex *re, str text, uint64_t *left);

/* A span of bytes; from = STR_NPOS when the group did not take part. */
struct span {
    size_t from, to;
};

/* Whether text contains a match. */
bool regex_match(const struct regex *re, str text);
/*
 * The first match at or after byte from: spans[0] is the whole, spans[i] group i. spans has room
 * for count entries; fewer than all groups are fine and cheaper. False when there is none. ^ and \b
 * look at the text before from.
 */
bool regex_find(const struct regex *re, str text, size_t from, struct span *spans, size_t count);

struct spans {
    struct span *items; /* count * stride: spans of match i begin at items[i * stride] */
    size_t count, stride;
};
/*
 * All successive matches, at most limit (negative: all), as Go's FindAllSubmatchIndex. Each has
 * count spans, as in regex_find: 1 when only the whole matches are wanted, which is cheaper.
 */
struct spans regex_find_all(struct arena *a, const struct regex *re, str text, int64_t limit,
                            size_t count);

/* Replaces all matches; $1, ${name} and $$ in with are expanded as Go's Expand does. */
void regex_replace(const struct regex *re, str text, str with, struct buf *out);
/* Replaces all matches by with, literally. */
void regex_replace_literal(const struct regex *re, str text, str with, struct buf *out);
/* Appends the template with $1, ${name} and $$ expanded for one match. */
void regex_expand(const struct regex *re, str template_, str text, const struct span *spans,
                  struct buf *out);
/* As Go's Split: at most limit pieces (negative: all; 0: none). */
str *regex_split(struct arena *a, const struct regex *re, str text, int64_t limit, size_t *count);
/* text with all characters escaped that are special in a pattern, as Go's QuoteMeta. */
str regex_quote(struct arena *a, str text);
