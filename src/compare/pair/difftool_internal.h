/* SPDX-License-Identifier: Apache-2.0 */
/*
 * difftool_internal.h - showing the difference of two texts: in process or by another program. For
 * this folder only.
 */
#pragma once

#include "base/base.h"
#include "compare/dialect.h"

/* What the diff program sees and says. */
struct diff_run {
    str slug; /* the file name */
    str merged, live;
    str from, to; /* what follows "---" and "+++"; empty: names of files, as diff -u -N */
    str text;     /* its output */
    int status;   /* 0, 1; -1: it died of a signal */
};

struct diff_program {
    str command; /* empty: in process */
    str temp;
    const struct dialect *dialect;
};

/* Checks the file name, and runs the program if there is one. */
MUST_CHECK bool diff_begin(struct arena *a, const struct diff_program *p, struct diff_run *d,
                           struct err *e);
/* Text and status, as far as no program has set them. */
void diff_end(struct arena *a, const struct diff_program *p, struct diff_run *d);
/* A file name made of an id. */
str slug_make(struct arena *a, str text);
