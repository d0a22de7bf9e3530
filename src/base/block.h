/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block.h - individually freed memory.
 *
 * For the few places that hold very many things with individual lifetimes, such as a cache of a
 * hundred thousand objects. Everything else uses an arena. Running out of memory ends the program.
 * May be called from any thread.
 */
#pragma once

#include "base/attr.h"

/* Contents undefined. */
void *block_new(size_t size) __attribute__((malloc, returns_nonnull));
/* NULL is fine. */
void block_free(void *p);
