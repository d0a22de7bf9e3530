/* SPDX-License-Identifier: Apache-2.0 */
/* correlate_internal.h - finds the templates or overrides for an object. For this folder only. */
#pragma once

#include "compare/log_buffer_internal.h"
#include "compare/input/object_internal.h"

/*
 * Finds the templates or overrides for an object. find returns false if there are none. To add a
 * correlator: write a file with a function that makes one.
 */
struct correlator {
    bool (*find)(const struct correlator *c, const struct object *o, const size_t **found,
                 size_t *count);
    /* Why find chose these, for people; only if it found any. Lives as long as a. */
    str (*reason)(const struct correlator *c, struct arena *a, const struct object *o);
};

/* Pairs of object ids and candidates. pairs maps an id to an index plus 1. */
struct correlator *correlate_exact(struct arena *a, const struct map *pairs);

/* Something that can be found: the text of each field, empty if any will do. */
struct candidate {
    struct identity identity;
    str shown; /* in warnings */
};

enum field { FIELD_API_VERSION, FIELD_NAME, FIELD_NAMESPACE, FIELD_KIND, FIELD_COUNT };
#define FIELDS(...) ((const enum field[]){__VA_ARGS__, FIELD_COUNT})

/* Groups of fields, NULL-terminated; each ends with FIELD_COUNT. */
typedef const enum field *const *field_groups;
extern const enum field *const template_groups[];
extern const enum field *const override_groups[];

/*
 * Finds the first group whose fields are all set, and their values joined; false if there is none.
 */
bool group_find(struct arena *a, field_groups groups, const struct identity *id, size_t *group,
                str *key);

/*
 * Groups are tried in order; the first one with candidates for the values of the object is used.
 * Overlaps among candidates cause warnings.
 */
struct correlator *correlate_group(struct arena *a, field_groups groups,
                                   const struct candidate *candidates, size_t count,
                                   struct log_buffer *log);
/* Uses the first of several correlators that finds something. */
struct correlator *correlate_multi(struct arena *a, struct correlator *const *chain, size_t count);
