/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain_internal.h - why a template was chosen, and why fields are not compared. For this folder
 * only.
 */
#pragma once

#include "compare/explain/trace_internal.h"

/* How a candidate fared. */
struct tried {
    const struct template *template;
    bool scored, excluded;
    size_t score;
    str fault; /* why it was excluded or failed */
};

struct tried_list {
    struct tried *items;
    size_t len, cap;
};

/* Whether the options ask for an explanation of the object. */
bool explain_wants(const struct compare_options *options, const struct object *o);
/* Fills in object, place and candidates; chosen may be NULL. */
void explain_candidates(struct arena *a, const struct compare *c, const struct object *o,
                        const struct tried_list *tried, const struct template *chosen,
                        struct result_explanation *out);
/*
 * Adds the fields that rules excluded from the comparison. candidates are the templates that
 * removed their omitted fields from the object: those tried up to the chosen one, which is last.
 */
void explain_suppressed(const struct trace *t, const struct tried_list *candidates,
                        struct result_explanation *out);
struct result_explanation explanation_copy(struct arena *a, const struct result_explanation *from);
