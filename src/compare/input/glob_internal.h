/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glob_internal.h - files by shell patterns, as Go's filepath.Glob. For this folder only.
 */
#pragma once

#include "compare/internal.h"

/* Whether text has characters that mean something in a pattern. */
bool glob_has_meta(str text);
/*
 * What exists and fits, in bytewise order element by element, as filepath.Glob. base is put before
 * each path for the system calls only; the results do not have it. False when the pattern is
 * broken.
 */
bool glob_files(struct arena *a, str base, str pattern, struct str_list *out);

/* folder/name, with the folder cleaned as Go's filepath.Join does it. Lives as long as a. */
str glob_join(struct arena *a, str folder, str name);
/* What a folder holds. */
struct glob_entry {
    str name;
    unsigned char type; /* DT_REG, DT_DIR, ... of dirent.h; DT_UNKNOWN if not available */
};

struct glob_entries {
    struct glob_entry *items;
    size_t len, cap;
};

/* What a folder holds in bytewise order of names. Answers an errno. */
int glob_entries(struct arena *a, str folder, struct glob_entries *out);
/* Only the names. */
int glob_names(struct arena *a, str folder, struct str_list *out);
