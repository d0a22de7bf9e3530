/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vectors.h - recorded vectors: one JSON object per line, an input and what the original answered.
 *
 * vectors KIND FILE... runs them and prints the failures, then "N passed, M failed", and how many
 * vectors were left out because they are about something else, when there were such.
 *
 * Kinds about larger things read whole files instead: a FILE is one JSON document, or a folder of
 * them, and its vectors are the document or the elements of one of its lists.
 *
 * To add a kind: write kind_<name>.c with one struct vector_kind, and list it in kinds.c.
 */
#pragma once

#include "value/value.h"

/* How many there were. */
struct vector_tally {
    size_t passed, failed, left_out;
};

struct vector_kind {
    const char *name;
    const char *help;
    /*
     * Runs one vector. True when it passes. On failure why gets what was got and what was wanted.
     * a is emptied after each vector.
     */
    bool (*run)(struct arena *a, const struct value *vector, struct buf *why);
    /* Instead of run: a vector has many parts. Prints what fails and counts them. */
    void (*run_parts)(struct arena *a, const struct value *vector, struct vector_tally *tally);
    /* Whether the vector is about this kind at all; NULL when all are. */
    bool (*applies)(struct arena *a, const struct value *vector);
    bool document;    /* a file is one document */
    const char *list; /* its list of vectors; NULL: the document is the vector, "": the list */
    /*
     * Instead of run: a file is not made of lines but one thing with many parts. Prints what fails
     * and counts the parts. False when it cannot be run.
     */
    bool (*run_file)(struct arena *a, str path, struct vector_tally *tally, struct err *e);
    void (*finish)(void); /* prints what else there is to say, at the end; or NULL */
};

/* The file that the vector of the running call comes from. */
extern str vector_file;

/* All kinds, sorted by name, ended by NULL. */
extern const struct vector_kind *const vector_kinds[];

/* The text member key; or, when key_b64 is there, that one decoded. False when neither is. */
bool vector_text(struct arena *a, const struct value *vector, const char *key, str *out);
/* Notes a difference between got and want, both shown in full up to a limit. Always false. */
bool vector_differs(struct buf *why, const char *what, str got, str want);
