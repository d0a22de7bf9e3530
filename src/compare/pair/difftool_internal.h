/* SPDX-License-Identifier: Apache-2.0 */
/*
 * difftool_internal.h - shows the difference of two texts, in process or with another program. For
 * this folder only.
 */
#pragma once

#include "base/base.h"
#include "compare/dialect.h"

/* Input and output of the diff program. */
struct diff_run {
    str slug; /* the file name */
    str merged, live;
    str from, to; /* what follows "---" and "+++"; empty: file names, like diff -u -N */
    str text;     /* its output */
    int status;   /* 0, 1; -1: killed by a signal */
};

struct diff_program {
    str command; /* empty: in process */
    str temp;
    const struct dialect *dialect;
};

/* Checks the file name, and runs the program if there is one. */
MUST_CHECK bool diff_begin(struct arena *a, const struct diff_program *p, struct diff_run *d,
                           struct err *e);
/* Sets text and status, unless a program has set them. */
void diff_end(struct arena *a, const struct diff_program *p, struct diff_run *d);
/* A file name made from an id. */
str slug_make(struct arena *a, str text);
