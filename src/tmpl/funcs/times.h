/* SPDX-License-Identifier: Apache-2.0 */
/*
 * times.h - times as values of templates, for the functions that make and read them.
 */
#pragma once

#include "base/gotime.h"
#include "tmpl/rt.h"

struct tv tv_time(struct rt *rt, struct gotime t);
static inline struct gotime time_of(struct tv v)
{
    return *(const struct gotime *)v.object;
}
/* The local time zone of the run. */
const struct zone *local_zone(struct rt *rt);
static inline bool return_time(struct tmpl_call *c, struct gotime t)
{
    return return_tv(c, tv_time(c->rt, t));
}
