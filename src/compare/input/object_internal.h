/* SPDX-License-Identifier: Apache-2.0 */
/* object_internal.h - an object to be compared, and its identity. For this folder only. */
#pragma once

#include "compare/compare.h"
#include "object/object.h"

struct source;

struct object {
    struct value *root;
    struct value *reduced;    /* without omitted fields; for lookups, or NULL */
    struct identity identity; /* before anything was omitted */
    str id;
    size_t index; /* among all objects, if they are kept */
    /* Not with dialect_original: */
    bool duplicate;              /* an earlier object has the same id */
    struct result_place place;   /* where it starts */
    const struct source *source; /* the text that positions below root refer to */
};

/* An object as lookups see it. */
struct index_entry {
    size_t index;                   /* among all objects */
    size_t next;                    /* the next of that kind and name: its place plus 1, or 0 */
    struct identity whole;          /* of the root */
    const struct identity *reduced; /* without omitted fields; NULL: the same */
};

/* The objects of a kind that have a name: places of the first and last one, plus 1. */
struct index_name {
    size_t first, last, count;
};

/* The objects of a kind. */
struct index_list {
    struct index_entry *items;
    size_t len, cap;
    struct map *names; /* to struct index_name */
};

struct objects {
    struct object *items;
    size_t len, cap;
};
