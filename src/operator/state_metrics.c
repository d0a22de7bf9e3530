/* SPDX-License-Identifier: Apache-2.0 */
/* state_metrics.c - counts objects by kind and state; see state_metrics.h. */
#include "operator/state_metrics.h"

#include "base/lock.h"
#include "base/map.h"
#include "base/prometheus.h"

#define NAME "plumb_objects_by_state"

static const char *const names[OBJECT_STATES] = {
    [OBJECT_PENDING] = "Pending",        [OBJECT_READY] = "Ready",
    [OBJECT_WAITING] = "Waiting",        [OBJECT_RETRYING] = "Retrying",
    [OBJECT_STOPPED] = "Stopped",        [OBJECT_DELETING] = "Deleting",
    [OBJECT_IN_PROGRESS] = "InProgress",
};

struct kind_count {
    uint64_t states[OBJECT_STATES];
};

struct state_metrics {
    struct arena *arena;
    struct lock lock;
    struct map *kinds; /* "group=...,kind=..." to a count */
};

struct state_metrics *state_metrics_new(void)
{
    struct arena *a = arena_new();
    struct state_metrics *m = ARENA_NEW(a, struct state_metrics);

    *m = (struct state_metrics){.arena = a, .lock = LOCK_INIT, .kinds = map_new(a)};
    return m;
}

void state_metrics_free(struct state_metrics *m)
{
    arena_free(m->arena);
}

static str kind_labels(struct arena *a, str group, str kind)
{
    struct buf labels = buf_new(a, BUF_UNLIMITED);

    prom_label(&labels, "group", group);
    prom_label(&labels, "kind", kind);
    return buf_str(&labels);
}

static struct kind_count *count_of(struct state_metrics *m, const struct object_key *key)
{
    AUTO_ARENA a = arena_new();
    str labels = kind_labels(a, key->group, key->kind);

    if (!map_has(m->kinds, labels) && map_len(m->kinds) >= STATE_METRICS_MAX)
        labels = kind_labels(a, STR("other"), STR("other"));
    struct kind_count *c = map_get(m->kinds, labels);
    if (c)
        return c;
    c = ARENA_NEW(m->arena, struct kind_count);
    map_set(m->kinds, str_copy(m->arena, labels), c);
    return c;
}

void state_metrics_move(struct state_metrics *m, const struct object_key *key,
                        enum object_state from, enum object_state to)
{
    AUTO_LOCK guard = lock_take(&m->lock);
    struct kind_count *c = count_of(m, key);

    if (from != OBJECT_UNKNOWN)
        c->states[from]--;
    if (to != OBJECT_UNKNOWN)
        c->states[to]++;
}

static void write_kind(const struct kind_count *c, str kind, struct buf *out)
{
    AUTO_ARENA a = arena_new();

    for (size_t k = OBJECT_UNKNOWN + 1; k < OBJECT_STATES; k++) {
        struct buf labels = buf_new(a, BUF_UNLIMITED);
        buf_add(&labels, kind);
        prom_label(&labels, "state", str_c(names[k]));
        prom_sample(out, NAME, buf_str(&labels), (double)c->states[k]);
    }
}

void state_metrics_write(struct state_metrics *m, struct buf *out)
{
    AUTO_LOCK guard = lock_take(&m->lock);

    prom_head(out, NAME, "gauge", "Objects of Azure's kinds, by where their last pass left them.");
    for (size_t i = 0; i < map_len(m->kinds); i++)
        write_kind(map_at(m->kinds, i), map_key(m->kinds, i), out);
}
