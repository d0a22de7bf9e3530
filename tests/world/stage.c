/* SPDX-License-Identifier: Apache-2.0 */
/* stage.c - the operator on the stage, and what happens to it; see stage.h. */
#include "world/stage_internal.h"

#include "text/json/json.h"

/* The start of the simulator's virtual time: 2026-01-01. */
#define SIM_BEGIN (INT64_C(1767225600) * NS_PER_SEC)

/* How often an operator that lost the lease is stepped until it notices. */
#define LOST_STEP (NS_PER_SEC / 4)

/* ---- Small things. --------------------------------------------------------------------------- */

int64_t stage_latency(struct stage *s)
{
    return (int64_t)(1 + world_below(s->w, 200)) * NS_PER_MS;
}

bool stage_happens(struct stage *s, unsigned percent)
{
    return percent && !s->calm && world_chance(s->w, percent);
}

struct value *stage_parse(struct arena *a, const char *text)
{
    struct source *src = ARENA_NEW(a, struct source);
    char *copy = str_z(a, str_c(text));
    struct value *v = NULL;

    for (char *at = copy; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    src->text = str_c(copy);
    return json_read(a, src, NULL, &v, NULL) ? v : NULL;
}

/* ---- Pieces. --------------------------------------------------------------------------------- */

void *stage_piece_new(struct stage *s, size_t size)
{
    struct arena *a = arena_new();
    struct stage_piece *p = arena_alloc(a, size);

    *p = (struct stage_piece){.next = s->pieces, .at = &s->pieces, .arena = a};
    if (p->next)
        p->next->at = &p->next;
    s->pieces = p;
    return p;
}

void stage_piece_free(struct stage_piece *p)
{
    *p->at = p->next;
    if (p->next)
        p->next->at = p->at;
    arena_free(p->arena);
}

/* ---- The operator. --------------------------------------------------------------------------- */

static void prune(void *ctx, struct arena *a, const struct object_key *key, struct value *status)
{
    const struct stage *s = ctx;

    (void)a;
    (void)key;
    if (s->options.foreign)
        (void)value_unset(status, STR("operatorStatus"));
}

static void step_planned(void *ctx)
{
    struct stage *s = ctx;

    if (s->planned <= world_now(s->w))
        s->planned = INT64_MAX;
    stage_step(s);
}

struct operator_config stage_config(const struct stage *s)
{
    struct operator_config config = s->options.config;

    config.model = s->model;
    if (!config.subscription.len)
        config.subscription = STR(STAGE_SUBSCRIPTION);
    config.endpoint = STR(STAGE_ENDPOINT);
    if (!config.namespace.len)
        config.namespace = STR("plumb-system");
    if (!config.version.len)
        config.version = STR("v0.1.0");
    if (!config.period)
        config.period = STAGE_PERIOD;
    config.digest_key = STR("a key that stays");
    return config;
}

static void judged(void *ctx, const struct value *record)
{
    struct stage *s = ctx;

    s->options.judged(s->options.judged_ctx, record);
}

static void start(struct stage *s)
{
    const struct operator_config config = stage_config(s);

    s->ports = (struct ports){.ctx = s,
                              .find = stage_find,
                              .read = stage_ask,
                              .write = s->options.observe ? NULL : stage_ask,
                              .leads = stage_leads,
                              .judged = s->options.judged ? judged : NULL,
                              .event = stage_event,
                              .prune = prune,
                              .tally = stage_tally};
    s->life++;
    s->flying = map_new(s->w->arena);
    s->operator= operator_new(&config, &s->ports);
    for (size_t i = 0; i < map_len(s->cache); i++) {
        struct object_key key = object_key_of(map_at(s->cache, i));
        operator_changed(s->operator, & key);
    }
}

static void drop_lost(void *ctx)
{
    struct stage *s = ctx;

    operator_free(s->lost);
    s->lost = NULL;
}

void stage_restart(struct stage *s, const struct operator_config *config)
{
    if (config)
        s->options.config = *config;
    operator_free(s->operator);
    start(s);
    stage_step(s);
}

void stage_restart_after_crash(void *ctx)
{
    stage_restart(ctx, NULL);
}

static void get_lease(void *ctx)
{
    ((struct stage *)ctx)->leads = true;
}

static void step_lost_planned(void *ctx)
{
    stage_step_lost(ctx);
}

/* Another operator gets the lease; this one goes on for a moment, like its process. */
static void take_over(struct stage *s)
{
    world_note(s->w, "another operator gets the lease");
    s->lost = s->operator;
    s->lost_life = s->life;
    s->lost_flying = s->flying;
    start(s);
    int64_t left = (int64_t)(1 + world_below(s->w, 10)) * LOST_STEP;
    for (int64_t at = LOST_STEP; at < left; at += LOST_STEP)
        world_after(s->w, at, step_lost_planned, s);
    world_after(s->w, left, drop_lost, s);
}

/* Up to two days, forwards or backwards. */
static void jump(struct stage *s)
{
    s->skew = (int64_t)world_below(s->w, UINT64_C(4) * 24 * 3600) * NS_PER_SEC - 48 * WORLD_HOUR;
    world_note(s->w, "the operator's clock is off by %lld s", (long long)(s->skew / NS_PER_SEC));
}

static void misfortune(struct stage *s)
{
    struct stage_faults *f = &s->options.faults;

    if (s->calm)
        return;
    if (f->takeovers && !s->lost && s->leads && world_chance(s->w, 3)) {
        f->takeovers--;
        take_over(s);
    }
    if (f->jumps && world_chance(s->w, 2)) {
        f->jumps--;
        jump(s);
    }
    if (f->throttled && world_chance(s->w, 2)) {
        f->throttled--;
        stage_fault(s, "{'faults':[{'kind':'throttle','method':'PUT','retryAfter':45,'count':2},"
                       "{'kind':'throttle','method':'DELETE','retryAfter':20,'count':1}]}");
    }
    if (f->crashes && world_chance(s->w, 3)) {
        f->crashes--;
        world_note(s->w, "the operator crashes");
        operator_free(s->operator);
        start(s);
    }
    if (f->leases && s->leads && world_chance(s->w, 2)) {
        f->leases--;
        world_note(s->w, "the lease is lost");
        s->leads = false;
        world_after(s->w, (int64_t)(1 + world_below(s->w, 60)) * NS_PER_SEC, get_lease, s);
    }
}

static int64_t run_operator(struct stage *s, struct operator* o)
{
    int64_t now = world_now(s->w), due;

    s->runs_lost = o == s->lost;
    clock_skew(s->skew);
    due = operator_step(o);
    clock_skew(0);
    s->runs_lost = false;
    world_expect(s->w, world_now(s->w) == now, "law 6: the operator waits");
    return due;
}

void stage_step_lost(struct stage *s)
{
    if (s->lost)
        (void)run_operator(s, s->lost);
}

void stage_step(struct stage *s)
{
    misfortune(s);
    int64_t due = run_operator(s, s->operator);
    if (due >= s->planned || due == INT64_MAX)
        return;
    s->planned = due;
    world_after(s->w, due > world_now(s->w) ? due - world_now(s->w) : 0, step_planned, s);
}

void stage_run(struct stage *s, int64_t time)
{
    world_run(s->w, world_now(s->w) + time);
}

void stage_take_over(struct stage *s)
{
    if (!s->lost && s->leads)
        take_over(s);
    stage_step(s);
}

void stage_calm(struct stage *s)
{
    s->calm = true;
    s->leads = true;
    s->skew = 0;
    stage_end_faults(s);
}

/* ---- Opening. -------------------------------------------------------------------------------- */

void stage_open(struct stage *s, struct world *w, const struct stage_options *options)
{
    struct sim_config config = sim_defaults();
    AUTO_ERR e = {0};

    *s = (struct stage){.w = w,
                        .options = *options,
                        .planned = INT64_MAX,
                        .leads = true,
                        .cache = map_new(w->arena),
                        .cached = map_new(w->arena),
                        .budget_due = INT64_MAX,
                        .bucket = options->paced,
                        .puts = map_new(w->arena),
                        .causes = map_new(w->arena),
                        .known = map_new(w->arena),
                        .polled = map_new(w->arena)};
    /* Azure's clock, which has its own start, is set to the world's. */
    s->sim_time = SIM_BEGIN;
    config.seed = w->seed;
    config.virtual_time = config.unlimited = true;
    config.keeps = options->keeps;
    world_expect(w, model_open(w->arena, STR_NONE, &s->model, &e) && sim_new(&config, &s->sim, &e),
                 "%.*s", STR_ARG(e.text));
    if (options->paced) {
        struct budget_limits limits = budget_published();
        limits.rates[BUDGET_WRITE] = stage_bucket(s);
        s->budget = budget_new(&limits);
    }
    world_open(w);
    stage_add_core(s, "Namespace", "namespaces", true);
    stage_add_core(s, "Secret", "secrets", false);
    stage_add_core(s, "ConfigMap", "configmaps", false);
    start(s);
    w->look = stage_look;
    w->look_ctx = s;
}

void stage_close(struct stage *s)
{
    drop_lost(s);
    operator_free(s->operator);
    s->w->look = NULL;
    for (size_t i = 0; i < s->kinds.len; i++)
        local_watch_close(s->kinds.items[i]->watch);
    while (s->pieces)
        stage_piece_free(s->pieces);
    if (s->budget)
        budget_free(s->budget);
    sim_free(s->sim);
    model_close(s->model);
}
