/* SPDX-License-Identifier: Apache-2.0 */
/*
 * backtrack.c - tries one possibility after the other, for short texts.
 *
 * A bit for each instruction at each position marks it as tried: since a second try would fail as
 * the first did, nothing is done twice, and the work is bounded by the number of bits.
 */
#include "regex/internal.h"

#define BITS_MAX ((size_t)256 * 1024)

bool rx_backtrack_fits(const struct search *s, size_t from)
{
    return s->text.len - from + 1 <= BITS_MAX / s->re->inst_count;
}

/* The state of the first search from a position on. */
static struct backtrack *begin(struct search *s, size_t from)
{
    size_t words = s->re->inst_count * (s->text.len - from + 1) / 64 + 1;
    struct backtrack_room *room = s->room;
    struct backtrack *b;

    if (room && words <= COUNT(room->tried)) {
        b = &room->state;
        *b = (struct backtrack){.tried = memset(room->tried, 0, words * sizeof(uint64_t)),
                                .jobs = {.items = room->jobs, .cap = COUNT(room->jobs)}};
    } else {
        b = ARENA_NEW(rx_arena(s), struct backtrack);
        b->tried = ARENA_ARRAY(s->arena, uint64_t, words);
    }
    b->base = b->touched = from;
    return b;
}

static void reset(struct search *s, size_t from)
{
    struct backtrack *b = s->backtrack;

    if (!b)
        b = s->backtrack = begin(s, from);
    if (from < b->touched) {
        size_t first = (from - b->base) * s->re->inst_count / 64;
        size_t end = (b->touched - b->base) * s->re->inst_count / 64 + 1;
        memset(b->tried + first, 0, (end - first) * sizeof(*b->tried));
    }
    b->touched = from;
}

/* Whether this is the first try; marks it as tried. */
static bool try_first(const struct search *s, uint32_t pc, size_t pos)
{
    struct backtrack *b = s->backtrack;
    size_t bit = (pos - b->base) * s->re->inst_count + pc;
    uint64_t mask = UINT64_C(1) << (bit % 64);

    if (b->tried[bit / 64] & mask)
        return false;
    b->tried[bit / 64] |= mask;
    if (pos >= b->touched)
        b->touched = pos + 1;
    return true;
}

/* Matches one character and goes on; pc is 0 when it does not match. */
static uint32_t take_rune(const struct search *s, const struct inst *inst, size_t *pos)
{
    size_t width;

    if (*pos >= s->text.len)
        return 0;
    uint32_t r = rx_decode(s->text, *pos, &width);
    if (!rx_inst_takes(s->re, inst, r))
        return 0;
    *pos += width;
    return inst->out;
}

/* Inline, because most instructions need it. */
static inline void push_job(struct search *s, struct job job)
{
    struct backtrack *b = s->backtrack;

    if (b->jobs.len == b->jobs.cap) {
        VEC_PUSH(rx_arena(s), &b->jobs, job);
        return;
    }
    b->jobs.items[b->jobs.len++] = job;
}

/* Runs from pc until it fails or matches. */
static bool run(struct search *s, uint32_t pc, size_t pos)
{
    while (pc && try_first(s, pc, pos)) {
        const struct inst *inst = &s->re->insts[pc];
        s->steps++;
        switch (inst->op) {
        case INST_MATCH:
            if (s->slot_count > 1)
                s->slots[1] = pos;
            return true;
        case INST_ALT:
            push_job(s, (struct job){.pc = inst->arg, .pos = pos});
            pc = inst->out;
            break;
        case INST_CAPTURE:
            if (inst->arg < s->slot_count) {
                push_job(s, (struct job){.slot = inst->arg, .pos = s->slots[inst->arg]});
                s->slots[inst->arg] = pos;
            }
            pc = inst->out;
            break;
        case INST_EMPTY:
            pc = rx_condition_holds(s->text, pos, inst->arg) ? inst->out : 0;
            break;
        default:
            pc = take_rune(s, inst, &pos);
            break;
        }
    }
    return false;
}

/* Tries all possibilities from one position. */
static bool match_at(struct search *s, size_t pos)
{
    struct backtrack *b = s->backtrack;

    b->jobs.len = 0;
    for (size_t i = 0; i < s->slot_count; i++)
        s->slots[i] = STR_NPOS;
    if (s->slot_count)
        s->slots[0] = pos;
    push_job(s, (struct job){.pc = s->re->start, .pos = pos});
    while (b->jobs.len) {
        struct job job = b->jobs.items[--b->jobs.len];
        if (!job.pc)
            s->slots[job.slot] = job.pos;
        else if (run(s, job.pc, job.pos))
            return true;
    }
    return false;
}

static size_t after_rune(str text, size_t pos)
{
    size_t width = 1;

    if (pos < text.len)
        rx_decode(text, pos, &width);
    return pos + width;
}

/* What was tried from an earlier start stays marked: it cannot match, or it would have matched. */
bool rx_backtrack_run(struct search *s, size_t from)
{
    if (s->re->anchored && from)
        return false;
    reset(s, from);
    for (size_t pos = from; pos <= s->text.len; pos = after_rune(s->text, pos)) {
        pos = rx_skip(s->re, s->text, pos);
        if (pos == STR_NPOS)
            return false;
        if (match_at(s, pos))
            return true;
        if (s->re->anchored)
            return false;
    }
    return false;
}
