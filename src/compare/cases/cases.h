/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases.h - runs the test cases of a reference: objects, and the expected findings.
 *
 * A case is a folder. Its file expected.yaml has the expected result, overrides.yaml and
 * user-config.yaml are passed to the comparison if they exist, and everything else in the folder is
 * compared:
 *
 *     reference/metadata.yaml
 *     reference/web.yaml
 *     reference/tests/two-replicas/web.yaml
 *     reference/tests/two-replicas/expected.yaml
 *
 * expected.yaml is data: objects with their templates and the fields that differ, issues of
 * components, objects without a template, and the verdict; see docs/commands/reference.md.
 *
 * One thread at a time.
 */
#pragma once

#include "compare/compare.h"
#include "value/diff.h"

struct case_options {
    str reference;         /* as in struct compare_options */
    str folder;            /* with the cases; empty: "tests" beside the metadata file */
    struct str_list names; /* of the cases to run; empty: all */
    bool accept;           /* write expected.yaml if it is missing or differs */
    bool outside_links;
};

enum case_state { CASE_PASSED, CASE_FAILED, CASE_ACCEPTED };

struct case_result {
    str name, folder;
    enum case_state state;
    str error;               /* why nothing could be compared; or empty */
    struct differences diff; /* old is expected.yaml, new is the actual result */
};

/* A branch of a template, and which of its outcomes the cases covered. */
struct case_branch {
    str file; /* as the user would write it */
    uint32_t line;
    str text;         /* the action: {{if .x}} */
    bool range;       /* else if or with */
    bool ran, passed; /* in some case the body ran; in some it did not */
};

struct case_report {
    struct {
        struct case_result *items;
        size_t len, cap;
    } cases; /* by name */
    size_t passed, failed, accepted;
    struct {
        struct case_branch *items;
        size_t len, cap;
    } branches;               /* all, by file and line */
    size_t outcomes, covered; /* each branch has two outcomes */
    struct str_list unused;   /* templates without an object in any case */
    size_t templates;
};
#define CASES_MAX 10000

/*
 * Runs the cases. The report lives as long as a. Fails if there are no cases, or if the reference
 * cannot be read.
 */
MUST_CHECK bool cases_run(struct arena *a, const struct case_options *options,
                          struct case_report *out, struct err *e);
