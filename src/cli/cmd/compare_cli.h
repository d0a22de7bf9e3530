/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare_cli.h - what the two names of compare share: `plumb compare`, and the program under the
 * names of the original (cluster-compare). Each has a table of options of its own over one struct
 * of values; the work and its checks are the same.
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
     * Whose answers are given: plumb's, or those of the original. Neither: as the name says under
     * which the program was started. See compare_dialect.
     */
    bool compat, no_compat, original_name;
    bool outside_links; /* of the reference are followed */
    bool strict;        /* an incomplete comparison ends with STATUS_INCOMPLETE */
    int64_t concurrency;
    str color;             /* auto, always, never; empty: never */
    bool colour, terminal; /* what that means for the report: see struct report_options */
    struct compare_progress progress; /* receives progress */
    str diff_config, kustomize, output, override_reason, overrides, reference;
    struct option_list filename, generate_override_for;
    struct option_list fleet; /* sites; see cli/cmd/compare_fleet.h */
    str baseline;             /* an earlier report */
    str explain;              /* an object, or EXPLAIN_ALL; empty: nothing is explained */
    str generate_config, output_dir;
    str record, replay; /* files: see net/tape/tape.h */
    struct watch_values watch;
    struct kube_values kube; /* which cluster is asked when there are no files */
    struct kube_flags flags; /* what that means; set by compare_set_cluster */
    /* Under the original's name only. */
    bool help, show_template_functions, version;
};

/* Whose answers are given. ERR_USAGE when the command line asks for both. */
MUST_CHECK bool compare_dialect(const struct compare_values *v, const struct dialect **out,
                                struct err *e);

/* Sets flags from the options of the command line, which must outlive v. */
void compare_set_cluster(struct compare_values *v, const struct options *o);

/*
 * Words of the command line become values: the first is the reference unless an option names it or
 * a reference is generated, the others are inputs, folders with all folders below.
 */
void compare_take_words(struct arena *a, struct compare_values *v, const str *words,
                        size_t word_count);

/* Reads the reference and what goes with it. Errors of a reference are reported all at once. */
MUST_CHECK bool compare_prepare(struct arena *a, const struct compare_options *options,
                                const struct compare **out, struct err *e);

/*
 * Compares and appends the report to out. status becomes STATUS_DIFFERENT when something differs or
 * is missing, and STATUS_INCOMPLETE when v is strict and not everything could be compared. words
 * are what stands in the command line besides options; there should be none by now. ERR_USAGE when
 * the command line is at fault.
 */
MUST_CHECK bool compare_execute(struct arena *a, const struct compare_values *v, const str *words,
                                size_t word_count, const struct compare_log *log, struct buf *out,
                                enum exit_status *status, struct err *e);

/* The options of a comparison, which live as long as a. log is copied. */
struct compare_options *compare_options_of(struct arena *a, const struct compare_values *v,
                                           const struct dialect *dialect,
                                           const struct compare_log *log);
/*
 * Loading has failed, as e says: a reference that cannot be used is checked, so that all its faults
 * are reported at once, with their positions. Always false.
 */
bool compare_fail_reference(struct arena *a, const struct compare_options *o, struct err *e);

/* The program as the original. argv does not include its name. */
enum exit_status compat_main(const char *program, size_t argc, char *const *argv);
/*
 * What the values ask for, with the outputs and messages of the original, which are written. Fails
 * never: a fault is a message and STATUS_TROUBLE.
 */
enum exit_status compat_run(struct arena *a, const struct compare_values *v, const str *words,
                            size_t word_count);
