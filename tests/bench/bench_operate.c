/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_operate.c - the operator beside the store in one process: how soon it has read 10,000
 * objects of 50 kinds, what they cost it, and what it takes when there is nothing to do.
 *
 * It observes: what it would write is not measured here.
 */
#include "bench.h"

#include "azure/crd.h"
#include "base/log.h"
#include "cli/options/kinds.h"
#include "operator/live.h"
#include "store/store.h"
#include "support/local.h"
#include "text/json/json.h"

#include <malloc.h>
#include <pthread.h>

#define KINDS 50
#define EACH 200
#define IDLE (3 * NS_PER_SEC)

struct stage {
    struct arena *arena;
    struct model *model;
    struct store *store;
    struct local client;
    struct live *live;
    struct http_cancel *cancel;
};

static size_t resident(void)
{
    AUTO_ARENA a = arena_new();
    str text, line, rest;
    uint64_t pages = 0;

    malloc_trim(0);
    if (!file_read(a, STR("/proc/self/statm"), &text, NULL))
        return 0;
    str_cut(text, STR(" "), &line, &rest);
    str_cut(rest, STR(" "), &line, &rest);
    return str_to_u64(line, &pages) ? (size_t)pages * 4096 : 0;
}

static bool define(struct stage *s, const struct model_resource *const *versions, size_t count)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);

    return json_write(&b, crd_build(a, versions, count, &(struct crd_options){0}), &json_exact,
                      NULL) &&
           local_ask(&s->client, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                     str_z(a, buf_str(&b))) == 201;
}

/* False when the kind needs more than that. */
static bool make(struct stage *s, const struct model_resource *r, int i)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, 64 * KIB);

    buf_fmt(&b,
            "{\"apiVersion\":\"%.*s/%.*s\",\"kind\":\"%.*s\",\"metadata\":{\"name\":\"object-%d\","
            "\"labels\":{\"app\":\"shop\"},\"annotations\":{\"note\":\"",
            STR_ARG(r->group), STR_ARG(r->version), STR_ARG(r->kind), i);
    for (int j = 0; j < 60; j++)
        buf_add(&b, STR("0123456789"));
    buf_add(&b, STR("\"}},\"spec\":{\"location\":\"westus2\",\"owner\":{\"name\":\"none\"},"
                    "\"tags\":{"));
    for (int j = 0; j < 20; j++)
        buf_fmt(&b, "%s\"tag-%d\":\"value of the tag %d\"", j ? "," : "", j, i);
    buf_add(&b, STR("}}}"));
    return local_askf(&s->client, "POST", str_z(a, buf_str(&b)),
                      "/apis/%.*s/%.*s/namespaces/default/%.*s", STR_ARG(r->group),
                      STR_ARG(r->version), STR_ARG(r->plural)) == 201;
}

static size_t fill(struct stage *s)
{
    const struct option_list none = {0};
    struct kind_list kinds;
    AUTO_ERR e = {0};
    size_t made = 0, count = 0;

    bench_check(kind_list_select(s->arena, s->model, &none, &kinds, &e), &e);
    for (size_t i = 0, end; i < kinds.len && made < KINDS; i = end) {
        const struct model_resource *hub = kinds.items[i];
        end = kind_list_end(&kinds, i);
        for (size_t j = i; j < end; j++)
            hub = kinds.items[j]->hub ? kinds.items[j] : hub;
        if (!define(s, kinds.items + i, end - i) || !make(s, hub, 0))
            continue;
        made++;
        for (int j = 1; j < EACH; j++)
            count += make(s, hub, j);
    }
    return count + made;
}

static void *run_live(void *ctx)
{
    struct stage *s = ctx;

    live_run(s->live, s->cancel);
    return NULL;
}

static void measure(struct stage *s, size_t objects)
{
    struct kube_config cluster = {
        .server = STR("http://store"), .namespace = STR("default"), .http = http_defaults()};
    struct kube_transport *transport;
    AUTO_ERR e = {0};
    pthread_t thread;

    cluster.http.local = store_handler(s->store);
    bench_check(kube_transport_new(&cluster, STR("bench"), &transport, &e), &e);
    const struct live_config config = {
        .operator= {.model = s->model, .namespace = STR("default"), .period = 3600 * NS_PER_SEC},
        .transport = transport,
        .identity = STR("bench"),
        .observe = true};
    size_t before = resident();
    int64_t began = clock_mono();
    bench_check(live_start(&config, &s->live, &e), &e);
    s->cancel = http_cancel_new();
    bench_check(pthread_create(&thread, NULL, run_live, s) == 0, &e);
    while (!live_leads(s->live))
        clock_sleep(NS_PER_MS);
    bench_number("operate, 10,000 objects read", "ms", (double)(clock_mono() - began) / 1e6, 3000);
    clock_sleep(IDLE); /* the first passes */
    size_t after = resident();
    bench_number("operate, memory for them", "MiB",
                 (double)(after > before ? after - before : 1) / (double)MIB, 96);
    bench_number("operate, memory for each", "KiB",
                 (double)(after > before ? after - before : 1) / (double)objects / 1024, 6);
    int64_t cpu = clock_cpu();
    clock_sleep(IDLE);
    bench_number("operate, idle", "% of a core",
                 100 * (double)(clock_cpu() - cpu) / (double)IDLE + 0.001, 1);
    http_cancel_raise(s->cancel);
    pthread_join(thread, NULL);
    live_stop(s->live);
    http_cancel_free(s->cancel);
    kube_transport_free(transport);
}

static void run(void)
{
    struct store_config config = store_defaults();
    struct stage s = {.arena = arena_new()};
    AUTO_ERR e = {0};

    log_setup(LOG_LEVEL_OFF, LOG_TEXT, 2);
    bench_check(model_open(s.arena, STR_NONE, &s.model, &e), &e);
    bench_check(store_open(&config, &s.store, &e), &e);
    s.client = local_client(store_handler(s.store));
    size_t objects = fill(&s);
    bench_check(objects > 9000 || err_set(&e, ERR_INVALID, "only %zu objects", objects), &e);
    measure(&s, objects);
    local_end(&s.client);
    store_close(s.store);
    model_close(s.model);
    arena_free(s.arena);
}

const struct benchmark bench_operate = {
    .name = "operate",
    .help = "the operator with 10,000 objects of 50 kinds: start, memory, idle",
    .run = run,
};
