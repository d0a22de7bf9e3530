/* SPDX-License-Identifier: Apache-2.0 */
/*
 * actions.c - actions that were parsed before.
 *
 * The templates of a reference repeat each other: most of their actions are in several places to
 * the byte. What an action is depends on its text alone, except for the variables that must be
 * there, those that it leaves behind, and how deep it may nest: these are noted, and checked when
 * the same text comes again. Everything else about an action, its place above all, is in the node
 * of the list it stands in, which is never shared.
 *
 * The text of an action ends where the first right delimiter is, unless that is in a string: such
 * actions are not kept. So equal texts up to there are equal actions.
 */
#include "tmpl/parser.h"

/* Longer ones hardly come again; and none of these nests deeper. */
#define ACTION_MAX 512

struct tmpl_actions {
    struct map *by_text;
    struct buf printed; /* of one action after the other */
};

struct tmpl_actions *tmpl_actions_new(struct arena *a)
{
    struct tmpl_actions *actions = ARENA_NEW(a, struct tmpl_actions);

    actions->by_text = map_new(a);
    actions->printed = buf_new(a, BUF_UNLIMITED);
    return actions;
}

static bool is_name(str x, str y)
{
    return x.len == y.len && hot_same(x.ptr, y.ptr, x.len);
}

static bool has_variables(const struct parser *p, const struct action *a)
{
    for (uint32_t i = 0; i < a->used_count; i++) {
        size_t at = p->vars.len;
        while (at && !is_name(p->vars.items[at - 1], a->used[i]))
            at--;
        if (!at)
            return false;
    }
    return true;
}

const struct action *action_known(struct parser *p)
{
    const struct action *a;

    p->note = (struct action_note){.vars = p->vars.len};
    if (!p->set->actions || p->peeked || p->depth + ACTION_MAX > PARSE_DEPTH_MAX)
        return NULL;
    p->note.text = lexer_action(p->lexer);
    if (p->note.text.len > ACTION_MAX)
        p->note.text = STR_NONE;
    a = p->note.text.len ? map_get(p->set->actions->by_text, p->note.text) : NULL;
    if (!a)
        return NULL;
    if (!has_variables(p, a)) {
        p->note.text = STR_NONE;
        return NULL;
    }
    lexer_skip(p->lexer, p->note.text, &p->token[0]);
    p->set->reach |= a->reach;
    for (uint32_t i = 0; i < a->declared_count; i++)
        VEC_PUSH(p->arena, &p->vars, a->declared[i]);
    return a;
}

static const str *copy_names(struct parser *p, const str *names, size_t count)
{
    str *copy = count ? ARENA_ARRAY(p->arena, str, count) : NULL;

    for (size_t i = 0; i < count; i++)
        copy[i] = names[i];
    return copy;
}

/*
 * The hash of a reference is made of the printed forms of all templates. Most pipelines are written
 * as they are printed.
 */
static void keep_printed(struct parser *p, struct node *pipe)
{
    struct buf *b = &p->set->actions->printed;
    str written = str_slice(p->file->text, p->base + pipe->pos, p->token[0].pos);

    written = str_trim(str_without_suffix(written, STR("-")));
    if (p->lexer->canonical && !str_has_suffix(written, STR("|"))) {
        pipe->pipe.code->printed = written;
        return;
    }
    buf_truncate(b, 0);
    node_print(b, pipe);
    pipe->pipe.code->printed = str_copy(p->arena, buf_str(b));
}

void action_keep(struct parser *p, const struct action *a, size_t pos)
{
    const struct action_note *note = &p->note;
    const struct token *last = &p->token[0];
    const char *end = p->lexer->input.ptr + last->pos + last->text.len;
    struct action *kept;

    /* Not when a string had a delimiter. */
    if (!note->text.len || note->text.ptr + note->text.len != end)
        return;
    kept = ARENA_NEW(p->arena, struct action);
    *kept = *a;
    if (a->pipe)
        keep_printed(p, a->pipe);
    kept->pos = (uint32_t)(p->file->text.ptr + pos - note->text.ptr);
    kept->reach = note->reach;
    kept->used = note->used.items;
    kept->used_count = (uint32_t)note->used.len;
    kept->declared_count = (uint32_t)(p->vars.len - note->vars);
    kept->declared = copy_names(p, p->vars.items + note->vars, kept->declared_count);
    map_set(p->set->actions->by_text, note->text, kept);
}
