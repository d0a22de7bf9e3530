/* SPDX-License-Identifier: Apache-2.0 */
#include "base/table.h"
#include "base/arena.h"
#include "base/block.h"

struct table {
    struct table_node **buckets;
    size_t count, len; /* count is a power of two */
};

#define COUNT_LEAST 16

static struct table_node **new_buckets(size_t count)
{
    struct table_node **buckets = block_new(arena_array_size(count, sizeof(*buckets)));

    memset(buckets, 0, count * sizeof(struct table_node *));
    return buckets;
}

struct table *table_new(void)
{
    struct table *t = block_new(sizeof(*t));

    *t = (struct table){.buckets = new_buckets(COUNT_LEAST), .count = COUNT_LEAST};
    return t;
}

void table_free(struct table *t)
{
    if (!t)
        return;
    block_free(t->buckets);
    block_free(t);
}

static void link_node(struct table *t, struct table_node *node)
{
    struct table_node **head = &t->buckets[node->hash & (t->count - 1)];

    node->next = *head;
    *head = node;
}

/* Buckets are never released: a table that was full once will be full again. */
static void resize(struct table *t, size_t count)
{
    struct table_node **old = t->buckets;
    size_t old_count = t->count;

    t->buckets = new_buckets(count);
    t->count = count;
    for (size_t i = 0; i < old_count; i++)
        for (struct table_node *n = old[i], *next; n; n = next) {
            next = n->next;
            link_node(t, n);
        }
    block_free(old);
}

struct table_node *table_find(const struct table *t, str key)
{
    uint64_t hash = str_hash(key);
    struct table_node *n = t->buckets[hash & (t->count - 1)];

    while (n && (n->hash != hash || !str_eq(n->key, key)))
        n = n->next;
    return n;
}

void table_add(struct table *t, struct table_node *node, str key)
{
    if (t->len >= t->count)
        resize(t, t->count * 2);
    node->key = key;
    node->hash = str_hash(key);
    link_node(t, node);
    t->len++;
}

void table_drop(struct table *t, struct table_node *node)
{
    struct table_node **at = &t->buckets[node->hash & (t->count - 1)];

    while (*at != node)
        at = &(*at)->next;
    *at = node->next;
    t->len--;
}

size_t table_len(const struct table *t)
{
    return t->len;
}

struct table_node *table_each(const struct table *t, struct table_at *at)
{
    struct table_node *n = at->next;

    while (!n && at->bucket < t->count)
        n = t->buckets[at->bucket++];
    at->next = n ? n->next : NULL;
    return n;
}
