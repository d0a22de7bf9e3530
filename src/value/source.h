/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.h - positions of nodes in the text they were read from.
 *
 * A reader keeps one struct source per text and stores only an offset in each node, which costs
 * four bytes; line and column are computed on demand, which is when something is wrong. That may
 * happen often (a thousand differences, a stream of broken documents), so a source of untrusted
 * text has marks, which cache what was counted (yaml_source adds them). A document is a tree and
 * its source. May be called from any thread.
 */
#pragma once

#include "value/value.h"

struct source {
    str file;                /* as shown to people; empty when there is none */
    str text;                /* UTF-8, what the offsets count in */
    uint32_t lines_before;   /* of the file, when text is a later part of it */
    _Atomic uint64_t *marks; /* see source_remember; NULL counts from the beginning each time */
};

struct doc {
    struct value *root;
    const struct source *source;
};

/*
 * Gives s, whose text is set, its marks: computing many positions then costs one pass over the
 * text, plus up to 4 KiB of it for each. They take 2 bytes per KiB of text and live in a.
 */
void source_remember(struct arena *a, struct source *s);

/* The place of an offset. Lines end at LF; the column counts code points from 1. */
struct where source_where_offset(const struct source *s, size_t offset);
/* The place of a node; only the file when the node was not read from a text. */
struct where source_where(const struct source *s, const struct value *v);
/*
 * Where a node begins: a member at its key if the text contains the key literally, anything else at
 * its value. False when the node was not read from a text.
 */
bool source_offset(const struct source *s, const struct value *v, size_t *out);
/* Fills e, position included: the usual way to report a bad value. Always false. */
bool source_err(struct err *e, const struct source *s, const struct value *v, const char *format,
                ...) FORMAT(4, 5);
