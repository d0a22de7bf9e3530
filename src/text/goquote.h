/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goquote.h - text in quotes as Go's strconv writes it, for messages. May be called from any
 * thread.
 */
#pragma once

#include "base/base.h"

/* strconv.Quote: in double quotes. */
void go_quoted(struct buf *out, str s);
/* strconv.QuoteRune: one character in single quotes. */
void go_quoted_rune(struct buf *out, uint32_t r);
