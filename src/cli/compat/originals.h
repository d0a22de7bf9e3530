/* SPDX-License-Identifier: Apache-2.0 */
/*
 * originals.h - the originals that this program can be.
 *
 * Started under the name of an original, through a link, the program takes its flags, writes its
 * messages and ends with its status, to the byte. To add a name: write its run function and list
 * the name in originals.c.
 */
#pragma once

#include "base/base.h"

struct compat_name {
    const char *name; /* what the last element of argv[0] ends with */
    /* argv does not include the name. Returns the exit status. */
    int (*run)(const char *program, size_t argc, char *const *argv);
};

/* By argv[0]; NULL when the program is itself. */
const struct compat_name *compat_find(const char *program);

int compat_helm_convert(const char *program, size_t argc, char *const *argv);
int compat_report_creator(const char *program, size_t argc, char *const *argv);
