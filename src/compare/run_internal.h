/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_internal.h - one run of a comparison, and the outcome of each object. For this folder only.
 *
 * run.c is in control: it reads (input/), compares (pair/) and collects (collect.c). These use the
 * run, but do not call back.
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
    struct log_buffer log;
};

/* What a run changes; compare is shared with other runs. */
struct run {
    struct arena *arena;
    const struct compare *compare;
    const struct compare_options *options;
    struct diff_program diff;
    struct log_buffer log;
    str cluster_name; /* for people, once connected */
    /* Objects that are kept; see run.c. */
    struct objects objects;
    bool keeps_objects;
    bool in_turn;        /* compare objects one by one, since comparing may change others */
    struct map *by_kind; /* for lookups: kind to struct index_list; NULL: no lookups */
    const struct secret_values *values; /* of all objects, if by_kind is set */
    /* What has been found so far. */
    struct result_verdict verdict;
    struct results *results;
    struct map *matches; /* path of a template to size_t */
    size_t failed;       /* objects */
    struct tally tally;
    struct err errors;
    struct log_buffer later; /* lines that follow those about the input */
    struct feed_extent extent;
};

/* Starts a run; all of it lives as long as a. */
struct run run_begin(struct arena *a, const struct compare *c,
                     const struct compare_options *options);

/* ---- Comparing: pair/pair.c. ---- */

/*
 * Compares an object; out lives as long as a. The tree of the object is changed unless objects are
 * kept. May be called from any thread.
 */
void compare_object(struct arena *a, const struct run *r, const struct object *o,
                    struct outcome *out);

/* ---- Lookups: index.c. ---- */

/* What templates, and patches that are templates, may do beyond reading their object. */
struct reach {
    bool looks_up, changes;
};
struct reach compare_reach(const struct compare *c);
/* Makes the objects of r known to lookups; lives as long as a. */
void compare_index(struct arena *a, struct run *r);

/* ---- Collecting: collect.c. ---- */

/* Adds what one comparison found. */
void run_add(struct run *r, struct outcome *o);
/* Adds an override to the results. */
void run_add_patch(struct run *r, const struct value *patch);
/* Counts a template as matched. */
void run_count(struct run *r, str path);
/* Draws the conclusions from all objects: issues, or an error if the results are worthless. */
MUST_CHECK bool run_conclude(struct run *r, struct err *e);
/* Sets the verdict, even after a failure. */
void run_finish(struct run *r);
