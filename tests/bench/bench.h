/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench.h - small timed programs whose figures are kept.
 *
 * A benchmark is a function that calls bench_run for each thing it measures. Rates come from CPU
 * time, the best of several rounds; what counts are ratios within one run, since machines differ.
 * The table is printed, and each row is appended to build/bench.jsonl.
 *
 * To add one: write bench_<name>.c with one struct benchmark, declare it below, and list it in
 * main.c.
 *
 *     static size_t read_round(void *ctx) { ... return arena_held(a) + text.len; }
 *
 *     bench_run(&(struct bench_case){.name = "json read", .bytes = text.len, .run = read_round,
 *                                    .ctx = &x, .reference = "jansson read", .target = 4});
 */
#pragma once

#include "base/base.h"

/* One row of the table. */
struct bench_case {
    const char *name;
    size_t bytes; /* of input in one round, for MB/s */
    /* One round. Answers how many bytes of memory its result took, input included; 0: unknown. */
    size_t (*run)(void *ctx);
    void (*after)(void *ctx); /* drops the result of a round, not timed; or NULL */
    void *ctx;
    int rounds;             /* at least so many; 0: three */
    int64_t (*clock)(void); /* what is measured, in ns; NULL is CPU time of this process */
    const char *reference;  /* an earlier row of the same run, or NULL */
    double target;          /* so many times the speed of the reference, or 0 */
    double memory_target;   /* at most so many bytes of memory per byte of input, or 0 */
};

/* What was measured. */
struct bench_result {
    double rate;   /* bytes of input per second of CPU */
    double memory; /* bytes per byte of input, or 0 */
    double ratio;  /* to the rate of the reference, or 0 */
    bool ok;       /* all targets reached */
};

/* A named group of rows, which can be run alone. */
struct benchmark {
    const char *name;
    const char *help;
    void (*run)(void);
    bool on_request; /* takes minutes: runs only when it is named */
};

extern const struct benchmark bench_arm;
extern const struct benchmark bench_azure;
extern const struct benchmark bench_budget;
extern const struct benchmark bench_checks;
extern const struct benchmark bench_compare;
extern const struct benchmark bench_detect;
extern const struct benchmark bench_diff;
extern const struct benchmark bench_fleet;
extern const struct benchmark bench_json;
extern const struct benchmark bench_kube;
extern const struct benchmark bench_live;
extern const struct benchmark bench_look;
extern const struct benchmark bench_model;
extern const struct benchmark bench_operate;
extern const struct benchmark bench_reference;
extern const struct benchmark bench_regex;
extern const struct benchmark bench_sim;
extern const struct benchmark bench_store;
extern const struct benchmark bench_tmpl;
extern const struct benchmark bench_tmpl_budget;
extern const struct benchmark bench_value;
extern const struct benchmark bench_yaml;

/* Measures and prints one row. */
struct bench_result bench_run(const struct bench_case *c);
/* Prints and keeps a number that must not exceed max. 0: it could not be measured. */
void bench_number(const char *name, const char *unit, double number, double max);
/* The size of inputs that was asked for, in bytes: 50 MB unless --size says otherwise. */
size_t bench_size(void);
/* How many requests a long run sends: 100,000 unless --requests says otherwise. */
size_t bench_requests(void);
/* Ends the program when something that cannot fail has failed. */
void bench_check(bool ok, const struct err *e);

/*
 * Inputs made once and shared: a list document of Kubernetes objects, as a cluster returns it, of
 * about this many bytes. The same data in both formats, the same data in each run.
 */
str bench_podlist_yaml(size_t bytes);
str bench_podlist_json(size_t bytes);
/* Lets compare-gen.py write a reference of 24 templates, and objects for it. False without Python.
 */
bool bench_generate(struct arena *a, str folder, size_t count);
/* The plumb beside this program. */
const char *bench_program(struct arena *a);
/*
 * Runs a program without showing what it prints. Returns its exit status, -1 when a signal ended
 * it; *memory, unless NULL, is the most that it held.
 */
int bench_command(const char *const *args, int64_t *memory);
/* An empty folder for the time of a benchmark, and its end. */
str bench_folder(struct arena *a);
void bench_folder_remove(struct arena *a, str folder);
