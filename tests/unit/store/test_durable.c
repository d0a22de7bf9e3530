/* SPDX-License-Identifier: Apache-2.0 */
/* test_durable.c - only what is on disk is visible; full and read-only disks. */
#include "stage.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void lose_power(struct stage *s)
{
    disk_lose_power(s->disk);
    local_end(&s->c);
    store_close(s->store);
    disk_return_power(s->disk);
    stage_open(s);
}

TEST(everything_that_was_answered_is_there_after_a_power_loss)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();

    ASSERT_ASK(&s, "POST", WIDGETS, WIDGET("\"name\":\"a\"", "\"size\":1"), 201);
    str version = str_copy(a, local_text(&s.c, "metadata.resourceVersion"));
    str uid = str_copy(a, local_text(&s.c, "metadata.uid"));
    ASSERT_ASK(&s, "POST", WIDGETS, WIDGET("\"name\":\"b\"", "\"size\":1"), 201);
    ASSERT_ASK(&s, "DELETE", WIDGETS "/b", "", 200);
    uint64_t last = store_version(s.store);
    lose_power(&s);
    assert_int_equal(store_version(s.store), last);
    ASSERT_ASK(&s, "GET", WIDGETS "/a", "", 200);
    assert_str(local_text(&s.c, "metadata.resourceVersion"), version);
    assert_str(local_text(&s.c, "metadata.uid"), uid);
    ASSERT_ASK(&s, "GET", WIDGETS "/b", "", 404);
    ASSERT_ASK(&s, "GET", WIDGETS "?watch=true&resourceVersion=1", "", 200);
    stage_end(&s);
}

TEST(deletions_that_had_begun_go_on_after_a_power_loss)
{
    struct stage s = stage_begin();

    ASSERT_ASK(&s, "POST", "/api/v1/namespaces",
               "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"n\"}}", 201);
    ASSERT_ASK(&s, "POST", "/apis/example.com/v1/namespaces/n/widgets",
               WIDGET("\"name\":\"a\"", "\"size\":1"), 201);
    ASSERT_ASK(&s, "DELETE", "/api/v1/namespaces/n", "", 200);
    lose_power(&s);
    ASSERT_ASK(&s, "GET", "/api/v1/namespaces/n", "", 200);
    stage_settle(&s);
    ASSERT_ASK(&s, "GET", "/api/v1/namespaces/n", "", 404);
    stage_end(&s);
}

TEST(a_disk_that_cannot_be_written_fails_writes_and_nothing_else)
{
    struct stage s = stage_begin();
    void (*const troubles[])(struct disk *, bool) = {disk_fill, disk_protect};
    char name[32], body[256];

    ASSERT_ASK(&s, "POST", WIDGETS, WIDGET("\"name\":\"a\"", "\"size\":1"), 201);
    for (size_t i = 0; i < COUNT(troubles); i++) {
        struct local_watch *w = local_watch(&s.c, WIDGETS "?watch=true");
        while (local_watch_next(w))
            continue;
        uint64_t before = store_version(s.store);
        troubles[i](s.disk, true);
        ASSERT_ASK(&s, "POST", WIDGETS, WIDGET("\"name\":\"b\"", "\"size\":1"), 500);
        assert_str(local_text(&s.c, "reason"), STR("InternalError"));
        ASSERT_ASK(&s, "DELETE", WIDGETS "/a", "", 500);
        ASSERT_ASK(&s, "DELETE", CRDS "/widgets.example.com", "", 500);
        ASSERT_ASK(&s, "GET", WIDGETS "/b", "", 404);
        ASSERT_ASK(&s, "GET", WIDGETS "/a", "", 200);
        assert_int_equal(store_version(s.store), before);
        troubles[i](s.disk, false);
        (void)snprintf(name, sizeof name, "c%zu", i);
        (void)snprintf(body, sizeof body, WIDGET("\"name\":\"%s\"", "\"size\":1"), name);
        ASSERT_ASK(&s, "POST", WIDGETS, body, 201);
        const struct value *e = local_watch_next(w);
        assert_str(
            value_get_str(value_get(value_get(e, STR("object")), STR("metadata")), STR("name")),
            str_c(name));
        assert_null(local_watch_next(w));
        local_watch_close(w);
    }
    lose_power(&s);
    ASSERT_ASK(&s, "GET", WIDGETS "/c1", "", 200);
    ASSERT_ASK(&s, "GET", WIDGETS "/b", "", 404);
    stage_end(&s);
}

/* ---- Power that fails anywhere. ---- */

#define POWER_SEEDS 1000
#define POWER_NAMES 6
#define POWER_MAPS "/api/v1/namespaces/default/configmaps"

/* What was answered: the value of each object, 0 when there is none. */
struct answered {
    unsigned value[POWER_NAMES];
    /* The write whose answer did not come: its object may be as before or after. */
    int unsure;
    unsigned after;
};

static int write_one(struct stage *s, unsigned name, unsigned before, unsigned after)
{
    char body[200];

    if (!after)
        return local_askf(&s->c, "DELETE", "", POWER_MAPS "/n%u", name);
    (void)snprintf(body, sizeof body,
                   "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"n%u\"},"
                   "\"data\":{\"v\":\"%u\"}}",
                   name, after);
    return before ? local_askf(&s->c, "PUT", body, POWER_MAPS "/n%u", name)
                  : local_ask(&s->c, "POST", POWER_MAPS, body);
}

/* Writes until the power fails. */
static void write_until_dark(struct stage *s, struct answered *k)
{
    for (unsigned i = 1; i < 1000; i++) {
        unsigned name = (unsigned)random_below(POWER_NAMES);
        unsigned after = k->value[name] && random_below(3) == 0 ? 0 : i;
        int status = write_one(s, name, k->value[name], after);

        if (status >= 300) {
            k->unsure = (int)name;
            k->after = after;
            return;
        }
        k->value[name] = after;
    }
    fail_msg("the power did not fail");
}

static bool is_as_answered(struct stage *s, const struct answered *k, unsigned name)
{
    int status = local_askf(&s->c, "GET", "", POWER_MAPS "/n%u", name);
    uint64_t value = 0;

    if (status == 200 && !str_to_u64(local_text(&s->c, "data.v"), &value))
        return false;
    return value == k->value[name] || (k->unsure == (int)name && value == k->after);
}

static void lose_power_by(uint64_t seed)
{
    struct stage s = {.disk = disk_new(), .config = store_defaults()};
    struct answered k = {.unsure = -1};

    random_fake(seed);
    s.config.driven = true;
    s.config.path = STR("store");
    s.config.vfs = disk_vfs(s.disk);
    stage_open(&s);
    for (int round = 0; round < 2; round++) {
        disk_lose_power_after(s.disk, (unsigned)random_below(120) + 1);
        write_until_dark(&s, &k);
        local_end(&s.c);
        store_close(s.store);
        disk_return_power(s.disk);
        stage_open(&s);
        for (unsigned i = 0; i < POWER_NAMES; i++) {
            if (!is_as_answered(&s, &k, i))
                fail_msg("seed %llu, round %d: n%u is not as it was answered",
                         (unsigned long long)seed, round, i);
            uint64_t value = 0;
            if (!str_to_u64(local_text(&s.c, "data.v"), &value))
                value = 0;
            k.value[i] = (unsigned)value;
        }
        k.unsure = -1;
    }
    stage_close(&s);
    disk_free(s.disk);
}

TEST(whenever_the_power_fails_everything_that_was_answered_is_there)
{
    clock_fake(1800000000 * NS_PER_SEC);
    for (uint64_t seed = 1; seed <= POWER_SEEDS; seed++)
        lose_power_by(seed);
    clock_real();
    random_real();
}

/* ---- Killed in the middle. ---- */

#define STORMS 100

/* Creates objects one after the other and tells of each that was answered, until it is killed. */
static void storm(const struct store_config *config, int out)
{
    struct store *store;
    char body[256];

    if (!store_open(config, &store, NULL))
        _exit(1);
    struct local c = local_client(store_handler(store));
    for (uint32_t i = 0;; i++) {
        (void)snprintf(body, sizeof body,
                       "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                       "\"generateName\":\"s-\"},\"data\":{\"n\":\"%u\"}}",
                       i);
        int status = local_ask(&c, "POST", "/api/v1/namespaces/default/configmaps", body);
        str name = local_text(&c, "metadata.name");
        if (status != 201 || write(out, name.ptr, name.len) != (ssize_t)name.len)
            _exit(1);
    }
}

TEST(a_store_that_is_killed_has_everything_that_it_answered)
{
    AUTO_ARENA a = arena_new();
    char path[] = "/tmp/plumb-store-XXXXXX";
    int fd = mkstemp(path);
    struct stage s = {.config = store_defaults()};

    assert_true(fd >= 0);
    close(fd);
    s.config.path = str_c(path);
    s.config.sync = DB_SYNC_OFF;
    struct buf names = buf_new(a, 4 * MIB);
    for (int i = 0; i < STORMS; i++) {
        int pipe_ends[2], status;
        char piece[4096];
        assert_int_equal(pipe(pipe_ends), 0);
        pid_t child = fork();
        if (child == 0)
            storm(&s.config, pipe_ends[1]);
        close(pipe_ends[1]);
        size_t before = names.len, wanted = (size_t)(i % 20 + 1) * 35;
        ssize_t n;
        while (names.len < before + wanted && (n = read(pipe_ends[0], piece, sizeof piece)) > 0)
            buf_add(&names, str_of(piece, (size_t)n));
        kill(child, SIGKILL);
        while ((n = read(pipe_ends[0], piece, sizeof piece)) > 0)
            buf_add(&names, str_of(piece, (size_t)n));
        close(pipe_ends[0]);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
    }
    stage_open(&s);
    /* Every name has seven letters. */
    for (size_t i = 0; i + 7 <= names.len; i += 7)
        assert_int_equal(local_askf(&s.c, "GET", "", "/api/v1/namespaces/default/configmaps/%.7s",
                                    names.data + i),
                         200);
    stage_close(&s);
    unlink(path);
}

/* Many threads on a store that is not driven. */
struct client {
    struct store *store;
    int number;
    int failures;
};

static void *write_many(void *ctx)
{
    struct client *client = ctx;
    struct local c = local_client(store_handler(client->store));
    char body[256];

    for (int i = 0; i < 40; i++) {
        (void)snprintf(body, sizeof body, WIDGET("\"name\":\"w%d-%d\"", "\"size\":1"),
                       client->number, i);
        client->failures += local_ask(&c, "POST", WIDGETS, body) != 201;
        client->failures += local_askf(&c, "GET", "", WIDGETS "/w%d-%d", client->number, i) != 200;
        if (i % 4 == 0)
            client->failures +=
                local_askf(&c, "DELETE", "", WIDGETS "/w%d-%d", client->number, i) != 200;
    }
    local_end(&c);
    return NULL;
}

TEST(threads_share_the_disk_and_see_what_they_wrote)
{
    struct store_config config = store_defaults();
    struct stage s = {0};
    AUTO_ERR e = {0};
    struct client clients[8];
    pthread_t threads[8];
    char path[] = "/tmp/plumb-store-XXXXXX";
    int fd = mkstemp(path), failures = 0;

    assert_true(fd >= 0);
    close(fd);
    config.path = str_c(path);
    config.sync = DB_SYNC_OFF;
    s.config = config;
    stage_open(&s);
    ASSERT_ASK(&s, "POST", CRDS, WIDGET_CRD, 201);
    struct local_watch *w = local_watch(&s.c, WIDGETS "?watch=true");
    for (int i = 0; i < 8; i++) {
        clients[i] = (struct client){s.store, i, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, write_many, &clients[i]), 0);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
        failures += clients[i].failures;
    }
    assert_int_equal(failures, 0);
    size_t events = 0;
    while (local_watch_next(w))
        events++;
    assert_int_equal(events, 8 * 50);
    local_watch_close(w);
    stage_close(&s);
    assert_ok(store_open(&config, &s.store, &e), &e);
    s.c = local_client(store_handler(s.store));
    ASSERT_ASK(&s, "GET", WIDGETS, "", 200);
    assert_int_equal(value_len(value_get(s.c.body, STR("items"))), 8 * 30);
    stage_close(&s);
    unlink(path);
}

/* ---- Files that somebody else has changed. ---- */

static void change_file(const char *path, const char *sql)
{
    sqlite3 *file;

    assert_int_equal(sqlite3_open(path, &file), SQLITE_OK);
    assert_int_equal(sqlite3_exec(file, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(file);
}

static const struct {
    const char *sql, *want;
} changed[] = {
    {"UPDATE objects SET key = 'zzz' WHERE key = 'default'", "the object has another name"},
    {"UPDATE objects SET object = replace(object, '\"name\":\"default\"', '\"name\":\"d\"')",
     "the object has another name"},
    {"UPDATE objects SET object = replace(object, '\"uid\"', '\"uud\"')", "without uid"},
    {"UPDATE objects SET object = replace(object, '\"uid\"', '\"finalizers\":\"x\",\"uid\"')",
     "its metadata.finalizers is of the wrong type"},
    {"UPDATE objects SET object = replace(object, '\"uid\"',"
     " '\"ownerReferences\":{\"uid\":\"x\"},\"uid\"')",
     "its metadata.ownerReferences is of the wrong type"},
    {"UPDATE objects SET object = replace(object, '\"uid\"', '\"annotations\":{\"a\":1},\"uid\"')",
     "its metadata.annotations is of the wrong type"},
    {"UPDATE counter SET version = 1", "version 2, and the last one of the file is 1"},
    {"UPDATE counter SET version = -5", "its last version is negative"},
    {"DELETE FROM counter", "it has 0 last versions"},
    {"INSERT INTO counter VALUES (9)", "it has 2 last versions"},
    {"CREATE TRIGGER t AFTER INSERT ON objects BEGIN DELETE FROM objects; END",
     "it has other tables, triggers or views than plumb makes"},
    {"CREATE VIEW v AS SELECT * FROM objects", "than plumb makes"},
    {"CREATE INDEX i ON objects (length(object))", "than plumb makes"},
    {"ALTER TABLE objects ADD COLUMN c CHECK (c IS NULL)", "than plumb makes"},
    {"UPDATE objects SET object = replace(object, '\"resourceVersion\":\"2\"',"
     " '\"resourceVersion\":\"1\"')",
     "another object has its version, too"},
};

TEST(a_file_that_somebody_else_has_changed_is_told)
{
    for (size_t i = 0; i < COUNT(changed); i++) {
        struct store_config config = store_defaults();
        struct store *store = NULL;
        AUTO_ERR e = {0};
        char path[] = "/tmp/plumb-store-XXXXXX";
        int fd = mkstemp(path);
        assert_true(fd >= 0);
        close(fd);
        config.path = str_c(path);
        config.driven = true;
        assert_ok(store_open(&config, &store, &e), &e);
        assert_ok(store_check(store, &e), &e);
        store_close(store);
        change_file(path, changed[i].sql);
        if (store_open(&config, &store, &e)) {
            assert_false(store_check(store, &e));
            store_close(store);
        }
        if (!str_contains(e.text, str_c(changed[i].want)))
            fail_msg("%s: %.*s", changed[i].sql, STR_ARG(e.text));
        unlink(path);
    }
}

RUN_TESTS(cmocka_unit_test(everything_that_was_answered_is_there_after_a_power_loss),
          cmocka_unit_test(deletions_that_had_begun_go_on_after_a_power_loss),
          cmocka_unit_test(a_disk_that_cannot_be_written_fails_writes_and_nothing_else),
          cmocka_unit_test(whenever_the_power_fails_everything_that_was_answered_is_there),
          cmocka_unit_test(a_store_that_is_killed_has_everything_that_it_answered),
          cmocka_unit_test(threads_share_the_disk_and_see_what_they_wrote),
          cmocka_unit_test(a_file_that_somebody_else_has_changed_is_told))
