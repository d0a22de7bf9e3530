/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pair_internal.h - one object against its candidates: what the files of it share.
 *
 * For each candidate: pair_render makes the expected side (render.c; what templates may ask
 * for is in lookup.c), pair_align sets it beside the object, pair_print and pair_score say how
 * much they differ (print.c), pair_patch makes an override of the difference (patch.c).
 * pair.c tries them all and takes the best; provenance.c then finds out where the differences come
 * from.
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
    str id; /* of the object, before this candidate's omission */
    size_t score;
    bool rough;                /* the score is only known to be no more than that */
    struct template_text text; /* what the template wrote, when that may be wanted again */
    struct value *rendered;
    struct value *expected;     /* what is printed, secrets masked */
    const struct value *actual; /* the same of the object */
    bool same;                  /* both are, and their texts are not needed */
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
    struct tally *tally;     /* of the candidate under way, or NULL */
    struct tried_list tried; /* when it is to be explained */
    struct trace trace;      /* of the chosen candidate; see pair_trace */
    bool traced;             /* it is whole */
    bool explain;
    bool lazy; /* scores are only compared: none is needed when a candidate is the same */
    struct err errors;
};

/*
 * What must not be shown: values of the Secrets in hand, which are all objects where templates look
 * others up, and the object itself otherwise. NULL: nothing. Only asked for when there is something
 * to show.
 */
const struct secret_values *pair_values(struct pairing *p);

/* What templates may ask for while they run for the object. Valid as long as p. */
struct tmpl_hooks pair_hooks(struct pairing *p);

/* How a template is to be run for the object. trace may be NULL. */
struct render pair_render_options(struct pairing *p, struct trace *trace);
/* Omits, renders, merges, overrides, runs the functions for fields, omits again. */
MUST_CHECK bool pair_render(struct pairing *p, const struct template *t, struct render *r,
                            struct value **rendered, struct err *e);
/* Both sides as JSON. */
MUST_CHECK bool pair_write_sides(struct pairing *p, const struct value *rendered, struct buf *ours,
                                 struct buf *theirs, struct err *e);

/*
 * Orders the members of objects by their keys, at all depths. Differences are listed in the order
 * of the expected side, which merging leaves as that of the object.
 */
void pair_sort_members(struct arena *a, struct value *v);

/* What the original takes from objects before it prints them. */
void pair_drop_managed_fields(struct value *object);
/* Sets both sides of the match as they will be compared, and whether that is known to be in vain.
 */
MUST_CHECK bool pair_align(struct pairing *p, struct match *m, struct err *e);
/* Writes both sides as texts into the match; texts of what is the same stay empty. */
MUST_CHECK bool pair_print(const struct pairing *p, struct match *m, struct err *e);
/* Sets how much the texts of a match differ. All candidates of an object share the steps. */
void pair_score(const struct pairing *p, struct match *m);
/* How much they differ when only the sizes of the lines count that one of both has more often. */
size_t pair_score_lines(const struct match *m);

/* Sets the override of a match, when one is asked for its template. */
MUST_CHECK bool pair_patch(struct pairing *p, struct match *m, struct err *e);

/* Sets the trace of the chosen candidate, when differences or an explanation need it. */
void pair_trace(struct pairing *p, const struct match *best);
/* Adds differences as data, and the explanation, as far as they are wanted. best may be NULL; else
 * it was traced. */
void pair_add_data(struct pairing *p, const struct match *best);
