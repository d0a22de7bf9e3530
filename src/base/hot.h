/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hot.h - what few files need, where callgrind shows that instructions are spent.
 *
 * Not part of base.h: plain C is enough everywhere else.
 */
#pragma once

/*
 * For functions that word an error: out of line, so that those that call them are small, without
 * the arguments of the message on their stack.
 */
#define COLD __attribute__((cold, noinline))
/* Part of every caller, whatever the compiler thinks of its size. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Sixteen bytes that are computed with at once. */
typedef signed char hot_bytes __attribute__((vector_size(16)));
