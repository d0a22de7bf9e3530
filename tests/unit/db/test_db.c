/* SPDX-License-Identifier: Apache-2.0 */
/* test_db.c - a file with one writer: batches, formats, failures. */
#include "../test.h"

#include "db/db.h"
#include "support/disk.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const upgrades[] = {
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "ALTER TABLE facts ADD COLUMN size INTEGER NOT NULL DEFAULT 7",
    NULL,
};
static const char *const first_upgrade[] = {
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    NULL,
};
static const char *const statements[] = {
    "INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)",
    "DELETE FROM facts WHERE name = ?",
    NULL,
};

enum { PUT, DROP };

/* What written was called with last. */
struct seen {
    uint64_t number;
    size_t failures;
};

static void note(void *ctx, uint64_t number, const struct err *failure)
{
    struct seen *seen = ctx;

    seen->number = number;
    seen->failures += failure != NULL;
}

static struct db_config on_disk(struct disk *disk)
{
    return (struct db_config){
        .path = STR("facts"),
        .sync = DB_SYNC_FULL,
        .application = 0x706c6d62,
        .upgrades = upgrades,
        .statements = statements,
        .driven = true,
        .vfs = disk_vfs(disk),
    };
}

static struct db *opened(const struct db_config *config)
{
    AUTO_ERR e = {0};
    struct db *d = NULL;

    assert_ok(db_open(config, &d, &e), &e);
    return d;
}

static uint64_t put(struct db *d, const char *name, const char *value)
{
    return db_change(d, PUT, (struct db_value[]){DB_TEXT(str_c(name)), DB_TEXT(str_c(value))}, 2);
}

static bool add_row(void *ctx, const struct db_row *row, struct err *e)
{
    str name = db_text(row, 0), value = db_text(row, 1);

    (void)e;
    buf_fmt(ctx, "%.*s=%.*s ", STR_ARG(name), STR_ARG(value));
    return true;
}

static str all_of(struct arena *a, struct db *d)
{
    struct buf b = buf_new(a, KIB);
    AUTO_ERR e = {0};

    assert_ok(db_read(d, "SELECT name, value FROM facts ORDER BY name", add_row, &b, &e), &e);
    return buf_str(&b);
}

TEST(a_sealed_batch_is_there_after_a_power_loss_and_an_open_one_is_not)
{
    AUTO_ARENA a = arena_new();
    struct disk *disk = disk_new();
    struct seen seen = {0};
    struct db_config config = on_disk(disk);
    AUTO_ERR e = {0};

    config.written = note;
    config.ctx = &seen;
    struct db *d = opened(&config);
    uint64_t number = put(d, "a", "1");
    put(d, "b", "2");
    db_seal(d);
    assert_int_equal(seen.number, number);
    assert_ok(db_wait(d, number, &e), &e);
    put(d, "c", "3");
    disk_lose_power(disk);
    db_close(d);
    disk_return_power(disk);
    d = opened(&config);
    assert_str(all_of(a, d), STR("a=1 b=2 "));
    assert_ok(db_check(d, &e), &e);
    db_close(d);
    disk_free(disk);
}

TEST(an_older_format_is_upgraded_and_a_newer_one_is_rejected)
{
    AUTO_ARENA a = arena_new();
    struct disk *disk = disk_new();
    struct db_config config = on_disk(disk), old = config;
    AUTO_ERR e = {0};
    struct db *d;

    old.upgrades = first_upgrade;
    d = opened(&old);
    put(d, "a", "1");
    db_close(d);
    d = opened(&config);
    assert_str(all_of(a, d), STR("a=1 "));
    db_close(d);
    assert_false(db_open(&old, &d, &e));
    assert_str(e.text, STR("facts: written by a newer version of plumb (format 2, this one knows "
                           "formats up to 1)"));
    config.application = 1;
    assert_false(db_open(&config, &d, &e));
    assert_str(e.text, STR("facts: a SQLite database of another program"));
    disk_free(disk);
}

TEST(a_full_disk_is_an_error_and_everything_after_it_until_the_owner_resumes)
{
    AUTO_ARENA a = arena_new();
    struct disk *disk = disk_new();
    struct seen seen = {0};
    struct db_config config = on_disk(disk);
    AUTO_ERR e = {0};

    config.written = note;
    config.ctx = &seen;
    struct db *d = opened(&config);
    put(d, "a", "1");
    db_seal(d);
    disk_fill(disk, true);
    uint64_t lost = put(d, "b", "2");
    db_seal(d);
    assert_false(db_wait(d, lost, &e));
    assert_str(e.text, STR("facts: database or disk is full"));
    disk_fill(disk, false);
    lost = put(d, "c", "3");
    db_seal(d);
    assert_false(db_wait(d, lost, &e));
    assert_int_equal(seen.failures, 2);
    lost = put(d, "d", "4");
    db_resume(d);
    assert_false(db_wait(d, lost, &e));
    uint64_t kept = put(d, "e", "5");
    db_seal(d);
    assert_ok(db_wait(d, kept, &e), &e);
    assert_str(all_of(a, d), STR("a=1 e=5 "));
    db_close(d);
    disk_free(disk);
}

TEST(what_could_not_be_written_can_be_kept_for_the_next_batch)
{
    AUTO_ARENA a = arena_new();
    struct disk *disk = disk_new();
    struct db_config config = on_disk(disk);
    AUTO_ERR e = {0};

    config.keep = true;
    struct db *d = opened(&config);
    disk_fill(disk, true);
    uint64_t first = put(d, "a", "1");
    db_seal(d);
    assert_false(db_wait(d, first, &e));
    uint64_t second = put(d, "b", "2");
    db_seal(d);
    assert_false(db_wait(d, second, &e));
    assert_false(db_ready(d, &e));
    disk_fill(disk, false);
    assert_ok(db_ready(d, &e), &e);
    assert_ok(db_wait(d, first, &e), &e);
    assert_ok(db_wait(d, second, &e), &e);
    assert_str(all_of(a, d), STR("a=1 b=2 "));
    disk_fill(disk, true);
    put(d, "c", "3");
    db_seal(d);
    disk_fill(disk, false);
    db_close(d);
    d = opened(&config);
    assert_str(all_of(a, d), STR("a=1 b=2 c=3 "));
    db_close(d);
    disk_free(disk);
}

/* What many threads do at once: each waits for its own change. */
static void *put_many(void *ctx)
{
    struct db *d = ctx;
    char name[32];

    for (int i = 0; i < 50; i++) {
        (void)snprintf(name, sizeof name, "%lx-%d", (unsigned long)pthread_self(), i);
        uint64_t number = put(d, name, "x");
        db_seal(d);
        if (!db_wait(d, number, NULL))
            return d;
    }
    return NULL;
}

static bool count_row(void *ctx, const struct db_row *row, struct err *e)
{
    (void)e;
    *(int64_t *)ctx = db_int(row, 0);
    return true;
}

TEST(threads_share_the_writer_of_a_file_that_only_its_owner_may_read)
{
    AUTO_ARENA a = arena_new();
    char folder[] = "/tmp/plumb-db-XXXXXX";
    AUTO_ERR e = {0};
    int64_t count = 0;
    struct stat st;
    pthread_t threads[8];
    void *failed;

    assert_non_null(mkdtemp(folder));
    str path = file_join(a, str_c(folder), STR("facts"));
    struct db_config config = {.path = path, .upgrades = upgrades, .statements = statements};
    struct db *d = opened(&config), *second;
    for (size_t i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, put_many, d), 0);
    for (size_t i = 0; i < COUNT(threads); i++) {
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_false(db_open(&config, &second, &e));
    assert_int_equal(e.kind, ERR_CONFLICT);
    db_close(d);
    d = opened(&config);
    assert_ok(db_read(d, "SELECT count(*) FROM facts", count_row, &count, &e), &e);
    assert_int_equal(count, 400);
    db_close(d);
    assert_int_equal(stat(str_z(a, path), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    unlink(str_z(a, path));
    rmdir(folder);
}

TEST(what_is_not_a_database_is_rejected)
{
    char name[] = "/tmp/plumb-db-XXXXXX";
    int fd = mkstemp(name);
    AUTO_ERR e = {0};
    struct db *d;

    assert_ok(file_write(str_c(name), STR("this is a text, and not a database at all\n"), 0600, &e),
              &e);
    struct db_config config = {
        .path = str_c(name), .upgrades = upgrades, .statements = statements, .driven = true};
    assert_false(db_open(&config, &d, &e));
    assert_int_equal(e.kind, ERR_INVALID);
    close(fd);
    unlink(name);
}

/* One flipped bit anywhere in the log: whatever was written before the last transaction is there.
 */
TEST(a_damaged_log_does_not_hide_what_was_written)
{
    AUTO_ARENA a = arena_new();
    char folder[] = "/tmp/plumb-db-XXXXXX";
    AUTO_ERR e = {0};
    str text, log;
    struct db *d;

    assert_non_null(mkdtemp(folder));
    str path = file_join(a, str_c(folder), STR("facts"));
    str other = file_join(a, str_c(folder), STR("copy"));
    str other_log = str_concat(a, other, STR("-wal"));
    struct db_config config = {.path = path,
                               .sync = DB_SYNC_FULL,
                               .upgrades = upgrades,
                               .statements = statements,
                               .driven = true};
    d = opened(&config);
    for (int i = 0; i < 3; i++) {
        put(d, i == 0 ? "a" : i == 1 ? "b" : "c", "1");
        db_seal(d);
    }
    assert_ok(file_read(a, path, &text, &e), &e);
    assert_ok(file_read(a, str_concat(a, path, STR("-wal")), &log, &e), &e);
    db_close(d);
    config.path = other;
    for (size_t at = 0; at <= log.len; at += at < 40 || at + 20 > log.len ? 1 : 509) {
        str changed = str_copy(a, log);
        if (at < log.len)
            ((char *)changed.ptr)[at] ^= 0x10;
        assert_ok(file_write(other, text, 0600, &e), &e);
        assert_ok(file_write(other_log, changed, 0600, &e), &e);
        if (db_open(&config, &d, &e)) {
            str all = all_of(a, d);
            assert_true(at < log.len ? str_has_prefix(all, STR("a=1 b=1 "))
                                     : str_eq(all, STR("a=1 b=1 c=1 ")));
            db_close(d);
        } else {
            assert_true(str_contains(e.text, STR("copy-wal: damaged")));
            assert_true(at < log.len);
            err_clear(&e);
        }
    }
    unlink(str_z(a, path));
    unlink(str_z(a, other));
    unlink(str_z(a, other_log));
    rmdir(folder);
}

static void make_foreign(const char *name, const char *sql)
{
    sqlite3 *file;

    assert_int_equal(sqlite3_open(name, &file), SQLITE_OK);
    assert_int_equal(sqlite3_exec(file, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(file);
}

/* Neither its permissions nor a byte: most programs leave their databases without an id. */
TEST(a_file_of_something_else_is_left_as_it_is)
{
    static const char *const foreign[] = {
        "CREATE TABLE t (a)",
        "CREATE TABLE t (a); PRAGMA user_version = 1",
        "CREATE TABLE t (a); PRAGMA application_id = 7",
        "PRAGMA application_id = 7",
    };
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(foreign); i++) {
        char name[] = "/tmp/plumb-db-XXXXXX";
        int fd = mkstemp(name);
        AUTO_ERR e = {0};
        struct stat st;
        struct db *d;
        str before, after;
        const struct db_config config = {.path = str_c(name),
                                         .application = 0x706c6d62,
                                         .upgrades = upgrades,
                                         .statements = statements,
                                         .driven = true};
        make_foreign(name, foreign[i]);
        assert_int_equal(chmod(name, 0644), 0);
        assert_ok(file_read(a, str_c(name), &before, &e), &e);
        assert_false(db_open(&config, &d, &e));
        assert_true(str_has_suffix(e.text, STR("a SQLite database of another program")));
        assert_ok(file_read(a, str_c(name), &after, &e), &e);
        assert_true(str_eq(before, after));
        assert_int_equal(stat(name, &st), 0);
        assert_int_equal(st.st_mode & 0777, 0644);
        close(fd);
        unlink(name);
    }
}

static void add_number(struct buf *b, uint32_t n)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        buf_char(b, (char)(n >> shift));
}

/* A rollback journal without pages, which names a file that is to be deleted after it. */
static str naming_journal(struct arena *a, str database, str victim)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    uint32_t sum = 0;

    buf_add(&b, STR("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7\0\0\0\0\0\0\0\0"));
    add_number(&b, (uint32_t)(database.len / 4096));
    add_number(&b, 512);
    add_number(&b, 4096);
    while (b.len < 512)
        buf_char(&b, 0);
    for (size_t i = 0; i < victim.len; i++)
        sum += (uint8_t)victim.ptr[i];
    add_number(&b, (1 << 30) / 4096 + 1);
    buf_add(&b, victim);
    add_number(&b, (uint32_t)victim.len);
    add_number(&b, sum);
    buf_add(&b, STR("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"));
    return buf_str(&b);
}

TEST(files_that_are_not_of_the_database_are_neither_written_nor_deleted)
{
    static const char *const endings[] = {"-journal", "-shm", "-wal"};
    AUTO_ARENA a = arena_new();
    char folder[] = "/tmp/plumb-db-XXXXXX";
    AUTO_ERR e = {0};
    str text, kept;
    struct db *d;

    assert_non_null(mkdtemp(folder));
    str path = file_join(a, str_c(folder), STR("facts"));
    str victim = file_join(a, str_c(folder), STR("victim"));
    const struct db_config config = {.path = path, .upgrades = upgrades, .statements = statements};
    db_close(opened(&config));
    assert_ok(file_read(a, path, &text, &e), &e);
    assert_ok(file_write(victim, STR("precious"), 0600, &e), &e);

    str journal = str_concat(a, path, STR("-journal"));
    assert_ok(file_write(journal, naming_journal(a, text, victim), 0600, &e), &e);
    assert_false(db_open(&config, &d, &e));
    assert_true(str_contains(e.text, STR("facts-journal: it names another file")));
    err_clear(&e);
    unlink(str_z(a, journal));

    for (size_t i = 0; i < COUNT(endings); i++) {
        str beside = str_concat(a, path, str_c(endings[i]));
        assert_int_equal(symlink("victim", str_z(a, beside)), 0);
        assert_false(db_open(&config, &d, &e));
        assert_true(str_has_suffix(e.text, STR("not a regular file")));
        err_clear(&e);
        unlink(str_z(a, beside));
    }
    assert_ok(file_read(a, victim, &kept, &e), &e);
    assert_true(str_eq(kept, STR("precious")));

    /* One that is left by a crash does no harm. */
    assert_ok(file_write(journal, STR("short"), 0600, &e), &e);
    db_close(opened(&config));
    unlink(str_z(a, journal));
    unlink(str_z(a, path));
    unlink(str_z(a, victim));
    rmdir(folder);
}

RUN_TESTS(cmocka_unit_test(a_sealed_batch_is_there_after_a_power_loss_and_an_open_one_is_not),
          cmocka_unit_test(an_older_format_is_upgraded_and_a_newer_one_is_rejected),
          cmocka_unit_test(a_full_disk_is_an_error_and_everything_after_it_until_the_owner_resumes),
          cmocka_unit_test(what_could_not_be_written_can_be_kept_for_the_next_batch),
          cmocka_unit_test(threads_share_the_writer_of_a_file_that_only_its_owner_may_read),
          cmocka_unit_test(what_is_not_a_database_is_rejected),
          cmocka_unit_test(a_damaged_log_does_not_hide_what_was_written),
          cmocka_unit_test(a_file_of_something_else_is_left_as_it_is),
          cmocka_unit_test(files_that_are_not_of_the_database_are_neither_written_nor_deleted))
