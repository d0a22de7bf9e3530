/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inside.c - opening files below a folder; see inside.h.
 *
 * The path is walked element by element, and no step follows a link. Where there are links the
 * system resolves them all; when the result begins with the folder, it is walked in turn. This is
 * what openat2 with RESOLVE_BENEATH does, which old kernels lack and which rejects absolute links.
 */
#include "base/inside.h"
#include "base/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The errno values the system itself uses: for opening a socket, for leaving with RESOLVE_BENEATH.
 */
enum { IS_LINK = ELOOP, IS_SPECIAL = ENXIO, LEADS_OUT = EXDEV };

static int check_mode(mode_t mode)
{
    if (S_ISREG(mode) || S_ISDIR(mode))
        return 0;
    return S_ISLNK(mode) ? IS_LINK : IS_SPECIAL;
}

/* Opens name in folder, and closes folder. */
static int step(int folder, const char *name, bool last)
{
    const int flags = last ? O_RDONLY | O_NONBLOCK | O_NOCTTY : O_PATH | O_DIRECTORY;
    struct stat st;
    int fd = -1, failure = fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) ? errno : 0;

    if (!failure)
        failure = check_mode(st.st_mode);
    if (!failure) {
        fd = openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC);
        failure = errno;
    }
    close(folder);
    errno = failure;
    return fd;
}

/* -1 with IS_LINK when a link is on the way. */
static int walk(struct arena *a, const char *folder, str path)
{
    int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    str element;

    for (bool more = true; at >= 0 && more;) {
        more = str_cut(path, STR("/"), &element, &path);
        at = step(at, str_z(a, element), !more);
    }
    return at;
}

/* Where a path with links leads to, from folder on; false with errno. */
static bool resolve(struct arena *a, const char *folder, const char *full, str *out)
{
    char base[PATH_MAX], target[PATH_MAX];
    struct stat st;

    if (stat(full, &st))
        return false;
    errno = check_mode(st.st_mode);
    if (errno || !realpath(folder, base) || !realpath(full, target))
        return false;
    str path = str_copy(a, str_c(target)), root = str_c(base);
    errno = LEADS_OUT;
    if (str_eq(path, root)) {
        *out = STR(".");
        return true;
    }
    if (!str_eq(root, STR("/")) && (!str_has_prefix(path, root) || path.ptr[root.len] != '/'))
        return false;
    *out = str_without_prefix(str_without_prefix(path, root), STR("/"));
    return true;
}

static int open_inside(struct arena *a, str folder, str name)
{
    const char *base = str_z(a, folder);
    int fd = walk(a, base, name);
    str path;

    if (fd >= 0 || errno != IS_LINK ||
        !resolve(a, base, str_z(a, file_join(a, folder, name)), &path))
        return fd;
    return walk(a, base, path);
}

/* Links are followed wherever they lead. */
static int open_anywhere(struct arena *a, str folder, str name)
{
    const char *full = str_z(a, file_join(a, folder, name));
    struct stat st;

    if (stat(full, &st))
        return -1;
    errno = check_mode(st.st_mode);
    return errno ? -1 : open(full, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

str inside_path(struct arena *a, str folder, str name)
{
    return str_eq(folder, STR(".")) ? name : file_join(a, folder, name);
}

bool inside_open(str folder, str name, bool outside, int *fd, struct err *e)
{
    AUTO_ARENA a = arena_new();

    *fd = -1;
    errno = fault_now();
    if (!errno)
        *fd = outside ? open_anywhere(a, folder, name) : open_inside(a, folder, name);
    if (*fd >= 0)
        return true;
    str path = inside_path(a, folder, name);
    if (errno == IS_SPECIAL)
        return err_set(e, ERR_INVALID, "open %.*s: neither a file nor a folder", STR_ARG(path));
    if (errno == LEADS_OUT)
        return err_set(e, ERR_DENIED,
                       "open %.*s: a link leads out of the reference; --allow-outside-links "
                       "follows it",
                       STR_ARG(path));
    return err_errno(e, errno, "open", path);
}

bool inside_read(struct arena *a, str folder, str name, bool outside, size_t max, str *out,
                 struct err *e)
{
    AUTO_FD fd = -1;

    return inside_open(folder, name, outside, &fd, e) &&
           file_read_fd(a, fd, inside_path(a, folder, name), max, out, e);
}
