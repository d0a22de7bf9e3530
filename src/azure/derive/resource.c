/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resource.c - derives one kind in one version: its spec, its status and its row.
 *
 * Besides ARM's properties, a spec has azureName (unless all have the same name), owner (unless
 * there is none) and operatorSpec; a status has conditions.
 */
#include "azure/derive/internal.h"

/* Appends the members of from to object. */
static void add_members(struct arena *a, struct value *object, const struct value *from)
{
    for (size_t i = 0; i < value_len(from); i++)
        value_set(a, object, value_key(&from->items[i]), &from->items[i]);
}

static struct value *role_prop(struct derive *d, str t, str role)
{
    struct value *prop = derive_prop(d, t);

    value_set_str(d->arena, prop, STR("role"), role);
    return prop;
}

/* ---- operatorSpec. ---- */

static struct value *destinations(struct derive *d, const struct value *names, str builtin)
{
    struct value *props = value_object(d->arena), *type = value_object(d->arena);

    for (size_t i = 0; i < value_len(names); i++) {
        const struct value *v = &names->items[i];
        str name = value_is(names, VALUE_LIST) ? value_str(v) : value_key(v);
        value_set(d->arena, props, name, role_prop(d, builtin, STR("operator")));
    }
    value_set(d->arena, type, STR("props"), props);
    return type;
}

/* configMaps and secrets: where exported values go. */
static void add_destinations(struct derive *d, struct value *props, const char *option,
                             const char *builtin, const char *suffix)
{
    const struct value *names = overlay_option(d->kind, d->version, str_c(option));

    if (value_len(names) == 0)
        return;
    str type = derive_put(d, d->types, str_concat(d->arena, d->kind->name, str_c(suffix)),
                          destinations(d, names, str_c(builtin)));
    value_set(d->arena, props, str_c(option), derive_prop(d, str_concat(d->arena, STR("@"), type)));
}

static struct value *operator_prop(struct derive *d)
{
    struct value *props = value_object(d->arena), *type = value_object(d->arena);
    static const str expressions = STR_INIT("[]#DestinationExpression");

    add_destinations(d, props, "configMaps", "#ConfigMapDestination", "OperatorConfigMaps");
    add_destinations(d, props, "secrets", "#SecretDestination", "OperatorSecrets");
    value_set(d->arena, props, STR("configMapExpressions"),
              role_prop(d, expressions, STR("operator")));
    value_set(d->arena, props, STR("secretExpressions"),
              role_prop(d, expressions, STR("operator")));
    add_members(d->arena, props, overlay_option(d->kind, d->version, STR("operatorSpec")));
    value_set(d->arena, type, STR("props"), props);
    str name =
        derive_put(d, d->types, str_concat(d->arena, d->kind->name, STR("OperatorSpec")), type);
    return role_prop(d, str_concat(d->arena, STR("@"), name), STR("operatorSpec"));
}

/* ---- Spec and status. ---- */

static void add_name(struct derive *d, const struct arm_resource *r, struct value *props)
{
    const struct arm_prop *name = arm_prop_find(r->body, STR("name"));
    struct value *prop = role_prop(d, STR("string"), STR("azureName"));

    if (name) {
        struct value *limits =
            derive_limits(d, arm_type_at(r->file, name->type), r->body->name, STR("name"));
        if (value_len(limits))
            value_set(d->arena, prop, STR("v"), limits);
    }
    derive_set(d, props, STR("azureName"), prop);
    if (!value_is_true(overlay_option(d->kind, d->version, STR("azureNameFromConfig"))))
        return;
    prop = role_prop(d, STR("#ConfigMapReference"), STR("azureNameFromConfig"));
    value_set(d->arena, prop, STR("a"), value_null(d->arena));
    derive_set(d, props, STR("azureNameFromConfig"), prop);
}

static void add_owner(struct derive *d, const struct scope *s, struct value *props)
{
    if (!s->owner_ref)
        return;
    struct value *prop =
        role_prop(d, str_concat(d->arena, STR("#"), str_c(s->owner_ref)), STR("owner"));
    value_set_bool(d->arena, prop, STR("r"), true);
    derive_set(d, props, STR("owner"), prop);
}

/* ARM's properties, as an object to add to; *body is the type that has them. */
static struct value *derive_body(struct derive *d, const struct arm_resource *r, enum side side,
                                 struct value **body)
{
    struct value *props = value_object(d->arena);

    d->side = side;
    *body = derive_object(d, r->body, true, false);
    if (!*body)
        *body = value_object(d->arena);
    add_members(d->arena, props, value_get(*body, STR("props")));
    return props;
}

static str derive_spec(struct derive *d, const struct arm_resource *r, const struct scope *s)
{
    struct value *body, *props = derive_body(d, r, SIDE_SPEC, &body);

    if (!s->fixed)
        add_name(d, r, props);
    derive_set(d, props, STR("operatorSpec"), operator_prop(d));
    add_owner(d, s, props);
    value_set(d->arena, body, STR("props"), props);
    return derive_put(d, d->types, str_concat(d->arena, d->kind->name, STR("_Spec")), body);
}

static str derive_status(struct derive *d, const struct arm_resource *r)
{
    struct value *body, *props = derive_body(d, r, SIDE_STATUS, &body);

    derive_set(d, props, STR("conditions"), role_prop(d, STR("[]#Condition"), STR("conditions")));
    value_set(d->arena, body, STR("props"), props);
    return derive_put(d, d->types, str_concat(d->arena, d->kind->name, STR("_STATUS")), body);
}

void derive_resource(struct derive *d, const struct overlay_kind *k, const struct arm_resource *r)
{
    d->kind = k;
    d->file = r->file;
    d->depth = 0;
    d->stack.len = 0;
    d->round++;
    if (d->memo_count < r->file->count) {
        d->memo = ARENA_ARRAY(d->arena, struct memo, r->file->count * 4);
        d->memo_count = r->file->count;
    }
    const struct scope scope = derive_scope(d, k, r);
    if (d->failed)
        return;
    str spec = derive_spec(d, r, &scope);
    str status = derive_status(d, r);
    value_set(d->arena, d->resources, k->name, derive_row(d, r, &scope, spec, status));
}
