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

struct index_list {
    size_t *items;
    size_t len, cap;
};

struct objects {
    struct object *items;
    size_t len, cap;
};
