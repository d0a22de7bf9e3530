/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget.h - a rate limiter that mirrors Azure's: how many requests may be sent, and whose is next.
 *
 * Azure counts requests in token buckets per subscription, principal, region and kind of verb, and
 * providers add their own limits. Clients that exceed a limit get 429 and must back off, which
 * delays users too. The budget counts the same way and never releases more than will be accepted:
 *
 *     if (!budget_submit(b, &request, now, e)) ...          it waits
 *     while ((item = budget_next(b, now, &grant, &again))) {
 *         send it, then budget_answer(b, &grant, now, &signal);
 *     }
 *     nothing may be sent before again (INT64_MAX: nothing waits)
 *
 * Priorities: requests caused by users, then polls of running operations, then sweeps, which only
 * use what is above a reserve; so a fleet that is too large for its budget slows down its sweeps,
 * never its users. Within a namespace this order is strict. Between namespaces it is round-robin:
 * in each cycle a namespace gets one turn for user requests and one for polls, so one that
 * misbehaves only delays itself. Part of each bucket, more than the reserve, is withheld from
 * namespaces that have used a lot of it recently: their excess comes even after the sweeps of
 * others.
 *
 * No network, no clock, no lock: the caller passes the time (clock_mono) and uses one thread at a
 * time. Items belong to the caller.
 */
#pragma once

#include "arm/rules/rules.h"
#include "net/http/http.h"

struct budget;

enum budget_verb { BUDGET_READ, BUDGET_WRITE, BUDGET_DELETE, BUDGET_VERBS };
enum budget_priority { BUDGET_USER, BUDGET_POLL, BUDGET_SWEEP, BUDGET_PRIORITIES };

/* A bucket: so many at once, so many per second. */
struct budget_rate {
    double burst, per_second;
};

/* A limit of a provider that is known beforehand; others are learnt from headers. */
struct budget_provider {
    str provider; /* "Microsoft.Compute", case-insensitive */
    enum budget_verb verb;
    struct budget_rate rate;
};

struct budget_limits {
    struct budget_rate rates[BUDGET_VERBS];
    double share;   /* of the rates that we use, above 0 up to 1: others use the principal too */
    double reserve; /* of a bucket that sweeps leave alone */
    double kept;    /* of a bucket that is kept from namespaces that use much of it */
    size_t waiting_max;
    size_t buckets_max;
    const struct budget_provider *providers;
    size_t provider_count;
};

/* What Azure publishes: reads 250 and 25/s, writes and deletes 200 and 10/s; 90 % of it is used. */
struct budget_limits budget_published(void);

/* Texts are copied. provider may be empty; region too when it is not known. */
struct budget_request {
    str subscription, principal, region, provider;
    str namespace; /* that it is for */
    enum budget_verb verb;
    enum budget_priority priority;
    void *item; /* not NULL */
};

/* GET and HEAD read, DELETE deletes, everything else (POST actions too) writes. */
enum budget_verb budget_verb_of(str method);

/* What was let go; given back once. */
struct budget_grant {
    struct budget_bucket *bucket, *provider; /* provider may be NULL */
    uint64_t mark, provider_mark;            /* of the budget: what had been answered by then */
};

/* What an answer says of the budget. -1: nothing. */
struct budget_signal {
    bool throttled;             /* a 429 that is about the bucket */
    int64_t retry_after;        /* of it, in nanoseconds; -1: not said */
    int64_t remaining;          /* of the subscription or tenant */
    int64_t provider_remaining; /* of the provider's scarcest limit */
    int64_t provider_window;    /* its length in nanoseconds; -1: not known */
};

/* limits are copied. */
struct budget *budget_new(const struct budget_limits *limits);
/* Items that still wait are forgotten. */
void budget_free(struct budget *b);

/* Lets a request wait for its turn. ERR_LIMIT when too many wait already. */
MUST_CHECK bool budget_submit(struct budget *b, const struct budget_request *r, int64_t now,
                              struct err *e);
/*
 * The item that may be sent now, or NULL: then *again is when to ask again, INT64_MAX when nothing
 * waits. An answer or a new request may make it earlier.
 */
void *budget_next(struct budget *b, int64_t now, struct budget_grant *grant, int64_t *again);
/* Takes the answer into account. A request without an answer has a signal of nothing. */
void budget_answer(struct budget *b, const struct budget_grant *grant, int64_t now,
                   const struct budget_signal *signal);
/* Gives a grant back whose request was never sent. */
void budget_return(struct budget *b, const struct budget_grant *grant, int64_t now);

/*
 * Reads the x-ms-ratelimit-remaining-* headers of an answer of that verb. effect is what the rules
 * say of a refusal: a 429 of a busy object is not about the bucket.
 */
struct budget_signal budget_signal_of(const struct http_headers *headers, enum budget_verb verb,
                                      int status, enum error_effect effect, int64_t retry_after);
/* A signal that says nothing. */
struct budget_signal budget_signal_none(void);

struct budget_stats {
    str subscription, principal, region, provider; /* provider empty: the bucket of all of them */
    enum budget_verb verb;
    double level, burst, per_second;
    size_t in_flight, waiting[BUDGET_PRIORITIES];
    uint64_t granted[BUDGET_PRIORITIES], throttled;
    int64_t paused; /* how much longer; 0: not */
};
/* All buckets, for metrics. Lives as long as a; texts as long as b. */
size_t budget_stats(struct arena *a, struct budget *b, int64_t now, struct budget_stats **out);
