/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget_fleet.h - fleets of resources that share a request budget, in virtual time.
 *
 * A fleet has namespaces whose resources are swept and changed evenly, with polls after each
 * change, and some namespaces that ask for far too much of everything. The other side is an Azure
 * with the buckets of the plan, which it fills once a second. A plan is run twice, with and without
 * those who misbehave: what counts is how much longer the requests of the others take, and that
 * Azure has nothing to refuse. Requests of the others take the same time on the wire in both.
 */
#pragma once

#include "arm/budget/budget.h"

struct budget_fleet {
    uint64_t seed;
    const char *preset; /* "published", "hourly" or "own" */
    struct budget_rate rates[BUDGET_VERBS];
    bool limited; /* one provider has limits of its own */
    struct budget_rate limits[BUDGET_VERBS];
    unsigned namespaces, bad; /* namespaces, and how many of them misbehave */
    unsigned bad_rate;        /* requests of each kind and second that each of those asks for */
    double load;              /* of what is due to the others: so much they ask for */
    double limited_load;      /* the same of the provider */
    unsigned polls;           /* after each change */
    unsigned slowest_ms;      /* answer */
    unsigned minutes;
};

/* A plan made up from a seed. */
struct budget_fleet budget_fleet_plan(uint64_t seed);

struct budget_outcome {
    uint64_t throttled;
    double urgent, sweep; /* time of requests of the others, by that without the misbehaving */
    uint64_t counted;     /* of the others */
    double missing;       /* of them, by the end */
    double bad_done;      /* requests of the misbehaving that were let go */
};
struct budget_outcome budget_fleet_run(const struct budget_fleet *p);
/* Nothing throttled, no one delayed by a tenth, no requests left over. */
bool budget_fleet_is_well(const struct budget_outcome *o);
/* One line. */
str budget_fleet_text(struct arena *a, const struct budget_fleet *p,
                      const struct budget_outcome *o);
