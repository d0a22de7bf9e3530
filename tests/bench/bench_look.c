/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_look.c - a whole check of a healthy resource, as the running operator makes it: TLS, token,
 * budget, request, response, parsing, comparison, status.
 *
 * Load balancers whose GET returns about 4 KB are checked: as many as are due at once, which is
 * what a check takes of a processor that has work to do, and a few at a time, some hundred times a
 * second, where three threads are woken for them. The simulated Azure is another process and
 * its CPU is not counted; the API server is the store in this process, which a check that finds
 * nothing does not ask. Rows of the same run tell what two of the parts take: parsing the response,
 * and the comparison (see bench_detect.c). The exchange alone is "curl, one by one" of bench_arm.c.
 */
#include "bench.h"

#include "azure/crd.h"
#include "base/log.h"
#include "net/server/handler_serve.h"
#include "operator/live.h"
#include "sim/sim.h"
#include "store/store.h"
#include "support/certs.h"
#include "support/local.h"
#include "text/json/json.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define OBJECTS 400
#define RULES 8
#define A_FEW NS_PER_SEC
#define AT_ONCE (50 * NS_PER_MS)
#define MEASURED (8 * NS_PER_SEC)
/* Until nobody waits for a list any more (operator/read.c). */
#define WARM_UP (25 * NS_PER_SEC)
#define PATIENCE (120 * NS_PER_SEC)
#define TARGET_US 250
#define SUBSCRIPTION "00000000-0000-4000-8000-000000000000"
#define TYPE "Microsoft.Network/loadBalancers"
#define BALANCERS "/apis/network.azure.com/v20250301/namespaces/default/loadbalancers"

/*
 * Lists lack properties, so that they are not used for looks (operator/sweep.c); rules get what
 * Azure fills in.
 */
#define BEHAVIOUR                                                                                  \
    "{\"types\":{\"" TYPE "\":{\"listDrops\":[\"properties\"],\"rules\":["                         \
    "{\"add\":\"properties.provisioningState\",\"value\":\"Succeeded\"},"                          \
    "{\"add\":\"properties.resourceGuid\",\"value\":\"$guid\"},"                                   \
    "{\"add\":\"properties.loadBalancingRules.[].id\",\"value\":\"$id/loadBalancingRules/rule\"}," \
    "{\"add\":\"properties.loadBalancingRules.[].etag\",\"value\":\"$etag\"},"                     \
    "{\"add\":\"properties.loadBalancingRules.[].properties.provisioningState\","                  \
    "\"value\":\"Succeeded\"},"                                                                    \
    "{\"add\":\"properties.loadBalancingRules.[].properties.enableTcpReset\",\"value\":false},"    \
    "{\"add\":\"properties.loadBalancingRules.[].properties.idleTimeoutInMinutes\",\"value\":4},"  \
    "{\"add\":\"properties.loadBalancingRules.[].properties.loadDistribution\","                   \
    "\"value\":\"Default\"}]}}}"

struct scene {
    struct arena *arena;
    pid_t azure;
    str ca, url;
    struct model *model;
    struct store *store;
    struct local client;
    struct kube_config cluster;
    struct kube_transport *transport;
    struct credential_settings credential;
    struct budget_limits limits;
    struct http_config http;
    struct live_config config;
};

struct running {
    struct live *live;
    struct http_cancel *cancel;
    pthread_t thread;
};

static void must(bool ok, const char *what)
{
    bench_check(ok, &(struct err){.text = str_c(what)});
}

/* ---- Azure. ---- */

/* Ends with its parent. Sends its port. */
_Noreturn static void serve(const struct test_cert *leaf, int tell)
{
    struct sim_config config = sim_defaults();
    const struct source behaviour = {.text = STR(BEHAVIOUR)};
    struct server *server;
    struct sim *sim;
    AUTO_ERR e = {0};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    config.quick = config.unlimited = true;
    bench_check(sim_new(&config, &sim, &e) && sim_add_types(sim, &behaviour, &e) &&
                    server_start(&(struct server_config){.handle = handler_serve,
                                                         .ctx = (void *)sim_handler(sim),
                                                         .cert = leaf->cert,
                                                         .key = leaf->key,
                                                         .body_max = SIM_BODY_MAX,
                                                         .connections_max = 2000},
                                 &server, &e),
                &e);
    uint16_t port = server_port(server);
    if (write(tell, &port, sizeof(port)) != sizeof(port))
        _exit(EXIT_FAILURE);
    for (;;)
        pause();
}

static void start_azure(struct scene *s)
{
    struct test_cert ca = test_ca(s->arena, "bench CA");
    struct test_cert leaf = test_leaf(s->arena, &ca, "bench", "IP:127.0.0.1", -3600, 86400);
    int pipes[2];
    uint16_t port = 0;

    must(!pipe(pipes), "no pipe");
    fflush(stdout);
    s->azure = fork();
    if (!s->azure)
        serve(&leaf, pipes[1]);
    must(read(pipes[0], &port, sizeof(port)) == sizeof(port), "the simulator did not start");
    close(pipes[0]);
    close(pipes[1]);
    s->ca = ca.cert;
    s->url = str_fmt(s->arena, "https://127.0.0.1:%u", port);
}

/* ---- The cluster. ---- */

static void define(struct scene *s, const char *group, const char *kind)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    const struct model_resource **versions;
    struct buf b = buf_new(a, BUF_UNLIMITED);
    size_t count;

    bench_check(model_versions(s->model, a, str_c(group), str_c(kind), &versions, &count, &e) &&
                    json_write(&b,
                               crd_build(a, (const struct model_resource *const *)versions, count,
                                         &(struct crd_options){0}),
                               &json_exact, &e),
                &e);
    must(local_ask(&s->client, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                   str_z(a, buf_str(&b))) == 201,
         "a definition was rejected");
}

static str balancer(struct arena *a, int number)
{
    struct buf b = buf_new(a, 64 * KIB);

    buf_fmt(&b,
            "{\"apiVersion\":\"network.azure.com/v20250301\",\"kind\":\"LoadBalancer\","
            "\"metadata\":{\"name\":\"lb%d\"},\"spec\":{\"location\":\"westus2\",\"owner\":"
            "{\"name\":\"rg\"},\"sku\":{\"name\":\"Standard\"},\"loadBalancingRules\":[",
            number);
    for (int i = 0; i < RULES; i++)
        buf_fmt(&b,
                "%s{\"name\":\"rule%d\",\"protocol\":\"Tcp\",\"frontendPort\":%d,\"backendPort\":"
                "%d,\"probe\":{\"reference\":{\"armId\":\"/subscriptions/" SUBSCRIPTION
                "/resourceGroups/rg/providers/" TYPE "/lb%d/probes/p%d\"}}}",
                i ? "," : "", i, 80 + i, 8000 + i, number, i);
    buf_add(&b, STR("]}}"));
    return buf_str(&b);
}

static void fill(struct scene *s)
{
    AUTO_ARENA a = arena_new();

    define(s, "resources.azure.com", "ResourceGroup");
    define(s, "network.azure.com", "LoadBalancer");
    must(local_ask(&s->client, "POST",
                   "/apis/resources.azure.com/v1api20200601/namespaces/default/resourcegroups",
                   "{\"apiVersion\":\"resources.azure.com/v1api20200601\",\"kind\":"
                   "\"ResourceGroup\",\"metadata\":{\"name\":\"rg\"},\"spec\":{\"location\":"
                   "\"westus2\"}}") == 201,
         "the group was rejected");
    for (int i = 0; i < OBJECTS; i++)
        must(local_ask(&s->client, "POST", BALANCERS, str_z(a, balancer(a, i))) == 201,
             "a load balancer was rejected");
}

static void open_cluster(struct scene *s)
{
    struct store_config config = store_defaults();
    AUTO_ERR e = {0};

    bench_check(model_open(s->arena, STR_NONE, &s->model, &e) && store_open(&config, &s->store, &e),
                &e);
    s->client = local_client(store_handler(s->store));
    fill(s);
    s->cluster = (struct kube_config){
        .server = STR("http://store"), .namespace = STR("default"), .http = http_defaults()};
    s->cluster.http.local = store_handler(s->store);
    bench_check(kube_transport_new(&s->cluster, STR("bench"), &s->transport, &e), &e);
}

/* ---- The operator. ---- */

static void configure(struct scene *s)
{
    s->http = http_defaults();
    s->http.no_proxy = true;
    s->http.tls.ca.text = s->ca;
    s->limits = budget_published();
    for (size_t i = 0; i < COUNT(s->limits.rates); i++)
        s->limits.rates[i] = (struct budget_rate){1e9, 1e9};
    s->credential = (struct credential_settings){
        .kind = CREDENTIAL_SECRET,
        .subscription = STR(SUBSCRIPTION),
        .tenant = STR("tenant"),
        .client = STR("client"),
        .secret = STR("planted-secret-bench"),
        .cloud = {.endpoint = s->url,
                  .audience = s->url,
                  .authority = str_concat(s->arena, s->url, STR("/"))}};
    s->config = (struct live_config){.transport = s->transport,
                                     .credential = &s->credential,
                                     .http = &s->http,
                                     .limits = &s->limits,
                                     .identity = STR("bench"),
                                     .operator= {.model = s->model, .namespace = STR("default")} };
}

static void *run_live(void *ctx)
{
    struct running *r = ctx;

    live_run(r->live, r->cancel);
    return NULL;
}

static void begin(struct scene *s, struct running *r)
{
    AUTO_ERR e = {0};

    r->cancel = http_cancel_new();
    bench_check(live_start(&s->config, &r->live, &e), &e);
    must(pthread_create(&r->thread, NULL, run_live, r) == 0, "no thread");
}

static void end(struct running *r)
{
    http_cancel_raise(r->cancel);
    pthread_join(r->thread, NULL);
    live_stop(r->live);
    http_cancel_free(r->cancel);
}

/* How many objects have this text in them. */
static size_t count_with(struct scene *s, const char *text)
{
    size_t count = 0;
    str rest, before;

    must(local_ask(&s->client, "GET", BALANCERS, "") == 200, "no list");
    rest = s->client.text;
    while (str_cut(rest, str_c(text), &before, &rest))
        count++;
    return count;
}

static void wait_for(struct scene *s, const char *text)
{
    int64_t until = clock_mono() + PATIENCE;

    while (count_with(s, text) < OBJECTS) {
        must(clock_mono() < until, "the load balancers do not settle");
        clock_sleep(100 * NS_PER_MS);
    }
}

/* Checks so far that found everything well, and those that found it as it was. */
#define WELL "plumb_writes_avoided_total"
#define UNCHANGED "plumb_unchanged_looks_total"

static uint64_t count_of(struct running *r, const char *metric)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);
    str before, after, number;
    uint64_t n = 0;

    live_metrics(r->live, &b);
    if (!str_cut(buf_str(&b), str_fmt(a, "\n%s ", metric), &before, &after))
        return 0;
    str_cut(after, STR("\n"), &number, &after);
    return str_to_u64(number, &n) ? n : 0;
}

/* ---- What is measured. ---- */

/* CPU of one, in microseconds. */
static double measure(struct running *r)
{
    uint64_t first = count_of(r, WELL), unchanged = count_of(r, UNCHANGED);
    int64_t from = clock_cpu();

    clock_sleep(MEASURED);
    uint64_t count = count_of(r, WELL) - first;
    double us = (double)(clock_cpu() - from) / 1e3;
    must(count > OBJECTS, "the load balancers are not checked");
    printf("%-26s %llu checks in %.0f s, %llu of them found nothing changed to the byte\n", "",
           (unsigned long long)count, (double)MEASURED / (double)NS_PER_SEC,
           (unsigned long long)(count_of(r, UNCHANGED) - unchanged));
    return us / (double)count;
}

/* Settled ones, checked in another process of the operator with this period. */
static double check(struct scene *s, int64_t period)
{
    struct running r;

    s->config.operator.period = period;
    begin(s, &r);
    wait_for(s, "\"settled\":true");
    clock_sleep(WARM_UP);
    double us = measure(&r);
    end(&r);
    return us;
}

struct answer {
    struct arena *arena;
    str text;
};

static size_t parse_round(void *ctx)
{
    struct answer *t = ctx;
    AUTO_ERR e = {0};

    for (int i = 0; i < 1000; i++) {
        struct source src = {.text = t->text};
        struct value *v;
        bench_check(json_read(t->arena, &src, NULL, &v, &e), &e);
        arena_reset(t->arena);
    }
    return 0;
}

/* The response itself: its size, and what parsing it takes. */
static void measure_parsing(struct scene *s)
{
    AUTO_ARENA moment = arena_new();
    struct http_client *client;
    struct http_response response = {0};
    AUTO_ERR e = {0};
    const struct http_request request = {.method = STR("GET"),
                                         .url = str_fmt(s->arena,
                                                        "%.*s/subscriptions/" SUBSCRIPTION
                                                        "/resourceGroups/rg/providers/" TYPE
                                                        "/lb0?api-version=2025-03-01",
                                                        STR_ARG(s->url))};

    bench_check(http_client_new(&s->http, &client, &e) &&
                    http_send(client, s->arena, &request, &response, &e),
                &e);
    struct answer t = {.arena = moment, .text = response.body};
    printf("%-26s a response of %zu bytes\n", "", t.text.len);
    bench_run(&(struct bench_case){
        .name = "look, parsing", .bytes = 1000 * t.text.len, .run = parse_round, .ctx = &t});
    http_client_free(client);
}

static void run(void)
{
    AUTO_ARENA a = arena_new();
    struct scene s = {.arena = a};
    struct running r;

    log_setup(LOG_LEVEL_OFF, LOG_TEXT, 2);
    start_azure(&s);
    open_cluster(&s);
    configure(&s);
    s.config.operator.period = A_FEW;
    begin(&s, &r);
    wait_for(&s, "\"reason\":\"Succeeded\"");
    /* The second look, which settles a record, is the first one of another process. */
    end(&r);
    bench_number("look, CPU of a whole check", "us", check(&s, AT_ONCE), TARGET_US);
    printf("%-26s %.1f us when a few at a time are due\n", "", check(&s, A_FEW));
    measure_parsing(&s);
    kube_transport_free(s.transport);
    local_end(&s.client);
    store_close(s.store);
    model_close(s.model);
    kill(s.azure, SIGKILL);
    waitpid(s.azure, NULL, 0);
}

const struct benchmark bench_look = {
    .name = "look",
    .help = "a whole check of a resource of 4 KB, with TLS",
    .run = run,
};
