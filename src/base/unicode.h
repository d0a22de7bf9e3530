/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unicode.h - properties and case mappings of code points, as in Go's package unicode.
 *
 * The tables are generated at build time from the Unicode 15 database, the version that Go uses.
 * Not part of base.h: only the few files that look at characters include it. Code points above
 * RUNE_MAX have no properties and no other case. All functions are pure and may be called from any
 * thread.
 */
#pragma once

#include "base/str.h"

/* Categories: L, Nd, Lu, Ll, Lt, N, P. */
bool unicode_is_letter(uint32_t r);
bool unicode_is_digit(uint32_t r);
bool unicode_is_upper(uint32_t r);
bool unicode_is_lower(uint32_t r);
bool unicode_is_title(uint32_t r);
bool unicode_is_number(uint32_t r);
bool unicode_is_punct(uint32_t r);
/* The property White_Space. */
bool unicode_is_space(uint32_t r);
/* Trims it from both ends, as Go's TrimSpace: more than str_trim does. */
str unicode_trim(str s);
/* What %q shows as it is: letters, marks, numbers, punctuation, symbols and the blank. */
bool unicode_is_print(uint32_t r);

/* The simple mappings, from one code point to one; r itself when there is none. */
uint32_t unicode_to_upper(uint32_t r);
uint32_t unicode_to_lower(uint32_t r);
uint32_t unicode_to_title(uint32_t r);
/*
 * The next code point that equals r case-insensitively, as Go's SimpleFold: 'K', 'k', U+212A and
 * around again. r itself when there is none.
 */
uint32_t unicode_fold(uint32_t r);
/*
 * All code points that have another case, in rising order: the index of the first one at or after
 * r, and the one at an index with its unicode_fold, which may be itself. False at the end.
 */
size_t unicode_fold_index(uint32_t r);
bool unicode_fold_at(size_t index, uint32_t *r, uint32_t *fold);

/* Sets of code points: rising ranges that neither overlap nor touch, both ends included. */
struct unicode_range {
    uint32_t lo, hi;
};
struct unicode_set {
    const struct unicode_range *ranges;
    size_t count;
};
/*
 * The set that \p{name} means in a regular expression of Go 1.26: a category (Lu, L, LC, Cn), a
 * long name of one (Uppercase_Letter), a script, or Any, ASCII, Assigned. Case, blanks, hyphens and
 * underscores in the name are ignored. *inverted means everything outside the set. False when there
 * is no such set.
 */
bool unicode_set_find(str name, struct unicode_set *out, bool *inverted);
