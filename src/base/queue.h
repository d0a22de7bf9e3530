/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.h - a work queue of keys: each key at most once, by priority and time.
 *
 *     while (queue_poll(q, a, &key, &due)) {
 *         reconcile(key);
 *         queue_done(q, key);
 *     }
 *     nothing is due before due
 *
 * Adding a key that is already queued does not add it twice (the higher priority and the earlier
 * time win). A key that is added while a worker has it waits until that worker is done, so that no
 * two workers ever have the same key.
 *
 * May be called from any thread; no call blocks. Time comes from base/clock.h.
 */
#pragma once

#include "base/base.h"

struct queue;

enum queue_priority { QUEUE_URGENT, QUEUE_NORMAL, QUEUE_IDLE, QUEUE_PRIORITIES };

/* Times: how many took at most 10 ns, 100 ns, ... 10 s, and how many longer; in nanoseconds. */
#define QUEUE_BUCKETS 11
struct queue_times {
    uint64_t count, buckets[QUEUE_BUCKETS]; /* each time is in one bucket */
    int64_t total, max;
};

struct queue_stats {
    size_t waiting, delayed, working; /* keys: due, not due yet, with a worker */
    uint64_t taken, merged, refused;  /* merged: added when it was due or delayed already */
    /*
     * The metrics of client-go's queues, with the same meaning. A key counts once from when it is
     * due (at once, or when its delay is over) until it is taken, even while another worker has it
     * and it has to wait for that.
     */
    size_t depth;                  /* workqueue_depth: keys that count now */
    uint64_t adds;                 /* workqueue_adds_total: how often a key began to count */
    uint64_t retries;              /* workqueue_retries_total: queue_add_after */
    struct queue_times queue_time; /* workqueue_queue_duration_seconds: from then until taken */
    struct queue_times work_time;  /* workqueue_work_duration_seconds: from taken until done */
    int64_t unfinished;            /* workqueue_unfinished_work_seconds: of all that is not done */
    int64_t longest;               /* workqueue_longest_running_processor_seconds: of one of them */
};

/* Rejects keys beyond keys_max; 0: 1,000,000. */
struct queue *queue_new(size_t keys_max);
/* No other call may be running on any thread. */
void queue_free(struct queue *q);

/* False when the queue is full. */
bool queue_add(struct queue *q, str key, enum queue_priority priority);
/* Not before delay nanoseconds from now. An earlier time that is set already stays. */
bool queue_add_after(struct queue *q, str key, enum queue_priority priority, int64_t delay);

/*
 * The next key that is due, copied to a. *due is when the next delayed one is (INT64_MAX: there is
 * none).
 */
bool queue_poll(struct queue *q, struct arena *a, str *key, int64_t *due);
/* The worker has finished with the key. */
void queue_done(struct queue *q, str key);

void queue_stats(struct queue *q, struct queue_stats *out);

/*
 * Appends the seven metrics in the text format of Prometheus, with client-go's names, its label
 * "name" and its buckets. The statistics of all queues of a process go into one text.
 */
struct queue_named {
    str name;
    struct queue_stats stats;
};
void queue_metrics(struct buf *out, const struct queue_named *queues, size_t count);
