/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay.h - repeats decisions from recorded inputs.
 *
 * Whether to write to Azure is decided by judge.c, a pure function of the object with its memory,
 * its Namespace, the payload, Azure's answer and the time. These can be recorded, one line of JSON
 * per decision, and judged again on any machine:
 *
 *     struct keeper *k;
 *     if (!keeper_open(path, &k, e)) ...        plumb operate --keep-decisions
 *     keeper_add(k, record);                    the port "judged" (ports.h)
 *
 *     if (!replay_judge(a, model, NULL, record, &r, e)) ...
 *     r.same: the verdict is still the same
 *
 * No secrets are recorded: values of Secrets are masked, and since the key of the digests is itself
 * secret, digests of long and hidden values are replaced by unkeyed ones of the masked values. Each
 * record is judged again before it is written, and marked if its verdict depends on masked values.
 */
#pragma once

#include "base/base.h"

struct kind_set;
struct model;
struct value;

/* A file that reaches this size is renamed to FILE.1, replacing the old FILE.1. */
#define KEEPER_BYTES_MAX (64 * MIB)
/* Longer records are counted, but not kept. */
#define KEEPER_LINE_MAX (1 * MIB)

struct keeper;
/* Opens the file for appending; a new one is readable by its owner only. */
MUST_CHECK bool keeper_open(str path, struct keeper **out, struct err *e);
/* One thread at a time. Only the first failure is logged. */
void keeper_add(struct keeper *k, const struct value *record);
void keeper_close(struct keeper *k); /* k may be NULL */

struct replay {
    str object;   /* "StorageAccount default/files" */
    str time;     /* of the decision */
    bool inexact; /* it cannot be judged again: the verdict depends on masked values */
    bool same;    /* was and is are equal */
    str was, is;  /* "write drift: properties.accessTier", "leave" */
};

/*
 * Judges a record again. rules override the built-in ones, as they did then; may be NULL. Fails if
 * it is not a record, or if the model does not know its kind. Texts live as long as a and record.
 */
MUST_CHECK bool replay_judge(struct arena *a, struct model *model, const struct kind_set *rules,
                             const struct value *record, struct replay *out, struct err *e);
