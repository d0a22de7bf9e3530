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
