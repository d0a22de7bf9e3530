/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glob.h - shell patterns as Go's path.Match and Glob understand them. For this folder only.
 */
#pragma once

#include "compare/internal.h"

enum glob_result { GLOB_NO, GLOB_YES, GLOB_BAD };

/* Whether one name fits; "/" is matched by itself only. */
enum glob_result glob_match(str pattern, str name);
/* Whether text has characters that mean something in a pattern. */
bool glob_has_meta(str text);
/*
 * What exists and fits, in bytewise order element by element, as filepath.Glob. base is put before
 * each path for the system calls only; the results do not have it. False when the pattern is
 * broken.
 */
bool glob_files(struct arena *a, str base, str pattern, struct str_list *out);
