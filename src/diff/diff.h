/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.h - differences between texts.
 *
 * Two kinds, both byte-identical to the programs they replace:
 *
 * - unified: what GNU diff -u -N prints for two files, from the first @@ line on, including its
 *   choice among equally short scripts (its search, boundary shifting and give-up heuristics).
 * - characters: what Google's diff-match-patch returns on code points, line mode off. compare's
 *   candidate scores and capture groups are based on it.
 *
 * Differences between trees are in value/diff.h. All functions may be called from any thread.
 */
#pragma once

#include "base/base.h"

enum diff_result { DIFF_SAME, DIFF_CHANGED, DIFF_BINARY };

#define DIFF_CONTEXT 3 /* lines, as diff -u */
/* The largest text, in bytes: line numbers, and sums of two of them, fit 32 bits. */
#define DIFF_MAX (GIB - 8)

/*
 * Appends the hunks that turn old into new_. A missing file is the empty text. DIFF_BINARY, with
 * nothing appended, when they differ and either looks binary to GNU diff (a NUL in its first 4096
 * bytes) or is larger than DIFF_MAX. The time is bounded as in GNU diff: by giving up on the
 * shortest answer when it takes too long.
 */
enum diff_result diff_unified(struct buf *out, str old, str new_, size_t context);

struct diff_file {
    str name;
    int64_t time; /* when it was last changed, as clock_now; 0 for a missing file */
};

/*
 * Appends the two lines that come before the hunks: "--- NAME<tab>TIME" and "+++ NAME<tab>TIME",
 * names quoted and times in the local zone as GNU diff does.
 */
void diff_header(struct buf *out, const struct diff_file *old, const struct diff_file *new_);

enum diff_op { DIFF_DELETE = -1, DIFF_EQUAL = 0, DIFF_INSERT = 1 };

struct diff_piece {
    enum diff_op op;
    str text; /* of old (deleted, equal) or of new (inserted) */
};

struct diff_pieces {
    struct diff_piece *items;
    size_t count;
};

/* Steps of diff_chars: a second at most. The original gives up after a second. */
#define DIFF_CHARS_STEPS UINT64_C(150000000)

/*
 * The pieces that turn old into new_. The search is charged to *left, in steps, so that the result
 * is the same on every machine; when they are used up, *left is 0 and the rest is one deletion and
 * one insertion, as in the original. In texts that are not valid UTF-8, invalid bytes are compared
 * as U+FFFD. Lives as long as a.
 */
struct diff_pieces diff_chars(struct arena *a, str old, str new_, uint64_t *left);
/* The sum of the byte lengths of all deleted and inserted pieces. */
size_t diff_chars_score(const struct diff_pieces *pieces);
