/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_builtin.c - checks references, owners, secrets and destinations.
 */
#include "azure/check_internal.h"

#include "arm/id.h"

/*
 * Which members an object may have: s a string, m a map of strings, o an object checked elsewhere;
 * a capital letter means that it is required.
 */
struct member_rule {
    const char *name;
    char form;
};

static const struct member_rule reference_members[] = {
    {"armId", 's'}, {"azure", 'o'}, {"group", 's'}, {"kind", 's'}, {"name", 's'}, {0},
};
static const struct member_rule kubernetes_members[] = {{"name", 'S'}, {0}};
static const struct member_rule keyed_members[] = {{"key", 'S'}, {"name", 'S'}, {0}};
static const struct member_rule destination_members[] = {
    {"annotations", 'm'}, {"key", 'S'}, {"labels", 'm'}, {"name", 'S'}, {0},
};
static const struct member_rule expression_members[] = {
    {"annotations", 'm'}, {"key", 's'}, {"labels", 'm'}, {"name", 'S'}, {"value", 'S'}, {0},
};

static const struct member_rule *const members_of[BUILTIN_COUNT] = {
    [BUILTIN_RESOURCE_REFERENCE] = reference_members,
    [BUILTIN_WELL_KNOWN_REFERENCE] = reference_members,
    [BUILTIN_KNOWN_REFERENCE] = reference_members,
    [BUILTIN_ARBITRARY_OWNER] = reference_members,
    [BUILTIN_KUBERNETES_OWNER] = kubernetes_members,
    [BUILTIN_SECRET_REFERENCE] = keyed_members,
    [BUILTIN_SECRET_MAP_REFERENCE] = kubernetes_members,
    [BUILTIN_CONFIG_MAP_REFERENCE] = keyed_members,
    [BUILTIN_SECRET_DESTINATION] = destination_members,
    [BUILTIN_CONFIG_MAP_DESTINATION] = destination_members,
    [BUILTIN_DESTINATION_EXPRESSION] = expression_members,
};

static str list_members(struct arena *a, const struct member_rule *rules, bool well_known)
{
    struct buf b = buf_new(a, 4 * KIB);

    for (size_t i = 0; rules[i].name; i++)
        buf_fmt(&b, "%s%s", i ? ", " : "", rules[i].name);
    if (well_known)
        buf_add(&b, STR(", wellKnownName"));
    return buf_str(&b);
}

static void check_member(struct checking *c, const struct member_rule *rule, const struct value *v,
                         const struct trail *at)
{
    if (v->kind == VALUE_NULL)
        return;
    if (rule->form == 's' || rule->form == 'S') {
        check_kind(c, v, at, VALUE_STRING, "a string");
        return;
    }
    if (!check_kind(c, v, at, VALUE_OBJECT, "an object") || rule->form != 'm')
        return;
    for (size_t i = 0; i < v->len; i++) {
        struct trail here = check_step(at, value_key(&v->items[i]));
        check_kind(c, &v->items[i], &here, VALUE_STRING, "a string");
    }
}

static const struct member_rule *find_rule(const struct member_rule *rules, str name)
{
    for (size_t i = 0; rules[i].name; i++)
        if (str_eq(name, str_c(rules[i].name)))
            return &rules[i];
    return NULL;
}

/* Reports unknown and missing members. */
static void check_rules(struct checking *c, const struct member_rule *rules,
                        enum model_builtin builtin, const struct value *v, const struct trail *at)
{
    static const struct member_rule well_known_name = {"wellKnownName", 's'};
    bool well_known = builtin == BUILTIN_WELL_KNOWN_REFERENCE;

    for (size_t i = 0; i < v->len; i++) {
        struct trail here = check_step(at, value_key(&v->items[i]));
        const struct member_rule *rule = find_rule(rules, value_key(&v->items[i]));
        if (!rule && well_known && str_eq(value_key(&v->items[i]), STR("wellKnownName")))
            rule = &well_known_name;
        if (rule) {
            check_member(c, rule, &v->items[i], &here);
            continue;
        }
        str known = list_members(c->arena, rules, well_known);
        check_fail(c, &v->items[i], &here, "unknown field: there are %.*s", STR_ARG(known));
    }
    for (size_t i = 0; rules[i].name; i++) {
        struct trail here = check_step(at, str_c(rules[i].name));
        const struct value *member = value_get(v, str_c(rules[i].name));
        if (rules[i].form < 'a' && (!member || member->kind == VALUE_NULL))
            check_fail(c, v, &here, "is required");
    }
}

/* Adds an error as a finding, at its own position if it has one. */
static void add_error(struct checking *c, const struct value *v, const struct trail *at,
                      const struct err *e)
{
    size_t before = c->out->len;

    check_fail(c, v, at, "%.*s", STR_ARG(e->text));
    if (c->out->len > before && e->at.line) {
        c->out->items[before].at.line = e->at.line;
        c->out->items[before].at.column = e->at.column;
    }
}

static void check_forms(struct checking *c, const struct reference_rule *rule,
                        const struct value *v, const struct trail *at)
{
    AUTO_ERR e = {0};
    struct reference ref;

    if (!reference_read(v, rule, c->src, &ref, &e)) {
        struct trail member = check_step(at, value_key(ref.at));
        add_error(c, ref.at, ref.at == v ? at : &member, &e);
        return;
    }
    if (ref.form == REFERENCE_OBJECT && str_has_suffix(ref.group, STR(".azure.com"))) {
        const struct model_resource *res;
        if (!model_find_hub(c->model, ref.group, ref.kind, &res, &e))
            add_error(c, v, at, &e);
    }
}

void check_builtin(struct checking *c, enum model_builtin builtin, const struct value *v,
                   const struct trail *at)
{
    const struct member_rule *rules = members_of[builtin];
    struct reference_rule rule = {.builtin = builtin};
    size_t before = c->out->len;

    if (!rules || !check_kind(c, v, at, VALUE_OBJECT, "an object"))
        return;
    check_rules(c, rules, builtin, v, at);
    if (builtin <= BUILTIN_KUBERNETES_OWNER && c->out->len == before)
        check_forms(c, &rule, v, at);
}

/* An owner that is given by id must be of the type that owns this kind. */
static void check_owner_id(struct checking *c, const struct reference_rule *rule,
                           const struct value *v, const struct trail *at)
{
    const struct value *id = value_get(v, STR("armId"));
    const struct model_resource *owner;
    AUTO_ERR e = {0};

    if (!value_is(id, VALUE_STRING) || !rule->kind.len)
        return;
    struct trail here = check_step(at, STR("armId"));
    if (!model_find_hub(c->model, rule->group, rule->kind, &owner, &e) ||
        !arm_id_check_type(c->arena, value_str(id), owner->arm_type, &e))
        add_error(c, id, &here, &e);
}

void check_owner(struct checking *c, const struct value *v, const struct trail *at)
{
    struct reference_rule rule = owner_rule(c->resource);
    size_t before = c->out->len;

    if (!check_kind(c, v, at, VALUE_OBJECT, "an object"))
        return;
    if (members_of[rule.builtin])
        check_rules(c, members_of[rule.builtin], rule.builtin, v, at);
    if (c->out->len == before)
        check_forms(c, &rule, v, at);
    if (c->out->len == before)
        check_owner_id(c, &rule, v, at);
}
