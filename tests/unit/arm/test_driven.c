/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_driven.c - hundreds of operations at once against the simulated ARM, in one thread, in
 * driven time, without a socket: the same seed gives the same run, to the last byte of every
 * answer.
 *
 * Operations use all protocols, answers are delayed, some are lost, and the simulator has faults,
 * all depending on the seed. The trace has a line for every request, answer and step of time.
 * tools/run-soak makes it a long run with DRIVEN_OPERATIONS=100000.
 */
#include "../test.h"

#include "support/operation.h"
#include "support/azure_stage.h"
#include "support/late_handler.h"
#include "value/source.h"

#include <dirent.h>
#include <stdlib.h>

enum { AT_ONCE = 500, SUBSCRIPTIONS = 8 };

/* ---- Whether anybody opens a socket: also the libraries call these. ---- */

static unsigned sockets;

int socket(int domain, int type, int protocol);
int socketpair(int domain, int type, int protocol, int fds[2]);

int socket(int domain, int type, int protocol)
{
    (void)domain;
    (void)type;
    (void)protocol;
    sockets++;
    return -1;
}

int socketpair(int domain, int type, int protocol, int fds[2])
{
    (void)fds;
    return socket(domain, type, protocol);
}

static unsigned threads(void)
{
    DIR *d = opendir("/proc/self/task");
    unsigned n = 0;

    for (const struct dirent *entry; (entry = readdir(d));)
        n += entry->d_name[0] != '.';
    closedir(d);
    return n;
}

/* ---- The run. ---- */

struct job {
    struct run *run;
    struct arena *a; /* of the operation */
    struct arm_call call;
    struct operation o;
    struct operation_step step;
    bool begun, waits;
    int64_t when;
    unsigned number;
};

struct run {
    uint64_t chance, hash, lines;
    struct sim *sim;
    struct late_handler *late;
    struct azure_client client;
    struct job jobs[AT_ONCE];
    unsigned started, wanted, done, failed;
};

static void trace(void *ctx, str line)
{
    struct run *r = ctx;

    r->hash = (r->hash ^ str_hash(line)) * UINT64_C(0x100000001B3);
    r->lines++;
}

static void note(struct run *r, const char *what, uint64_t number)
{
    char text[80];

    snprintf(text, sizeof(text), "%lld %s %llu", (long long)clock_mono(), what,
             (unsigned long long)number);
    trace(r, str_c(text));
}

static unsigned below(struct run *r, unsigned bound)
{
    r->chance = r->chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(r->chance >> 33) % bound;
}

static void must(bool ok, const struct err *e)
{
    assert_ok(ok, e);
}

static void start(struct job *j, const struct arm_call *call)
{
    AUTO_ERR e = {0};

    must(arm_pipe_start(j->run->client.pipe, j->run->client.arm, call, j, &e), &e);
}

/* A resource is made by one operation and deleted by the next one of the same job. */
static void begin_next(struct job *j)
{
    static const char *const types[] = {"async", "both", "location", "relative", "body", "none"};
    struct run *r = j->run;
    bool deletes = j->call.method.len && str_eq(j->call.method, STR("PUT"));
    unsigned n = r->started++;

    arena_reset(j->a);
    j->begun = j->waits = false;
    if (!deletes)
        j->number = n;
    j->call = (struct arm_call){
        .method = deletes ? STR("DELETE") : STR("PUT"),
        .id = str_fmt(j->a,
                      "/subscriptions/00000000-0000-4000-8000-00000000000%u/resourceGroups/g/"
                      "providers/Test.Lro/%s/x%u",
                      j->number % SUBSCRIPTIONS, types[j->number % COUNT(types)], j->number),
        .api_version = STR("2024-03-01"),
        .namespace = STR("default"),
        .body = deletes ? STR_NONE : STR("{\"location\":\"westus2\"}")};
    note(r, deletes ? "deletes" : "puts", j->number);
    start(j, &j->call);
}

static struct arm_answer keep_answer(struct arena *a, const struct arm_done *d)
{
    struct arm_answer answer = arm_answer_of(&d->result);
    str *const texts[] = {&answer.body, &answer.async_operation, &answer.operation_location,
                          &answer.location};

    for (size_t i = 0; i < COUNT(texts); i++)
        *texts[i] = str_copy(a, *texts[i]);
    return answer;
}

static void take(struct run *r, struct arm_done *d)
{
    struct job *j = d->ctx;
    struct arm_answer answer = keep_answer(j->a, d);
    const struct operation_about about = {
        .method = j->call.method,
        .url = str_fmt(j->a, "http://management.local%.*s?api-version=2024-03-01",
                       STR_ARG(j->call.id)),
        .endpoint = STR("http://management.local"),
    };

    arm_pipe_release(r->client.pipe, d);
    if (j->begun)
        operation_step(j->a, &j->o, &answer, &j->step);
    else
        operation_begin(j->a, &j->o, &about, &answer, &j->step);
    j->begun = true;
    if (j->step.next == OPERATION_ASK) {
        j->waits = true;
        j->when = clock_mono() + j->step.wait;
        return;
    }
    r->done++;
    r->failed += j->step.next == OPERATION_FAILED;
    note(r, j->step.next == OPERATION_FAILED ? "failed" : "ended", j->number);
    if (r->started < r->wanted)
        begin_next(j);
}

static void ask(struct job *j)
{
    struct arm_call get = j->call;

    get.method = STR("GET");
    get.body = STR_NONE;
    get.priority = j->step.priority;
    if (j->step.poll)
        get.address = j->step.url;
    j->waits = false;
    start(j, &get);
}

/* Starts what is due; when the next one is. */
static int64_t ask_due(struct run *r)
{
    int64_t due = INT64_MAX;

    for (size_t i = 0; i < AT_ONCE; i++) {
        struct job *j = &r->jobs[i];
        if (j->waits && j->when <= clock_mono())
            ask(j);
        else if (j->waits && j->when < due)
            due = j->when;
    }
    return due;
}

/* Everything that can be done now; when there is more. */
static int64_t settle(struct run *r)
{
    int64_t due = INT64_MAX, pipe_due = 0, late_due = 0;
    struct arm_done *d;
    bool moved;

    do {
        moved = false;
        due = ask_due(r);
        while ((d = arm_pipe_step(r->client.pipe, &pipe_due))) {
            take(r, d);
            moved = true;
        }
        while (late_handler_step(r->late, &late_due))
            moved = true;
    } while (moved);
    due = pipe_due < due ? pipe_due : due;
    return late_due < due ? late_due : due;
}

static void add_fault(struct run *r)
{
    static const char *const plans[] = {
        "{\"kind\":\"drop\"}",
        "{\"kind\":\"fail\",\"status\":503,\"retryAfter\":5}",
        "{\"kind\":\"fail\",\"status\":500,\"count\":2}",
        "{\"kind\":\"throttle\",\"retryAfter\":17}",
        "{\"kind\":\"fail\",\"method\":\"PUT\",\"status\":400,\"code\":\"BadThing\"}",
        "{\"kind\":\"operation\",\"code\":\"SkuNotAvailable\",\"message\":\"None left.\"}",
    };
    const struct source src = {.file = STR("plan"), .text = str_c(plans[below(r, COUNT(plans))])};
    AUTO_ERR e = {0};

    must(sim_add_faults(r->sim, &src, &e), &e);
}

static void make_groups(struct run *r)
{
    AUTO_ARENA a = arena_new();

    for (unsigned i = 0; i < SUBSCRIPTIONS; i++) {
        struct sim_response response;
        sim_handle(r->sim, a,
                   &(struct sim_request){
                       .method = STR("PUT"),
                       .path = str_fmt(a,
                                       "/subscriptions/00000000-0000-4000-8000-00000000000%u/"
                                       "resourceGroups/g",
                                       i),
                       .query = STR("api-version=2021-04-01"),
                       .base = STR("http://management.local"),
                       .body = STR("{\"location\":\"westus2\"}")},
                   &response);
        assert_int_equal(response.status, 201);
    }
}

static void open_run(struct run *r, uint64_t seed, unsigned wanted)
{
    const struct source src = {.file = STR("types"), .text = str_c(azure_stage_types)};
    struct sim_config config = sim_defaults();
    AUTO_ERR e = {0};

    *r = (struct run){.chance = seed, .wanted = wanted};
    config.seed = seed;
    must(sim_new(&config, &r->sim, &e), &e);
    must(sim_add_types(r->sim, &src, &e), &e);
    make_groups(r);
    r->late = late_handler_new(sim_handler(r->sim), &(struct late_config){.seed = seed,
                                                                          .min = 2 * NS_PER_MS,
                                                                          .max = 400 * NS_PER_MS,
                                                                          .lose_request = 3,
                                                                          .lose_answer = 3,
                                                                          .trace = trace,
                                                                          .ctx = r});
    azure_client_open_local(&r->client, late_handler(r->late));
}

static void close_run(struct run *r)
{
    for (size_t i = 0; i < AT_ONCE; i++)
        if (r->jobs[i].a)
            arena_free(r->jobs[i].a);
    azure_client_close(&r->client);
    late_handler_free(r->late);
    sim_free(r->sim);
    clock_real();
    random_real();
}

/* Runs so many operations; the hash of the trace. */
static uint64_t run(uint64_t seed, unsigned wanted, struct run *r)
{
    clock_drive(INT64_C(1800000000) * NS_PER_SEC);
    (void)str_hash(STR("the first one draws the seed of all"));
    random_fake(seed);
    open_run(r, seed, wanted);
    for (size_t i = 0; i < AT_ONCE; i++) {
        r->jobs[i] = (struct job){.run = r, .a = arena_new()};
        begin_next(&r->jobs[i]);
    }
    for (int64_t due; (due = settle(r)) != INT64_MAX && r->done < r->wanted;) {
        assert_true(due > clock_mono());
        note(r, "time", (uint64_t)due);
        clock_drive(due);
        if (below(r, 200) == 0)
            add_fault(r);
    }
    assert_int_equal(threads(), 1);
    assert_int_equal(r->done, r->wanted);
    close_run(r);
    return r->hash;
}

static struct run one;

TEST(the_same_seed_gives_the_same_run)
{
    const char *given = getenv("DRIVEN_OPERATIONS");
    unsigned wanted = given ? (unsigned)strtoul(given, NULL, 10) : 2000;
    int64_t began = clock_mono();
    uint64_t first = run(7, wanted, &one), lines = one.lines;

    print_message("%u operations, %llu lines of trace, %u failed, %.1f s\n", wanted,
                  (unsigned long long)lines, one.failed,
                  (double)(clock_mono() - began) / (double)NS_PER_SEC);
    assert_true(one.failed > 0 && one.failed < wanted / 4);
    assert_true(first == run(7, wanted, &one));
    assert_true(lines == one.lines);
    assert_true(first != run(8, wanted, &one));
    assert_int_equal(sockets, 0);
}

RUN_TESTS(cmocka_unit_test(the_same_seed_gives_the_same_run))
