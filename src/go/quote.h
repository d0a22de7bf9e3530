/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quote.h - quoted strings as Go's strconv writes them: in messages, by %q and by quote functions.
 * May be called from any thread.
 */
#pragma once

#include "base/base.h"

/* strconv.Quote: in double quotes. */
void go_quote(struct buf *out, str s);
/* The same, as a new text that lives as long as a. */
str go_quoted(struct arena *a, str s);
/* strconv.Quote, or QuoteToASCII. */
void go_quote_with(struct buf *out, str s, bool ascii);
/*
 * strconv.QuoteRune, or QuoteRuneToASCII: one character in single quotes; U+FFFD if r is invalid.
 */
void go_quote_rune(struct buf *out, uint64_t c, bool ascii);
/* strconv.Unquote of a text in double quotes or backquotes. *out lives as long as a and quoted. */
MUST_CHECK bool go_unquote(struct arena *a, str quoted, str *out);
/*
 * strconv.UnquoteChar: takes one character off the front of *s, which is inside such quotes. *rune
 * is false when it is a byte rather than a code point.
 */
MUST_CHECK bool go_unquote_char(str *s, char quote, uint32_t *out, bool *rune);
/* strconv.CanBackquote: whether s can be written in backquotes. */
bool go_can_backquote(str s);
