/* SPDX-License-Identifier: Apache-2.0 */
/*
 * why.h - explains the state of an object from what the operator has recorded about it.
 *
 *     struct value *w = why_object(a, object);        one object
 *
 *     struct why_kinds *k = why_kinds_new(a);
 *     why_kinds_add(k, object);                       every object
 *     struct value *list = why_kinds_list(k);         the noisiest kind first
 *
 * Everything is read from status and metadata, without requests. One thread at a time; results live
 * as long as a.
 */
#pragma once

#include "base/base.h"

struct value;

/*
 * {object, state, message, since, resourceId, synced {status, reason, message}, waits {nextRetry,
 * attempt, class, rule, requestId}, decisions, knownDifferences, settled, guard}; unknown members
 * are left out.
 */
struct value *why_object(struct arena *a, const struct value *object);

/* Paths and kinds beyond these are not counted. */
#define WHY_KINDS_MAX 2000
#define WHY_PATHS_MAX 200

struct why_kinds;
struct why_kinds *why_kinds_new(struct arena *a);
void why_kinds_add(struct why_kinds *k, const struct value *object);
/*
 * A list of {group, kind, objects, corrections, reports, puts, losses, stuck, paths [{path,
 * count}]}. Among the last decisions of each object, corrections are PUTs because of drift, reports
 * those that only reported it, puts all PUTs; losses are known differences where Azure did not do
 * what the user asked for, stuck are paths whose correction was given up.
 */
struct value *why_kinds_list(struct why_kinds *k);
