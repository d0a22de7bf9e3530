/* SPDX-License-Identifier: Apache-2.0 */
/*
 * correlate_internal.h - which templates, or overrides, an object is compared with. For this folder
 * only.
 */
#pragma once

#include "compare/log_buffer_internal.h"
#include "compare/input/object_internal.h"

/*
 * What finds the templates or overrides for an object. find answers false when it knows none. A new
 * correlator is one file with a function that makes one.
 */
struct correlator {
    bool (*find)(const struct correlator *c, const struct object *o, const size_t **found,
                 size_t *count);
    /* What the answer of find rests on, for people; only when there is one. Lives as long as a. */
    str (*reason)(const struct correlator *c, struct arena *a, const struct object *o);
};

/* Pairs of object ids and candidates. pairs maps an id to an index plus 1. */
struct correlator *correlate_exact(struct arena *a, const struct map *pairs);

/* One thing that can be found: the text of each field, empty when any will do. */
struct candidate {
    struct identity identity;
    str shown; /* in warnings */
};

enum field { FIELD_API_VERSION, FIELD_NAME, FIELD_NAMESPACE, FIELD_KIND, FIELD_COUNT };
#define FIELDS(...) ((const enum field[]){__VA_ARGS__, FIELD_COUNT})

/* Groups of fields, ended by NULL; each ends with FIELD_COUNT. */
typedef const enum field *const *field_groups;
extern const enum field *const template_groups[];
extern const enum field *const override_groups[];

/* The first group all of whose fields are fixed, and their values joined; false when none is. */
bool group_find(struct arena *a, field_groups groups, const struct identity *id, size_t *group,
                str *key);

/*
 * The groups are tried in order; the first that has candidates with the values of the object
 * answers. Overlaps among candidates are warnings.
 */
struct correlator *correlate_group(struct arena *a, field_groups groups,
                                   const struct candidate *candidates, size_t count,
                                   struct log_buffer *log);
/* The first of several correlators that finds something. */
struct correlator *correlate_multi(struct arena *a, struct correlator *const *chain, size_t count);
