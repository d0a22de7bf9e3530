/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_metrics.h - why Azure was written to, and what others change, counted for Prometheus.
 *
 * plumb_writes_total{cause} counts PUTs, plumb_noop_writes_total those that changed nothing,
 * plumb_writes_avoided_total looks that led to none; plumb_drift_total{kind,path} the members that
 * have drifted, whether corrected or only reported. Elements of lists count together. Any thread.
 */
#pragma once

#include "operator/ports.h"

struct write_metrics;

/* The most kinds and paths that are kept; further ones count as kind or path "other". */
#define WRITE_METRICS_MAX 1000

struct write_metrics *write_metrics_new(void);
void write_metrics_free(struct write_metrics *m);

void write_metrics_add(struct write_metrics *m, const struct tally *tally);
/* Appends the metrics. */
void write_metrics_write(struct write_metrics *m, struct buf *out);
