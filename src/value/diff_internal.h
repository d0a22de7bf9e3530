/* SPDX-License-Identifier: Apache-2.0 */
/* diff_internal.h - shared by the files that find differences; for src/value only. */
#pragma once

#include "value/diff.h"

enum match_kind { MATCH_INDEX, MATCH_IDENTITY, MATCH_SET };

/* Which elements of two lists belong together. */
struct matching {
    enum match_kind kind;
    const str *fields; /* MATCH_IDENTITY: the members that identify */
    size_t field_count;
    uint32_t *partner; /* by old element: the number of its partner plus 1, or 0; unset when matched
                        * by index */
    bool *taken;       /* by new element: whether it has a partner; unset when matched by index */
    bool reordered;    /* all elements have partners, but in another order */
};

/* Matches the elements of two lists; rule may be NULL. Lives as long as a. */
void diff_match(struct arena *a, const struct value *old_, const struct value *new_,
                const struct list_rule *rule, struct matching *m);
