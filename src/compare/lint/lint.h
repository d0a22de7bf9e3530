/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lint.h - what is wrong with a reference, found without any object.
 *
 *     struct lint_report report;
 *     if (!lint_run(a, &(struct lint_options){.reference = STR("ref")}, &report, e))
 *         return false;
 *     for (size_t i = 0; i < report.findings.len; i++) show(&report.findings.items[i]);
 *
 * All problems are found at once: one does not hide the next. Each has a position and says how to
 * fix it. An error is something a comparison rejects, or that makes it compare something other than
 * what is written; a warning is something it silently accepts but that is hardly intended.
 *
 * One thread at a time.
 */
#pragma once

#include "base/base.h"

enum lint_severity { LINT_WARNING, LINT_ERROR };

/* A kind of fault. */
struct lint_rule {
    const char *name; /* "unknown-key" */
    enum lint_severity severity;
    const char *advice; /* what to do, one line */
};

struct lint_finding {
    const struct lint_rule *rule;
    struct where at; /* the line is 0 when a file is at fault as a whole */
    str text;        /* one line */
};

struct lint_options {
    str reference;      /* the metadata file, or the folder that holds metadata.yaml */
    str overrides;      /* checked against the reference, or empty */
    str config;         /* the user config, likewise */
    bool outside_links; /* of the reference are followed */
};

struct lint_report {
    struct {
        struct lint_finding *items;
        size_t len, cap;
    } findings;      /* by file and line, that of the metadata first */
    size_t left_out; /* findings beyond LINT_FINDINGS_MAX */
    size_t templates, errors, warnings;
};
#define LINT_FINDINGS_MAX 10000

/*
 * Checks a reference. The report lives as long as a. Fails only when there is nothing to check: the
 * metadata file, the overrides or the user config cannot be read.
 */
MUST_CHECK bool lint_run(struct arena *a, const struct lint_options *options,
                         struct lint_report *out, struct err *e);

/* All rules in alphabetical order, ended by NULL, for help and tests. */
extern const struct lint_rule *const lint_rules[];
