/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select.c - decides which properties to keep.
 *
 * The spec has what a PUT accepts, the status what a GET returns. Users cannot set the standard
 * members of a resource (id, name, type, apiVersion); secrets are never returned.
 */
#include "azure/derive/internal.h"

static enum selection dropped(struct derive *d, const struct member *m, const char *why)
{
    derive_note(d, NOTE_DROPPED, m->holder, m->name, why);
    return SELECT_DROPPED;
}

static bool is_standard(const struct member *m)
{
    return str_eq(m->name, STR("id")) || str_eq(m->name, STR("name")) ||
           str_eq(m->name, STR("type"));
}

static enum selection select_spec(struct derive *d, const struct member *m, bool top)
{
    if (m->prop->flags & ARM_READ_ONLY)
        return dropped(d, m, "read-only");
    if (top && is_standard(m))
        return dropped(d, m, "standard member");
    return SELECT_TAKEN;
}

static enum selection select_status(struct derive *d, const struct member *m)
{
    if (secret_member(m)) {
        dropped(d, m, "secret");
        return SELECT_HIDDEN;
    }
    if (facts_have(&m->facts, FACT_HIDE)) {
        dropped(d, m, "overlay: hide");
        return SELECT_HIDDEN;
    }
    if (m->prop->flags & ARM_WRITE_ONLY)
        return dropped(d, m, "write-only");
    return SELECT_TAKEN;
}

enum selection select_member(struct derive *d, const struct member *m)
{
    bool top = m->root && m->prefix.len == 0;

    if (facts_have(&m->facts, FACT_DROP))
        return dropped(d, m, "overlay: drop");
    if (facts_have(&m->facts, FACT_KEEP))
        return SELECT_TAKEN;
    if (top && str_eq(m->name, STR("apiVersion")))
        return dropped(d, m, "standard member");
    return d->side == SIDE_SPEC ? select_spec(d, m, top) : select_status(d, m);
}
