/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quote.h - makes untrusted text safe to display. Go's quotes are in go/quote.h. Pure; may be
 * called from any thread.
 */
#pragma once

#include "base/base.h"

/* Appends r escaped as Go and C do it: \n, \x1b, \u202e, \U000e0001. */
void quote_escape(struct buf *out, uint32_t r);
/*
 * Appends s with everything escaped that could control a terminal or hide text from its reader: C0
 * except tab and newline, DEL, C1, bidirectional controls, the line and paragraph separators, and
 * bytes that are not UTF-8.
 */
void quote_for_terminal(struct buf *out, str s);
/*
 * The same for text that people read on a terminal or in a build log: GitHub's workflow commands,
 * "::" after white space at the beginning of a line and "##[" anywhere, have their first character
 * escaped too. Names must stay on their line: see quote_line.
 */
void quote_for_people(struct buf *out, str s);
/*
 * s escaped as by quote_for_terminal, newlines too, so that it stays on its line. Lives as long as
 * a.
 */
str quote_line(struct arena *a, str s);
