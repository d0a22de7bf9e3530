/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache_internal.h - what the files of the cache share. For this folder only.
 *
 * An entry is one block: the key, and the packed object behind it. It hangs in the table of the
 * cache and, by a link per key, in buckets of the indexes. All of it under the lock of the cache.
 */
#pragma once

#include "kube/cache.h"

struct cache_bucket;

struct cache_link {
    struct cache_entry *entry;
    struct cache_bucket *bucket;
    struct cache_link *next, **at; /* in the bucket */
    struct cache_link *more;       /* of the entry */
};

/* All objects under one key of an index. */
struct cache_bucket {
    struct table_node node;
    struct table *index;
    struct cache_link *first;
    char key[];
};

struct cache_entry {
    struct table_node node; /* key: "namespace/name" */
    uint64_t version;       /* 0: not a number */
    struct cache_link *links;
    struct cache_entry *next; /* among those that are about to go */
    uint32_t round;           /* the list that it was last seen in, or after */
    uint32_t key_len, packed_len;
    char data[];
};

struct kube_before {
    const struct kube_cache *cache;
    const struct cache_entry *entry;
};

struct kube_cache {
    struct lock lock;
    pthread_cond_t changed;
    struct arena *arena;
    struct kube_cache_config config;
    struct kube_watch *watch;
    struct pack_words *words;
    struct table *entries;
    struct table **indexes;
    size_t bytes;
    uint64_t changes, ignored;
    uint32_t round;
    bool synced, full_told;
    struct err last; /* the last failure, until synced */
};

static inline str entry_packed(const struct cache_entry *e)
{
    return str_of(e->data + e->key_len, e->packed_len);
}

/* cache_index.c: puts an entry into its buckets and takes it out; both answer the bytes of it. */
size_t cache_index_add(struct kube_cache *c, struct cache_entry *e, struct arena *a,
                       const struct value *object);
size_t cache_index_drop(struct cache_entry *e);
