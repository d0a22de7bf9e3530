/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goquote.h - text in quotes as Go's strconv writes it: in messages, by %q and by quote functions.
 * May be called from any thread.
 */
#pragma once

#include "base/base.h"

/* strconv.Quote: in double quotes. */
void go_quote(struct buf *out, str s);
/* strconv.Quote, or QuoteToASCII. */
void go_quote_with(struct buf *out, str s, bool ascii);
/* strconv.QuoteRune, or QuoteRuneToASCII: one character in single quotes; what is none is U+FFFD.
 */
void go_quote_rune(struct buf *out, uint64_t c, bool ascii);
/* strconv.CanBackquote: whether s may stand between backquotes. */
bool go_can_backquote(str s);
