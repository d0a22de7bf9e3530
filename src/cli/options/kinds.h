/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinds.h - which kinds of the model a command is about.
 */
#pragma once

#include "azure/model/model.h"
#include "cli/options/options.h"

/* Resources sorted by group, kind and version: those of one kind stand together. */
struct kind_list {
    const struct model_resource **items;
    size_t len;
};

/* Names of kinds, sorted by group and kind. */
struct kind_names {
    struct model_kind *items;
    size_t len;
};

/*
 * The kinds that fit one of the patterns (all of them without any), case-insensitive: their kind or
 * group/kind. A pattern that matches nothing, or is invalid, is an error. Model files that are part
 * of the program are not read.
 */
MUST_CHECK bool kind_names_select(struct arena *a, struct model *m,
                                  const struct option_list *patterns, struct kind_names *out,
                                  struct err *e);
/* All versions of these kinds. */
MUST_CHECK bool kind_list_select(struct arena *a, struct model *m,
                                 const struct option_list *patterns, struct kind_list *out,
                                 struct err *e);
/* Where the versions of the kind at i end. */
size_t kind_list_end(const struct kind_list *list, size_t i);
/*
 * One resource by "KIND", "GROUP/KIND", each also with "@VERSION" behind it. Without a version: the
 * one in which objects are stored. A kind that several groups have needs its group.
 */
MUST_CHECK bool kind_list_find(struct arena *a, struct model *m, str text,
                               const struct model_resource **out, struct err *e);
