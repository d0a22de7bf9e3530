/* SPDX-License-Identifier: Apache-2.0 */
/* ext_rules.c - what the rules of a kind decide: gates, lists with elements of others, names. */
#include "operator/ext_internal.h"

#include "base/map.h"
#include "text/url.h"

/* ---- Gates. ---------------------------------------------------------------------------------- */

static bool is_open(const struct kind_gate *gate, str state)
{
    if (!state.len)
        return !gate->required;
    if (gate->in.len)
        return kind_lists(&gate->in, state, gate->ignore_case);
    return !kind_lists(&gate->not_in, state, gate->ignore_case);
}

static struct decision closed(struct arena *a, const struct kind_gate *gate, str state)
{
    str before, after;

    if (!str_cut(gate->otherwise, STR("%s"), &before, &after))
        return decision_block(gate->otherwise);
    return decision_block(str_fmt(a, "%.*s%.*s%.*s", STR_ARG(before),
                                  STR_ARG(state.len ? state : STR("not known yet")),
                                  STR_ARG(after)));
}

/* Whether the gate is open for a body; if not, *state is what was found. */
static bool lets_pass(const struct kind_gate *gate, const struct value *body, str *state)
{
    const struct value *list = path_resolve(&gate->each, body);

    if (!gate->each.len) {
        *state = value_text(path_resolve(&gate->at, body));
        return is_open(gate, *state);
    }
    for (size_t i = 0; value_is(list, VALUE_LIST) && i < list->len; i++) {
        *state = value_text(path_resolve(&gate->at, &list->items[i]));
        if (!is_open(gate, *state))
            return false;
    }
    return true;
}

struct decision rules_gates(const struct kind_gates *gates, const struct ext_input *in,
                            const struct value *body)
{
    str state;

    for (size_t i = 0; body && i < gates->len; i++)
        if (!lets_pass(&gates->items[i], body, &state))
            return closed(in->arena, &gates->items[i], state);
    return decision_go(NULL);
}

/* ---- Names. ---------------------------------------------------------------------------------- */

/* The name that the payload asks for; empty: any. */
static str required_name(const struct kind_naming *naming, const struct value *payload)
{
    if (naming->when.len &&
        !str_eq_fold(value_text(path_resolve(&naming->when, payload)), naming->when_is))
        return STR_NONE;
    return naming->is.len ? naming->is : value_text(path_resolve(&naming->equals, payload));
}

static bool name_is_right(const struct kind_rules *rules, const struct ext_input *in,
                          struct decision *otherwise)
{
    str wanted = STR_NONE, name = str_from(in->id, str_rfind_char(in->id, '/') + 1);

    if (rules->naming.is.len || rules->naming.equals.len)
        wanted = required_name(&rules->naming, in->payload);
    if (!wanted.len || str_eq_fold(wanted, name))
        return true;
    *otherwise = decision_block(str_fmt(
        in->arena, "the name in Azure must be \"%.*s\", not \"%.*s\": correct spec.azureName",
        STR_ARG(wanted), STR_ARG(name)));
    otherwise->severity = STR("Error");
    return false;
}

/* ---- Lists with elements of others. ---------------------------------------------------------- */

static bool has_text(const struct value *list, str text)
{
    for (size_t i = 0; i < value_len(list); i++)
        if (str_eq_fold(value_str(&list->items[i]), text))
            return true;
    return false;
}

static str path_text(struct arena *a, const struct path *path)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    path_print_dotted(&b, path);
    return buf_str(&b);
}

/*
 * Elements that Azure has and the payload lacks are appended, unless our last PUT had them: then
 * the spec has dropped them. Names are case-insensitive, as in Azure.
 */
static void merge(struct arena *a, const struct kind_merge *rule, const struct ext_input *in,
                  struct value *payload)
{
    const struct value *found = path_resolve(&rule->at, in->body);
    const struct value *own = path_resolve(&rule->at, payload);
    const struct value *sent = value_get(in->sent, path_text(a, &rule->at));
    struct value *all = value_is(own, VALUE_LIST) ? value_clone(a, own) : value_list(a);
    struct map *names = map_new(a);

    for (size_t i = 0; i < value_len(own); i++)
        map_set(names, str_lower(a, value_get_str(&own->items[i], rule->by)), all);
    for (size_t i = 0; value_is(found, VALUE_LIST) && i < found->len; i++) {
        str name = value_get_str(&found->items[i], rule->by);
        if (!map_has(names, str_lower(a, name)) && !has_text(sent, name))
            value_add(a, all, value_clone(a, &found->items[i]));
    }
    if (all->len > value_len(own)) {
        bool ok = path_set(a, &rule->at, payload, all, NULL);
        (void)ok; /* a payload with a scalar on the path is rejected by Azure */
    }
}

struct decision rules_payload(const struct kind_rules *rules, const struct ext_input *in)
{
    struct decision next = decision_go((struct value *)in->payload);

    if (!name_is_right(rules, in, &next) || !rules->merges.len || !in->body || !in->payload)
        return next;
    next.value = value_clone(in->arena, in->payload);
    for (size_t i = 0; i < rules->merges.len; i++)
        merge(in->arena, &rules->merges.items[i], in, next.value);
    return next;
}

struct value *ext_sent(struct arena *a, const struct ext *x, const struct value *payload)
{
    struct value *sent = value_object(a);

    for (size_t i = 0; x->rules && i < x->rules->merges.len; i++) {
        const struct kind_merge *rule = &x->rules->merges.items[i];
        const struct value *list = path_resolve(&rule->at, payload);
        struct value *names = value_list(a);
        for (size_t j = 0; value_is(list, VALUE_LIST) && j < list->len; j++)
            if (value_get_str(&list->items[j], rule->by).len)
                value_add(a, names, value_string(a, value_get_str(&list->items[j], rule->by)));
        if (names->len)
            value_set(a, sent, path_text(a, &rule->at), names);
    }
    return sent->len ? sent : NULL;
}

/* ---- The rest. ------------------------------------------------------------------------------- */

struct value *rules_trim(const struct kind_rules *rules, const struct ext_input *in)
{
    struct value *body = (struct value *)in->body;

    for (size_t i = 0; body && i < rules->trims.len; i++) {
        const struct kind_trim *trim = &rules->trims.items[i];
        if (value_len(path_resolve(&trim->at, body)) <= trim->max)
            continue;
        if (body == in->body)
            body = value_clone(in->arena, body);
        path_delete(&trim->at, body);
    }
    return body;
}

str rules_delete_url(const struct kind_rules *rules, const struct ext_input *in)
{
    const struct value *query = rules ? rules->delete.query : NULL;
    struct buf b = buf_new(in->arena, BUF_UNLIMITED);

    buf_add(&b, ext_path(in->arena, in->id, STR_NONE, in->api_version));
    for (size_t i = 0; i < value_len(query); i++)
        url_query_add(&b, value_key(&query->items[i]), value_str(&query->items[i]));
    return buf_str(&b);
}
