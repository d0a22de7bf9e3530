/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare_cli.h - what the two forms of compare share: `plumb compare`, and the program under the
 * name of the original (cluster-compare). Each has its own table of options for one struct of
 * values; the work and its checks are the same.
 */
#pragma once

#include "cli/commands.h"
#include "cli/options/kube.h"
#include "cli/cmd/compare_watch.h"
#include "compare/compare.h"

/* The value of --explain alone. */
#define EXPLAIN_ALL "all"
extern const struct command command_compare;

struct compare_values {
    bool all_resources, recursive, show_managed_fields, verbose;
    /*
     * Whose output is produced: plumb's, or the original's. Neither: depends on the name under
     * which the program was started. See compare_dialect.
     */
    bool compat, no_compat, original_name;
    bool outside_links; /* follow links that lead out of the reference */
    bool strict;        /* an incomplete comparison ends with STATUS_INCOMPLETE */
    int64_t concurrency;
    str color;                        /* auto, always, never; empty: never */
    bool colour, terminal;            /* for the report: see struct report_options */
    struct compare_progress progress; /* receives progress */
    str diff_config, kustomize, output, override_reason, overrides, reference;
    struct str_list filename, generate_override_for;
    struct str_list fleet; /* sites; see cli/cmd/compare_fleet.h */
    str baseline;          /* an earlier report */
    str explain;           /* an object, or EXPLAIN_ALL; empty: nothing */
    str generate_config, output_dir;
    str record, replay; /* files: see net/tape/tape.h */
    struct watch_values watch;
    struct kube_values kube; /* the cluster to use if there are no files */
    struct kube_flags flags; /* the same as flags; set by compare_set_cluster */
    /* Under the original's name only. */
    bool help, show_template_functions, version;
};

/* Decides whose output is produced. ERR_USAGE if the command line asks for both. */
MUST_CHECK bool compare_dialect(const struct compare_values *v, const struct dialect **out,
                                struct err *e);

/* Sets flags from the options of the command line, which must outlive v. */
void compare_set_cluster(struct compare_values *v, const struct options *o);

/*
 * Turns arguments into values: the first is the reference, unless an option names it or a reference
 * is generated; the others are inputs, and folders are read recursively.
 */
void compare_take_words(struct arena *a, struct compare_values *v, const str *words,
                        size_t word_count);

/* Reads the reference and what belongs to it. Errors in a reference are all reported at once. */
MUST_CHECK bool compare_prepare(struct arena *a, const struct compare_options *options,
                                const struct compare **out, struct err *e);

/*
 * Compares and appends the report to out. status becomes STATUS_DIFFERENT if something differs or
 * is missing, and STATUS_INCOMPLETE if v is strict and not everything could be compared. words are
 * the remaining arguments; there should be none by now. ERR_USAGE if the command line is wrong.
 */
MUST_CHECK bool compare_execute(struct arena *a, const struct compare_values *v, const str *words,
                                size_t word_count, const struct compare_log *log, struct buf *out,
                                enum exit_status *status, struct err *e);

/* The options of a comparison, which live as long as a. log is copied. */
struct compare_options *compare_options_of(struct arena *a, const struct compare_values *v,
                                           const struct dialect *dialect,
                                           const struct compare_log *log);
/*
 * Call it if loading has failed with e: if the reference is to blame, it is checked so that all its
 * faults are reported at once, with their positions. Always false.
 */
bool compare_fail_reference(struct arena *a, const struct compare_options *o, struct err *e);

/* Runs the program as the original. argv does not include its name. */
enum exit_status compat_main(const char *program, size_t argc, char *const *argv);
/*
 * Does what the values ask for, and writes the original's output and messages. Never fails: an
 * error becomes a message and STATUS_TROUBLE.
 */
enum exit_status compat_run(struct arena *a, const struct compare_values *v, const str *words,
                            size_t word_count);
