/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare_face.h - what the two faces of compare share: `plumb compare`, and the program under the
 * names of the original (cluster-compare). Each has a table of options of its own over one struct
 * of values; the work and its checks are the same.
 */
#pragma once

#include "cli/commands.h"
#include "compare/compare.h"

/* The value of --explain alone. */
#define EXPLAIN_ALL "all"

struct compare_values {
    bool all_resources, recursive, show_managed_fields, verbose;
    int64_t concurrency;
    str diff_config, kustomize, output, override_reason, overrides, reference;
    struct option_list filename, generate_override_for;
    str baseline; /* an earlier report */
    str explain;  /* an object, or EXPLAIN_ALL; empty: nothing is explained */
    bool improved;
    /* Of the original's face only. */
    str generate_config, output_dir;
    bool help, show_template_functions, version;
};

/*
 * Compares and appends the report to out. status becomes STATUS_DIFFERENT when something differs or
 * is missing. words are what stands in the command line besides options; there should be none.
 * ERR_USAGE when the command line is at fault.
 */
MUST_CHECK bool compare_execute(struct arena *a, const struct compare_values *v, const str *words,
                                size_t word_count, const struct compare_log *log, struct buf *out,
                                enum exit_status *status, struct err *e);

/* The program as the original. argv does not include its name. */
enum exit_status compat_main(const char *program, size_t argc, char *const *argv);
