/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arm_script.h - a scripted server for long-running operations, made from a recorded pattern.
 *
 * A pattern tells the first answer, the states seen while polling and how many polls it took. The
 * script answers accordingly over a socket, with the states spread over the median number of polls;
 * time is virtual. A client that polls before Retry-After has passed is reported.
 */
#pragma once

#include "arm/lro.h"
#include "value/value.h"

struct arm_script {
    const struct value *pattern;
    str states[64]; /* as in stateSequences */
    size_t state_count;
    size_t wanted; /* polls until the end */
    size_t polls;  /* so far */
    str method;
    size_t requests;
    int64_t not_before; /* by clock_mono: what the last Retry-After said */
    bool too_early;
};

/* How it went. */
struct arm_run {
    struct lro operation;
    bool ok;         /* by the client: it ended well */
    size_t requests; /* all of them: the first, polls, and the read at the end */
    bool too_early;
    bool differs; /* in this process it went another way */
};

/*
 * Runs an operation against the script of a pattern of arm-lro.json or arm-delete.json: by a thread
 * that waits, by a pipe over a socket, and by a driven pipe in this process.
 */
void arm_script_run(struct arena *a, const struct value *pattern, struct arm_run *out);

/*
 * How many requests the reference operator makes for a pattern: the first one, the recorded polls,
 * and what it reads afterwards (operator.md, 2.7): after a PUT its status, and before that the
 * final body when the operation was followed by Azure-AsyncOperation; where it takes a relative
 * Location or a failed poll for an error, the next pass begins anew.
 */
double arm_reference_requests(const struct value *pattern);
/* A number of a pattern; 0 for anything else. */
double arm_number(const struct value *v);
/* Adds a pattern to the sums, as often as it was recorded; arm_savings_print prints them. */
void arm_savings_add(const struct value *pattern, const struct arm_run *run);
void arm_savings_print(void);
