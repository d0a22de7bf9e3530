/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model.h - the simplest model of what Kubernetes guarantees about a store: a list of objects as
 * they were last seen, and the rules for the next state of each.
 *
 * The model sees every write: in the answer to the client that made it or, if the garbage collector
 * made it, in an event that its rules must explain.
 */
#pragma once

#include "support/world.h"

struct kind {
    const char *group, *plural, *name; /* name: of the kind */
    bool namespaced;
    bool counts; /* generations */
};
extern const struct kind kinds[];
extern const size_t kind_count;

/* An object that exists. */
struct thing {
    struct thing *next;
    const struct kind *kind;
    str key; /* "namespace/name" or "name" */
    struct arena *arena;
    const struct value *object; /* from the last answer or event */
};

struct model {
    struct world *world;
    struct thing *things;
    size_t count;
    uint64_t version; /* of the last write */
};

struct thing *model_thing(struct model *m, const struct kind *kind, str key);
/* The object with this uid, or NULL. */
struct thing *model_of_uid(struct model *m, str uid);
void model_put(struct model *m, const struct kind *kind, const struct value *object);
void model_drop(struct model *m, struct thing *t);
void model_clear(struct model *m);

str key_of(struct arena *a, const struct kind *kind, const struct value *object);
const struct value *meta_of(const struct value *object);
str uid_of(const struct value *object);
uint64_t version_of(struct model *m, const struct value *object);
bool is_deleting(const struct value *object);
bool has_finalizer(const struct value *object, const char *name);

/*
 * Checks a change that no client made: fails the world unless the rules of garbage collection
 * require it. after is NULL if the object is gone.
 */
void model_explain(struct model *m, const struct thing *t, const struct value *after);
/* Once the collector is idle, checks that it has left nothing undone. */
void model_check_collected(struct model *m);
