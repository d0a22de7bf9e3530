/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quote.h - foreign text made fit to be shown. Pure; may be called from any thread.
 */
#pragma once

#include "base/base.h"

/* Appends s in double quotes with Go's escapes, as %q prints it. */
void quote_text(struct buf *out, str s);
/* The same as a new text, which lives as long as a. */
str quote_of(struct arena *a, str s);
/* Appends r in single quotes with Go's escapes, as %q prints a rune. */
void quote_rune(struct buf *out, uint32_t r);
/*
 * Appends s with everything escaped that could command a terminal or hide text from its reader:
 * C0 but for tab and newline, DEL, C1, bidirectional controls, and bytes that are not UTF-8.
 */
void quote_for_terminal(struct buf *out, str s);
/* s escaped in the same way, newlines too: it stays on its line. Lives as long as a. */
str quote_line(struct arena *a, str s);
