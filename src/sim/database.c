/* SPDX-License-Identifier: Apache-2.0 */
/*
 * database.c - the resources in a SQLite file, so that a simulator can be stopped and started
 * again.
 *
 * What a request changes is one transaction, written before the answer is given: a killed simulator
 * never forgets what it has confirmed. Operations are not kept: what was under way is done when the
 * file is opened again. The only file that sees SQLite.
 */
#include "sim/internal.h"

#include <sqlite3.h>
#include <string.h>

/* Increased when the tables change. */
#define FORMAT_NUMBER 1

struct sim_database {
    sqlite3 *db;
    sqlite3_stmt *put, *drop, *meta;
    bool dirty, failed;
};

static const char tables[] =
    "PRAGMA synchronous = OFF;"
    "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS resources (deleted INTEGER NOT NULL, key TEXT NOT NULL,"
    " parent TEXT NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL, version TEXT NOT NULL,"
    " body TEXT NOT NULL, sent TEXT NOT NULL, writes INTEGER NOT NULL,"
    " PRIMARY KEY (deleted, key));";

/* ---- Writing. ---------------------------------------------------------------------------------
 */

static void bind(sqlite3_stmt *statement, int at, str text)
{
    sqlite3_bind_text64(statement, at, text.len ? text.ptr : "", text.len, SQLITE_STATIC,
                        SQLITE_UTF8);
}

static void begin(struct sim_database *d)
{
    if (!d->dirty)
        d->failed = sqlite3_exec(d->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK || d->failed;
    d->dirty = true;
}

static void run(struct sim_database *d, sqlite3_stmt *statement)
{
    d->failed = sqlite3_step(statement) != SQLITE_DONE || d->failed;
    sqlite3_reset(statement);
}

void sim_database_put(struct sim_database *d, bool deleted, const struct sim_resource *r)
{
    if (!d)
        return;
    begin(d);
    sqlite3_bind_int(d->put, 1, deleted);
    bind(d->put, 2, r->node.key);
    bind(d->put, 3, r->parent->node.key);
    bind(d->put, 4, r->id);
    bind(d->put, 5, r->type);
    bind(d->put, 6, r->api_version);
    bind(d->put, 7, r->body);
    bind(d->put, 8, r->sent);
    sqlite3_bind_int64(d->put, 9, (int64_t)r->writes);
    run(d, d->put);
}

void sim_database_drop(struct sim_database *d, bool deleted, str key)
{
    if (!d)
        return;
    begin(d);
    sqlite3_bind_int(d->drop, 1, deleted);
    bind(d->drop, 2, key);
    run(d, d->drop);
}

static void put_meta(struct sim_database *d, const char *name, int64_t value)
{
    bind(d->meta, 1, str_c(name));
    sqlite3_bind_int64(d->meta, 2, value);
    run(d, d->meta);
}

bool sim_database_commit(struct sim *s, struct err *e)
{
    struct sim_database *d = s->database;

    if (!d || !d->dirty)
        return true;
    put_meta(d, "chance", (int64_t)s->chance);
    put_meta(d, "time", s->time);
    d->failed = sqlite3_exec(d->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK || d->failed;
    if (!d->failed) {
        d->dirty = false;
        return true;
    }
    err_set(e, ERR_IO, "%.*s: %s", STR_ARG(s->config.state), sqlite3_errmsg(d->db));
    if (!sqlite3_get_autocommit(d->db))
        (void)sqlite3_exec(d->db, "ROLLBACK", NULL, NULL, NULL);
    d->dirty = d->failed = false;
    return false;
}

/* ---- Reading. ---------------------------------------------------------------------------------
 */

static str column(sqlite3_stmt *statement, int at)
{
    const char *text = (const char *)sqlite3_column_text(statement, at);

    return str_of(text, (size_t)sqlite3_column_bytes(statement, at));
}

static bool bad_file(struct sim *s, struct err *e, const char *why)
{
    return err_set(e, ERR_IO, "%.*s: %s", STR_ARG(s->config.state), why);
}

static bool load_resource(struct sim *s, struct arena *a, sqlite3_stmt *row)
{
    struct sim_store *store = sqlite3_column_int(row, 0) ? s->deleted : s->store;
    str up = column(row, 1);
    struct sim_resource *parent = str_eq(up, STR("/")) ? sim_store_root(store)
                                                       : sim_store_find(a, store, up);

    if (!parent || sim_store_find(a, store, column(row, 2)) ||
        sim_store_len(store) >= SIM_RESOURCES_MAX)
        return false;
    struct sim_resource *r = sim_store_add(a, store, parent, column(row, 2), column(row, 3));
    sim_keep(&r->api_version, column(row, 4));
    sim_keep(&r->body, column(row, 5));
    sim_keep(&r->sent, column(row, 6));
    r->writes = (uint64_t)sqlite3_column_int64(row, 7);
    return true;
}

/* Parents are shorter than what stands in them, and so come first. */
static bool load(struct sim *s, struct err *e)
{
    static const char query[] = "SELECT deleted, parent, id, type, version, body, sent, writes "
                                "FROM resources ORDER BY length(key), rowid";
    AUTO_ARENA a = arena_new();
    sqlite3_stmt *rows;
    int got;

    if (sqlite3_prepare_v2(s->database->db, query, -1, &rows, NULL) != SQLITE_OK)
        return bad_file(s, e, sqlite3_errmsg(s->database->db));
    bool whole = true;
    while (whole && (got = sqlite3_step(rows)) == SQLITE_ROW) {
        whole = load_resource(s, a, rows);
        arena_reset(a);
    }
    sqlite3_finalize(rows);
    if (!whole || got != SQLITE_DONE)
        return bad_file(
            s, e, "the resources in it do not fit together; is it a state of plumb simulate?");
    return true;
}

static int64_t meta(struct sim *s, const char *name, int64_t otherwise)
{
    sqlite3_stmt *row;

    if (sqlite3_prepare_v2(s->database->db, "SELECT value FROM meta WHERE name = ?", -1, &row,
                           NULL) != SQLITE_OK)
        return otherwise;
    bind(row, 1, str_c(name));
    if (sqlite3_step(row) == SQLITE_ROW)
        otherwise = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    return otherwise;
}

static bool prepare(struct sim_database *d)
{
    static const char put[] = "INSERT OR REPLACE INTO resources VALUES (?,?,?,?,?,?,?,?,?)";
    static const char drop[] = "DELETE FROM resources WHERE deleted = ? AND key = ?";
    static const char set[] = "INSERT OR REPLACE INTO meta VALUES (?,?)";

    return sqlite3_exec(d->db, tables, NULL, NULL, NULL) == SQLITE_OK &&
           sqlite3_prepare_v2(d->db, put, -1, &d->put, NULL) == SQLITE_OK &&
           sqlite3_prepare_v2(d->db, drop, -1, &d->drop, NULL) == SQLITE_OK &&
           sqlite3_prepare_v2(d->db, set, -1, &d->meta, NULL) == SQLITE_OK;
}

bool sim_database_open(struct sim *s, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct sim_database *d = ARENA_NEW(s->arena, struct sim_database);

    s->database = d;
    if (sqlite3_open(str_z(a, s->config.state), &d->db) != SQLITE_OK || !prepare(d))
        return bad_file(s, e, sqlite3_errmsg(d->db));
    if (meta(s, "format", FORMAT_NUMBER) != FORMAT_NUMBER)
        return bad_file(s, e, "it was written by another version of plumb");
    s->chance = (uint64_t)meta(s, "chance", (int64_t)s->chance);
    s->time = s->config.virtual_time ? meta(s, "time", s->time) : s->time;
    if (!load(s, e))
        return false;
    begin(d);
    put_meta(d, "format", FORMAT_NUMBER);
    sim_store_keep(s->store, d, false);
    sim_store_keep(s->deleted, d, true);
    return sim_database_commit(s, e);
}

void sim_database_close(struct sim_database *d)
{
    if (!d)
        return;
    sqlite3_finalize(d->put);
    sqlite3_finalize(d->drop);
    sqlite3_finalize(d->meta);
    sqlite3_close(d->db);
}
