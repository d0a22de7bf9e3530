/* SPDX-License-Identifier: Apache-2.0 */
/* lint.c - finds rules that are valid, but probably mistakes. */
#include "arm/rules/internal.h"
#include "base/map.h"
#include "value/source.h"

/* ---- Whether one match covers another. ------------------------------------------------------- */

static bool covers_texts(const struct str_list *x, const struct str_list *y)
{
    for (size_t i = 0; x->len && i < y->len; i++)
        if (!str_list_has(x, y->items[i]))
            return false;
    return !x->len || y->len;
}

static bool covers_http(const struct rule_match *x, const struct rule_match *y)
{
    for (size_t i = 0; x->http.len && i < y->http.len; i++) {
        size_t j = 0;
        while (j < x->http.len && x->http.items[j] != y->http.items[i])
            j++;
        if (j == x->http.len)
            return false;
    }
    return !x->http.len || y->http.len;
}

/* We do not reason about conditions on messages, versions and case: x must have none. */
static bool is_simple(const struct rule_match *m)
{
    return !m->contains.len && !m->contains_any.len && !m->in_order.len && !m->pattern &&
           !m->from.len && !m->to.len && !m->asks_understood;
}

static bool covers(const struct rule_match *x, const struct rule_match *y)
{
    return is_simple(x) && (x->ignore_case || !y->ignore_case) && covers_http(x, y) &&
           covers_texts(&x->code, &y->code) && covers_texts(&x->inner, &y->inner) &&
           covers_texts(&x->method, &y->method) && covers_texts(&x->group, &y->group) &&
           covers_texts(&x->kind, &y->kind);
}

static void find_shadowed(struct rules_findings *f, const struct rule_stage *stage, size_t i)
{
    const struct rule *rule = &stage->rules.items[i];

    for (size_t j = 0; j < i; j++)
        if (covers(&stage->rules.items[j].match, &rule->match)) {
            rules_found(f, rule->node,
                        "rule %.*s never counts: rule %.*s before it takes all of it",
                        STR_ARG(rule->id), STR_ARG(stage->rules.items[j].id));
            return;
        }
}

void rules_lint_stage(struct rules_findings *f, const struct rule_stage *stage, struct map *ids)
{
    for (size_t i = 0; i < stage->rules.len; i++) {
        const struct rule *rule = &stage->rules.items[i];
        if (map_has(ids, rule->id))
            rules_found(f, rule->node, "there are two rules %.*s", STR_ARG(rule->id));
        map_set(ids, rule->id, f);
        find_shadowed(f, stage, i);
    }
}

size_t rules_lint(struct arena *a, const struct rules *r, struct rules_finding **out)
{
    struct rules_findings f = {.arena = a, .source = r->source};
    struct map *ids = map_new(a);

    for (size_t i = 0; i < r->stages.len; i++)
        rules_lint_stage(&f, &r->stages.items[i], ids);
    *out = f.items;
    return f.len;
}
