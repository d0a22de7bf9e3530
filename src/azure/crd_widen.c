/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crd_widen.c - room in the stored version for what only other versions have.
 *
 * An API server without a conversion webhook stores every object in one version, and drops what the
 * schema of that version does not have: a field that only a preview knows would be lost on its way
 * to the disk. So the stored version's schema takes in the fields of the others, without their
 * enums, limits and required lists: those are checked in the version that an object is sent in.
 */
#include "azure/crd_internal.h"

#define PRESERVE STR("x-kubernetes-preserve-unknown-fields")

/* The members of a schema that say how values are built; the rest only refuses some. */
static const char *const structure[] = {
    "type",
    "properties",
    "additionalProperties",
    "items",
    "x-kubernetes-preserve-unknown-fields",
    "description",
};

/* The structure of a schema, without what refuses values. */
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

/* Whether values of this schema hold further values. */
static bool is_deep(const struct value *schema)
{
    return value_get(schema, STR("properties")) || value_get(schema, STR("additionalProperties")) ||
           value_get(schema, STR("items")) || value_get(schema, PRESERVE);
}

/* Keeps whatever stands there: the versions disagree about how it is built. */
static void keep_all(struct arena *a, struct value *schema, const struct value *other)
{
    static const char *const parts[] = {"properties", "additionalProperties", "items", "required"};

    for (size_t i = 0; i < COUNT(parts); i++)
        value_unset(schema, str_c(parts[i]));
    if (!str_eq(value_get_str(schema, STR("type")), value_get_str(other, STR("type"))))
        value_unset(schema, STR("type"));
    value_set_bool(a, schema, PRESERVE, true);
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

    if (value_get(schema, PRESERVE) || (!is_deep(schema) && !is_deep(other)))
        return;
    for (size_t i = 0; i < COUNT(parts); i++) {
        struct value *mine = value_get(schema, str_c(parts[i]));
        const struct value *theirs = value_get(other, str_c(parts[i]));
        if (!mine != !theirs) {
            keep_all(a, schema, other);
            return;
        }
    }
    if (value_get(other, PRESERVE))
        keep_all(a, schema, other);
    else if (value_get(schema, STR("properties")))
        widen_properties(a, value_get(schema, STR("properties")),
                         value_get(other, STR("properties")));
    else
        for (size_t i = 1; i < COUNT(parts); i++)
            if (value_get(schema, str_c(parts[i])))
                crd_widen(a, value_get(schema, str_c(parts[i])), value_get(other, str_c(parts[i])));
}
