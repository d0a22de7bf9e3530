/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay.h - repeating decisions from recorded inputs.
 *
 * Whether Azure is written to is decided by judge.c, which is pure: from the object with its
 * memory, its Namespace, the payload, Azure's answer and the time. These can be recorded, a line of
 * JSON for each decision, and judged again on any machine:
 *
 *     struct keeper *k;
 *     if (!keeper_open(path, &k, e)) ...        plumb operate --keep-decisions
 *     keeper_add(k, record);                    the port "judged" (ports.h)
 *
 *     if (!replay_judge(a, model, NULL, record, &r, e)) ...
 *     r.same: the verdict is still the same
 *
 * No secrets are recorded: values of Secrets are masked, and since the key of the digests is itself
 * secret, digests of long and hidden values are replaced by unkeyed ones of the masked values. A
 * record is judged again before it is written, and marked if its verdict depends on what was
 * masked.
 */
#pragma once

#include "base/base.h"

struct kind_set;
struct model;
struct value;

/* A file grows to this size, then it becomes FILE.1, whose content is gone. */
#define KEEPER_BYTES_MAX (64 * MIB)
/* A longer record is counted and not kept. */
#define KEEPER_LINE_MAX (1 * MIB)

struct keeper;
/* Appends to the file, which is made readable by its owner alone when it is missing. */
MUST_CHECK bool keeper_open(str path, struct keeper **out, struct err *e);
/* One thread at a time. The first failure is logged, the next ones are not. */
void keeper_add(struct keeper *k, const struct value *record);
void keeper_close(struct keeper *k); /* k may be NULL */

struct replay {
    str object;   /* "StorageAccount default/files" */
    str time;     /* of the decision */
    bool inexact; /* it cannot be judged again: the verdict needs what was masked */
    bool same;    /* was and is are the same */
    str was, is;  /* "write drift: properties.accessTier", "leave" */
};

/*
 * Judges a record again. rules lie over the built-in ones, as then; may be NULL. Fails when it is
 * no record, or when the model does not know its kind. Texts live as long as a and record.
 */
MUST_CHECK bool replay_judge(struct arena *a, struct model *model, const struct kind_set *rules,
                             const struct value *record, struct replay *out, struct err *e);
