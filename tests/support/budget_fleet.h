/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget_fleet.h - fleets of resources that share a request budget, in virtual time.
 *
 * A fleet has namespaces whose resources are swept and changed evenly, with polls after each
 * change, and some namespaces that request far too much. The other side is an Azure with the
 * buckets of the plan, refilled once a second. A plan is run twice, with and without the
 * misbehaving namespaces. What counts is how much longer the requests of the others take, and that
 * Azure has nothing to throttle. Requests of the others take the same time on the wire in both
 * runs.
 */
#pragma once

#include "arm/budget/budget.h"

struct budget_fleet {
    uint64_t seed;
    const char *preset; /* "published", "hourly" or "own" */
    struct budget_rate rates[BUDGET_VERBS];
    bool limited; /* one provider has its own limits */
    struct budget_rate limits[BUDGET_VERBS];
    unsigned namespaces, bad; /* namespaces, and how many of them misbehave */
    unsigned bad_rate;        /* requests per kind and second that each of these asks for */
    double load;              /* the share of their due that the others ask for */
    double limited_load;      /* the same for the provider */
    unsigned polls;           /* after each change */
    unsigned slowest_ms;      /* answer */
    unsigned minutes;
};

/* A random plan from a seed. */
struct budget_fleet budget_fleet_plan(uint64_t seed);

struct budget_outcome {
    uint64_t throttled;
    double urgent, sweep; /* how many times longer than alone the others' requests take */
    uint64_t counted;     /* of the others */
    double missing;       /* of the others' requests, unfinished at the end */
    double bad_done;      /* requests of the misbehaving that were sent */
};
struct budget_outcome budget_fleet_run(const struct budget_fleet *p);
/* Whether nothing was throttled, nobody was delayed by a tenth, and no requests were left over. */
bool budget_fleet_is_well(const struct budget_outcome *o);
/* One line. */
str budget_fleet_text(struct arena *a, const struct budget_fleet *p,
                      const struct budget_outcome *o);
