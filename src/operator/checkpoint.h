/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkpoint.h - remembers across restarts when each object was last found healthy.
 *
 * Without it a restart would check everything at once. All of it is in one ConfigMap, so that the
 * objects themselves need not be written: 12 bytes per object, a hash of its key and the minute. It
 * may be lost or outdated at any time; objects are then checked sooner than needed.
 *
 *     checkpoint_note(c, &key, now);
 *     text = checkpoint_write(c, a, now);            into the ConfigMap
 *     checkpoint_read(c, text);                      after a restart
 *     ago = checkpoint_age(c, &key, now);            negative: unknown
 *
 * One thread at a time. now is clock_now.
 */
#pragma once

#include "object/object.h"

struct checkpoint;

/* The most objects that are remembered: as many as fit into a ConfigMap. */
#define CHECKPOINT_MAX 60000

struct checkpoint *checkpoint_new(void);
void checkpoint_free(struct checkpoint *c);

void checkpoint_note(struct checkpoint *c, const struct object_key *key, int64_t now);
int64_t checkpoint_age(const struct checkpoint *c, const struct object_key *key, int64_t now);
/* What was noted within the last week, in base 64. */
str checkpoint_write(const struct checkpoint *c, struct arena *a, int64_t now);
/* Adds what checkpoint_write wrote; anything else is ignored. */
void checkpoint_read(struct checkpoint *c, str text);
