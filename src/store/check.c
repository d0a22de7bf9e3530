/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - checks that memory keeps the invariants of README.md. persist.c compares it with the
 * file.
 *
 * Everything is visited once, so the time is proportional to the amount of data: objects are looked
 * up in the history and in the indexes, and counts show that nothing else is in these.
 */
#include "store/internal.h"
#include "object/object.h"

struct checking {
    struct store *store;
    size_t live;  /* objects */
    size_t edges; /* of their ownerReferences */
    size_t kept;  /* versions of one type that are also in its history */
};

static bool wrong(const struct store_entry *n, const char *what, struct err *e)
{
    return err_set(e, ERR_INVALID, "%.*s %.*s: %s", STR_ARG(n->type->plural), STR_ARG(n->key),
                   what);
}

/* ---- Numbers. ---- */

/* Versions after committed must be exactly those that wait for the disk. */
static bool check_numbers(const struct store *s, struct err *e)
{
    bool right = s->committed <= s->head && s->pending.len == s->head - s->committed;

    for (size_t i = 0; right && i < s->pending.len; i++)
        right = s->pending.items[i]->rv == s->committed + 1 + i;
    return right || err_set(e, ERR_INVALID,
                            "the versions from %llu to %llu are not those that wait for the disk",
                            (unsigned long long)s->committed, (unsigned long long)s->head);
}

static bool check_watches(const struct store *s, const struct store_type *t, struct err *e)
{
    return store_watch_latest(t) <= s->committed ||
           err_set(e, ERR_INVALID, "a watch of %.*s has seen what is not on disk",
                   STR_ARG(t->plural));
}

/* ---- Versions. ---- */

static bool check_history(const struct store *s, const struct store_type *t, struct err *e)
{
    uint64_t last = t->trimmed;

    for (size_t i = 0; i < t->history_len; i++) {
        uint64_t rv = t->history[t->history_start + i]->rv;
        if (rv <= last || rv > s->head)
            return err_set(e, ERR_INVALID, "the history of %.*s: version %llu is out of order",
                           STR_ARG(t->plural), (unsigned long long)rv);
        last = rv;
    }
    return true;
}

static size_t history_bytes(const struct store_type *t)
{
    size_t bytes = 0;

    for (size_t i = 0; i < t->history_len; i++)
        bytes += t->history[t->history_start + i]->len;
    return bytes;
}

static bool has_in_history(const struct store_type *t, const struct store_version *v)
{
    size_t i = store_history_after(t, v->rv - 1);

    return i < t->history_len && t->history[t->history_start + i] == v;
}

static bool check_version(struct store *s, const struct store_entry *n,
                          const struct store_version *v, struct err *e)
{
    AUTO_ARENA a = arena_new();
    const struct value *tree = store_version_tree(a, s, v);
    str namespace = n->type->namespaced ? object_meta_str(tree, STR("namespace")) : STR_NONE;
    uint64_t rv;

    if (!tree || !str_to_u64(object_meta_str(tree, STR("resourceVersion")), &rv))
        return wrong(n, "does not decode", e);
    if (rv != v->rv ||
        !str_eq(n->key, object_path(a, namespace, object_meta_str(tree, STR("name")))))
        return wrong(n, "has the state of another object or version", e);
    str fault = store_meta_fault(object_meta(tree));
    return !fault.len ||
           wrong(n, str_z(a, str_fmt(a, "its metadata.%.*s is of the wrong type", STR_ARG(fault))),
                 e);
}

/* The states of an object: those in the history, newest first, then at most one older state. */
static bool check_states(struct checking *c, const struct store_entry *n, struct err *e)
{
    const struct store_type *t = n->type;

    for (const struct store_version *v = n->newest; v; v = v->prev) {
        if (!check_version(c->store, n, v, e))
            return false;
        if (v->rv <= t->trimmed && !v->prev && !(v->deleted && v == n->newest))
            return true;
        if (v->entry != n || !has_in_history(t, v))
            return wrong(n, "the history does not have one of its versions", e);
        if (v->deleted && !v->prev)
            return wrong(n, "the state before its deletion is missing", e);
        if (v->prev && v->prev->rv >= v->rv)
            return wrong(n, "its versions are out of order", e);
        c->kept++;
    }
    return n->newest || wrong(n, "has no version", e);
}

/* ---- Indexes of the newest state. ---- */

static bool is_edge_of(const struct store *s, const struct store_edge *edge,
                       const struct store_entry *n, const struct value *reference)
{
    str uid = value_get_str(reference, STR("uid"));
    bool blocks = value_is_true(value_get(reference, STR("blockOwnerDeletion"))) &&
                  !str_eq(uid, str_c(n->uid));

    return edge->dependent == n && edge->blocks == blocks &&
           table_find(s->owners, uid) == &edge->owner->node;
}

/* meta is NULL if the object is deleted. The last reference is the first in the list of edges. */
static bool check_edges(struct checking *c, const struct store_entry *n, const struct value *meta,
                        struct err *e)
{
    const struct value *references = value_get(meta, STR("ownerReferences"));
    const struct store_edge *edge = n->owners;

    for (size_t i = value_len(references); i-- > 0; edge = edge->sibling) {
        if (!edge || !is_edge_of(c->store, edge, n, &references->items[i]))
            return wrong(n, "the graph does not have its owners", e);
        c->edges++;
    }
    return !edge || wrong(n, "the graph has owners that it does not name", e);
}

static bool check_indexes(struct checking *c, const struct store_entry *n, struct err *e)
{
    AUTO_ARENA a = arena_new();
    bool live = store_live(n) != NULL;
    const struct value *meta = live ? object_meta(store_version_tree(a, c->store, n->newest))
                                    : NULL;
    str uid = value_get_str(meta, STR("uid"));

    c->live += live;
    if (!str_eq(str_c(n->uid), uid))
        return wrong(n, live ? "is known by another uid" : "is deleted and still has a uid", e);
    if (live && table_find(c->store->by_uid, uid) != &n->by_uid)
        return wrong(n, "the index of uids does not have it", e);
    return check_edges(c, n, meta, e);
}

/* ---- All. ---- */

static bool check_type(struct checking *c, const struct store_type *t, struct err *e)
{
    size_t live = c->live;

    if (!check_history(c->store, t, e) || !check_watches(c->store, t, e))
        return false;
    c->kept = 0;
    for (const struct store_entry *n = t->objects.first[0]; n; n = n->next[0])
        if (!check_states(c, n, e) || !check_indexes(c, n, e))
            return false;
    if (c->kept != t->history_len)
        return err_set(e, ERR_INVALID, "the history of %.*s has versions that no object has",
                       STR_ARG(t->plural));
    if (history_bytes(t) != t->history_bytes)
        return err_set(e, ERR_INVALID, "%.*s: %zu bytes of history, counted as %zu",
                       STR_ARG(t->plural), history_bytes(t), t->history_bytes);
    return c->live - live == t->live || err_set(e, ERR_INVALID, "%.*s: %zu objects, counted as %zu",
                                                STR_ARG(t->plural), c->live - live, t->live);
}

/* Every edge must be in the list of its owner; adds their number. */
static bool check_owner(const struct store_owner *o, size_t *edges, struct err *e)
{
    size_t blocking = 0;
    bool right = o->edges != NULL;

    for (struct store_edge *const *link = &o->edges; right && *link; link = &(*link)->next) {
        right = (*link)->back == link && (*link)->owner == o;
        blocking += (*link)->blocks;
        (*edges)++;
    }
    return (right && blocking == o->blocking) ||
           err_set(e, ERR_INVALID, "the dependents of %.*s are not listed as they should be",
                   STR_ARG(o->node.key));
}

static bool check_owners(const struct checking *c, struct err *e)
{
    struct table_at at = {0};
    size_t edges = 0;

    for (struct table_node *node; (node = table_each(c->store->owners, &at));)
        if (!check_owner((struct store_owner *)node, &edges, e))
            return false;
    return edges == c->edges ||
           err_set(e, ERR_INVALID, "%zu references to owners, %zu in the graph", c->edges, edges);
}

bool store_check_memory(struct store *s, size_t *live, struct err *e)
{
    AUTO_LOCK guard = lock_take(&s->lock);
    struct checking c = {.store = s};

    if (!check_numbers(s, e))
        return false;
    for (const struct store_type *t = s->types; t; t = t->next)
        if (!check_type(&c, t, e))
            return false;
    *live = c.live;
    if (table_len(s->by_uid) != c.live)
        return err_set(e, ERR_INVALID, "%zu objects, %zu in the index of uids", c.live,
                       table_len(s->by_uid));
    return check_owners(&c, e);
}
