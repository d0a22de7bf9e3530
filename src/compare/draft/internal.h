/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - what the files of this folder share: gather.c reads the inputs and groups the
 * objects that are variants of one template, merge.c merges them into one tree, write.c turns that
 * into a template, draft.c writes all files.
 */
#pragma once

#include "compare/draft/draft.h"
#include "compare/input/object_internal.h"
#include "value/path.h"

/* One object of one input. */
struct variant {
    struct value *root; /* without the fields that every reference omits */
    struct identity identity;
    size_t input;
};

/* The variants of one template. */
struct variants {
    struct variant *items;
    size_t len, cap;
    size_t inputs; /* how many inputs have one */
};

struct variant_groups {
    struct variants *items;
    size_t len, cap;
};

/* Reads and groups all objects; ordered by kind, namespace and name. */
MUST_CHECK bool draft_gather(struct arena *a, const struct draft_options *o,
                             struct variant_groups *out, struct draft_report *report,
                             struct err *e);

/* A place in a template that takes its value from the object. */
struct hole {
    struct path path;
    bool optional; /* the member is expected only if the object has it */
};
struct holes {
    struct hole *items;
    size_t len, cap;
    size_t secrets; /* how many of them are due to Secrets */
    str mark;       /* hole i is written as mark, i and "x" */
};

/*
 * Merges variants into one tree, in which holes are texts made with mark. Lives as long as a and
 * the variants.
 */
struct value *draft_merge(struct arena *a, const struct variants *v, struct holes *holes);

/* Appends the template of a merged tree. */
MUST_CHECK bool draft_template(struct arena *a, const struct value *merged,
                               const struct holes *holes, struct buf *out, struct err *e);
