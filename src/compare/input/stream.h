/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.h - splits a byte stream into documents.
 *
 * A stream is asked for the next document of what it is given, be it a file, standard input or a
 * member of an archive, and holds no more of it in memory than that one needs:
 *
 *     struct stream *s = stream_new(a);
 *     stream_begin(s, STR("a.yaml"), &reader);
 *     while (stream_next(s, a, &doc)) ...
 *
 * It is either the text of a YAML document, which whoever wants it reads with document_read, on any
 * thread; or a JSON value, which had to be read to find its end. The text is split as
 * Kubernetes tools do it: see stream.c. One thread at a time, except for document_read.
 */
#pragma once

#include "base/reader.h"
#include "value/source.h"

/* The largest document. */
#define STREAM_DOCUMENT_MAX FILE_MAX

struct document {
    str file; /* as messages name it */
    struct source *source;
    struct value *root; /* NULL: source->text is a YAML document that was not parsed yet */
    bool yaml;          /* else JSON, where members have an order */
    bool failed;        /* there is none; why, is among the faults */
    str refusal;        /* why root cannot be decoded, though it reads; empty: it can */
    size_t counted;     /* lines up to here: see document_line */
    uint32_t line;
};

struct input;

/* Lives as long as a; stream_free gives back the buffer. */
struct stream *stream_new(struct arena *a);
void stream_free(struct stream *s);
/* Goes on with other bytes. name and reader live until the end of them. */
void stream_begin(struct stream *s, str name, struct reader *reader);
/*
 * The next document; false at the end. It lives as long as in->arena, and in gets what there is to
 * say about it. A fault is the last one unless faults are isolated; see dialect.h.
 */
bool stream_next(struct stream *s, struct input *in, struct document *out);
/* Nothing more is wanted of these bytes. */
void stream_end(struct stream *s);

/* Reads the text, unless that is done: sets root, which may be a null, or failed. */
void document_read(struct input *in, struct document *d);
/* The line of an offset in the text. As long as offsets grow, all of them cost one pass. */
uint32_t document_line(struct document *d, size_t offset);
