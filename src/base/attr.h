/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attr.h - compiler attributes and the few macros that everything uses.
 *
 * Cleanup attributes are used only in base: AUTO_ARENA, AUTO_ERR, AUTO_FD and AUTO_LOCK are the
 * only ones.
 */
#pragma once

#include "base/banned.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The caller must check the result. */
#define MUST_CHECK __attribute__((warn_unused_result))
/* printf-like: the format is parameter f, its arguments begin at parameter n. */
#define FORMAT(f, n) __attribute__((format(printf, f, n)))
/* Runs fn(&variable) at the end of the block. */
#define CLEANUP(fn) __attribute__((cleanup(fn)))
#define NORETURN __attribute__((noreturn))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* The number of elements of an array (never of a pointer). */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
