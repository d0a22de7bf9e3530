/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.h - a thread pool with ordered results.
 *
 * One caller produces items, many threads process them, and the caller consumes the results in the
 * same order:
 *
 *     const struct pool_job job = {.produce = next, .work = compare, .consume = print, .ctx = &c};
 *     ok = pool_run(pool, &job, e);
 *
 * Only work runs on other threads; produce and consume are called on the caller's thread, so they
 * need no lock. At most POOL_WINDOW items per thread are in flight, which bounds memory however
 * many there are. The first failure, in order, stops the run: nothing new is started, running items
 * finish, and that failure is returned, so that failures are deterministic.
 */
#pragma once

#include "base/err.h"

#define POOL_WINDOW 4
/* Recursion over trees of 10,000 levels fits, even under sanitizers. */
#define POOL_STACK (64 * MIB)

struct pool;

struct pool_job {
    /* The next item, or *item = NULL at the end. */
    bool (*produce)(void *ctx, void **item, struct err *e);
    /* Called from any thread. Must touch nothing but the item and immutable data. */
    bool (*work)(void *ctx, void *item, struct err *e);
    /* In order. Called for every item whose work succeeded before the run stopped. */
    bool (*consume)(void *ctx, void *item, struct err *e);
    void *ctx;
};

/* threads = 0 means one per processor. With one thread, work runs on the caller's. */
struct pool *pool_new(unsigned threads);
/* Waits for the threads and joins them. */
void pool_free(struct pool *p);
unsigned pool_threads(const struct pool *p);
/* Only one run at a time. */
MUST_CHECK bool pool_run(struct pool *p, const struct pool_job *job, struct err *e);
