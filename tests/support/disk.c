/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disk.c - an in-memory disk for SQLite; see disk.h.
 *
 * It is an SQLite VFS: a table of functions for files. Locks are not needed, since a disk has one
 * process and one thread. There is no shared memory, which is fine for databases that stay locked
 * (db.h).
 */
#include "support/disk.h"

#include <sqlite3.h>

struct content {
    char *bytes;
    size_t len, cap;
};

struct disk_file {
    struct disk_file *next;
    char name[128];
    struct content now, synced;
    size_t dirty_from, dirty_to; /* where the two may differ */
    bool was_synced;             /* its name has been synced */
    bool deleted;
    unsigned opened;
};

struct disk {
    sqlite3_vfs vfs;
    char name[32];
    struct disk_file *files;
    bool dead, full, read_only;
    unsigned left; /* writes and syncs until the power fails; 0: never */
    uint64_t syncs;
};

/* SQLite's handle of an open file. */
struct handle {
    sqlite3_file base;
    struct disk *disk;
    struct disk_file *file;
};

/* ---- Contents. ------------------------------------------------------------------------------- */

static void resize(struct content *c, size_t len)
{
    if (len > c->cap) {
        size_t cap = len * 2;
        char *bytes = block_new(cap);
        if (c->len)
            memcpy(bytes, c->bytes, c->len);
        block_free(c->bytes);
        c->bytes = bytes;
        c->cap = cap;
    }
    if (len > c->len)
        memset(c->bytes + c->len, 0, len - c->len);
    c->len = len;
}

/* Makes the first equal to the second, where they may differ. */
static void copy(struct disk_file *f, struct content *to, const struct content *from)
{
    size_t end = f->dirty_to < from->len ? f->dirty_to : from->len;

    resize(to, from->len);
    if (f->dirty_from < end)
        memcpy(to->bytes + f->dirty_from, from->bytes + f->dirty_from, end - f->dirty_from);
    f->dirty_from = SIZE_MAX;
    f->dirty_to = 0;
}

static void note_dirty(struct disk_file *f, size_t from, size_t to)
{
    f->dirty_from = from < f->dirty_from ? from : f->dirty_from;
    f->dirty_to = to > f->dirty_to ? to : f->dirty_to;
}

/* ---- Files. ---------------------------------------------------------------------------------- */

static struct handle *of(sqlite3_file *f)
{
    return (struct handle *)f;
}

/* Whether a write or sync still succeeds. */
static bool has_power(struct disk *d)
{
    if (d->left && !--d->left)
        d->dead = true;
    return !d->dead;
}

static int close_file(sqlite3_file *f)
{
    of(f)->file->opened--;
    return SQLITE_OK;
}

static int read_file(sqlite3_file *f, void *to, int amount, sqlite3_int64 at)
{
    const struct content *c = &of(f)->file->now;
    size_t from = (size_t)at, want = (size_t)amount;
    size_t there = from >= c->len ? 0 : c->len - from < want ? c->len - from : want;

    if (of(f)->disk->dead)
        return SQLITE_IOERR_READ;
    if (there)
        memcpy(to, c->bytes + from, there);
    if (there == want)
        return SQLITE_OK;
    memset((char *)to + there, 0, want - there);
    return SQLITE_IOERR_SHORT_READ;
}

static int write_file(sqlite3_file *f, const void *bytes, int amount, sqlite3_int64 at)
{
    struct content *c = &of(f)->file->now;
    size_t end = (size_t)at + (size_t)amount;

    if (!has_power(of(f)->disk) || of(f)->disk->read_only)
        return SQLITE_IOERR_WRITE;
    if (end > c->len && of(f)->disk->full)
        return SQLITE_FULL;
    if (end > c->len)
        resize(c, end);
    memcpy(c->bytes + at, bytes, (size_t)amount);
    note_dirty(of(f)->file, (size_t)at, end);
    return SQLITE_OK;
}

static int truncate_file(sqlite3_file *f, sqlite3_int64 size)
{
    if (of(f)->disk->dead || of(f)->disk->read_only)
        return SQLITE_IOERR_TRUNCATE;
    note_dirty(of(f)->file, (size_t)size, SIZE_MAX);
    resize(&of(f)->file->now, (size_t)size);
    return SQLITE_OK;
}

static int sync_file(sqlite3_file *f, int flags)
{
    struct disk_file *file = of(f)->file;

    (void)flags;
    if (!has_power(of(f)->disk))
        return SQLITE_IOERR_FSYNC;
    copy(file, &file->synced, &file->now);
    file->was_synced = true;
    of(f)->disk->syncs++;
    return SQLITE_OK;
}

static int size_of_file(sqlite3_file *f, sqlite3_int64 *out)
{
    *out = (sqlite3_int64)of(f)->file->now.len;
    return of(f)->disk->dead ? SQLITE_IOERR_FSTAT : SQLITE_OK;
}

static int lock_file(sqlite3_file *f, int level)
{
    (void)f, (void)level;
    return SQLITE_OK;
}

static int is_reserved(sqlite3_file *f, int *out)
{
    (void)f;
    *out = 0;
    return SQLITE_OK;
}

static int control(sqlite3_file *f, int op, void *arg)
{
    (void)f, (void)op, (void)arg;
    return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *f)
{
    (void)f;
    return 4096;
}

static int characteristics(sqlite3_file *f)
{
    (void)f;
    return 0;
}

static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = size_of_file,
    .xLock = lock_file,
    .xUnlock = lock_file,
    .xCheckReservedLock = is_reserved,
    .xFileControl = control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
};

/* ---- The disk. ------------------------------------------------------------------------------- */

static struct disk_file *find(struct disk *d, const char *name)
{
    for (struct disk_file *f = d->files; f; f = f->next)
        if (!f->deleted && str_eq(str_c(f->name), str_c(name)))
            return f;
    return NULL;
}

static struct disk_file *create(struct disk *d, const char *name)
{
    struct disk_file *f = block_new(sizeof *f);

    *f = (struct disk_file){.next = d->files, .dirty_from = SIZE_MAX};
    (void)snprintf(f->name, sizeof f->name, "%s", name ? name : "");
    d->files = f;
    return f;
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *out, int flags,
                     int *out_flags)
{
    struct disk *d = vfs->pAppData;
    struct disk_file *f = name ? find(d, name) : NULL;

    out->pMethods = NULL;
    if (d->dead || (!f && name && !(flags & SQLITE_OPEN_CREATE)))
        return SQLITE_CANTOPEN;
    if (!f)
        f = create(d, name);
    f->opened++;
    *of(out) = (struct handle){.base.pMethods = &methods, .disk = d, .file = f};
    if (out_flags)
        *out_flags = flags;
    return SQLITE_OK;
}

/* Folders are synced at once, so the name is permanently gone. */
static int delete_file(sqlite3_vfs *vfs, const char *name, int sync)
{
    struct disk *d = vfs->pAppData;
    struct disk_file *f = find(d, name);

    (void)sync;
    if (d->dead)
        return SQLITE_IOERR_DELETE;
    if (!f)
        return SQLITE_IOERR_DELETE_NOENT;
    f->deleted = true;
    return SQLITE_OK;
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *out)
{
    struct disk *d = vfs->pAppData;
    struct disk_file *f = find(d, name);

    (void)flags;
    *out = f != NULL;
    return d->dead ? SQLITE_IOERR_ACCESS : SQLITE_OK;
}

static int full_name(sqlite3_vfs *vfs, const char *name, int size, char *out)
{
    (void)vfs;
    (void)snprintf(out, (size_t)size, "%s", name);
    return SQLITE_OK;
}

static int no_randomness(sqlite3_vfs *vfs, int len, char *out)
{
    (void)vfs;
    memset(out, 7, (size_t)len);
    return len;
}

static int no_sleep(sqlite3_vfs *vfs, int microseconds)
{
    (void)vfs;
    return microseconds;
}

static int no_time(sqlite3_vfs *vfs, double *out)
{
    (void)vfs;
    *out = 2461000.0;
    return SQLITE_OK;
}

static int no_error(sqlite3_vfs *vfs, int len, char *out)
{
    (void)vfs, (void)len, (void)out;
    return 0;
}

struct disk *disk_new(void)
{
    static unsigned count;
    struct disk *d = block_new(sizeof *d);

    *d = (struct disk){
        .vfs = {.iVersion = 1,
                .szOsFile = sizeof(struct handle),
                .mxPathname = 120,
                .xOpen = open_file,
                .xDelete = delete_file,
                .xAccess = access_file,
                .xFullPathname = full_name,
                .xRandomness = no_randomness,
                .xSleep = no_sleep,
                .xCurrentTime = no_time,
                .xGetLastError = no_error},
    };
    (void)snprintf(d->name, sizeof d->name, "disk-%u", ++count);
    d->vfs.zName = d->name;
    d->vfs.pAppData = d;
    sqlite3_vfs_register(&d->vfs, 0);
    return d;
}

void disk_free(struct disk *d)
{
    sqlite3_vfs_unregister(&d->vfs);
    for (struct disk_file *f = d->files, *next; f; f = next) {
        next = f->next;
        assert(!f->opened);
        block_free(f->now.bytes);
        block_free(f->synced.bytes);
        block_free(f);
    }
    block_free(d);
}

const char *disk_vfs(const struct disk *d)
{
    return d->name;
}

void disk_lose_power(struct disk *d)
{
    d->dead = true;
}

void disk_lose_power_after(struct disk *d, unsigned operations)
{
    d->left = operations;
}

void disk_return_power(struct disk *d)
{
    d->left = 0;
    for (struct disk_file *f = d->files; f; f = f->next) {
        f->deleted |= !f->was_synced;
        copy(f, &f->now, &f->synced);
    }
    d->dead = false;
}

void disk_fill(struct disk *d, bool full)
{
    d->full = full;
}

void disk_protect(struct disk *d, bool read_only)
{
    d->read_only = read_only;
}

uint64_t disk_syncs(const struct disk *d)
{
    return d->syncs;
}
