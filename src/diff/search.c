/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search.c - which lines stay: Myers' search from both ends.
 *
 * The two arrays of line numbers span a grid: x counts the old lines, y the new ones, and a
 * diagonal is all points with the same x - y. Two fronts move towards each other, one edit per
 * round on every diagonal; where they meet, the problem splits into two smaller ones. See Myers,
 * "An O(ND) Difference Algorithm and Its Variations", 1986.
 *
 * After TOO_EXPENSIVE rounds the front that got further decides where to cut. That gives up on the
 * shortest answer and bounds the time. GNU diff does the same, so the cut and the order in which
 * diagonals are visited must stay as they are.
 */
#include "diff/internal.h"

enum { TOO_EXPENSIVE_LEAST = 4096 };

/* A part of the grid: x from x0 to below x1, y from y0 to below y1. */
struct box {
    int32_t x0, x1, y0, y1;
};

/* How far each diagonal from lo to hi was followed. */
struct front {
    int32_t *reach; /* x by diagonal; diagonals may be negative */
    int32_t lo, hi;
};

/* Where to cut a box, and which parts need no limit since their cost is known to be low. */
struct cut {
    int32_t x, y;
    bool low_exact, high_exact;
};

struct search {
    const int32_t *xs, *ys;
    int32_t *ahead, *back; /* the memory of the two fronts */
    int32_t too_expensive;
    struct diff_side *side;
};

/*
 * Adds the diagonals that one more edit reaches, up to the edges of the box; the neighbours beyond
 * them get a value that never wins.
 */
static void widen(struct front *f, const struct box *b, int32_t never)
{
    if (f->lo > b->x0 - b->y1)
        f->reach[--f->lo - 1] = never;
    else
        f->lo++;
    if (f->hi < b->x1 - b->y0)
        f->reach[++f->hi + 1] = never;
    else
        f->hi--;
}

/* One round of the front that starts at the low corner. True when it met the other one. */
static bool step_ahead(const struct search *s, const struct box *b, struct front *f,
                       const struct front *other, struct cut *cut)
{
    const int32_t *xs = s->xs, *ys = s->ys, x1 = b->x1, y1 = b->y1;
    int32_t *reach = f->reach;
    bool may_meet = ((b->x0 - b->y0) - (b->x1 - b->y1)) & 1;

    widen(f, b, -1);
    for (int32_t d = f->hi; d >= f->lo; d -= 2) {
        int32_t low = reach[d - 1], high = reach[d + 1];
        int32_t x = low < high ? high : low + 1, y = x - d;
        while (x < x1 && y < y1 && xs[x] == ys[y])
            x++, y++;
        reach[d] = x;
        if (may_meet && other->lo <= d && d <= other->hi && other->reach[d] <= x) {
            *cut = (struct cut){x, y, true, true};
            return true;
        }
    }
    return false;
}

/* The same from the high corner. */
static bool step_back(const struct search *s, const struct box *b, struct front *f,
                      const struct front *other, struct cut *cut)
{
    const int32_t *xs = s->xs, *ys = s->ys, x0 = b->x0, y0 = b->y0;
    int32_t *reach = f->reach;
    bool may_meet = !(((b->x0 - b->y0) - (b->x1 - b->y1)) & 1);

    widen(f, b, INT32_MAX);
    for (int32_t d = f->hi; d >= f->lo; d -= 2) {
        int32_t low = reach[d - 1], high = reach[d + 1];
        int32_t x = low < high ? low : high - 1, y = x - d;
        while (x0 < x && y0 < y && xs[x - 1] == ys[y - 1])
            x--, y--;
        reach[d] = x;
        if (may_meet && other->lo <= d && d <= other->hi && x <= other->reach[d]) {
            *cut = (struct cut){x, y, true, true};
            return true;
        }
    }
    return false;
}

/* The point of the front that is furthest from the low corner, pulled back into the box. */
static struct cut furthest_ahead(const struct box *b, const struct front *f)
{
    struct cut best = {.x = -1, .y = 0, .low_exact = true};

    for (int32_t d = f->hi; d >= f->lo; d -= 2) {
        int32_t x = f->reach[d] < b->x1 ? f->reach[d] : b->x1, y = x - d;
        if (y > b->y1) {
            x = b->y1 + d;
            y = b->y1;
        }
        if (x + y > best.x + best.y)
            best.x = x, best.y = y;
    }
    return best;
}

static struct cut furthest_back(const struct box *b, const struct front *f)
{
    struct cut best = {.x = INT32_MAX, .y = 0, .high_exact = true};

    for (int32_t d = f->hi; d >= f->lo; d -= 2) {
        int32_t x = f->reach[d] > b->x0 ? f->reach[d] : b->x0, y = x - d;
        if (y < b->y0) {
            x = b->y0 + d;
            y = b->y0;
        }
        if (x + y < best.x + best.y)
            best.x = x, best.y = y;
    }
    return best;
}

static struct cut give_up(const struct box *b, const struct front *ahead, const struct front *back)
{
    struct cut low = furthest_ahead(b, ahead), high = furthest_back(b, back);
    int32_t gone = low.x + low.y - (b->x0 + b->y0), come = b->x1 + b->y1 - (high.x + high.y);

    return come < gone ? low : high;
}

/* Where to cut a box that is empty in neither direction. exact: however long it takes. */
static struct cut find_cut(const struct search *s, const struct box *b, bool exact)
{
    int32_t first = b->x0 - b->y0, last = b->x1 - b->y1;
    struct front ahead = {s->ahead, first, first}, back = {s->back, last, last};
    struct cut cut;

    ahead.reach[first] = b->x0;
    back.reach[last] = b->x1;
    for (int32_t cost = 1;; cost++) {
        if (step_ahead(s, b, &ahead, &back, &cut) || step_back(s, b, &back, &ahead, &cut))
            return cut;
        if (!exact && cost >= s->too_expensive)
            return give_up(b, &ahead, &back);
    }
}

static void shrink(const struct search *s, struct box *b)
{
    while (b->x0 < b->x1 && b->y0 < b->y1 && s->xs[b->x0] == s->ys[b->y0])
        b->x0++, b->y0++;
    while (b->x0 < b->x1 && b->y0 < b->y1 && s->xs[b->x1 - 1] == s->ys[b->y1 - 1])
        b->x1--, b->y1--;
}

static void mark_changed(struct diff_side *side, int32_t from, int32_t to)
{
    for (; from < to; from++)
        side->changed[side->kept[from]] = 1;
}

/* Each cut roughly halves the remaining cost, so the recursion stays shallow. */
static void search_box(const struct search *s, struct box b, bool exact)
{
    for (;;) {
        shrink(s, &b);
        if (b.x0 == b.x1 || b.y0 == b.y1) {
            mark_changed(&s->side[0], b.x0, b.x1);
            mark_changed(&s->side[1], b.y0, b.y1);
            return;
        }
        struct cut cut = find_cut(s, &b, exact);
        search_box(s, (struct box){b.x0, cut.x, b.y0, cut.y}, cut.low_exact);
        b.x0 = cut.x;
        b.y0 = cut.y;
        exact = cut.high_exact;
    }
}

/* About the square root of the number of diagonals, but not too small. */
static int32_t cost_limit(int32_t diagonals)
{
    int32_t limit = 1;

    for (; diagonals; diagonals >>= 2)
        limit *= 2;
    return limit > TOO_EXPENSIVE_LEAST ? limit : TOO_EXPENSIVE_LEAST;
}

void diff_search(struct arena *a, struct diff_pair *p)
{
    struct diff_side *old = &p->side[0], *new_ = &p->side[1];
    int32_t diagonals = old->kept_count + new_->kept_count + 3;
    size_t bytes = arena_array_size((size_t)diagonals, sizeof(int32_t));
    struct search s = {
        .xs = old->kept_classes,
        .ys = new_->kept_classes,
        .ahead = (int32_t *)arena_alloc_raw(a, bytes) + new_->kept_count + 1,
        .back = (int32_t *)arena_alloc_raw(a, bytes) + new_->kept_count + 1,
        .too_expensive = cost_limit(diagonals),
        .side = p->side,
    };

    search_box(&s, (struct box){0, old->kept_count, 0, new_->kept_count}, false);
}
