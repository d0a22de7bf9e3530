/* SPDX-License-Identifier: Apache-2.0 */
/*
 * factor.c - flattens concatenations and alternations, and shares common prefixes.
 *
 *     abc|abd|aef|bcx|bcy   becomes   a(b[cd]|ef)|bc[xy]
 *
 * in four rounds over the alternatives: share literal prefixes, share a first set of characters,
 * join neighbouring single characters into a set, drop repeated empty alternatives. Only neighbours
 * are considered, so that the order of preference stays. Each round works on runs of alternatives,
 * and writes its result to the front of the same array.
 */
#include "regex/internal.h"

/* prefix(rest|rest|...), where the alternatives have lost the prefix already. */
static struct node *share_prefix(struct parser *p, struct node *prefix, struct node **subs,
                                 size_t count)
{
    struct node *suffix = rx_node_collapse(p, subs, count, NODE_ALTERNATE);
    struct node *n = rx_node_new(p, NODE_CONCAT);

    n->subs = ARENA_ARRAY(p->arena, struct node *, 2);
    n->subs[0] = prefix;
    n->subs[1] = suffix;
    n->sub_count = 2;
    return n;
}

static void drop_first_sub(struct node *concat)
{
    concat->sub_count--;
    memmove(concat->subs, concat->subs + 1, concat->sub_count * sizeof(struct node *));
}

/* ---- Round 1: literal prefixes ---- */

struct text {
    const uint32_t *runes;
    size_t len;
    uint8_t fold;
};

static struct text leading_text(const struct node *n)
{
    if (n->op == NODE_CONCAT && n->sub_count)
        n = n->subs[0];
    if (n->op != NODE_LITERAL)
        return (struct text){0};
    return (struct text){n->runes.items, n->runes.len, n->flags & FLAG_FOLD};
}

static size_t common_len(struct text x, struct text y)
{
    size_t same = 0;

    if (x.fold != y.fold)
        return 0;
    while (same < x.len && same < y.len && x.runes[same] == y.runes[same])
        same++;
    return same;
}

static void remove_text(struct node *literal, size_t len)
{
    literal->runes.len -= len;
    memmove(literal->runes.items, literal->runes.items + len,
            literal->runes.len * sizeof(*literal->runes.items));
    if (!literal->runes.len)
        literal->op = NODE_EMPTY;
}

/* n without the first len code points of its leading literal. */
static struct node *without_text(struct parser *p, struct node *n, size_t len)
{
    if (n->op != NODE_CONCAT) {
        remove_text(n, len);
        return n;
    }
    remove_text(n->subs[0], len);
    if (n->subs[0]->op != NODE_EMPTY)
        return n;
    rx_node_reuse(p, n->subs[0]);
    if (n->sub_count > 2) {
        drop_first_sub(n);
        return n;
    }
    struct node *rest = n->subs[1];
    rx_node_reuse(p, n);
    return rest;
}

static struct node *share_text(struct parser *p, struct node **subs, size_t count, struct text text)
{
    if (count == 1)
        return subs[0];
    struct node *prefix = rx_node_new(p, NODE_LITERAL);
    prefix->flags = text.fold;
    for (size_t i = 0; i < text.len; i++)
        VEC_PUSH(p->arena, &prefix->runes, text.runes[i]);
    for (size_t i = 0; i < count; i++) {
        subs[i] = without_text(p, subs[i], text.len);
        rx_limits_check(p, subs[i]);
    }
    return share_prefix(p, prefix, subs, count);
}

static size_t share_texts(struct parser *p, struct node **subs, size_t count)
{
    struct text text = {0};
    size_t kept = 0, start = 0;

    for (size_t i = 0; i <= count; i++) {
        struct text next = {0};
        if (i < count) {
            next = leading_text(subs[i]);
            size_t same = common_len(text, next);
            if (same) {
                text.len = same;
                continue;
            }
        }
        if (i > start)
            subs[kept++] = share_text(p, subs + start, i - start, text);
        start = i;
        text = next;
    }
    return kept;
}

/* ---- Round 2: a first set of characters ---- */

static struct node *leading_node(struct node *n)
{
    if (n->op == NODE_CONCAT && n->sub_count)
        n = n->subs[0];
    return n->op == NODE_EMPTY ? NULL : n;
}

/*
 * Upstream: whether a literal is case-insensitive is not compared, so (?i:A)b|A[cd] matches "ac".
 */
static bool same_class(const struct node *x, const struct node *y)
{
    if (x->op != y->op || x->runes.len != y->runes.len || x->ranges.len != y->ranges.len)
        return false;
    for (size_t i = 0; i < x->runes.len; i++)
        if (x->runes.items[i] != y->runes.items[i])
            return false;
    for (size_t i = 0; i < x->ranges.len; i++)
        if (x->ranges.items[i].lo != y->ranges.items[i].lo ||
            x->ranges.items[i].hi != y->ranges.items[i].hi)
            return false;
    return true;
}

/* Anything with more than one way to match must stay separate, since these ways have an order. */
static bool can_share(const struct node *x, const struct node *y)
{
    if (!x || !y)
        return false;
    if (rx_node_is_class(x))
        return same_class(x, y);
    return x->op == NODE_REPEAT && x->min == x->max && rx_node_is_class(x->subs[0]) &&
           y->op == NODE_REPEAT && x->min == y->min && x->max == y->max &&
           (x->flags & FLAG_NON_GREEDY) == (y->flags & FLAG_NON_GREEDY) &&
           same_class(x->subs[0], y->subs[0]);
}

static struct node *without_first(struct parser *p, struct node *n, bool reuse)
{
    if (n->op != NODE_CONCAT || !n->sub_count) {
        if (reuse)
            rx_node_reuse(p, n);
        return rx_node_new(p, NODE_EMPTY);
    }
    if (reuse)
        rx_node_reuse(p, n->subs[0]);
    drop_first_sub(n);
    if (n->sub_count > 1)
        return n;
    struct node *rest = n->subs[0];
    rx_node_reuse(p, n);
    return rest;
}

static struct node *share_first(struct parser *p, struct node **subs, size_t count,
                                struct node *first)
{
    if (count == 1)
        return subs[0];
    for (size_t i = 0; i < count; i++) {
        subs[i] = without_first(p, subs[i], i > 0);
        rx_limits_check(p, subs[i]);
    }
    return share_prefix(p, first, subs, count);
}

static size_t share_firsts(struct parser *p, struct node **subs, size_t count)
{
    struct node *first = NULL;
    size_t kept = 0, start = 0;

    for (size_t i = 0; i <= count; i++) {
        struct node *next = NULL;
        if (i < count) {
            next = leading_node(subs[i]);
            if (can_share(first, next))
                continue;
        }
        if (i > start)
            subs[kept++] = share_first(p, subs + start, i - start, first);
        start = i;
        first = next;
    }
    return kept;
}

/* ---- Rounds 3 and 4 ---- */

/* The one that all others can be merged into: of the latest kind, or the one with most ranges. */
static size_t find_widest(struct node **subs, size_t count)
{
    size_t widest = 0;

    for (size_t i = 1; i < count; i++)
        if (subs[widest]->op < subs[i]->op ||
            (subs[widest]->op == subs[i]->op && subs[widest]->ranges.len < subs[i]->ranges.len))
            widest = i;
    return widest;
}

static struct node *join_classes(struct parser *p, struct node **subs, size_t count)
{
    size_t widest = find_widest(subs, count);
    struct node *n = subs[widest];

    if (count == 1)
        return n;
    subs[widest] = subs[0];
    for (size_t i = 1; i < count; i++) {
        rx_node_merge(p, n, subs[i]);
        rx_node_reuse(p, subs[i]);
    }
    rx_node_clean(n);
    return n;
}

static size_t join_singles(struct parser *p, struct node **subs, size_t count)
{
    size_t kept = 0, start = 0;

    for (size_t i = 0; i <= count; i++) {
        if (i < count && rx_node_is_class(subs[i]))
            continue;
        if (i > start)
            subs[kept++] = join_classes(p, subs + start, i - start);
        if (i < count)
            subs[kept++] = subs[i];
        start = i + 1;
    }
    return kept;
}

static size_t drop_empties(struct node **subs, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (i + 1 == count || subs[i]->op != NODE_EMPTY || subs[i + 1]->op != NODE_EMPTY)
            subs[kept++] = subs[i];
    return kept;
}

static size_t factor(struct parser *p, struct node **subs, size_t count)
{
    if (count < 2)
        return count;
    count = share_texts(p, subs, count);
    count = share_firsts(p, subs, count);
    count = join_singles(p, subs, count);
    return drop_empties(subs, count);
}

/* ---- Collapsing ---- */

static size_t flat_count(struct node **subs, size_t count, enum node_op op)
{
    size_t total = 0;

    for (size_t i = 0; i < count; i++)
        total += subs[i]->op == op ? subs[i]->sub_count : 1;
    return total;
}

struct node *rx_node_collapse(struct parser *p, struct node **subs, size_t count, enum node_op op)
{
    if (count == 1)
        return subs[0];
    struct node *n = rx_node_new(p, op);
    n->subs = ARENA_ARRAY(p->arena, struct node *, flat_count(subs, count, op));
    for (size_t i = 0; i < count; i++) {
        struct node *sub = subs[i];
        if (sub->op != op) {
            n->subs[n->sub_count++] = sub;
            continue;
        }
        memcpy(n->subs + n->sub_count, sub->subs, sub->sub_count * sizeof(struct node *));
        n->sub_count += sub->sub_count;
        rx_node_reuse(p, sub);
    }
    if (op != NODE_ALTERNATE)
        return n;
    n->sub_count = factor(p, n->subs, n->sub_count);
    if (n->sub_count > 1)
        return n;
    struct node *only = n->subs[0];
    rx_node_reuse(p, n);
    return only;
}
