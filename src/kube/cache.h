/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.h - a copy of all objects of a resource, kept up to date by a watch.
 *
 *     struct kube_cache *c = kube_cache_start(hub, &config);
 *     if (!kube_cache_wait(c, 30 * NS_PER_SEC, e)) ...
 *     struct value *pod = kube_cache_get(c, a, STR("default"), STR("x"));
 *     kube_cache_stop(c);
 *
 * Objects are trimmed (first by the caller's own trim, which sees all of them; then managed fields
 * and the last applied configuration are removed) and packed (value/pack.h): about half the size of
 * their JSON. A cache may keep names only; then the whole object is passed on once, when it
 * changes. Reads return a copy that belongs to the caller. Objects never go back in time: an event
 * or list with the same or an older resource version changes nothing. A relist reports only what
 * differs to handlers, even for objects without a version.
 *
 * Any thread may read. Handlers run on a thread of the hub, one at a time per cache, after the
 * change is readable; they must not block.
 */
#pragma once

#include "kube/watch.h"
#include "value/pack.h"

struct kube_cache;

/* An object as it was, packed. */
struct kube_before;
/* Its namespace and name, which live as long as b: during the handler's call. */
void kube_before_names(const struct kube_before *b, str *namespace, str *name);
/* The whole object, unpacked to a; only names and version if the cache keeps nothing else. */
const struct value *kube_before_object(const struct kube_before *b, struct arena *a);

struct kube_cache_handler {
    /* before is NULL for new objects, after for deleted ones; after lives in a. */
    void (*changed)(void *ctx, struct arena *a, const struct kube_before *before,
                    const struct value *after);
    void (*synced)(void *ctx); /* after each complete list */
    void (*failed)(void *ctx, const struct err *e, int64_t wait);
    void (*answered)(void *ctx); /* as in watch.h */
    void *ctx;
};

struct kube_cache_config {
    struct kube_watch_config watch; /* its handler is set by the cache */
    bool keep_managed_fields, keep_last_applied;
    /*
     * Keeps only names and versions: changed gets the whole object, once, and reads return names
     * and versions. Objects without a version are distinguished by a digest.
     */
    bool names_only;
    /*
     * Removes what is not needed, and may record what the cache is about to drop: it gets the
     * object as received. May be NULL. ctx is the handler's.
     */
    void (*trim)(void *ctx, struct arena *a, struct value *object);
    struct pack_words *words; /* shared with other caches and must outlive them; NULL: its own */
    size_t bytes_max;         /* 0: 4 GiB. More objects are left out and reported to failed. */
    struct kube_cache_handler handler;
};

struct kube_cache *kube_cache_start(struct kube_watches *hub,
                                    const struct kube_cache_config *config);
/* Must not be called from a handler. */
void kube_cache_stop(struct kube_cache *c);

/* Whether the first list is complete. */
bool kube_cache_synced(struct kube_cache *c);
/* Waits for that, for at most ns of real time; after that, ERR_IO with the last failure. */
MUST_CHECK bool kube_cache_wait(struct kube_cache *c, int64_t ns, struct err *e);

/* An object, or NULL. namespace is empty for cluster-scoped resources. */
struct value *kube_cache_get(struct kube_cache *c, struct arena *a, str namespace, str name);
/* All objects, in unspecified order. */
struct value **kube_cache_all(struct kube_cache *c, struct arena *a, size_t *count);
/*
 * All objects one by one, each in an arena that is emptied afterwards: for very many. Stops when
 * each returns false.
 */
void kube_cache_each(struct kube_cache *c,
                     bool (*each)(void *ctx, struct arena *a, struct value *object), void *ctx);

struct kube_cache_stats {
    size_t objects;
    size_t bytes;              /* objects and keys; also words, if the cache has its own */
    uint64_t changes, ignored; /* applied; ignored: not newer than what the cache has */
};
void kube_cache_stats(struct kube_cache *c, struct kube_cache_stats *out);

/* ---- Without a hub, for tests and benchmarks: fed by hand through its watch handler. ---- */

struct kube_cache *kube_cache_new(const struct kube_cache_config *config);
struct kube_watch_handler kube_cache_feed(struct kube_cache *c);
