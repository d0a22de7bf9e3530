/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flatten.c - replaces "properties" with its members.
 *
 * ARM wraps nearly all of a resource in an object called properties. In Kubernetes its members are
 * next to the others, with the path properties/x. This applies only to plain objects and to one
 * level; discriminated ones stay. The overlay lists exceptions both ways.
 */
#include "azure/derive/internal.h"

static bool is_wrapper(const struct derive *d, const struct member *m)
{
    return str_eq(m->name, STR("properties")) && m->type->kind == ARM_OBJECT &&
           m->type->prop_count > 0 && m->prefix.len == 0 &&
           !facts_have(&m->facts, FACT_NO_FLATTEN) &&
           !overlay_listed(d->group, LIST_NO_FLATTEN, m->holder, d->version);
}

bool flatten_member(struct derive *d, const struct member *m, struct found_list *found)
{
    if (!is_wrapper(d, m) && !facts_have(&m->facts, FACT_FLATTEN))
        return false;
    if (d->depth >= DERIVE_DEPTH_MAX) {
        derive_fail(d, "%.*s.%.*s: flattened more than %d deep", STR_ARG(m->holder),
                    STR_ARG(m->name), DERIVE_DEPTH_MAX);
        return true;
    }
    if (!derive_spend(d, m->type->prop_count))
        return true;
    const struct place at = {.holder = m->type->name, .prefix = derive_path(d, m), .root = m->root};
    d->depth++;
    for (size_t i = 0; i < m->type->prop_count; i++)
        derive_member(d, &at, &m->type->props[i], found);
    d->depth--;
    return true;
}
