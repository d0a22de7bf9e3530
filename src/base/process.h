/* SPDX-License-Identifier: Apache-2.0 */
/* process.h - running another program and keeping what it prints. Any thread. */
#pragma once

#include "base/base.h"

/* The most that is kept of a program's output. */
#define PROCESS_OUTPUT_MAX (256 * MIB)

struct process {
    const char *const *argv; /* argv[0] is found along PATH; ends with NULL */
    char *const *env;        /* ends with NULL; NULL: ours */
    bool with_input;         /* our standard input is its own; else it has an empty one */
    size_t output_max;       /* 0: PROCESS_OUTPUT_MAX */
    int64_t timeout;         /* of real time, in nanoseconds; then it is killed. 0: no limit */
    int cancel_fd;           /* killed as soon as this can be read; 0: none */
};

/*
 * Runs a program; its standard error goes to ours. *status is its exit status, or -1 when a signal
 * ended it. Fails when it cannot be started (ERR_NOT_FOUND when there is no such program), when it
 * prints too much (ERR_LIMIT) or takes too long (ERR_IO), or when it is cancelled (ERR_CANCELLED).
 */
MUST_CHECK bool process_run(struct arena *a, const char *const *argv, str *out, int *status,
                            struct err *e);
MUST_CHECK bool process_run_as(struct arena *a, const struct process *p, str *out, int *status,
                               struct err *e);
