/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - how objects are related: owners, dependents and references.
 *
 *     struct tree *t = tree_new(a, model);
 *     tree_add(t, object);                           every object
 *     const struct tree_node *n = tree_find(t, &key);
 *     for (size_t i = 0; i < n->child_count; i++) ...
 *
 * Owners are those named in the specs (azure/needs.h), so that an object is found below its owner
 * even before the operator has claimed it. One thread at a time; lives as long as a.
 */
#pragma once

#include "azure/needs.h"
#include "object/condition.h"

struct tree;

struct tree_node {
    const struct value *object;
    struct object_key key;
    struct needs needs;            /* what it refers to, its owner included */
    const struct tree_node *owner; /* NULL: none, or not among the objects */
    const struct object_key
        *wants;                  /* the owner that it names, also when it is not there; or NULL */
    struct tree_node **children; /* sorted by kind and name */
    size_t child_count;
};

struct tree *tree_new(struct arena *a, struct model *model);
/* Objects of unknown kinds count as leaves. Must not be called after tree_find. */
void tree_add(struct tree *t, const struct value *object);
/* NULL if there is no such object. */
const struct tree_node *tree_find(struct tree *t, const struct object_key *key);

/* Its condition Ready in short: "Ready", "WaitingForOwner", "Unknown"; lives as the object does. */
str tree_state(const struct tree_node *n, str *message);
