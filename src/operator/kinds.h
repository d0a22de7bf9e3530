/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinds.h - which of Azure's kinds the cluster has, and a watch cache for each of them.
 *
 *     struct kinds *k = kinds_new(&config);
 *     kinds_step(k);                     after a wake-up: starts and stops caches
 *     object = kinds_find(k, a, &key);
 *     kinds_free(k);
 *
 * Definitions are watched, so nothing has to be restarted: a kind gets its cache as soon as its
 * definition is established and loses it when the definition is removed. When its storage version
 * changes, it gets a new cache, which takes over once it has read everything. Objects are read in
 * their storage version, whoever installed the definition, as conversions would prune what the
 * operator stores in them.
 *
 * Secrets, ConfigMaps and Namespaces are watched, too, by their metadata only.
 *
 * One thread owns k and calls all functions. The callbacks of the configuration are called on
 * threads of the hub; they must not wait.
 */
#pragma once

#include "kube/watch.h"
#include "object/object.h"

struct kinds;
struct model;

struct kinds_config {
    struct kube_watches *hub;
    struct model *model;
    const str *namespaces; /* only objects in these; none: all namespaces */
    size_t namespace_count;
    /* An object was added, changed or removed. */
    void (*changed)(void *ctx, const struct object_key *key);
    /* kinds_step has something to do. */
    void (*wake)(void *ctx);
    void *ctx;
};

/* Texts are copied; hub and model must outlive k. */
struct kinds *kinds_new(const struct kinds_config *config);
void kinds_free(struct kinds *k);

/* Starts and stops caches for the kinds added and removed since the last call. */
void kinds_step(struct kinds *k);
/* Whether everything that existed at the start has been read. */
bool kinds_synced(struct kinds *k);

/* The object from the cache, or NULL. Lives as long as a. */
const struct value *kinds_find(struct kinds *k, struct arena *a, const struct object_key *key);
/* Calls fn for every object of Azure's kinds. */
void kinds_each(struct kinds *k, void (*fn)(void *ctx, const struct object_key *key), void *ctx);

/* Whether a kind's definition is plumb's own; others have no field for what plumb remembers. */
bool kinds_is_own(struct kinds *k, const struct object_key *key);

struct kinds_stats {
    size_t kinds, objects; /* Azure's */
    size_t bytes;          /* of all caches */
    uint64_t failures;     /* of lists and watches, so far */
};
struct kinds_stats kinds_stats(struct kinds *k);
