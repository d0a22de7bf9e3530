/* SPDX-License-Identifier: Apache-2.0 */
/* kind_lint.c - finds rules of a kind that are valid, but probably mistakes. */
#include "arm/rules/internal.h"

#include "base/map.h"

static void lint_errors(struct rules_findings *f, const struct rule_stage *stage)
{
    rules_lint_stage(f, stage, map_new(f->arena));
    for (size_t i = 0; i < stage->rules.len; i++) {
        const struct rule *rule = &stage->rules.items[i];
        if (rule->match.group.len || rule->match.kind.len)
            rules_found(f, rule->node, "rule %.*s repeats the group or kind of the file",
                        STR_ARG(rule->id));
    }
}

static void lint_gates(struct rules_findings *f, const struct kind_gates *gates,
                       const struct value *nodes)
{
    for (size_t i = 0; i < gates->len; i++) {
        const struct kind_gate *gate = &gates->items[i];
        const struct str_list *list = gate->in.len ? &gate->in : &gate->not_in;
        for (size_t j = 0; j < list->len; j++)
            if (kind_lists(&(struct str_list){.items = list->items, .len = j}, list->items[j],
                           gate->ignore_case))
                rules_found(f, value_at(nodes, i), "\"%.*s\" is listed twice",
                            STR_ARG(list->items[j]));
    }
}

static void lint_secrets(struct rules_findings *f, const struct kind_rules *r)
{
    const struct value *calls = value_get(value_get(r->node, STR("secrets")), STR("calls"));

    for (size_t i = 0; i < r->calls.len; i++) {
        size_t j = 0;
        while (j < r->secrets.len && r->secrets.items[j].call != &r->calls.items[i])
            j++;
        if (j == r->secrets.len)
            rules_found(f, &calls->items[i], "nothing is taken from call %.*s",
                        STR_ARG(r->calls.items[i].name));
    }
}

static void lint_values(struct rules_findings *f, const struct kind_rules *r)
{
    const struct value *nodes = value_get(r->node, STR("values"));

    for (size_t i = 0; i < r->values.len; i++) {
        const struct value *send = r->values.items[i].send;
        for (size_t j = 0; j < i; j++)
            if (path_equal(&r->values.items[i].at, &r->values.items[j].at))
                rules_found(f, value_at(nodes, i),
                            "there is a rule for the same place before: what it sends is replaced "
                            "again");
        for (size_t j = 0; j < value_len(send); j++)
            if (str_eq(value_key(&send->items[j]), value_str(&send->items[j])))
                rules_found(f, &send->items[j], "\"%.*s\" is replaced by itself",
                            STR_ARG(value_key(&send->items[j])));
    }
}

bool kind_lint(struct rules_findings *f, size_t *count, struct err *e)
{
    struct kind_rules *r;

    if (!kind_rules_read(f->arena, f->source, &r, e))
        return false;
    if (r->errors)
        lint_errors(f, r->errors);
    lint_gates(f, &r->owner, value_get(r->node, STR("owner")));
    lint_gates(f, &r->send, value_get(r->node, STR("send")));
    lint_gates(f, &r->ready, value_get(r->node, STR("ready")));
    lint_secrets(f, r);
    lint_values(f, r);
    *count = (r->errors ? r->errors->rules.len : 0) + r->owner.len + r->send.len + r->ready.len +
             r->secrets.len + r->merges.len + r->values.len + r->trims.len +
             (r->naming.is.len || r->naming.equals.len) + !!r->delete.query;
    return true;
}
