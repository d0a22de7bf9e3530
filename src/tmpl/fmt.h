/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fmt.h - what the files that print values share.
 */
#pragma once

#include "tmpl/internal.h"

/* strconv.Quote, or QuoteToASCII. */
void go_quote_with(struct buf *out, str s, bool ascii);
/* strconv.QuoteRune, or QuoteRuneToASCII. */
void go_quote_rune(struct buf *out, uint64_t c, bool ascii);
/* The first count code points of s. */
str str_first_runes(str s, size_t count);

/* A verb being formatted, and the format it stands in. */
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

/* Prints one operand as the verb and the flags say. */
void print_arg(struct printer *p, struct tv v, uint32_t verb);
