/* SPDX-License-Identifier: Apache-2.0 */
/*
 * progress.h - shows the progress of a long run in one line on standard error.
 *
 *     struct progress p = progress_new(STDERR_FILENO);
 *     progress_step(&p, done, total);     as often as needed
 *     progress_clear(&p);                 before anything else is printed, and at the end
 *
 * Nothing is shown during the first second, or if standard error is not a terminal or is a dumb
 * one. One thread at a time.
 */
#pragma once

#include "base/base.h"

struct progress {
    int fd;
    bool wanted, shown;
    const char *things;   /* what is counted; "objects" by default */
    int64_t began, drawn; /* as clock_mono */
};

struct progress progress_new(int fd);
/* total is 0 if unknown. */
void progress_step(struct progress *p, size_t done, size_t total);
/* Erases the line; the next step draws it again. */
void progress_clear(struct progress *p);
