/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - one comparison: its options, what it has loaded, and its rules.
 *
 * The life of a comparison, and the header of each subject:
 *
 *     reference/reference_internal.h   the metadata file, by the schema of its version
 *     reference/omit_internal.h        its lists of omitted fields
 *     reference/templates_internal.h   parsing, running with empty data, rendering
 *     reference/overrides_internal.h   what the user adds
 *     pair/correlate_internal.h        the chain of correlators
 *     input/input_internal.h           documents of all sources as objects (object_internal.h)
 *     run_internal.h                   each object through pair.c, on a thread pool
 *     pair/owners_internal.h           what objects refer to
 *     pair/inline_internal.h           per-field functions (paths: nested_internal.h)
 *     pair/difftool_internal.h         the difference as text
 *     explain/trace_internal.h         where it comes from; explain_internal.h: why
 *     explain/tally_internal.h         how much was compared
 *     log_buffer_internal.h            log lines until their turn
 */
#pragma once

#include "compare/compare.h"
#include "compare/pair/correlate_internal.h"
#include "compare/pair/difftool_internal.h"
#include "compare/log_buffer_internal.h"
#include "compare/input/object_internal.h"
#include "compare/reference/overrides_internal.h"
#include "compare/reference/reference_internal.h"

struct compare {
    struct arena *arena;
    const struct compare_options *options;
    struct journal journal;
    struct reference reference;
    struct overrides overrides;
    struct correlator *templates, *override_finder;
    struct diff_program diff;
    str cluster_name;       /* for people, once it was reached */
    struct objects objects; /* when they are kept; see run.c */
    bool keeps_objects;
    bool in_turn; /* objects are compared one by one, because comparing may change others */
    struct result_verdict verdict; /* of what was read; see dialect.verdict */
    struct map *by_kind;           /* for lookups: kind to struct index_list; NULL: no lookups */
    const struct secret_values *values; /* of all objects, where by_kind is */
    str hash;                           /* of the reference; empty: not known yet */
};

/*
 * Another comparison, not yet run, with what c has loaded, which it shares. Any number of them may
 * run at the same time.
 */
struct compare *compare_again(struct arena *a, const struct compare *c,
                              const struct compare_options *options);

/*
 * Notes that something was not compared, and warns. Beyond RESULT_NOTES_MAX notes there is neither;
 * the caller counts.
 */
void verdict_note(struct arena *a, struct result_verdict *v, struct journal *j,
                  const struct result_note *note);
/* The same before all other notes, of which the last may make room. */
void verdict_note_first(struct arena *a, struct result_verdict *v, struct journal *j,
                        const struct result_note *note);
