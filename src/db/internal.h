/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - shared by the files of this folder.
 *
 * open.c opens, upgrades and reads; journal.c checks the files beside the database and log.c the
 * write-ahead log; write.c gathers changes and writes them.
 */
#pragma once

#include "db/db.h"
#include "db/library.h"

struct db_change {
    unsigned statement;
    const struct db_value *values;
    size_t count;
};

/* Changes that are written together; everything of a batch is in its arena. */
struct db_batch {
    struct db_batch *next;
    struct arena *arena;
    uint64_t number;
    VEC(struct db_change) changes;
};

struct db {
    struct arena *arena;
    struct db_config config;
    const struct sqlite_lib *lib;
    sqlite3 *sqlite;
    sqlite3_stmt *statements[DB_STATEMENTS_MAX];
    pthread_t thread;
    bool running;
    struct db_batch *kept; /* the writer's: batches to be written, in order */
    struct lock lock;      /* guards everything below */
    pthread_cond_t work, done;
    struct db_batch *open;
    bool sealed;    /* the open batch may be written */
    uint64_t tried; /* the last batch that was written or lost */
    bool broken;    /* a batch failed, and db_resume has not been called yet */
    /* The last batches that were lost, and why; lost_last is UINT64_MAX while broken. */
    uint64_t lost_first, lost_last;
    struct err why;
    bool stop;
};

/* "path: SQLite's message", in our own words for common errors. Always false. */
bool db_fail(struct db *d, struct err *e);
/* Runs SQL without parameters. */
MUST_CHECK bool db_exec(struct db *d, const char *sql, struct err *e);

/*
 * log.c: fails when the log of a database, which is synced after each transaction, is damaged in
 * front of the last one.
 */
MUST_CHECK bool db_log_check(str path, struct err *e);

/*
 * journal.c: fails when opening the database would write to other files or delete them, because of
 * links or a journal beside it.
 */
MUST_CHECK bool db_journal_check(str path, struct err *e);

/* write.c */
struct db_batch *db_batch_new(uint64_t number);
MUST_CHECK bool db_writer_start(struct db *d, struct err *e);
/* Writes what is left. */
void db_writer_stop(struct db *d);
