/* SPDX-License-Identifier: Apache-2.0 */
/*
 * manifests.h - objects from files, as a resolver.
 *
 * Custom resources, Secrets and ConfigMaps read from files take the place of a cluster: references
 * are resolved among them, and ids are computed.
 *
 *     struct manifests *m = manifests_new(a, model, subscription);
 *     manifests_add(m, &doc);
 *     convert_to_arm(a, manifests_resolver(m), ...);
 *
 * One thread at a time.
 */
#pragma once

#include "azure/resolve.h"

struct manifests;

struct manifests *manifests_new(struct arena *a, struct model *model, str subscription);
/* Adds an object, which must live as long as m. False when there was already one with its name. */
bool manifests_add(struct manifests *m, const struct doc *doc);
/*
 * From now on, anything missing gets a placeholder in braces instead of an error, and so does
 * anything secret, missing or not: for plans that people read. A line is appended to notes for each
 * thing that was not found.
 */
void manifests_guess(struct manifests *m, struct buf *notes);
/* Appends a note that an object is not among the manifests, or that it is in another namespace. */
void manifests_describe_missing(const struct manifests *m, const struct object_key *name,
                                struct buf *out);
const struct resolver *manifests_resolver(const struct manifests *m);

/* All objects in the order they were added, including Secrets and ConfigMaps. */
size_t manifests_count(const struct manifests *m);
const struct doc *manifests_at(const struct manifests *m, size_t i);
/* The object with that name, or NULL. */
const struct doc *manifests_find(const struct manifests *m, const struct object_key *name);
