/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overlay_internal.h - shared by the files of the overlay.
 */
#pragma once

#include "azure/derive/overlay.h"

enum { SIDES_BOTH = 3 }; /* 1 << SIDE_SPEC | 1 << SIDE_STATUS */

/* One fact: a code, an attribute, an entry of a list or of expand. */
struct fact {
    enum fact_code code;       /* FACT_CODES if it is not a code */
    enum fact_attr attr;       /* FACT_ATTRS if it is not an attribute */
    const struct value *value; /* the attribute's value */
    str kind;                  /* expand: inside this kind */
    const str *versions;       /* limited to these versions; none: all */
    size_t version_count;
    uint8_t sides; /* bits 1 << enum side */
    bool used;
    const struct value *node; /* for messages */
    str where;                /* "props.Type.property", for messages */
    struct fact *next;        /* about the same thing */
    struct fact *last;        /* the last of these, set in the first one */
};

struct overlay_facts {
    struct arena *arena;
    struct map *props;                /* type -> struct map: property -> struct fact */
    struct map *lists[OVERLAY_LISTS]; /* type -> struct fact */
    struct map *expand;               /* type -> struct fact */
    VEC(struct fact *) all;
};

/* The state while reading one group. */
struct overlay_reader {
    struct arena *arena;
    const struct source *src;
    struct overlay_group *group;
};

/* Reads noFlatten and the like, expand and props. Kinds and versions are known by then. */
MUST_CHECK bool overlay_read_facts(struct overlay_reader *r, const struct value *root,
                                   struct err *e);
