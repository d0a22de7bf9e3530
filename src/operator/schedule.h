/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule.h - when a healthy object is checked next.
 *
 * The annotation plumb.azure.com/sync-period of the object ("30m", "never") takes precedence over
 * the operator's period; objects that are written at each check (drift_writes) are checked at most
 * once an hour. Each period varies by up to a quarter, so that objects that were created together
 * do not stay in step. Any thread.
 */
#pragma once

#include "value/value.h"

/* Between checks that write, at least, unless the object itself says otherwise. */
#define SCHEDULE_WRITING (3600 * NS_PER_SEC)
/* "never" is longer than anything runs. */
#define SCHEDULE_NEVER (INT64_C(50) * 365 * 86400 * NS_PER_SEC)

/* "15m", "never". */
MUST_CHECK bool schedule_parse(str text, int64_t *out, struct err *e);
/* The period of an object; period is that of the operator. writes: each check does. */
int64_t schedule_period(int64_t period, const struct value *object, bool writes);
/* The longest pause between looks at an object that is not well: its period; never: an hour. */
int64_t schedule_retry(int64_t period, const struct value *object, bool writes);
/* Until the next look at what was just written, varied: two of them fit into two minutes. */
int64_t schedule_second_look(void);
/* A period, varied. */
int64_t schedule_vary(int64_t period);
/* A delay, shortened by up to a share of it: what failed together is not tried again together. */
int64_t schedule_spread(int64_t delay, double share);
