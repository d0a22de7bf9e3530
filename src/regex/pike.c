/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pike.c - goes over the text once, with all possibilities in step.
 *
 * A thread is an instruction that waits for a character, with the positions remembered on the way
 * there. Threads are kept in order of preference, with at most one per instruction: the first to
 * arrive is preferred. So a step costs at most the size of the program, and the whole search at
 * most that times the length of the text.
 */
#include "regex/internal.h"

struct threads {
    uint32_t *pcs;
    size_t *slots; /* slot_count for each thread */
    size_t len, cap;
};

/* A job still to do while adding a thread: follow pc, or restore a slot. */
struct pending {
    uint32_t pc; /* 0: restore the slot */
    uint32_t slot;
    size_t old;
};

struct pike {
    struct threads now, then;
    uint32_t *seen; /* for each instruction, the round in which it was last visited */
    uint32_t round;
    VEC(struct pending) pending;
    size_t *slots; /* for the thread that is being added */
};

static struct pike *pike_new(struct search *s)
{
    struct pike *p = ARENA_NEW(rx_arena(s), struct pike);

    p->seen = ARENA_ARRAY(s->arena, uint32_t, s->re->inst_count);
    p->slots = ARENA_ARRAY(s->arena, size_t, s->slot_count);
    return p;
}

static void copy_slots(size_t *to, const size_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = from[i];
}

static void add_thread(struct search *s, struct threads *t, uint32_t pc)
{
    if (t->len == t->cap) {
        size_t cap = t->cap ? t->cap * 2 : 16, width = s->slot_count * sizeof(size_t);
        t->pcs = arena_grow(s->arena, t->pcs, t->cap * sizeof(*t->pcs), cap * sizeof(*t->pcs));
        if (width)
            t->slots = arena_grow(s->arena, t->slots, t->cap * width, cap * width);
        t->cap = cap;
    }
    copy_slots(t->slots + t->len * s->slot_count, s->pike->slots, s->slot_count);
    t->pcs[t->len++] = pc;
}

/* Starts a new round, in which nothing has been visited yet. */
static void begin_round(struct search *s)
{
    struct pike *p = s->pike;

    if (++p->round == 0) {
        memset(p->seen, 0, s->re->inst_count * sizeof(*p->seen));
        p->round = 1;
    }
}

/* Inline, because most instructions need it. */
static inline void push_pending(struct search *s, struct pending next)
{
    struct pike *p = s->pike;

    if (p->pending.len == p->pending.cap) {
        VEC_PUSH(s->arena, &p->pending, next);
        return;
    }
    p->pending.items[p->pending.len++] = next;
}

/* Follows pc to the first instruction that takes a character; returns what comes next, or 0. */
static uint32_t follow(struct search *s, struct threads *t, uint32_t pc, size_t pos)
{
    struct pike *p = s->pike;
    const struct inst *inst = &s->re->insts[pc];

    if (p->seen[pc] == p->round)
        return 0;
    p->seen[pc] = p->round;
    s->steps++;
    switch (inst->op) {
    case INST_FAIL:
        return 0;
    case INST_ALT:
        push_pending(s, (struct pending){.pc = inst->arg});
        return inst->out;
    case INST_EMPTY:
        return rx_condition_holds(s->text, pos, inst->arg) ? inst->out : 0;
    case INST_CAPTURE:
        if (inst->arg < s->slot_count) {
            push_pending(s, (struct pending){.slot = inst->arg, .old = p->slots[inst->arg]});
            p->slots[inst->arg] = pos;
        }
        return inst->out;
    default:
        add_thread(s, t, pc);
        return 0;
    }
}

/* Adds the threads that pc leads to without a character, with the slots in p->slots. */
static void add(struct search *s, struct threads *t, uint32_t pc, size_t pos)
{
    struct pike *p = s->pike;

    for (;;) {
        while (pc)
            pc = follow(s, t, pc, pos);
        if (!p->pending.len)
            return;
        struct pending next = p->pending.items[--p->pending.len];
        pc = next.pc;
        if (!pc)
            p->slots[next.slot] = next.old;
    }
}

static void start_thread(struct search *s, size_t pos)
{
    for (size_t i = 0; i < s->slot_count; i++)
        s->pike->slots[i] = STR_NPOS;
    if (s->slot_count)
        s->pike->slots[0] = pos;
    add(s, &s->pike->now, s->re->start, pos);
}

/*
 * Moves all threads past r, which is at pos up to next. Returns whether one of them matched; those
 * after it are dropped, because it is preferred.
 */
static bool step(struct search *s, uint32_t r, bool at_end, size_t pos, size_t next)
{
    struct pike *p = s->pike;

    begin_round(s);
    for (size_t i = 0; i < p->now.len; i++) {
        const struct inst *inst = &s->re->insts[p->now.pcs[i]];
        const size_t *slots = p->now.slots + i * s->slot_count;
        s->steps++;
        if (inst->op == INST_MATCH) {
            copy_slots(s->slots, slots, s->slot_count);
            if (s->slot_count > 1)
                s->slots[1] = pos;
            return true;
        }
        if (at_end || !rx_inst_takes(s->re, inst, r))
            continue;
        copy_slots(p->slots, slots, s->slot_count);
        add(s, &p->then, inst->out, next);
    }
    return false;
}

static void swap_threads(struct pike *p)
{
    struct threads done = p->now;

    p->now = p->then;
    p->then = done;
    p->then.len = 0;
}

bool rx_pike_run(struct search *s, size_t from)
{
    bool matched = false;

    if (!s->pike)
        s->pike = pike_new(s);
    struct pike *p = s->pike;
    p->now.len = p->then.len = 0;
    for (size_t pos = from;;) {
        size_t width = 0;
        uint32_t r = 0;
        if (!p->now.len) {
            if (matched || (s->re->anchored && pos))
                break;
            pos = rx_skip(s->re, s->text, pos);
            if (pos == STR_NPOS)
                break;
            begin_round(s); /* what was visited belongs to another position */
        }
        if (!matched && !(s->re->anchored && pos))
            start_thread(s, pos);
        if (pos < s->text.len)
            r = rx_decode(s->text, pos, &width);
        if (step(s, r, !width, pos, pos + width)) {
            matched = true;
            if (!s->slot_count)
                break;
        }
        if (!width || !rx_pay(s))
            break;
        pos += width;
        swap_threads(p);
    }
    return matched;
}
