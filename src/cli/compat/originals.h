/* SPDX-License-Identifier: Apache-2.0 */
/*
 * originals.h - the originals that this program can be.
 *
 * Started under the name of an original, through a link, the program takes its flags, writes its
 * messages and ends with its status, to the byte. To add a face: write its run function and list
 * the name in originals.c.
 */
#pragma once

#include "base/base.h"

struct face {
    const char *name; /* what the last element of argv[0] ends with */
    /* argv does not include the name. Returns the exit status. */
    int (*run)(const char *program, size_t argc, char *const *argv);
};

/* The face for argv[0], or NULL when the program is itself. */
const struct face *face_find(const char *program);

int face_helm_convert(const char *program, size_t argc, char *const *argv);
int face_report_creator(const char *program, size_t argc, char *const *argv);
