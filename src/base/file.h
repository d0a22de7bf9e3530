/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file.h - files and folders, with limits.
 *
 * Errors have Go's wording ("open x: no such file or directory", "read x: is a directory") and
 * carry the file name as their position. The path "-" is not special here; cli decides what
 * standard input is called. May be called from any thread.
 */
#pragma once

#include "base/err.h"

/* The largest file that is read whole unless the caller says otherwise. */
#define FILE_MAX (1 * GIB)

/*
 * Reads a whole file and puts one NUL after it that is not counted. Pipes and devices are read to
 * their end; more than max bytes is ERR_LIMIT.
 */
MUST_CHECK bool file_read(struct arena *a, str path, str *out, struct err *e);
MUST_CHECK bool file_read_max(struct arena *a, str path, size_t max, str *out, struct err *e);
/* The same for an open descriptor; name is used in messages. */
MUST_CHECK bool file_read_fd(struct arena *a, int fd, str name, size_t max, str *out,
                             struct err *e);
/* Opens for reading; the caller closes. */
MUST_CHECK bool file_open(str path, int *fd, struct err *e);
/* Up to size bytes, as they come; *got is 0 at the end only. */
MUST_CHECK bool file_read_some(int fd, str name, char *to, size_t size, size_t *got, struct err *e);
/* Writes all of text, despite interruptions and short writes. */
MUST_CHECK bool file_write_fd(int fd, str name, str text, struct err *e);

/*
 * Writes a file atomically: a reader sees the old or the new text, never a part of it, even after a
 * crash, and a failure leaves the old text. A new file gets mode, an existing one keeps its own.
 * Links are followed. Devices and pipes cannot be replaced, so they are written to.
 */
MUST_CHECK bool file_write(str path, str text, unsigned mode, struct err *e);

/*
 * The same in pieces: what is written to fd (with file_write_fd) goes to a temporary file next to
 * path, NAME.<random>.part, until file_commit renames it. Finish every draft that was opened with
 * one of the two functions below. One thread at a time.
 */
struct file_draft {
    struct arena *arena;
    str path;      /* as given, for messages */
    str target;    /* links followed */
    str temporary; /* empty: fd is the target itself */
    int fd;
};
MUST_CHECK bool file_begin(str path, unsigned mode, struct file_draft *out, struct err *e);
MUST_CHECK bool file_commit(struct file_draft *d, struct err *e);
/* Removes what was written. */
void file_drop(struct file_draft *d);
/* Makes a folder and those above it, as Go's os.MkdirAll. One that exists is fine. */
MUST_CHECK bool file_make_folder(str path, struct err *e);

enum file_kind { FILE_MISSING, FILE_REGULAR, FILE_FOLDER, FILE_OTHER };
/* What kind of file path is; links are followed. */
enum file_kind file_kind(str path);
/* The names in a folder, without . and .., sorted bytewise. */
MUST_CHECK bool file_list(struct arena *a, str folder, str **names, size_t *count, struct err *e);
/* "folder/name", with one slash between; an absolute name wins. */
str file_join(struct arena *a, str folder, str name);
/* The part after the last slash. */
str file_base(str path);
/*
 * The shortest spelling, as Go's path.Clean: "." and ".." and double slashes are resolved by text;
 * "." for nothing. A path that begins with a slash never leads above the root. Lives as long as a.
 */
str file_clean(struct arena *a, str path);
/* The path from the root, "." and ".." and double slashes resolved by text, as filepath.Abs. */
MUST_CHECK bool file_absolute(struct arena *a, str path, str *out, struct err *e);

void fd_cleanup(int *fd);
#define AUTO_FD CLEANUP(fd_cleanup) int
