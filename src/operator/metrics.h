/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.h - requests to Azure, counted for Prometheus under the reference operator's names.
 *
 * azure_successful_requests_total counts every request that Azure answered, errors included;
 * azure_failed_requests_total those without an answer; azure_requests_time_seconds is a histogram
 * of both. Labels are the ARM type, the method and the status. Requests whose path is not an ARM id
 * are not counted. Any thread.
 */
#pragma once

#include "base/base.h"

struct request_metrics;

/* The most combinations of labels that are kept; further ones count as type "other". */
#define REQUEST_METRICS_MAX 20000

struct request_metrics *request_metrics_new(void);
void request_metrics_free(struct request_metrics *m);

/* status 0: no answer. took in nanoseconds. */
void request_metrics_add(struct request_metrics *m, str id, str method, int status, int64_t took);
/* Appends the three metrics. */
void request_metrics_write(struct request_metrics *m, struct buf *out);
