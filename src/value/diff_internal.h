/* SPDX-License-Identifier: Apache-2.0 */
/* diff_internal.h - what the files of differences share; for src/value only. */
#pragma once

#include "value/diff.h"

enum match_kind { MATCH_INDEX, MATCH_IDENTITY, MATCH_SET };

/* Which elements of two lists belong together. */
struct matching {
    enum match_kind kind;
    const str *fields; /* MATCH_IDENTITY: the members that identify */
    size_t field_count;
    uint32_t *partner; /* of each old element: number of the new one plus 1, or 0; not by index */
    bool *taken;       /* of each new element: whether it is a partner; not by index */
    bool reordered;    /* all elements have partners, in another order */
};

/* Matches the elements of two lists; rule may be NULL. Lives as long as a. */
void diff_match(struct arena *a, const struct value *old_, const struct value *new_,
                const struct list_rule *rule, struct matching *m);
