/* SPDX-License-Identifier: Apache-2.0 */
/*
 * property_types.c - types of properties and their validation.
 *
 * Model type strings: string int float bool json, @Type, %Enum, ~Scalar, with the prefixes [] and
 * {}. The status has no validation and no enums, so that unexpected responses can be stored.
 */
#include "azure/derive/internal.h"
#include "regex/regex.h"

#include <stdlib.h>

static const struct derived nothing = {0};

/* ---- Validation. ---- */

static const char uuid_begin[] = "^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}";
static const char uuid_pattern[] = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$";

/* CRDs use Go's regular expressions: no look-around, no back-references. */
static bool pattern_works(struct derive *d, str pattern)
{
    static char yes, no;
    const void *known = map_get(d->world->patterns, pattern);

    if (!known) {
        AUTO_ARENA a = arena_new();
        struct regex *r;
        known = regex_compile(a, pattern, &r, NULL) ? &yes : &no;
        map_set(d->world->patterns, pattern, (void *)(uintptr_t)known);
    }
    return known == &yes;
}

static bool is_uuid(const struct arm_type *t)
{
    int64_t length;

    return str_has_prefix(t->pattern, str_c(uuid_begin)) && value_to_i64(t->min, &length) &&
           length == 36;
}

static void set_limit(struct derive *d, struct value *limits, const char *key,
                      const struct value *limit)
{
    if (limit)
        value_set(d->arena, limits, str_c(key), limit);
}

/* The limits of a string: pattern and lengths. */
static void limit_string(struct derive *d, const struct arm_type *t, str holder, str prop,
                         struct value *limits)
{
    if (is_uuid(t)) {
        value_set_str(d->arena, limits, STR("pattern"), str_c(uuid_pattern));
        return;
    }
    if (t->pattern.len && pattern_works(d, t->pattern))
        value_set_str(d->arena, limits, STR("pattern"), t->pattern);
    else if (t->pattern.len)
        derive_note(d, NOTE_CHANGED, holder, prop, "its pattern cannot be used in a CRD");
    set_limit(d, limits, "minLen", t->min);
    set_limit(d, limits, "maxLen", t->max);
}

struct value *derive_limits(struct derive *d, const struct arm_type *t, str holder, str prop)
{
    struct value *limits = value_object(d->arena);

    if (t->kind == ARM_STRING) {
        limit_string(d, t, holder, prop, limits);
    } else if (t->kind == ARM_INT) {
        set_limit(d, limits, "min", t->min);
        set_limit(d, limits, "max", t->max);
    } else if (t->kind == ARM_ARRAY) {
        set_limit(d, limits, "minItems", t->min);
        set_limit(d, limits, "maxItems", t->max);
    }
    return limits;
}

/* ---- One function per kind. ---- */

static struct derived derive_text(struct derive *d, const struct member *m,
                                  const struct arm_type *t)
{
    bool limited = d->side == SIDE_SPEC;

    return (struct derived){.t = STR("string"),
                            .limits = limited ? derive_limits(d, t, m->holder, m->name) : NULL};
}

static struct derived derive_int(struct derive *d, const struct member *m, const struct arm_type *t)
{
    bool is_float = facts_have(&m->facts, FACT_FLOAT);

    return (struct derived){.t = is_float ? STR("float") : STR("int"),
                            .limits = derive_limits(d, t, m->holder, m->name)};
}

static struct derived derive_bool(struct derive *d, const struct member *m,
                                  const struct arm_type *t)
{
    (void)d;
    (void)m;
    (void)t;
    return (struct derived){.t = STR("bool")};
}

static struct derived derive_any(struct derive *d, const struct member *m, const struct arm_type *t)
{
    (void)d;
    (void)t;
    return (struct derived){.t = facts_have(&m->facts, FACT_MAP) ? STR("{}json") : STR("json")};
}

static struct derived put_enum(struct derive *d, const struct member *m, struct value *values)
{
    str name = derive_put(d, d->enums, name_below(d->arena, m->holder, m->name), values);

    return (struct derived){.t = str_concat(d->arena, STR("%"), name)};
}

static struct value *sorted_list(struct arena *a, str *texts, size_t count)
{
    struct value *list = value_list(a);

    if (count)
        qsort(texts, count, sizeof(*texts), overlay_compare_texts);
    for (size_t i = 0; i < count; i++)
        value_add(a, list, value_string(a, texts[i]));
    return list;
}

static struct derived derive_literal(struct derive *d, const struct member *m,
                                     const struct arm_type *t)
{
    str value = t->name;

    if (d->side == SIDE_STATUS || facts_have(&m->facts, FACT_STRING))
        return (struct derived){.t = STR("string")};
    return put_enum(d, m, sorted_list(d->arena, &value, 1));
}

/*
 * Literals become an enum, whether or not the union is open; a union of anything else is
 * unrestricted.
 */
static struct derived derive_union(struct derive *d, const struct member *m,
                                   const struct arm_type *t)
{
    str *literals = ARENA_ARRAY(d->arena, str, t->element_count);
    size_t count = 0;

    for (size_t i = 0; i < t->element_count; i++) {
        const struct arm_type *element = arm_type_at(d->file, t->elements[i].type);
        if (element->kind == ARM_LITERAL) {
            literals[count++] = element->name;
        } else if (element->kind != ARM_STRING) {
            derive_note(d, NOTE_CHANGED, m->holder, m->name, "a union of different things");
            return (struct derived){.t = STR("json")};
        }
    }
    if (d->side == SIDE_STATUS || facts_have(&m->facts, FACT_STRING) || count == 0)
        return (struct derived){.t = STR("string")};
    return put_enum(d, m, sorted_list(d->arena, literals, count));
}

/* A validated element type has a name of its own. */
static str limited_item(struct derive *d, const struct member *m, const struct derived *item)
{
    if (value_len(item->limits) == 0 || d->side == SIDE_STATUS ||
        facts_have(&m->facts, FACT_NO_ITEM_LIMITS))
        return item->t;
    struct value *scalar = derive_prop(d, item->t);
    value_set(d->arena, scalar, STR("v"), item->limits);
    str name = derive_put(d, d->scalars, name_below(d->arena, m->holder, m->name), scalar);
    return str_concat(d->arena, STR("~"), name);
}

static struct derived derive_array(struct derive *d, const struct member *m,
                                   const struct arm_type *t)
{
    struct derived item = derive_type(d, m, arm_type_at(d->file, t->item));

    if (!item.t.len)
        return nothing;
    return (struct derived){.t = str_concat(d->arena, STR("[]"), limited_item(d, m, &item)),
                            .limits = derive_limits(d, t, m->holder, m->name)};
}

static struct derived derive_map(struct derive *d, const struct member *m, const struct arm_type *t)
{
    if (t->item == ARM_NO_TYPE)
        return nothing;
    struct derived item = derive_type(d, m, arm_type_at(d->file, t->item));
    if (!item.t.len)
        return nothing;
    return (struct derived){.t = str_concat(d->arena, STR("{}"), item.t)};
}

static struct derived derive_structure(struct derive *d, const struct member *m,
                                       const struct arm_type *t)
{
    if (t->kind == ARM_OBJECT && t->prop_count == 0)
        return derive_map(d, m, t);
    str name = derive_named(d, t);
    if (!name.len)
        return nothing;
    return (struct derived){.t = str_concat(d->arena, STR("@"), name)};
}

static struct derived derive_unknown(struct derive *d, const struct member *m,
                                     const struct arm_type *t)
{
    (void)t;
    derive_note(d, NOTE_UNKNOWN, m->holder, m->name, "its type is of a kind that is not known");
    return nothing;
}

typedef struct derived type_fn(struct derive *d, const struct member *m, const struct arm_type *t);

static type_fn *const by_kind[] = {
    [ARM_UNKNOWN] = derive_unknown,  [ARM_ANY] = derive_any,
    [ARM_ARRAY] = derive_array,      [ARM_BOOL] = derive_bool,
    [ARM_FUNCTION] = derive_unknown, [ARM_DISCRIMINATED] = derive_structure,
    [ARM_INT] = derive_int,          [ARM_LITERAL] = derive_literal,
    [ARM_OBJECT] = derive_structure, [ARM_RESOURCE] = derive_unknown,
    [ARM_STRING] = derive_text,      [ARM_UNION] = derive_union,
};

struct derived derive_type(struct derive *d, const struct member *m, const struct arm_type *t)
{
    const struct value *type = m->facts.attr[ATTR_TYPE];
    const struct value *values = m->facts.attr[ATTR_ENUM];

    if (type)
        return (struct derived){.t = value_str(type)};
    if (values && d->side == SIDE_SPEC && t->kind != ARM_ARRAY)
        return put_enum(d, m, value_clone(d->arena, values));
    return by_kind[t->kind](d, m, t);
}
