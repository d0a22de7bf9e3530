/* SPDX-License-Identifier: Apache-2.0 */
/*
 * database.c - the state of a simulator in a SQLite file, so that it can be stopped and started
 * again.
 *
 * What a request changes is added to the open batch while the simulator is locked. A thread of its
 * own writes one batch after the other, each as one transaction; the request waits for its batch
 * with the simulator unlocked, and is answered then. So a killed simulator never forgets what it
 * has confirmed, and requests that come meanwhile share the next transaction. The only file that
 * sees SQLite.
 */
#include "sim/internal.h"

#include <sqlite3.h>
#include <string.h>

/* Increased when the tables change. */
#define FORMAT_NUMBER 3

enum change_kind { CHANGE_PUT, CHANGE_DROP, CHANGE_FACT, CHANGE_FORGET };

struct change {
    enum change_kind kind;
    bool deleted;
    str texts[7];
    int64_t writes;
};

/* What one transaction writes; its texts are in its arena. */
struct batch {
    struct arena *arena;
    uint64_t number;
    struct {
        struct change *items;
        size_t len, cap;
    } changes;
};

struct sim_database {
    sqlite3 *db;
    sqlite3_stmt *put, *drop, *fact, *forget;
    str path;
    struct lock lock; /* of all below */
    pthread_cond_t work, done;
    struct batch open;
    uint64_t written; /* the last batch that was tried */
    uint64_t failed;  /* the first one that could not be written; 0: none */
    char why[256];
    bool stop, running;
    pthread_t thread;
};

static const char tables[] =
    "PRAGMA journal_mode = WAL;"
    "PRAGMA synchronous = OFF;"
    "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS facts (kind TEXT NOT NULL, key TEXT NOT NULL,"
    " value TEXT NOT NULL, PRIMARY KEY (kind, key));"
    "CREATE TABLE IF NOT EXISTS resources (deleted INTEGER NOT NULL, key TEXT NOT NULL,"
    " parent TEXT NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL, version TEXT NOT NULL,"
    " body TEXT NOT NULL, sent TEXT NOT NULL, writes INTEGER NOT NULL,"
    " PRIMARY KEY (deleted, key));";

/* ---- Changes. ----------------------------------------------------------------------------------
 */

static void add_change(struct sim_database *d, struct change change)
{
    AUTO_LOCK guard = lock_take(&d->lock);

    if (!d->open.arena)
        d->open.arena = arena_new();
    for (size_t i = 0; i < COUNT(change.texts); i++)
        change.texts[i] = str_copy(d->open.arena, change.texts[i]);
    VEC_PUSH(d->open.arena, &d->open.changes, change);
}

void sim_database_put(struct sim_database *d, bool deleted, const struct sim_resource *r)
{
    if (d)
        add_change(d, (struct change){.kind = CHANGE_PUT,
                                      .deleted = deleted,
                                      .texts = {r->node.key, r->parent->node.key, r->id, r->type,
                                                r->api_version, r->body, r->sent},
                                      .writes = (int64_t)r->writes});
}

void sim_database_drop(struct sim_database *d, bool deleted, str key)
{
    if (d)
        add_change(d, (struct change){.kind = CHANGE_DROP, .deleted = deleted, .texts = {key}});
}

void sim_database_fact(struct sim_database *d, const char *kind, str key, str value)
{
    if (d)
        add_change(d, (struct change){.kind = value.len ? CHANGE_FACT : CHANGE_FORGET,
                                      .texts = {str_c(kind), key, value}});
}

/* ---- Writing. ----------------------------------------------------------------------------------
 */

static void bind(sqlite3_stmt *statement, int at, str text)
{
    sqlite3_bind_text64(statement, at, text.len ? text.ptr : "", text.len, SQLITE_STATIC,
                        SQLITE_UTF8);
}

static bool run(sqlite3_stmt *statement)
{
    bool ok = sqlite3_step(statement) == SQLITE_DONE;

    sqlite3_reset(statement);
    return ok;
}

static bool write_resource(struct sim_database *d, const struct change *c)
{
    sqlite3_stmt *statement = c->kind == CHANGE_PUT ? d->put : d->drop;

    sqlite3_bind_int(statement, 1, c->deleted);
    for (size_t i = 0; i < (c->kind == CHANGE_PUT ? COUNT(c->texts) : 1); i++)
        bind(statement, (int)i + 2, c->texts[i]);
    if (c->kind == CHANGE_PUT)
        sqlite3_bind_int64(statement, 9, c->writes);
    return run(statement);
}

static bool write_fact(struct sim_database *d, const struct change *c)
{
    sqlite3_stmt *statement = c->kind == CHANGE_FACT ? d->fact : d->forget;

    bind(statement, 1, c->texts[0]);
    bind(statement, 2, c->texts[1]);
    if (c->kind == CHANGE_FACT)
        bind(statement, 3, c->texts[2]);
    return run(statement);
}

static bool write_batch(struct sim_database *d, const struct batch *b)
{
    bool ok = sqlite3_exec(d->db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK;

    for (size_t i = 0; ok && i < b->changes.len; i++) {
        const struct change *c = &b->changes.items[i];
        ok = c->kind == CHANGE_PUT || c->kind == CHANGE_DROP ? write_resource(d, c)
                                                             : write_fact(d, c);
    }
    ok = ok && sqlite3_exec(d->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
    if (!ok)
        (void)snprintf(d->why, sizeof d->why, "%s", sqlite3_errmsg(d->db));
    if (!ok && !sqlite3_get_autocommit(d->db))
        (void)sqlite3_exec(d->db, "ROLLBACK", NULL, NULL, NULL);
    return ok;
}

/* Takes what has gathered; false: nothing comes any more. */
static bool take_batch(struct sim_database *d, struct batch *out)
{
    AUTO_LOCK guard = lock_take(&d->lock);

    while (!d->open.changes.len && !d->stop)
        pthread_cond_wait(&d->work, &d->lock.mutex);
    *out = d->open;
    d->open = (struct batch){.number = out->number + 1};
    return out->changes.len > 0;
}

static void *writer(void *ctx)
{
    struct sim_database *d = ctx;
    struct batch b;

    while (take_batch(d, &b)) {
        bool ok = write_batch(d, &b);
        arena_free(b.arena);
        AUTO_LOCK guard = lock_take(&d->lock);
        d->written = b.number;
        if (!ok && !d->failed)
            d->failed = b.number;
        pthread_cond_broadcast(&d->done);
    }
    return NULL;
}

uint64_t sim_database_seal(struct sim_database *d)
{
    if (!d)
        return 0;
    AUTO_LOCK guard = lock_take(&d->lock);
    if (!d->open.changes.len)
        return 0;
    pthread_cond_signal(&d->work);
    return d->open.number;
}

bool sim_database_wait(struct sim_database *d, uint64_t number, struct err *e)
{
    if (!d || !number)
        return true;
    AUTO_LOCK guard = lock_take(&d->lock);
    while (d->written < number)
        pthread_cond_wait(&d->done, &d->lock.mutex);
    /* What comes after a hole is of no use. */
    if (d->failed && d->failed <= number)
        return err_set(e, ERR_IO, "%.*s: %s", STR_ARG(d->path), d->why);
    return true;
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

/* Gives every fact to the part of the simulator that knows its kind. */
static bool load_facts(struct sim *s, struct err *e)
{
    AUTO_ARENA a = arena_new();
    sqlite3_stmt *rows;
    bool whole = true;

    if (sqlite3_prepare_v2(s->database->db, "SELECT kind, key, value FROM facts ORDER BY rowid", -1,
                           &rows, NULL) != SQLITE_OK)
        return bad_file(s, e, sqlite3_errmsg(s->database->db));
    while (whole && sqlite3_step(rows) == SQLITE_ROW) {
        whole = sim_remember(s, a, column(rows, 0), column(rows, 1), column(rows, 2));
        arena_reset(a);
    }
    sqlite3_finalize(rows);
    return whole || bad_file(s, e, "it holds what no simulator has written");
}

static bool prepare(struct sim_database *d)
{
    static const char put[] = "INSERT INTO resources VALUES (?,?,?,?,?,?,?,?,?)"
                              " ON CONFLICT (deleted, key) DO UPDATE SET parent = excluded.parent,"
                              " id = excluded.id, type = excluded.type,"
                              " version = excluded.version, body = excluded.body,"
                              " sent = excluded.sent, writes = excluded.writes";
    static const char drop[] = "DELETE FROM resources WHERE deleted = ? AND key = ?";
    static const char fact[] = "INSERT INTO facts VALUES (?,?,?) ON CONFLICT (kind, key)"
                               " DO UPDATE SET value = excluded.value";
    static const char forget[] = "DELETE FROM facts WHERE kind = ? AND key = ?";

    return sqlite3_exec(d->db, tables, NULL, NULL, NULL) == SQLITE_OK &&
           sqlite3_prepare_v2(d->db, put, -1, &d->put, NULL) == SQLITE_OK &&
           sqlite3_prepare_v2(d->db, drop, -1, &d->drop, NULL) == SQLITE_OK &&
           sqlite3_prepare_v2(d->db, fact, -1, &d->fact, NULL) == SQLITE_OK &&
           sqlite3_prepare_v2(d->db, forget, -1, &d->forget, NULL) == SQLITE_OK;
}

static bool set_format(struct sim_database *d)
{
    return sqlite3_exec(d->db, "INSERT OR REPLACE INTO meta VALUES ('format', 3)", NULL, NULL,
                        NULL) == SQLITE_OK;
}

bool sim_database_open(struct sim *s, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct sim_database *d = ARENA_NEW(s->arena, struct sim_database);

    s->database = d;
    d->path = s->config.state;
    d->open.number = 1;
    pthread_mutex_init(&d->lock.mutex, NULL);
    pthread_cond_init(&d->work, NULL);
    pthread_cond_init(&d->done, NULL);
    if (sqlite3_open(str_z(a, s->config.state), &d->db) != SQLITE_OK || !prepare(d))
        return bad_file(s, e, sqlite3_errmsg(d->db));
    if (meta(s, "format", FORMAT_NUMBER) != FORMAT_NUMBER)
        return bad_file(s, e, "it was written by another version of plumb");
    if (!load(s, e) || !load_facts(s, e))
        return false;
    if (!set_format(d))
        return bad_file(s, e, sqlite3_errmsg(d->db));
    sim_store_keep(s->store, d, false);
    sim_store_keep(s->deleted, d, true);
    d->running = pthread_create(&d->thread, NULL, writer, d) == 0;
    return d->running || bad_file(s, e, "no thread can be started");
}

static void stop_writer(struct sim_database *d)
{
    {
        AUTO_LOCK guard = lock_take(&d->lock);
        d->stop = true;
        pthread_cond_signal(&d->work);
    }
    pthread_join(d->thread, NULL);
}

void sim_database_close(struct sim_database *d)
{
    if (!d)
        return;
    if (d->running)
        stop_writer(d);
    if (d->open.arena)
        arena_free(d->open.arena);
    sqlite3_finalize(d->put);
    sqlite3_finalize(d->drop);
    sqlite3_finalize(d->fact);
    sqlite3_finalize(d->forget);
    sqlite3_close(d->db);
    pthread_cond_destroy(&d->work);
    pthread_cond_destroy(&d->done);
    pthread_mutex_destroy(&d->lock.mutex);
}
