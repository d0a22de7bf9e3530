/* SPDX-License-Identifier: Apache-2.0 */
/*
 * discard.c - lines that the search should not see.
 *
 * A line that the other text does not contain at all is a change, whatever the search would find. A
 * line that the other text has very often (a closing brace, a blank line) says little about where
 * things belong: between changes it counts as a change too, under rules of thumb that keep it from
 * splitting what belongs together. The thresholds are GNU diff's, and the result depends on them.
 */
#include "diff/internal.h"

enum { KEEP = 0, ALONE, COMMON };

/* 2 to the number of times that n can be divided by 4: about its square root. */
static int32_t rough_root(int32_t n)
{
    int32_t root = 1;

    while ((n >>= 2) > 0)
        root *= 2;
    return root;
}

/* The marks are made in the array that later says which lines have changed. */
static void mark_lines(const struct diff_pair *p, int which, uint8_t *marks)
{
    const struct diff_side *s = &p->side[which];
    int32_t many = 5 * rough_root(s->count / 64);

    for (int32_t i = 0; i < s->count; i++) {
        int32_t matches = p->classes[s->classes[i]].count[1 - which];
        marks[i] = matches == 0 ? ALONE : matches > many ? COMMON : KEEP;
    }
}

/* The marks of a run that begins and ends with ALONE and has no KEEP inside. */
struct run {
    uint8_t *marks;
    int32_t len;
    int32_t common;
};

/* The run at the start of marks. Common lines at its end do not belong to it and are kept. */
static struct run take_run(uint8_t *marks, int32_t len)
{
    struct run run = {.marks = marks};

    while (run.len < len && marks[run.len] != KEEP)
        run.common += marks[run.len++] == COMMON;
    while (run.len && marks[run.len - 1] == COMMON) {
        marks[--run.len] = KEEP;
        run.common--;
    }
    return run;
}

static void keep_common(uint8_t *marks, int32_t len)
{
    for (int32_t i = 0; i < len; i++)
        if (marks[i] == COMMON)
            marks[i] = KEEP;
}

/* Common lines that follow each other directly are kept when there are enough of them. */
static void keep_long_rows(struct run run)
{
    int32_t least = rough_root(run.len / 4) + 1, row;

    for (int32_t i = 0; i < run.len; i += row ? row : 1) {
        for (row = 0; i + row < run.len && run.marks[i + row] == COMMON;)
            row++;
        if (row >= least)
            keep_common(run.marks + i, row);
    }
}

/*
 * Keeps common lines near an end of the run, up to three changes in a row or the first change that
 * is at least eight lines in. step says from which end.
 */
static void keep_near_end(struct run run, int32_t step)
{
    uint8_t *at = step > 0 ? run.marks : run.marks + run.len - 1;
    int in_a_row = 0;

    for (int32_t i = 0; i < run.len && in_a_row < 3; i++, at += step) {
        if (i >= 8 && *at == ALONE)
            return;
        in_a_row = *at == ALONE ? in_a_row + 1 : 0;
        if (*at == COMMON)
            *at = KEEP;
    }
}

static void settle_run(struct run run)
{
    if (run.common * (int64_t)4 > run.len) {
        keep_common(run.marks, run.len);
        return;
    }
    keep_long_rows(run);
    keep_near_end(run, 1);
    keep_near_end(run, -1);
}

/* Common lines stay marked only inside runs of changes. */
static void settle_marks(uint8_t *marks, int32_t count)
{
    for (int32_t i = 0; i < count;) {
        if (marks[i] != ALONE) {
            marks[i++] = KEEP;
            continue;
        }
        struct run run = take_run(marks + i, count - i);
        settle_run(run);
        i += run.len;
    }
}

static void keep_lines(struct arena *a, struct diff_side *s)
{
    size_t bytes = arena_array_size((size_t)s->count, sizeof(int32_t));

    s->kept = arena_alloc_raw(a, bytes);
    s->kept_classes = arena_alloc_raw(a, bytes);
    for (int32_t i = 0; i < s->count; i++) {
        if (s->changed[i] != KEEP) {
            s->changed[i] = 1;
            continue;
        }
        s->kept[s->kept_count] = i;
        s->kept_classes[s->kept_count++] = s->classes[i];
    }
}

void diff_discard(struct arena *a, struct diff_pair *p)
{
    for (int i = 0; i < 2; i++) {
        struct diff_side *s = &p->side[i];
        uint8_t *marks = (uint8_t *)s->changed;
        mark_lines(p, i, marks);
        settle_marks(marks, s->count);
        keep_lines(a, s);
    }
}
