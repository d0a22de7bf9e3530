/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types_internal.h - shared by the files of the type reader.
 */
#pragma once

#include "azure/derive/types.h"

struct type_reader {
    struct arena *arena;
    const struct source *src;
    const struct value *root;
    struct arm_file *file;
};

/* Fills e with the type, the text and the position of node. Always false. */
bool types_complain(const struct type_reader *r, const struct arm_type *t, const struct value *node,
                    struct err *e, const char *format, ...) FORMAT(5, 6);
/*
 * Checks what can be checked only when all types have been read: targets of references, arrays of
 * themselves.
 */
MUST_CHECK bool types_check(const struct type_reader *r, struct err *e);
