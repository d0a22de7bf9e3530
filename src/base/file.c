/* SPDX-License-Identifier: Apache-2.0 */
/* file.c - files and folders, with limits; see file.h. */
#include "base/file.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/fault.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

void fd_cleanup(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

static bool fail(struct err *e, int number, const char *action, str path)
{
    err_errno(e, number, action, path);
    return err_at(e, (struct where){.file = path});
}

static ssize_t read_some(int fd, char *to, size_t len)
{
    ssize_t n;

    do {
        errno = fault_now();
        n = errno ? -1 : read(fd, to, len);
    } while (n < 0 && errno == EINTR);
    return n;
}

/* The size of a regular file, else 0. */
static size_t known_size(int fd)
{
    struct stat st;

    return !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0 ? (size_t)st.st_size : 0;
}

static bool too_large(struct err *e, str name, size_t max)
{
    err_set(e, ERR_LIMIT, "%.*s is larger than the limit of %zu bytes", STR_ARG(name), max);
    return err_at(e, (struct where){.file = name});
}

/* Reads until the end or until more than max bytes have come. */
static bool read_all(int fd, str name, struct buf *b, size_t max, struct err *e)
{
    size_t size = known_size(fd);
    /* With one byte more than the size, the end of the file is seen without growing the buffer. */
    size_t want = size ? size + 1 : 64 * KIB;

    if (size > max)
        return too_large(e, name, max);
    while (b->len <= max) {
        if (want > max + 1 - b->len)
            want = max + 1 - b->len;
        ssize_t n = read_some(fd, buf_room(b, want), want);
        if (n < 0)
            return fail(e, errno, "read", name);
        if (n == 0)
            return true;
        buf_wrote(b, (size_t)n);
        want = b->cap > b->len ? b->cap - b->len : 64 * KIB;
    }
    return too_large(e, name, max);
}

bool file_read_fd(struct arena *a, int fd, str name, size_t max, str *out, struct err *e)
{
    if (max > BUF_UNLIMITED)
        max = BUF_UNLIMITED;
    /* Room for the byte that proves the file too large, and for the NUL. */
    struct buf b = buf_new(a, max + 2);

    if (!read_all(fd, name, &b, max, e))
        return false;
    *buf_room(&b, 1) = '\0';
    *out = buf_str(&b);
    return true;
}

bool file_open(str path, int *fd, struct err *e)
{
    char name[PATH_MAX];

    errno = path.len < sizeof(name) ? fault_now() : ENAMETOOLONG;
    if (!errno)
        *(char *)mempcpy(name, path.len ? path.ptr : "", path.len) = '\0';
    *fd = errno ? -1 : open(name, O_RDONLY | O_CLOEXEC);
    return *fd >= 0 || fail(e, errno, "open", path);
}

bool file_read_some(int fd, str name, char *to, size_t size, size_t *got, struct err *e)
{
    ssize_t n = read_some(fd, to, size);

    *got = n > 0 ? (size_t)n : 0;
    return n >= 0 || fail(e, errno, "read", name);
}

bool file_read_max(struct arena *a, str path, size_t max, str *out, struct err *e)
{
    AUTO_FD fd = -1;

    return file_open(path, &fd, e) && file_read_fd(a, fd, path, max, out, e);
}

bool file_read(struct arena *a, str path, str *out, struct err *e)
{
    return file_read_max(a, path, FILE_MAX, out, e);
}

bool file_write_fd(int fd, str name, str text, struct err *e)
{
    while (text.len) {
        errno = fault_now();
        ssize_t n = errno ? -1 : write(fd, text.ptr, text.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail(e, errno, "write", name);
        text = str_from(text, (size_t)n);
    }
    return true;
}

/* ---- Writing. ---- */

/*
 * Standard streams under their /dev or /proc names are written in place, whatever they are: they
 * belong to someone else.
 */
static bool is_stream(str path)
{
    return str_has_prefix(path, STR("/dev/fd/")) || str_has_prefix(path, STR("/dev/std")) ||
           str_has_prefix(path, STR("/proc/"));
}

/*
 * Whether a draft can replace the target: it does not exist yet, or is a regular file, whose
 * permissions are then in *st.
 */
static bool can_replace(const struct file_draft *d, struct stat *st)
{
    if (stat(str_z(d->arena, d->target), st)) {
        st->st_mode = 0;
        return d->target.len && !str_has_suffix(d->target, STR("/"));
    }
    return S_ISREG(st->st_mode) && !is_stream(d->path) && !is_stream(d->target);
}

/* Long names are cut, because a file name may have at most 255 bytes. */
static str draft_name(const struct file_draft *d)
{
    str base = file_base(d->target);
    str folder = str_slice(d->target, 0, d->target.len - base.len);

    if (base.len > 200)
        base.len = 200;
    return str_fmt(d->arena, "%.*s%.*s.%016llx.part", STR_ARG(folder), STR_ARG(base),
                   (unsigned long long)random_u64());
}

static str follow_links(struct arena *a, str path)
{
    char real[PATH_MAX];

    return realpath(str_z(a, path), real) ? str_copy(a, str_c(real)) : path;
}

/* Opens the draft. Its permissions never exceed those of the file that it replaces. */
static void open_draft(struct file_draft *d, unsigned mode, const struct stat *st)
{
    mode_t kept = st->st_mode & 0777;

    errno = fault_now();
    if (errno || (st->st_mode && faccessat(AT_FDCWD, str_z(d->arena, d->target), W_OK, AT_EACCESS)))
        return;
    d->temporary = draft_name(d);
    d->fd = open(str_z(d->arena, d->temporary), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC,
                 st->st_mode ? kept : mode);
    if (d->fd < 0 || !st->st_mode)
        return;
    /* Only a privileged process can keep the owner. */
    (void)!fchown(d->fd, st->st_uid, st->st_gid);
    (void)!fchmod(d->fd, kept);
}

bool file_begin(str path, unsigned mode, struct file_draft *out, struct err *e)
{
    struct arena *a = arena_new();
    struct stat st;

    *out = (struct file_draft){.arena = a, .path = str_copy(a, path), .fd = -1};
    out->target = follow_links(a, out->path);
    if (can_replace(out, &st)) {
        open_draft(out, mode, &st);
    } else {
        int start = is_stream(path) ? O_APPEND : O_TRUNC;
        errno = fault_now();
        if (!errno)
            out->fd = open(str_z(a, path), O_WRONLY | O_CREAT | start | O_CLOEXEC, mode);
    }
    if (out->fd >= 0)
        return true;
    fail(e, errno, "open", path);
    arena_free(a);
    return false;
}

static bool sync_and_rename(struct file_draft *d, struct err *e)
{
    errno = fault_now();
    if (errno || fsync(d->fd))
        return fail(e, errno, "sync", d->path);
    errno = fault_now();
    if (errno || rename(str_z(d->arena, d->temporary), str_z(d->arena, d->target)))
        return fail(e, errno, "rename", d->path);
    d->temporary = STR_NONE;
    return true;
}

bool file_commit(struct file_draft *d, struct err *e)
{
    bool ok = !d->temporary.len || sync_and_rename(d, e);

    file_drop(d);
    return ok;
}

void file_drop(struct file_draft *d)
{
    close(d->fd);
    if (d->temporary.len)
        unlink(str_z(d->arena, d->temporary));
    arena_free(d->arena);
}

bool file_write(str path, str text, unsigned mode, struct err *e)
{
    struct file_draft d;

    if (!file_begin(path, mode, &d, e))
        return false;
    if (file_write_fd(d.fd, path, text, e))
        return file_commit(&d, e);
    file_drop(&d);
    return false;
}

bool file_make_folder(str path, struct err *e)
{
    AUTO_ARENA a = arena_new();
    size_t end = path.len;

    switch (file_kind(path)) {
    case FILE_FOLDER:
        return true;
    case FILE_MISSING:
        break;
    case FILE_REGULAR:
    case FILE_OTHER:
        return fail(e, ENOTDIR, "mkdir", path);
    }
    while (end > 0 && path.ptr[end - 1] == '/')
        end--;
    while (end > 0 && path.ptr[end - 1] != '/')
        end--;
    if (end > 1 && !file_make_folder(str_slice(path, 0, end - 1), e))
        return false;
    errno = fault_now();
    if (errno || mkdir(str_z(a, path), 0755)) {
        int number = errno;
        /* Somebody else may have created it meanwhile. */
        if (number != EEXIST || file_kind(path) != FILE_FOLDER)
            return fail(e, number, "mkdir", path);
    }
    return true;
}

enum file_kind file_kind(str path)
{
    AUTO_ARENA a = arena_new();
    struct stat st;

    if (stat(str_z(a, path), &st))
        return FILE_MISSING;
    if (S_ISREG(st.st_mode))
        return FILE_REGULAR;
    return S_ISDIR(st.st_mode) ? FILE_FOLDER : FILE_OTHER;
}

static int by_name(const void *x, const void *y)
{
    return str_cmp(*(const str *)x, *(const str *)y);
}

bool file_list(struct arena *a, str folder, str **names, size_t *count, struct err *e)
{
    VEC(str) found = {0};
    struct dirent *entry;

    errno = fault_now();
    DIR *dir = errno ? NULL : opendir(str_z(a, folder));
    if (!dir)
        return fail(e, errno, "open", folder);
    while ((errno = fault_now()) == 0 && (entry = readdir(dir))) {
        str name = str_c(entry->d_name);
        if (!str_eq(name, STR(".")) && !str_eq(name, STR("..")))
            VEC_PUSH(a, &found, str_copy(a, name));
    }
    int number = errno;
    closedir(dir);
    if (number)
        return fail(e, number, "read", folder);
    if (found.len)
        qsort(found.items, found.len, sizeof(str), by_name);
    *names = found.items;
    *count = found.len;
    return true;
}

str file_join(struct arena *a, str folder, str name)
{
    if (!folder.len || str_has_prefix(name, STR("/")))
        return name;
    return str_join(a, (const str[]){str_without_suffix(folder, STR("/")), name}, 2, STR("/"));
}

str file_base(str path)
{
    size_t slash = str_rfind_char(path, '/');

    return slash == STR_NPOS ? path : str_from(path, slash + 1);
}

str file_clean(struct arena *a, str path)
{
    bool rooted = str_has_prefix(path, STR("/"));
    VEC(str) kept = {0};
    str element, rest = path;

    for (bool more = true; more;) {
        more = str_cut(rest, STR("/"), &element, &rest);
        bool up = str_eq(element, STR(".."));
        if (!element.len || str_eq(element, STR(".")) || (up && rooted && !kept.len))
            continue;
        if (up && kept.len && !str_eq(kept.items[kept.len - 1], STR("..")))
            kept.len--;
        else
            VEC_PUSH(a, &kept, element);
    }
    str joined = str_join(a, kept.items, kept.len, STR("/"));
    if (rooted)
        return str_concat(a, STR("/"), joined);
    return joined.len ? joined : STR(".");
}

bool file_absolute(struct arena *a, str path, str *out, struct err *e)
{
    char here[4096];

    if (!str_has_prefix(path, STR("/"))) {
        if (!getcwd(here, sizeof(here)))
            return fail(e, errno, "getwd", path);
        path = str_fmt(a, "%s/%.*s", here, STR_ARG(path));
    }
    *out = file_clean(a, path);
    return true;
}
