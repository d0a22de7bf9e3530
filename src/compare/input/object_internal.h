/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object_internal.h - an object to be compared, and by what it is known. For this folder only.
 */
#pragma once

#include "compare/compare.h"
#include "object/object.h"

struct source;

struct object {
    struct value *root;
    struct value *reduced;    /* without what its comparison omits; for lookups, or NULL */
    struct identity identity; /* before anything was omitted */
    str id;
    size_t index; /* among all objects, when they are kept */
    /* Improved comparisons only: */
    bool duplicate;              /* an earlier object has the same id */
    struct result_place place;   /* where it begins */
    const struct source *source; /* the text that positions below root count in */
};

struct index_list {
    size_t *items;
    size_t len, cap;
};

struct objects {
    struct object *items;
    size_t len, cap;
};
