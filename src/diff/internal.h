/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - shared by the steps of the unified diff.
 *
 * A text passes through them in this order, each in its own file:
 *
 *   lines.c     cut off what both texts begin and end with; give equal lines the same number
 *   discard.c   set aside lines that would only confuse the search
 *   search.c    find the lines that stay, by Myers' search from both ends
 *   slide.c     move runs of changed lines to where people expect them
 *   unified.c   gather the changes into hunks and print them
 *
 * Which of several equally short diffs is chosen depends on all of them: they match GNU diff step
 * by step.
 */
#pragma once

#include "diff/diff.h"

/*
 * One of the two texts. Lines are counted from the first one after the common beginning; the middle
 * has the lines 0 to count - 1, and starts also knows up to `context` lines around it: line i is
 * the bytes from starts[i] to starts[i + 1], for i from -before to count + after - 1.
 */
struct diff_side {
    str text;
    uint32_t *starts;
    int32_t before, count, after;
    size_t skipped;   /* lines of the text before line 0 */
    int32_t *classes; /* of each line of the middle: equal numbers for equal lines */
    char *changed;    /* of each line of the middle; [-1] and [count] are there and 0 */
    int32_t *kept;    /* the lines that the search looks at, ascending */
    int32_t *kept_classes;
    int32_t kept_count;
};

struct diff_pair {
    struct diff_side side[2]; /* old, new */
    struct diff_class {
        uint32_t hash;
        int32_t line;     /* where it occurs: line in old, or ~line in new */
        int32_t count[2]; /* how often, in each text */
    } * classes;
    int32_t class_count;
};

/* Fills the sides up to their classes. */
void diff_split(struct arena *a, struct diff_pair *p, str old, str new_, int32_t context);
/* Fills kept, and marks the lines that are not kept as changed. */
void diff_discard(struct arena *a, struct diff_pair *p);
/* Marks the kept lines that differ as changed. */
void diff_search(struct arena *a, struct diff_pair *p);
/* Moves runs of changed lines. */
void diff_slide(struct diff_pair *p);
