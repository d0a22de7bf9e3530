/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zone.h - time zones, read from the system's zone database.
 *
 * A zone maps any time to its offset from UTC and an abbreviation. NULL is UTC everywhere. Dates
 * beyond the last recorded change follow the rule at the end of the zone's file. The environment is
 * never changed, so that each execution may have a local zone of its own.
 *
 * A zone never changes once made. Zones of the database are read once per process and kept; those
 * that are not kept live as long as the arena they were made in. May be called from any thread.
 */
#pragma once

#include "base/str.h"

struct err;
struct zone;

/* What applies in a zone at one moment. */
struct zone_span {
    str name;           /* "CET"; may be empty for fixed zones */
    int32_t offset;     /* seconds east of UTC */
    bool is_dst;        /* daylight saving time */
    int64_t start, end; /* seconds since 1970 between which it applies, end excluded */
};

/*
 * "" and "UTC" are UTC; anything else is a file of the database. Names that lead out of it are
 * rejected.
 */
MUST_CHECK bool zone_find(struct arena *a, str name, const struct zone **out, struct err *e);
/*
 * The zone of this process as Go finds it: TZ, or /etc/localtime when TZ is not set. UTC when there
 * is none.
 */
const struct zone *zone_local(struct arena *a);
/* The contents of a zone file. */
MUST_CHECK bool zone_read(struct arena *a, str name, str data, const struct zone **out,
                          struct err *e);
/* A zone with a fixed offset, in seconds east of UTC. */
const struct zone *zone_fixed(struct arena *a, str name, int32_t offset);

/* "UTC", "Europe/Berlin", or the name given to zone_fixed. */
str zone_name(const struct zone *z);
/* What applies sec seconds after 1970. */
struct zone_span zone_at(const struct zone *z, int64_t sec);
/*
 * The offset of an abbreviation in a zone, preferring the one in force at that local time (seconds
 * as if it were UTC). False when the zone never uses it.
 */
bool zone_offset_named(const struct zone *z, str abbreviation, int64_t local_sec, int32_t *offset);
/* Whether two zones have the same name and agree at every moment. */
bool zone_equal(const struct zone *x, const struct zone *y);
/* Whether a zone is an unnamed offset of whole hours: Go has only one zone for each of these. */
bool zone_is_hours(const struct zone *z);
