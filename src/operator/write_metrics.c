/* SPDX-License-Identifier: Apache-2.0 */
/* write_metrics.c - counts causes of writes and paths of drift; see write_metrics.h. */
#include "operator/write_metrics.h"

#include "base/lock.h"
#include "base/map.h"
#include "base/prometheus.h"

/* Longer paths are cut for labels. */
#define PATH_SHOWN 200

struct write_metrics {
    struct arena *arena;
    struct lock lock;
    struct map *causes, *places; /* the labels to a uint64_t */
    uint64_t avoided, noops;
};

struct write_metrics *write_metrics_new(void)
{
    struct arena *a = arena_new();
    struct write_metrics *m = ARENA_NEW(a, struct write_metrics);

    *m = (struct write_metrics){
        .arena = a, .lock = LOCK_INIT, .causes = map_new(a), .places = map_new(a)};
    return m;
}

void write_metrics_free(struct write_metrics *m)
{
    arena_free(m->arena);
}

static void count(struct write_metrics *m, struct map *counts, str labels)
{
    uint64_t *n = map_get(counts, labels);

    if (!n) {
        n = ARENA_NEW(m->arena, uint64_t);
        map_set(counts, str_copy(m->arena, labels), n);
    }
    ++*n;
}

/* "subnets[name=a].id" as "subnets[].id". */
static str place(struct arena *a, str path)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    bool inside = false;

    for (size_t i = 0; i < path.len && b.len < PATH_SHOWN; i++) {
        char c = path.ptr[i];
        inside = inside && c != ']';
        if (!inside && c >= ' ')
            buf_char(&b, c);
        inside = inside || c == '[';
    }
    return buf_str(&b);
}

static str place_labels(struct arena *a, str kind, str path)
{
    struct buf labels = buf_new(a, BUF_UNLIMITED);

    prom_label(&labels, "kind", kind);
    prom_label(&labels, "path", path);
    return buf_str(&labels);
}

static void count_place(struct write_metrics *m, struct arena *a, str kind, str path)
{
    str labels = place_labels(a, kind, place(a, path));

    if (!map_has(m->places, labels) && map_len(m->places) >= WRITE_METRICS_MAX)
        labels = place_labels(a, STR("other"), STR("other"));
    count(m, m->places, labels);
}

void write_metrics_add(struct write_metrics *m, const struct tally *tally)
{
    AUTO_ARENA a = arena_new();
    struct buf cause = buf_new(a, BUF_UNLIMITED);
    AUTO_LOCK guard = lock_take(&m->lock);

    m->avoided += tally->avoided;
    m->noops += tally->noop;
    if (tally->cause) {
        prom_label(&cause, "cause", str_c(tally->cause));
        count(m, m->causes, buf_str(&cause));
    }
    for (size_t i = 0; i < tally->path_count; i++)
        count_place(m, a, tally->kind, tally->paths[i]);
}

static void write_counts(const struct map *counts, const char *name, struct buf *out)
{
    for (size_t i = 0; i < map_len(counts); i++) {
        const uint64_t *n = map_at(counts, i);
        prom_sample(out, name, map_key(counts, i), (double)*n);
    }
}

void write_metrics_write(struct write_metrics *m, struct buf *out)
{
    AUTO_LOCK guard = lock_take(&m->lock);

    prom_head(out, "plumb_drift_total", "counter",
              "Members that others changed in Azure, by kind and path.");
    write_counts(m->places, "plumb_drift_total", out);
    prom_number(out, "plumb_noop_writes_total", "counter",
                "PUTs after which Azure showed the same as before.", (double)m->noops);
    prom_number(out, "plumb_writes_avoided_total", "counter",
                "Looks at resources that were as they should be.", (double)m->avoided);
    prom_head(out, "plumb_writes_total", "counter", "PUTs to Azure, by what caused them.");
    write_counts(m->causes, "plumb_writes_total", out);
}
