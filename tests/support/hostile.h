/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostile.h - calls of template functions with expensive arguments.
 *
 * The arguments are derived from the signature: texts of many kinds, long lists, large maps, in all
 * combinations or, if these are too many, in a fixed sample. For the test that every function is
 * charged for its work, and for the benchmark that shows what is still possible.
 */
#pragma once

#include "tmpl/tmpl.h"

struct hostile_call {
    str setup; /* actions that make the arguments */
    str call;  /* the function and its arguments */
};

struct hostile_calls {
    struct hostile_call *items;
    size_t len, cap;
};

/* All functions of all profiles, sorted by name; each name once. */
size_t hostile_functions(struct arena *a, struct tmpl_help **out);
/* At most max calls of f, whose texts have about size bytes. */
struct hostile_calls hostile_calls(struct arena *a, const struct tmpl_help *f, size_t size,
                                   size_t max);

/* Makes the call forever. */
#define HOSTILE_FOREVER SIZE_MAX
/* A template that makes the call this many times, writing a dot after each. */
str hostile_template(struct arena *a, const struct hostile_call *call, size_t times);
/* Runs it with an object of some thousand members; *used is how much of the arena a it took. */
MUST_CHECK bool hostile_run(struct arena *a, str text, struct tmpl_run *run, struct buf *out,
                            size_t *used, struct err *e);
