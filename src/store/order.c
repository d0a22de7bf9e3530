/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c - the entries of a type in bytewise order of their keys, as a skip list.
 *
 * Lists are returned in this order and continue from a key, so a hash table would not do. Heights
 * come from the list's own random sequence and are not visible outside.
 */
#include "store/internal.h"

/* Finds the link on each level after which key belongs. Returns the first entry not before it. */
static struct store_entry *seek(const struct store_order *o, str key, struct store_entry **before)
{
    struct store_entry *at = NULL, *next = NULL;

    for (unsigned level = STORE_LEVELS; level-- > 0;) {
        next = at ? at->next[level] : o->first[level];
        while (next && str_cmp(next->key, key) < 0) {
            at = next;
            next = at->next[level];
        }
        if (before)
            before[level] = at;
    }
    return next;
}

struct store_entry *store_order_from(const struct store_order *o, str key)
{
    return seek(o, key, NULL);
}

struct store_entry *store_order_find(const struct store_order *o, str key)
{
    struct store_entry *n = seek(o, key, NULL);

    return n && str_eq(n->key, key) ? n : NULL;
}

/* Every level has a quarter of the entries of the one below. */
static unsigned pick_levels(struct store_order *o)
{
    unsigned levels = 1;

    o->seed = o->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    for (uint64_t bits = o->seed >> 32; levels < STORE_LEVELS && !(bits & 3); bits >>= 2)
        levels++;
    return levels;
}

static struct store_entry *new_entry(str namespace, str name, unsigned levels)
{
    size_t links = levels * sizeof(struct store_entry *);
    size_t len = namespace.len + (namespace.len ? 1 : 0) + name.len;
    struct store_entry *n = block_new(sizeof *n + links + len);
    char *text = (char *)n + sizeof *n + links;

    memset(n, 0, sizeof *n + links);
    n->levels = levels;
    if (namespace.len) {
        memcpy(text, namespace.ptr, namespace.len);
        text[namespace.len] = '/';
    }
    memcpy(text + len - name.len, name.ptr, name.len);
    n->key = str_of(text, len);
    n->namespace = str_of(text, namespace.len);
    n->name = str_of(text + len - name.len, name.len);
    return n;
}

struct store_entry *store_order_add(struct store_order *o, str namespace, str name)
{
    struct store_entry *before[STORE_LEVELS];
    struct store_entry *n = new_entry(namespace, name, pick_levels(o));

    seek(o, n->key, before);
    for (unsigned level = 0; level < n->levels; level++) {
        struct store_entry **link = before[level] ? &before[level]->next[level] : &o->first[level];
        n->next[level] = *link;
        *link = n;
    }
    o->len++;
    return n;
}

void store_order_remove(struct store_order *o, struct store_entry *n)
{
    struct store_entry *before[STORE_LEVELS];

    seek(o, n->key, before);
    for (unsigned level = 0; level < n->levels; level++) {
        struct store_entry **link = before[level] ? &before[level]->next[level] : &o->first[level];
        *link = n->next[level];
    }
    o->len--;
    block_free(n);
}
