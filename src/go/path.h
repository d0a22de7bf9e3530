/* SPDX-License-Identifier: Apache-2.0 */
/*
 * path.h - slash-separated paths and patterns, as in Go's package path; path.Clean is file_clean.
 * Pure; may be called from any thread.
 */
#pragma once

#include "base/base.h"

/* path.Base: the last element; "." for nothing, "/" for the root. */
str go_path_base(str path);
/* path.Dir: all but the last element, cleaned. Lives as long as a. */
str go_path_dir(struct arena *a, str path);
/* path.Ext: from the last dot of the last element on; may be empty. */
str go_path_ext(str path);

enum go_match { GO_MATCH_NO, GO_MATCH_YES, GO_MATCH_BAD };

/*
 * path.Match: whether name matches; "/" is matched by "/" only. GO_MATCH_BAD: a malformed pattern.
 */
enum go_match go_path_match(str pattern, str name);
