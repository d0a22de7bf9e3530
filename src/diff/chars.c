/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chars.c - the character difference of diff-match-patch.
 *
 * The search tries what is quick first: common ends, one text inside the other, a common part of at
 * least half the longer text. Only then does it look for the shortest path, by Myers' search from
 * both ends. Every shortcut affects which of several answers is found, so none may be added or left
 * out.
 *
 * Pieces only say what happens and for how many code points: together they cover both texts without
 * gaps, so their texts follow from their order.
 */
#include "diff/chars_internal.h"

#include <wchar.h>

static_assert(sizeof(wchar_t) == sizeof(uint32_t), "wmemchr looks for code points");

/* A part of a text, in code points. */
struct runes {
    const uint32_t *at;
    size_t len;
};

struct chars {
    struct arena *arena;
    uint64_t *left; /* steps */
    struct chars_list list, spare;
    int32_t *ahead, *back; /* the memory of the two fronts, by diagonal */
};

static struct runes part(struct runes r, size_t from, size_t to)
{
    return (struct runes){r.at + from, to - from};
}

static struct runes rest(struct runes r, size_t from)
{
    return part(r, from, r.len);
}

static size_t shorter(struct runes a, struct runes b)
{
    return a.len < b.len ? a.len : b.len;
}

static size_t common_prefix(struct runes a, struct runes b)
{
    return chars_common_prefix(a.at, b.at, shorter(a, b));
}

static size_t common_suffix(struct runes a, struct runes b)
{
    return chars_common_suffix(a.at + a.len, b.at + b.len, shorter(a, b));
}

static void main_diff(struct chars *c, struct runes old, struct runes new_);

static void replace_all(struct chars *c, struct runes old, struct runes new_)
{
    chars_push(c->arena, &c->list, DIFF_DELETE, old.len);
    chars_push(c->arena, &c->list, DIFF_INSERT, new_.len);
}

/* ---- One text inside the other ------------------------------------------------------------- */

/*
 * memmem, which takes linear time, on code points. A hit that straddles two of them does not count;
 * each hit is charged as if the search began anew, which it does.
 */
static size_t find_linear(const struct chars *c, struct runes in, struct runes what, size_t from)
{
    const char *start = (const char *)in.at, *end = (const char *)(in.at + in.len);
    const char *at = (const char *)(in.at + from);

    while (chars_pay(c->left, what.len)) {
        const char *hit = memmem(at, (size_t)(end - at), what.at, what.len * sizeof(*what.at));
        if (!chars_pay(c->left, (size_t)((hit ? hit : end) - at) / sizeof(*in.at)) || !hit)
            break;
        if ((size_t)(hit - start) % sizeof(*in.at) == 0)
            return (size_t)(hit - start) / sizeof(*in.at);
        at = hit + 1;
    }
    return STR_NPOS;
}

/*
 * The first place at or after from where `what`, which is not empty, begins. Trying place after
 * place is fastest for usual texts; repetitive ones would make it quadratic, so after some effort
 * the linear search takes over.
 */
static size_t find(const struct chars *c, struct runes in, struct runes what, size_t from)
{
    size_t effort = 0;

    while (from + what.len <= in.len && *c->left) {
        const wchar_t *begin = (const wchar_t *)in.at + from;
        const wchar_t *at = wmemchr(begin, (wchar_t)what.at[0], in.len - what.len - from + 1);
        if (!at)
            return STR_NPOS;
        from += (size_t)(at - begin);
        (void)chars_pay(c->left, (size_t)(at - begin) / 16);
        size_t same = common_prefix(rest(in, from), what);
        (void)chars_pay(c->left, 1 + same / CHARS_PER_STEP);
        if (same == what.len)
            return from;
        effort += same;
        if (effort > in.len + what.len)
            return find_linear(c, in, what, from);
        from++;
    }
    return STR_NPOS;
}

/* When the shorter text is inside the longer one, all else was added (or taken away). */
static bool contained(struct chars *c, struct runes old, struct runes new_)
{
    bool shrinks = old.len > new_.len;
    struct runes large = shrinks ? old : new_, small = shrinks ? new_ : old;
    enum diff_op op = shrinks ? DIFF_DELETE : DIFF_INSERT;
    size_t at = find(c, large, small, 0);

    if (at == STR_NPOS)
        return false;
    chars_push(c->arena, &c->list, op, at);
    chars_push(c->arena, &c->list, DIFF_EQUAL, small.len);
    chars_push(c->arena, &c->list, op, large.len - at - small.len);
    return true;
}

/* ---- A common half -------------------------------------------------------------------------- */

/* A part that both texts have. */
struct match {
    size_t large_at, small_at, len;
};

/*
 * The longest common part around the quarter of large that begins at i. len is 0 when it is shorter
 * than half of large.
 */
static struct match match_around(const struct chars *c, struct runes large, struct runes small,
                                 size_t i)
{
    struct runes seed = part(large, i, i + large.len / 4);
    struct match best = {0};

    for (size_t j = find(c, small, seed, 0); j != STR_NPOS; j = find(c, small, seed, j + 1)) {
        size_t after = common_prefix(rest(large, i), rest(small, j));
        size_t before = common_suffix(part(large, 0, i), part(small, 0, j));
        if (best.len < before + after)
            best = (struct match){i - before, j - before, before + after};
        if (!chars_pay(c->left, (before + after) / CHARS_PER_STEP))
            return (struct match){0};
    }
    if (best.len * 2 < large.len)
        best.len = 0;
    return best;
}

static bool half_match(struct chars *c, struct runes old, struct runes new_)
{
    bool shrinks = old.len > new_.len;
    struct runes large = shrinks ? old : new_, small = shrinks ? new_ : old;

    if (large.len < 4 || small.len * 2 < large.len)
        return false;
    struct match second = match_around(c, large, small, (large.len + 3) / 4);
    struct match third = match_around(c, large, small, (large.len + 1) / 2);
    struct match m = second.len > third.len ? second : third;
    if (!m.len)
        return false;
    size_t old_at = shrinks ? m.large_at : m.small_at, new_at = shrinks ? m.small_at : m.large_at;
    main_diff(c, part(old, 0, old_at), part(new_, 0, new_at));
    chars_push(c->arena, &c->list, DIFF_EQUAL, m.len);
    main_diff(c, rest(old, old_at + m.len), rest(new_, new_at + m.len));
    return true;
}

/* ---- The shortest path ---------------------------------------------------------------------- */

/*
 * One of the two fronts. Each round visits every other diagonal from -round + low to round - high;
 * low and high grow when a diagonal leaves the grid. A diagonal that was never visited has -1.
 */
struct front {
    int32_t *reach;
    int32_t low, high;
};

struct bisect {
    struct runes old, new_;
    int32_t n, m;
    int32_t delta; /* n - m; when odd, the forward front is the one to meet the other */
    int32_t round;
    uint64_t followed; /* equal code points, in this round */
    struct front ahead, back;
};

/*
 * Where the best path to diagonal k starts to follow equal code points: from above or from the
 * left, whichever is further. The diagonals beyond the visited ones have -1 and never win.
 */
static int32_t entry(const int32_t *reach, int32_t k)
{
    int32_t left = reach[k - 1] + 1, above = reach[k + 1];

    return left > above ? left : above;
}

/* Records how far diagonal k was followed. False when that is outside the grid. */
static bool note(struct bisect *b, struct front *f, int32_t k, int32_t x)
{
    f->reach[k] = x;
    if (x > b->n)
        f->high += 2;
    else if (x - k > b->m)
        f->low += 2;
    else
        return true;
    return false;
}

/*
 * How far the other front got on the diagonal that it calls delta - k; -1, which is too little to
 * meet, if it has not visited it.
 */
static int32_t opposite(const struct bisect *b, const int32_t *other, int32_t k)
{
    int32_t there = b->delta - k;

    return there < -b->round || there > b->round ? -1 : other[there];
}

static bool step_ahead(struct bisect *b, int32_t *x_out, int32_t *y_out)
{
    const uint32_t *old = b->old.at, *new_ = b->new_.at;
    const int32_t n = b->n, m = b->m;
    const bool may_meet = b->delta % 2 != 0;

    for (int32_t k = -b->round + b->ahead.low; k <= b->round - b->ahead.high; k += 2) {
        int32_t from = entry(b->ahead.reach, k), x = from, y = x - k;
        while (x < n && y < m && old[x] == new_[y])
            x++, y++;
        b->followed += (uint64_t)(x - from);
        if (note(b, &b->ahead, k, x) && may_meet && x + opposite(b, b->back.reach, k) >= n) {
            *x_out = x;
            *y_out = y;
            return true;
        }
    }
    return false;
}

/* The same from the ends: x and y count backwards. */
static bool step_back(struct bisect *b, int32_t *x_out, int32_t *y_out)
{
    const uint32_t *old = b->old.at + b->n - 1, *new_ = b->new_.at + b->m - 1;
    const int32_t n = b->n, m = b->m;
    const bool may_meet = b->delta % 2 == 0;

    for (int32_t k = -b->round + b->back.low; k <= b->round - b->back.high; k += 2) {
        int32_t from = entry(b->back.reach, k), x = from, y = x - k;
        while (x < n && y < m && old[-x] == new_[-y])
            x++, y++;
        b->followed += (uint64_t)(x - from);
        if (note(b, &b->back, k, x) && may_meet && x + opposite(b, b->ahead.reach, k) >= n) {
            *x_out = b->ahead.reach[b->delta - k];
            *y_out = *x_out - (b->delta - k);
            return true;
        }
    }
    return false;
}

/* The diagonals that a front visits in a round. */
static uint64_t visits(const struct bisect *b, const struct front *f)
{
    int32_t span = 2 * b->round - f->low - f->high;

    return span < 0 ? 0 : (uint64_t)span / 2 + 1;
}

static bool pay_round(const struct chars *c, struct bisect *b)
{
    uint64_t steps = 1 + visits(b, &b->ahead) + visits(b, &b->back) + b->followed / CHARS_PER_STEP;

    b->followed = 0;
    return chars_pay(c->left, steps);
}

/* The middle of a shortest path. False when there is nothing in common, or no steps are left. */
static bool find_middle(const struct chars *c, struct bisect *b, int32_t *x, int32_t *y)
{
    int32_t *ahead = b->ahead.reach, *back = b->back.reach, rounds = (b->n + b->m + 1) / 2;

    ahead[0] = back[0] = -1;
    for (; b->round < rounds; b->round++) {
        int32_t beyond = b->round + 1;
        if (!pay_round(c, b))
            return false;
        ahead[-beyond] = ahead[beyond] = back[-beyond] = back[beyond] = -1;
        if (b->round == 0) /* as if the first round came from above */
            ahead[1] = back[1] = 0;
        if (step_ahead(b, x, y) || step_back(b, x, y))
            return true;
    }
    return false;
}

static void bisect(struct chars *c, struct runes old, struct runes new_)
{
    int32_t n = (int32_t)old.len, m = (int32_t)new_.len, x = 0, y = 0;
    struct bisect b = {.old = old, .new_ = new_, .n = n, .m = m, .delta = n - m};

    b.ahead.reach = c->ahead;
    b.back.reach = c->back;
    if (!find_middle(c, &b, &x, &y)) {
        replace_all(c, old, new_);
        return;
    }
    main_diff(c, part(old, 0, (size_t)x), part(new_, 0, (size_t)y));
    main_diff(c, rest(old, (size_t)x), rest(new_, (size_t)y));
}

/* ---- The whole ------------------------------------------------------------------------------ */

/*
 * The difference of two texts that neither begin nor end alike and of which at most one is empty.
 */
static void middle_diff(struct chars *c, struct runes old, struct runes new_)
{
    if (!old.len)
        chars_push(c->arena, &c->list, DIFF_INSERT, new_.len);
    else if (!new_.len)
        chars_push(c->arena, &c->list, DIFF_DELETE, old.len);
    else if (contained(c, old, new_))
        return;
    else if (shorter(old, new_) == 1)
        replace_all(c, old, new_);
    else if (!half_match(c, old, new_))
        bisect(c, old, new_);
}

/* Appends the pieces of two parts. The recursion roughly halves the texts or their distance. */
static void main_diff(struct chars *c, struct runes old, struct runes new_)
{
    size_t first = c->list.len, prefix = common_prefix(old, new_);
    const uint32_t *texts[] = {old.at, new_.at};

    if (prefix)
        chars_push(c->arena, &c->list, DIFF_EQUAL, prefix);
    if (prefix == old.len && prefix == new_.len)
        return;
    old = rest(old, prefix);
    new_ = rest(new_, prefix);
    size_t suffix = common_suffix(old, new_);
    (void)chars_pay(c->left, (prefix + suffix) / CHARS_PER_STEP);
    middle_diff(c, part(old, 0, old.len - suffix), part(new_, 0, new_.len - suffix));
    if (suffix)
        chars_push(c->arena, &c->list, DIFF_EQUAL, suffix);
    chars_clean_up(c->arena, &c->list, &c->spare, first, texts, c->left);
}

static struct runes decode(struct arena *a, str s)
{
    uint32_t *runes = arena_alloc_raw(a, arena_array_size(s.len, sizeof(*runes)));
    size_t count = 0, width;

    for (size_t i = 0; i < s.len; i += width) {
        width = 1;
        runes[count++] = (unsigned char)s.ptr[i] < 0x80 ? (unsigned char)s.ptr[i]
                                                        : utf8_decode(str_from(s, i), &width);
    }
    return (struct runes){runes, count};
}

/* Takes count code points off *from. */
static str take(str *from, size_t count)
{
    size_t at = 0, width;

    for (; count; count--, at += width) {
        width = 1;
        if ((unsigned char)from->ptr[at] >= 0x80)
            utf8_decode(str_from(*from, at), &width);
    }
    str taken = str_slice(*from, 0, at);
    *from = str_from(*from, at);
    return taken;
}

static struct diff_pieces with_texts(struct arena *a, const struct chars_list *list, str old,
                                     str new_)
{
    struct diff_pieces pieces = {ARENA_ARRAY(a, struct diff_piece, list->len), list->len};

    for (size_t i = 0; i < list->len; i++) {
        const struct chars_piece *p = &list->items[i];
        struct diff_piece *out = &pieces.items[i];
        out->op = p->op;
        if (p->op != DIFF_INSERT)
            out->text = take(&old, p->len);
        if (p->op == DIFF_INSERT)
            out->text = take(&new_, p->len);
        if (p->op == DIFF_EQUAL)
            new_ = str_from(new_, out->text.len);
    }
    return pieces;
}

struct diff_pieces diff_chars(struct arena *a, str old, str new_, uint64_t *left)
{
    AUTO_ARENA scratch = arena_new();
    struct chars c = {.arena = scratch, .left = left};

    old = utf8_repair(a, old);
    new_ = utf8_repair(a, new_);
    struct runes from = decode(scratch, old), to = decode(scratch, new_);
    if (from.len > DIFF_MAX || to.len > DIFF_MAX) {
        replace_all(&c, from, to);
        return with_texts(a, &c.list, old, new_);
    }
    size_t diagonals = from.len + to.len + 4, middle = diagonals / 2;
    size_t bytes = arena_array_size(diagonals, sizeof(int32_t));
    c.ahead = (int32_t *)arena_alloc_raw(scratch, bytes) + middle;
    c.back = (int32_t *)arena_alloc_raw(scratch, bytes) + middle;
    main_diff(&c, from, to);
    return with_texts(a, &c.list, old, new_);
}

size_t diff_chars_score(const struct diff_pieces *pieces)
{
    size_t score = 0;

    for (size_t i = 0; i < pieces->count; i++)
        if (pieces->items[i].op != DIFF_EQUAL)
            score += pieces->items[i].text.len;
    return score;
}
