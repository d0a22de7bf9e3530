/* SPDX-License-Identifier: Apache-2.0 */
/* budget_metrics.c - the buckets of the request budget; see budget_metrics.h. */
#include "operator/budget_metrics.h"

#include "base/prometheus.h"

static double remaining(const struct budget_stats *s)
{
    return s->level;
}

static double size(const struct budget_stats *s)
{
    return s->burst;
}

static double waiting(const struct budget_stats *s)
{
    size_t all = 0;

    for (size_t i = 0; i < COUNT(s->waiting); i++)
        all += s->waiting[i];
    return (double)all;
}

static double throttled(const struct budget_stats *s)
{
    return (double)s->throttled;
}

static double paused(const struct budget_stats *s)
{
    return (double)s->paused / (double)NS_PER_SEC;
}

static const struct {
    const char *name, *type, *help;
    double (*of)(const struct budget_stats *s);
} metrics[] = {
    {"plumb_budget_paused_seconds", "gauge", "How much longer Azure wants no requests.", paused},
    {"plumb_budget_remaining", "gauge", "Requests that may be sent at once.", remaining},
    {"plumb_budget_size", "gauge", "Requests that may be sent at once, at most.", size},
    {"plumb_budget_throttled_total", "counter", "Requests that Azure throttled.", throttled},
    {"plumb_budget_waiting", "gauge", "Requests that wait for their turn.", waiting},
};

/* Texts from the configuration are cut for labels. */
#define LABEL_SHOWN 200

static void write_bucket(struct buf *out, const char *name, const struct budget_stats *s,
                         double value)
{
    static const char *const verbs[BUDGET_VERBS] = {"read", "write", "delete"};
    AUTO_ARENA a = arena_new();
    struct buf labels = buf_new(a, BUF_UNLIMITED);

    prom_label(&labels, "subscription", str_slice(s->subscription, 0, LABEL_SHOWN));
    prom_label(&labels, "principal", str_slice(s->principal, 0, LABEL_SHOWN));
    prom_label(&labels, "region", str_slice(s->region, 0, LABEL_SHOWN));
    prom_label(&labels, "provider", str_slice(s->provider, 0, LABEL_SHOWN));
    prom_label(&labels, "verb", str_c(verbs[s->verb]));
    prom_sample(out, name, buf_str(&labels), value);
}

void budget_metrics(struct arm_gate *gate, struct buf *out)
{
    AUTO_ARENA a = arena_new();
    struct budget_stats *stats;
    size_t count = arm_gate_stats(gate, a, &stats);

    for (size_t i = 0; i < COUNT(metrics); i++) {
        prom_head(out, metrics[i].name, metrics[i].type, metrics[i].help);
        for (size_t k = 0; k < count && k < BUDGET_METRICS_MAX; k++)
            write_bucket(out, metrics[i].name, &stats[k], metrics[i].of(&stats[k]));
    }
}
