/* SPDX-License-Identifier: Apache-2.0 */
/* state_metrics.c - objects by kind and state, counted; see state_metrics.h. */
#include "operator/state_metrics.h"

#include "base/lock.h"
#include "base/map.h"
#include "operator/metrics.h"

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

static struct kind_count *count_of(struct state_metrics *m, const struct object_key *key)
{
    AUTO_ARENA a = arena_new();
    str labels =
        str_fmt(a, "group=\"%.*s\",kind=\"%.*s\"", STR_ARG(key->group), STR_ARG(key->kind));

    if (!map_has(m->kinds, labels) && map_len(m->kinds) >= STATE_METRICS_MAX)
        labels = STR("group=\"other\",kind=\"other\"");
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

void state_metrics_write(struct state_metrics *m, struct buf *out)
{
    AUTO_LOCK guard = lock_take(&m->lock);

    metric_head(out, NAME, "gauge",
                "Objects of Azure's kinds, by where their last pass left them.");
    for (size_t i = 0; i < map_len(m->kinds); i++) {
        const struct kind_count *c = map_at(m->kinds, i);
        for (size_t k = OBJECT_UNKNOWN + 1; k < OBJECT_STATES; k++)
            buf_fmt(out, NAME "{%.*s,state=\"%s\"} %llu\n", STR_ARG(map_key(m->kinds, i)), names[k],
                    (unsigned long long)c->states[k]);
    }
}
