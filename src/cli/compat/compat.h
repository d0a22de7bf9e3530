/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat.h - the parts of the original's command line: its texts, its options, its completion.
 */
#pragma once

#include "cli/cmd/compare_cli.h"

/* The options as the original has them. */
extern const struct option compat_options[];
extern const size_t compat_option_count;
/*
 * Reads them into *values, and plumb's additional options, which are neither shown nor completed.
 */
struct options compat_options_new(struct arena *a, struct compare_values *values);

/* The full help text; examples use the name under which the program was started. */
void compat_help(struct buf *out, const char *program);
/* The list of template functions. */
void compat_functions(struct buf *out);

/*
 * Answers __complete and __completeNoDesc: candidates for the last word go to out, errors and the
 * name of the directive to note.
 */
void compat_complete(struct arena *a, size_t argc, char *const *argv, bool describe,
                     struct buf *out, struct buf *note);
/* The completion script for a shell. False if the shell is unknown. */
bool compat_script(str shell, struct buf *out);
/* The help of the command completion, which lists the shells. */
void compat_completion_help(struct buf *out);
