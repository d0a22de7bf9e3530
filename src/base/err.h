/* SPDX-License-Identifier: Apache-2.0 */
/*
 * err.h - the one way to fail.
 *
 * A function that can fail returns bool and takes struct err *e last. If it returns false, e is
 * set. The helpers return false, so that failing is one line, and context is added on the way up,
 * as with Go's %w:
 *
 *     if (!file_read(a, path, &text, e))
 *         return err_wrap(e, "reference config file not found");
 *
 * The kind is for callers that act on it, the text for people: never compare texts. Errors in input
 * also have a position: the parser that finds the error calls err_at once, and cli/ prints
 * "file:line:column: " before the text. e may be NULL if the caller only needs the result.
 *
 * An err owns its text. Declare it as AUTO_ERR e = {0}; one thread at a time.
 */
#pragma once

#include "base/str.h"

enum err_kind {
    ERR_NONE,
    ERR_INVALID,   /* the input is wrong; trying again will not help */
    ERR_USAGE,     /* the command line is wrong */
    ERR_NOT_FOUND, /* does not exist */
    ERR_EXISTS,    /* already exists */
    ERR_CONFLICT,  /* changed concurrently */
    ERR_DENIED,    /* not allowed */
    ERR_EXPIRED,   /* too old: start over */
    ERR_THROTTLED, /* too many requests: try later */
    ERR_LIMIT,     /* larger than a limit of ours */
    ERR_CANCELLED, /* cancelled by the caller */
    ERR_IO,        /* the system or the network failed */
};

/* A place in a text. Line and column count from 1; 0 means unknown. */
struct where {
    str file;
    uint32_t line, column;
};

struct err {
    enum err_kind kind;
    str text;            /* what went wrong, with its context; no position, no final newline */
    struct where at;     /* where, when the fault lies in something that was read */
    struct arena *owner; /* of text and file name; made at the first failure */
};

/* Fills e. Always false. A former error is replaced. */
bool err_set(struct err *e, enum err_kind kind, const char *format, ...) FORMAT(3, 4);
/* The same with a finished text, which may contain NUL. Always false. */
bool err_set_str(struct err *e, enum err_kind kind, str text);
/* Puts "context: " before the text. Always false. */
bool err_wrap(struct err *e, const char *format, ...) FORMAT(2, 3);
/* Fills e from errno as Go words it: "open x: no such file or directory". Always false. */
bool err_errno(struct err *e, int number, const char *action, str path);
/* Sets the position, unless something deeper already has. Always false. */
bool err_at(struct err *e, struct where at);
/* Appends the text of other as a new line, or becomes other when e is empty. Always false. */
bool err_join(struct err *e, const struct err *other);
/* Copies from into e. Always false, so that a kept error can be returned. */
bool err_copy(struct err *e, const struct err *from);
/* Empties e and frees its text. */
void err_clear(struct err *e);

/* "file:line:column: text", without the parts that are unknown. Lives as long as a. */
str err_message(struct arena *a, const struct err *e);
/*
 * The text, to be shown after a position. The originals' YAML errors count lines from the beginning
 * of the document ("yaml: line 3: "), which would only confuse there: that part is left out when
 * the position has a line. Lives as long as a and e.
 */
str err_text_placed(struct arena *a, const struct err *e);
/* The system's error in Go's words: "permission denied". */
const char *err_errno_text(int number);

static inline void err_cleanup(struct err *e)
{
    err_clear(e);
}
#define AUTO_ERR CLEANUP(err_cleanup) struct err
