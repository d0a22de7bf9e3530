/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects.h - matches the documents of one file with those of another.
 *
 * Kubernetes objects match if apiVersion, kind, namespace and name are equal; of several with the
 * same identity, the n-th matches the n-th. Other documents match by position, counted among
 * themselves. The items of a List are separate objects. One thread at a time.
 */
#pragma once

#include "cli/input.h"

/* A document and its identity. */
struct object {
    struct doc doc;
    str label; /* "v1 ConfigMap default/settings"; empty if it is not a Kubernetes object */
    str key;   /* documents with equal keys match */
};

struct objects {
    struct object *items;
    size_t len, cap;
};

/* Reads all documents of a file or folder into the arena of the call. Invalid ones are reported. */
MUST_CHECK bool objects_read(struct call *c, str name, struct objects *out, struct err *e);

/* Two objects that match; one of them is NULL if the other has no counterpart. */
struct object_pair {
    const struct object *old, *new_;
};

struct object_pairs {
    struct object_pair *items;
    size_t len, cap;
};

/* All pairs in the order of old, then those only in new_. Lives as long as a. */
struct object_pairs objects_match(struct arena *a, const struct objects *old,
                                  const struct objects *new_);
