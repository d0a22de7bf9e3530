/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object.c - converts an object type to a model type: its members, one pass after the other.
 */
#include "azure/derive/internal.h"

/* The passes that give a property of the spec its role, first come, first served. */
static role_fn *const roles[] = {
    role_reference, role_identities, role_secret_map, role_config, role_pair, role_secret,
};

struct value *derive_prop(struct derive *d, str t)
{
    struct value *prop = value_object(d->arena);

    value_set_str(d->arena, prop, STR("t"), t);
    return prop;
}

str derive_path(struct derive *d, const struct member *m)
{
    return m->prefix.len ? str_join(d->arena, (str[]){m->prefix, m->name}, 2, STR("/")) : m->name;
}

static bool is_collection(const struct value *prop)
{
    str t = value_get_str(prop, STR("t"));

    return str_has_prefix(t, STR("[]")) || str_has_prefix(t, STR("{}"));
}

/* Secrets are never returned anyway. */
static bool is_write_only(const struct derive *d, const struct member *m, const struct value *prop)
{
    str role = value_get_str(prop, STR("role"));

    return d->side == SIDE_SPEC && m->prop->flags & ARM_WRITE_ONLY &&
           !str_eq(role, STR("secret")) && !str_eq(role, STR("secretMap"));
}

void derive_add(struct derive *d, const struct member *m, str name, struct value *prop,
                struct found_list *found)
{
    str path = derive_path(d, m);

    if (!str_eq(path, name))
        value_set_str(d->arena, prop, STR("a"), path);
    if (m->required && !value_get(prop, STR("pair")))
        value_set_bool(d->arena, prop, STR("r"), true);
    if (d->side == SIDE_SPEC && d->group->explicit_collections && is_collection(prop) &&
        !value_get(prop, STR("role")))
        value_set_str(d->arena, prop, STR("empty"),
                      facts_have(&m->facts, FACT_KEEP_EMPTY) ? STR("keep") : STR("null"));
    if (is_write_only(d, m, prop))
        value_set_bool(d->arena, prop, STR("writeOnly"), true);
    VEC_PUSH(d->arena, &found->items,
             ((struct found){.id = name_identifier(d->arena, name, true),
                             .name = name,
                             .prop = prop,
                             .flat = m->prefix.len > 0}));
}

struct value *derive_plain(struct derive *d, const struct member *m)
{
    struct derived type = derive_type(d, m, m->type);
    const struct value *limits = m->facts.attr[ATTR_LIMITS];

    if (!type.t.len) {
        derive_note(d, NOTE_DROPPED, m->holder, m->prop->name, "nothing is left of its type");
        return NULL;
    }
    struct value *prop = derive_prop(d, type.t);
    if (!limits)
        limits = type.limits;
    if (d->side == SIDE_SPEC && value_len(limits) > 0)
        value_set(d->arena, prop, STR("v"), limits);
    return prop;
}

static void add_plain(struct derive *d, const struct member *m, struct found_list *found)
{
    const struct value *name = m->facts.attr[ATTR_NAME];
    struct value *prop = derive_plain(d, m);

    if (!prop)
        return;
    identify_elements(d, m, prop);
    propose_reference(d, m);
    propose_secret(d, m);
    derive_add(d, m, name ? value_str(name) : m->name, prop, found);
}

static bool is_required(const struct derive *d, const struct member *m)
{
    if (d->side != SIDE_SPEC)
        return false;
    if (facts_have(&m->facts, FACT_REQUIRED))
        return true;
    return m->prop->flags & ARM_REQUIRED && !facts_have(&m->facts, FACT_OPTIONAL);
}

void derive_member(struct derive *d, const struct place *at, const struct arm_prop *p,
                   struct found_list *found)
{
    struct member m = {
        .holder = at->holder,
        .prop = p,
        .type = arm_type_at(d->file, p->type),
        .facts = overlay_facts(d->group, at->holder, p->name, d->version, d->side),
        .name = p->name,
        .prefix = at->prefix,
        .root = at->root,
    };
    enum selection selection = select_member(d, &m);

    found->hidden = found->hidden || selection == SELECT_HIDDEN;
    if (selection != SELECT_TAKEN || flatten_member(d, &m, found))
        return;
    if (m.facts.attr[ATTR_ARM] && d->side == SIDE_SPEC)
        m.name = value_str(m.facts.attr[ATTR_ARM]);
    m.required = is_required(d, &m);
    for (size_t i = 0; d->side == SIDE_SPEC && i < COUNT(roles); i++)
        if (roles[i](d, &m, found))
            return;
    add_plain(d, &m, found);
}

/* ---- The object. ---- */

static void add_map(struct derive *d, str t, struct found_list *found)
{
    static const str name = STR_INIT("additionalProperties");

    VEC_PUSH(d->arena, &found->items,
             ((struct found){.id = STR("AdditionalProperties"),
                             .name = name,
                             .prop = derive_prop(d, str_concat(d->arena, STR("{}"), t))}));
}

/* Members that the type allows without naming them: a single map, sent under that name. */
static void add_additional(struct derive *d, const struct arm_type *t, struct found_list *found)
{
    static const struct arm_prop none = {.name = STR_INIT("additionalProperties")};
    const struct member m = {.holder = t->name, .name = none.name, .prop = &none};

    if (overlay_listed(d->group, LIST_ADDITIONAL, t->name, d->version)) {
        add_map(d, STR("json"), found);
        return;
    }
    if (t->item == ARM_NO_TYPE || t->prop_count == 0 ||
        overlay_listed(d->group, LIST_NO_ADDITIONAL, t->name, d->version))
        return;
    struct derived item = derive_type(d, &m, arm_type_at(d->file, t->item));
    if (item.t.len)
        add_map(d, item.t, found);
}

/* Identifiers that more than one property has. */
static struct map *find_collisions(struct arena *a, const struct found_list *found)
{
    struct map *once = map_new(a), *twice = map_new(a);

    for (size_t i = 0; i < found->items.len; i++) {
        str id = found->items.items[i].id;
        map_set(map_has(once, id) ? twice : once, id, once);
    }
    return twice;
}

/* A flattened member with the same name as an outer one is renamed. */
static str settle_name(struct derive *d, const struct map *collisions, struct found *f)
{
    str name = f->name;

    if (f->flat && map_has(collisions, f->id)) {
        name = str_lower(d->arena, str_concat(d->arena, STR("properties_"), f->id));
        if (!value_get(f->prop, STR("a")))
            value_set_str(d->arena, f->prop, STR("a"), f->name);
    }
    const struct value *path = value_get(f->prop, STR("a"));
    if (value_is(path, VALUE_STRING) && str_eq(value_str(path), name))
        value_unset(f->prop, STR("a"));
    return name;
}

void derive_set(struct derive *d, struct value *props, str name, const struct value *prop)
{
    if (value_get(props, name))
        derive_fail(d,
                    "two properties of the %s want to be called %.*s: give one of them another "
                    "name in the overlay, {\"name\":\"...\"}",
                    side_name(d->side), STR_ARG(name));
    value_set(d->arena, props, name, prop);
}

static struct value *finish_object(struct derive *d, struct found_list *found)
{
    if (found->items.len == 0 && !found->hidden)
        return NULL;
    struct value *type = value_object(d->arena);
    struct value *props = value_object(d->arena);
    const struct map *collisions = find_collisions(d->arena, found);
    for (size_t i = 0; i < found->items.len; i++) {
        struct found *f = &found->items.items[i];
        derive_set(d, props, settle_name(d, collisions, f), f->prop);
    }
    value_set(d->arena, type, STR("props"), props);
    return type;
}

/* The id of an object that exists only inside its parent is not the user's to set. */
static bool is_inner_id(const struct derive *d, const struct arm_type *t, const struct arm_prop *p)
{
    if (d->side != SIDE_SPEC || !str_eq(p->name, STR("id")))
        return false;
    const struct facts facts = overlay_facts(d->group, t->name, p->name, d->version, d->side);
    return !facts_have(&facts, FACT_KEEP);
}

struct value *derive_object(struct derive *d, const struct arm_type *t, bool root, bool expanded)
{
    const struct place at = {.holder = t->name, .root = root};
    struct found_list found = {0};

    if (!derive_spend(d, t->prop_count + 1))
        return NULL;
    if (t->kind == ARM_DISCRIMINATED)
        return derive_variants(d, t, root);
    VEC_PUSH(d->arena, &d->stack, t->index);
    for (size_t i = 0; i < t->prop_count; i++) {
        if (expanded && is_inner_id(d, t, &t->props[i]))
            derive_note(d, NOTE_DROPPED, t->name, STR("id"), "belongs to its parent");
        else
            derive_member(d, &at, &t->props[i], &found);
    }
    add_additional(d, t, &found);
    d->stack.len--;
    return finish_object(d, &found);
}
