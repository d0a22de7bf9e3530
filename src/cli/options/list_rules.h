/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list_rules.h - what --by says about matching the elements of lists.
 *
 *   PATH=FIELD[,FIELD...]  the lists at PATH, in which a step * matches any key
 *   FIELD[,FIELD...]       every list whose elements all are objects that have the fields
 *
 * One thread at a time.
 */
#pragma once

#include "base/base.h"
#include "cli/options/options.h"
#include "value/diff.h"

struct list_rules {
    struct arena *arena;
    const struct option_list *by;
    struct list_rule *items;
    size_t len, cap;
    size_t fixed; /* how many name their path; the others are made for each pair of trees */
};

/* Reads the values of --by, which must live as long as the rules. */
MUST_CHECK bool list_rules_read(struct arena *a, const struct option_list *by,
                                struct list_rules *out, struct err *e);
/*
 * Replaces the rules that name no path by one for each list of the tree that they fit, for the
 * comparison that follows. A tree with more than LIST_RULES_MAX different places of lists is
 * ERR_LIMIT.
 */
#define LIST_RULES_MAX 1000
MUST_CHECK bool list_rules_fit(struct list_rules *r, struct arena *a, const struct value *root,
                               struct err *e);
