/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cobra.h - runs a program that behaves as if written with Go's cobra library.
 *
 * For the add-on tools of the original, which have no subcommands: flags follow pflag's rules,
 * other arguments are ignored, help and version go to standard output, and on an error the message,
 * the usage and the message again go to standard error, with status 1.
 */
#pragma once

#include "cli/options/options.h"

struct cobra {
    const char *name;             /* of the program in help and version */
    const char *usage;            /* the usage line, without the "[flags]" at its end */
    const char *help;             /* without a final newline */
    const struct option *options; /* in alphabetical order, without help and version */
    size_t option_count;
    size_t values_size;
    bool (*run)(struct arena *a, const void *values, struct err *e);
};

/* Runs the program; argv does not include its name. Returns the exit status. */
int cobra_run(const struct cobra *c, size_t argc, char *const *argv);
