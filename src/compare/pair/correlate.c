/* SPDX-License-Identifier: Apache-2.0 */
/* correlate.c - chains of correlators: the first one that finds something is used. */
#include "compare/pair/correlate_internal.h"
#include "compare/input/object_internal.h"

struct multi {
    struct correlator base;
    struct correlator *const *chain;
    size_t count;
};

static bool find_multi(const struct correlator *c, const struct object *o, const size_t **found,
                       size_t *count)
{
    const struct multi *m = (const struct multi *)c;

    for (size_t i = 0; i < m->count; i++)
        if (m->chain[i]->find(m->chain[i], o, found, count))
            return true;
    return false;
}

static str reason_multi(const struct correlator *c, struct arena *a, const struct object *o)
{
    const struct multi *m = (const struct multi *)c;
    const size_t *found;
    size_t count;

    for (size_t i = 0; i < m->count; i++)
        if (m->chain[i]->find(m->chain[i], o, &found, &count))
            return m->chain[i]->reason(m->chain[i], a, o);
    return STR_NONE;
}

struct correlator *correlate_multi(struct arena *a, struct correlator *const *chain, size_t count)
{
    struct multi *m = ARENA_NEW(a, struct multi);
    struct correlator **copy = ARENA_ARRAY(a, struct correlator *, count);

    for (size_t i = 0; i < count; i++)
        copy[i] = chain[i];
    m->base.find = find_multi;
    m->base.reason = reason_multi;
    m->chain = copy;
    m->count = count;
    return &m->base;
}
