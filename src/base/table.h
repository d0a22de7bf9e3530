/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - a hash table of individually allocated entries.
 *
 * A map keeps everything until its arena is freed; a table is for long-lived data that changes:
 * caches, queues. Nodes belong to the caller: each entry has a struct table_node as its first
 * member, allocated with block_new, and the table only links them.
 *
 *     struct entry { struct table_node node; ... };
 *     struct table *t = table_new();
 *     struct entry *e = (struct entry *)table_find(t, key);
 *     table_add(t, &e->node, key);          the key must live as long as the node
 *     table_drop(t, &e->node);              unlinks; the caller frees
 *
 * Iteration order is unspecified. One thread at a time.
 */
#pragma once

#include "base/str.h"

struct table;

struct table_node {
    struct table_node *next;
    uint64_t hash;
    str key;
};

struct table *table_new(void);
/* The nodes are the caller's and stay. */
void table_free(struct table *t);
/* NULL when there is none. */
struct table_node *table_find(const struct table *t, str key);
/* No node may have that key yet. */
void table_add(struct table *t, struct table_node *node, str key);
void table_drop(struct table *t, struct table_node *node);
size_t table_len(const struct table *t);

/*
 * All nodes: start with at = {0}; returns NULL at the end. Only the node returned last may be
 * dropped meanwhile; nothing else may change.
 */
struct table_at {
    size_t bucket;
    struct table_node *next;
};
struct table_node *table_each(const struct table *t, struct table_at *at);
