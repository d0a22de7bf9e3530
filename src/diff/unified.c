/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unified.c - gathers changes into hunks and prints them.
 *
 * Changes that are at most twice the context apart share a hunk, since the lines between them would
 * be shown anyway.
 */
#include "diff/internal.h"

/* As many bytes as GNU diff checks: what it reads first on a usual file system. */
enum { BINARY_LOOK = 4096 };

/* Lines taken out of old and put in from new, at the same place. */
struct change {
    int32_t line[2], count[2];
};

struct hunks {
    struct buf *out;
    const struct diff_pair *pair;
    int32_t context;
};

static bool looks_binary(str s)
{
    return str_find_char(str_slice(s, 0, BINARY_LOOK), '\0') != STR_NPOS;
}

/* The next change from the matching lines at[0], at[1] on, which are moved past it. */
static bool next_change(const struct diff_pair *p, int32_t at[2], struct change *c)
{
    const struct diff_side *old = &p->side[0], *new_ = &p->side[1];

    while (!old->changed[at[0]] && !new_->changed[at[1]]) {
        if (at[0] >= old->count)
            return false;
        at[0]++;
        at[1]++;
    }
    for (int i = 0; i < 2; i++) {
        c->line[i] = at[i];
        while (p->side[i].changed[at[i]])
            at[i]++;
        c->count[i] = at[i] - c->line[i];
    }
    return true;
}

/* Appends one line of a side, with diff's note if its newline is missing. */
static void put_line(struct buf *out, char mark, const struct diff_side *s, int32_t line)
{
    size_t start = s->starts[line], len = s->starts[line + 1] - start;

    buf_char(out, mark);
    buf_add(out, str_of(s->text.ptr + start, len));
    if (s->text.ptr[start + len - 1] != '\n')
        buf_add(out, STR("\n\\ No newline at end of file\n"));
}

static void put_lines(struct buf *out, char mark, const struct diff_side *s, int32_t from,
                      int32_t to)
{
    for (; from < to; from++)
        put_line(out, mark, s, from);
}

/* "7,3"; for one line just its number, for none that of the line before. */
static void put_range(struct buf *out, size_t first, size_t count)
{
    if (count == 1)
        buf_fmt(out, "%zu", first);
    else
        buf_fmt(out, "%zu,%zu", count ? first : first - 1, count);
}

/* The lines of one side that a hunk from change first to last shows. */
static void shown(const struct hunks *h, int i, const struct change *first,
                  const struct change *last, int32_t *from, int32_t *to)
{
    const struct diff_side *s = &h->pair->side[i];
    int32_t end = last->line[i] + last->count[i], most = s->count + s->after;

    *from = first->line[i] > h->context - s->before ? first->line[i] - h->context : -s->before;
    *to = end < most - h->context ? end + h->context : most;
}

static void put_hunk(const struct hunks *h, const struct change *changes, size_t count)
{
    const struct diff_side *old = &h->pair->side[0], *new_ = &h->pair->side[1];
    int32_t from[2], to[2];

    for (int i = 0; i < 2; i++)
        shown(h, i, &changes[0], &changes[count - 1], &from[i], &to[i]);
    buf_add(h->out, STR("@@ -"));
    put_range(h->out, (size_t)from[0] + old->skipped + 1, (size_t)(to[0] - from[0]));
    buf_add(h->out, STR(" +"));
    put_range(h->out, (size_t)from[1] + new_->skipped + 1, (size_t)(to[1] - from[1]));
    buf_add(h->out, STR(" @@\n"));

    int32_t at = from[0];
    for (size_t i = 0; i < count; i++) {
        const struct change *c = &changes[i];
        put_lines(h->out, ' ', old, at, c->line[0]);
        put_lines(h->out, '-', old, c->line[0], c->line[0] + c->count[0]);
        put_lines(h->out, '+', new_, c->line[1], c->line[1] + c->count[1]);
        at = c->line[0] + c->count[0];
    }
    put_lines(h->out, ' ', old, at, to[0]);
}

static void put_hunks(struct arena *a, const struct hunks *h)
{
    VEC(struct change) hunk = {0};
    struct change c;
    int32_t at[2] = {0, 0}, end = 0;

    while (next_change(h->pair, at, &c)) {
        if (hunk.len && c.line[0] - end > 2 * h->context) {
            put_hunk(h, hunk.items, hunk.len);
            hunk.len = 0;
        }
        VEC_PUSH(a, &hunk, c);
        end = at[0];
    }
    if (hunk.len)
        put_hunk(h, hunk.items, hunk.len);
}

enum diff_result diff_unified(struct buf *out, str old, str new_, size_t context)
{
    struct diff_pair pair;

    if (str_eq(old, new_))
        return DIFF_SAME;
    if (looks_binary(old) || looks_binary(new_) || old.len > DIFF_MAX || new_.len > DIFF_MAX)
        return DIFF_BINARY;
    AUTO_ARENA a = arena_new();
    struct hunks h = {out, &pair, (int32_t)(context < DIFF_MAX / 2 ? context : DIFF_MAX / 2)};
    diff_split(a, &pair, old, new_, h.context);
    diff_discard(a, &pair);
    diff_search(a, &pair);
    diff_slide(&pair);
    put_hunks(a, &h);
    return DIFF_CHANGED;
}
