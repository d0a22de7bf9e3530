/* SPDX-License-Identifier: Apache-2.0 */
/*
 * common.h - small conversions that several families need.
 */
#pragma once

#include "tmpl/rt.h"

/* Sprig's strval: a text or bytes as they are, everything else as %v prints it. */
str as_text(struct rt *rt, struct tv v);

/* A []uint8. */
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

/* What asking the system for random bytes costs. */
#define RANDOM_STEPS 10

/* What Go says when a nil is used. */
#define NIL_DEREFERENCE "runtime error: invalid memory address or nil pointer dereference"

/* What the host finds for the first four arguments, charged for what it looks at (helm.c). */
MUST_CHECK bool host_lookup(struct tmpl_call *c, const struct value ***found, size_t *count);
