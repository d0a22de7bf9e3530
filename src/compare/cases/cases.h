/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases.h - the test cases of a reference: objects, and what comparing them must find.
 *
 * A case is a folder. Its file expected.yaml says what comes out, overrides.yaml and
 * user-config.yaml are given to the comparison when they are there, and everything else in the
 * folder is compared:
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
    str folder;            /* that holds the cases; empty: "tests" beside the metadata file */
    struct str_list names; /* of cases that are run; empty: all */
    bool accept;           /* write expected.yaml where it is missing or differs */
    bool outside_links;
};

enum case_state { CASE_PASSED, CASE_FAILED, CASE_ACCEPTED };

struct case_result {
    str name, folder;
    enum case_state state;
    str error;               /* why there is nothing to compare with; empty: there is */
    struct differences diff; /* old is expected.yaml, new is what came out */
};

/* Outcomes of a template's branches that no case had. */
struct case_branch {
    str file; /* as the user would write it */
    uint32_t line;
    str text;         /* the action: {{if .x}} */
    bool range;       /* else if or with */
    bool ran, passed; /* what some case had: the body ran; it did not */
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
    struct str_list unused;   /* templates that no case has an object for */
    size_t templates;
};
#define CASES_MAX 10000

/*
 * Runs the cases. The report lives as long as a. Fails when there are no cases, or when the
 * reference cannot be read.
 */
MUST_CHECK bool cases_run(struct arena *a, const struct case_options *options,
                          struct case_report *out, struct err *e);
