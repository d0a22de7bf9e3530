/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slide.c - moves runs of changed lines to the best place.
 *
 * When the line before a run equals its last line, the run can move up by one, and likewise down,
 * without changing what the difference says. Runs that touch on the way become one. In the end a
 * run is as far down as possible, or next to the last run of the other text that it met, so that
 * the two become one replacement. The new text is treated after the old one and sees its moved
 * runs.
 */
#include "diff/internal.h"

/* A run of changed lines while it moves. */
struct slide {
    struct diff_side *side;
    const char *other;  /* changed lines of the other text */
    int32_t start, end; /* the run */
    int32_t there;      /* the line of the other text that belongs to end */
    int32_t beside;     /* the last end next to a run of the other text */
};

/* Moves the run up by one line, without checking. */
static void move_up(struct slide *s)
{
    s->side->changed[--s->start] = 1;
    s->side->changed[--s->end] = 0;
    while (s->other[--s->there])
        continue;
}

static void slide_up(struct slide *s)
{
    const int32_t *classes = s->side->classes;

    while (s->start && classes[s->start - 1] == classes[s->end - 1]) {
        move_up(s);
        while (s->side->changed[s->start - 1])
            s->start--;
    }
}

static void slide_down(struct slide *s)
{
    const int32_t *classes = s->side->classes;
    char *changed = s->side->changed;

    while (s->end != s->side->count && classes[s->start] == classes[s->end]) {
        changed[s->start++] = 0;
        changed[s->end++] = 1;
        while (changed[s->end])
            s->end++;
        while (s->other[++s->there])
            s->beside = s->end;
    }
}

/*
 * Moves until no further run is met: meeting one makes the run longer, which may let it move
 * further.
 */
static void settle(struct slide *s)
{
    int32_t length;

    do {
        length = s->end - s->start;
        slide_up(s);
        s->beside = s->other[s->there - 1] ? s->end : s->side->count;
        slide_down(s);
    } while (length != s->end - s->start);
    while (s->beside < s->end)
        move_up(s);
}

/* Finds the next run from s->end on. False when there is none. */
static bool next_run(struct slide *s)
{
    int32_t i = s->end;

    for (; i < s->side->count && !s->side->changed[i]; i++)
        while (s->other[s->there++])
            continue;
    if (i == s->side->count)
        return false;
    s->start = i;
    while (s->side->changed[++i])
        continue;
    while (s->other[s->there])
        s->there++;
    s->end = i;
    return true;
}

void diff_slide(struct diff_pair *p)
{
    for (int i = 0; i < 2; i++) {
        struct slide s = {.side = &p->side[i], .other = p->side[1 - i].changed};
        while (next_run(&s))
            settle(&s);
    }
}
