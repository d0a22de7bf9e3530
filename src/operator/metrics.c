/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - requests to Azure, counted; see metrics.h. */
#include "operator/metrics.h"

#include "arm/id.h"
#include "base/lock.h"
#include "base/map.h"

#define NAME_SUCCESSFUL "azure_successful_requests_total"
#define NAME_FAILED "azure_failed_requests_total"
#define NAME_TIME "azure_requests_time_seconds"

/* Prometheus' own buckets, in milliseconds, and how Go writes them in seconds. */
static const struct {
    int64_t ms;
    const char *text;
} buckets[] = {{5, "0.005"}, {10, "0.01"}, {25, "0.025"}, {50, "0.05"}, {100, "0.1"}, {250, "0.25"},
               {500, "0.5"}, {1000, "1"},  {2500, "2.5"}, {5000, "5"},  {10000, "10"}};

/* All requests of one type and method; counts by status are entries of their own. */
struct count {
    str type, method;
    int status; /* of counts; 0: no answer. -1: of times */
    uint64_t n, buckets[COUNT(buckets)];
    double seconds;
};

struct request_metrics {
    struct arena *arena;
    struct lock lock;
    struct map *counts;
};

struct request_metrics *request_metrics_new(void)
{
    struct arena *a = arena_new();
    struct request_metrics *m = ARENA_NEW(a, struct request_metrics);

    *m = (struct request_metrics){.arena = a, .lock = LOCK_INIT, .counts = map_new(a)};
    return m;
}

void request_metrics_free(struct request_metrics *m)
{
    arena_free(m->arena);
}

/* ---- Counting. ------------------------------------------------------------------------------- */

static struct count *count_of(struct request_metrics *m, struct arena *a, str type, str method,
                              int status)
{
    str key = str_fmt(a, "%.*s %.*s %d", STR_ARG(type), STR_ARG(method), status);
    struct count *c = map_get(m->counts, key);

    if (c)
        return c;
    if (map_len(m->counts) >= REQUEST_METRICS_MAX && !str_eq(type, STR("other")))
        return count_of(m, a, STR("other"), method, status);
    c = ARENA_NEW(m->arena, struct count);
    *c = (struct count){
        .type = str_copy(m->arena, type), .method = str_copy(m->arena, method), .status = status};
    map_set(m->counts, str_copy(m->arena, key), c);
    return c;
}

void request_metrics_add(struct request_metrics *m, str id, str method, int status, int64_t took)
{
    AUTO_ARENA a = arena_new();
    struct arm_id parsed;

    if (!arm_id_parse(a, id, &parsed, NULL))
        return;
    str type = arm_id_type(a, &parsed);
    AUTO_LOCK guard = lock_take(&m->lock);
    count_of(m, a, type, method, status)->n++;
    struct count *time = count_of(m, a, type, method, -1);
    time->n++;
    time->seconds += (double)took / (double)NS_PER_SEC;
    for (size_t i = 0; i < COUNT(buckets); i++)
        time->buckets[i] += took <= buckets[i].ms * NS_PER_MS;
}

/* ---- Writing. -------------------------------------------------------------------------------- */

void metric_head(struct buf *out, const char *name, const char *type, const char *help)
{
    buf_fmt(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void metric_number(struct buf *out, const char *name, const char *type, const char *help,
                   double value)
{
    metric_head(out, name, type, help);
    buf_fmt(out, "%s %.15g\n", name, value);
}

static void write_labels(struct buf *out, const char *name, const char *suffix,
                         const struct count *c)
{
    buf_fmt(out, "%s%s{requestType=\"%.*s\",resource=\"%.*s\"", name, suffix, STR_ARG(c->method),
            STR_ARG(c->type));
}

static void write_time(struct buf *out, const struct count *c)
{
    for (size_t i = 0; i < COUNT(buckets); i++) {
        write_labels(out, NAME_TIME, "_bucket", c);
        buf_fmt(out, ",le=\"%s\"} %llu\n", buckets[i].text, (unsigned long long)c->buckets[i]);
    }
    write_labels(out, NAME_TIME, "_bucket", c);
    buf_fmt(out, ",le=\"+Inf\"} %llu\n", (unsigned long long)c->n);
    write_labels(out, NAME_TIME, "_sum", c);
    buf_fmt(out, "} %.9g\n", c->seconds);
    write_labels(out, NAME_TIME, "_count", c);
    buf_fmt(out, "} %llu\n", (unsigned long long)c->n);
}

enum part { PART_SUCCESSFUL, PART_FAILED, PART_TIME };

static void write_part(const struct request_metrics *m, struct buf *out, enum part part)
{
    for (size_t i = 0; i < map_len(m->counts); i++) {
        const struct count *c = map_at(m->counts, i);
        if (part == PART_TIME && c->status < 0)
            write_time(out, c);
        if (part == PART_FAILED && c->status == 0) {
            write_labels(out, NAME_FAILED, "", c);
            buf_fmt(out, "} %llu\n", (unsigned long long)c->n);
        }
        if (part == PART_SUCCESSFUL && c->status > 0) {
            write_labels(out, NAME_SUCCESSFUL, "", c);
            buf_fmt(out, ",responseCode=\"%d\"} %llu\n", c->status, (unsigned long long)c->n);
        }
    }
}

void request_metrics_write(struct request_metrics *m, struct buf *out)
{
    AUTO_LOCK guard = lock_take(&m->lock);

    metric_head(out, NAME_SUCCESSFUL, "counter", "Requests that Azure answered, by status.");
    write_part(m, out, PART_SUCCESSFUL);
    metric_head(out, NAME_FAILED, "counter", "Requests without an answer.");
    write_part(m, out, PART_FAILED);
    metric_head(out, NAME_TIME, "histogram", "How long requests to Azure took.");
    write_part(m, out, PART_TIME);
}
