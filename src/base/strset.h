/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strset.h - a set of strings, for millions of them.
 *
 *     struct strset *seen = strset_new(a, 0);
 *     if (strset_add(seen, id, &kept)) first_time(kept);
 *     strset_free(seen);
 *
 * A text costs its bytes and about 24 more: a map, which also has an order and values, costs twice
 * that. The copies of the texts live in the arena and outlive the set. One thread at a time.
 */
#pragma once

#include "base/str.h"

struct strset;

/* extra: bytes that are kept with each text, zeroed, for the caller. */
struct strset *strset_new(struct arena *a, size_t extra);
/* Frees the table; the texts stay. */
void strset_free(struct strset *s);
/*
 * True when text is new. kept, unless NULL, becomes the set's own copy in either case; in front of
 * it, not aligned, lie the extra bytes.
 */
bool strset_add(struct strset *s, str text, str *kept);
bool strset_has(const struct strset *s, str text);
size_t strset_len(const struct strset *s);
