/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.h - memory with a lifetime of its own.
 *
 * For the few places that hold very many things which come and go one by one, such as the cache of
 * a hundred thousand objects. Everything else uses an arena. Out of memory ends the program. Any
 * thread.
 */
#pragma once

#include "base/attr.h"

/* Contents undefined. */
void *block_new(size_t size) __attribute__((malloc, returns_nonnull));
/* NULL is fine. */
void block_free(void *p);
