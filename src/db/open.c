/* SPDX-License-Identifier: Apache-2.0 */
/* open.c - opening, upgrading, reading and checking a file; see db.h. */
#include "db/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A log that has grown beyond this is truncated after a checkpoint. */
#define LOG_MAX "16777216"

/* ---- Errors. --------------------------------------------------------------------------------- */

bool db_fail(struct db *d, struct err *e)
{
    const char *text = d->lib->sqlite3_errmsg(d->sqlite);

    switch (d->lib->sqlite3_errcode(d->sqlite)) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return err_set(e, ERR_CONFLICT, "%.*s: in use by another process", STR_ARG(d->config.path));
    case SQLITE_NOTADB:
        return err_set(e, ERR_INVALID, "%.*s: not a SQLite database", STR_ARG(d->config.path));
    case SQLITE_CORRUPT:
        return err_set(e, ERR_INVALID, "%.*s: damaged: %s", STR_ARG(d->config.path), text);
    default:
        return err_set(e, ERR_IO, "%.*s: %s", STR_ARG(d->config.path), text);
    }
}

bool db_exec(struct db *d, const char *sql, struct err *e)
{
    return d->lib->sqlite3_exec(d->sqlite, sql, NULL, NULL, NULL) == SQLITE_OK || db_fail(d, e);
}

/* ---- Reading. -------------------------------------------------------------------------------- */

struct db_row {
    const struct sqlite_lib *lib;
    sqlite3_stmt *statement;
};

str db_text(const struct db_row *row, int column)
{
    const char *text = (const char *)row->lib->sqlite3_column_text(row->statement, column);

    return str_of(text, (size_t)row->lib->sqlite3_column_bytes(row->statement, column));
}

int64_t db_int(const struct db_row *row, int column)
{
    return row->lib->sqlite3_column_int64(row->statement, column);
}

bool db_read(struct db *d, const char *sql, db_row_fn *fn, void *ctx, struct err *e)
{
    struct db_row row = {.lib = d->lib};
    bool ok = true;
    int got = SQLITE_DONE;

    if (d->lib->sqlite3_prepare_v2(d->sqlite, sql, -1, &row.statement, NULL) != SQLITE_OK)
        return db_fail(d, e);
    while (ok && (got = d->lib->sqlite3_step(row.statement)) == SQLITE_ROW)
        ok = fn(ctx, &row, e);
    if (ok && got != SQLITE_DONE)
        ok = db_fail(d, e);
    d->lib->sqlite3_finalize(row.statement);
    return ok;
}

static bool take_int(void *ctx, const struct db_row *row, struct err *e)
{
    (void)e;
    *(int64_t *)ctx = db_int(row, 0);
    return true;
}

static bool take_verdict(void *ctx, const struct db_row *row, struct err *e)
{
    struct db *d = ctx;
    str text = db_text(row, 0);

    return str_eq(text, STR("ok")) ||
           err_set(e, ERR_INVALID, "%.*s: damaged: %.*s", STR_ARG(d->config.path), STR_ARG(text));
}

bool db_check(struct db *d, struct err *e)
{
    return db_read(d, "PRAGMA integrity_check(1)", take_verdict, d, e);
}

/* ---- Opening. -------------------------------------------------------------------------------- */

/* The file contains secrets, so only its owner may read it. */
static bool create_private(struct db *d, struct err *e)
{
    AUTO_ARENA a = arena_new();

    if (d->config.vfs)
        return true;
    AUTO_FD fd = open(str_z(a, d->config.path), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 && errno != EEXIST)
        return err_set(e, ERR_IO, "%.*s: %s", STR_ARG(d->config.path), err_errno_text(errno));
    return file_kind(d->config.path) == FILE_REGULAR ||
           err_set(e, ERR_INVALID, "%.*s: not a regular file", STR_ARG(d->config.path));
}

/* Corrects the permissions of a file that is known to be ours, and of what belongs to it. */
static void make_private(const struct db *d)
{
    static const char *const endings[] = {"-wal", "-shm"};
    AUTO_ARENA a = arena_new();

    if (d->config.vfs)
        return;
    (void)chmod(str_z(a, d->config.path), 0600);
    for (size_t i = 0; i < COUNT(endings); i++) {
        str path = str_concat(a, d->config.path, str_c(endings[i]));
        if (fchmodat(AT_FDCWD, str_z(a, path), 0600, AT_SYMLINK_NOFOLLOW))
            continue;
    }
}

/* Most programs leave their databases without an id: only an empty one may become ours. */
static bool check_application(struct db *d, struct err *e)
{
    int64_t id = 0, tables = 0;

    if (!db_read(d, "PRAGMA application_id", take_int, &id, e) ||
        !db_read(d, "SELECT count(*) FROM sqlite_master", take_int, &tables, e))
        return false;
    if (!d->config.application || (!id && !tables) || (uint32_t)id == d->config.application)
        return true;
    return err_set(e, ERR_INVALID, "%.*s: a SQLite database of another program",
                   STR_ARG(d->config.path));
}

/* Upgrades the format by one, atomically. */
static bool upgrade_from(struct db *d, size_t format, struct err *e)
{
    AUTO_ARENA a = arena_new();
    str sql = str_fmt(
        a, "BEGIN IMMEDIATE; %s; PRAGMA application_id = %u; PRAGMA user_version = %zu; COMMIT",
        d->config.upgrades[format], (unsigned)d->config.application, format + 1);

    if (db_exec(d, str_z(a, sql), e))
        return true;
    if (!d->lib->sqlite3_get_autocommit(d->sqlite))
        (void)d->lib->sqlite3_exec(d->sqlite, "ROLLBACK", NULL, NULL, NULL);
    return err_wrap(e, "cannot upgrade to format %zu", format + 1);
}

static bool add_item(void *ctx, const struct db_row *row, struct err *e)
{
    (void)e;
    buf_fmt(ctx, "%.*s;", STR_ARG(db_text(row, 0)));
    return true;
}

static bool read_schema(struct db *d, struct buf *out, struct err *e)
{
    return db_read(d, "SELECT coalesce(sql, name) FROM sqlite_master ORDER BY name", add_item, out,
                   e);
}

/* What the first upgrades make of an empty database, and what they make it of. */
static bool expected_schema(struct db *d, size_t format, struct buf *out, struct err *e)
{
    struct db scratch = {.lib = d->lib, .config = d->config};
    bool ok = d->lib->sqlite3_open_v2(":memory:", &scratch.sqlite,
                                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                                      NULL) == SQLITE_OK ||
              db_fail(&scratch, e);

    for (size_t i = 0; ok && i < format; i++)
        ok = db_exec(&scratch, d->config.upgrades[i], e);
    ok = ok && read_schema(&scratch, out, e);
    d->lib->sqlite3_close(scratch.sqlite);
    return ok;
}

/*
 * A file may come from somebody else. Triggers would change what is written, and conditions of
 * tables and indexes are run, even by a check: a few bytes of SQL can take minutes and gigabytes.
 */
static bool check_schema(struct db *d, size_t format, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct buf expected = buf_new(a, BUF_UNLIMITED), found = buf_new(a, BUF_UNLIMITED);

    if (!expected_schema(d, format, &expected, e) || !read_schema(d, &found, e))
        return false;
    return str_eq(buf_str(&expected), buf_str(&found)) ||
           err_set(e, ERR_INVALID, "%.*s: it has other tables, triggers or views than plumb makes",
                   STR_ARG(d->config.path));
}

static bool upgrade(struct db *d, struct err *e)
{
    int64_t format = 0;
    size_t newest = 0;

    if (!db_read(d, "PRAGMA user_version", take_int, &format, e))
        return false;
    while (d->config.upgrades[newest])
        newest++;
    if (format < 0 || (size_t)format > newest)
        return err_set(e, ERR_INVALID,
                       "%.*s: written by a newer version of plumb (format %lld, this one knows "
                       "formats up to %zu)",
                       STR_ARG(d->config.path), (long long)format, newest);
    if (d->config.existing && !format)
        return err_set(e, ERR_INVALID, "%.*s: the file is empty", STR_ARG(d->config.path));
    if (!check_schema(d, (size_t)format, e))
        return false;
    for (size_t i = (size_t)format; i < newest; i++)
        if (!upgrade_from(d, i, e))
            return false;
    return true;
}

/*
 * The lock is taken before anything is read and kept until the end, so that there is never a second
 * process; the log then needs no shared memory.
 */
static bool lock_file(struct db *d, struct err *e)
{
    return db_exec(d, "PRAGMA locking_mode = EXCLUSIVE", e);
}

static bool configure(struct db *d, struct err *e)
{
    static const char *const sync[] = {
        [DB_SYNC_OFF] = "PRAGMA synchronous = OFF",
        [DB_SYNC_NORMAL] = "PRAGMA synchronous = NORMAL",
        [DB_SYNC_FULL] = "PRAGMA synchronous = FULL",
    };

    return db_exec(d, "PRAGMA journal_mode = WAL", e) && db_exec(d, sync[d->config.sync], e) &&
           db_exec(d, "PRAGMA journal_size_limit = " LOG_MAX, e);
}

static bool prepare(struct db *d, struct err *e)
{
    for (size_t i = 0; d->config.statements[i]; i++) {
        assert(i < DB_STATEMENTS_MAX);
        if (d->lib->sqlite3_prepare_v3(d->sqlite, d->config.statements[i], -1,
                                       SQLITE_PREPARE_PERSISTENT, &d->statements[i],
                                       NULL) != SQLITE_OK)
            return db_fail(d, e);
    }
    return true;
}

static bool open_file(struct db *d, struct err *e)
{
    AUTO_ARENA a = arena_new();
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;

    if (!create_private(d, e))
        return false;
    if (!d->config.vfs && !db_journal_check(d->config.path, e))
        return false;
    if (d->config.sync == DB_SYNC_FULL && !d->config.vfs && !db_log_check(d->config.path, e))
        return false;
    if (d->lib->sqlite3_open_v2(str_z(a, d->config.path), &d->sqlite, flags, d->config.vfs) !=
        SQLITE_OK)
        return db_fail(d, e);
    /* Nothing of a file that is not ours may change. */
    if (!lock_file(d, e) || !check_application(d, e))
        return false;
    make_private(d);
    return configure(d, e) && upgrade(d, e) && prepare(d, e) && db_writer_start(d, e);
}

static struct db *new_db(const struct db_config *config)
{
    struct arena *a = arena_new();
    struct db *d = ARENA_NEW(a, struct db);

    d->arena = a;
    d->config = *config;
    d->config.path = str_copy(a, config->path);
    d->open = db_batch_new(1);
    d->lock = (struct lock)LOCK_INIT;
    pthread_cond_init(&d->work, NULL);
    pthread_cond_init(&d->done, NULL);
    return d;
}

bool db_open(const struct db_config *config, struct db **out, struct err *e)
{
    const struct sqlite_lib *lib = sqlite_lib_load(e);
    struct db *d;

    if (!lib)
        return false;
    d = new_db(config);
    d->lib = lib;
    if (!open_file(d, e)) {
        db_close(d);
        return false;
    }
    *out = d;
    return true;
}

void db_close(struct db *d)
{
    if (!d)
        return;
    db_writer_stop(d);
    for (size_t i = 0; i < COUNT(d->statements); i++)
        d->lib->sqlite3_finalize(d->statements[i]);
    d->lib->sqlite3_close(d->sqlite);
    err_clear(&d->why);
    pthread_cond_destroy(&d->work);
    pthread_cond_destroy(&d->done);
    arena_free(d->arena);
}
