/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.h - differences between two trees, as a list.
 *
 * This is the one diff engine, for drift of cluster objects and of ARM bodies alike.
 *
 * Objects are compared member by member, whatever their order. Scalars are compared as value_equal
 * does: numbers by value, so 1, 1.0 and 1e0 are equal. Elements of two lists are matched in the
 * first of these ways that applies to both:
 *
 *   1. by the rule given for that list (struct list_rule);
 *   2. by the member "name", else "id", else "key": when all elements of both lists are objects
 *      that have it as a string, number or boolean, and no text of it occurs twice in one list;
 *   3. as a multiset, when all elements of both are scalars: equal ones are matched in order, the
 *      rest are missing or added;
 *   4. by index.
 *
 * The differences come in this order. Members of an object and elements of a list are visited in
 * the order of the old tree, each with everything below it; then come the added ones of this object
 * or list, in the order of the new tree. That a list was reordered comes before the differences of
 * its elements. A node that only one tree has is one difference, whatever is below.
 *
 * Time and memory are linear in the size of the trees: lists are matched by hashing, there is no
 * recursion, and paths of differences share their prefixes. Pure; may be called from any thread.
 */
#pragma once

#include "value/path.h"

enum difference_kind {
    DIFFERENCE_ADDED,     /* only the new tree has it */
    DIFFERENCE_MISSING,   /* only the old tree has it */
    DIFFERENCE_CHANGED,   /* both have it: two strings, booleans or numbers that are not equal */
    DIFFERENCE_TYPE,      /* both have it, but of different kinds; integer and float are one kind
                           * here */
    DIFFERENCE_REORDERED, /* all elements are matched, but in another order; both are the lists */
};

struct difference {
    enum difference_kind kind;
    /*
     * The place; NULL is the root. Elements of lists have identifier steps where they were matched
     * by identity, else indexes: those of the old list, for added ones those of the new list.
     * path_of_trail makes a path of it.
     */
    const struct trail *at;
    const struct value *old_; /* NULL when added; its position is that of the node */
    const struct value *new_; /* NULL when missing */
};

/*
 * How the elements of the lists at a path are matched.
 *
 * LIST_BY_FIELDS takes one member or several together as identity; if not all elements have them as
 * scalars, or two have the same, the list is treated as if there were no rule. LIST_AS_SET is for
 * elements of any kind and compares them whole, without looking for what changed inside.
 */
enum list_rule_kind { LIST_BY_FIELDS, LIST_BY_INDEX, LIST_AS_SET };
struct list_rule {
    struct path path; /* of the list; a STEP_KEY "*" matches any step, of lists too */
    enum list_rule_kind kind;
    const str *fields; /* LIST_BY_FIELDS */
    size_t field_count;
};

/* Start from {0}: options that are added later keep their meaning at 0. */
struct diff_options {
    const struct list_rule *rules; /* the first that matches decides */
    size_t rule_count;
    /* Called for a pair of lists that no rule covers: returns the rule for them, or NULL. */
    const struct list_rule *(*list_rule)(void *ctx, const struct value *old_,
                                         const struct value *new_);
    bool ignore_order; /* do not report DIFFERENCE_REORDERED */
    size_t max;        /* stop after this many; 0: no limit */
    /*
     * Called before a difference is reported: true leaves it out. This is the place for spellings
     * that mean the same to a service: different case, an added default, null for absent.
     */
    bool (*accept)(void *ctx, const struct difference *d);
    void *ctx; /* of both */
};

struct differences {
    struct difference *items;
    size_t count;
    bool more; /* there are others beyond max */
};

/*
 * Lives as long as a, both trees and the rules. A tree or opts may be NULL; NULL for a tree is
 * nothing.
 */
struct differences value_diff(struct arena *a, const struct value *old_, const struct value *new_,
                              const struct diff_options *opts);
/* "added", "missing", "changed", "type", "reordered". */
const char *difference_kind_name(enum difference_kind kind);
