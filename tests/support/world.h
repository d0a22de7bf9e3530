/* SPDX-License-Identifier: Apache-2.0 */
/*
 * world.h - a small world in one thread: time, randomness, a disk and a store, all from one seed.
 *
 *     static void two_clients(struct world *w)
 *     {
 *         world_open(w);
 *         world_after(w, 2 * WORLD_HOUR, crash_it, w);
 *         world_expect(w, local_ask(&w->client, "POST", path, body) == 201, "refused");
 *         world_run(w, world_now(w) + 24 * WORLD_HOUR);
 *         ...
 *     }
 *     const struct world_scenario scenario = {"two-clients", two_clients};
 *
 * Nobody sleeps: time stands still until world_run advances it to the next thing that is due, in
 * the store or on the heap of events. All randomness comes from the seed, so a failure can be
 * reproduced exactly with its seed. Everything that a scenario does is noted, and the last notes
 * are printed if it fails. tests/world has the scenarios and the program that runs them.
 */
#pragma once

#include "store/store.h"
#include "support/disk.h"
#include "support/local.h"

#include <setjmp.h>

#define WORLD_MINUTE (60 * NS_PER_SEC)
#define WORLD_HOUR (60 * WORLD_MINUTE)

struct world;

struct world_scenario {
    const char *name;
    void (*run)(struct world *w);
    /*
     * When all scenarios are run, seeds beyond this one are skipped, as they add nothing; 0: none
     * are.
     */
    unsigned most;
};

struct world_event;

struct world {
    uint64_t seed, state;
    struct arena *arena; /* of the whole run */
    struct disk *disk;
    struct store_config config; /* of the store; change it before world_open */
    struct store *store;        /* NULL while it is down */
    struct local client;        /* a client of the store */
    unsigned lives;             /* how often the store was opened */
    int64_t simulated;          /* the duration of the run, once it is over */
    /* Called whenever something may have happened while time passed, for watchers. May be NULL. */
    void (*look)(void *ctx);
    void *look_ctx;
    /* The rest is private. */
    VEC(struct world_event) events;
    uint64_t sequence;
    struct {
        char text[200];
    } notes[32];
    uint64_t noted;
    jmp_buf failed;
    char why[1000];
};

/* ---- Running, for the program. ---- */

/* Runs one scenario with one seed. False: it failed; w->why and the notes say why. */
bool world_try(struct world *w, const struct world_scenario *scenario, uint64_t seed);
/* Restarts the world with the same seed; nothing of the old one may be used any more. */
void world_again(struct world *w);
/* Prints the last notes and the failure. */
void world_report(const struct world *w);

/* ---- Randomness. ---- */

/* A number from 0 to bound - 1. */
uint64_t world_below(struct world *w, uint64_t bound);
/* True in this percentage of cases. */
bool world_chance(struct world *w, unsigned percent);

/* ---- The store. ---- */

void world_open(struct world *w);
/* Closes the store properly. */
void world_close(struct world *w);
/* Cuts the power and opens the store again from what is on the disk. Streams must be closed. */
void world_crash(struct world *w);

/* ---- Time. ---- */

int64_t world_now(const struct world *w);
/* Calls fn after this many nanoseconds of the world. */
void world_after(struct world *w, int64_t delay, void (*fn)(void *ctx), void *ctx);
/* Advances time, doing everything that is due until then, in order. */
void world_run(struct world *w, int64_t until);
/* Does everything that is due now. */
void world_settle(struct world *w);

/* ---- The story. ---- */

void world_note(struct world *w, const char *format, ...) FORMAT(2, 3);
/* Ends the run as failed. */
NORETURN void world_fail(struct world *w, const char *format, ...) FORMAT(2, 3);
#define world_expect(w, condition, ...)                                                            \
    do {                                                                                           \
        if (!(condition))                                                                          \
            world_fail((w), __VA_ARGS__);                                                          \
    } while (0)
