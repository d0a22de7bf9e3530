/* SPDX-License-Identifier: Apache-2.0 */
/*
 * persist.c - the objects in a SQLite file: read at the start, then only written.
 *
 * A row is an object as JSON, so that the file can be read with any tool. The last version is
 * stored separately, because deletions count too.
 */
#include "store/internal.h"

#include "text/json/json.h"
#include "object/object.h"

#define DEFINITIONS "apiextensions.k8s.io/customresourcedefinitions"

static const char *const upgrades[] = {
    "CREATE TABLE objects (type TEXT NOT NULL, key TEXT NOT NULL, object TEXT NOT NULL,"
    " PRIMARY KEY (type, key));"
    "CREATE TABLE counter (version INTEGER NOT NULL);"
    "INSERT INTO counter VALUES (0)",
    NULL,
};

enum { PUT, DROP, COUNT_UP };
static const char *const statements[] = {
    [PUT] = "INSERT INTO objects VALUES (?, ?, ?)"
            " ON CONFLICT (type, key) DO UPDATE SET object = excluded.object",
    [DROP] = "DELETE FROM objects WHERE type = ? AND key = ?",
    [COUNT_UP] = "UPDATE counter SET version = ?",
    NULL,
};

/* "plst" */
#define APPLICATION 0x706c7374

uint64_t store_persist_put(struct store *s, const struct store_version *v)
{
    AUTO_ARENA a = arena_new();
    const struct store_entry *n = v->entry;
    str type = str_fmt(a, "%.*s/%.*s", STR_ARG(n->type->group), STR_ARG(n->type->plural));
    struct db_value values[] = {DB_TEXT(type), DB_TEXT(n->key), DB_TEXT(STR_NONE)};

    if (v->deleted) {
        db_change(s->db, DROP, values, 2);
    } else {
        struct buf b = buf_new(a, BUF_UNLIMITED);
        store_write_json(&b, store_version_tree(a, s, v));
        values[2].text = buf_str(&b);
        db_change(s->db, PUT, values, 3);
    }
    return db_change(s->db, COUNT_UP, (struct db_value[]){DB_INT((int64_t)v->rv)}, 1);
}

/* ---- Reading. -------------------------------------------------------------------------------- */

static struct store_type *type_of(struct store *s, str key)
{
    str group, plural;

    str_cut(key, STR("/"), &group, &plural);
    return store_type_find(s, group, plural);
}

static bool decode(struct arena *a, str text, struct value **tree, uint64_t *rv, struct err *e)
{
    const struct source src = {.text = text};

    if (!json_read(a, &src, NULL, tree, e))
        return false;
    return str_to_u64(object_meta_str(*tree, STR("resourceVersion")), rv) ||
           err_set(e, ERR_INVALID, "an object without resourceVersion");
}

/*
 * Another program may have changed the file: check that a row is an object that a request could
 * have written.
 */
static bool check_row(const struct store *s, const struct store_type *t, str key,
                      const struct value *tree, uint64_t rv, struct err *e)
{
    AUTO_ARENA a = arena_new();
    str namespace = t->namespaced ? object_namespace(tree) : STR_NONE;

    if (!str_eq(key, object_path(a, namespace, object_name(tree))))
        return err_set(e, ERR_INVALID, "the object has another name");
    if (!object_meta_str(tree, STR("uid")).len)
        return err_set(e, ERR_INVALID, "an object without uid");
    return (rv && rv <= s->head) ||
           err_set(e, ERR_INVALID, "version %llu, and the last one of the file is %llu",
                   (unsigned long long)rv, (unsigned long long)s->head);
}

static bool load_object(void *ctx, const struct db_row *row, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct store *s = ctx;
    struct store_type *t = type_of(s, db_text(row, 0));
    str key = db_text(row, 1), text = str_copy(a, db_text(row, 2));
    struct value *tree;
    uint64_t rv;

    if (!t)
        return err_set(e, ERR_INVALID, "%.*s: no definition of this type",
                       STR_ARG(db_text(row, 0)));
    if (!decode(a, text, &tree, &rv, e) || !check_row(s, t, key, tree, rv, e))
        return err_wrap(e, "%.*s %.*s", STR_ARG(t->plural), STR_ARG(key));
    store_load(s, t, tree, rv);
    return true;
}

struct counting {
    struct store *store;
    size_t rows;
};

static bool load_counter(void *ctx, const struct db_row *row, struct err *e)
{
    struct counting *c = ctx;
    int64_t last = db_int(row, 0);

    c->store->head = (uint64_t)last;
    c->rows++;
    return last >= 0 || err_set(e, ERR_INVALID, "its last version is negative");
}

static bool load_head(struct store *s, struct err *e)
{
    struct counting c = {.store = s};

    return db_read(s->db, "SELECT version FROM counter", load_counter, &c, e) &&
           (c.rows == 1 || err_set(e, ERR_INVALID, "it has %zu last versions", c.rows));
}

static bool load(struct store *s, struct err *e)
{
    static const char query[] =
        "SELECT type, key, object FROM objects ORDER BY type <> '" DEFINITIONS "', type, key";

    return load_head(s, e) && db_read(s->db, query, load_object, s, e);
}

bool store_persist_open(struct store *s, struct err *e)
{
    const struct db_config config = {
        .path = s->config.path,
        .sync = s->config.sync,
        .application = APPLICATION,
        .upgrades = upgrades,
        .statements = statements,
        .driven = s->config.driven,
        .existing = s->config.existing,
        .written = store_written,
        .ctx = s,
        .vfs = s->config.vfs,
    };

    if (!s->config.path.len)
        return true;
    return db_open(&config, &s->db, e) && (load(s, e) || err_wrap(e, "%.*s", STR_ARG(config.path)));
}

/* ---- Checking. ------------------------------------------------------------------------------- */

struct comparing {
    struct store *store;
    struct arena *arena;
    struct map *versions; /* that objects have */
    size_t rows;
};

/* A row must be the same as the object in memory. */
static bool check_object(void *ctx, const struct db_row *row, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct comparing *c = ctx;
    struct store_type *t = type_of(c->store, db_text(row, 0));
    str key = str_copy(a, db_text(row, 1)), text = str_copy(a, db_text(row, 2));
    const struct store_entry *n = t ? store_order_find(&t->objects, key) : NULL;
    const struct store_version *v = store_live(n);
    struct value *tree;
    uint64_t rv;

    c->rows++;
    if (!decode(a, text, &tree, &rv, e))
        return err_wrap(e, "%.*s", STR_ARG(key));
    if (!v || v->rv != rv || !value_equal(tree, store_version_tree(a, c->store, v)))
        return err_set(e, ERR_INVALID, "%.*s: memory and file differ", STR_ARG(key));
    str version = str_copy(c->arena, object_meta_str(tree, STR("resourceVersion")));
    if (map_has(c->versions, version))
        return err_set(e, ERR_INVALID, "%.*s: another object has its version, too", STR_ARG(key));
    map_set(c->versions, version, c);
    return true;
}

bool store_check(struct store *s, struct err *e)
{
    AUTO_ARENA a = arena_new();
    struct comparing c = {.store = s, .arena = a, .versions = map_new(a)};
    size_t live = 0;

    if (!store_check_memory(s, &live, e))
        return false;
    if (!s->db)
        return true;
    if (!db_check(s->db, e) ||
        !db_read(s->db, "SELECT type, key, object FROM objects", check_object, &c, e))
        return false;
    return c.rows == live ||
           err_set(e, ERR_INVALID, "%zu objects in memory, %zu in the file", live, c.rows);
}
