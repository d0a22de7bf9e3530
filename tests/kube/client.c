/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.c - processes that the tests of this folder start, kill and suspend. They use the cluster
 * of KUBECONFIG and speak in lines.
 *
 *     client make FROM TO             creates the ConfigMaps m<FROM> to m<TO-1> with data.n of 0
 *     client write FROM TO ROUNDS     sets data.n of the ConfigMaps m<FROM> to m<TO-1> to 1, 2 and
 *                                     so on up to ROUNDS, each with a request of its own, until all
 *                                     succeeded; prints how many requests failed
 *     client follow                   keeps a copy of all ConfigMaps; answers each line of standard
 *                                     input by a line of figures, the first one once it is complete
 *     client lead NAME IDENTITY       competes for a Lease, prints "T held" every 20 ms while it
 *                                     believes to lead, and "T lost" once when it does not any more
 *
 * T is CLOCK_MONOTONIC in seconds.
 */
#include "kube/cache.h"
#include "kube/lease.h"
#include "text/json/json.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SPACE STR("plumb-client")
#define OBJECTS_MAX 10000

static const struct kube_resource maps = {.version = STR_INIT("v1"),
                                          .name = STR_INIT("configmaps"),
                                          .kind = STR_INIT("ConfigMap"),
                                          .namespaced = true};

static struct arena *arena;
static struct kube_transport *transport;

static int fail(const struct err *e)
{
    fprintf(stderr, "client: %.*s\n", STR_ARG(e->text));
    return 1;
}

static void pause_for(int64_t ns)
{
    nanosleep(&(struct timespec){.tv_sec = ns / NS_PER_SEC, .tv_nsec = ns % NS_PER_SEC}, NULL);
}

/* ---- Writing. ---- */

static struct value *patch_of(struct arena *a, unsigned n)
{
    struct value *root = value_object(a);
    struct value *data = value_set(a, root, STR("data"), value_object(a));

    value_set_str(a, data, STR("n"), str_fmt(a, "%u", n));
    return root;
}

/* Answers how many attempts failed. The server may be away for a while. */
static unsigned write_one(unsigned object, unsigned n)
{
    AUTO_ARENA a = arena_new();
    const struct kube_call c = {.resource = &maps,
                                .namespace = SPACE,
                                .name = str_fmt(a, "m%u", object),
                                .timeout = 20 * NS_PER_SEC};
    unsigned failures = 0;

    for (;; failures++) {
        AUTO_ERR e = {0};
        if (kube_patch(transport, a, &c, KUBE_MERGE_PATCH, patch_of(a, n), NULL, NULL, &e))
            return failures;
        if (failures == 600)
            exit(fail(&e));
        pause_for(50 * NS_PER_MS);
    }
}

static unsigned number_of(const char *text)
{
    return (unsigned)strtoul(text, NULL, 10);
}

static int run_make(char **args)
{
    const struct kube_call all = {.resource = &maps, .namespace = SPACE};

    for (unsigned i = number_of(args[0]); i < number_of(args[1]); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct value *object = patch_of(a, 0);
        struct value *meta = value_set(a, object, STR("metadata"), value_object(a));
        value_set_str(a, meta, STR("name"), str_fmt(a, "m%u", i));
        struct value *labels = value_set(a, meta, STR("labels"), value_object(a));
        value_set_str(a, labels, STR("live"), STR("yes"));
        if (!kube_create(transport, a, &all, object, NULL, NULL, &e))
            return fail(&e);
    }
    return 0;
}

static int run_write(char **args)
{
    unsigned from = number_of(args[0]), to = number_of(args[1]);
    unsigned rounds = number_of(args[2]), failures = 0;

    for (unsigned n = 1; n <= rounds; n++)
        for (unsigned i = from; i < to; i++)
            failures += write_one(i, n);
    printf("%u\n", failures);
    return 0;
}

/* ---- Following. ---- */

/* All of it on the thread of the watch, except what is atomic. */
struct follower {
    struct kube_watch_handler cache; /* what the cache does with events */
    bool listing;
    int64_t last[OBJECTS_MAX]; /* the number that was seen last; -1: none */
    _Atomic uint64_t sum;      /* of all of them */
    _Atomic unsigned lists, changes, lost, twice, skipped, failures;
};

static void on_begin(void *ctx)
{
    struct follower *f = ctx;

    f->listing = true;
    f->lists++;
    f->cache.begin(f->cache.ctx);
}

static void on_event(void *ctx, struct arena *a, enum kube_event type, struct value *object)
{
    struct follower *f = ctx;

    f->cache.event(f->cache.ctx, a, type, object);
}

static void on_synced(void *ctx)
{
    struct follower *f = ctx;

    f->cache.synced(f->cache.ctx);
    f->listing = false;
}

static void on_failed(void *ctx, const struct err *e, int64_t wait)
{
    struct follower *f = ctx;

    f->failures++;
    f->cache.failed(f->cache.ctx, e, wait);
}

/* Every number must come, one after the other; a list may skip those of which it tells the sum. */
static void on_changed(void *ctx, struct arena *a, const struct kube_before *before,
                       const struct value *after)
{
    struct follower *f = ctx;
    str namespace, name = value_get_str(value_get(after, STR("metadata")), STR("name"));
    uint64_t object, number;

    (void)a;
    if (!after)
        kube_before_names(before, &namespace, &name);
    if (!str_to_u64(str_from(name, 1), &object) || object >= OBJECTS_MAX)
        return;
    if (!after || !str_to_u64(value_get_str(value_get(after, STR("data")), STR("n")), &number)) {
        f->lost++;
        return;
    }
    int64_t last = f->last[object], n = (int64_t)number;
    f->last[object] = n;
    if (last < 0)
        return;
    f->changes++;
    f->twice += n <= last;
    f->lost += !f->listing && n > last + 1;
    f->skipped += f->listing && n > last + 1 ? (unsigned)(n - last - 1) : 0;
    f->sum += n > last ? (uint64_t)(n - last) : 0;
}

static void report(struct follower *f, struct kube_cache *cache)
{
    struct kube_cache_stats stats;

    kube_cache_stats(cache, &stats);
    printf("{\"objects\":%zu,\"sum\":%llu,\"changes\":%u,\"lists\":%u,\"lost\":%u,\"twice\":%u,"
           "\"skipped\":%u,\"failures\":%u}\n",
           stats.objects, (unsigned long long)f->sum, f->changes, f->lists, f->lost, f->twice,
           f->skipped, f->failures);
}

static int run_follow(char **args)
{
    struct follower *f = ARENA_NEW(arena, struct follower);
    const struct kube_watch_config watch = {.call = {.resource = &maps, .namespace = SPACE},
                                            .labels = STR("live")};
    const struct kube_cache_config config = {.watch = watch,
                                             .handler = {.changed = on_changed, .ctx = f}};
    struct kube_cache *cache = kube_cache_new(&config);
    struct kube_watches *hub = kube_watches_new(transport);
    struct kube_watch_config own = watch;
    AUTO_ERR e = {0};
    char line[16];

    (void)args;
    memset(f->last, 0xff, sizeof(f->last));
    f->cache = kube_cache_feed(cache);
    own.handler = (struct kube_watch_handler){
        .begin = on_begin, .event = on_event, .synced = on_synced, .failed = on_failed, .ctx = f};
    struct kube_watch *w = kube_watch_start(hub, &own);
    if (!kube_cache_wait(cache, 60 * NS_PER_SEC, &e))
        return fail(&e);
    while (fgets(line, sizeof(line), stdin))
        report(f, cache);
    kube_watch_stop(w);
    kube_watches_free(hub);
    kube_cache_stop(cache);
    return 0;
}

/* ---- Leading. ---- */

static struct http_cancel *cancel;

static void *campaign(void *ctx)
{
    lease_run(ctx, cancel, NULL, NULL);
    return NULL;
}

static void on_signal(int number)
{
    (void)number;
    http_cancel_raise(cancel);
}

static int run_lead(char **args)
{
    const struct lease_config config = {.namespace = SPACE,
                                        .name = str_c(args[0]),
                                        .identity = str_c(args[1]),
                                        .duration = 3 * NS_PER_SEC,
                                        .deadline = 2 * NS_PER_SEC,
                                        .retry = 400 * NS_PER_MS};
    struct lease *l;
    pthread_t thread;
    AUTO_ERR e = {0};
    bool held = false;

    if (!lease_new(transport, &config, &l, &e))
        return fail(&e);
    cancel = http_cancel_new();
    signal(SIGTERM, on_signal);
    if (pthread_create(&thread, NULL, campaign, l))
        return 1;
    while (!http_cancel_raised(cancel)) {
        bool now = lease_held(l);
        if (now || held)
            printf("%.6f %s\n", (double)clock_mono() / (double)NS_PER_SEC, now ? "held" : "lost");
        held = now;
        pause_for(20 * NS_PER_MS);
    }
    pthread_join(thread, NULL);
    lease_free(l);
    http_cancel_free(cancel);
    return 0;
}

/* ---- */

static const struct {
    const char *name;
    int args;
    int (*run)(char **args);
} jobs[] = {{"follow", 0, run_follow},
            {"lead", 2, run_lead},
            {"make", 2, run_make},
            {"write", 3, run_write}};

int main(int argc, char **argv)
{
    const struct kube_flags flags = {0};
    struct kube_config *config;
    AUTO_ERR e = {0};
    int status = 2;

    setvbuf(stdout, NULL, _IOLBF, 0);
    arena = arena_new();
    if (!kube_config_load(arena, &flags, &config, &e) ||
        !kube_transport_new(config, STR("plumb-test"), &transport, &e))
        return fail(&e);
    for (size_t i = 0; i < COUNT(jobs); i++)
        if (argc == jobs[i].args + 2 && strcmp(argv[1], jobs[i].name) == 0)
            status = jobs[i].run(argv + 2);
    if (status == 2)
        fprintf(
            stderr,
            "usage: client follow | lead NAME IDENTITY | make FROM TO | write FROM TO ROUNDS\n");
    kube_transport_free(transport);
    arena_free(arena);
    return status;
}
