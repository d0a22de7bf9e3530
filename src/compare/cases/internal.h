/* SPDX-License-Identifier: Apache-2.0 */
/* internal.h - what the files of this folder share. */
#pragma once

#include "compare/cases/cases.h"
#include "compare/internal.h"
#include "tmpl/coverage.h"

/*
 * What a comparison found, in the form of expected.yaml; with fault, why it failed. folder is
 * removed from texts, so that they are the same wherever the case is. Lives as long as a and r.
 */
struct value *case_findings(struct arena *a, const struct results *r, const struct err *fault,
                            str folder);
/* Limits of one case: files, and nesting of folders. */
#define CASE_FILES_MAX 100000
#define LINK_DEPTH_MAX 64

/* How the lists of expected.yaml are matched. */
extern const struct diff_options case_diff_options;

/* Which branches and templates the cases so far have covered. */
struct case_coverage {
    struct arena *arena;
    struct map *branches;  /* "file", a colon and the offset to struct case_branch */
    struct map *templates; /* path to bool: whether any case has an object for it */
};
/* Adds what one case covered; c->reference is the same for all. */
void case_coverage_add(struct case_coverage *all, const struct compare *c,
                       const struct tmpl_coverage *one, const struct results *r);
/* Fills branches, counts and unused. */
void case_coverage_finish(const struct case_coverage *all, struct case_report *out);
