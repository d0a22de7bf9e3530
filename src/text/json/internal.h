/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - shared by the files of the JSON reader and private to them: read.c builds the tree,
 * scalar.c reads strings, numbers and literals and words the errors.
 *
 * Parsing functions take a start position and return the position after what they read, or NULL on
 * failure.
 */
#pragma once

#include "text/json/json.h"
#include "text/json/scan_internal.h"

struct json_frame;

struct json_reader {
    struct arena *arena; /* of the tree */
    const struct source *src;
    const struct read_options *opts;
    struct err *e;
    const char *begin, *end; /* of the text */
    bool stream;             /* reading one of several values */

    struct value *nodes; /* a stack: nodes that are not yet part of a finished list or object */
    size_t node_count, node_cap;
    size_t done, nodes_max;    /* nodes that left the stack, and the limit on all nodes */
    struct json_frame *frames; /* a stack: the lists and objects that are open */
    size_t depth, frame_cap;
    struct arena *node_arena, *frame_arena,
        *index_arena; /* separate arenas, so that each stack can grow in place */

    str out_of_range; /* the first number beyond float64, when opts->go; see check_range */
};

/* ---- Failing: all return NULL. ---- */

/* Adds the position to an error that is already set. */
const char *json_fail_at(struct json_reader *r, const char *p);
/* The text ends too early. */
const char *json_fail_end(struct json_reader *r);
/* The byte at p is unexpected; the end of the text counts as a blank. */
const char *json_fail_byte(struct json_reader *r, const char *p, const char *context);
/* As json_fail_byte, for places where a blank is allowed: at the end, more was expected. */
const char *json_fail_here(struct json_reader *r, const char *p, const char *context);

/* ---- Scalars. ---- */

/* Reads the rest of the string that begins at from; p is at its first byte that is not plain. */
const char *json_read_odd_string(struct json_reader *r, const char *from, const char *p, str *s);
/* Reads a number, whose first byte is known to be a digit or a minus. Sets kind and text. */
const char *json_read_number(struct json_reader *r, const char *p, struct value *v);
/* Reads the word whose first letter is at p. */
const char *json_read_literal(struct json_reader *r, const char *p, str word);
/* Reports the error that json_read_number kept for the end. True when there is none. */
bool json_check_range(struct json_reader *r);

static inline bool json_is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

/* A string; p is after its opening quote. */
static inline const char *json_read_string(struct json_reader *r, const char *p, str *s)
{
    const char *stop = json_skip_plain(p, r->end, false);

    if (UNLIKELY(stop == r->end || *stop != '"' || (size_t)(stop - p) > TEXT_SCALAR_MAX))
        return json_read_odd_string(r, p, stop, s);
    *s = (str){p, (size_t)(stop - p)};
    return stop + 1;
}
