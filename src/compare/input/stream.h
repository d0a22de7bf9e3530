/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.h - splits a byte stream into documents.
 *
 * A stream returns one document after the other from a file, standard input or a member of an
 * archive, and holds no more of it in memory than it needs for that:
 *
 *     struct stream *s = stream_new(a);
 *     stream_begin(s, STR("a.yaml"), &reader);
 *     while (stream_next(s, a, &doc)) ...
 *
 * A document is either the text of a YAML document, to be parsed with document_read on any thread,
 * or a JSON value, which had to be parsed to find its end. The text is split as Kubernetes tools
 * do: see stream.c. One thread at a time, except for document_read.
 */
#pragma once

#include "base/reader.h"
#include "value/source.h"

/* The largest document. */
#define STREAM_DOCUMENT_MAX FILE_MAX

struct document {
    str file; /* the name for messages */
    struct source *source;
    struct value *root; /* NULL: source->text is a YAML document that has not been parsed */
    bool yaml;          /* else JSON, where members have an order */
    bool failed;        /* there is no document; the reason is among the faults */
    str refusal;        /* why root cannot be decoded, although it was parsed; or empty */
    size_t counted;     /* lines were counted up to here: see document_line */
    uint32_t line;
};

struct input;

/* Lives as long as a; stream_free gives back the buffer. */
struct stream *stream_new(struct arena *a);
void stream_free(struct stream *s);
/* Starts reading other bytes. name and reader must live until their end. */
void stream_begin(struct stream *s, str name, struct reader *reader);
/*
 * The next document; false at the end. It lives as long as in->arena; warnings and faults go to in.
 * The first fault is the last one unless faults are isolated; see dialect.h.
 */
bool stream_next(struct stream *s, struct input *in, struct document *out);
/* Stops reading the current bytes. */
void stream_end(struct stream *s);

/* Parses the text, unless that was done: sets root, which may be a null, or failed. */
void document_read(struct input *in, struct document *d);
/* The line of an offset in the text. Increasing offsets cost only one pass altogether. */
uint32_t document_line(struct document *d, size_t offset);
