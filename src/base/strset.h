/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strset.h - which texts have been seen, for millions of them.
 *
 *     struct strset *seen = strset_new(a);
 *     if (strset_add(seen, id, &kept)) first_time(kept);
 *     strset_free(seen);
 *
 * A text costs its bytes and about 24 more: a map, which also has an order and values, costs twice
 * that. The copies of the texts live in the arena, longer than the set. One thread at a time.
 */
#pragma once

#include "base/str.h"

struct strset;

struct strset *strset_new(struct arena *a);
/* Frees the table; the texts stay. */
void strset_free(struct strset *s);
/* True when text is new. kept, unless NULL, becomes the set's own copy in either case. */
bool strset_add(struct strset *s, str text, str *kept);
size_t strset_len(const struct strset *s);
