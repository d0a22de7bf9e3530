/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - what the files of the budget share.
 *
 * A bucket of all providers has a queue per priority; a queue is a ring of namespaces; a
 * namespace has a flow for each provider, so that an exhausted provider does not hold up the
 * others.
 */
#pragma once

#include "arm/budget/budget.h"

/* Something that waits. */
struct wait_item {
    struct wait_item *next;
    void *item;
};

/* What waits in a namespace for one provider, first come first served. */
struct wait_flow {
    struct wait_flow *next;
    struct budget_bucket *provider; /* NULL: no limit of its own */
    struct wait_item *first, **last;
    double used; /* of the provider's bucket, at used_at */
    int64_t used_at;
};

/* A namespace in a queue. */
struct wait_namespace {
    struct wait_namespace *next; /* in the ring, in order of turns */
    str name;                    /* behind the struct */
    struct wait_flow *flows;
    size_t waiting;
    uint64_t cycle; /* in which it had its turn */
    double used;    /* of the bucket, at used_at */
    int64_t used_at;
};

struct wait_queue {
    struct wait_namespace *first, **last;
    size_t waiting;
};

struct budget_bucket {
    struct table_node node; /* the key is behind the struct */
    struct budget_stats names;
    struct budget_rate rate; /* what we use */
    double others;           /* of the burst, which we do not */
    double level;
    int64_t at;     /* when level was right */
    int64_t paused; /* until then nothing goes */
    size_t in_flight;
    uint64_t taken;     /* in all */
    uint64_t namespace; /* that last asked, as a hash */
    int64_t shared;     /* until then it counts as used by several */
    uint64_t granted[BUDGET_PRIORITIES], throttled;
    bool limited;      /* a provider's bucket: a limit is known */
    size_t uses;       /* a provider's bucket: by flows */
    uint64_t cycle;    /* begins at 1 */
    unsigned silences; /* 429s in a row that did not say how long */
    struct wait_queue queues[BUDGET_PRIORITIES];
    struct budget_bucket *next; /* of all in the budget */
};

struct budget {
    struct budget_limits limits;
    struct arena *arena;   /* of the limits */
    struct arena *scratch; /* of keys */
    struct table *buckets;
    struct budget_bucket *first;
    size_t waiting;
    size_t turn; /* which bucket is asked first */
};

/* Moves the level on to now. */
void bucket_refill(struct budget_bucket *b, int64_t now);
/* Whether need tokens are there; if not, when they will be. */
bool bucket_has(struct budget_bucket *b, double need, int64_t now, int64_t *again);
/* Takes one token. Answers how many requests had been answered by then. */
uint64_t bucket_take(struct budget_bucket *b);

/* ---- turns.c ---- */

void wait_queue_begin(struct wait_queue *q);
void wait_queue_free(struct wait_queue *q);
void wait_queue_add(struct wait_queue *q, str namespace, struct budget_bucket *provider,
                    void *item);
/* What a turn needs to know. */
struct wait_turn {
    int64_t now;
    uint64_t cycle; /* namespaces that had their turn in it are passed over; 0: none are */
    double floor;   /* the part of a bucket that must stay */
    double kept;    /* the same for namespaces that use much */
    const struct wait_queue *before; /* namespaces that wait in one of these are passed over */
    size_t before_count;
    struct budget_bucket *bucket;
};
/* The item whose turn it is, or NULL; then *again may become earlier. */
void *wait_queue_next(struct wait_queue *q, const struct wait_turn *turn,
                      struct budget_bucket **provider, int64_t *again);
