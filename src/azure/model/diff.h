/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.h - differences between two models of a group: what a new API version changes.
 *
 * Models are compared as trees, resource by resource, from spec and status down: names of types do
 * not matter, only their contents. A type that is used in several places of a resource is compared
 * once, where it is used first. May be called from any thread.
 */
#pragma once

#include "azure/derive/overlay.h"

enum model_change {
    CHANGE_ADDED,
    CHANGE_REMOVED,
    CHANGE_RETYPED, /* another type, another enum */
    CHANGE_FACT,    /* path, role, required, limits, ...: see key */
};

/*
 * One difference. resource only: the kind itself was added or removed. An empty path with a key: a
 * fact about the resource as a whole. A path: a property; old and new are its entries, the values
 * of enums, or the facts that key names; NULL where there is none.
 */
struct model_difference {
    enum model_change change;
    str resource;
    enum side side;
    str path; /* "properties.x", without the side */
    str key;
    const struct value *old, *new_;
};

typedef void model_diff_fn(void *ctx, const struct model_difference *d);

/* Calls fn for each difference between two model files, in order of resource, side and path. */
void model_diff(struct arena *a, const struct value *old, const struct value *new_,
                model_diff_fn *fn, void *ctx);
/* The same for one resource that both have. */
void model_diff_resource(struct arena *a, const struct value *old, const struct value *new_,
                         str resource, model_diff_fn *fn, void *ctx);
/* Appends a difference as a line: "+ spec.x: string". */
void model_diff_write(struct buf *out, const struct model_difference *d);
