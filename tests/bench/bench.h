/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench.h - small timed programs whose figures are kept.
 *
 * A benchmark is a function that calls bench_run for each thing it measures. Rates come from CPU
 * time, the best of several rounds; what counts are ratios within one run, since machines differ.
 * The table is printed, and each row is appended to build/bench.jsonl.
 *
 * To add one: write bench_<name>.c and list it in main.c.
 */
#pragma once

#include "base/base.h"

struct bench_case {
    const char *name;
    size_t bytes;           /* of input, for MB/s */
    void (*run)(void *ctx); /* one round */
    void *ctx;
    size_t memory;           /* bytes kept for the input, when known; else 0 */
    const char *relative_to; /* an earlier case of the same run, or NULL */
    double target;           /* the wanted ratio to it, or 0 */
};

/* Runs and prints one row; returns seconds of CPU per round. */
double bench_run(const struct bench_case *c);

/* Inputs made once and shared: a list document of Kubernetes objects of about this many bytes. */
str bench_podlist_yaml(size_t bytes);
str bench_podlist_json(size_t bytes);
