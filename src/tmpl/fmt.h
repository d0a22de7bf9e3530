/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fmt.h - what the files that print values share.
 */
#pragma once

#include "tmpl/internal.h"

/* The first count code points of s. */
str str_first_runes(str s, size_t count);

/* A verb being formatted, and the format that contains it. */
struct printer {
    struct rt *rt;
    struct buf *out;
    int width, precision;
    bool has_width, has_precision;
    bool sharp, zero, plus, minus, space;
    bool sharp_v, plus_v; /* %#v and %+v */
    bool erroring;        /* inside %!v(...): String methods are not called */
    /* Of the whole format: */
    const struct tv *args;
    size_t count, next;
    bool reordered, good_index, after_index;
};

/* Prints one operand according to the verb and the flags. */
void print_arg(struct printer *p, struct tv v, uint32_t verb);
/* %!d(string=x): the verb does not fit the operand. */
void print_bad_verb(struct printer *p, struct tv v, uint32_t verb);

/* ---- Scalars. ---- */

struct integer {
    uint64_t magnitude;
    unsigned base;
    bool negative, upper;
    char letter; /* of %O and %#x, or 0 */
};

/* Pads text to the width of the verb; cuts text to its precision. */
void print_padded(struct printer *p, str s);
str print_truncated(const struct printer *p, str s);

void print_integer(struct printer *p, struct tv v, uint32_t verb);
void print_integer_as(struct printer *p, const struct integer *n);
/* Only for verbs of floating point. */
void print_float(struct printer *p, struct tv v, uint32_t verb);
void print_complex(struct printer *p, const struct tv_complex *z, uint32_t verb);
/* Prints s with a verb for texts; for any other verb, the error names v. */
void print_string(struct printer *p, struct tv v, str s, uint32_t verb);
