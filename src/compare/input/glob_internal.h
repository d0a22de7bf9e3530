/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glob_internal.h - finds files by shell patterns, like Go's filepath.Glob. For this folder only.
 */
#pragma once

#include "compare/internal.h"

/* Whether text has characters with a special meaning in patterns. */
bool glob_has_meta(str text);
/*
 * Finds existing paths that match, in bytewise order element by element, like filepath.Glob. base
 * is prepended for system calls only; the results do not have it. False if the pattern is invalid.
 */
bool glob_files(struct arena *a, str base, str pattern, struct str_list *out);

/* folder/name, with the folder cleaned as by Go's filepath.Join. Lives as long as a. */
str glob_join(struct arena *a, str folder, str name);
/* An entry of a folder. */
struct glob_entry {
    str name;
    unsigned char type; /* DT_REG, DT_DIR, ... of dirent.h; DT_UNKNOWN if not available */
};

struct glob_entries {
    struct glob_entry *items;
    size_t len, cap;
};

/* Lists a folder in bytewise order of names. Returns an errno. */
int glob_entries(struct arena *a, str folder, struct glob_entries *out);
/* Only the names. */
int glob_names(struct arena *a, str folder, struct str_list *out);
