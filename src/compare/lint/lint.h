/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lint.h - finds problems in a reference without comparing any objects.
 *
 *     struct lint_report report;
 *     if (!lint_run(a, &(struct lint_options){.reference = STR("ref")}, &report, e))
 *         return false;
 *     for (size_t i = 0; i < report.findings.len; i++) show(&report.findings.items[i]);
 *
 * All problems are found at once: one does not hide the next. Each has a position and says how to
 * fix it. An error is something that a comparison rejects, or that makes it compare something other
 * than what was written; a warning is something that it silently accepts, but that was hardly
 * intended.
 *
 * One thread at a time.
 */
#pragma once

#include "base/base.h"

enum lint_severity { LINT_WARNING, LINT_ERROR };

/* A kind of problem. */
struct lint_rule {
    const char *name; /* "unknown-key" */
    enum lint_severity severity;
    const char *advice; /* what to do, one line */
};

struct lint_finding {
    const struct lint_rule *rule;
    struct where at; /* line 0: the file as a whole */
    str text;        /* one line */
};

struct lint_options {
    str reference;      /* the metadata file, or the folder with metadata.yaml */
    str overrides;      /* checked against the reference, or empty */
    str config;         /* the user config, likewise */
    bool outside_links; /* follow links that lead out of the reference */
};

struct lint_report {
    struct {
        struct lint_finding *items;
        size_t len, cap;
    } findings;      /* by file and line, the metadata file first */
    size_t left_out; /* findings beyond LINT_FINDINGS_MAX */
    size_t templates, errors, warnings;
};
#define LINT_FINDINGS_MAX 10000

/*
 * Checks a reference. The report lives as long as a. Fails only if the metadata file, the overrides
 * or the user config cannot be read.
 */
MUST_CHECK bool lint_run(struct arena *a, const struct lint_options *options,
                         struct lint_report *out, struct err *e);

/* All rules in alphabetical order, NULL-terminated, for help and tests. */
extern const struct lint_rule *const lint_rules[];
