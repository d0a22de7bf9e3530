/* SPDX-License-Identifier: Apache-2.0 */
/*
 * provenance.c - which line of which template text each part of the output came from.
 *
 * Only when the host asks for it. A literal text is noted line by line, an action as a whole; what
 * included templates write belongs to the action that includes them.
 */
#include "tmpl/internal.h"

/* The same as provenance_note where there is no room for one more. */
NOINLINE static void note_grown(struct exec *x, const struct node *n, size_t from)
{
    struct tmpl_provenance *p = x->run->provenance;

    p->notes = vec_grow(x->rt.arena, p->notes, &p->note_room, sizeof(*p->notes));
    provenance_note(x, n, from);
}

void provenance_note(struct exec *x, const struct node *n, size_t from)
{
    struct tmpl_provenance *p = x->run->provenance;

    if (p->partial)
        return;
    if (p->note_max && p->note_count == p->note_max) {
        p->partial = true;
        return;
    }
    if (UNLIKELY(p->note_count == p->note_room)) {
        note_grown(x, n, from);
        return;
    }
    p->notes[p->note_count++] = (struct tmpl_note){n, x->template->file, from, x->out->len};
}

/* ---- Lines. ---- */

/* Where the lines of a text begin. */
struct line_starts {
    const struct file *file;
    VEC(size_t) at;
};

/* Notes become ranges. */
struct ranging {
    struct arena *arena;
    struct tmpl_provenance *out;
    VEC(struct line_starts) files;
};

static const struct line_starts *lines_of(struct ranging *r, const struct file *file)
{
    struct line_starts *lines;
    str rest = file->text;

    for (size_t i = r->files.len; i-- > 0;)
        if (r->files.items[i].file == file)
            return &r->files.items[i];
    lines = VEC_ADD(r->arena, &r->files);
    lines->file = file;
    VEC_PUSH(r->arena, &lines->at, 0);
    for (size_t lf; (lf = str_find_char(rest, '\n')) != STR_NPOS;) {
        rest = str_from(rest, lf + 1);
        VEC_PUSH(r->arena, &lines->at, file->text.len - rest.len);
    }
    return lines;
}

static uint32_t line_of(struct ranging *r, const struct file *file, size_t pos)
{
    const struct line_starts *lines = lines_of(r, file);
    size_t low = 0, high = lines->at.len;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (lines->at.items[middle] <= pos)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low + 1;
}

/* ---- Ranges. ---- */

/* Adds one range; text that goes on where the last one ended, on the same line, makes it longer. */
static void add(struct ranging *r, const struct tmpl_range *range)
{
    struct tmpl_provenance *p = r->out;
    struct tmpl_range *last = p->count ? &p->items[p->count - 1] : NULL;

    if (range->from == range->to)
        return;
    if (last && !last->action && !range->action && last->to == range->from &&
        last->line == range->line && str_eq(last->file, range->file)) {
        last->to = range->to;
        return;
    }
    p->items = vec_room(r->arena, p->items, p->count, &p->room, sizeof(*p->items));
    p->items[p->count++] = *range;
}

static void add_note(struct ranging *r, const struct tmpl_note *note)
{
    struct tmpl_range range = {.from = note->from, .file = note->file->name};
    str rest, piece;

    range.line = line_of(r, note->file, note->node->pos);
    if (note->node->kind != NODE_TEXT) {
        range.to = note->to;
        range.action = note->node;
        add(r, &range);
        return;
    }
    rest = note->node->text;
    for (; str_next_line(&rest, &piece); range.line++) {
        /* With its newline, unless the text ends without one. */
        size_t end = range.from + piece.len + 1;
        range.to = end < note->to ? end : note->to;
        add(r, &range);
        range.from = end;
    }
}

void tmpl_provenance_ranges(struct arena *a, struct tmpl_provenance *p)
{
    struct ranging r = {.arena = a, .out = p};

    for (size_t i = 0; i < p->note_count; i++)
        add_note(&r, &p->notes[i]);
}

/* ---- Actions. ---- */

void tmpl_range_print(const struct tmpl_range *range, struct buf *out)
{
    if (range->action)
        node_print(out, range->action);
}

static bool reads(const struct node *n);

static bool any_reads(const struct nodes *list)
{
    for (uint32_t i = 0; i < list->len; i++)
        if (reads(list->items[i]))
            return true;
    return false;
}

static bool reads(const struct node *n)
{
    switch ((enum node_kind)n->kind) {
    case NODE_ACTION:
        return reads(n->action);
    case NODE_PIPE:
        return any_reads(&n->pipe.commands);
    case NODE_COMMAND:
        return any_reads(&n->list);
    case NODE_CHAIN:
        return reads(n->chain.on);
    case NODE_DOT:
    case NODE_FIELD:
    case NODE_VARIABLE:
        return true;
    default:
        return false;
    }
}

bool tmpl_range_reads(const struct tmpl_range *range)
{
    return range->action && reads(range->action);
}
