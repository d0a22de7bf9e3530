/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roles.c - role definitions: the built-in ones, which exist at every scope under the same id, and
 * lists of them and of custom ones, filtered by name or kind:
 *
 *     GET {scope}/providers/Microsoft.Authorization/roleDefinitions?$filter=roleName eq 'Reader'
 *
 * The built-in ones are data ("roles" in api/sim/common.json). Services may have their own roles,
 * as children of their resources ("builtIn" of a type in api/sim).
 */
#include "sim/internal.h"

#define COLLECTION "/providers/Microsoft.Authorization/roleDefinitions"

struct filter {
    str name, kind; /* empty: any */
};

static struct value *role_value(struct sim_call *c, str scope, const struct value *role)
{
    struct arena *a = c->arena;
    struct value *v = value_object(a), *p = value_set(a, v, STR("properties"), value_object(a));
    struct value *scopes, *permission, *actions;

    value_set_str(a, p, STR("roleName"), value_str(role));
    value_set_str(a, p, STR("type"), STR("BuiltInRole"));
    value_set_str(a, p, STR("description"), value_str(role));
    scopes = value_set(a, p, STR("assignableScopes"), value_list(a));
    value_add(a, scopes, value_string(a, STR("/")));
    permission = value_add(a, value_set(a, p, STR("permissions"), value_list(a)), value_object(a));
    actions = value_set(a, permission, STR("actions"), value_list(a));
    value_add(a, actions, value_string(a, STR("*/read")));
    value_set(a, permission, STR("notActions"), value_list(a));
    value_set_str(a, v, STR("id"),
                  str_fmt(a, "%.*s" COLLECTION "/%.*s", STR_ARG(scope), STR_ARG(value_key(role))));
    value_set_str(a, v, STR("type"), STR("Microsoft.Authorization/roleDefinitions"));
    value_set_str(a, v, STR("name"), value_key(role));
    return v;
}

/* Built-in roles belong to the subscription, or the tenant, whatever scope is requested. */
static str scope_shown(struct sim_call *c)
{
    return c->id.subscription.len
               ? str_fmt(c->arena, "/subscriptions/%.*s", STR_ARG(c->id.subscription))
               : STR_NONE;
}

/* ---- Filters. ----------------------------------------------------------------------------------
 */

/* Parses NAME eq 'text'; a quote in the text is doubled. */
static bool read_clause(struct sim_call *c, str clause, struct filter *f)
{
    str name, rest;
    struct buf b = buf_new(c->arena, BUF_UNLIMITED);

    if (!str_cut(str_trim(clause), STR(" eq "), &name, &rest))
        return false;
    rest = str_trim(rest);
    if (rest.len < 2 || rest.ptr[0] != '\'' || rest.ptr[rest.len - 1] != '\'')
        return false;
    rest = str_slice(rest, 1, rest.len - 1);
    for (size_t i = 0; i < rest.len; i++) {
        buf_char(&b, rest.ptr[i]);
        i += rest.ptr[i] == '\'' && i + 1 < rest.len && rest.ptr[i + 1] == '\'';
    }
    if (str_eq_fold(str_trim(name), STR("roleName")))
        f->name = buf_str(&b);
    else if (str_eq_fold(str_trim(name), STR("type")))
        f->kind = buf_str(&b);
    else
        return false;
    return true;
}

static bool read_filter(struct sim_call *c, struct filter *f)
{
    str rest = sim_query(c, "$filter"), clause;

    while (rest.len) {
        str_cut(rest, STR(" and "), &clause, &rest);
        if (!str_eq_fold(str_trim(clause), STR("atScopeAndBelow()")) &&
            !read_clause(c, clause, f)) {
            sim_refuse(c, 400, "BadRequestFormat",
                       "The filter '%.*s' is not supported. Supported filters are roleName eq "
                       "'{value}', type eq '{value}' and atScopeAndBelow().",
                       STR_ARG(sim_query(c, "$filter")));
            return false;
        }
    }
    return true;
}

static bool passes(const struct filter *f, str name, str kind)
{
    return (!f->name.len || str_eq_fold(f->name, name)) &&
           (!f->kind.len || str_eq_fold(f->kind, kind));
}

/* ---- Reads. ------------------------------------------------------------------------------------
 */

static void add_built_in(struct sim_call *c, const struct filter *f, struct value *list)
{
    const struct value *roles = sim_types_roles(c->sim->types);

    for (size_t i = 0; i < value_len(roles); i++)
        if (passes(f, value_str(&roles->items[i]), STR("BuiltInRole")))
            value_add(c->arena, list, role_value(c, scope_shown(c), &roles->items[i]));
}

/* Adds custom roles, at exactly this scope. */
static void add_custom(struct sim_call *c, str scope, const struct filter *f, struct value *list)
{
    struct sim_resource *at = scope.len ? sim_find(c, scope) : sim_store_root(c->sim->store);

    for (struct sim_resource *r = at ? at->first : NULL; r; r = r->next) {
        if (!r->body.len || !str_eq_fold(r->type, STR("Microsoft.Authorization/roleDefinitions")))
            continue;
        struct value *shown = sim_show(c, r);
        str name = value_get_str(value_get(shown, STR("properties")), STR("roleName"));
        if (passes(f, name, STR("CustomRole")))
            value_add(c->arena, list, shown);
    }
}

static void list_roles(struct sim_call *c, str scope)
{
    struct filter f = {0};
    struct value *v = value_object(c->arena);
    struct value *list = value_set(c->arena, v, STR("value"), value_list(c->arena));

    if (!read_filter(c, &f))
        return;
    add_built_in(c, &f, list);
    add_custom(c, scope, &f, list);
    sim_reply(c, 200, v);
}

const struct value *sim_built_in(struct sim_call *c, const struct arm_id *id)
{
    const struct sim_type *type =
        sim_types_find(c->arena, c->sim->types, arm_id_type(c->arena, id));
    struct arm_id parent;

    for (size_t i = 0; i < value_len(type->built_in); i++)
        if (str_eq_fold(value_key(&type->built_in->items[i]), arm_id_name(id)) &&
            arm_id_parent(c->arena, id, &parent)) {
            const struct sim_resource *r = sim_find(c, arm_id_print(c->arena, &parent));
            return r && r->body.len ? &type->built_in->items[i] : NULL;
        }
    return NULL;
}

static bool reply_built_in(struct sim_call *c)
{
    const struct value *properties = c->id.block_count ? sim_built_in(c, &c->id) : NULL;
    struct value *v = value_object(c->arena);

    if (!properties)
        return false;
    value_set_str(c->arena, v, STR("id"), arm_id_print(c->arena, &c->id));
    value_set_str(c->arena, v, STR("name"), value_key(properties));
    value_set_str(c->arena, v, STR("type"), c->type);
    value_set(c->arena, v, STR("properties"), properties);
    sim_reply(c, 200, v);
    return true;
}

bool sim_role(struct sim_call *c)
{
    str path = str_concat(c->arena, STR("/"), str_trim_set(c->q->path, STR("/")));
    str lower = str_lower(c->arena, path), collection = str_lower(c->arena, STR(COLLECTION));
    size_t at = str_find(lower, collection);
    const struct value *roles = sim_types_roles(c->sim->types);

    if (!str_eq(c->q->method, STR("GET")))
        return false;
    if (at == STR_NPOS)
        return reply_built_in(c);
    str rest = str_from(lower, at + collection.len);
    if (!rest.len) {
        list_roles(c, str_slice(path, 0, at));
        return true;
    }
    for (size_t i = 0; i < value_len(roles); i++)
        if (str_eq_fold(str_from(rest, 1), value_key(&roles->items[i]))) {
            sim_reply(c, 200, role_value(c, scope_shown(c), &roles->items[i]));
            return true;
        }
    return false;
}
