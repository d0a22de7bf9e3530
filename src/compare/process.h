/* SPDX-License-Identifier: Apache-2.0 */
/* process.h - running another program and keeping what it prints. For this folder only. */
#pragma once

#include "base/base.h"

/* The most that is kept of a program's output. */
#define PROCESS_OUTPUT_MAX (256 * MIB)

/*
 * Runs argv[0], found along PATH, with empty input; its standard error goes to ours. *status is its
 * exit status, or -1 when a signal ended it. Fails when it cannot be started: ERR_NOT_FOUND when
 * there is no such program. Any thread.
 */
MUST_CHECK bool process_run(struct arena *a, const char *const *argv, str *out, int *status,
                            struct err *e);
