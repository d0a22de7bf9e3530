/* SPDX-License-Identifier: Apache-2.0 */
/*
 * variants.c - discriminated objects.
 *
 * There is one optional property per variant, of which at most one is set; in ARM its members are
 * at the level of the object itself. A variant has the common properties and its own.
 */
#include "azure/derive/internal.h"

/* Standard members of a resource body: the name moves up, the rest cannot be set by users. */
static bool leaves_variant(const struct derive *d, str name)
{
    if (str_eq(name, STR("name")) || str_eq(name, STR("apiVersion")))
        return true;
    return d->side == SIDE_SPEC && (str_eq(name, STR("id")) || str_eq(name, STR("type")));
}

static void add_variant_prop(const struct derive *d, const struct arm_prop *p, bool root,
                             struct arm_prop *props, size_t *count)
{
    if (!root || !leaves_variant(d, p->name))
        props[(*count)++] = *p;
}

/* The common properties, overridden by the variant's own, then the variant's other properties. */
static struct arm_type merge_variant(struct derive *d, const struct arm_type *base,
                                     const struct arm_type *variant, bool root)
{
    struct arm_type merged = *variant;
    struct arm_prop *props =
        ARENA_ARRAY(d->arena, struct arm_prop, base->prop_count + variant->prop_count);
    size_t count = 0;

    for (size_t i = 0; i < base->prop_count; i++) {
        const struct arm_prop *own = arm_prop_find(variant, base->props[i].name);
        add_variant_prop(d, own ? own : &base->props[i], root, props, &count);
    }
    for (size_t i = 0; i < variant->prop_count; i++)
        if (!arm_prop_find(base, variant->props[i].name))
            add_variant_prop(d, &variant->props[i], root, props, &count);
    merged.props = props;
    merged.prop_count = count;
    return merged;
}

static bool is_dropped(struct derive *d, const struct arm_type *t, str value)
{
    str name = str_concat(d->arena, STR("="), value);
    const struct facts facts = overlay_facts(d->group, t->name, name, d->version, d->side);

    if (!facts_have(&facts, FACT_DROP))
        return false;
    derive_note(d, NOTE_DROPPED, t->name, name, "overlay: drop");
    return true;
}

/* The name of the type of a variant, or empty. */
static str derive_variant(struct derive *d, const struct arm_type *t,
                          const struct arm_type *variant, bool root)
{
    const struct arm_type merged = merge_variant(d, t, variant, root);
    struct value *type = derive_object(d, &merged, false, false);

    if (!type)
        return STR_NONE;
    str name = name_identifier(d->arena, variant->name, true);
    if (d->side == SIDE_STATUS)
        name = str_concat(d->arena, name, STR("_STATUS"));
    return derive_put(d, d->types, name, type);
}

static void add_variant(struct derive *d, str name, str type, str value, struct value *props,
                        struct value *values)
{
    struct value *prop = derive_prop(d, str_concat(d->arena, STR("@"), type));

    value_set_str(d->arena, prop, STR("a"), STR(""));
    value_set_str(d->arena, prop, STR("role"), STR("variant"));
    derive_set(d, props, name, prop);
    value_set_str(d->arena, values, name, value);
}

static void derive_all_variants(struct derive *d, const struct arm_type *t, bool root,
                                struct value *props, struct value *values)
{
    const struct facts facts =
        overlay_facts(d->group, t->name, t->discriminator, d->version, d->side);

    for (size_t i = 0; i < t->element_count; i++) {
        const struct arm_type *variant = arm_type_at(d->file, t->elements[i].type);
        str value = t->elements[i].name;
        if (is_dropped(d, t, value) || !derive_spend(d, t->prop_count + variant->prop_count))
            continue;
        str type = derive_variant(d, t, variant, root);
        str from = facts_have(&facts, FACT_BY_TYPE) ? variant->name : value;
        if (type.len)
            add_variant(d, name_identifier(d->arena, from, false), type, value, props, values);
    }
}

struct value *derive_variants(struct derive *d, const struct arm_type *t, bool root)
{
    struct value *props = value_object(d->arena), *values = value_object(d->arena);

    derive_all_variants(d, t, root, props, values);
    if (value_len(props) == 0)
        return NULL;
    if (root && d->side == SIDE_STATUS)
        value_set(d->arena, props, STR("name"), derive_prop(d, STR("string")));
    struct value *one_of = value_object(d->arena), *type = value_object(d->arena);
    value_set_str(d->arena, one_of, STR("disc"), t->discriminator);
    value_set(d->arena, one_of, STR("vals"), values);
    value_set(d->arena, type, STR("props"), props);
    value_set(d->arena, type, STR("oneOf"), one_of);
    return type;
}
