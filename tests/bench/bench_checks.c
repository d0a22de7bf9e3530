/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_checks.c - what the operator takes while nothing changes: 250 resource groups are checked
 * every ten seconds, which is 25 checks a second.
 *
 * The store and the simulated Azure are in this process and counted as well; TLS is not (bench arm
 * has it).
 */
#include "bench.h"

#include "azure/crd.h"
#include "base/log.h"
#include "cli/operating.h"
#include "operator/live.h"
#include "sim/sim.h"
#include "store/store.h"
#include "support/local.h"
#include "text/json/json.h"

#include <pthread.h>

#define RATE 25
#define PERIOD 10
#define OBJECTS (RATE * PERIOD)
#define URL "https://azure.example.com"
#define SUBSCRIPTION "00000000-0000-4000-8000-000000000000"

struct stage {
    struct arena *arena;
    struct model *model;
    struct store *store;
    struct sim *sim;
    struct local client;
    struct live *live;
    struct http_cancel *cancel;
};

static void define(struct stage *s)
{
    const struct model_resource **versions;
    struct buf b = buf_new(s->arena, BUF_UNLIMITED);
    AUTO_ERR e = {0};
    size_t count;

    bench_check(model_versions(s->model, s->arena, STR("resources.azure.com"), STR("ResourceGroup"),
                               &versions, &count, &e),
                &e);
    const struct value *crd = crd_build(s->arena, (const struct model_resource *const *)versions,
                                        count, &(struct crd_options){0});
    bench_check(json_write(&b, crd, &json_exact, &e), &e);
    bench_check(local_ask(&s->client, "POST",
                          "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                          str_z(s->arena, buf_str(&b))) == 201,
                &(struct err){.text = STR("no definition")});
}

static void fill(struct stage *s)
{
    AUTO_ARENA a = arena_new();

    for (int i = 0; i < OBJECTS; i++) {
        str body = str_fmt(a,
                           "{\"apiVersion\":\"resources.azure.com/v1api20200601\",\"kind\":"
                           "\"ResourceGroup\",\"metadata\":{\"name\":\"group-%d\"},\"spec\":{"
                           "\"location\":\"westus2\",\"tags\":{\"app\":\"shop\"}}}",
                           i);
        bench_check(local_ask(&s->client, "POST",
                              "/apis/resources.azure.com/v1api20200601/namespaces/default/"
                              "resourcegroups",
                              str_z(a, body)) == 201,
                    &(struct err){.text = STR("no object")});
    }
}

/* A counter of the operator, of all its labels. */
static double counter(struct stage *s, str name)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);
    uint64_t number = 0;
    str text, line;

    live_metrics(s->live, &b);
    text = buf_str(&b);
    while (str_next_line(&text, &line))
        if (str_has_prefix(line, name) &&
            str_to_u64(str_trim(str_without_prefix(line, name)), &number))
            return (double)number;
    return 0;
}

static void *run_live(void *ctx)
{
    struct stage *s = ctx;

    live_run(s->live, s->cancel);
    return NULL;
}

/*
 * Everything is made first. The first looks after that write down what Azure has made of it; from
 * the third on, one list answers for many.
 */
static void follow(struct stage *s)
{
    while (!live_leads(s->live) || counter(s, STR("plumb_write_requests_total ")) < 2 * OBJECTS)
        clock_sleep(50 * NS_PER_MS);
    clock_sleep(3 * PERIOD * NS_PER_SEC);
    double reads = counter(s, STR("plumb_reads_total "));
    double passes = counter(s, STR("plumb_passes_total "));
    int64_t began = clock_mono(), cpu = clock_cpu();
    clock_sleep(PERIOD * NS_PER_SEC);
    double seconds = (double)(clock_mono() - began) / 1e9;
    double took = (double)(clock_cpu() - cpu) / 1e9;
    reads = counter(s, STR("plumb_reads_total ")) - reads;
    passes = counter(s, STR("plumb_passes_total ")) - passes;
    printf("%-26s %.1f checks and %.1f reads a second, %.2f %% of a core\n", "", passes / seconds,
           reads / seconds, 100 * took / seconds);
    bench_number("operate, 25 checks/s", "% of a core", 100 * took / passes * RATE, 1);
}

static void operate(struct stage *s)
{
    struct kube_config cluster = {
        .server = STR("http://store"), .namespace = STR("default"), .http = http_defaults()};
    struct http_config azure = http_defaults();
    struct credential_settings credential =
        operating_simulated(s->arena, STR(URL), STR(SUBSCRIPTION));
    struct budget_limits limits = budget_published();
    struct kube_transport *transport;
    AUTO_ERR e = {0};
    pthread_t thread;

    cluster.http.local = store_handler(s->store);
    azure.local = sim_handler(s->sim);
    limits.rates[BUDGET_WRITE] = limits.rates[BUDGET_READ] = (struct budget_rate){1e9, 1e9};
    bench_check(kube_transport_new(&cluster, STR("bench"), &transport, &e), &e);
    const struct live_config config = {
        .operator= {.model = s->model, .namespace = STR("default"), .period = PERIOD * NS_PER_SEC},
        .transport = transport,
        .credential = &credential,
        .cloud = &credential.cloud,
        .http = &azure,
        .limits = &limits,
        .identity = STR("bench")};
    bench_check(live_start(&config, &s->live, &e), &e);
    s->cancel = http_cancel_new();
    bench_check(pthread_create(&thread, NULL, run_live, s) == 0, &e);
    follow(s);
    http_cancel_raise(s->cancel);
    pthread_join(thread, NULL);
    live_stop(s->live);
    http_cancel_free(s->cancel);
    kube_transport_free(transport);
}

static void run(void)
{
    struct store_config config = store_defaults();
    struct sim_config azure = sim_defaults();
    struct stage s = {.arena = arena_new()};
    AUTO_ERR e = {0};

    log_setup(LOG_LEVEL_OFF, LOG_TEXT, 2);
    bench_check(sim_preset(&azure, STR("quick"), &e) && sim_new(&azure, &s.sim, &e), &e);
    bench_check(model_open(s.arena, STR_NONE, &s.model, &e), &e);
    bench_check(store_open(&config, &s.store, &e), &e);
    s.client = local_client(store_handler(s.store));
    define(&s);
    fill(&s);
    operate(&s);
    local_end(&s.client);
    store_close(s.store);
    sim_free(s.sim);
    model_close(s.model);
    arena_free(s.arena);
}

const struct benchmark bench_checks = {
    .name = "checks",
    .help = "the operator with nothing to do but 25 checks a second: CPU",
    .run = run,
};
