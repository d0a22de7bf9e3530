/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget_metrics.h - how much of Azure's limits is left, for Prometheus.
 *
 * One line per request bucket. Labels are the subscription, the credential (principal), the region,
 * the provider (empty: all of them together) and the verb. Any thread.
 */
#pragma once

#include "arm/arm.h"

/* The most buckets that are shown. */
#define BUDGET_METRICS_MAX 1000

/* Appends the metrics plumb_budget_*. */
void budget_metrics(struct arm_gate *gate, struct buf *out);
