/* SPDX-License-Identifier: Apache-2.0 */
/* reader.c - readers of bytes from files and from memory; see reader.h. */
#include "base/reader.h"

#include <unistd.h>

#define START_BYTES (64 * KIB)

/* ---- Files. ---- */

/* The end of a regular file is where it was on opening: that saves a read that finds nothing. */
static bool read_file(struct fd_reader *r, char *to, size_t size, size_t *got, struct err *e)
{
    *got = 0;
    if (!r->left)
        return true;
    if (!file_read_some(r->fd, r->name, to, size, got, e))
        return false;
    r->left = r->left > 0 && *got <= (size_t)r->left ? r->left - (int64_t)*got : -1;
    return true;
}

static bool read_fd(struct reader *reader, char *to, size_t size, size_t *got, struct err *e)
{
    struct fd_reader *r = (struct fd_reader *)reader;
    size_t left = r->start_len - r->start_read;

    if (!left)
        return read_file(r, to, size, got, e);
    *got = left < size ? left : size;
    memcpy(to, r->start + r->start_read, *got);
    r->start_read += *got;
    return true;
}

static int64_t seek_fd(struct reader *reader, int64_t offset, int whence)
{
    struct fd_reader *r = (struct fd_reader *)reader;

    /* Peeked bytes have been read from the file, but not yet from this reader. */
    if (whence == SEEK_CUR)
        offset -= (int64_t)(r->start_len - r->start_read);
    r->start_read = r->start_len;
    r->left = -1;
    return lseek(r->fd, offset, whence);
}

void reader_use(struct fd_reader *r, int fd, str name)
{
    *r = (struct fd_reader){.base = {.read = read_fd}, .fd = fd, .name = name, .start = r->start};
    r->left = -1;
    if (fstat(fd, &r->opened) != 0 || !S_ISREG(r->opened.st_mode))
        r->opened = (struct stat){0};
    else if (r->opened.st_size > 0 && fd != STDIN_FILENO)
        r->left = r->opened.st_size;
    if (r->left > 0 || lseek(fd, 0, SEEK_CUR) >= 0)
        r->base.seek = seek_fd;
}

bool reader_open(struct fd_reader *r, str path, struct err *e)
{
    int fd;

    r->fd = -1;
    if (!file_open(path, &fd, e))
        return false;
    reader_use(r, fd, path);
    return true;
}

void reader_close(struct fd_reader *r)
{
    if (r->fd > STDIN_FILENO)
        close(r->fd);
    r->fd = -1;
}

bool reader_peek(struct fd_reader *r, struct arena *a, str *start, struct err *e)
{
    size_t got = 1;

    if (!r->start)
        r->start = arena_alloc_text(a, START_BYTES);
    while (r->start_len < 512 && got) {
        if (!read_file(r, r->start + r->start_len, START_BYTES - r->start_len, &got, e))
            return false;
        r->start_len += got;
    }
    *start = str_of(r->start, r->start_len);
    return true;
}

bool reader_has_changed(const struct fd_reader *r)
{
    const struct stat *then = &r->opened;
    struct stat now;

    if (r->fd < 0 || !then->st_ino || fstat(r->fd, &now) != 0)
        return false;
    return now.st_size != then->st_size || now.st_mtim.tv_sec != then->st_mtim.tv_sec ||
           now.st_mtim.tv_nsec != then->st_mtim.tv_nsec;
}

/* ---- Texts. ---- */

static bool read_text(struct reader *reader, char *to, size_t size, size_t *got, struct err *e)
{
    struct text_reader *r = (struct text_reader *)reader;

    (void)e;
    *got = r->rest.len < size ? r->rest.len : size;
    if (*got)
        memcpy(to, r->rest.ptr, *got);
    r->rest = str_from(r->rest, *got);
    return true;
}

struct text_reader reader_of_text(str text)
{
    return (struct text_reader){.base = {.read = read_text}, .rest = text};
}
