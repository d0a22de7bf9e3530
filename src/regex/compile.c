/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile.c - from the tree to the program.
 *
 * Emitting goes from the end to the beginning: emit(node, next) makes the instructions for node
 * that continue at next, and returns where they start. So the target of every jump except those of
 * loops is known when it is made.
 */
#include "regex/internal.h"

struct compiler {
    struct arena *arena;
    VEC(struct inst) insts;
    VEC(struct class) classes;
};

static uint32_t add_inst(struct compiler *c, enum inst_op op, uint32_t out, uint32_t arg)
{
    VEC_PUSH(c->arena, &c->insts, ((struct inst){(uint32_t)op, out, arg}));
    return (uint32_t)(c->insts.len - 1);
}

/* ---- What can be empty ---- */

static bool is_nullable(struct node *n);

static bool find_nullable(const struct node *n)
{
    switch (n->op) {
    case NODE_LITERAL:
    case NODE_CLASS:
    case NODE_ANY_NOT_NL:
    case NODE_ANY:
        return false;
    case NODE_CAPTURE:
    case NODE_PLUS:
        return is_nullable(n->subs[0]);
    case NODE_CONCAT:
        for (size_t i = 0; i < n->sub_count; i++)
            if (!is_nullable(n->subs[i]))
                return false;
        return true;
    case NODE_ALTERNATE:
        for (size_t i = 0; i < n->sub_count; i++)
            if (is_nullable(n->subs[i]))
                return true;
        return false;
    default:
        return true;
    }
}

static bool is_nullable(struct node *n)
{
    if (!n->nullable)
        n->nullable = find_nullable(n) ? 2 : 1;
    return n->nullable == 2;
}

/* ---- Sets of characters ---- */

static uint32_t add_class(struct compiler *c, const struct ranges *ranges)
{
    struct class *class = VEC_ADD(c->arena, &c->classes);
    struct unicode_range *copy = ARENA_ARRAY(c->arena, struct unicode_range, ranges->len);

    if (ranges->len)
        memcpy(copy, ranges->items, ranges->len * sizeof(*copy));
    class->set = (struct unicode_set){copy, ranges->len};
    for (size_t i = 0; i < ranges->len; i++)
        for (uint32_t r = copy[i].lo; r <= copy[i].hi && r < 128; r++)
            class->ascii[r / 64] |= UINT64_C(1) << (r % 64);
    return (uint32_t)(c->classes.len - 1);
}

static uint32_t emit_rune(struct compiler *c, uint32_t r, bool fold, uint32_t next)
{
    struct ranges all = {0};

    if (!fold || unicode_fold(r) == r)
        return add_inst(c, INST_RUNE, next, r);
    rx_ranges_add_folded(c->arena, &all, r, r);
    rx_ranges_clean(&all);
    return add_inst(c, INST_CLASS, next, add_class(c, &all));
}

static uint32_t emit_literal(struct compiler *c, const struct node *n, uint32_t next)
{
    for (size_t i = n->runes.len; i > 0; i--)
        next = emit_rune(c, n->runes.items[i - 1], n->flags & FLAG_FOLD, next);
    return next;
}

/* A node that is visited again, as a copy in a repetition, shares its class. */
static uint32_t emit_class(struct compiler *c, struct node *n, uint32_t next)
{
    rx_ranges_clean(&n->ranges);
    if (!n->class_id)
        n->class_id = add_class(c, &n->ranges) + 1;
    return add_inst(c, INST_CLASS, next, n->class_id - 1);
}

/* ---- Repetitions ---- */

static uint32_t emit(struct compiler *c, struct node *n, uint32_t next);

/* Prefers more to next, or the other way round. */
static uint32_t emit_choice(struct compiler *c, const struct node *n, uint32_t more, uint32_t next)
{
    if (n->flags & FLAG_NON_GREEDY)
        return add_inst(c, INST_ALT, next, more);
    return add_inst(c, INST_ALT, more, next);
}

/* The choice after each pass comes first, because the pass must know where to go. */
static uint32_t emit_loop(struct compiler *c, const struct node *n, uint32_t next, uint32_t *body)
{
    uint32_t choice = emit_choice(c, n, 0, next);

    *body = emit(c, n->subs[0], choice);
    if (n->flags & FLAG_NON_GREEDY)
        c->insts.items[choice].arg = *body;
    else
        c->insts.items[choice].out = *body;
    return choice;
}

/*
 * x* whose x can be empty is (x+)?: otherwise an empty pass through x would be preferred to leaving
 * the loop, or the other way round, depending on how the machine got there.
 */
static uint32_t emit_repeat(struct compiler *c, struct node *n, uint32_t next)
{
    uint32_t body;

    if (n->op == NODE_QUEST)
        return emit_choice(c, n, emit(c, n->subs[0], next), next);
    uint32_t choice = emit_loop(c, n, next, &body);
    if (n->op == NODE_PLUS)
        return body;
    return is_nullable(n->subs[0]) ? emit_choice(c, n, body, next) : choice;
}

/* ---- Everything ---- */

static uint32_t emit_capture(struct compiler *c, const struct node *n, uint32_t next)
{
    uint32_t end = add_inst(c, INST_CAPTURE, next, n->capture * 2 + 1);

    return add_inst(c, INST_CAPTURE, emit(c, n->subs[0], end), n->capture * 2);
}

static uint32_t emit_concat(struct compiler *c, const struct node *n, uint32_t next)
{
    for (size_t i = n->sub_count; i > 0; i--)
        next = emit(c, n->subs[i - 1], next);
    return next;
}

static uint32_t emit_alternate(struct compiler *c, const struct node *n, uint32_t next)
{
    uint32_t choice = emit(c, n->subs[n->sub_count - 1], next);

    for (size_t i = n->sub_count - 1; i > 0; i--) {
        uint32_t first = emit(c, n->subs[i - 1], next);
        choice = add_inst(c, INST_ALT, first, choice);
    }
    return choice;
}

static uint32_t emit(struct compiler *c, struct node *n, uint32_t next)
{
    switch (n->op) {
    case NODE_EMPTY:
        return next;
    case NODE_LITERAL:
        return emit_literal(c, n, next);
    case NODE_CLASS:
        return emit_class(c, n, next);
    case NODE_ANY_NOT_NL:
        return add_inst(c, INST_ANY_NOT_NL, next, 0);
    case NODE_ANY:
        return add_inst(c, INST_ANY, next, 0);
    case NODE_CAPTURE:
        return emit_capture(c, n, next);
    case NODE_STAR:
    case NODE_PLUS:
    case NODE_QUEST:
        return emit_repeat(c, n, next);
    case NODE_CONCAT:
        return emit_concat(c, n, next);
    case NODE_ALTERNATE:
        return emit_alternate(c, n, next);
    default:
        return add_inst(c, INST_EMPTY, next, n->op);
    }
}

/* ---- How matches begin ---- */

/* Skips instructions that take no character and have no alternatives. */
static const struct inst *skip_captures(const struct regex *re, uint32_t pc)
{
    const struct inst *inst = &re->insts[pc];

    while (inst->op == INST_CAPTURE)
        inst = &re->insts[inst->out];
    return inst;
}

static bool begins_at_text(const struct regex *re)
{
    const struct inst *inst = skip_captures(re, re->start);

    while (inst->op == INST_EMPTY && inst->arg != NODE_BEGIN_TEXT)
        inst = skip_captures(re, inst->out);
    return inst->op == INST_EMPTY;
}

/* U+FFFD cannot be in a prefix: bytes that are not UTF-8 match it too. */
static str find_prefix(struct arena *a, const struct regex *re)
{
    struct buf prefix = buf_new(a, BUF_UNLIMITED);
    const struct inst *inst = skip_captures(re, re->start);

    for (; inst->op == INST_RUNE && inst->arg != RUNE_ERROR; inst = skip_captures(re, inst->out))
        buf_rune(&prefix, inst->arg);
    return buf_str(&prefix);
}

/* Whether inst takes anything above ASCII. */
static bool takes_high(const struct regex *re, const struct inst *inst)
{
    if (inst->op == INST_RUNE)
        return inst->arg >= 128;
    if (inst->op != INST_CLASS)
        return true;
    const struct unicode_set *set = &re->classes[inst->arg].set;
    return set->count && set->ranges[set->count - 1].hi >= 128;
}

static void mark_first(struct regex *re, const struct inst *inst)
{
    bool high = takes_high(re, inst);

    for (uint32_t b = 0; b < 256; b++)
        if (b < 128 ? rx_inst_takes(re, inst, b) : high)
            re->first[b] = true;
}

/*
 * Visits everything that can come before the first character. False when a match can be empty. All
 * bytes above ASCII are treated alike, so that skipping to one always ends at the start of a
 * character.
 */
static bool find_first(struct arena *a, struct regex *re)
{
    VEC(uint32_t) todo = {0};
    bool *seen = ARENA_ARRAY(a, bool, re->inst_count);

    VEC_PUSH(a, &todo, re->start);
    while (todo.len) {
        uint32_t pc = todo.items[--todo.len];
        const struct inst *inst = &re->insts[pc];
        if (seen[pc])
            continue;
        seen[pc] = true;
        if (inst->op == INST_MATCH)
            return false;
        if (inst->op >= INST_RUNE) {
            mark_first(re, inst);
            continue;
        }
        VEC_PUSH(a, &todo, inst->out);
        if (inst->op == INST_ALT)
            VEC_PUSH(a, &todo, inst->arg);
    }
    return true;
}

void rx_emit(struct arena *a, struct regex *re, struct node *root)
{
    AUTO_ARENA scratch = arena_new();
    struct compiler c = {.arena = a};

    add_inst(&c, INST_FAIL, 0, 0);
    uint32_t match = add_inst(&c, INST_MATCH, 0, 0);
    re->start = emit(&c, root, match);
    re->insts = c.insts.items;
    re->inst_count = c.insts.len;
    re->classes = c.classes.items;
    re->anchored = begins_at_text(re);
    re->prefix = find_prefix(a, re);
    re->can_skip = find_first(scratch, re);
}
