/* SPDX-License-Identifier: Apache-2.0 */
/*
 * db.h - a SQLite file with one writer and group commit.
 *
 *     static const char *const upgrades[] = {"CREATE TABLE facts (...)", NULL};
 *     static const char *const statements[] = {"INSERT OR REPLACE INTO facts VALUES (?, ?)", NULL};
 *     struct db_config config = {.path = path, .upgrades = upgrades, .statements = statements};
 *     if (!db_open(&config, &d, e))
 *         return false;
 *     number = db_change(d, 0, (struct db_value[]){DB_TEXT(key), DB_TEXT(text)}, 2);
 *     db_seal(d);
 *     ok = db_wait(d, number, e);               it is on disk now
 *     db_close(d);
 *
 * For programs that hold their state in memory and keep it in a file: everything is read once, at
 * the start, and then only written. Changes gather in the open batch. A dedicated thread writes one
 * batch after another, each as one transaction, so that all changes that arrive while the disk is
 * busy share the next one. In driven mode there is no thread: db_seal writes at once.
 *
 * A batch is atomic. If one cannot be written (disk full, I/O error), later changes would leave a
 * gap. What happens then is up to the owner: one that can undo its changes lets them fail too and
 * calls db_resume once its state is consistent; one that cannot sets keep, so that they are written
 * together with the next batch, and checks db_ready before any further change.
 *
 * The file belongs to one process at a time; a second one gets ERR_CONFLICT. It must be a regular
 * file, and only its owner can read it. Any thread, except where noted.
 */
#pragma once

#include "base/base.h"

struct db;

/* What a commit waits for: nothing, the order of writes, or the disk. */
enum db_sync { DB_SYNC_OFF, DB_SYNC_NORMAL, DB_SYNC_FULL };

/* The most statements of one database. */
#define DB_STATEMENTS_MAX 16

struct db_config {
    str path;
    enum db_sync sync;
    /*
     * Distinguishes the files of one program from those of others (PRAGMA application_id); 0: not
     * checked.
     */
    uint32_t application;
    /*
     * The format: upgrades[i] is SQL that converts format i to i + 1; terminated by NULL. A new
     * file has format 0. A file with a later format than we know is rejected.
     */
    const char *const *upgrades;
    /* The SQL of all changes, terminated by NULL. */
    const char *const *statements;
    bool existing; /* the file must exist and be one of these already */
    bool driven;   /* no thread: db_seal writes */
    bool keep;     /* what could not be written is retried, not dropped */
    /*
     * Called after each batch, on the thread that wrote it, without holding any of our locks:
     * everything up to number is on disk, or failure says why nothing after the last success is.
     * May be NULL.
     */
    void (*written)(void *ctx, uint64_t number, const struct err *failure);
    void *ctx;
    const char *vfs; /* SQLite's name of a file system, for tests; NULL: the usual one */
};

/* Opens or creates the file, upgrades it, and starts the writer. Texts of config are copied. */
MUST_CHECK bool db_open(const struct db_config *config, struct db **out, struct err *e);
/* Writes what is left, joins the writer and closes the file. d may be NULL. */
void db_close(struct db *d);

/* ---- Reading. Not while changes are being written. ---- */

struct db_row;
/* Texts of a row are valid during the call. Return false to stop, with e filled. */
typedef bool db_row_fn(void *ctx, const struct db_row *row, struct err *e);
/* Runs a query without parameters and calls fn for each row. */
MUST_CHECK bool db_read(struct db *d, const char *sql, db_row_fn *fn, void *ctx, struct err *e);
str db_text(const struct db_row *row, int column);
int64_t db_int(const struct db_row *row, int column);

/* Checks every page of the file: false, with the first error, when something is corrupt. */
MUST_CHECK bool db_check(struct db *d, struct err *e);

/* ---- Writing. ---- */

struct db_value {
    enum { DB_KIND_TEXT, DB_KIND_INT } kind;
    str text;
    int64_t number;
};
#define DB_TEXT(s) ((struct db_value){.kind = DB_KIND_TEXT, .text = (s)})
#define DB_INT(n) ((struct db_value){.kind = DB_KIND_INT, .number = (n)})

/*
 * Adds a change to the open batch: a statement with its parameters, which are copied. Returns the
 * number of the batch.
 */
uint64_t db_change(struct db *d, unsigned statement, const struct db_value *values, size_t count);
/* Lets the open batch be written. */
void db_seal(struct db *d);
/* Waits until the batch with that number has been tried; 0 is no batch and succeeds. */
MUST_CHECK bool db_wait(struct db *d, uint64_t number, struct err *e);
/* After a failure: accepts changes again. Those added before this call are lost. */
void db_resume(struct db *d);
/* With keep: whether everything so far has been written; if not, tries again first. */
MUST_CHECK bool db_ready(struct db *d, struct err *e);
