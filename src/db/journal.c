/* SPDX-License-Identifier: Apache-2.0 */
/*
 * journal.c - whether opening a database would change other files.
 *
 * A database may come from somebody else, together with the files beside it, which SQLite finds by
 * their names. Where these are links, it would write to their targets. And a rollback journal may
 * name a file that several databases share: SQLite rolls back and deletes that file, wherever it
 * is. We never write such a journal: it takes a transaction in more than one database.
 */
#include "db/internal.h"

#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a journal ends with if it names a file; the name comes before it. */
static const char mark[8] = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";

static bool check_end(str path, struct err *e)
{
    char end[sizeof(mark)];
    AUTO_FD fd = -1;

    if (!file_open(path, &fd, e))
        return false;
    off_t size = lseek(fd, 0, SEEK_END);
    if (size < 0)
        return err_errno(e, errno, "seek", path);
    if ((size_t)size < sizeof(end))
        return true;
    if (pread(fd, end, sizeof(end), size - (off_t)sizeof(end)) != (ssize_t)sizeof(end))
        return err_errno(e, EIO, "read", path);
    return memcmp(end, mark, sizeof(end)) != 0 ||
           err_set(e, ERR_INVALID,
                   "%.*s: it names another file, which would be deleted; it is not from plumb",
                   STR_ARG(path));
}

bool db_journal_check(str path, struct err *e)
{
    static const char *const endings[] = {"-journal", "-shm", "-wal"};
    AUTO_ARENA a = arena_new();
    char target[PATH_MAX];
    struct stat st;

    /* These files are beside the target of a link. */
    if (!realpath(str_z(a, path), target))
        return err_errno(e, errno, "open", path);
    for (size_t i = 0; i < COUNT(endings); i++) {
        str beside = str_concat(a, str_c(target), str_c(endings[i]));
        if (lstat(str_z(a, beside), &st))
            continue;
        if (!S_ISREG(st.st_mode))
            return err_set(e, ERR_INVALID, "%.*s: not a regular file", STR_ARG(beside));
        if (i == 0 && !check_end(beside, e))
            return false;
    }
    return true;
}
