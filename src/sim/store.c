/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.c - the resources: found by id, and linked to their parents, so that children can be listed
 * and deleted without looking at all others.
 */
#include "sim/internal.h"

#include <string.h>

struct sim_store {
    struct table *resources;
    struct sim_resource *root;
    struct sim_database *database; /* NULL: memory only */
    bool deleted;
};

void sim_keep(str *text, str copy)
{
    char *block = NULL;

    if (copy.len) {
        block = block_new(copy.len);
        memcpy(block, copy.ptr, copy.len);
    }
    block_free((void *)text->ptr);
    *text = str_of(block, copy.len);
}

struct table_node *sim_node(struct table *t, str key, size_t size, size_t max)
{
    struct table_node *n = table_find(t, key);
    str kept = STR_NONE;

    if (n || table_len(t) >= max)
        return n;
    n = block_new(size);
    memset(n, 0, size);
    sim_keep(&kept, key);
    table_add(t, n, kept);
    return n;
}

static struct sim_resource *resource_new(str key, str id, str type)
{
    struct sim_resource *r = block_new(sizeof *r);

    memset(r, 0, sizeof *r);
    sim_keep(&r->node.key, key);
    sim_keep(&r->id, id);
    sim_keep(&r->type, type);
    return r;
}

static void resource_free(struct sim_resource *r)
{
    str *const texts[] = {&r->node.key, &r->id, &r->type, &r->api_version, &r->body, &r->sent};

    for (size_t i = 0; i < COUNT(texts); i++)
        sim_keep(texts[i], STR_NONE);
    block_free(r);
}

struct sim_store *sim_store_new(void)
{
    struct sim_store *t = block_new(sizeof *t);

    memset(t, 0, sizeof *t);
    t->resources = table_new();
    t->root = resource_new(STR("/"), STR("/"), STR_NONE);
    return t;
}

void sim_store_free(struct sim_store *t)
{
    t->database = NULL;
    while (t->root->first)
        sim_store_remove(t, t->root->first);
    table_free(t->resources);
    resource_free(t->root);
    block_free(t);
}

void sim_store_keep(struct sim_store *t, struct sim_database *d, bool deleted)
{
    t->database = d;
    t->deleted = deleted;
}

void sim_store_changed(struct sim_store *t, const struct sim_resource *r)
{
    sim_database_put(t->database, t->deleted, r);
}

struct sim_resource *sim_store_root(struct sim_store *t)
{
    return t->root;
}

struct sim_resource *sim_store_find(struct arena *a, struct sim_store *t, str id)
{
    return (struct sim_resource *)table_find(t->resources, str_lower(a, id));
}

struct sim_resource *sim_store_add(struct arena *a, struct sim_store *t,
                                   struct sim_resource *parent, str id, str type)
{
    struct sim_resource *r = resource_new(str_lower(a, id), id, type);
    str key = r->node.key;

    table_add(t->resources, &r->node, key);
    r->parent = parent;
    r->previous = parent->last;
    if (parent->last)
        parent->last->next = r;
    else
        parent->first = r;
    parent->last = r;
    sim_store_changed(t, r);
    return r;
}

static void unlink_resource(struct sim_store *t, struct sim_resource *r)
{
    if (r->previous)
        r->previous->next = r->next;
    else
        r->parent->first = r->next;
    if (r->next)
        r->next->previous = r->previous;
    else
        r->parent->last = r->previous;
    sim_database_drop(t->database, t->deleted, r->node.key);
    table_drop(t->resources, &r->node);
    resource_free(r);
}

/* Leaves first, without recursion: clients can create arbitrarily deep ids. */
void sim_store_remove(struct sim_store *t, struct sim_resource *r)
{
    struct sim_resource *at = r;

    for (;;) {
        while (at->first)
            at = at->first;
        struct sim_resource *up = at->parent;
        bool last = at == r;
        unlink_resource(t, at);
        if (last)
            return;
        at = up;
    }
}

size_t sim_store_len(const struct sim_store *t)
{
    return table_len(t->resources);
}
