/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arm_script.h - a scripted server for long-running operations, made from a recorded pattern.
 *
 * A pattern tells the first answer, the states seen while polling and how many polls it took. The
 * script answers accordingly, with the states spread over the median number of polls; time is
 * virtual. A client that polls before Retry-After has passed is told on.
 */
#pragma once

#include "azure/lro.h"
#include "value/value.h"

struct arm_script {
    const struct value *pattern;
    str states[64]; /* as in stateSequences */
    size_t state_count;
    size_t wanted; /* polls until the end */
    size_t polls;  /* so far */
};

/* How it went. */
struct arm_run {
    struct lro operation;
    size_t requests; /* all of them: the first, polls, and the read at the end */
    bool too_early;
};

/* Runs an operation against the script of a pattern of arm-lro.json or arm-delete.json. */
void arm_script_run(struct arena *a, const struct value *pattern, struct arm_run *out);
