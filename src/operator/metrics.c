/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.c - counts requests to Azure; see metrics.h. */
#include "operator/metrics.h"

#include "arm/id.h"
#include "base/lock.h"
#include "base/map.h"
#include "base/prometheus.h"

/* Prometheus' default buckets, in milliseconds, and as Go prints them in seconds. */
static const int64_t bounds[] = {5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000};
static const char *const bound_names[COUNT(bounds)] = {
    "0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10"};

/* All requests of one type and method; counts by status are separate entries. */
struct count {
    str type, method;
    int status;                         /* of counts; 0: no answer. -1: of times */
    uint64_t n, buckets[COUNT(bounds)]; /* each time is in one bucket, or beyond all */
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
    for (size_t i = 0; i < COUNT(bounds); i++)
        if (took <= bounds[i] * NS_PER_MS) {
            time->buckets[i]++;
            break;
        }
}

/* ---- Writing. -------------------------------------------------------------------------------- */

static void write_count(const struct count *c, struct buf *out, const char *name)
{
    AUTO_ARENA a = arena_new();
    struct buf labels = buf_new(a, BUF_UNLIMITED);

    prom_label(&labels, "requestType", c->method);
    prom_label(&labels, "resource", c->type);
    if (c->status > 0)
        prom_label(&labels, "responseCode", str_fmt(a, "%d", c->status));
    if (c->status >= 0) {
        prom_sample(out, name, buf_str(&labels), (double)c->n);
        return;
    }
    prom_histogram(out, name, buf_str(&labels),
                   &(struct prom_histogram){.bounds = bound_names,
                                            .buckets = c->buckets,
                                            .bucket_count = COUNT(bounds),
                                            .count = c->n,
                                            .sum = c->seconds});
}

static const struct {
    const char *name, *type, *help;
    int sign; /* of the status in its counts */
} metrics[] = {
    {"azure_successful_requests_total", "counter", "Requests that Azure answered, by status.", 1},
    {"azure_failed_requests_total", "counter", "Requests without an answer.", 0},
    {"azure_requests_time_seconds", "histogram", "How long requests to Azure took.", -1},
};

void request_metrics_write(struct request_metrics *m, struct buf *out)
{
    AUTO_LOCK guard = lock_take(&m->lock);

    for (size_t k = 0; k < COUNT(metrics); k++) {
        prom_head(out, metrics[k].name, metrics[k].type, metrics[k].help);
        for (size_t i = 0; i < map_len(m->counts); i++) {
            const struct count *c = map_at(m->counts, i);
            if (metrics[k].sign == (c->status > 0) - (c->status < 0))
                write_count(c, out, metrics[k].name);
        }
    }
}
