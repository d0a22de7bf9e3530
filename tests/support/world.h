/* SPDX-License-Identifier: Apache-2.0 */
/*
 * world.h - a small world in one thread: time, chance, a disk and a store, all from one seed.
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
 * Nobody sleeps: time stands still until world_run moves it to the next thing that is due, in the
 * store or on the heap of events. All chance comes from the seed, so a failure is repeated by its
 * number, byte for byte. Everything that a scenario does is noted, and the last notes are printed
 * when it fails. tests/world has the scenarios and the program that runs them.
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
    /* When all scenarios are run, seeds beyond this one add nothing; 0: all of them do. */
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
    int64_t simulated;          /* how long the run was, after it */
    /* Called whenever something may have happened while time passed: watchers look. May be NULL. */
    void (*look)(void *ctx);
    void *look_ctx;
    /* The rest is the world's own. */
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

/* Runs one scenario with one seed. False: it failed, and w->why and the notes say how. */
bool world_try(struct world *w, const struct world_scenario *scenario, uint64_t seed);
/* Ends the world and begins it anew with the same seed; nothing of the old one may be used. */
void world_again(struct world *w);
/* Prints the last notes and the failure. */
void world_report(const struct world *w);

/* ---- Chance. ---- */

/* From 0 to below bound. */
uint64_t world_below(struct world *w, uint64_t bound);
/* True in so many of a hundred cases. */
bool world_chance(struct world *w, unsigned percent);

/* ---- The store. ---- */

void world_open(struct world *w);
/* As a program that ends well. */
void world_close(struct world *w);
/* The power fails; the store is opened again from what the disk has. Streams must be closed. */
void world_crash(struct world *w);

/* ---- Time. ---- */

int64_t world_now(const struct world *w);
/* Calls fn after so many nanoseconds of the world. */
void world_after(struct world *w, int64_t delay, void (*fn)(void *ctx), void *ctx);
/* Lets everything happen that is due until then, in order, and moves time there. */
void world_run(struct world *w, int64_t until);
/* Lets everything happen that is due now. */
void world_settle(struct world *w);

/* ---- The story. ---- */

void world_note(struct world *w, const char *format, ...) FORMAT(2, 3);
/* Ends the run. */
NORETURN void world_fail(struct world *w, const char *format, ...) FORMAT(2, 3);
#define world_expect(w, condition, ...)                                                            \
    do {                                                                                           \
        if (!(condition))                                                                          \
            world_fail((w), __VA_ARGS__);                                                          \
    } while (0)
