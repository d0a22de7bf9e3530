/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time_internal.h - the elements of layouts, and helpers of formatting and parsing.
 */
#pragma once

#include "go/strconv.h"
#include "go/time.h"

enum gotime_element {
    ELEMENT_NONE, /* the end of the layout */
    ELEMENT_LONG_MONTH,
    ELEMENT_MONTH,
    ELEMENT_NUM_MONTH,
    ELEMENT_ZERO_MONTH,
    ELEMENT_LONG_WEEKDAY,
    ELEMENT_WEEKDAY,
    ELEMENT_DAY,
    ELEMENT_UNDER_DAY,
    ELEMENT_ZERO_DAY,
    ELEMENT_UNDER_YEARDAY,
    ELEMENT_ZERO_YEARDAY,
    ELEMENT_HOUR,
    ELEMENT_HOUR12,
    ELEMENT_ZERO_HOUR12,
    ELEMENT_MINUTE,
    ELEMENT_ZERO_MINUTE,
    ELEMENT_SECOND,
    ELEMENT_ZERO_SECOND,
    ELEMENT_LONG_YEAR,
    ELEMENT_YEAR,
    ELEMENT_UPPER_PM,
    ELEMENT_LOWER_PM,
    ELEMENT_ZONE_NAME,
    ELEMENT_OFFSET,   /* written as the shape says */
    ELEMENT_FRACTION, /* digits is how many */
};

/* How an offset is written: Z or sign, hours, then minutes and seconds, with or without colons. */
struct offset_shape {
    bool is_iso; /* Z for UTC */
    bool has_minutes, has_seconds, has_colons;
};

/* A piece of a layout. */
struct gotime_chunk {
    str prefix; /* text before the element */
    str text;   /* the element as the layout spells it */
    str rest;   /* the layout after it */
    enum gotime_element element;
    struct offset_shape shape;
    int digits;          /* of a fraction */
    bool fraction_trims; /* 9s: zeros at the end are dropped */
};

struct gotime_chunk gotime_next_chunk(str layout);

/* The digits at the start of *s, taken off. False when they are more than 2^63. */
bool gotime_take_digits(str *s, uint64_t *out);
/* What gotime_quote writes. */
str gotime_quoted(struct arena *a, str s);

static inline bool gotime_less_than_half(int64_t x, int64_t of)
{
    return (uint64_t)x + (uint64_t)x < (uint64_t)of;
}
