/* SPDX-License-Identifier: Apache-2.0 */
/*
 * provenance.c - where the differences of an object come from, and why it was compared as it was.
 */
#include "compare/pair/pair_internal.h"

/*
 * Makes the expected side once more, step by step and with the places of the template, which is not
 * run again when what it wrote is at hand. Log lines are those of the first time, so these are
 * dropped. Of what earlier candidates of the original changed in the object only the omitted fields
 * are repeated.
 */
static bool retrace(const struct pairing *p, const struct match *m, struct trace *trace)
{
    const struct template *t = m->template;
    struct template_text text = m->text;
    struct outcome out = {.overrides = p->out->overrides,
                          .override_count = p->out->override_count,
                          .log = {.arena = p->arena}};
    struct pairing again = {.arena = p->arena,
                            .run = p->run,
                            .compare = p->compare,
                            .dialect = p->dialect,
                            .object = p->object,
                            .candidate_count = p->candidate_count};
    const struct template *templates = p->compare->reference.templates.items;
    struct value *rendered;
    AUTO_ERR e = {0};

    *trace = (struct trace){
        .arena = p->arena, .compare = p->compare, .options = p->run->options, .template = t};
    trace->object = p->object;
    again.out = &out;
    again.root = value_clone(p->arena, trace->object->root);
    for (size_t i = 0; !p->dialect->isolated_candidates && &templates[p->candidates[i]] != t; i++)
        omit_fields(p->arena, again.root, &templates[p->candidates[i]].omit);
    struct render r = pair_render_options(&again, trace);
    r.hooks.changed = NULL;
    if (text.complete)
        r.text = &text;
    bool ok = pair_render(&again, t, &r, &rendered, &e);
    trace->live = again.root;
    return ok;
}

static bool wants_fields(const struct pairing *p)
{
    return p->out->differs && p->dialect->fields;
}

void pair_trace(struct pairing *p, const struct match *best)
{
    if (wants_fields(p) || p->explain)
        p->traced = retrace(p, best, &p->trace);
}

void pair_add_data(struct pairing *p, const struct match *best)
{
    bool wanted = best && wants_fields(p);
    struct result_explanation *x;

    if (wanted && best->template->merge)
        pair_sort_members(p->arena, best->expected);
    if (wanted)
        fields_find(&p->trace, best->expected, best->actual, &p->out->fields);
    if (!p->explain)
        return;
    x = p->out->explanation = ARENA_NEW(p->arena, struct result_explanation);
    explain_candidates(p->arena, p->compare, p->object, &p->tried, best ? best->template : NULL, x);
    if (p->traced)
        explain_suppressed(&p->trace, &p->tried, x);
}
