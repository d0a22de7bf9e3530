/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zone_internal.h - the rule of a zone for dates that its file does not list.
 */
#pragma once

#include "go/zone.h"

enum zone_day_kind {
    ZONE_DAY_JULIAN,  /* 1 to 365, February 29 is never counted */
    ZONE_DAY_OF_YEAR, /* 0 to 365 */
    ZONE_DAY_OF_WEEK, /* the week-th such day of a month; the 5th is the last */
};

/* When the clock changes in a year. */
struct zone_change {
    enum zone_day_kind kind;
    int day, week, month;
    int time; /* seconds after local midnight */
};

/* "CET-1CEST,M3.5.0,M10.5.0/3", parsed. Texts point into it. */
struct zone_rule {
    str std_name, dst_name;
    int32_t std_offset, dst_offset;
    bool has_dst;
    struct zone_change to_dst, to_std;
};

/* False if the text is not such a rule. */
bool zone_rule_parse(str text, struct zone_rule *out);
/* What the rule says about a moment; last is when the last listed change was. */
struct zone_span zone_rule_at(const struct zone_rule *r, int64_t last, int64_t sec);
