/* SPDX-License-Identifier: Apache-2.0 */
/*
 * queue_metrics.c - what queues show of themselves, as client-go's show it.
 *
 * To add a number: a line in the table of numbers.
 */
#include "kube/queue.h"

/* The bounds of client-go's buckets, as Go writes them. */
static const char *const bounds[QUEUE_BUCKETS] = {"1e-08",
                                                  "1e-07",
                                                  "1e-06",
                                                  "9.999999999999999e-06",
                                                  "9.999999999999999e-05",
                                                  "0.001",
                                                  "0.01",
                                                  "0.1",
                                                  "1",
                                                  "10",
                                                  "+Inf"};

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
    {"depth", "gauge", "Keys that are due and wait for a worker.", depth},
    {"adds_total", "counter", "How often a key became due.", adds},
    {"retries_total", "counter", "How often a key was added with a delay.", retries},
    {"unfinished_work_seconds", "gauge",
     "Time spent so far on all keys that workers have. Large values: workers are stuck.",
     unfinished},
    {"longest_running_processor_seconds", "gauge",
     "Time spent so far by the worker that has had its key longest.", longest},
};

static const struct histogram {
    const char *name, *help;
    size_t offset;
} histograms[] = {
    {"queue_duration_seconds", "How long keys were due before a worker took them.",
     offsetof(struct queue_stats, queue_time)},
    {"work_duration_seconds", "How long workers had keys.",
     offsetof(struct queue_stats, work_time)},
};

static void add_head(struct buf *out, const char *name, const char *type, const char *help)
{
    buf_fmt(out, "# HELP workqueue_%s %s\n# TYPE workqueue_%s %s\n", name, help, name, type);
}

/* Names are the program's own words; what would end a label is left out. */
static void add_name(struct buf *out, const char *metric, const char *suffix, str name)
{
    buf_fmt(out, "workqueue_%s%s{name=\"", metric, suffix);
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] != '"' && name.ptr[i] != '\\' && name.ptr[i] != '\n')
            buf_char(out, name.ptr[i]);
    buf_char(out, '"');
}

static void add_histogram(struct buf *out, const struct histogram *h, const struct queue_named *q)
{
    const struct queue_times *t = (const void *)((const char *)&q->stats + h->offset);
    uint64_t count = 0;

    for (size_t i = 0; i < QUEUE_BUCKETS; i++) {
        count += t->buckets[i];
        add_name(out, h->name, "_bucket", q->name);
        buf_fmt(out, ",le=\"%s\"} %llu\n", bounds[i], (unsigned long long)count);
    }
    add_name(out, h->name, "_sum", q->name);
    buf_fmt(out, "} %.9g\n", seconds(t->total));
    add_name(out, h->name, "_count", q->name);
    buf_fmt(out, "} %llu\n", (unsigned long long)t->count);
}

void queue_metrics(struct buf *out, const struct queue_named *queues, size_t count)
{
    for (size_t i = 0; i < COUNT(numbers); i++) {
        add_head(out, numbers[i].name, numbers[i].type, numbers[i].help);
        for (size_t k = 0; k < count; k++) {
            add_name(out, numbers[i].name, "", queues[k].name);
            buf_fmt(out, "} %.15g\n", numbers[i].of(&queues[k].stats));
        }
    }
    for (size_t i = 0; i < COUNT(histograms); i++) {
        add_head(out, histograms[i].name, "histogram", histograms[i].help);
        for (size_t k = 0; k < count; k++)
            add_histogram(out, &histograms[i], &queues[k]);
    }
}
