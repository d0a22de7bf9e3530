/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patch.h - JSON Patch (RFC 6902) and JSON Merge Patch (RFC 7386), as evanphx/json-patch does them
 * (5.9.11, the v4 API): the same results to the byte, and the same error texts.
 *
 * The functions work on JSON text because the original's results depend on it: what a patch does
 * not need to open is copied through with its key order and number spelling.
 */
#pragma once

#include "text/text.h"

struct patch;

/*
 * How many bytes the copy operations of one application may add. The original has no limit. Copies
 * are read back, so this must not exceed what readers accept in one scalar.
 */
#define PATCH_COPY_MAX TEXT_SCALAR_MAX

/*
 * Reads a list of operations. The patch copies text, lives as long as a and may be applied from any
 * thread.
 */
MUST_CHECK bool patch_read(struct arena *a, str text, struct patch **out, struct err *e);
/*
 * Applies it and appends the result; on failure out is unchanged. An empty doc stays empty. Where
 * the original crashes (adding a member to a null document, testing lists with nulls), this fails
 * or returns the obvious result.
 */
MUST_CHECK bool patch_apply(const struct patch *p, str doc, struct buf *out, struct err *e);
/* MergePatch(doc, patch). */
MUST_CHECK bool patch_merge(str doc, str patch, struct buf *out, struct err *e);
/* CreateMergePatch(old, new). */
MUST_CHECK bool patch_create_merge(str old, str new_, struct buf *out, struct err *e);
/*
 * The same with exact numbers: those that differ only beyond the original's rounding differ here,
 * and they are written unrounded.
 */
MUST_CHECK bool patch_create_merge_exact(str old, str new_, struct buf *out, struct err *e);

/* As patch_merge, on trees: returns a new one, with exact numbers. It shares the texts of both. */
struct value *patch_merge_values(struct arena *a, const struct value *base,
                                 const struct value *over);
