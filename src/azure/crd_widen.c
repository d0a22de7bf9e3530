/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crd_widen.c - makes the stored version accept everything that the other versions accept.
 *
 * Without a conversion webhook an API server stores every object in one version. Fields that the
 * schema of that version lacks are dropped, and values that it forbids make every later write of
 * the object fail. So the stored version has the fields of all versions, and is never stricter than
 * any of them:
 *
 *   enum                  the union; none when one version has none
 *   required              the intersection
 *   limits                the loosest; none when one version has none
 *   pattern, multipleOf   kept while all versions agree
 *   type                  integer and number make number; other disagreements keep anything
 *
 * Objects are checked in the version they are sent in, and by azure/check.h.
 */
#include "azure/crd_internal.h"

#define PRESERVE STR("x-kubernetes-preserve-unknown-fields")

/* The members of a schema that define structure; the rest only restricts values. */
static const char *const structure[] = {
    "type",
    "properties",
    "additionalProperties",
    "items",
    "x-kubernetes-preserve-unknown-fields",
    "description",
};

/* The structure of a schema, without restrictions on values. */
static struct value *loosened(struct arena *a, const struct value *schema)
{
    struct value *loose = value_object(a);

    for (size_t i = 0; i < COUNT(structure); i++) {
        str name = str_c(structure[i]);
        const struct value *member = value_get(schema, name);
        if (!member)
            continue;
        if (str_eq(name, STR("properties"))) {
            struct value *props = value_object(a);
            for (size_t j = 0; j < member->len; j++)
                value_set(a, props, value_key(&member->items[j]), loosened(a, &member->items[j]));
            value_set(a, loose, name, props);
        } else if (value_is(member, VALUE_OBJECT)) {
            value_set(a, loose, name, loosened(a, member));
        } else {
            value_set(a, loose, name, member);
        }
    }
    return loose;
}

/* ---- Restrictions on values. ---- */

static bool has_equal(const struct value *list, const struct value *v)
{
    for (size_t i = 0; i < value_len(list); i++)
        if (value_equal(&list->items[i], v))
            return true;
    return false;
}

/* Merges both lists, or removes the list. */
static void widen_enum(struct arena *a, struct value *schema, const struct value *other)
{
    const struct value *mine = value_get(schema, STR("enum")),
                       *theirs = value_get(other, STR("enum"));

    if (!mine)
        return;
    if (!theirs) {
        value_unset(schema, STR("enum"));
        return;
    }
    struct value *both = value_clone(a, mine);
    for (size_t i = 0; i < theirs->len; i++)
        if (!has_equal(mine, &theirs->items[i]))
            value_add(a, both, &theirs->items[i]);
    value_set(a, schema, STR("enum"), both);
}

static void widen_required(struct arena *a, struct value *schema, const struct value *other)
{
    const struct value *mine = value_get(schema, STR("required"));
    const struct value *theirs = value_get(other, STR("required"));
    struct value *both = value_list(a);

    for (size_t i = 0; i < value_len(mine); i++)
        if (has_equal(theirs, &mine->items[i]))
            value_add(a, both, &mine->items[i]);
    if (both->len)
        value_set(a, schema, STR("required"), both);
    else
        value_unset(schema, STR("required"));
}

/* Limits, and whether a smaller or a larger number is looser; 0: only the same is. */
static const struct {
    const char *name;
    int looser;
} limits[] = {
    {"minimum", -1}, {"minLength", -1}, {"minItems", -1},  {"maximum", 1}, {"maxLength", 1},
    {"maxItems", 1}, {"pattern", 0},    {"multipleOf", 0}, {"format", 0},
};

static void widen_limits(struct arena *a, struct value *schema, const struct value *other)
{
    for (size_t i = 0; i < COUNT(limits); i++) {
        str name = str_c(limits[i].name);
        const struct value *mine = value_get(schema, name), *theirs = value_get(other, name);
        if (!mine || (theirs && value_equal(mine, theirs)))
            continue;
        if (!theirs || !limits[i].looser)
            value_unset(schema, name);
        else if (value_compare(theirs, mine) * limits[i].looser > 0)
            value_set(a, schema, name, theirs);
    }
}

/* ---- Structure. ------------------------------------------------------------------------------ */

/* Keeps anything, because the versions disagree about the structure. */
static void keep_all(struct arena *a, struct value *schema, const struct value *other)
{
    static const char *const parts[] = {"properties", "additionalProperties", "items", "required",
                                        "enum"};

    for (size_t i = 0; i < COUNT(parts); i++)
        value_unset(schema, str_c(parts[i]));
    for (size_t i = 0; i < COUNT(limits); i++)
        value_unset(schema, str_c(limits[i].name));
    if (!str_eq(value_get_str(schema, STR("type")), value_get_str(other, STR("type"))))
        value_unset(schema, STR("type"));
    value_set_bool(a, schema, PRESERVE, true);
}

/* Whether one type can hold values of both; if so, it becomes the schema's type. */
static bool widen_type(struct arena *a, struct value *schema, const struct value *other)
{
    str mine = value_get_str(schema, STR("type")), theirs = value_get_str(other, STR("type"));
    bool number = str_eq(mine, STR("number")) && str_eq(theirs, STR("integer"));

    if (str_eq(mine, STR("integer")) && str_eq(theirs, STR("number"))) {
        value_set_str(a, schema, STR("type"), theirs);
        number = true;
    }
    return number || str_eq(mine, theirs);
}

static void widen_properties(struct arena *a, struct value *into, const struct value *other)
{
    for (size_t i = 0; i < other->len; i++) {
        str name = value_key(&other->items[i]);
        struct value *known = value_get(into, name);
        if (known)
            crd_widen(a, known, &other->items[i]);
        else
            value_set(a, into, name, loosened(a, &other->items[i]));
    }
}

void crd_widen(struct arena *a, struct value *schema, const struct value *other)
{
    static const char *const parts[] = {"properties", "additionalProperties", "items"};
    bool fits = true;

    if (value_equal(schema, other))
        return;
    for (size_t i = 0; i < COUNT(parts); i++)
        fits = fits && !value_get(schema, str_c(parts[i])) == !value_get(other, str_c(parts[i]));
    if (!fits || value_get(schema, PRESERVE) || value_get(other, PRESERVE) ||
        !widen_type(a, schema, other)) {
        keep_all(a, schema, other);
        return;
    }
    widen_enum(a, schema, other);
    widen_required(a, schema, other);
    widen_limits(a, schema, other);
    if (value_get(schema, STR("properties")))
        widen_properties(a, value_get(schema, STR("properties")),
                         value_get(other, STR("properties")));
    for (size_t i = 1; i < COUNT(parts); i++)
        if (value_get(schema, str_c(parts[i])))
            crd_widen(a, value_get(schema, str_c(parts[i])), value_get(other, str_c(parts[i])));
}
