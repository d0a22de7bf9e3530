/* SPDX-License-Identifier: Apache-2.0 */
/*
 * findings.h - problems found in files, in formats for other tools: SARIF 2.1.0, and GitHub
 * workflow commands. One thread at a time.
 */
#pragma once

#include "cli/commands.h"

/* A kind of finding, and what to do about it. */
struct finding_rule {
    const char *name, *advice;
};

struct tool_finding {
    struct where at; /* line and column may be 0 */
    const char *rule, *severity, *advice;
    str text;
};

struct tool_findings {
    struct tool_finding *items;
    size_t len, cap;
};

/* Prints a line per finding, and a summary under the title. */
void findings_print_github(struct call *c, const struct tool_findings *f, const char *title,
                           str summary);
/* rules has all rules, and ends with one that has no name. */
MUST_CHECK bool findings_print_sarif(struct call *c, const struct tool_findings *f,
                                     const struct finding_rule *rules, struct err *e);
