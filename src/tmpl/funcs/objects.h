/* SPDX-License-Identifier: Apache-2.0 */
/* objects.h - the types of values that families make, for the table in types.c. */
#pragma once

#include "tmpl/rt.h"

/* A line of a table of methods, which need no help and belong to no profile. */
#define METHOD(name, signature, function)                                                          \
    {                                                                                              \
        (name), (signature), 0, (function), NULL, NULL                                             \
    }

/*
 * times.c and durations.c: the object of a TV_TIME is a struct gotime, that of a TV_LOCATION a
 * struct zone or a mark for UTC.
 */
void time_string(struct rt *rt, struct tv v, struct buf *out);
void time_go_string(struct rt *rt, struct tv v, struct buf *out);
bool time_text(struct rt *rt, struct tv v, struct buf *out, struct err *e);
bool time_equal(const void *x, const void *y, bool deep);
void month_string(struct rt *rt, struct tv v, struct buf *out);
void weekday_string(struct rt *rt, struct tv v, struct buf *out);
void duration_string(struct rt *rt, struct tv v, struct buf *out);
void location_string(struct rt *rt, struct tv v, struct buf *out);
extern const struct tmpl_func time_methods[], month_methods[], weekday_methods[],
    duration_methods[], location_methods[];
extern const struct tv_field time_fields[], location_fields[];

/* versions.c: the object of both types is a struct semver. */
void semver_string(struct rt *rt, struct tv v, struct buf *out);
bool semver_text(struct rt *rt, struct tv v, struct buf *out, struct err *e);
bool semver_equal(const void *x, const void *y, bool deep);
extern const struct tmpl_func semver_methods[], semver_struct_methods[];
extern const struct tv_field semver_fields[];
