/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostile.h - calls of template functions with arguments that make them work hard.
 *
 * The arguments follow from the signature: texts of many shapes, long lists, large maps, in all
 * combinations or, where these are too many, in a sample that is always the same. For the test that
 * every function is charged for its work, and for the benchmark that shows what remains possible.
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

/* How often a template makes the call. */
#define HOSTILE_FOREVER SIZE_MAX
/* A template that makes the call so many times, writing a dot after each. */
str hostile_template(struct arena *a, const struct hostile_call *call, size_t times);
/* Runs it over an object of some thousand members; *used is what it took of the arena a. */
MUST_CHECK bool hostile_run(struct arena *a, str text, struct tmpl_run *run, struct buf *out,
                            size_t *used, struct err *e);
