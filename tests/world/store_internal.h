/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_internal.h - what the files of the random clients share: store.c (the run, crashes, power
 * failures), store_places.c (names, and what clients know about objects), store_audit.c,
 * store_writes.c, store_reads.c (lists, pages, watchers).
 */
#pragma once

#include "world/model.h"

#define WATCHERS 3
#define NAMES 5
#define PAST 8

/* What a watcher or a list knows about an object. */
struct known {
    char key[64];
    uint64_t version;
};
struct replica {
    struct known items[64];
    size_t len;
};

struct watcher {
    const struct kind *kind;
    const char *selector; /* a value of the label l, or NULL */
    struct local_watch *stream;
    bool listed;
    uint64_t version; /* the last one that was seen */
    struct replica replica;
};

struct pager {
    const struct kind *kind;
    bool under_way;
    char token[200];
    uint64_t version;
    struct replica expected, got;
};

/* An owner that is gone, for references by clients that do not know yet. */
struct past {
    char text[200];
};

struct clients {
    struct world *w;
    struct model m;
    struct local_watch *audit[8];
    struct watcher watchers[WATCHERS];
    struct pager pager;
    struct past past[PAST];
    size_t past_count;
    VEC(int64_t) times; /* when version first + i was written */
    uint64_t first;     /* the first version of this life of the store */
    bool unsure;        /* the power failed during a write, which may or may not be stored */
};

/* The answer to a call, which must also appear among the events: an object, or that it is gone. */
struct answered {
    const struct kind *kind;
    str key;
    const struct value *object; /* NULL: gone */
};

/* ---- store_places.c ---- */

str clients_collection(struct clients *c, struct arena *a, const struct kind *kind, str namespace);
/* The path of the object with this key. */
str clients_place(struct clients *c, struct arena *a, const struct kind *kind, str key);
const struct kind *clients_any_kind(struct clients *c);
str clients_any_key(struct clients *c, struct arena *a, const struct kind *kind);
struct thing *clients_any_thing(struct clients *c);

struct known *replica_find(struct replica *r, str key);
void replica_learn(struct replica *r, str key, uint64_t version);
void replica_forget(struct replica *r, struct known *k);
bool replica_is_selected(const struct value *object, const char *selector);
struct replica replica_of_model(struct clients *c, const struct kind *kind, const char *selector);
void replica_expect(struct clients *c, struct replica *want, struct replica *got, const char *who);
struct replica replica_of_items(struct clients *c, const struct kind *kind, struct arena *a);

/* ---- store_audit.c ---- */

void audit_open(struct clients *c);
void audit_close(struct clients *c);
/* by is NULL after a step of the collector; otherwise there may be at most one change. */
void audit_changes(struct clients *c, const struct answered *by);
/* Checks that a list of every type is what the model has. */
void audit_lists(struct clients *c);

/* ---- store_writes.c ---- */

bool clients_failed(struct clients *c);
int clients_ask(struct clients *c, const char *method, str target, str body);
void clients_create(struct clients *c);
void clients_update(struct clients *c);
void clients_patch(struct clients *c);
void clients_toggle_hold(struct clients *c);
void clients_write_status(struct clients *c);
void clients_delete(struct clients *c);

/* ---- store_reads.c ---- */

void clients_get(struct clients *c);
void clients_next_page(struct clients *c);
bool clients_may_forget(struct clients *c, uint64_t version);
void watcher_close(struct watcher *v);
void watchers_step(struct clients *c);
void watchers_check(struct clients *c);
