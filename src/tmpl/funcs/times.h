/* SPDX-License-Identifier: Apache-2.0 */
/*
 * times.h - times as values of templates, for the functions that make and read them.
 */
#pragma once

#include "go/time.h"
#include "tmpl/rt.h"

struct tv tv_time(struct rt *rt, struct gotime t);
static inline struct gotime time_of(struct tv v)
{
    return *(const struct gotime *)v.object;
}
/* The local time zone of the run. */
const struct zone *local_zone(struct rt *rt);
/* Layouts are searched for elements at each byte; this charges for it in advance. */
MUST_CHECK static inline bool pay_for_layout(struct tmpl_call *c, str layout)
{
    return call_steps(c, 4 * (uint64_t)layout.len);
}
static inline bool return_time(struct tmpl_call *c, struct gotime t)
{
    return return_tv(c, tv_time(c->rt, t));
}
/* A month, a weekday or a duration. */
static inline bool return_type(struct tmpl_call *c, enum tv_type type, int64_t i)
{
    return return_tv(c, (struct tv){.type = (uint8_t)type, .i = i});
}
