/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_tmpl_budget.c - what the worst call of each template function can cost within the default
 * limits of a run: the table of docs/design/template-budget.md.
 *
 * Many calls of each function (tests/support/hostile.h) are measured a few times each. The one that
 * would cost most in an endless loop is then run in such a loop, in a process of its own, until a
 * limit ends it. The targets are 2 s of CPU and 256 MiB.
 *
 * TMPL_FUNCTION=NAME looks at one function only.
 */
#include "bench.h"

#include "base/clock.h"
#include "support/hostile.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE (16 * KIB)   /* of texts, to find the worst call */
#define LARGE (256 * KIB) /* to see what it costs; what grows faster than its text shows here */
#define CALLS_MAX 60
#define TIMES 4
#define PATIENCE 8 /* seconds that an endless loop gets */
#define CPU_MAX 2.0
#define MEMORY_MAX 256.0

struct cost {
    double ns;
    uint64_t steps;
    size_t used;
    bool ok;
};

static struct cost measure(const struct hostile_call *call, size_t times)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct tmpl_run run = {0};
    struct buf out = buf_new(a, BUF_UNLIMITED);
    struct cost c = {0};
    str text = hostile_template(a, call, times);
    int64_t from = clock_cpu();

    c.ok = hostile_run(a, text, &run, &out, &c.used, &e);
    c.ns = (double)(clock_cpu() - from);
    c.steps = run.steps;
    return c;
}

/* What an endless loop of the call would take until steps or memory are used up. */
static double predict(const struct hostile_call *call)
{
    struct cost none = measure(call, 0), some = measure(call, TIMES);
    double ns = (some.ns - none.ns) / TIMES, rounds;
    double steps = (double)(some.steps - none.steps) / TIMES;
    double used = some.used > none.used ? (double)(some.used - none.used) / TIMES : 0;

    if (!some.ok)
        return ns * TIMES / (double)NS_PER_SEC; /* its first call ends the run */
    rounds = (double)TMPL_STEPS_MAX / (steps > 1 ? steps : 1);
    if (used > 0 && (double)TMPL_MEMORY_MAX / used < rounds)
        rounds = (double)TMPL_MEMORY_MAX / used;
    return ns * rounds / (double)NS_PER_SEC;
}

struct outcome {
    double cpu, memory; /* seconds, MiB */
    char end[64];
};

static void run_forever(const struct hostile_call *call, struct outcome *o)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct tmpl_run run = {0};
    struct buf out = buf_new(a, BUF_UNLIMITED);
    size_t used;
    bool ok = hostile_run(a, hostile_template(a, call, HOSTILE_FOREVER), &run, &out, &used, &e);
    static const char *const limits[] = {"too many steps", "too much memory", "too large",
                                         "writes too much", "too deep"};

    snprintf(o->end, sizeof(o->end), "%s", ok ? "end" : "error");
    for (size_t i = 0; !ok && i < COUNT(limits); i++)
        if (str_contains(e.text, str_c(limits[i])))
            snprintf(o->end, sizeof(o->end), "%s", limits[i]);
}

/* In a process of its own, whose peak of memory is its own too. */
static struct outcome run_apart(const struct hostile_call *call)
{
    struct outcome o = {0};
    struct rusage usage;
    int pipes[2], status;

    if (pipe(pipes) != 0)
        abort();
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        setrlimit(RLIMIT_CPU, &(struct rlimit){PATIENCE, PATIENCE});
        run_forever(call, &o);
        _exit(write(pipes[1], &o, sizeof(o)) == (ssize_t)sizeof(o) ? 0 : 1);
    }
    close(pipes[1]);
    if (read(pipes[0], &o, sizeof(o)) != (ssize_t)sizeof(o))
        snprintf(o.end, sizeof(o.end), "died");
    close(pipes[0]);
    wait4(pid, &status, 0, &usage);
    o.cpu = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6 +
            (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6;
    o.memory = (double)usage.ru_maxrss / 1024;
    return o;
}

static void show(const struct tmpl_help *f, const struct hostile_call *call,
                 const struct outcome *o)
{
    bool ok = o->cpu <= CPU_MAX && o->memory <= MEMORY_MAX;

    printf("| `%.*s` | `%.*s` | %.2f | %.0f | %s%s |\n", STR_ARG(f->name), STR_ARG(call->call),
           o->cpu, o->memory, o->end, ok ? "" : ", MISSED");
    fflush(stdout);
}

static bool check_function(const struct tmpl_help *f)
{
    AUTO_ARENA a = arena_new();
    struct hostile_calls calls = hostile_calls(a, f, SIZE, CALLS_MAX);
    struct hostile_calls large = hostile_calls(a, f, LARGE, CALLS_MAX);
    size_t worst = 0;
    double most = -1;

    for (size_t i = 0; i < calls.len; i++) {
        double cost = predict(&calls.items[i]);
        if (cost > most) {
            most = cost;
            worst = i;
        }
    }
    struct outcome o = run_apart(&large.items[worst]);
    show(f, &large.items[worst], &o);
    return o.cpu <= CPU_MAX && o.memory <= MEMORY_MAX;
}

static void run(void)
{
    AUTO_ARENA a = arena_new();
    struct tmpl_help *functions;
    size_t count = hostile_functions(a, &functions), well = 0;
    const char *only = getenv("TMPL_FUNCTION");

    printf("| function | its worst call | CPU s | peak MiB | ended by |\n");
    printf("| --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < count; i++)
        if (!only || str_eq(functions[i].name, str_c(only)))
            well += check_function(&functions[i]);
    printf("%zu of %zu functions within 2 s and 256 MiB\n", well, count);
}

const struct benchmark bench_tmpl_budget = {
    .name = "tmpl-budget",
    .help = "the worst call of each template function (minutes; only when named)",
    .run = run,
    .on_request = true};
