/* SPDX-License-Identifier: Apache-2.0 */
/* kinds.h - selects kinds of the model by patterns. */
#pragma once

#include "azure/model/model.h"
#include "cli/options/options.h"

/* Resources sorted by group, kind and version, so that those of one kind are adjacent. */
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
 * The kinds whose kind or group/kind matches one of the patterns, case-insensitively; without
 * patterns, all kinds. A pattern that matches nothing, or is invalid, is an error. Built-in model
 * files are not read.
 */
MUST_CHECK bool kind_names_select(struct arena *a, struct model *m, const struct str_list *patterns,
                                  struct kind_names *out, struct err *e);
/* All versions of these kinds. */
MUST_CHECK bool kind_list_select(struct arena *a, struct model *m, const struct str_list *patterns,
                                 struct kind_list *out, struct err *e);
/* The index after the last version of the kind at i. */
size_t kind_list_end(const struct kind_list *list, size_t i);
/*
 * Finds one resource by "KIND" or "GROUP/KIND", optionally followed by "@VERSION"; the default is
 * the storage version. A kind that several groups have needs its group.
 */
MUST_CHECK bool kind_list_find(struct arena *a, struct model *m, str text,
                               const struct model_resource **out, struct err *e);
