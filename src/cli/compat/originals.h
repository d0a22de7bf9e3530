/* SPDX-License-Identifier: Apache-2.0 */
/*
 * originals.h - the original programs that this one can replace.
 *
 * If started under the name of an original, through a link, the program takes the original's flags,
 * writes its messages byte for byte, and exits with its status. To add a name: write its run
 * function and list the name in originals.c.
 */
#pragma once

#include "base/base.h"

struct compat_name {
    const char *name; /* the suffix of the last element of argv[0] */
    /* argv does not include the name. Returns the exit status. */
    int (*run)(const char *program, size_t argc, char *const *argv);
};

/* By argv[0]; NULL if the program is plumb itself. */
const struct compat_name *compat_find(const char *program);

int compat_helm_convert(const char *program, size_t argc, char *const *argv);
int compat_report_creator(const char *program, size_t argc, char *const *argv);
