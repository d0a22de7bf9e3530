/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_arm.c - the client of Resource Manager under load: CPU per request and memory over time.
 *
 * 500 calls are under way; the server is another process on this machine, speaks TLS and answers
 * with a resource of 2 KB. One worker takes the answers, as in plumb operate; a second row has 32
 * of them, which wake each other. What counts is the CPU of the client: this process, all of its
 * threads, its time in the kernel included; not that of the server. The target is 120 us per
 * request, token, budget and rules included; the row above is what bare curl takes for the exchange
 * alone, one after the other on one connection.
 *
 * Rounds of 5,000 calls for the figures, then 100,000 in one go (--requests=N), and after each
 * tenth of them what the process holds in memory. It must not hold more after all than after a
 * tenth, but for a hundredth.
 */
#include "bench.h"

#include "arm/pipe.h"
#include "net/server/server.h"
#include "support/certs.h"

#include <curl/curl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKERS_MAX 32
#define IN_FLIGHT 500
#define CURL_CALLS 5000
#define ROUNDS 12
#define TARGET_US 120
#define TENTHS 10
#define GROWTH_MAX 1.01
/* A request counts as one byte: MB/s are requests per microsecond. */
#define REQUEST_BYTES 1
#define ID                                                                                         \
    "/subscriptions/00000000-0000-4000-8000-000000000000/resourceGroups/bench/providers/"          \
    "Microsoft.Network/virtualNetworks/network"

/* ---- The server. ---- */

static void answer(void *ctx, struct server_request *r)
{
    const str *body = ctx;

    if (str_has_suffix(server_path(r), STR("/token"))) {
        server_reply(r, 200, STR("application/json"),
                     STR("{\"access_token\":\"planted-secret-bench\",\"expires_in\":86400}"));
        return;
    }
    server_add_header(r, STR("x-ms-request-id"), STR("11111111-2222-4333-8444-555555555555"));
    server_add_header(r, STR("x-ms-ratelimit-remaining-subscription-reads"), STR("11999"));
    server_reply(r, 200, STR("application/json; charset=utf-8"), *body);
}

static str make_body(struct arena *a)
{
    struct buf b = buf_new(a, 64 * KIB);

    buf_add(&b,
            STR("{\"id\":\"" ID "\",\"location\":\"westeurope\",\"properties\":{\"subnets\":["));
    for (int i = 0; b.len < 2000; i++)
        buf_fmt(&b,
                "%s{\"name\":\"subnet-%d\",\"properties\":{\"addressPrefix\":\"10.0.%d.0/24\"}}",
                i ? "," : "", i, i);
    buf_add(&b, STR("],\"provisioningState\":\"Succeeded\"}}"));
    return buf_str(&b);
}

/* Ends with its parent. Tells its port. */
_Noreturn static void serve(struct arena *a, const struct test_cert *leaf, int tell)
{
    str body = make_body(a);
    const struct server_config config = {.handle = answer,
                                         .ctx = &body,
                                         .cert = leaf->cert,
                                         .key = leaf->key,
                                         .connections_max = 2000};
    struct server *server;
    AUTO_ERR e = {0};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    bench_check(server_start(&config, &server, &e), &e);
    uint16_t port = server_port(server);
    if (write(tell, &port, sizeof(port)) != sizeof(port))
        _exit(EXIT_FAILURE);
    for (;;)
        pause();
}

/* ---- The client. ---- */

struct load {
    struct arena *a;
    pid_t server;
    str ca, url;
    struct credential *credential;
    struct arm_gate *gate;
    struct arm *arm;
    struct arm_pipe *pipe;
    struct arm_call call;
    CURL *curl;
    int workers;
    size_t round; /* calls of one */
    _Atomic size_t started, done;
    size_t memory[TENTHS]; /* resident, after each */
};

static void start_server(struct load *l)
{
    struct test_cert ca = test_ca(l->a, "bench CA");
    struct test_cert leaf = test_leaf(l->a, &ca, "bench", "IP:127.0.0.1", -3600, 86400);
    int pipes[2];
    uint16_t port = 0;

    bench_check(!pipe(pipes), &(struct err){.text = STR("no pipe")});
    l->server = fork();
    if (!l->server)
        serve(l->a, &leaf, pipes[1]);
    bench_check(read(pipes[0], &port, sizeof(port)) == sizeof(port),
                &(struct err){.text = STR("the server did not start")});
    close(pipes[0]);
    close(pipes[1]);
    l->ca = ca.cert;
    l->url = str_fmt(l->a, "https://127.0.0.1:%u", port);
}

static void open_client(struct load *l)
{
    AUTO_ERR e = {0};
    struct http_config http = http_defaults();
    struct budget_limits limits = budget_published();
    const struct credential_settings settings = {
        .kind = CREDENTIAL_SECRET,
        .subscription = STR("00000000-0000-4000-8000-000000000000"),
        .tenant = STR("tenant"),
        .client = STR("client"),
        .secret = STR("planted-secret-bench"),
        .cloud = {l->url, STR("https://management.core.windows.net/"),
                  str_concat(l->a, l->url, STR("/"))}};

    http.no_proxy = true;
    http.tls.ca.text = l->ca;
    /* What is measured is the client, not how long it waits. */
    limits.rates[BUDGET_READ] = (struct budget_rate){1e9, 1e9};
    l->gate = arm_gate_new(&limits);
    bench_check(credential_new(&settings, &l->credential, &e), &e);
    const struct arm_config config = {
        .credential = l->credential, .gate = l->gate, .agent = STR("bench")};
    l->arm = arm_new(&config);
    const struct arm_pipe_config piped = {.gate = l->gate, .http = &http, .connections = IN_FLIGHT};
    bench_check(arm_pipe_new(&piped, &l->pipe, &e), &e);
    l->call = (struct arm_call){.method = STR("GET"),
                                .id = STR(ID),
                                .api_version = STR("2024-05-01"),
                                .namespace = STR("default"),
                                .group = STR("network.azure.com"),
                                .kind = STR("VirtualNetwork")};
}

static void close_client(struct load *l)
{
    arm_pipe_free(l->pipe);
    arm_free(l->arm);
    credential_free(l->credential);
    arm_gate_free(l->gate);
    kill(l->server, SIGKILL);
    waitpid(l->server, NULL, 0);
}

/* ---- 500 at once. ---- */

static size_t resident(void)
{
    AUTO_ARENA a = arena_new();
    str text, field;
    uint64_t pages = 0;

    if (!file_read(a, STR("/proc/self/statm"), &text, NULL))
        return 0;
    str_cut(text, STR(" "), &field, &text);
    str_cut(text, STR(" "), &field, &text);
    if (!str_to_u64(field, &pages))
        return 0;
    return (size_t)pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void start_one(struct load *l, void *ctx)
{
    AUTO_ERR e = {0};

    bench_check(arm_pipe_start(l->pipe, l->arm, &l->call, ctx, &e), &e);
}

/* A call without a context tells a worker that the round is over. */
static void *work(void *ctx)
{
    struct load *l = ctx;
    struct arm_done *d;

    while (l->started < IN_FLIGHT && l->started++ < IN_FLIGHT)
        start_one(l, l);
    while ((d = arm_pipe_next(l->pipe))) {
        bool last = !d->ctx;
        bench_check(d->ok, &d->failure);
        arm_pipe_release(l->pipe, d);
        if (last)
            break;
        size_t n = ++l->done, tenth = l->round / TENTHS;
        if (n % tenth == 0 && n / tenth <= TENTHS)
            l->memory[n / tenth - 1] = resident();
        if (l->started++ < l->round)
            start_one(l, l);
        for (int i = 0; n == l->round && i < l->workers; i++)
            start_one(l, NULL);
    }
    return NULL;
}

static size_t pipe_round(void *ctx)
{
    struct load *l = ctx;
    pthread_t threads[WORKERS_MAX];

    l->started = l->done = 0;
    for (int i = 0; i < l->workers; i++)
        pthread_create(&threads[i], NULL, work, l);
    for (int i = 0; i < l->workers; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

/* ---- One after the other, with nothing but curl. ---- */

static size_t ignore(char *data, size_t size, size_t count, void *ctx)
{
    (void)data;
    (void)ctx;
    return size * count;
}

static size_t curl_round(void *ctx)
{
    struct load *l = ctx;
    struct curl_blob ca = {(void *)(uintptr_t)l->ca.ptr, l->ca.len, CURL_BLOB_COPY};
    const char *url =
        str_z(l->a, str_fmt(l->a, "%.*s" ID "?api-version=2024-05-01", STR_ARG(l->url)));
    struct curl_slist *headers =
        curl_slist_append(NULL, "Authorization: Bearer planted-secret-bench");

    headers =
        curl_slist_append(headers, "x-ms-client-request-id: 11111111-2222-4333-8444-555555555555");
    for (size_t i = 0; i < CURL_CALLS; i++) {
        curl_easy_reset(l->curl);
        curl_easy_setopt(l->curl, CURLOPT_URL, url);
        curl_easy_setopt(l->curl, CURLOPT_HTTPHEADER, headers);
        curl_easy_setopt(l->curl, CURLOPT_CAINFO_BLOB, &ca);
        curl_easy_setopt(l->curl, CURLOPT_CAPATH, NULL);
        curl_easy_setopt(l->curl, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(l->curl, CURLOPT_WRITEFUNCTION, ignore);
        bench_check(curl_easy_perform(l->curl) == CURLE_OK, &(struct err){.text = STR("curl")});
    }
    curl_slist_free_all(headers);
    return 0;
}

/* ---- All of it. ---- */

static void report(const struct load *l, double mean)
{
    const double growth = (double)l->memory[TENTHS - 1] / (double)l->memory[0];
    struct arm_pipe_stats stats = arm_pipe_stats(l->pipe);

    printf("%-26s %.1f us on average of %zu in one go; at most %zu on the wire\n", "", mean,
           l->round, stats.most_sent);
    printf("%-26s memory in MB after each %zu requests:", "", l->round / TENTHS);
    for (size_t i = 0; i < TENTHS; i++)
        printf(" %.1f", (double)l->memory[i] / 1e6);
    printf(" (%s)\n", growth <= GROWTH_MAX ? "flat" : "it grows");
}

/* CPU of the client per request, in microseconds. */
static double measure(struct load *l, const char *name, int workers)
{
    l->workers = workers;
    const struct bench_result r = bench_run(&(struct bench_case){.name = name,
                                                                 .bytes = l->round * REQUEST_BYTES,
                                                                 .run = pipe_round,
                                                                 .rounds = ROUNDS,
                                                                 .ctx = l,
                                                                 .reference = "curl, one by one"});
    return REQUEST_BYTES / r.rate * 1e6;
}

static void run(void)
{
    AUTO_ARENA a = arena_new();
    struct load l = {.a = a};

    l.round = 5000;
    start_server(&l);
    open_client(&l);
    l.curl = curl_easy_init();
    bench_run(&(struct bench_case){.name = "curl, one by one",
                                   .bytes = CURL_CALLS * REQUEST_BYTES,
                                   .run = curl_round,
                                   .ctx = &l});
    double many = measure(&l, "arm, 500, 32 workers", WORKERS_MAX);
    bench_number("arm, CPU of a request", "us", measure(&l, "arm, 500 at once", 1), TARGET_US);
    printf("%-26s with TLS, kernel included, without the server; %.1f us with 32 workers\n", "",
           many);
    l.round = bench_requests();
    int64_t from = clock_cpu();
    pipe_round(&l);
    report(&l, (double)(clock_cpu() - from) / 1000 / (double)l.round);
    curl_easy_cleanup(l.curl);
    close_client(&l);
}

const struct benchmark bench_arm = {
    .name = "arm", .help = "requests to Resource Manager: CPU and memory", .run = run};
