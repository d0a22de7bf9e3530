/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pair_internal.h - what the files that compare one object with its candidates share.
 *
 * For each candidate, pair_render makes the expected side (render.c; lookups of templates are in
 * lookup.c), pair_align aligns it with the object, pair_print and pair_score find how much they
 * differ (print.c), pair_patch turns the difference into an override (patch.c). pair.c tries all
 * candidates and takes the best; provenance.c then finds out where the differences come from.
 */
#pragma once

#include "compare/explain/explain_internal.h"
#include "compare/run_internal.h"
#include "compare/secret.h"
#include "compare/reference/templates_internal.h"

/* One candidate. */
struct match {
    const struct template *template;
    struct diff_run diff;
    str id; /* of the object, before fields are omitted for this candidate */
    size_t score;
    bool rough;                /* score is only an upper bound */
    struct template_text text; /* what the template wrote, if it may be needed again */
    struct value *rendered;
    struct value *expected;     /* what is printed, secrets masked */
    const struct value *actual; /* the same of the object */
    bool same;                  /* both are equal, so their texts are not needed */
    struct value *patch;        /* the override that would make them equal, or NULL */
    struct tally tally;         /* see dialect.verdict */
};

struct pairing {
    struct arena *arena;
    const struct run *run;
    const struct compare *compare; /* of the run */
    const struct dialect *dialect;
    const struct object *object;
    struct value *root; /* the object itself, or a copy */
    const size_t *candidates;
    size_t candidate_count;
    struct outcome *out;
    struct {
        struct match *items;
        size_t len, cap;
    } matches;
    struct log_buffer silent;           /* for lines that would show what is secret */
    const struct secret_values *values; /* by pair_values */
    bool values_known;
    struct tally *tally;     /* of the current candidate, or NULL */
    struct tried_list tried; /* if it is to be explained */
    struct trace trace;      /* of the chosen candidate; see pair_trace */
    bool traced;             /* it is complete */
    bool explain;
    bool lazy; /* scores are only compared: none is needed if a candidate is equal */
    struct err errors;
};

/*
 * Values that must not be shown: those of Secrets among all objects if templates look up others,
 * else those in the object itself. NULL: none. Call it only if there is something to show.
 */
const struct secret_values *pair_values(struct pairing *p);

/* The hooks of templates while they run for the object. Valid as long as p. */
struct tmpl_hooks pair_hooks(struct pairing *p);

/* How to run a template for the object. trace may be NULL. */
struct render pair_render_options(struct pairing *p, struct trace *trace);
/*
 * Omits fields, renders, merges, overrides, runs the functions for fields, and omits fields again.
 */
MUST_CHECK bool pair_render(struct pairing *p, const struct template *t, struct render *r,
                            struct value **rendered, struct err *e);
/* Both sides as JSON. */
MUST_CHECK bool pair_write_sides(struct pairing *p, const struct value *rendered, struct buf *ours,
                                 struct buf *theirs, struct err *e);

/*
 * Sorts the members of objects by key, recursively. Differences are listed in the order of the
 * expected side, which after merging is that of the object.
 */
void pair_sort_members(struct arena *a, struct value *v);

/* Removes what the original removes from objects before it prints them. */
void pair_drop_managed_fields(struct value *object);
/* Prepares both sides of the match for comparison, and sets same if they are known to be equal. */
MUST_CHECK bool pair_align(struct pairing *p, struct match *m, struct err *e);
/* Prints both sides into the match; the texts stay empty if both are the same. */
MUST_CHECK bool pair_print(const struct pairing *p, struct match *m, struct err *e);
/* Sets how much the texts of a match differ. All candidates of an object share a limit of steps. */
void pair_score(const struct pairing *p, struct match *m);
/* The difference by lines alone: the size of the lines that one side has more often. */
size_t pair_score_lines(const struct match *m);

/* Sets the override of a match, if one was requested for its template. */
MUST_CHECK bool pair_patch(struct pairing *p, struct match *m, struct err *e);

/* Sets the trace of the chosen candidate, if differences or an explanation need it. */
void pair_trace(struct pairing *p, const struct match *best);
/* Adds differences as data, and the explanation, if they are wanted. best may be NULL; else it was
 * traced. */
void pair_add_data(struct pairing *p, const struct match *best);
