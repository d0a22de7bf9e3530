/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkpoint.h - when each object was last found well, for the next process.
 *
 * Without it a restart would check everything at once. It is kept in one side object, so that no
 * object is written for it: 12 bytes each, a hash of the key and the minute. It may be lost or
 * outdated at any time; then objects are checked sooner than needed.
 *
 *     checkpoint_note(c, &key, now);
 *     text = checkpoint_write(c, a, now);            into the side object
 *     checkpoint_read(c, text);                      after a restart
 *     ago = checkpoint_age(c, &key, now);            below 0: not known
 *
 * One thread at a time. now is clock_now.
 */
#pragma once

#include "object/object.h"

struct checkpoint;

/* As many objects are remembered: what fits into a ConfigMap. */
#define CHECKPOINT_MAX 60000

struct checkpoint *checkpoint_new(void);
void checkpoint_free(struct checkpoint *c);

void checkpoint_note(struct checkpoint *c, const struct object_key *key, int64_t now);
int64_t checkpoint_age(const struct checkpoint *c, const struct object_key *key, int64_t now);
/* What was noted within the last week, in base 64. */
str checkpoint_write(const struct checkpoint *c, struct arena *a, int64_t now);
/* Adds what was written; anything else is ignored. */
void checkpoint_read(struct checkpoint *c, str text);
