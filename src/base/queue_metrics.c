/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_metrics.c - metrics of queues, the same as client-go's.
 *
 * To add a number: a line in the table of numbers.
 */
#include "base/prometheus.h"
#include "base/queue.h"

/* The bounds of client-go's buckets, as Go writes them; the last bucket has none. */
static const char *const bounds[QUEUE_BUCKETS - 1] = {
    "1e-08", "1e-07", "1e-06", "9.999999999999999e-06", "9.999999999999999e-05", "0.001", "0.01",
    "0.1",   "1",     "10"};

static double depth(const struct queue_stats *s)
{
    return (double)s->depth;
}

static double adds(const struct queue_stats *s)
{
    return (double)s->adds;
}

static double retries(const struct queue_stats *s)
{
    return (double)s->retries;
}

static double seconds(int64_t ns)
{
    return (double)ns / (double)NS_PER_SEC;
}

static double unfinished(const struct queue_stats *s)
{
    return seconds(s->unfinished);
}

static double longest(const struct queue_stats *s)
{
    return seconds(s->longest);
}

static const struct number {
    const char *name, *type, *help;
    double (*of)(const struct queue_stats *s);
} numbers[] = {
    {"workqueue_depth", "gauge", "Keys that are due and wait for a worker.", depth},
    {"workqueue_adds_total", "counter", "How often a key became due.", adds},
    {"workqueue_retries_total", "counter", "How often a key was added with a delay.", retries},
    {"workqueue_unfinished_work_seconds", "gauge",
     "Time spent so far on all keys that workers have. Large values: workers are stuck.",
     unfinished},
    {"workqueue_longest_running_processor_seconds", "gauge",
     "Time spent so far by the worker that has had its key longest.", longest},
};

static const struct histogram {
    const char *name, *help;
    size_t offset;
} histograms[] = {
    {"workqueue_queue_duration_seconds", "How long keys were due before a worker took them.",
     offsetof(struct queue_stats, queue_time)},
    {"workqueue_work_duration_seconds", "How long workers had keys.",
     offsetof(struct queue_stats, work_time)},
};

static str name_of(struct arena *a, const struct queue_named *q)
{
    struct buf labels = buf_new(a, BUF_UNLIMITED);

    prom_label(&labels, "name", q->name);
    return buf_str(&labels);
}

static void add_histogram(struct buf *out, const struct histogram *h, const struct queue_named *q,
                          str labels)
{
    const struct queue_times *t = (const void *)((const char *)&q->stats + h->offset);

    prom_histogram(out, h->name, labels,
                   &(struct prom_histogram){.bounds = bounds,
                                            .buckets = t->buckets,
                                            .bucket_count = COUNT(bounds),
                                            .count = t->count,
                                            .sum = seconds(t->total)});
}

void queue_metrics(struct buf *out, const struct queue_named *queues, size_t count)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(numbers); i++) {
        prom_head(out, numbers[i].name, numbers[i].type, numbers[i].help);
        for (size_t k = 0; k < count; k++)
            prom_sample(out, numbers[i].name, name_of(a, &queues[k]),
                        numbers[i].of(&queues[k].stats));
    }
    for (size_t i = 0; i < COUNT(histograms); i++) {
        prom_head(out, histograms[i].name, "histogram", histograms[i].help);
        for (size_t k = 0; k < count; k++)
            add_histogram(out, &histograms[i], &queues[k], name_of(a, &queues[k]));
    }
}
