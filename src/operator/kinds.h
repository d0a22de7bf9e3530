/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinds.h - which of Azure's kinds the cluster has, and a watch cache for each of them.
 *
 *     struct kinds *k = kinds_new(&config);
 *     kinds_step(k);                     after news: starts and stops caches
 *     object = kinds_find(k, a, &key);
 *     kinds_free(k);
 *
 * Definitions are watched: a kind gets its cache as soon as its definition is established, one that
 * is removed loses it, one that is stored in another version gets a new cache that takes over when
 * it has read everything, and nothing is restarted. Objects are read in the version in which they
 * are stored, whoever installed the definition: conversions would prune what the operator keeps
 * there.
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
    const str *namespaces; /* only objects in these; none: in all */
    size_t namespace_count;
    /* An object has come, changed or gone. */
    void (*changed)(void *ctx, const struct object_key *key);
    /* There is something to do for kinds_step. */
    void (*wake)(void *ctx);
    void *ctx;
};

/* Texts are copied; hub and model must outlive k. */
struct kinds *kinds_new(const struct kinds_config *config);
void kinds_free(struct kinds *k);

/* Starts and stops what has come and gone since the last call. */
void kinds_step(struct kinds *k);
/* Whether everything that was there at the beginning has been read. */
bool kinds_synced(struct kinds *k);

/* The object as the cache has it, NULL when it does not. Lives as long as a. */
const struct value *kinds_find(struct kinds *k, struct arena *a, const struct object_key *key);
/* Calls fn for every object of Azure's kinds. */
void kinds_each(struct kinds *k, void (*fn)(void *ctx, const struct object_key *key), void *ctx);

/* Whether a kind's definition is plumb's own; others have no place for what plumb remembers. */
bool kinds_is_own(struct kinds *k, const struct object_key *key);

struct kinds_stats {
    size_t kinds, objects; /* Azure's */
    size_t bytes;          /* of all caches */
    uint64_t failures;     /* of lists and watches so far */
};
struct kinds_stats kinds_stats(struct kinds *k);
