/* SPDX-License-Identifier: Apache-2.0 */
/* world.c - a small world in one thread; see world.h. */
#include "support/world.h"

/* 2027-01-15T08:00:00Z */
#define WORLD_BEGIN (INT64_C(1800000000) * NS_PER_SEC)
/* More steps than this at one moment mean an endless loop. */
#define SETTLE_MAX 100000

/* On a heap by time, then by the order in which they were added. */
struct world_event {
    int64_t due;
    uint64_t sequence;
    void (*fn)(void *ctx);
    void *ctx;
};

/* ---- Chance. ---- */

uint64_t world_below(struct world *w, uint64_t bound)
{
    uint64_t z = w->state += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (z ^ z >> 31) % bound;
}

bool world_chance(struct world *w, unsigned percent)
{
    return world_below(w, 100) < percent;
}

/* ---- The story. ---- */

void world_note(struct world *w, const char *format, ...)
{
    char *out = w->notes[w->noted++ % COUNT(w->notes)].text;
    size_t room = sizeof w->notes[0].text;
    va_list args;

    va_start(args, format);
    size_t n = str_print(out, room - 1, format, args);
    va_end(args);
    out[n < room ? n : room - 1] = 0;
}

void world_fail(struct world *w, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    size_t n = str_print(w->why, sizeof w->why - 1, format, args);
    va_end(args);
    w->why[n < sizeof w->why ? n : sizeof w->why - 1] = 0;
    longjmp(w->failed, 1);
}

void world_report(const struct world *w)
{
    uint64_t from = w->noted > COUNT(w->notes) ? w->noted - COUNT(w->notes) : 0;

    for (uint64_t i = from; i < w->noted; i++)
        printf("  %s\n", w->notes[i % COUNT(w->notes)].text);
    printf("  %s\n", w->why);
}

/* ---- The store. ---- */

void world_open(struct world *w)
{
    AUTO_ERR e = {0};

    if (!store_open(&w->config, &w->store, &e))
        world_fail(w, "the store cannot be opened: %.*s", STR_ARG(e.text));
    w->client = local_client(store_handler(w->store));
    w->lives++;
}

void world_close(struct world *w)
{
    if (!w->store)
        return;
    local_end(&w->client);
    store_close(w->store);
    w->store = NULL;
}

void world_crash(struct world *w)
{
    world_note(w, "the power fails");
    disk_lose_power(w->disk);
    world_close(w);
    disk_return_power(w->disk);
    world_open(w);
}

/* ---- Time. ---- */

int64_t world_now(const struct world *w)
{
    (void)w;
    return clock_mono();
}

static bool is_before(const struct world_event *x, const struct world_event *y)
{
    return x->due != y->due ? x->due < y->due : x->sequence < y->sequence;
}

static void swap(struct world_event *x, struct world_event *y)
{
    struct world_event kept = *x;

    *x = *y;
    *y = kept;
}

void world_after(struct world *w, int64_t delay, void (*fn)(void *ctx), void *ctx)
{
    struct world_event event = {
        .due = world_now(w) + delay, .sequence = w->sequence++, .fn = fn, .ctx = ctx};
    size_t at = w->events.len;

    VEC_PUSH(w->arena, &w->events, event);
    for (; at && is_before(&w->events.items[at], &w->events.items[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&w->events.items[at], &w->events.items[(at - 1) / 2]);
}

static struct world_event take_first(struct world *w)
{
    struct world_event *items = w->events.items, first = items[0];
    size_t len = --w->events.len, at = 0, child;

    items[0] = items[len];
    while ((child = 2 * at + 1) < len) {
        child += child + 1 < len && is_before(&items[child + 1], &items[child]);
        if (!is_before(&items[child], &items[at]))
            break;
        swap(&items[child], &items[at]);
        at = child;
    }
    return first;
}

static bool deliver(struct world *w)
{
    if (!w->events.len || w->events.items[0].due > world_now(w))
        return false;
    struct world_event event = take_first(w);
    event.fn(event.ctx);
    return true;
}

/* Does everything that is due now; returns when the next thing is. */
static int64_t settle(struct world *w)
{
    int64_t due;

    for (int i = 0; i < SETTLE_MAX; i++) {
        due = w->store ? store_step(w->store) : INT64_MAX;
        if (w->look)
            w->look(w->look_ctx);
        if (due > world_now(w) && !deliver(w))
            return w->events.len && w->events.items[0].due < due ? w->events.items[0].due : due;
    }
    world_fail(w, "there is always something to do at this moment");
}

void world_settle(struct world *w)
{
    (void)settle(w);
}

void world_run(struct world *w, int64_t until)
{
    for (int64_t due = settle(w); due <= until; due = settle(w))
        clock_fake(due);
    clock_fake(until);
    world_settle(w);
}

/* ---- Running. ---- */

/* Random numbers that a process draws once are drawn before the first seed, so that a run does not
 * depend on its position. */
static void draw_once(void)
{
    random_fake(0);
    (void)str_hash(STR("world"));
}

static void begin(struct world *w, uint64_t seed)
{
    draw_once();
    *w = (struct world){.seed = seed, .state = seed, .arena = arena_new(), .disk = disk_new()};
    clock_fake(WORLD_BEGIN);
    random_fake(seed);
    w->config = store_defaults();
    w->config.driven = true;
    w->config.path = STR("store");
    w->config.vfs = disk_vfs(w->disk);
}

static void end(struct world *w)
{
    world_close(w);
    disk_free(w->disk);
    arena_free(w->arena);
    clock_real();
    random_real();
}

void world_again(struct world *w)
{
    jmp_buf failed;

    memcpy(failed, w->failed, sizeof failed);
    end(w);
    begin(w, w->seed);
    memcpy(w->failed, failed, sizeof failed);
}

bool world_try(struct world *w, const struct world_scenario *scenario, uint64_t seed)
{
    begin(w, seed);
    /* A failed run is not cleaned up: its memory may be in any state. */
    if (setjmp(w->failed))
        return false;
    scenario->run(w);
    w->simulated = world_now(w) - WORLD_BEGIN;
    end(w);
    return true;
}
