/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coverage.c - which templates, and which of their branches, the cases cover.
 *
 * Each case loads the reference again, so branches are identified by file and offset. The names of
 * texts in a set are only the last elements of paths; the template has the rest.
 */
#include "compare/cases/internal.h"
#include "compare/reference/templates_internal.h"

static str path_of(const struct template *t, str name)
{
    for (size_t i = 0; i < t->files.len; i++)
        if (str_eq(path_base(t->files.items[i]), name))
            return t->files.items[i];
    return t->path;
}

static void add_branch(struct case_coverage *all, const struct compare *c, const struct template *t,
                       const struct tmpl_branch *b)
{
    str path = path_of(t, b->file);
    str key = str_fmt(all->arena, "%.*s:%u", STR_ARG(path), (unsigned)b->pos);
    struct case_branch *known = map_get(all->branches, key);

    if (!known) {
        known = ARENA_NEW(all->arena, struct case_branch);
        known->file = reference_file(all->arena, &c->reference, path);
        known->line = b->line;
        known->text = str_copy(all->arena, b->text);
        known->range = b->range;
        map_set(all->branches, key, known);
    }
    known->ran |= b->ran;
    known->passed |= b->passed;
}

/* The same of the templates themselves. */
static void add_matches(struct case_coverage *all, const struct compare *c, const struct results *r)
{
    for (size_t i = 0; i < c->reference.templates.len; i++) {
        str path = c->reference.templates.items[i].path;
        if (!map_has(all->templates, path))
            map_set(all->templates, str_copy(all->arena, path), ARENA_NEW(all->arena, bool));
    }
    for (size_t i = 0; i < r->diffs.len; i++) {
        bool *matched = map_get(all->templates, r->diffs.items[i].template);
        if (matched)
            *matched = true;
    }
}

void case_coverage_add(struct case_coverage *all, const struct compare *c,
                       const struct tmpl_coverage *one, const struct results *r)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < c->reference.templates.len; i++) {
        const struct template *t = &c->reference.templates.items[i];
        struct tmpl_branch *branches;
        size_t count = tmpl_branches(a, t->set, one, &branches);
        for (size_t k = 0; k < count; k++)
            add_branch(all, c, t, &branches[k]);
    }
    add_matches(all, c, r);
}

static int by_place(const void *x, const void *y)
{
    const struct case_branch *p = x, *q = y;
    int files = str_cmp(p->file, q->file);

    return files ? files : (p->line > q->line) - (p->line < q->line);
}

void case_coverage_finish(const struct case_coverage *all, struct case_report *out)
{
    for (size_t i = 0; i < map_len(all->branches); i++) {
        const struct case_branch *b = map_at(all->branches, i);
        out->outcomes += 2;
        out->covered += (size_t)b->ran + (size_t)b->passed;
        VEC_PUSH(all->arena, &out->branches, *b);
    }
    if (out->branches.len)
        qsort(out->branches.items, out->branches.len, sizeof(*out->branches.items), by_place);
    out->templates = map_len(all->templates);
    for (size_t i = 0; i < map_len(all->templates); i++) {
        const bool *matched = map_at(all->templates, i);
        if (!*matched)
            VEC_PUSH(all->arena, &out->unused, map_key(all->templates, i));
    }
}
