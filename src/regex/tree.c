/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.c - nodes of the parse tree, the stack of the parser, and the limits.
 *
 * Sizes and heights are kept in the nodes once they begin to matter, and a node that is reused
 * keeps its size: what is too large or nests too deep is decided by the same numbers as in Go.
 */
#include "regex/internal.h"

#define HEIGHT_MAX 1000
/* Go allows programs of 128 MiB at 40 bytes an instruction, and as much for the sets. */
#define SIZE_MAX_INSTS ((int64_t)(128 * MIB / 40))
#define RUNES_MAX ((int64_t)(128 * MIB / 4))

/* ---- Nodes ---- */

struct node *rx_node_new(struct parser *p, enum node_op op)
{
    struct node *n = p->free;
    int64_t size = 0;

    if (n) {
        p->free = n->next_free;
        size = n->size;
    } else {
        n = ARENA_NEW(p->arena, struct node);
        p->nodes++;
    }
    *n = (struct node){.op = (uint8_t)op, .size = size};
    return n;
}

void rx_node_reuse(struct parser *p, struct node *n)
{
    n->next_free = p->free;
    p->free = n;
}

bool rx_node_is_class(const struct node *n)
{
    return (n->op == NODE_LITERAL && n->runes.len == 1) || n->op == NODE_CLASS ||
           n->op == NODE_ANY_NOT_NL || n->op == NODE_ANY;
}

/* Replaces a class that contains everything by the node for it. */
void rx_node_clean(struct node *n)
{
    if (n->op != NODE_CLASS)
        return;
    rx_ranges_clean(&n->ranges);
    const struct unicode_range *r = n->ranges.items;
    if (n->ranges.len == 1 && r[0].lo == 0 && r[0].hi == RUNE_MAX)
        n->op = NODE_ANY;
    else if (n->ranges.len == 2 && r[0].lo == 0 && r[0].hi == '\n' - 1 && r[1].lo == '\n' + 1 &&
             r[1].hi == RUNE_MAX)
        n->op = NODE_ANY_NOT_NL;
    if (n->op != NODE_CLASS)
        n->ranges = (struct ranges){0};
}

static bool takes_newline(const struct node *n)
{
    if (n->op == NODE_LITERAL)
        return n->runes.items[0] == '\n';
    for (size_t i = 0; n->op == NODE_CLASS && i < n->ranges.len; i++)
        if (n->ranges.items[i].lo <= '\n' && '\n' <= n->ranges.items[i].hi)
            return true;
    return n->op == NODE_ANY;
}

static void add_literal(struct parser *p, struct ranges *r, const struct node *literal)
{
    uint32_t rune = literal->runes.items[0];

    if (literal->flags & FLAG_FOLD)
        rx_ranges_add_folded(p->arena, r, rune, rune);
    else
        rx_ranges_add(p->arena, r, rune, rune);
}

void rx_node_merge(struct parser *p, struct node *into, const struct node *from)
{
    if (into->op == NODE_ANY)
        return;
    if (into->op == NODE_ANY_NOT_NL) {
        if (takes_newline(from))
            into->op = NODE_ANY;
        return;
    }
    if (into->op == NODE_LITERAL) {
        if (from->runes.items[0] == into->runes.items[0] && from->flags == into->flags)
            return;
        add_literal(p, &into->ranges, into);
        into->runes.len = 0;
        into->op = NODE_CLASS;
    }
    if (from->op == NODE_LITERAL)
        add_literal(p, &into->ranges, from);
    else
        rx_ranges_add_set(p->arena, &into->ranges, rx_ranges_set(&from->ranges), false);
}

/* ---- The stack ---- */

struct node *rx_stack_top(const struct parser *p, size_t depth)
{
    return depth < p->stack.len ? p->stack.items[p->stack.len - 1 - depth] : NULL;
}

/*
 * Literals are joined with a delay of one: the topmost may still get a repetition, which applies to
 * it alone. Returns whether there were two to join; the upper one is then free.
 */
static bool join_literals(struct parser *p)
{
    struct node *top = rx_stack_top(p, 0), *below = rx_stack_top(p, 1);

    if (!below || top->op != NODE_LITERAL || below->op != NODE_LITERAL ||
        (top->flags & FLAG_FOLD) != (below->flags & FLAG_FOLD))
        return false;
    for (size_t i = 0; i < top->runes.len; i++)
        VEC_PUSH(p->arena, &below->runes, top->runes.items[i]);
    return true;
}

void rx_stack_join_literals(struct parser *p)
{
    if (!join_literals(p))
        return;
    rx_node_reuse(p, rx_stack_top(p, 0));
    p->stack.len--;
}

static bool fold_each_other(uint32_t x, uint32_t y)
{
    return unicode_fold(x) == y && unicode_fold(y) == x;
}

/* [Aa] is a case-insensitive literal. */
static bool is_case_pair(const struct ranges *r)
{
    const struct unicode_range *i = r->items;

    if (r->len == 1)
        return i[0].lo + 1 == i[0].hi && fold_each_other(i[0].lo, i[0].hi);
    return r->len == 2 && i[0].lo == i[0].hi && i[1].lo == i[1].hi &&
           fold_each_other(i[0].lo, i[1].lo);
}

static void put(struct parser *p, struct node *n)
{
    VEC_PUSH(p->arena, &p->stack, n); /* NOLINT(bugprone-sizeof-expression): of pointers */
    rx_limits_check(p, n);
}

/* A class of one character becomes a literal, so that it can join its neighbours. */
static void push_literal_class(struct parser *p, struct node *n, uint8_t flags)
{
    uint32_t rune = n->ranges.items[0].lo;
    struct node *literal = join_literals(p) ? rx_stack_top(p, 0) : n;

    literal->op = NODE_LITERAL;
    literal->flags = flags;
    literal->runes.len = 0;
    VEC_PUSH(p->arena, &literal->runes, rune);
    if (literal != n)
        return;
    n->ranges = (struct ranges){0};
    put(p, n);
}

void rx_stack_push(struct parser *p, struct node *n)
{
    const struct ranges *r = &n->ranges;

    p->runes += (int64_t)(n->runes.len + 2 * r->len);
    if (n->op == NODE_CLASS && r->len == 1 && r->items[0].lo == r->items[0].hi) {
        push_literal_class(p, n, p->flags & (uint8_t)~FLAG_FOLD);
    } else if (n->op == NODE_CLASS && is_case_pair(r)) {
        push_literal_class(p, n, p->flags | FLAG_FOLD);
    } else {
        rx_stack_join_literals(p);
        put(p, n);
    }
}

struct node *rx_stack_push_op(struct parser *p, enum node_op op)
{
    struct node *n = rx_node_new(p, op);

    n->flags = p->flags;
    rx_stack_push(p, n);
    return n;
}

/* Of all case-insensitive equivalents, the smallest represents the others. */
static uint32_t smallest_fold(uint32_t r)
{
    uint32_t smallest = r;

    for (uint32_t fold = unicode_fold(r); fold != r; fold = unicode_fold(fold))
        if (fold < smallest)
            smallest = fold;
    return smallest;
}

void rx_stack_push_literal(struct parser *p, uint32_t r)
{
    struct node *n = rx_node_new(p, NODE_LITERAL);

    n->flags = p->flags;
    VEC_PUSH(p->arena, &n->runes, p->flags & FLAG_FOLD ? smallest_fold(r) : r);
    rx_stack_push(p, n);
}

/* ---- Limits ---- */

static int64_t repeat_size(const struct node *n, int64_t sub)
{
    if (n->max < 0)
        return n->min == 0 ? 2 + sub : 1 + n->min * sub;
    return n->max * sub + (n->max - n->min);
}

static int64_t node_size(struct node *n);

static int64_t measure_size(struct node *n)
{
    int64_t size = 0;

    for (size_t i = 0; i < n->sub_count; i++)
        size += node_size(n->subs[i]);
    if (n->op == NODE_LITERAL)
        size = (int64_t)n->runes.len;
    else if (n->op == NODE_CAPTURE || n->op == NODE_STAR)
        size += 2;
    else if (n->op == NODE_PLUS || n->op == NODE_QUEST)
        size += 1;
    else if (n->op == NODE_ALTERNATE && n->sub_count > 1)
        size += (int64_t)n->sub_count - 1;
    else if (n->op == NODE_REPEAT)
        size = repeat_size(n, size);
    n->size = size < 1 ? 1 : size;
    return n->size;
}

static int64_t node_size(struct node *n)
{
    return n->size ? n->size : measure_size(n);
}

/*
 * As long as nodes times all repetitions seen is small, nothing can be too large: measuring is not
 * needed.
 */
static bool size_matters(struct parser *p, const struct node *n)
{
    if (!p->repeats)
        p->repeats = 1;
    if (n->op == NODE_REPEAT) {
        int64_t times = n->max < 0 ? n->min : n->max;
        if (times <= 0)
            times = 1;
        p->repeats = times > SIZE_MAX_INSTS / p->repeats ? SIZE_MAX_INSTS : p->repeats * times;
    }
    return p->nodes >= SIZE_MAX_INSTS / p->repeats;
}

static void check_size(struct parser *p, struct node *n)
{
    if (!p->sizes_known) {
        if (!size_matters(p, n))
            return;
        p->sizes_known = true;
        for (size_t i = 0; i < p->stack.len; i++)
            check_size(p, p->stack.items[i]);
    }
    if (measure_size(n) > SIZE_MAX_INSTS)
        rx_parser_fail(p, "expression too large", p->whole);
}

static uint32_t measure_height(struct node *n)
{
    uint32_t height = 1;

    for (size_t i = 0; i < n->sub_count; i++) {
        struct node *sub = n->subs[i];
        uint32_t below = sub->height ? sub->height : measure_height(sub);
        if (height < 1 + below)
            height = 1 + below;
    }
    n->height = height;
    return height;
}

static void check_height(struct parser *p, struct node *n)
{
    if (p->nodes < HEIGHT_MAX)
        return;
    if (!p->heights_known) {
        p->heights_known = true;
        for (size_t i = 0; i < p->stack.len; i++)
            check_height(p, p->stack.items[i]);
    }
    if (measure_height(n) > HEIGHT_MAX)
        rx_parser_fail(p, "expression nests too deeply", p->whole);
}

void rx_limits_check(struct parser *p, struct node *n)
{
    if (p->fault)
        return;
    if (p->runes > RUNES_MAX)
        rx_parser_fail(p, "expression too large", p->whole);
    check_size(p, n);
    check_height(p, n);
}

bool rx_limits_repeat_ok(const struct node *n, int copies)
{
    if (n->op == NODE_REPEAT) {
        int times = n->max < 0 ? n->min : n->max;
        if (n->max == 0)
            return true;
        if (times > copies)
            return false;
        if (times > 0)
            copies /= times;
    }
    for (size_t i = 0; i < n->sub_count; i++)
        if (!rx_limits_repeat_ok(n->subs[i], copies))
            return false;
    return true;
}
