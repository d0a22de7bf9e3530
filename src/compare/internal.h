/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - what a comparison has loaded, and its rules.
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

/* What was loaded. What a run of it changes is in struct run; see run_internal.h. */
struct compare {
    struct reference reference;
    struct overrides overrides;
    struct correlator *templates, *override_finder;
};

/*
 * Notes that something was not compared, and warns. Beyond RESULT_NOTES_MAX notes there is neither;
 * the caller counts.
 */
void verdict_note(struct arena *a, struct result_verdict *v, struct log_buffer *log,
                  const struct result_note *note);
/* The same before all other notes, of which the last may make room. */
void verdict_note_first(struct arena *a, struct result_verdict *v, struct log_buffer *log,
                        const struct result_note *note);
