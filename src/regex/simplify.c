/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simplify.c - removes counted repetitions from a tree.
 *
 * x{2,} becomes xx+ and x{2,5} becomes xx(x(x(x)?)?)?, all x being one shared node: the compiler
 * makes a copy for each. The tree is changed in place where it can be.
 */
#include "regex/internal.h"

static struct node *new_node(struct arena *a, enum node_op op, uint8_t flags, size_t room)
{
    struct node *n = ARENA_NEW(a, struct node);

    n->op = (uint8_t)op;
    n->flags = flags;
    n->subs = ARENA_ARRAY(a, struct node *, room);
    return n;
}

/* op around sub, unless sub means the same by itself. */
static struct node *unary(struct arena *a, enum node_op op, uint8_t flags, struct node *sub)
{
    if (sub->op == NODE_EMPTY)
        return sub;
    if (op == sub->op && (flags & FLAG_NON_GREEDY) == (sub->flags & FLAG_NON_GREEDY))
        return sub;
    struct node *n = new_node(a, op, flags, 1);
    n->subs[n->sub_count++] = sub;
    return n;
}

/* x{n,} */
static struct node *at_least(struct arena *a, const struct node *n, struct node *sub)
{
    if (n->min == 0)
        return unary(a, NODE_STAR, n->flags, sub);
    struct node *last = unary(a, NODE_PLUS, n->flags, sub);
    if (n->min == 1)
        return last;
    struct node *all = new_node(a, NODE_CONCAT, 0, (size_t)n->min);
    while (all->sub_count + 1 < (size_t)n->min)
        all->subs[all->sub_count++] = sub;
    all->subs[all->sub_count++] = last;
    return all;
}

/* (x(x(x)?)?)?: nested, so that the machine stops at the first that is missing. */
static struct node *up_to(struct arena *a, uint8_t flags, struct node *sub, int times)
{
    struct node *all = unary(a, NODE_QUEST, flags, sub);

    for (int i = 1; i < times; i++) {
        struct node *pair = new_node(a, NODE_CONCAT, 0, 2);
        pair->subs[pair->sub_count++] = sub;
        pair->subs[pair->sub_count++] = all;
        all = unary(a, NODE_QUEST, flags, pair);
    }
    return all;
}

static struct node *simplify_repeat(struct arena *a, struct node *n)
{
    if (n->min == 0 && n->max == 0)
        return new_node(a, NODE_EMPTY, 0, 0);
    struct node *sub = rx_node_simplify(a, n->subs[0]);
    if (n->max < 0)
        return at_least(a, n, sub);
    if (n->min == 1 && n->max == 1)
        return sub;
    struct node *rest = n->max > n->min ? up_to(a, n->flags, sub, n->max - n->min) : NULL;
    if (n->min == 0)
        return rest;
    struct node *all = new_node(a, NODE_CONCAT, 0, (size_t)n->min + 1);
    while (all->sub_count < (size_t)n->min)
        all->subs[all->sub_count++] = sub;
    if (rest)
        all->subs[all->sub_count++] = rest;
    return all;
}

struct node *rx_node_simplify(struct arena *a, struct node *n)
{
    if (n->op == NODE_REPEAT)
        return simplify_repeat(a, n);
    for (size_t i = 0; i < n->sub_count; i++)
        n->subs[i] = rx_node_simplify(a, n->subs[i]);
    if (n->op == NODE_STAR || n->op == NODE_PLUS || n->op == NODE_QUEST)
        return unary(a, n->op, n->flags, n->subs[0]);
    return n;
}
