/* SPDX-License-Identifier: Apache-2.0 */
/* reference_internal.h - the subcommands of plumb reference, one per file. */
#pragma once

#include "cli/commands.h"

struct reference_values {
    str cases, config, output, overrides, severity;
    struct str_list ignore, kinds;
    int64_t min_coverage;
    bool accept, outside_links, strict;
};

/* "warning", "error", NULL. */
extern const char *const reference_severities[3];

MUST_CHECK bool cmd_reference_lint(struct call *c, struct err *e);
MUST_CHECK bool cmd_reference_new(struct call *c, struct err *e);
MUST_CHECK bool cmd_reference_test(struct call *c, struct err *e);
