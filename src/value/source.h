/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.h - where a node stands in the text it was read from.
 *
 * A reader keeps one struct source per text and stores only an offset in each node, which costs
 * four bytes; line and column are counted when somebody asks, which is when something is wrong.
 * A document is a tree and its source. May be called from any thread.
 */
#pragma once

#include "value/value.h"

struct source_index;

struct source {
    str file;                         /* as shown to people; empty when there is none */
    str text;                         /* UTF-8, what the offsets count in */
    const struct source_index *index; /* NULL, or from source_make_index */
};

struct doc {
    struct value *root;
    const struct source *source;
};

/*
 * Notes every few thousand bytes which line and column begin there, so that asking for many places
 * of a large text does not cost a pass over it each time. For texts of many documents. The index
 * lives as long as a; small texts get none.
 */
void source_make_index(struct arena *a, struct source *s);

/* The place of an offset. Lines end at LF; the column counts code points from 1. */
struct where source_where_offset(const struct source *s, size_t offset);
/* The place of a node; only the file when the node was not read from a text. */
struct where source_where(const struct source *s, const struct value *v);
/* Fills e and says where: the usual way for a reader of values to complain. Always false. */
bool source_err(struct err *e, const struct source *s, const struct value *v, const char *format,
                ...) FORMAT(4, 5);
