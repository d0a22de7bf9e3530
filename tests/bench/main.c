/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - runs benchmarks and keeps their figures; see bench.h.
 *
 *     bench [--size=MB] [--requests=N] [NAME...]
 */
#include "bench.h"

#include "text/json/json.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define RECORD_FILE "build/bench.jsonl"
#define MB 1000000

/* All benchmarks, sorted by name. */
static const struct benchmark *const benchmarks[] = {
    &bench_arm,    &bench_azure, &bench_budget, &bench_checks,  &bench_compare,
    &bench_detect, &bench_diff,  &bench_fleet,  &bench_json,    &bench_kube,
    &bench_live,   &bench_look,  &bench_model,  &bench_operate, &bench_reference,
    &bench_regex,  &bench_sim,   &bench_store,  &bench_tmpl,    &bench_tmpl_budget,
    &bench_value,  &bench_yaml,
};

/* Rounds of one row: at least ROUNDS_MIN, more while they are short. */
enum { ROUNDS_MIN = 3, ROUNDS_MAX = 50, ROWS_MAX = 100 };
#define TIME_MIN (NS_PER_SEC / 2)

/* Of all benchmarks: they share it. */
struct tally {
    size_t targets, reached;
};

static struct {
    struct tally *tally;
    size_t size, requests;
    struct {
        const char *name;
        double rate;
    } rows[ROWS_MAX];
    size_t row_count;
} run = {.size = 50 * (size_t)MB, .requests = 100000};

size_t bench_size(void)
{
    return run.size;
}

size_t bench_requests(void)
{
    return run.requests;
}

void bench_check(bool ok, const struct err *e)
{
    if (ok)
        return;
    fprintf(stderr, "bench: %.*s\n", STR_ARG(e->text));
    exit(EXIT_FAILURE);
}

/* ---- Measuring. ---- */

/* The best round counts: everything else that the machine does only makes a round slower. */
static double measure(const struct bench_case *c, size_t *memory)
{
    int64_t (*now)(void) = c->clock ? c->clock : clock_cpu;
    int64_t best = INT64_MAX, total = 0;
    int least = c->rounds ? c->rounds : ROUNDS_MIN;

    for (int i = 0; i < least || (total < TIME_MIN && i < ROUNDS_MAX); i++) {
        int64_t from = now();
        *memory = c->run(c->ctx);
        int64_t took = now() - from;
        if (c->after)
            c->after(c->ctx);
        best = took < best ? took : best;
        total += took;
    }
    return (double)(best > 0 ? best : 1) / (double)NS_PER_SEC;
}

static double rate_of(const char *name)
{
    for (size_t i = 0; name && i < run.row_count; i++)
        if (!strcmp(run.rows[i].name, name))
            return run.rows[i].rate;
    return 0;
}

static void remember(const struct bench_case *c, double rate)
{
    assert(run.row_count < ROWS_MAX);
    run.rows[run.row_count].name = c->name;
    run.rows[run.row_count++].rate = rate;
}

/* A target whose reference was not run is not judged. */
static bool judge(const struct bench_case *c, struct bench_result *r)
{
    bool fast = !c->target || !r->ratio || r->ratio >= c->target;
    bool small = !c->memory_target || !r->memory || r->memory <= c->memory_target;

    r->ok = fast && small;
    bool judged = (c->target && r->ratio) || (c->memory_target && r->memory);
    run.tally->targets += judged;
    run.tally->reached += judged && r->ok;
    return judged;
}

/* ---- Showing and keeping. ---- */

static void print_head(void)
{
    printf("%-26s %10s %9s %8s %-18s %-16s\n", "benchmark", "MB/s", "memory", "ratio", "to",
           "target");
}

static void print_row(const struct bench_case *c, const struct bench_result *r, bool judged)
{
    char memory[16] = "", ratio[16] = "", target[48] = "";

    if (r->memory > 0)
        snprintf(memory, sizeof(memory), "%.2f B/B", r->memory);
    if (r->ratio > 0)
        snprintf(ratio, sizeof(ratio), "%.2fx", r->ratio);
    if (c->target && c->memory_target)
        snprintf(target, sizeof(target), ">= %gx, <= %g", c->target, c->memory_target);
    else if (c->target)
        snprintf(target, sizeof(target), ">= %gx", c->target);
    else if (c->memory_target)
        snprintf(target, sizeof(target), "<= %g B/B", c->memory_target);
    printf("%-26s %10.1f %9s %8s %-18s %-16s %s\n", c->name, r->rate / MB, memory, ratio,
           r->ratio > 0 ? c->reference : "", target,
           !judged ? ""
           : r->ok ? "ok"
                   : "below");
    fflush(stdout);
}

static void set_number(struct arena *a, struct value *row, const char *key, double number)
{
    if (number > 0)
        value_set(a, row, str_c(key), value_number(a, str_fmt(a, "%.3f", number)));
}

/* A new row of the record, with when and of what it is. */
static struct value *new_row(struct arena *a, const char *name)
{
    char now[CLOCK_STAMP];
    struct value *row = value_object(a);

    clock_stamp(clock_now(), now);
    value_set_str(a, row, STR("time"), str_copy(a, str_c(now)));
    value_set_str(a, row, STR("version"), STR(PLUMB_VERSION));
    value_set_str(a, row, STR("name"), str_c(name));
    return row;
}

static void append_row(struct arena *a, const struct value *row)
{
    struct buf line = buf_new(a, 64 * KIB);
    AUTO_ERR e = {0};

    bench_check(json_write(&line, row, &json_exact, &e), &e);
    FILE *f = fopen(RECORD_FILE, "a");
    if (!f) {
        fprintf(stderr, "bench: cannot append to %s\n", RECORD_FILE);
        return;
    }
    fprintf(f, "%.*s\n", STR_ARG(buf_str(&line)));
    fclose(f);
}

static void record(const struct bench_case *c, const struct bench_result *r, bool judged)
{
    AUTO_ARENA a = arena_new();
    struct value *row = new_row(a, c->name);

    value_set_int(a, row, STR("bytes"), (int64_t)c->bytes);
    set_number(a, row, "mbPerSecond", r->rate / MB);
    set_number(a, row, "memoryPerByte", r->memory);
    if (r->ratio > 0)
        value_set_str(a, row, STR("reference"), str_c(c->reference));
    set_number(a, row, "ratio", r->ratio);
    set_number(a, row, "target", c->target);
    set_number(a, row, "memoryTarget", c->memory_target);
    if (judged)
        value_set_bool(a, row, STR("ok"), r->ok);
    append_row(a, row);
}

void bench_number(const char *name, const char *unit, double number, double max)
{
    AUTO_ARENA a = arena_new();
    struct value *row = new_row(a, name);
    bool ok = number <= max;

    if (number <= 0) {
        printf("%-26s not measured: is valgrind there?\n", name);
        return;
    }
    run.tally->targets++;
    run.tally->reached += ok;
    printf("%-26s %14.10g %-16s <= %-12.10g %s\n", name, number, unit, max, ok ? "ok" : "above");
    fflush(stdout);
    set_number(a, row, unit, number);
    set_number(a, row, "max", max);
    value_set_bool(a, row, STR("ok"), ok);
    append_row(a, row);
}

struct bench_result bench_run(const struct bench_case *c)
{
    size_t memory = 0;
    double reference = rate_of(c->reference);
    struct bench_result r = {.rate = (double)c->bytes / measure(c, &memory)};

    r.memory = (double)memory / (double)c->bytes;
    r.ratio = reference > 0 ? r.rate / reference : 0;
    bool judged = judge(c, &r);
    remember(c, r.rate);
    print_row(c, &r, judged);
    record(c, &r, judged);
    return r;
}

/* ---- The command line. ---- */

static void print_usage(FILE *to)
{
    fprintf(to, "Usage: bench [--size=MB] [--requests=N] [NAME...]\n"
                "Measures and appends the figures to " RECORD_FILE ".\n\nBenchmarks:\n");
    for (size_t i = 0; i < COUNT(benchmarks); i++)
        fprintf(to, "  %-12s %s\n", benchmarks[i]->name, benchmarks[i]->help);
}

static const struct benchmark *find(const char *name)
{
    for (size_t i = 0; i < COUNT(benchmarks); i++)
        if (!strcmp(benchmarks[i]->name, name))
            return benchmarks[i];
    return NULL;
}

/* Reads "--name=N"; false when it is another option. Ends the program when N is none of min..max.
 */
static bool read_number(str arg, str name, size_t min, size_t max, size_t unit, size_t *out)
{
    uint64_t number;

    if (!str_has_prefix(arg, name))
        return false;
    if (!str_to_u64(str_from(arg, name.len), &number) || number < min || number > max) {
        fprintf(stderr, "bench: %.*s takes a number from %zu to %zu\n", STR_ARG(name), min, max);
        exit(EXIT_FAILURE);
    }
    *out = (size_t)number * unit;
    return true;
}

/* Options, and whether all names are known. */
static bool check_arguments(char **args)
{
    for (; *args; args++) {
        str arg = str_c(*args);
        if (read_number(arg, STR("--size="), 1, 1000, MB, &run.size) ||
            read_number(arg, STR("--requests="), 1000, 100000000, 1, &run.requests))
            continue;
        if (!find(*args)) {
            fprintf(stderr, "bench: unknown benchmark \"%s\"\n", *args);
            print_usage(stderr);
            return false;
        }
    }
    return true;
}

/*
 * In a process of its own, so that it starts small: what a program that it runs has used at most is
 * never less than what its parent had.
 */
static bool run_alone(const struct benchmark *b)
{
    int status;

    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        b->run();
        exit(EXIT_SUCCESS);
    }
    if (child > 0 && waitpid(child, &status, 0) == child && !status)
        return true;
    fprintf(stderr, "bench: \"%s\" did not end well\n", b->name);
    return false;
}

static bool run_selected(char **args)
{
    bool all = true, ok = true;

    print_head();
    for (char **arg = args; *arg; arg++) {
        const struct benchmark *b = find(*arg);
        if (!b)
            continue;
        all = false;
        ok &= run_alone(b);
    }
    for (size_t i = 0; all && i < COUNT(benchmarks); i++)
        if (!benchmarks[i]->on_request)
            ok &= run_alone(benchmarks[i]);
    printf("%zu of %zu targets reached\n", run.tally->reached, run.tally->targets);
    return ok;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--help")) {
        print_usage(stdout);
        return EXIT_SUCCESS;
    }
    if (!check_arguments(argv + 1))
        return EXIT_FAILURE;
    run.tally =
        mmap(NULL, sizeof *run.tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (run.tally == MAP_FAILED)
        return EXIT_FAILURE;
    return run_selected(argv + 1) ? EXIT_SUCCESS : EXIT_FAILURE;
}
