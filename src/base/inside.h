/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside.h - opening files below an untrusted folder.
 *
 * Symbolic links, relative or absolute, are followed if their target is in the folder too. A link
 * that escapes it could make any of the user's files part of a report. May be called from any
 * thread; changing the folder concurrently does not help to escape either.
 */
#pragma once

#include "base/base.h"

/*
 * Opens a file for reading; the caller closes. name is plain (root_is_plain) and relative to
 * folder. ERR_DENIED when a link leads out, unless outside allows that. Pipes, sockets and devices
 * are never opened: reading could wait for ever, or have no end.
 */
MUST_CHECK bool inside_open(str folder, str name, bool outside, int *fd, struct err *e);
/* The same, and reads it; more than max bytes is ERR_LIMIT. */
MUST_CHECK bool inside_read(struct arena *a, str folder, str name, bool outside, size_t max,
                            str *out, struct err *e);
/* The path by which errors name the file. Lives as long as a and name. */
str inside_path(struct arena *a, str folder, str name);
