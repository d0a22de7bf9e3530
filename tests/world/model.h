/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model.h - what Kubernetes promises of a store, in the simplest form: a list of objects as they
 * were last seen, and the rules for the next state of each.
 *
 * The model knows every write, because it hears of each by the answer to the client that made it,
 * or, when the garbage collector made it, by an event that its rules must explain.
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
    const struct value *object; /* as it was last answered or announced */
};

struct model {
    struct world *world;
    struct thing *things;
    size_t count;
    uint64_t version; /* of the last write */
};

struct thing *model_thing(struct model *m, const struct kind *kind, str key);
/* The object with that uid, or NULL. */
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
 * Checks a change that no client made: fails the world unless the rules of garbage collection ask
 * for it. after is NULL when the object is gone.
 */
void model_explain(struct model *m, const struct thing *t, const struct value *after);
/* When the collector has nothing to do any more, nothing may be left to do. */
void model_check_collected(struct model *m);
