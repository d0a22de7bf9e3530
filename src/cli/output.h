/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.h - standard output, buffered and checked.
 *
 * Commands write here and never look at failures: the first one is kept, everything after it is
 * dropped, and output_finish tells. When a person is reading, control characters are escaped, so
 * that nothing which was read from a file can command the terminal; a pipe gets data as it is, and
 * text for people escaped too: logs are read on terminals, and by programs that look for commands.
 * Colours are used on a terminal that is not dumb, unless NO_COLOR is set. One thread at a time.
 */
#pragma once

#include "base/base.h"

/*
 * The longest text that one document or comparison may become: indentation makes a small text with
 * deep nesting very long.
 */
#define OUTPUT_MAX (1 * GIB)

struct output {
    struct arena *arena; /* of what waits to be written */
    struct buf waiting;
    int fd;
    bool terminal, colour;
    struct err failure;
};

struct output output_new(struct arena *a, int fd);
/* Texts are escaped one by one on a terminal: a character must not be split over two calls. */
void output_add(struct output *o, str text);
/* Appends text that is fit for a terminal as it is: its maker has escaped what is foreign. */
void output_add_safe(struct output *o, str text);
/* Appends text for people, escaped by quote_for_people wherever it goes. */
void output_text(struct output *o, str text);
/* The same, formatted. */
void output_fmt(struct output *o, const char *format, ...) FORMAT(2, 3);
/* What follows is shown so, where colours are welcome. */
enum output_style { STYLE_PLAIN, STYLE_ADDED, STYLE_MISSING, STYLE_PLACE };
void output_style(struct output *o, enum output_style style);
/* Writes what is left. False when anything could not be written. */
MUST_CHECK bool output_finish(struct output *o, struct err *e);

/* Whether output goes to a pipe whose reader is gone. */
bool output_reader_left(const struct output *o);
