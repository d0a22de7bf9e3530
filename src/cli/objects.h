/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects.h - which document of one file belongs to which of another.
 *
 * Kubernetes objects are the same when apiVersion, kind, namespace and name are; the n-th with an
 * identity belongs to the n-th with the same. Other documents belong together by position, counted
 * among themselves. The items of a List are objects of their own. One thread at a time.
 */
#pragma once

#include "cli/input.h"

/* A document, and by what it is known. */
struct object {
    struct doc doc;
    str label; /* "v1 ConfigMap default/settings"; empty when it is no Kubernetes object */
    str key;   /* equal keys belong together */
};

struct objects {
    struct object *items;
    size_t len, cap;
};

/* Reads all documents of a file or folder into the arena of the call. Documents with faults are
 * reported. */
MUST_CHECK bool objects_read(struct call *c, str name, struct objects *out, struct err *e);

/* Two objects that belong together; one of them is NULL when it has no counterpart. */
struct object_pair {
    const struct object *old, *new_;
};

struct object_pairs {
    struct object_pair *items;
    size_t len, cap;
};

/* All pairs in the order of old, then what only new_ has. Lives as long as a. */
struct object_pairs objects_match(struct arena *a, const struct objects *old,
                                  const struct objects *new_);
