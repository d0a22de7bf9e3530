/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_metrics.h - how many objects of each kind are in which state, for Prometheus.
 *
 * plumb_objects_by_state{group,kind,state} is a gauge. A state is where the last pass left an
 * object. Reasons of conditions are not labels, since there are more of them and they come from
 * Azure. Any thread.
 */
#pragma once

#include "operator/ports.h"

struct state_metrics;

/* The most kinds that are kept; objects of further ones count as group and kind "other". */
#define STATE_METRICS_MAX 1000

struct state_metrics *state_metrics_new(void);
void state_metrics_free(struct state_metrics *m);

/* Moves an object from one state to another; OBJECT_UNKNOWN: it was added or removed. */
void state_metrics_move(struct state_metrics *m, const struct object_key *key,
                        enum object_state from, enum object_state to);
/* Appends the metric. */
void state_metrics_write(struct state_metrics *m, struct buf *out);
