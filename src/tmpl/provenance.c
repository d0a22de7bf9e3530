/* SPDX-License-Identifier: Apache-2.0 */
/*
 * provenance.c - which line of which template text each part of the output came from.
 *
 * Only when the host asks for it. A literal text is noted line by line, an action as a whole; what
 * included templates write belongs to the action that includes them.
 */
#include "tmpl/internal.h"

static uint32_t line_of(const struct file *file, size_t pos)
{
    uint32_t line = 1;

    for (size_t i = 0; i < pos; i++)
        line += file->text.ptr[i] == '\n';
    return line;
}

/* Notes one range; one that goes on where the last one ended, on the same line, makes it longer. */
static void add(struct exec *x, size_t from, size_t to, uint32_t line)
{
    struct tmpl_provenance *p = x->run->provenance;
    struct tmpl_range *last = p->count ? &p->items[p->count - 1] : NULL;
    const struct file *file = x->template->file;

    if (from == to)
        return;
    if (last && last->to == from && last->line == line && str_eq(last->file, file->name)) {
        last->to = to;
        return;
    }
    p->items = vec_room(x->rt.arena, p->items, p->count, &p->room, sizeof(*p->items));
    p->items[p->count++] = (struct tmpl_range){from, to, file->name, line};
}

void provenance_note(struct exec *x, const struct node *n, size_t from)
{
    uint32_t line = line_of(x->template->file, n->pos);
    str rest, piece;

    if (n->kind != NODE_TEXT) {
        add(x, from, x->out->len, line);
        return;
    }
    rest = n->text;
    for (; str_next_line(&rest, &piece); line++) {
        size_t end = from + piece.len + 1; /* with its newline, unless the text ends without one */
        add(x, from, end < x->out->len ? end : x->out->len, line);
        from = end;
    }
}
