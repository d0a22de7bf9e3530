/* SPDX-License-Identifier: Apache-2.0 */
/*
 * database.c - the state of a simulator in a SQLite file (src/db), so that it can be stopped and
 * started again.
 *
 * What a request changes is added to the open batch while the simulator is locked; the request then
 * waits for its batch with the simulator unlocked before it is answered. So a killed simulator
 * never forgets what it has confirmed, and requests that arrive meanwhile share the next
 * transaction.
 *
 * The simulator cannot undo what a request did, so a batch that cannot be written (disk full) is
 * kept and written together with the next one. Until that succeeds, requests are rejected before
 * they change anything (sim_database_ready).
 */
#include "sim/internal.h"

#include "db/db.h"

/* Increased when the tables change in a way that cannot be upgraded. */
#define FORMAT_NUMBER 3
/* "plsm" */
#define APPLICATION 0x706c736d

struct sim_database {
    struct db *db;
    uint64_t batch; /* of the last change, not sealed yet; 0: none */
};

static const char *const upgrades[] = {
    "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS facts (kind TEXT NOT NULL, key TEXT NOT NULL,"
    " value TEXT NOT NULL, PRIMARY KEY (kind, key));"
    "CREATE TABLE IF NOT EXISTS resources (deleted INTEGER NOT NULL, key TEXT NOT NULL,"
    " parent TEXT NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL, version TEXT NOT NULL,"
    " body TEXT NOT NULL, sent TEXT NOT NULL, writes INTEGER NOT NULL,"
    " PRIMARY KEY (deleted, key));"
    "INSERT OR IGNORE INTO meta VALUES ('format', 3)",
    NULL,
};

enum { PUT, DROP, FACT, FORGET };
static const char *const statements[] = {
    [PUT] = "INSERT INTO resources VALUES (?,?,?,?,?,?,?,?,?)"
            " ON CONFLICT (deleted, key) DO UPDATE SET parent = excluded.parent, id = excluded.id,"
            " type = excluded.type, version = excluded.version, body = excluded.body,"
            " sent = excluded.sent, writes = excluded.writes",
    [DROP] = "DELETE FROM resources WHERE deleted = ? AND key = ?",
    [FACT] = "INSERT INTO facts VALUES (?,?,?)"
             " ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value",
    [FORGET] = "DELETE FROM facts WHERE kind = ? AND key = ?",
    NULL,
};

/* ---- Changes. ----------------------------------------------------------------------------------
 */

void sim_database_put(struct sim_database *d, bool deleted, const struct sim_resource *r)
{
    if (!d)
        return;
    const struct db_value values[] = {
        DB_INT(deleted),  DB_TEXT(r->node.key), DB_TEXT(r->parent->node.key),
        DB_TEXT(r->id),   DB_TEXT(r->type),     DB_TEXT(r->api_version),
        DB_TEXT(r->body), DB_TEXT(r->sent),     DB_INT((int64_t)r->writes),
    };
    d->batch = db_change(d->db, PUT, values, COUNT(values));
}

void sim_database_drop(struct sim_database *d, bool deleted, str key)
{
    if (d)
        d->batch = db_change(d->db, DROP, (struct db_value[]){DB_INT(deleted), DB_TEXT(key)}, 2);
}

void sim_database_fact(struct sim_database *d, const char *kind, str key, str value)
{
    const struct db_value values[] = {DB_TEXT(str_c(kind)), DB_TEXT(key), DB_TEXT(value)};

    if (d)
        d->batch = value.len ? db_change(d->db, FACT, values, 3)
                             : db_change(d->db, FORGET, values, 2);
}

uint64_t sim_database_seal(struct sim_database *d)
{
    if (!d || !d->batch)
        return 0;
    uint64_t number = d->batch;
    d->batch = 0;
    db_seal(d->db);
    return number;
}

bool sim_database_wait(struct sim_database *d, uint64_t number, struct err *e)
{
    return !d || db_wait(d->db, number, e);
}

bool sim_database_ready(struct sim_database *d, struct err *e)
{
    return !d || db_ready(d->db, e);
}

/* ---- Reading. ---------------------------------------------------------------------------------
 */

static bool bad_file(struct sim *s, struct err *e, const char *why)
{
    return err_set(e, ERR_IO, "%.*s: %s", STR_ARG(s->config.state), why);
}

static bool load_resource(void *ctx, const struct db_row *row, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct sim *s = ctx;
    struct sim_store *store = db_int(row, 0) ? s->deleted : s->store;
    str up = db_text(row, 1);
    struct sim_resource *parent = str_eq(up, STR("/")) ? sim_store_root(store)
                                                       : sim_store_find(a, store, up);

    if (!parent || sim_store_find(a, store, db_text(row, 2)) ||
        sim_store_len(store) >= SIM_RESOURCES_MAX)
        return bad_file(
            s, e, "the resources in it do not fit together; is it a state of plumb simulate?");
    struct sim_resource *r = sim_store_add(a, store, parent, db_text(row, 2), db_text(row, 3));
    sim_keep(&r->api_version, db_text(row, 4));
    sim_keep(&r->body, db_text(row, 5));
    sim_keep(&r->sent, db_text(row, 6));
    r->writes = (uint64_t)db_int(row, 7);
    return true;
}

/* Passes a fact to the part of the simulator that handles its kind. */
static bool load_fact(void *ctx, const struct db_row *row, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct sim *s = ctx;

    return sim_remember(s, a, db_text(row, 0), db_text(row, 1), db_text(row, 2)) ||
           bad_file(s, e, "it holds what no simulator has written");
}

static bool check_format(void *ctx, const struct db_row *row, struct err *e)
{
    return db_int(row, 0) == FORMAT_NUMBER ||
           bad_file(ctx, e, "it was written by another version of plumb");
}

/* Parents have shorter ids than their children, so they come first. */
static bool load(struct sim *s, struct db *db, struct err *e)
{
    return db_read(db, "SELECT value FROM meta WHERE name = 'format'", check_format, s, e) &&
           db_read(db,
                   "SELECT deleted, parent, id, type, version, body, sent, writes FROM resources"
                   " ORDER BY length(key), rowid",
                   load_resource, s, e) &&
           db_read(db, "SELECT kind, key, value FROM facts ORDER BY rowid", load_fact, s, e);
}

bool sim_database_open(struct sim *s, struct err *e)
{
    struct sim_database *d = ARENA_NEW(s->arena, struct sim_database);
    const struct db_config config = {
        .path = s->config.state,
        .application = APPLICATION,
        .upgrades = upgrades,
        .statements = statements,
        .keep = true,
    };

    if (!db_open(&config, &d->db, e))
        return e && e->kind == ERR_CONFLICT
                   ? bad_file(s, e,
                              "another simulator is using it: stop that one, or give another file")
                   : false;
    s->database = d;
    if (!load(s, d->db, e))
        return false;
    sim_store_keep(s->store, d, false);
    sim_store_keep(s->deleted, d, true);
    return true;
}

void sim_database_close(struct sim_database *d)
{
    if (d)
        db_close(d->db);
}
