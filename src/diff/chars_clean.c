/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chars_clean.c - the final cleanup of pieces, as in diff-match-patch.
 *
 * First, the edits between two equal pieces become at most one deletion and one insertion, and what
 * these have in common at their ends moves to the equal pieces. Then an edit that ends with the
 * equal text before it moves up over it, or else one that begins with the equal text after it moves
 * down, so that two equal pieces become one. After a move, everything is done again.
 *
 * Moving an edit never changes its length, and its text remains part of the same source, so only
 * lengths need to change.
 */
#include "diff/chars_internal.h"

/* Where a piece begins in old and new. */
struct place {
    const uint32_t *old, *new_;
};

static void advance(struct place *at, const struct chars_piece *p)
{
    if (p->op != DIFF_INSERT)
        at->old += p->len;
    if (p->op != DIFF_DELETE)
        at->new_ += p->len;
}

void chars_push(struct arena *a, struct chars_list *list, enum diff_op op, size_t len)
{
    VEC_PUSH(a, list, ((struct chars_piece){op, len}));
}

size_t chars_common_prefix(const uint32_t *a, const uint32_t *b, size_t max)
{
    size_t i = 0;
    uint64_t x, y;

    for (; i + 2 <= max; i += 2) {
        memcpy(&x, a + i, 8);
        memcpy(&y, b + i, 8);
        if (x != y)
            break;
    }
    while (i < max && a[i] == b[i])
        i++;
    return i;
}

size_t chars_common_suffix(const uint32_t *a, const uint32_t *b, size_t max)
{
    size_t i = 0;

    while (i < max && a[-1 - (ptrdiff_t)i] == b[-1 - (ptrdiff_t)i])
        i++;
    return i;
}

/* The edits since the last equal piece. */
struct edits {
    struct place at;
    size_t count, deletes, deleted, inserted;
};

static void collect(struct edits *e, const struct chars_piece *p)
{
    e->count++;
    if (p->op == DIFF_DELETE) {
        e->deletes++;
        e->deleted += p->len;
    } else {
        e->inserted += p->len;
    }
}

static struct chars_piece *last_equal(struct chars_list *list)
{
    struct chars_piece *last = list->len ? &list->items[list->len - 1] : NULL;

    return last && last->op == DIFF_EQUAL ? last : NULL;
}

/* What deletions and insertions have in common belongs to the equal pieces around them. */
static void factor_out(struct arena *a, struct edits *e, struct chars_list *out,
                       struct chars_piece *equal)
{
    size_t most = e->deleted < e->inserted ? e->deleted : e->inserted;
    size_t prefix = chars_common_prefix(e->at.old, e->at.new_, most);
    size_t suffix =
        chars_common_suffix(e->at.old + e->deleted, e->at.new_ + e->inserted, most - prefix);
    struct chars_piece *before = last_equal(out);

    if (prefix && before)
        before->len += prefix;
    else if (prefix)
        chars_push(a, out, DIFF_EQUAL, prefix);
    equal->len += suffix;
    e->deleted -= prefix + suffix;
    e->inserted -= prefix + suffix;
}

/* Appends the edits, joined when there are several, and the equal piece after them. */
static void close_edits(struct arena *a, struct edits *e, struct chars_list *out,
                        struct chars_piece equal)
{
    bool deletes = e->deletes, inserts = e->count > e->deletes;
    struct chars_piece *before = last_equal(out);

    if (!e->count && before) {
        before->len += equal.len;
        return;
    }
    if (deletes && inserts)
        factor_out(a, e, out, &equal);
    if (deletes)
        chars_push(a, out, DIFF_DELETE, e->deleted);
    if (inserts)
        chars_push(a, out, DIFF_INSERT, e->inserted);
    chars_push(a, out, DIFF_EQUAL, equal.len);
}

/* Moves the pieces from first on to out, joined. */
static void join(struct arena *a, struct chars_list *list, size_t first, struct place at,
                 struct chars_list *out)
{
    struct edits edits = {.at = at};

    chars_push(a, list, DIFF_EQUAL, 0); /* closes the last edits */
    for (size_t i = first; i < list->len; i++) {
        const struct chars_piece *p = &list->items[i];
        advance(&at, p);
        if (p->op != DIFF_EQUAL) {
            collect(&edits, p);
            continue;
        }
        close_edits(a, &edits, out, *p);
        edits = (struct edits){.at = at};
    }
    list->len = first;
    if (!out->items[out->len - 1].len)
        out->len--;
}

static bool ends_with(struct place at, const struct chars_piece *p, size_t before)
{
    const uint32_t *text = p->op == DIFF_INSERT ? at.new_ : at.old;

    return before <= p->len && chars_common_suffix(text + p->len, text, before) == before;
}

static bool begins_with(struct place at, const struct chars_piece *p, size_t after)
{
    const uint32_t *text = p->op == DIFF_INSERT ? at.new_ : at.old;

    return after <= p->len && chars_common_prefix(text, text + p->len, after) == after;
}

/*
 * Moves p, which begins at `at`, over the equal piece before it, or else over the one after it,
 * when its text allows. True when it did: then p and next are in list.
 */
static bool move_edit(struct arena *a, struct chars_list *list, struct place at,
                      const struct chars_piece *p, const struct chars_piece *next)
{
    struct chars_piece *before = &list->items[list->len - 1];
    size_t over = before->len;

    if (ends_with(at, p, over)) {
        *before = *p;
        chars_push(a, list, DIFF_EQUAL, over + next->len);
        return true;
    }
    if (begins_with(at, p, next->len)) {
        before->len += next->len;
        chars_push(a, list, p->op, p->len);
        return true;
    }
    return false;
}

/* Moves the joined pieces back to list, from first on. True when an edit moved. */
static bool move_edits(struct arena *a, const struct chars_list *joined, struct chars_list *list,
                       size_t first, struct place at)
{
    const struct chars_piece *p = joined->items, *end = p + joined->len;
    bool moved = false;

    while (p < end) {
        bool between = list->len > first && list->items[list->len - 1].op == DIFF_EQUAL &&
                       p + 1 < end && p[1].op == DIFF_EQUAL;
        if (between && move_edit(a, list, at, p, p + 1)) {
            moved = true;
            advance(&at, p++);
        } else {
            chars_push(a, list, p->op, p->len);
        }
        advance(&at, p++);
    }
    return moved;
}

void chars_clean_up(struct arena *a, struct chars_list *list, struct chars_list *spare,
                    size_t first, const uint32_t *const texts[2], uint64_t *left)
{
    struct place at = {texts[0], texts[1]};
    bool more = true;

    while (more) {
        size_t pieces = list->len - first;
        spare->len = 0;
        join(a, list, first, at, spare);
        more = move_edits(a, spare, list, first, at) && chars_pay(left, pieces);
    }
}
