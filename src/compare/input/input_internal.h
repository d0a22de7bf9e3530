/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input_internal.h - reads objects from files, archives and clusters. For this folder only.
 *
 * sources.c finds files, input.c and archive/archive.c open them and the members of archives,
 * stream.c splits them into documents, object.c turns these into objects.
 */
#pragma once

#include "compare/log_buffer_internal.h"
#include "compare/input/object_internal.h"
#include "compare/input/stream.h"

struct run;

struct input_errors {
    struct str_list items;
};

/*
 * The result of reading one document: objects, warnings and faults. The original collects the texts
 * of faults and mostly gives up; if faults are isolated, each becomes a note with its place and
 * ends only its own document.
 */
enum input_loss {
    LOSS_DOCUMENT, /* it cannot be read */
    LOSS_SKIPPED,  /* it is not an object */
    LOSS_OBJECT,   /* one of several in a document */
    LOSS_MEMBER,   /* of an archive, which is not even a document */
};
struct input_fault {
    str text; /* for the original */
    struct result_note note;
    enum input_loss loss;
};
struct input {
    struct arena *arena;
    const struct dialect *dialect;
    size_t documents;
    size_t members_ignored; /* of archives */
    struct objects objects;
    struct log_buffer log;
    struct {
        struct input_fault *items;
        size_t len, cap;
    } faults;
};

/* Several errors in one text: "[a, b]", without duplicates. */
str errors_text(struct arena *a, const struct input_errors *errors);
/* Adds a fault: text for the original; place and reason for the verdict. */
void input_fail(struct input *in, str text, struct result_place place, str reason);
/* Adds the object, or the items of a list, of one document. */
void object_add(struct input *in, struct document *doc);
/* Checks metadata; errors are those of Go's decoder. sorted: members are checked by name. */
MUST_CHECK bool object_meta_check(struct arena *a, struct value *doc, bool sorted, struct err *e);

struct feed;
/* Finds all sources; problems with single ones go to in. It lives as long as r; close it. */
MUST_CHECK bool feed_open(struct run *r, struct input *in, struct feed **out, struct err *e);
void feed_close(struct feed *f);
/* The next document; false at the end. *stream is the number of its file. */
bool feed_next(struct feed *f, struct input *in, struct document *out, size_t *stream);
/* How much was read, for errors that it was too little. */
struct feed_extent {
    size_t files;
    size_t members; /* of archives, of any type */
    str only;       /* the name of the only file; empty if there are several, or it has none */
    bool live;      /* a cluster was read instead */
};
struct feed_extent feed_extent(const struct feed *f);
/* Skips the rest of a file, if any. */
void feed_skip(struct feed *f, size_t stream);
/* Warns about errors that the original skips; fails if there are others. */
MUST_CHECK bool feed_report(struct run *r, const struct input_errors *errors, struct err *e);

/* Fetches a URL of -f: source_url.c. */
MUST_CHECK bool source_url_read(struct arena *a, str url, bool explain, str *out, struct err *e);
/* Builds the folder of -k: kustomize.c. */
MUST_CHECK bool kustomize_build(struct arena *a, str folder, str *out, struct err *e);

/*
 * Objects of the cluster in the options: source_live.c. They are returned one by one; one page at a
 * time is in memory.
 */
struct source_live;
/* Must be closed even after a failure. */
MUST_CHECK bool source_live_open(struct run *r, struct source_live **out, struct err *e);
void source_live_close(struct source_live *s); /* s may be NULL */
/*
 * Adds the next object to in; out has no document then. False at the end. *stream is the number of
 * its type.
 */
bool source_live_next(struct source_live *s, struct input *in, struct document *out,
                      size_t *stream);

/* Finds the files of -f. Errors are collected as the original does; *stdin_: "-" was given. */
struct input_source {
    str path;
    str name; /* for people: a URL has no secrets */
    bool stdin_, url;
};
struct input_sources {
    struct input_source *items;
    size_t len, cap;
};
MUST_CHECK bool sources_find(struct input *in, const struct compare_options *o,
                             struct input_sources *out, struct err *e);
/* Logs a warning for an error that can be skipped. False if it cannot. */
bool error_ignorable(str text, struct log_buffer *log);
