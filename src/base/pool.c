/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.c - threads with ordered results; see pool.h.
 *
 * The items in flight form a ring of slots. The caller fills slots in order and empties them in
 * order; threads take filled slots in order too, so that the oldest item is finished first:
 *
 *     taken_out <= next_work <= filled          (counters that only grow; slot = counter % size)
 *
 * One lock guards the counters and the states of slots, and is never held during a callback.
 */
#include "base/pool.h"

#include "base/arena.h"
#include "base/lock.h"

#include <unistd.h>

struct slot {
    void *item;
    bool done, ok;
    struct err err;
};

struct pool {
    struct lock lock;
    pthread_cond_t work_ready, slot_done;
    pthread_t *threads;
    unsigned count; /* threads, 1 means none of our own */
    struct slot *slots;
    size_t size, filled, next_work, taken_out;
    const struct pool_job *job;
    bool failed; /* something in this run failed: start nothing new */
    bool ending; /* the threads are to end */
};

unsigned pool_threads(const struct pool *p)
{
    return p->count;
}

static struct slot *slot_at(const struct pool *p, size_t counter)
{
    assert(p->size > 0);
    return &p->slots[counter % p->size];
}

static bool has_work(const struct pool *p)
{
    return p->next_work < p->filled;
}

static void *run_thread(void *arg)
{
    struct pool *p = arg;

    pthread_mutex_lock(&p->lock.mutex);
    for (;;) {
        while (!p->ending && !has_work(p))
            pthread_cond_wait(&p->work_ready, &p->lock.mutex);
        if (p->ending)
            break;
        struct slot *slot = slot_at(p, p->next_work++);
        const struct pool_job *job = p->job;
        pthread_mutex_unlock(&p->lock.mutex);
        bool ok = job->work(job->ctx, slot->item, &slot->err);
        pthread_mutex_lock(&p->lock.mutex);
        slot->ok = ok;
        slot->done = true;
        p->failed |= !ok;
        pthread_cond_signal(&p->slot_done);
    }
    pthread_mutex_unlock(&p->lock.mutex);
    return NULL;
}

static void start_threads(struct pool *p)
{
    pthread_attr_t attr;

    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, POOL_STACK);
    for (unsigned i = 0; i < p->count; i++)
        if (pthread_create(&p->threads[i], &attr, run_thread, p)) {
            /* Fewer threads are fine; with none, work runs on the caller's thread. */
            p->count = i;
            break;
        }
    pthread_attr_destroy(&attr);
}

struct pool *pool_new(unsigned threads)
{
    struct pool *p = calloc(1, sizeof(*p));
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    if (!p)
        out_of_memory(sizeof(*p));
    if (!threads)
        threads = processors > 0 ? (unsigned)processors : 1;
    p->count = threads;
    pthread_mutex_init(&p->lock.mutex, NULL);
    pthread_cond_init(&p->work_ready, NULL);
    pthread_cond_init(&p->slot_done, NULL);
    if (threads == 1)
        return p;
    p->size = (size_t)threads * POOL_WINDOW;
    p->slots = calloc(p->size, sizeof(*p->slots));
    p->threads = calloc(threads, sizeof(*p->threads));
    if (!p->slots || !p->threads)
        out_of_memory(p->size * sizeof(*p->slots));
    start_threads(p);
    return p;
}

void pool_free(struct pool *p)
{
    if (!p)
        return;
    {
        AUTO_LOCK guard = lock_take(&p->lock);
        p->ending = true;
        pthread_cond_broadcast(&p->work_ready);
    }
    for (unsigned i = 0; p->threads && i < p->count; i++)
        pthread_join(p->threads[i], NULL);
    pthread_cond_destroy(&p->slot_done);
    pthread_cond_destroy(&p->work_ready);
    pthread_mutex_destroy(&p->lock.mutex);
    free(p->threads);
    free(p->slots);
    free(p);
}

/* A single processor: the same order of calls without threads. */
static bool run_alone(const struct pool_job *job, struct err *e)
{
    for (;;) {
        void *item = NULL;
        if (!job->produce(job->ctx, &item, e))
            return false;
        if (!item)
            return true;
        if (!job->work(job->ctx, item, e) || !job->consume(job->ctx, item, e))
            return false;
    }
}

static bool fill_slot(struct pool *p, struct err *e, bool *at_end)
{
    void *item = NULL;

    if (!p->job->produce(p->job->ctx, &item, e))
        return false;
    *at_end = !item;
    if (!item)
        return true;
    AUTO_LOCK guard = lock_take(&p->lock);
    *slot_at(p, p->filled++) = (struct slot){.item = item};
    pthread_cond_signal(&p->work_ready);
    return true;
}

/* Waits for the oldest item and passes it to consume. */
static bool empty_slot(struct pool *p, struct err *e)
{
    struct slot *slot = slot_at(p, p->taken_out);

    {
        AUTO_LOCK guard = lock_take(&p->lock);
        while (!slot->done)
            pthread_cond_wait(&p->slot_done, &p->lock.mutex);
    }
    p->taken_out++;
    if (!slot->ok)
        err_copy(e, &slot->err);
    err_clear(&slot->err); /* work may have set it and succeeded all the same */
    return slot->ok && p->job->consume(p->job->ctx, slot->item, e);
}

/* Takes back what no thread has started, waits for the rest and discards their results. */
static void drain(struct pool *p)
{
    AUTO_LOCK guard = lock_take(&p->lock);

    p->filled = p->next_work;
    for (; p->taken_out < p->filled; p->taken_out++) {
        struct slot *slot = slot_at(p, p->taken_out);
        while (!slot->done)
            pthread_cond_wait(&p->slot_done, &p->lock.mutex);
        err_clear(&slot->err);
    }
}

static bool has_failed(struct pool *p)
{
    AUTO_LOCK guard = lock_take(&p->lock);

    return p->failed;
}

/*
 * A failing producer only ends production: earlier items may still fail, and then that failure
 * comes first.
 */
static bool run_all(struct pool *p, struct err *e)
{
    AUTO_ERR produce_err = {0};
    bool at_end = false, produced = true;

    while (!at_end || p->taken_out < p->filled) {
        if (!at_end && p->filled - p->taken_out < p->size && !has_failed(p)) {
            produced = fill_slot(p, &produce_err, &at_end);
            at_end |= !produced;
        } else if (!empty_slot(p, e)) {
            return false;
        }
    }
    return produced || err_copy(e, &produce_err);
}

bool pool_run(struct pool *p, const struct pool_job *job, struct err *e)
{
    if (p->size == 0 || p->count == 0)
        return run_alone(job, e);
    {
        AUTO_LOCK guard = lock_take(&p->lock);
        p->job = job;
        p->failed = false;
        p->filled = p->next_work = p->taken_out = 0;
    }
    bool ok = run_all(p, e);
    drain(p);
    return ok;
}
