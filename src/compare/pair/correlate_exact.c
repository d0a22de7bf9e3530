/* SPDX-License-Identifier: Apache-2.0 */
/* correlate_exact.c - the correlator for pairs of object ids and templates set by the user. */
#include "compare/pair/correlate_internal.h"
#include "compare/input/object_internal.h"

struct exact {
    struct correlator base;
    const struct map *pairs; /* id to size_t */
};

static bool find_exact(const struct correlator *c, const struct object *o, const size_t **found,
                       size_t *count)
{
    const struct exact *x = (const struct exact *)c;

    *found = map_get(x->pairs, o->id);
    *count = *found ? 1 : 0;
    return *found != NULL;
}

static str reason_exact(const struct correlator *c, struct arena *a, const struct object *o)
{
    (void)c;
    (void)a;
    (void)o;
    return STR("the user paired it with the object");
}

struct correlator *correlate_exact(struct arena *a, const struct map *pairs)
{
    struct exact *x = ARENA_NEW(a, struct exact);

    x->base.find = find_exact;
    x->base.reason = reason_exact;
    x->pairs = pairs;
    return &x->base;
}
