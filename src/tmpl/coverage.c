/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coverage.c - which branches of templates were taken; see coverage.h.
 */
#include "tmpl/coverage.h"
#include "tmpl/internal.h"

/* What is known about one action. */
struct noted {
    const struct node *node;
    bool ran, passed;
};

struct tmpl_coverage {
    struct arena *arena;
    struct map *noted; /* the address of a node to struct noted */
};

static str key_of(const struct node *const *node)
{
    return str_of((const char *)node, sizeof(*node));
}

struct tmpl_coverage *tmpl_coverage_new(struct arena *a)
{
    struct tmpl_coverage *c = ARENA_NEW(a, struct tmpl_coverage);

    c->arena = a;
    c->noted = map_new(a);
    return c;
}

void coverage_note(struct tmpl_coverage *c, const struct node *n, bool ran)
{
    struct noted *noted = map_get(c->noted, key_of(&n));

    if (!noted) {
        noted = ARENA_NEW(c->arena, struct noted);
        noted->node = n;
        map_set(c->noted, key_of(&noted->node), noted);
    }
    noted->ran |= ran;
    noted->passed |= !ran;
}

/* ---- All branches. ---- */

struct listing {
    struct arena *arena;
    const struct tmpl_coverage *coverage;
    const struct file *file;
    VEC(struct tmpl_branch) found;
};

static str action_text(struct arena *a, const struct node *n)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    buf_fmt(&out, "{{%s ", n->kind == NODE_IF ? "if" : n->kind == NODE_WITH ? "with" : "range");
    node_print(&out, n->branch.pipe);
    buf_add(&out, STR("}}"));
    return buf_str(&out);
}

static void add_branch(struct listing *l, const struct node *n)
{
    const struct noted *noted = map_get(l->coverage->noted, key_of(&n));
    struct tmpl_branch *b = VEC_ADD(l->arena, &l->found);

    *b = (struct tmpl_branch){.file = l->file->name,
                              .line = lexer_line(l->file->text, n->pos),
                              .pos = n->pos,
                              .text = action_text(l->arena, n),
                              .range = n->kind == NODE_RANGE,
                              .ran = noted && noted->ran,
                              .passed = noted && noted->passed};
}

static void list_branches(struct listing *l, const struct node *n)
{
    if (!n)
        return;
    switch ((enum node_kind)n->kind) {
    case NODE_LIST:
        for (uint32_t i = 0; i < n->list.len; i++)
            list_branches(l, n->list.items[i]);
        return;
    case NODE_IF:
    case NODE_RANGE:
    case NODE_WITH:
        add_branch(l, n);
        list_branches(l, n->branch.then);
        list_branches(l, n->branch.otherwise);
        return;
    default:
        return;
    }
}

size_t tmpl_branches(struct arena *a, const struct tmpl_set *set,
                     const struct tmpl_coverage *coverage, struct tmpl_branch **out)
{
    struct listing l = {.arena = a, .coverage = coverage};

    for (size_t i = 0; i < map_len(set->templates); i++) {
        const struct template *t = map_at(set->templates, i);
        l.file = t->file;
        list_branches(&l, t->root);
    }
    *out = l.found.items;
    return l.found.len;
}
