/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.h - standard output, buffered and checked.
 *
 * Commands write here and never check for failures: the first one is kept, everything after it is
 * dropped, and output_finish returns it. On a terminal, control characters are escaped, so that
 * nothing read from a file can control it. On a pipe, data is written unchanged, but text for
 * people is escaped as well, since logs end up on terminals, and in programs that act on commands
 * in them. Colours are used on a terminal that is not dumb, unless NO_COLOR is set. One thread at a
 * time.
 */
#pragma once

#include "base/base.h"

/*
 * The longest output of one document or comparison: with indentation, a small but deeply nested
 * text can become very long.
 */
#define OUTPUT_MAX (1 * GIB)

struct output {
    struct arena *arena; /* for what is not written yet */
    struct buf waiting;
    int fd;
    bool terminal, colour;
    struct err failure;
};

struct output output_new(struct arena *a, int fd);
/*
 * On a terminal, each text is escaped separately: a character must not be split between two calls.
 */
void output_add(struct output *o, str text);
/* Appends text that is already safe for a terminal: its author has escaped foreign text. */
void output_add_safe(struct output *o, str text);
/* Appends text for people, always escaped by quote_for_people. */
void output_text(struct output *o, str text);
/* The same, formatted. */
void output_fmt(struct output *o, const char *format, ...) FORMAT(2, 3);
/* Sets the style of what follows, if colours are used. */
enum output_style { STYLE_PLAIN, STYLE_ADDED, STYLE_MISSING, STYLE_PLACE };
void output_style(struct output *o, enum output_style style);
/* Writes what is left. False if anything could not be written. */
MUST_CHECK bool output_finish(struct output *o, struct err *e);

/* Whether output goes to a pipe whose reader is gone. */
bool output_reader_left(const struct output *o);
