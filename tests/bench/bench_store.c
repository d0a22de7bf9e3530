/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_store.c - the embedded store: its start with all definitions of Azure's kinds; with 20,000
 * objects of 4 KB its memory, reading, listing in pages, durable writes of 64 clients at once, and
 * how soon 200 watchers see a change.
 */
#include "bench.h"

#include "azure/crd.h"
#include "cli/options/kinds.h"
#include "store/store.h"
#include "support/local.h"
#include "text/json/json.h"

#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#define OBJECTS 20000
#define CLIENTS 64
#define WRITES 40
#define WATCHERS 200
#define CHANGES 200
#define MAPS "/api/v1/namespaces/default/configmaps"

static size_t resident(void)
{
    AUTO_ARENA a = arena_new();
    str text, line, rest;
    uint64_t pages = 0;

    if (!file_read(a, STR("/proc/self/statm"), &text, NULL))
        return 0;
    str_cut(text, STR(" "), &line, &rest);
    str_cut(rest, STR(" "), &line, &rest);
    return str_to_u64(line, &pages) ? (size_t)pages * 4096 : 0;
}

static str object(struct arena *a, const char *name)
{
    struct buf b = buf_new(a, 16 * KIB);

    buf_fmt(&b,
            "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%s\"},"
            "\"data\":{",
            name);
    for (int i = 0; i < 40; i++)
        buf_fmt(&b,
                "%s\"key-%d\":\"%s-%d-abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz0123\"",
                i ? "," : "", i, name, i);
    buf_add(&b, STR("}}"));
    return buf_str(&b);
}

static struct store *opened(const struct store_config *config)
{
    AUTO_ERR e = {0};
    struct store *s = NULL;

    bench_check(store_open(config, &s, &e), &e);
    return s;
}

static void expect(int got, int want)
{
    AUTO_ERR e = {0};

    bench_check(got == want || err_set(&e, ERR_INVALID, "answered by %d, not %d", got, want), &e);
}

static void fill(struct local *c)
{
    int64_t before = clock_cpu();

    c->raw = true;
    for (int i = 0; i < OBJECTS; i++) {
        AUTO_ARENA a = arena_new();
        char name[32];
        (void)snprintf(name, sizeof name, "object-%05d", i);
        expect(local_ask(c, "POST", MAPS, str_z(a, object(a, name))), 201);
    }
    bench_number("store create, in memory", "us", (double)(clock_cpu() - before) / OBJECTS / 1000,
                 200);
}

/* The token of the next page, without reading the whole answer as JSON. */
static bool next_page(const struct local *c, char *token, size_t size)
{
    str before, after, rest;

    token[0] = 0;
    if (!str_cut(str_slice(c->text, 0, KIB), STR("\"continue\":\""), &before, &after))
        return false;
    str_cut(after, STR("\""), &after, &rest);
    (void)snprintf(token, size, "%.*s", STR_ARG(after));
    return true;
}

/* What the store takes; clients read answers in other processes. */
static void read_all(struct local *c)
{
    int64_t before = clock_cpu();
    char token[300] = "";

    c->raw = true;
    for (int i = 0; i < 2000; i++)
        expect(local_askf(c, "GET", "", MAPS "/object-%05d", i * 7 % OBJECTS), 200);
    bench_number("store get", "us", (double)(clock_cpu() - before) / 2000 / 1000, 100);
    before = clock_cpu();
    do
        expect(local_askf(c, "GET", "", MAPS "?limit=500%s%s", token[0] ? "&continue=" : "", token),
               200);
    while (next_page(c, token, sizeof token));
    double took = (double)(clock_cpu() - before) / 1e9;
    bench_number("store list, 1,000 objects in pages", "ms", took * 1e3 / (OBJECTS / 1000), 20);
    c->raw = false;
}

static void measure_memory(void)
{
    struct store_config config = store_defaults();
    size_t before = resident();

    config.driven = true;
    config.history_count = 100;
    struct store *s = opened(&config);
    struct local c = local_client(store_handler(s));
    fill(&c);
    store_step(s);
    bench_number("store, 20,000 objects of 4 KB", "MiB",
                 (double)(resident() - before) / (double)MIB, 160);
    read_all(&c);
    local_end(&c);
    store_close(s);
}

struct writer {
    struct store *store;
    int number;
};

static void *write_some(void *ctx)
{
    struct writer *w = ctx;
    struct local c = local_client(store_handler(w->store));

    c.raw = true;
    for (int i = 0; i < WRITES; i++) {
        AUTO_ARENA a = arena_new();
        char name[32];
        (void)snprintf(name, sizeof name, "w-%d-%d", w->number, i);
        expect(local_ask(&c, "POST", MAPS, str_z(a, object(a, name))), 201);
    }
    local_end(&c);
    return NULL;
}

/* How long the disk takes for one small durable write, to see the other figure beside. */
static double sync_time(const char *folder)
{
    AUTO_ARENA a = arena_new();
    char *path = str_z(a, str_fmt(a, "%s/probe", folder));
    FILE *f = fopen(path, "w");
    int64_t before = clock_mono();

    for (int i = 0; f && i < 50; i++) {
        fputs("x", f);
        fflush(f);
        fdatasync(fileno(f));
    }
    if (f)
        fclose(f);
    unlink(path);
    return (double)(clock_mono() - before) / 50 / 1e3;
}

static void measure_writes(const char *folder)
{
    AUTO_ARENA a = arena_new();
    struct store_config config = store_defaults();
    struct writer writers[CLIENTS];
    pthread_t threads[CLIENTS];

    config.path = str_fmt(a, "%s/store", folder);
    struct store *s = opened(&config);
    int64_t before = clock_mono(), cpu = clock_cpu();
    for (int i = 0; i < CLIENTS; i++) {
        writers[i] = (struct writer){s, i};
        expect(pthread_create(&threads[i], NULL, write_some, &writers[i]), 0);
    }
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(threads[i], NULL);
    double took = (double)(clock_mono() - before);
    bench_number("store, CPU of a durable write", "us",
                 (double)(clock_cpu() - cpu) / (CLIENTS * WRITES) / 1e3, 300);
    bench_number("store, one sync of the disk", "us", sync_time(folder), 100000);
    bench_number("store, a durable write of 64 clients", "us", took / (CLIENTS * WRITES) / 1e3,
                 200);
    store_close(s);
    unlink(str_z(a, config.path));
}

/* ---- All definitions. ---- */

static void define_all(struct local *c, const struct kind_list *kinds)
{
    static const struct crd_options plain = {0};

    c->raw = true;
    for (size_t i = 0, end; i < kinds->len; i = end) {
        AUTO_ARENA a = arena_new();
        struct buf b = buf_new(a, BUF_UNLIMITED);

        end = kind_list_end(kinds, i);
        if (!json_write(&b, crd_build(a, kinds->items + i, end - i, &plain), &json_exact, NULL))
            continue;
        expect(local_ask(c, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                         str_z(a, buf_str(&b))),
               201);
    }
}

static void measure_start(const char *folder)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct store_config config = store_defaults();
    const struct str_list all = {0};
    struct kind_list kinds;
    struct model *m = NULL;

    config.path = str_fmt(a, "%s/definitions", folder);
    config.sync = DB_SYNC_OFF;
    bench_check(model_open(a, STR_NONE, &m, &e) && kind_list_select(a, m, &all, &kinds, &e), &e);
    struct store *s = opened(&config);
    struct local c = local_client(store_handler(s));
    define_all(&c, &kinds);
    local_end(&c);
    store_close(s);
    model_close(m);
    (void)malloc_trim(0); /* what was freed must not hide what is taken */
    size_t held = resident();
    int64_t before = clock_mono();
    s = opened(&config);
    bench_number("store, start with 293 definitions", "ms", (double)(clock_mono() - before) / 1e6,
                 1000);
    /* The first discovery looks at every definition. */
    c = local_client(store_handler(s));
    c.raw = true;
    c.accept = STR("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    expect(local_ask(&c, "GET", "/apis", ""), 200);
    size_t now = resident();
    bench_number("store, 293 definitions after discovery", "MiB",
                 (double)(now > held ? now - held : 0) / (double)MIB, 64);
    local_end(&c);
    store_close(s);
    unlink(str_z(a, config.path));
}

static int by_size(const void *x, const void *y)
{
    const double *p = x, *q = y;

    return *p < *q ? -1 : *p > *q;
}

/* All watchers take each change; counted is the time until the last one has it. */
static void measure_watchers(void)
{
    struct store_config config = store_defaults();
    struct local_watch *watchers[WATCHERS];
    static double took[CHANGES];

    config.driven = true;
    struct store *s = opened(&config);
    struct local c = local_client(store_handler(s));
    for (int i = 0; i < WATCHERS; i++)
        watchers[i] = local_watch(&c, MAPS "?watch=true");
    for (int i = 0; i < CHANGES; i++) {
        AUTO_ARENA a = arena_new();
        char name[32];
        (void)snprintf(name, sizeof name, "c-%d", i);
        int64_t before = clock_mono();
        expect(local_ask(&c, "POST", MAPS, str_z(a, object(a, name))), 201);
        for (int k = 0; k < WATCHERS; k++)
            expect(local_watch_drain(watchers[k]) > 0, true);
        took[i] = (double)(clock_mono() - before) / 1e6;
    }
    qsort(took, CHANGES, sizeof took[0], by_size);
    bench_number("store, 200 watchers see a change, 99 %", "ms", took[CHANGES * 99 / 100], 50);
    for (int i = 0; i < WATCHERS; i++)
        local_watch_close(watchers[i]);
    local_end(&c);
    store_close(s);
}

static void run(void)
{
    char folder[] = "/var/tmp/plumb-bench-XXXXXX";
    AUTO_ERR e = {0};

    measure_memory();
    measure_watchers();
    bench_check(mkdtemp(folder) || err_set(&e, ERR_IO, "no folder for the store"), &e);
    measure_writes(folder);
    measure_start(folder);
    rmdir(folder);
}

const struct benchmark bench_store = {
    .name = "store", .help = "the embedded store with 20,000 objects", .run = run};
