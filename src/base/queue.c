/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue.c - the work queue.
 *
 * A key has one entry as long as anything is known about it. Due entries are in a list per
 * priority, delayed ones in a heap by time. An entry that a worker has is in neither, but in a list
 * of its own kind, and remembers what was added meanwhile.
 */
#include "base/queue.h"

#define KEYS_MAX 1000000
#define NEVER INT64_MAX

enum entry_state { ENTRY_IDLE, ENTRY_DUE, ENTRY_DELAYED };

struct entry {
    struct table_node node; /* first: see table.h */
    enum entry_state state;
    enum queue_priority priority;
    bool working;
    bool counted;  /* counted in the depth: due, or added again by now */
    int64_t due;   /* when it may be taken; while working: when it was added again, or NEVER */
    int64_t since; /* when it was taken */
    size_t slot;   /* in the heap */
    struct entry *before, *after; /* in the list of its priority, or of entries that workers have */
    char key[];
};

struct list {
    struct entry *first, *last;
};

struct queue {
    pthread_mutex_t mutex;
    size_t keys_max;
    struct table *entries;
    struct list due[QUEUE_PRIORITIES], working;
    struct entry **heap;
    size_t heap_len, heap_cap;
    struct queue_stats stats;
};

/* ---- Lists and the heap. ---- */

static void list_push(struct list *l, struct entry *e)
{
    e->before = l->last;
    e->after = NULL;
    if (l->last)
        l->last->after = e;
    else
        l->first = e;
    l->last = e;
}

static void list_drop(struct list *l, struct entry *e)
{
    if (e->before)
        e->before->after = e->after;
    else
        l->first = e->after;
    if (e->after)
        e->after->before = e->before;
    else
        l->last = e->before;
}

static void heap_put(struct queue *q, size_t slot, struct entry *e)
{
    q->heap[slot] = e;
    e->slot = slot;
}

static void heap_up(struct queue *q, struct entry *e)
{
    size_t i = e->slot;

    for (; i && q->heap[(i - 1) / 2]->due > e->due; i = (i - 1) / 2)
        heap_put(q, i, q->heap[(i - 1) / 2]);
    heap_put(q, i, e);
}

static void heap_down(struct queue *q, struct entry *e)
{
    size_t i = e->slot;

    for (size_t child = 2 * i + 1; child < q->heap_len; child = 2 * i + 1) {
        if (child + 1 < q->heap_len && q->heap[child + 1]->due < q->heap[child]->due)
            child++;
        if (q->heap[child]->due >= e->due)
            break;
        heap_put(q, i, q->heap[child]);
        i = child;
    }
    heap_put(q, i, e);
}

static void heap_push(struct queue *q, struct entry *e)
{
    if (q->heap_len == q->heap_cap) {
        size_t cap = q->heap_cap ? q->heap_cap * 2 : 64;
        struct entry **wider = block_new(arena_array_size(cap, sizeof(*wider)));
        if (q->heap_len)
            memcpy(wider, q->heap, q->heap_len * sizeof(struct entry *));
        block_free(q->heap);
        q->heap = wider;
        q->heap_cap = cap;
    }
    heap_put(q, q->heap_len++, e);
    heap_up(q, e);
}

static void heap_drop(struct queue *q, struct entry *e)
{
    struct entry *last = q->heap[--q->heap_len];

    if (last == e)
        return;
    heap_put(q, e->slot, last);
    heap_up(q, last);
    heap_down(q, last);
}

/* ---- Entries. ---- */

static struct entry *entry_find(const struct queue *q, str key)
{
    return (struct entry *)table_find(q->entries, key);
}

static struct entry *entry_get(struct queue *q, str key)
{
    struct entry *e = entry_find(q, key);

    if (e || table_len(q->entries) >= q->keys_max)
        return e;
    e = block_new(sizeof(*e) + key.len);
    memset(e, 0, sizeof(*e));
    memcpy(e->key, key.ptr, key.len);
    table_add(q->entries, &e->node, str_of(e->key, key.len));
    return e;
}

/* Drops an entry once nothing is known about its key any more. */
static void entry_settle(struct queue *q, struct entry *e)
{
    if (e->state != ENTRY_IDLE || e->working)
        return;
    table_drop(q->entries, &e->node);
    block_free(e);
}

static void take_out(struct queue *q, struct entry *e)
{
    if (e->state == ENTRY_DUE) {
        list_drop(&q->due[e->priority], e);
        q->stats.waiting--;
    } else if (e->state == ENTRY_DELAYED) {
        heap_drop(q, e);
        q->stats.delayed--;
    }
    e->state = ENTRY_IDLE;
}

static void count_due(struct queue *q, struct entry *e)
{
    if (e->counted)
        return;
    e->counted = true;
    q->stats.depth++;
    q->stats.adds++;
}

static void put_in(struct queue *q, struct entry *e, int64_t now)
{
    if (e->due <= now) {
        count_due(q, e);
        e->state = ENTRY_DUE;
        list_push(&q->due[e->priority], e);
        q->stats.waiting++;
    } else {
        e->state = ENTRY_DELAYED;
        heap_push(q, e);
        q->stats.delayed++;
    }
}

/* Moves delayed entries that are due now to their lists. */
static void ripen(struct queue *q, int64_t now)
{
    while (q->heap_len && q->heap[0]->due <= now) {
        struct entry *e = q->heap[0];
        take_out(q, e);
        put_in(q, e, now);
    }
}

/* ---- Adding. ---- */

static void schedule(struct queue *q, struct entry *e, enum queue_priority priority, int64_t due)
{
    bool known = e->state != ENTRY_IDLE || (e->working && e->due != NEVER);
    int64_t now = clock_mono();

    q->stats.merged += known;
    if (known && due > e->due)
        due = e->due;
    if (known && priority > e->priority)
        priority = e->priority;
    if (e->state == ENTRY_DUE && priority == e->priority)
        return;
    take_out(q, e);
    e->priority = priority;
    e->due = due;
    if (!e->working)
        put_in(q, e, now);
    else if (due <= now)
        count_due(q, e);
}

/* Saturates at a time that is never reached, but is not NEVER. */
static int64_t time_after(int64_t delay)
{
    int64_t now = clock_mono();

    if (delay <= 0)
        return now;
    return delay < NEVER - 1 - now ? now + delay : NEVER - 1;
}

static bool add_locked(struct queue *q, str key, enum queue_priority priority, int64_t delay)
{
    struct entry *e = entry_get(q, key);

    if (!e) {
        q->stats.refused++;
        return false;
    }
    schedule(q, e, priority, time_after(delay));
    return true;
}

bool queue_add_after(struct queue *q, str key, enum queue_priority priority, int64_t delay)
{
    pthread_mutex_lock(&q->mutex);
    bool ok = add_locked(q, key, priority, delay);
    q->stats.retries += ok;
    pthread_mutex_unlock(&q->mutex);
    return ok;
}

bool queue_add(struct queue *q, str key, enum queue_priority priority)
{
    pthread_mutex_lock(&q->mutex);
    bool ok = add_locked(q, key, priority, 0);
    pthread_mutex_unlock(&q->mutex);
    return ok;
}

/* ---- Taking. ---- */

static void count_time(struct queue_times *t, int64_t took)
{
    size_t bucket = 0;

    for (int64_t bound = 10; bucket < QUEUE_BUCKETS - 1 && took > bound; bound *= 10)
        bucket++;
    t->buckets[bucket]++;
    t->count++;
    t->total += took;
    if (took > t->max)
        t->max = took;
}

static void begin_work(struct queue *q, struct entry *e, int64_t now)
{
    q->stats.taken++;
    q->stats.depth--;
    q->stats.working++;
    count_time(&q->stats.queue_time, now - e->due);
    e->counted = false;
    e->working = true;
    e->since = now;
    e->due = NEVER;
    list_push(&q->working, e);
}

static void end_work(struct queue *q, struct entry *e, int64_t now)
{
    q->stats.working--;
    count_time(&q->stats.work_time, now - e->since);
    e->working = false;
    list_drop(&q->working, e);
    if (e->due != NEVER)
        put_in(q, e, now);
    entry_settle(q, e);
}

static bool take_due(struct queue *q, struct arena *a, str *key, int64_t now)
{
    ripen(q, now);
    for (size_t i = 0; i < QUEUE_PRIORITIES; i++) {
        struct entry *e = q->due[i].first;
        if (!e)
            continue;
        take_out(q, e);
        begin_work(q, e, now);
        *key = str_copy(a, e->node.key);
        return true;
    }
    return false;
}

bool queue_poll(struct queue *q, struct arena *a, str *key, int64_t *due)
{
    pthread_mutex_lock(&q->mutex);
    bool ok = take_due(q, a, key, clock_mono());
    *due = q->heap_len ? q->heap[0]->due : NEVER;
    pthread_mutex_unlock(&q->mutex);
    return ok;
}

void queue_done(struct queue *q, str key)
{
    int64_t now = clock_mono();

    pthread_mutex_lock(&q->mutex);
    struct entry *e = entry_find(q, key);
    if (e && e->working)
        end_work(q, e, now);
    pthread_mutex_unlock(&q->mutex);
}

/* ---- The whole. ---- */

struct queue *queue_new(size_t keys_max)
{
    struct queue *q = block_new(sizeof(*q));

    *q = (struct queue){.keys_max = keys_max ? keys_max : KEYS_MAX, .entries = table_new()};
    pthread_mutex_init(&q->mutex, NULL);
    return q;
}

void queue_free(struct queue *q)
{
    struct table_at at = {0};

    if (!q)
        return;
    for (struct table_node *n; (n = table_each(q->entries, &at));)
        block_free(n);
    table_free(q->entries);
    block_free(q->heap);
    pthread_mutex_destroy(&q->mutex);
    block_free(q);
}

void queue_stats(struct queue *q, struct queue_stats *out)
{
    int64_t now = clock_mono(), unfinished = 0, longest = 0;

    pthread_mutex_lock(&q->mutex);
    ripen(q, now);
    for (struct entry *e = q->working.first; e; e = e->after) {
        int64_t age = now - e->since;
        if (e->due <= now)
            count_due(q, e);
        unfinished += age;
        longest = age > longest ? age : longest;
    }
    *out = q->stats;
    out->unfinished = unfinished;
    out->longest = longest;
    pthread_mutex_unlock(&q->mutex);
}
