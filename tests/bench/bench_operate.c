/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_operate.c - what the operator takes.
 *
 * First as a process of its own, beside plumb serve, with no objects: its memory and threads. Then
 * beside the store in this process: how soon it has read 10,000 objects of 50 kinds, what the
 * caches hold of them, what the operator holds beyond that once it has looked at each (it is kept
 * from leading meanwhile), and what it takes when there is nothing to do. It observes: what it
 * would write is not measured here.
 */
#include "bench.h"

#include "azure/crd.h"
#include "base/log.h"
#include "cli/options/kinds.h"
#include "operator/live.h"
#include "store/store.h"
#include "support/local.h"
#include "text/json/json.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#define KINDS 50
#define EACH 200
#define IDLE (3 * NS_PER_SEC)
/* Twenty kinds that many use. */
#define COMMON                                                                                     \
    "ResourceGroup,VirtualNetwork,VirtualNetworksSubnet,RouteTable,RouteTablesRoute,"              \
    "NetworkSecurityGroup,NetworkSecurityGroupsSecurityRule,LoadBalancer,PublicIPAddress,"         \
    "NetworkInterface,VirtualMachine,Disk,StorageAccount,ManagedCluster,"                          \
    "ManagedClustersAgentPool,Vault,UserAssignedIdentity,Redis,RoleAssignment,Registry"

extern char **environ;

/* ---- A process of its own. ------------------------------------------------------------------- */

struct process {
    pid_t pid;
    int output; /* both of its streams */
};

static struct process start_process(const char *const *args)
{
    posix_spawn_file_actions_t actions;
    struct process p = {.pid = -1};
    int ends[2];

    bench_check(!pipe2(ends, O_CLOEXEC), &(struct err){.text = STR("no pipe")});
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    bench_check(
        posix_spawn(&p.pid, args[0], &actions, NULL, (char *const *)(uintptr_t)args, environ) == 0,
        &(struct err){.text = STR("plumb does not start")});
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    p.output = ends[0];
    return p;
}

/* Reads what it prints until text is in it. */
static void await(struct process *p, str text)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, MIB);
    char piece[4096];

    while (str_find(buf_str(&b), text) == STR_NPOS) {
        ssize_t n = read(p->output, piece, sizeof(piece));
        bench_check(n > 0, &(struct err){.text = STR("plumb has ended too early")});
        buf_add(&b, str_of(piece, (size_t)n));
    }
}

static void end_process(struct process *p)
{
    kill(p->pid, SIGTERM);
    waitpid(p->pid, NULL, 0);
    close(p->output);
}

/* A number of /proc/PID/status. */
static double status_of(const struct process *p, str name)
{
    AUTO_ARENA a = arena_new();
    str text, before, after, line;
    uint64_t number = 0;

    if (!file_read(a, str_fmt(a, "/proc/%d/status", (int)p->pid), &text, NULL) ||
        !str_cut(text, name, &before, &after))
        return 0;
    (void)str_next_line(&after, &line);
    return str_to_u64(str_trim(str_without_suffix(line, STR(" kB"))), &number) ? (double)number : 0;
}

/* installs: it brings the definitions of these kinds itself; until it has logged this. */
static void measure_alone(struct arena *a, const char *kubeconfig, const char *kinds,
                          const char *name, double max)
{
    const char *const args[] = {
        bench_program(a), "operate", "--kubeconfig",  kubeconfig, "--no-lease",
        "--log-level",    "info",    "--crd-pattern", kinds,      NULL};
    struct process p = start_process(args);
    str threads = str_fmt(a, "%s, threads", name);

    await(&p, STR("definitions installed"));
    clock_sleep(IDLE);
    bench_number(name, "MiB", status_of(&p, STR("VmRSS:")) / 1024, max);
    bench_number(str_z(a, threads), "threads", status_of(&p, STR("Threads:")), 12);
    end_process(&p);
}

static void run_alone(void)
{
    AUTO_ARENA a = arena_new();
    str folder = bench_folder(a);
    const char *data = str_z(a, file_join(a, folder, STR("store")));
    const char *kubeconfig = str_z(a, file_join(a, folder, STR("store/kubeconfig")));
    const char *const args[] = {bench_program(a), "serve", "--data", data, "--port", "0", NULL};
    struct process serve = start_process(args);

    await(&serve, STR("KUBECONFIG"));
    measure_alone(a, kubeconfig, COMMON, "operate, 0 of 20 kinds", 24);
    measure_alone(a, kubeconfig, "*", "operate, 0 of all kinds", 48);
    end_process(&serve);
    bench_folder_remove(a, folder);
}

/* ---- In this process. ------------------------------------------------------------------------ */

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
    const struct str_list none = {0};
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

/* Somebody else leads: objects are read, and not looked at. */
static void hold_lease(struct stage *s)
{
    bench_check(local_ask(&s->client, "POST",
                          "/apis/coordination.k8s.io/v1/namespaces/default/leases",
                          "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\","
                          "\"metadata\":{\"name\":\"bench\"},\"spec\":{\"holderIdentity\":"
                          "\"another\",\"leaseDurationSeconds\":600}}") == 201,
                &(struct err){.text = STR("no lease")});
}

static void drop_lease(struct stage *s)
{
    bench_check(local_ask(&s->client, "DELETE",
                          "/apis/coordination.k8s.io/v1/namespaces/default/leases/bench",
                          NULL) == 200,
                &(struct err){.text = STR("the lease stays")});
}

static double more(size_t after, size_t before)
{
    return (double)(after > before ? after - before : 1);
}

/* What is told is held: read, looked at, idle. */
static void follow(struct stage *s, size_t objects, size_t before, int64_t began)
{
    while (!live_ready(s->live))
        clock_sleep(NS_PER_MS);
    bench_number("operate, 10,000 read", "ms", (double)(clock_mono() - began) / 1e6, 3000);
    size_t cached = resident();
    drop_lease(s);
    while (!live_leads(s->live))
        clock_sleep(NS_PER_MS);
    clock_sleep(IDLE); /* the first passes */
    size_t after = resident();
    bench_number("operate, memory for them", "MiB", more(after, before) / (double)MIB, 96);
    bench_number("operate, each: cached", "KiB", more(cached, before) / (double)objects / 1024, 4);
    bench_number("operate, each: beyond", "KiB", more(after, cached) / (double)objects / 1024, 2);
    int64_t cpu = clock_cpu();
    clock_sleep(IDLE);
    bench_number("operate, idle", "% of a core",
                 100 * (double)(clock_cpu() - cpu) / (double)IDLE + 0.001, 1);
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
        .lease_name = STR("bench"),
        .lease_namespace = STR("default"),
        .identity = STR("bench"),
        .observe = true};
    hold_lease(s);
    size_t before = resident();
    int64_t began = clock_mono();
    bench_check(live_start(&config, &s->live, &e), &e);
    s->cancel = http_cancel_new();
    bench_check(pthread_create(&thread, NULL, run_live, s) == 0, &e);
    follow(s, objects, before, began);
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

    run_alone();
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
    .help = "the operator with no objects, and with 10,000 of 50 kinds: start, memory, idle",
    .run = run,
};
