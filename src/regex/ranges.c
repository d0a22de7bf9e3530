/* SPDX-License-Identifier: Apache-2.0 */
/* ranges.c - sets of code points while they are being built; see internal.h. */
#include "regex/internal.h"

/* Joins the new range to the given one when they overlap or touch. */
static bool join(struct unicode_range *old, uint32_t lo, uint32_t hi)
{
    if (lo > old->hi + 1 || old->lo > hi + 1)
        return false;
    if (lo < old->lo)
        old->lo = lo;
    if (hi > old->hi)
        old->hi = hi;
    return true;
}

/* Trying the last two keeps A-Z and a-z together when they grow by turns. */
void rx_ranges_add(struct arena *a, struct ranges *r, uint32_t lo, uint32_t hi)
{
    for (size_t back = 1; back <= 2 && back <= r->len; back++)
        if (join(&r->items[r->len - back], lo, hi))
            return;
    VEC_PUSH(a, r, ((struct unicode_range){lo, hi}));
}

/*
 * For each code point of the range, adds what follows in its case folding orbit, up to the next one
 * that is in the range again: that adds everything outside the range, and wide ranges stay cheap.
 */
void rx_ranges_add_folded(struct arena *a, struct ranges *r, uint32_t lo, uint32_t hi)
{
    uint32_t rune, fold;

    rx_ranges_add(a, r, lo, hi);
    for (size_t i = unicode_fold_index(lo); unicode_fold_at(i, &rune, &fold) && rune <= hi; i++)
        for (; fold < lo || fold > hi; fold = unicode_fold(fold))
            rx_ranges_add(a, r, fold, fold);
}

void rx_ranges_add_set(struct arena *a, struct ranges *r, struct unicode_set set, bool negated)
{
    uint32_t next = 0;

    for (size_t i = 0; i < set.count; i++) {
        if (!negated)
            rx_ranges_add(a, r, set.ranges[i].lo, set.ranges[i].hi);
        else if (set.ranges[i].lo > next)
            rx_ranges_add(a, r, next, set.ranges[i].lo - 1);
        next = set.ranges[i].hi + 1;
    }
    if (negated && next <= RUNE_MAX)
        rx_ranges_add(a, r, next, RUNE_MAX);
}

struct ranges rx_ranges_fold_set(struct arena *a, struct unicode_set set)
{
    struct ranges folded = {0};

    for (size_t i = 0; i < set.count; i++)
        rx_ranges_add_folded(a, &folded, set.ranges[i].lo, set.ranges[i].hi);
    rx_ranges_clean(&folded);
    return folded;
}

static int by_start(const void *x, const void *y)
{
    const struct unicode_range *a = x, *b = y;

    if (a->lo != b->lo)
        return a->lo < b->lo ? -1 : 1;
    return a->hi > b->hi ? -1 : a->hi < b->hi;
}

static bool is_clean(const struct ranges *r)
{
    for (size_t i = 1; i < r->len; i++)
        if (r->items[i].lo <= r->items[i - 1].hi + 1)
            return false;
    return true;
}

void rx_ranges_clean(struct ranges *r)
{
    size_t kept = 0;

    if (is_clean(r))
        return;
    qsort(r->items, r->len, sizeof(*r->items), by_start);
    for (size_t i = 1; i < r->len; i++)
        if (!join(&r->items[kept], r->items[i].lo, r->items[i].hi))
            r->items[++kept] = r->items[i];
    r->len = kept + 1;
}

void rx_ranges_negate(struct arena *a, struct ranges *r)
{
    struct ranges negated = {0};

    rx_ranges_add_set(a, &negated, rx_ranges_set(r), true);
    *r = negated;
}
