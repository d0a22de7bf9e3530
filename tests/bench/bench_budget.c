/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_budget.c - the request budget with fleets of all shapes: sizes, namespaces, how many of
 * them misbehave, buckets of Azure and limits of providers are made up from a seed. In none of them
 * may Azure refuse anything, or the requests of the others take a tenth longer.
 *
 * One fleet for each 500 requests of --requests: 200.
 */
#include "bench.h"

#include "support/budget_fleet.h"

#define PER_FLEET 500

struct sweep {
    size_t fleets, well;
    uint64_t throttled, requests;
    double urgent, sweep; /* the worst */
};

static size_t sweep_round(void *ctx)
{
    struct sweep *s = ctx;

    *s = (struct sweep){.fleets = s->fleets};
    for (size_t seed = 1; seed <= s->fleets; seed++) {
        AUTO_ARENA a = arena_new();
        const struct budget_fleet p = budget_fleet_plan(seed);
        const struct budget_outcome o = budget_fleet_run(&p);
        const bool well = budget_fleet_is_well(&o);
        s->well += well;
        s->throttled += o.throttled;
        s->requests += o.counted + (uint64_t)o.bad_done;
        s->urgent = o.urgent > s->urgent ? o.urgent : s->urgent;
        s->sweep = o.sweep > s->sweep ? o.sweep : s->sweep;
        if (!well)
            printf("%-26s %.*s\n", "", STR_ARG(budget_fleet_text(a, &p, &o)));
    }
    return 0;
}

static void run(void)
{
    struct sweep s = {.fleets = bench_requests() / PER_FLEET + 1};
    const int64_t from = clock_cpu();

    sweep_round(&s);
    printf(
        "%-26s %zu of %zu fleets are well: %llu requests throttled, users and polls of others "
        "delayed by at most %.1f %%, sweeps by %.1f %% (target 10: %s); %.2f us per request, the "
        "simulation included\n",
        "budget", s.well, s.fleets, (unsigned long long)s.throttled, (s.urgent - 1) * 100,
        (s.sweep - 1) * 100, s.well == s.fleets ? "ok" : "missed",
        (double)(clock_cpu() - from) / 1000 / (double)s.requests);
}

const struct benchmark bench_budget = {
    .name = "budget", .help = "fleets of all shapes that share a request budget", .run = run};
