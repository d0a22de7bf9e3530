/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - one comparison: what it was asked, what it has loaded, what it goes by.
 *
 * The life of a comparison, and the header of each subject:
 *
 *     reference.h  the metadata file, by the schema of its version (schema.h)
 *     omit.h       its lists of fields that are not compared
 *     templates.h  parsing, running with empty data, rendering
 *     overrides.h  what the user adds
 *     correlate.h  the chain of correlators
 *     input.h      documents of all sources (stream.h, pack.h, live.h) as objects (object.h)
 *     run.h        each object through pair.c, on a pool of threads
 *     owners.h     what objects refer to
 *     inline.h     fields with functions of their own; nested.h follows their paths
 *     difftool.h   the difference as text
 *     trace.h      where it comes from; explain.h why; tally.h how much was compared
 *     journal.h    log lines until their turn
 */
#pragma once

#include "compare/compare.h"
#include "compare/correlate.h"
#include "compare/difftool.h"
#include "compare/journal.h"
#include "compare/object.h"
#include "compare/overrides.h"
#include "compare/reference.h"

struct compare {
    struct arena *arena;
    const struct compare_options *options;
    struct journal journal;
    struct reference reference;
    struct overrides overrides;
    struct correlator *templates, *override_finder;
    struct diff_program diff;
    struct objects objects; /* when they are kept; see run.c */
    bool keeps_objects;
    bool in_turn; /* objects are compared one by one, because comparing may change others */
    struct result_verdict verdict; /* of what was read; improved comparisons only */
    struct map *by_kind; /* for lookups: kind to struct index_list; NULL: nobody looks up */
    str hash;            /* of the reference; empty: not known yet */
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
