/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chars_internal.h - pieces of a character difference while they are being made; for this folder
 * only.
 *
 * A piece says what happens, and for how many code points. A list of them covers a part of both
 * texts without gaps.
 */
#pragma once

#include "diff/diff.h"

struct chars_piece {
    enum diff_op op;
    size_t len;
};

struct chars_list {
    struct chars_piece *items;
    size_t len, cap;
};

/* Comparing code points one after another is cheap: this many of them count as a step. */
#define CHARS_PER_STEP 4

/* Counts steps; false when none are left. */
static inline bool chars_pay(uint64_t *left, uint64_t steps)
{
    *left = *left > steps ? *left - steps : 0;
    return *left > 0;
}

void chars_push(struct arena *a, struct chars_list *list, enum diff_op op, size_t len);
/*
 * Tidies the pieces from first on as diff-match-patch does, as long as steps are left; texts is
 * where they begin in old and new. The contents of spare are lost.
 */
void chars_clean_up(struct arena *a, struct chars_list *list, struct chars_list *spare,
                    size_t first, const uint32_t *const texts[2], uint64_t *left);

/* How many code points are equal, up to max, forwards from a and b. */
size_t chars_common_prefix(const uint32_t *a, const uint32_t *b, size_t max);
/* The same backwards from before a and b. */
size_t chars_common_suffix(const uint32_t *a, const uint32_t *b, size_t max);
