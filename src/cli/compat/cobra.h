/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cobra.h - a whole program that behaves as Go's cobra library makes one behave.
 *
 * For the add-on tools of the original, which have no subcommands: flags by pflag's rules, words
 * that are not flags ignored, help and version on standard output, and for every error the message,
 * the usage and the message again on standard error, with status 1.
 */
#pragma once

#include "cli/options/options.h"

struct cobra {
    const char *name;             /* as help and version call the program */
    const char *usage;            /* the usage line, without the "[flags]" at its end */
    const char *help;             /* without a final newline */
    const struct option *options; /* in alphabetical order, without help and version */
    size_t option_count;
    size_t values_size;
    bool (*run)(struct arena *a, const void *values, struct err *e);
};

/* Runs the program; argv does not include its name. Returns the exit status. */
int cobra_run(const struct cobra *c, size_t argc, char *const *argv);
