/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_sim.c - requests to the simulated ARM, without sockets: reads, writes, writes into a state
 * file, and those of several threads at once, which share transactions. The rate counts the bytes
 * of bodies; below each row stands the time of one request.
 */
#include "bench.h"

#include "sim/sim.h"

#include <stdio.h>

#define GROUP "/subscriptions/s/resourceGroups/g"
#define BODY                                                                                       \
    "{\"location\":\"westus2\",\"properties\":{\"addressSpace\":{\"addressPrefixes\":["            \
    "\"10.0.0.0/16\"]},\"subnets\":[{\"name\":\"a\",\"properties\":{\"addressPrefix\":"            \
    "\"10.0.1.0/24\"}}]}}"
enum { REQUESTS = 2000, NAMES = 500, THREADS = 8 };

struct task {
    struct sim *sim;
    const char *method;
    str body;
};

static size_t ask(struct task *t, struct arena *a, int number)
{
    struct sim_request q = {
        .method = str_c(t->method),
        .path =
            str_fmt(a, GROUP "/providers/Microsoft.Network/virtualNetworks/v%d", number % NAMES),
        .query = STR("api-version=2024-03-01"),
        .base = STR("http://sim"),
        .body = t->body};
    struct sim_response r;
    AUTO_ERR e = {0};

    sim_handle(t->sim, a, &q, &r);
    bench_check(r.status < 300 || err_set(&e, ERR_INVALID, "%s: %d", t->method, r.status), &e);
    return q.body.len + r.body.len;
}

static size_t round_of(void *ctx)
{
    AUTO_ARENA a = arena_new();

    for (int i = 0; i < REQUESTS; i++) {
        ask(ctx, a, i);
        arena_reset(a);
    }
    return 0;
}

static void *thread_of(void *ctx)
{
    AUTO_ARENA a = arena_new();

    for (int i = 0; i < REQUESTS / THREADS; i++) {
        ask(ctx, a, i);
        arena_reset(a);
    }
    return NULL;
}

static size_t threads_round(void *ctx)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, thread_of, ctx))
            abort();
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

static struct sim *start(str state)
{
    struct sim_config config = sim_defaults();
    struct sim *s;
    AUTO_ERR e = {0};

    config.virtual_time = config.unlimited = true;
    config.state = state;
    bench_check(sim_new(&config, &s, &e), &e);
    return s;
}

static void put_group(struct sim *s)
{
    AUTO_ARENA a = arena_new();
    struct sim_request q = {.method = STR("PUT"),
                            .path = STR(GROUP),
                            .query = STR("api-version=2024-03-01"),
                            .body = STR("{\"location\":\"westus2\"}")};
    struct sim_response r;

    sim_handle(s, a, &q, &r);
}

static void row(const char *name, struct task *t, size_t (*run_round)(void *),
                int64_t (*clock)(void))
{
    AUTO_ARENA a = arena_new();
    struct bench_case c = {
        .name = name, .bytes = REQUESTS * ask(t, a, 0), .run = run_round, .ctx = t, .clock = clock};
    double seconds = (double)c.bytes / bench_run(&c).rate;

    printf("    %.1f us %s per request, %.0f requests/s\n", seconds / REQUESTS * 1e6,
           clock ? "of time" : "of CPU", REQUESTS / seconds);
}

static void run(void)
{
    AUTO_ARENA a = arena_new();
    str folder = bench_folder(a);
    struct task t = {start(STR_NONE), "PUT", STR(BODY)};

    put_group(t.sim);
    row("sim, PUT", &t, round_of, NULL);
    t.method = "GET";
    t.body = STR_NONE;
    row("sim, GET", &t, round_of, NULL);
    sim_free(t.sim);
    t = (struct task){start(file_join(a, folder, STR("state"))), "PUT", STR(BODY)};
    put_group(t.sim);
    row("sim, PUT kept in a file", &t, round_of, clock_mono);
    row("sim, PUT kept, 8 threads", &t, threads_round, clock_mono);
    sim_free(t.sim);
    bench_folder_remove(a, folder);
}

const struct benchmark bench_sim = {
    .name = "sim", .help = "requests to the simulated ARM", .run = run};
