/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coverage.h - records which branches of templates were taken.
 *
 * An if, with or range has two outcomes: its body runs, or it does not. A run whose struct tmpl_run
 * has a coverage records each outcome in it:
 *
 *     struct tmpl_coverage *coverage = tmpl_coverage_new(a);
 *     struct tmpl_run run = {.data = object, .coverage = coverage};
 *     ... tmpl_execute, as often as there are objects ...
 *     size_t count = tmpl_branches(a, set, coverage, &branches);
 *
 * One thread at a time. All sets that a coverage is used with must live as long as it does.
 */
#pragma once

#include "tmpl/tmpl.h"

struct tmpl_coverage;

struct tmpl_branch {
    str file;           /* name of the text */
    uint32_t line, pos; /* of the action; pos is the offset in the text */
    str text;           /* the action: {{if .x}} */
    bool range;         /* else if or with */
    bool ran, passed;   /* the body ran; it did not */
};

/* Lives as long as a. */
struct tmpl_coverage *tmpl_coverage_new(struct arena *a);
/*
 * Lists the branches of all templates of a set, with their outcomes, ordered by template and then
 * by position. Returns how many there are; they live as long as a.
 */
size_t tmpl_branches(struct arena *a, const struct tmpl_set *set,
                     const struct tmpl_coverage *coverage, struct tmpl_branch **out);
