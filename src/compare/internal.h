/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - a loaded comparison, and a map of this folder.
 *
 * The life of a comparison, and the header of each subject:
 *
 *     reference/reference_internal.h   the metadata file, by the schema of its version
 *     reference/omit_internal.h        its lists of omitted fields
 *     reference/templates_internal.h   parsing, running with empty data, rendering
 *     reference/overrides_internal.h   what the user adds
 *     pair/correlate_internal.h        the chain of correlators
 *     input/input_internal.h           objects from all sources (object_internal.h)
 *     run_internal.h                   each object through pair.c, on a thread pool
 *     pair/owners_internal.h           what objects refer to
 *     pair/inline_internal.h           per-field functions (paths: nested_internal.h)
 *     pair/difftool_internal.h         the difference as text
 *     explain/trace_internal.h         where it comes from; explain_internal.h: why
 *     explain/tally_internal.h         how much was compared
 *     log_buffer_internal.h            log lines that wait for their turn
 */
#pragma once

#include "compare/compare.h"
#include "compare/pair/correlate_internal.h"
#include "compare/pair/difftool_internal.h"
#include "compare/log_buffer_internal.h"
#include "compare/input/object_internal.h"
#include "compare/reference/overrides_internal.h"
#include "compare/reference/reference_internal.h"

/* What was loaded. What changes during a run is in struct run; see run_internal.h. */
struct compare {
    struct reference reference;
    struct overrides overrides;
    struct correlator *templates, *override_finder;
};

/*
 * Adds a note that something was not compared, and warns. Neither happens beyond RESULT_NOTES_MAX
 * notes; the caller counts.
 */
void verdict_note(struct arena *a, struct result_verdict *v, struct log_buffer *log,
                  const struct result_note *note);
/* The same in front of all other notes, the last of which may be dropped. */
void verdict_note_first(struct arena *a, struct result_verdict *v, struct log_buffer *log,
                        const struct result_note *note);
