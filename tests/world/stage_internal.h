/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stage_internal.h - what the files of the stage share: stage.c (the operator and its faults),
 * stage_ports.c (requests), stage_cluster.c (objects, definitions, caches).
 */
#pragma once

#include "world/stage.h"

struct stage_kind {
    struct stage *s;
    str group, version, kind, plural; /* version: the storage version */
    str applied;                      /* the one in which the last object was created */
    bool global;                      /* cluster-scoped */
    bool metadata_only;
    struct local_watch *watch;
    int64_t told; /* when its last event arrives: events stay in order */
};

/*
 * Things that live for a while, such as a request under way or an object in the cache, have their
 * own arena. Otherwise a day with thousands of objects would not fit into memory.
 */
struct stage_piece {
    struct stage_piece *next, **at;
    struct arena *arena;
};

void *stage_piece_new(struct stage *s, size_t size);
void stage_piece_free(struct stage_piece *p);

/* A random latency of an answer or event; and whether something with this probability happens. */
int64_t stage_latency(struct stage *s);
bool stage_happens(struct stage *s, unsigned percent);

/* ---- stage.c ---- */

void stage_step(struct stage *s);
void stage_step_lost(struct stage *s);
void stage_restart_after_crash(void *ctx);

/* ---- stage_ports.c ---- */

void stage_ask(void *ctx, uint64_t ticket, const struct effect *effect);
const struct value *stage_find(void *ctx, struct arena *a, const struct object_key *key);
bool stage_leads(void *ctx);
void stage_event(void *ctx, const struct report *report);
void stage_tally(void *ctx, const struct tally *t);
/* The writes that Azure accepts in a paced stage. */
struct budget_rate stage_bucket(const struct stage *s);

/* ---- stage_cluster.c ---- */

/* Takes events from watches into the cache. */
void stage_look(void *ctx);
/* Watches a built-in kind. */
void stage_add_core(struct stage *s, const char *kind, const char *plural, bool global);
