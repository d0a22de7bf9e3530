/* SPDX-License-Identifier: Apache-2.0 */
/* compare_watch.h - plumb compare --watch: keeps comparing, and prints changes and metrics. */
#pragma once

#include "base/base.h"

struct call;
struct compare_log;
struct compare_values;
struct dialect;

struct watch_values {
    bool watch;
    int64_t interval, poll; /* nanoseconds */
    str metrics_addr, metrics_file;
};

/* Whether the options can be combined; ERR_USAGE otherwise. */
MUST_CHECK bool watch_check(const struct compare_values *v, const struct dialect *dialect,
                            struct err *e);

/*
 * Watches until SIGINT or SIGTERM, which is not a failure: the exit status is then that of the last
 * verdict. Prints each change when it happens.
 */
MUST_CHECK bool watch_execute(struct call *c, const struct compare_values *v,
                              const struct compare_log *log, struct err *e);
