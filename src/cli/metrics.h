/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metrics.h - publishes metrics for Prometheus in a file and over HTTP.
 *
 *     struct metrics *m;
 *     if (!metrics_open(a, file, address, &m, e)) ...
 *     metrics_publish(m, text);      as often as needed
 *     metrics_close(m);
 *
 * The file is replaced atomically. If it cannot be written, there is one warning until it can be
 * written again. GET /metrics returns what was published last. One thread at a time.
 */
#pragma once

#include "base/base.h"

struct metrics;

/*
 * Either of file and address may be empty. An address is a port, on 127.0.0.1, or HOST:PORT with an
 * IP address for HOST ([...] around IPv6); port 0 picks a free one. The address is printed to
 * standard error.
 */
MUST_CHECK bool metrics_open(struct arena *a, str file, str address, struct metrics **out,
                             struct err *e);
void metrics_close(struct metrics *m); /* m may be NULL */
/* Whether metrics were requested. */
bool metrics_wanted(const struct metrics *m);
void metrics_publish(struct metrics *m, str text);
