/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list_rules.h - reads --by: how to match the elements of lists.
 *
 *   PATH=FIELD[,FIELD...]  the lists at PATH, where a step * matches any key
 *   FIELD[,FIELD...]       every list whose elements are all objects with these fields
 *
 * One thread at a time.
 */
#pragma once

#include "base/base.h"
#include "cli/options/options.h"
#include "value/diff.h"

struct list_rules {
    struct arena *arena;
    const struct str_list *by;
    struct list_rule *items;
    size_t len, cap;
    size_t fixed; /* how many name a path; the others are made for each pair of trees */
};

/* Reads the values of --by, which must live as long as the rules. */
MUST_CHECK bool list_rules_read(struct arena *a, const struct str_list *by, struct list_rules *out,
                                struct err *e);
/*
 * Replaces the rules without a path with one for each matching list of the tree, for the next
 * comparison. A tree with lists at more than LIST_RULES_MAX different paths is ERR_LIMIT.
 */
#define LIST_RULES_MAX 1000
MUST_CHECK bool list_rules_fit(struct list_rules *r, struct arena *a, const struct value *root,
                               struct err *e);
