/* SPDX-License-Identifier: Apache-2.0 */
/* common.h - small conversions that several families of functions need. */
#pragma once

#include "tmpl/rt.h"

/* Sprig's strval: texts and bytes unchanged, everything else as printed by %v. */
str as_text(struct rt *rt, struct tv v);

/* Returns a []uint8. */
bool return_bytes(struct tmpl_call *c, str s);
/* Sprig's strslice: the elements as texts without the nils; anything else is one text. */
struct tv as_strings(struct tmpl_call *c, struct tv v);
/* A []string of these. */
struct tv strings_of(struct tmpl_call *c, const str *items, size_t count);

/* spf13/cast: numbers by truncation, bool as 0 and 1, texts by Go's syntax, everything else 0. */
int64_t as_int64(struct tv v);
double as_float64(struct tv v);

/* Go's empty value: what default, coalesce and compact look at. */
bool is_empty(const struct rt *rt, struct tv v);

/* The cost of asking the system for random bytes. */
#define RANDOM_STEPS 10

/* Go's error when a nil is dereferenced. */
#define NIL_DEREFERENCE "runtime error: invalid memory address or nil pointer dereference"

/* Looks up the first four arguments at the host, at the cost of what it looks at (helm.c). */
MUST_CHECK bool host_lookup(struct tmpl_call *c, const struct value ***found, size_t *count);
