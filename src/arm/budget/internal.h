/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - shared by the files of the budget.
 *
 * A bucket for all providers has a queue per priority; a queue is a ring of namespaces; a namespace
 * has a flow for each provider, so that an exhausted provider does not hold up the others.
 */
#pragma once

#include "arm/budget/budget.h"

/* A waiting item. */
struct wait_item {
    struct wait_item *next;
    void *item;
};

/* The items of a namespace that wait for one provider, first come first served. */
struct wait_flow {
    struct wait_flow *next;
    struct budget_bucket *provider; /* NULL: no limit of its own */
    struct wait_item *first, **last;
    double used; /* how much of the provider's bucket, at used_at */
    int64_t used_at;
};

/* A namespace in a queue. */
struct wait_namespace {
    struct wait_namespace *next; /* in the ring, in order of turns */
    str name;                    /* stored after the struct */
    struct wait_flow *flows;
    size_t waiting;
    uint64_t cycle; /* in which it last had its turn */
    double used;    /* how much of the bucket, at used_at */
    int64_t used_at;
};

struct wait_queue {
    struct wait_namespace *first, **last;
    size_t waiting;
};

struct budget_bucket {
    struct table_node node; /* the key is stored after the struct */
    struct budget_stats names;
    struct budget_rate rate; /* the part that we use */
    double others;           /* the part of the burst that we do not use */
    double level;
    int64_t at;     /* when level was right */
    int64_t paused; /* nothing is sent until then */
    size_t in_flight;
    uint64_t taken;     /* in total */
    uint64_t namespace; /* the last one to request something, as a hash */
    int64_t shared;     /* until then it counts as shared by several */
    uint64_t granted[BUDGET_PRIORITIES], throttled;
    bool limited;      /* a provider's bucket: a limit is known */
    size_t uses;       /* a provider's bucket: how many flows refer to it */
    uint64_t cycle;    /* starts at 1 */
    unsigned silences; /* 429s in a row without Retry-After */
    struct wait_queue queues[BUDGET_PRIORITIES];
    struct budget_bucket *next; /* in the list of all buckets */
};

struct budget {
    struct budget_limits limits;
    struct arena *arena;   /* for the limits */
    struct arena *scratch; /* for keys */
    struct table *buckets;
    struct budget_bucket *first;
    size_t waiting;
    size_t turn; /* which bucket is tried first */
};

/* Updates the level to now. */
void bucket_refill(struct budget_bucket *b, int64_t now);
/* Whether the bucket has need tokens; if not, *again is when it will. */
bool bucket_has(struct budget_bucket *b, double need, int64_t now, int64_t *again);
/* Takes one token. Returns how many requests had been answered by then. */
uint64_t bucket_take(struct budget_bucket *b);

/* ---- turns.c ---- */

void wait_queue_begin(struct wait_queue *q);
void wait_queue_free(struct wait_queue *q);
void wait_queue_add(struct wait_queue *q, str namespace, struct budget_bucket *provider,
                    void *item);
/* The parameters of a turn. */
struct wait_turn {
    int64_t now;
    uint64_t cycle; /* namespaces that had their turn in it are skipped; 0: none are */
    double floor;   /* the share of a bucket that must remain */
    double kept;    /* the same for namespaces that use much */
    const struct wait_queue *before; /* namespaces that wait in one of these are skipped */
    size_t before_count;
    struct budget_bucket *bucket;
};
/* The item whose turn it is, or NULL; then *again may become earlier. */
void *wait_queue_next(struct wait_queue *q, const struct wait_turn *turn,
                      struct budget_bucket **provider, int64_t *again);
