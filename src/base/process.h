/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - runs another program and reads its output: all at once, or as a stream.
 *
 *     struct process_stream *s;
 *     if (!process_open(a, &p, &s, e))
 *         return false;
 *     while ((ok = process_read(s, to, size, &got, e)) && got) ...
 *     process_close(s, &status);
 *     if (status) ... process_said(s) ...
 *
 * Any thread; a stream is used by one at a time.
 */
#pragma once

#include "base/base.h"

/* The most that is kept of a program's output. */
#define PROCESS_OUTPUT_MAX (256 * MIB)
/* The most that a program may be given to read, and the most that is kept of its standard error. */
#define PROCESS_INPUT_MAX (4 * KIB)
#define PROCESS_SAID_MAX (4 * KIB)

struct process {
    const char *const *argv; /* argv[0] is found along PATH; ends with NULL */
    char *const *env;        /* ends with NULL; NULL: the same as ours */
    bool with_input;         /* inherits our standard input; else it reads input, which may be
                              * empty */
    str input;               /* up to PROCESS_INPUT_MAX bytes */
    bool keep_errors;        /* its standard error is kept for process_said; else it goes to ours */
    int64_t silence_max;     /* nanoseconds without output before it is killed; 0: no limit */
    int64_t timeout;         /* nanoseconds of real time before it is killed; 0: no limit */
    int cancel_fd;           /* killed as soon as this can be read; 0: none */
    size_t output_max;       /* for process_run_as; 0: PROCESS_OUTPUT_MAX */
};

/*
 * Runs a program. *status is its exit status, or -1 when a signal ended it. Fails when it cannot be
 * started: ERR_NOT_FOUND when there is no such program; with ERR_LIMIT when it prints too much, is
 * silent for too long or has not ended in time; and with ERR_CANCELLED.
 */
MUST_CHECK bool process_run(struct arena *a, const char *const *argv, str *out, int *status,
                            struct err *e);
MUST_CHECK bool process_run_as(struct arena *a, const struct process *p, str *out, int *status,
                               struct err *e);

struct process_stream;

/* Starts a program; fails as process_run_as. *out lives as long as a and is closed by the caller.
 */
MUST_CHECK bool process_open(struct arena *a, const struct process *p, struct process_stream **out,
                             struct err *e);
/* Up to size bytes of what it prints, as they come; *got is 0 at the end only. */
MUST_CHECK bool process_read(struct process_stream *s, char *to, size_t size, size_t *got,
                             struct err *e);
/* Waits for its end. A program whose output was not read to the end gets SIGTERM. */
void process_close(struct process_stream *s, int *status);
/* The beginning of its standard error, trimmed; complete only after process_close. */
str process_said(const struct process_stream *s);
