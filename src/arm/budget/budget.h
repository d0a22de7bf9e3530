/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget.h - a rate limiter that mirrors Azure's: how many requests may be sent, and which is next.
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

/* A bucket: its capacity, and how fast it fills. */
struct budget_rate {
    double burst, per_second;
};

/* A provider's limit that is known in advance; others are learnt from headers. */
struct budget_provider {
    str provider; /* "Microsoft.Compute", case-insensitive */
    enum budget_verb verb;
    struct budget_rate rate;
};

struct budget_limits {
    struct budget_rate rates[BUDGET_VERBS];
    double share;   /* the share of the rates that we use, above 0 and up to 1: others use the
                     * principal too */
    double reserve; /* the share of a bucket that sweeps do not use */
    double kept;    /* the share of a bucket withheld from namespaces that use much of it */
    size_t waiting_max;
    size_t buckets_max;
    const struct budget_provider *providers;
    size_t provider_count;
};

/*
 * Azure's published limits: reads 250 and 25/s, writes and deletes 200 and 10/s; we use 90 % of
 * them.
 */
struct budget_limits budget_published(void);

/* Texts are copied. provider may be empty, and so may region if it is unknown. */
struct budget_request {
    str subscription, principal, region, provider;
    str namespace; /* the namespace it is for */
    enum budget_verb verb;
    enum budget_priority priority;
    void *item; /* not NULL */
};

/* GET and HEAD read, DELETE deletes, everything else (POST actions too) writes. */
enum budget_verb budget_verb_of(str method);

/* A released request; to be returned exactly once. */
struct budget_grant {
    struct budget_bucket *bucket, *provider; /* provider may be NULL */
    uint64_t mark, provider_mark;            /* the budget's: how many responses there had been by
                                              * then */
};

/* What a response reveals about the budget. -1: nothing. */
struct budget_signal {
    bool throttled;             /* a 429 that is about the bucket */
    int64_t retry_after;        /* in nanoseconds; -1: not given */
    int64_t remaining;          /* for the subscription or tenant */
    int64_t provider_remaining; /* for the provider's scarcest limit */
    int64_t provider_window;    /* its period in nanoseconds; -1: unknown */
};

/* limits are copied. */
struct budget *budget_new(const struct budget_limits *limits);
/* Items that are still waiting are dropped. */
void budget_free(struct budget *b);

/* Queues a request. ERR_LIMIT when too many are waiting already. */
MUST_CHECK bool budget_submit(struct budget *b, const struct budget_request *r, int64_t now,
                              struct err *e);
/*
 * The item that may be sent now, or NULL: then *again is when to call again, INT64_MAX when nothing
 * waits. A response or a new request may make that earlier.
 */
void *budget_next(struct budget *b, int64_t now, struct budget_grant *grant, int64_t *again);
/* Takes a response into account. For a request without a response, pass budget_signal_none(). */
void budget_answer(struct budget *b, const struct budget_grant *grant, int64_t now,
                   const struct budget_signal *signal);
/* Returns a grant whose request was never sent. */
void budget_return(struct budget *b, const struct budget_grant *grant, int64_t now);

/*
 * Reads the x-ms-ratelimit-remaining-* headers of a response to that verb. effect is the rules'
 * verdict on an error: a 429 from a busy object is not about the bucket.
 */
struct budget_signal budget_signal_of(const struct http_headers *headers, enum budget_verb verb,
                                      int status, enum error_effect effect, int64_t retry_after);
/* A signal without information. */
struct budget_signal budget_signal_none(void);

struct budget_stats {
    str subscription, principal, region, provider; /* provider empty: the bucket for all of them */
    enum budget_verb verb;
    double level, burst, per_second;
    size_t in_flight, waiting[BUDGET_PRIORITIES];
    uint64_t granted[BUDGET_PRIORITIES], throttled;
    int64_t paused; /* for how much longer; 0: not paused */
};
/* All buckets, for metrics. Lives as long as a; texts as long as b. */
size_t budget_stats(struct arena *a, struct budget *b, int64_t now, struct budget_stats **out);
