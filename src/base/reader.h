/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.h - byte streams: from files, from memory, from archives.
 *
 *     struct fd_reader r = {0};
 *     if (reader_open(&r, path, e) && reader_peek(&r, a, &start, e)) ... &r.base ...
 *     reader_close(&r);
 *
 * One thread at a time.
 */
#pragma once

#include "base/base.h"

#include <sys/stat.h>

/* A source of bytes. read returns up to size bytes, and none only at the end. */
struct reader {
    MUST_CHECK bool (*read)(struct reader *r, char *to, size_t size, size_t *got, struct err *e);
    /* As lseek; NULL when the bytes can be read only once. */
    int64_t (*seek)(struct reader *r, int64_t offset, int whence);
};

struct fd_reader {
    struct reader base;
    int fd; /* -1: none */
    str name;
    char *start; /* what was peeked at, and how much of it was read */
    size_t start_len, start_read;
    struct stat opened; /* the file when it was opened; of regular files only */
    int64_t left;       /* how much of it is left to read; below 0: unknown */
};

/* The same reader may be opened again after it was closed. path must live as long. */
MUST_CHECK bool reader_open(struct fd_reader *r, str path, struct err *e);
/* Reads from an open descriptor; closing the reader does not close standard input. */
void reader_use(struct fd_reader *r, int fd, str name);
void reader_close(struct fd_reader *r);
/*
 * The first bytes, enough to recognize an archive; they will be read again. They live as long as a,
 * which must be the same in all calls for a reader, until the next peek.
 */
MUST_CHECK bool reader_peek(struct fd_reader *r, struct arena *a, str *start, struct err *e);
/* Whether the file has been written to since it was opened. */
bool reader_has_changed(const struct fd_reader *r);

struct text_reader {
    struct reader base;
    str rest;
};
struct text_reader reader_of_text(str text);
