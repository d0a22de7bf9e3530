/* SPDX-License-Identifier: Apache-2.0 */
/*
 * provenance.c - which line of which template text each part of the output came from.
 *
 * Only when the host asks for it. A literal text is noted line by line, an action as a whole; what
 * included templates write belongs to the action that includes them.
 */
#include "tmpl/internal.h"

/* ---- Lines. ---- */

static const struct noted_file *lines_of(struct exec *x, const struct file *file)
{
    struct noted_file *lines;

    for (size_t i = x->noted_files.len; i-- > 0;)
        if (x->noted_files.items[i].file == file)
            return &x->noted_files.items[i];
    lines = VEC_ADD(x->rt.arena, &x->noted_files);
    lines->file = file;
    VEC_PUSH(x->rt.arena, &lines->starts, 0);
    for (size_t i = 0; i < file->text.len; i++)
        if (file->text.ptr[i] == '\n')
            VEC_PUSH(x->rt.arena, &lines->starts, i + 1);
    return lines;
}

static uint32_t line_of(struct exec *x, const struct file *file, size_t pos)
{
    const struct noted_file *lines = lines_of(x, file);
    size_t low = 0, high = lines->starts.len;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (lines->starts.items[middle] <= pos)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low + 1;
}

/* ---- Ranges. ---- */

/* Notes one range; text that goes on where the last one ended, on the same line, makes it longer.
 */
static void add(struct exec *x, const struct tmpl_range *range)
{
    struct tmpl_provenance *p = x->run->provenance;
    struct tmpl_range *last = p->count ? &p->items[p->count - 1] : NULL;

    if (range->from == range->to)
        return;
    if (last && !last->action && !range->action && last->to == range->from &&
        last->line == range->line && str_eq(last->file, range->file)) {
        last->to = range->to;
        return;
    }
    p->items = vec_room(x->rt.arena, p->items, p->count, &p->room, sizeof(*p->items));
    p->items[p->count++] = *range;
}

void provenance_note(struct exec *x, const struct node *n, size_t from)
{
    const struct file *file = x->template->file;
    struct tmpl_range range = {.from = from, .file = file->name};
    str rest, piece;

    range.line = line_of(x, file, n->pos);
    if (n->kind != NODE_TEXT) {
        range.to = x->out->len;
        range.action = n;
        add(x, &range);
        return;
    }
    rest = n->text;
    for (; str_next_line(&rest, &piece); range.line++) {
        /* With its newline, unless the text ends without one. */
        size_t end = range.from + piece.len + 1;
        range.to = end < x->out->len ? end : x->out->len;
        add(x, &range);
        range.from = end;
    }
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
