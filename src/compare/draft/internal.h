/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - what the files of this folder share: gather.c reads the inputs and says which
 * objects are variants of one template, merge.c makes one tree of them, write.c a template of the
 * tree, draft.c all files.
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

/* All objects, grouped; ordered by kind, namespace and name. */
MUST_CHECK bool draft_gather(struct arena *a, const struct draft_options *o,
                             struct variant_groups *out, struct draft_report *report,
                             struct err *e);

/* A place in a template that takes its value from the object. */
struct hole {
    struct path path;
    bool optional; /* the member is only expected when the object has it */
};
struct holes {
    struct hole *items;
    size_t len, cap;
    size_t secrets; /* how many of them are there because of Secrets */
    str mark;       /* hole i is written as the text mark, i, "x" */
};

/* One tree of several: holes are texts by mark. Lives as long as a and the variants. */
struct value *draft_merge(struct arena *a, const struct variants *v, struct holes *holes);

/* Appends the template of a merged tree. */
MUST_CHECK bool draft_template(struct arena *a, const struct value *merged,
                               const struct holes *holes, struct buf *out, struct err *e);
