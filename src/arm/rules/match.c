/* SPDX-License-Identifier: Apache-2.0 */
/* match.c - decides whether a rule applies to an error, and what all rules together make of it. */
#include "arm/rules/internal.h"

bool kind_lists(const struct str_list *list, str text, bool fold)
{
    for (size_t i = 0; i < list->len; i++)
        if (fold ? str_eq_fold(list->items[i], text) : str_eq(list->items[i], text))
            return true;
    return false;
}

/* An empty list matches anything. */
static bool fits(const struct str_list *list, str text, bool fold)
{
    return !list->len || kind_lists(list, text, fold);
}

static bool http_fits(const struct rule_match *m, int http)
{
    for (size_t i = 0; i < m->http.len; i++)
        if (m->http.items[i] == http)
            return true;
    return !m->http.len;
}

static bool inner_fits(const struct rule_match *m, const struct cloud_error *e)
{
    for (size_t i = 0; i < e->causes.len; i++)
        if (kind_lists(&m->inner, e->causes.items[i].code, m->ignore_case))
            return true;
    return !m->inner.len;
}

/* The position of needle at or after from. */
static size_t find_from(str text, size_t from, str needle, bool fold)
{
    if (!fold) {
        size_t at = str_find(str_from(text, from), needle);
        return at == STR_NPOS ? at : at + from;
    }
    for (size_t i = from; i + needle.len <= text.len; i++)
        if (str_eq_fold(str_slice(text, i, i + needle.len), needle))
            return i;
    return STR_NPOS;
}

static bool any_fits(const struct rule_match *m, str message)
{
    for (size_t i = 0; i < m->contains_any.len; i++)
        if (find_from(message, 0, m->contains_any.items[i], m->ignore_case) != STR_NPOS)
            return true;
    return !m->contains_any.len;
}

static bool message_fits(const struct rule_match *m, str message)
{
    size_t from = 0;

    for (size_t i = 0; i < m->contains.len; i++)
        if (find_from(message, 0, m->contains.items[i], m->ignore_case) == STR_NPOS)
            return false;
    for (size_t i = 0; i < m->in_order.len; i++) {
        size_t at = find_from(message, from, m->in_order.items[i], m->ignore_case);
        if (at == STR_NPOS)
            return false;
        from = at + m->in_order.items[i].len;
    }
    return any_fits(m, message) && (!m->pattern || regex_match(m->pattern, message));
}

/* API versions begin with a date, so their order is that of their texts. */
static bool version_fits(const struct rule_match *m, str version)
{
    return (!m->from.len || str_cmp(version, m->from) >= 0) &&
           (!m->to.len || str_cmp(version, m->to) <= 0);
}

bool rule_matches(const struct rule_match *m, const struct error_facts *facts)
{
    const struct cloud_error *e = facts->error;

    return http_fits(m, e->http) && fits(&m->code, e->code, m->ignore_case) &&
           fits(&m->method, facts->method, false) && fits(&m->group, facts->group, false) &&
           fits(&m->kind, facts->kind, false) && version_fits(m, facts->api_version) &&
           (!m->asks_understood || m->understood == e->understood) && inner_fits(m, e) &&
           message_fits(m, e->message);
}

static const struct rule *first_match(const struct rule_stage *stage,
                                      const struct error_facts *facts)
{
    for (size_t i = 0; i < stage->rules.len; i++)
        if (rule_matches(&stage->rules.items[i].match, facts))
            return &stage->rules.items[i];
    return NULL;
}

static void apply(const struct rule *rule, struct error_verdict *out)
{
    if (rule->sets_class)
        out->class = rule->class;
    if (rule->sets_effect)
        out->effect = rule->effect;
    if (rule->retry)
        out->retry = rule->retry;
    if (rule->reason.len)
        out->reason = rule->reason;
}

void rules_classify(struct arena *a, const struct rules *r, const struct error_facts *facts,
                    struct error_verdict *out)
{
    const struct rule_stage *own = facts->own ? facts->own->errors : NULL;
    struct str_list ids = {0};

    *out = (struct error_verdict){.reason = facts->error->code};
    for (size_t i = 0; i <= r->stages.len; i++) {
        const struct rule_stage *stage = i < r->stages.len ? &r->stages.items[i] : own;
        const struct rule *rule = stage ? first_match(stage, facts) : NULL;
        if (!rule)
            continue;
        apply(rule, out);
        VEC_PUSH(a, &ids, rule->id);
    }
    if (!out->retry && r->retries.len)
        out->retry = &r->retries.items[0];
    out->rule = str_join(a, ids.items, ids.len, STR(", "));
}

const struct rule_retry *rules_retry(const struct rules *r, str name)
{
    for (size_t i = 0; i < r->retries.len; i++)
        if (str_eq(r->retries.items[i].name, name))
            return &r->retries.items[i];
    return NULL;
}
