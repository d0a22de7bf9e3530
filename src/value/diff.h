/* SPDX-License-Identifier: Apache-2.0 */
/*
 * diff.h - differences between two trees, as a list.
 *
 * This is the one engine of difference: drift of cluster objects and of ARM bodies alike. Objects
 * are compared member by member. Elements of lists are matched by identity where there is one: the
 * fields a rule gives for that list, else name, id or key when all elements have it and it is
 * distinct; lists of scalars as multisets; everything else by index. Numbers compare by value.
 * Pure; may be called from any thread.
 */
#pragma once

#include "value/path.h"

enum difference_kind {
    DIFFERENCE_ADDED,     /* only the new tree has it */
    DIFFERENCE_MISSING,   /* only the old tree has it */
    DIFFERENCE_CHANGED,   /* both have it, same kind, other content */
    DIFFERENCE_TYPE,      /* both have it, of another kind */
    DIFFERENCE_REORDERED, /* the same elements, in another order; both are the lists */
};

struct difference {
    enum difference_kind kind;
    struct path path;         /* identifier steps where elements were matched by identity */
    const struct value *old_; /* NULL when added; its position is that of the node */
    const struct value *new_; /* NULL when missing */
};

/* How elements of the lists at a path are matched. */
enum list_rule_kind { LIST_BY_FIELDS, LIST_BY_INDEX, LIST_AS_SET };
struct list_rule {
    struct path path; /* of the list; a STEP_KEY "*" matches any step */
    enum list_rule_kind kind;
    const str *fields; /* LIST_BY_FIELDS */
    size_t field_count;
};

struct diff_options {
    const struct list_rule *rules;
    size_t rule_count;
    bool ignore_order; /* do not report DIFFERENCE_REORDERED */
    size_t max;        /* stop after so many; 0: no limit */
};

struct differences {
    struct difference *items;
    size_t count;
    bool more; /* max was reached */
};

/* In document order of old, then what is added. opts may be NULL. Lives as long as a. */
struct differences value_diff(struct arena *a, const struct value *old_, const struct value *new_,
                              const struct diff_options *opts);
/* "added", "missing", "changed", "type", "reordered". */
const char *difference_kind_name(enum difference_kind kind);
