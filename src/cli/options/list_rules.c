/* SPDX-License-Identifier: Apache-2.0 */
/* list_rules.c - reads --by: how to match the elements of lists. */
#include "cli/options/list_rules.h"

/*
 * Splits the part of --by after the last equals sign; all of it if there is none (STR_NPOS + 1 is
 * 0).
 */
static bool split_fields(struct arena *a, str by, struct list_rule *rule, struct err *e)
{
    VEC(str) fields = {0};
    str rest = str_from(by, str_rfind_char(by, '=') + 1), field;
    bool more = true;

    while (more) {
        more = str_cut(rest, STR(","), &field, &rest);
        if (field.len == 0)
            return err_set(e, ERR_USAGE, "--by \"%.*s\": a field has no name", STR_ARG(by));
        VEC_PUSH(a, &fields, field);
    }
    rule->kind = LIST_BY_FIELDS;
    rule->fields = fields.items;
    rule->field_count = fields.len;
    return true;
}

/* The path may contain an equals sign, too, so the last one counts. */
static bool read_rule(struct list_rules *r, str text, struct err *e)
{
    size_t equals = str_rfind_char(text, '=');
    struct list_rule *rule;

    if (equals == STR_NPOS)
        return true;
    rule = VEC_ADD(r->arena, r);
    if (!path_parse_dotted(r->arena, str_slice(text, 0, equals), &rule->path, e)) {
        err_wrap(e, "--by \"%.*s\"", STR_ARG(text));
        e->kind = ERR_USAGE;
        return false;
    }
    return split_fields(r->arena, text, rule, e);
}

bool list_rules_read(struct arena *a, const struct str_list *by, struct list_rules *out,
                     struct err *e)
{
    *out = (struct list_rules){.arena = a, .by = by};
    for (size_t i = 0; i < by->len; i++) {
        struct list_rule unused;
        if (!read_rule(out, by->items[i], e))
            return false;
        if (str_rfind_char(by->items[i], '=') == STR_NPOS &&
            !split_fields(a, by->items[i], &unused, e))
            return false;
    }
    out->fixed = out->len;
    return true;
}

/* ---- Fields without a path. ---- */

/* A walk over the lists of a tree. */
struct walk {
    struct list_rules *rules;
    struct arena *arena;
    const struct list_rule *fields; /* the rule to repeat */
    struct map *seen;               /* paths, as text */
    struct err *e;
};

static bool all_have_fields(const struct value *list, const struct list_rule *rule)
{
    for (size_t i = 0; i < value_len(list); i++)
        for (size_t f = 0; f < rule->field_count; f++)
            if (!value_get(value_at(list, i), rule->fields[f]))
                return false;
    return value_len(list) > 0;
}

static bool add_place(struct walk *w, const struct trail *at)
{
    struct list_rule rule = *w->fields;
    struct buf text = buf_new(w->arena, BUF_UNLIMITED);

    rule.path = path_of_trail(w->arena, at);
    path_print_dotted(&text, &rule.path);
    if (map_has(w->seen, buf_str(&text)))
        return true;
    if (w->rules->len == LIST_RULES_MAX)
        return err_set(w->e, ERR_LIMIT, "--by: more than %d places with lists", LIST_RULES_MAX);
    map_set(w->seen, buf_str(&text), w);
    VEC_PUSH(w->rules->arena, w->rules, rule);
    return true;
}

static bool walk_lists(struct walk *w, const struct value *v, const struct trail *at)
{
    bool list = value_is(v, VALUE_LIST);

    if (list && all_have_fields(v, w->fields) && !add_place(w, at))
        return false;
    for (size_t i = 0; i < value_len(v); i++) {
        struct trail below = {.up = at, .step = {.kind = STEP_KEY, .key = STR("*")}};
        if (!list)
            below.step.key = value_key(&v->items[i]);
        if (value_is_container(&v->items[i]) && !walk_lists(w, &v->items[i], &below))
            return false;
    }
    return true;
}

bool list_rules_fit(struct list_rules *r, struct arena *a, const struct value *root, struct err *e)
{
    r->len = r->fixed;
    for (size_t i = 0; i < r->by->len; i++) {
        struct list_rule fields = {0};
        struct walk w = {.rules = r, .arena = a, .fields = &fields, .seen = map_new(a), .e = e};
        if (str_rfind_char(r->by->items[i], '=') != STR_NPOS)
            continue;
        if (!split_fields(a, r->by->items[i], &fields, e) || !walk_lists(&w, root, NULL))
            return false;
    }
    return true;
}
