/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule.h - when a healthy object is checked next.
 *
 * The annotation plumb.azure.com/sync-period of the object ("30m", "never") takes precedence over
 * the operator's period; objects that are written at each check (drift_writes) are checked at most
 * once an hour. Each period varies by up to a quarter, so that objects created together do not stay
 * in step. Any thread.
 */
#pragma once

#include "value/value.h"

/* The shortest time between checks that write, unless the object itself sets a period. */
#define SCHEDULE_WRITING (3600 * NS_PER_SEC)
/* "never": longer than any process runs. */
#define SCHEDULE_NEVER (INT64_C(50) * 365 * 86400 * NS_PER_SEC)

/* Parses "15m" or "never". */
MUST_CHECK bool schedule_parse(str text, int64_t *out, struct err *e);
/* The period of an object. period is the operator's; writes: each check writes. */
int64_t schedule_period(int64_t period, const struct value *object, bool writes);
/*
 * The longest pause between looks at an unhealthy object: its period, or an hour if that is
 * "never".
 */
int64_t schedule_retry(int64_t period, const struct value *object, bool writes);
/* Until the next look at what was just written, varied; two of these fit into two minutes. */
int64_t schedule_second_look(void);
/* A period, varied. */
int64_t schedule_vary(int64_t period);
/* A delay, shortened by up to this share, so that what failed together is not retried together. */
int64_t schedule_spread(int64_t delay, double share);
