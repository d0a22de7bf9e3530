/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_internal.h - all objects through the comparison: what becomes of one, and of all. For this
 * folder only.
 */
#pragma once

#include "compare/input/input_internal.h"
#include "compare/internal.h"
#include "compare/pair/owners_internal.h"
#include "compare/explain/tally_internal.h"

/* How one object fared. */
enum outcome_kind { OUTCOME_NONE, OUTCOME_SKIPPED, OUTCOME_FAILED, OUTCOME_COMPARED };

struct outcome {
    enum outcome_kind kind;
    const struct object *object;
    str error; /* OUTCOME_FAILED */
    str id;    /* after omission */
    const struct template *template;
    bool differs;
    str text;
    const size_t *overrides; /* the ones selected */
    size_t override_count;
    struct value *patch; /* the override that was generated, or NULL */
    struct owner_facts refers;
    struct tally tally;
    struct result_fields fields;
    struct result_explanation *explanation; /* NULL: not requested */
    struct journal journal;
};

/*
 * Compares an object; out lives as long as a. The tree of the object is changed unless objects are
 * kept. May be called from any thread.
 */
void compare_object(struct arena *a, const struct compare *c, const struct object *o,
                    struct outcome *out);
/* Whether some template or override may look other objects up. */
bool compare_looks_up(const struct compare *c);
/* Makes the objects of c known to lookups; lives as long as a. */
void compare_index(struct arena *a, struct compare *c);
/* Sets what lookups see of the object once it was compared. */
void compare_reduce(struct arena *a, const struct compare *c, struct object *o);

/* ---- All of them. ---- */

/* What has been found so far. */
struct run {
    struct compare *compare;
    struct results *results;
    struct map *matches; /* path of a template to size_t */
    size_t failed;       /* objects */
    struct tally tally;
    struct err errors;
    struct journal later; /* lines that follow those about the input */
    struct feed_extent extent;
};

/* Reads all objects and compares them, in order. */
MUST_CHECK bool run_all(struct run *r, struct err *e);
/* Adds what one comparison found. */
void run_add(struct run *r, struct outcome *o);
/* Counts a template as matched. */
void run_count(struct run *r, str path);
