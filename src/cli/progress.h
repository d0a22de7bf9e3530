/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.h - how far a long run is: one line on standard error, for a person at a terminal.
 *
 *     struct progress p = progress_new(STDERR_FILENO);
 *     progress_step(&p, done, total);     as often as one likes
 *     progress_clear(&p);                 before anything else is printed, and at the end
 *
 * Nothing is shown during the first second, and nothing at all if standard error is not a terminal
 * or a dumb one. One thread at a time.
 */
#pragma once

#include "base/base.h"

struct progress {
    int fd;
    bool wanted, shown;
    const char *things;   /* that are counted: "objects" unless it is set */
    int64_t began, drawn; /* as clock_mono */
};

struct progress progress_new(int fd);
/* total is 0 when it is not known. */
void progress_step(struct progress *p, size_t done, size_t total);
/* Takes the line away; the next step draws it again. */
void progress_clear(struct progress *p);
