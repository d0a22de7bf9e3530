/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - what the files of a watched comparison share. For this folder only.
 *
 *     source.c   the types, their caches, and what has come in (threads of the hub)
 *     compare.c  what has come in through the comparison (threads of the pool)
 *     state.c    the verdict, and what changes in it
 *     watch.c          when
 */
#pragma once

#include "compare/input/live_internal.h"
#include "compare/run_internal.h"
#include "compare/watch/watch.h"
#include "kube/cache.h"

/* ---- What comes in: source.c. ---- */

/*
 * An object that was added, changed or removed. key is the number of its type, its namespace and
 * its name, so that the order of keys is that in which a cluster is listed.
 */
struct pending {
    struct table_node node;
    size_t type;
    bool gone;
    size_t key_len, body_len;
    char data[]; /* the key; the packed object unless it is gone or kept by the cache */
};

struct watch_source;

struct watch_source_config {
    struct live *live;
    bool whole;   /* the caches keep the objects; else only what comes in has them */
    int64_t poll; /* as in watch.h */
};

struct watch_source *watch_source_start(const struct watch_source_config *config);
void watch_source_stop(struct watch_source *s); /* s may be NULL */

/* Begins to watch types that live has got since. */
void watch_source_grow(struct watch_source *s);

/* Readable when there may be something new. watch_source_look empties it. */
int watch_source_fd(const struct watch_source *s);

struct watch_look {
    bool waiting;  /* something has come in */
    bool hurry;    /* and it is much: it should be taken at once */
    int64_t since; /* the time of the first of it, by clock_mono */
    bool settled;  /* every type has been read, or will not be */
    size_t objects, failing;
    uint64_t events, errors;
};
void watch_source_look(struct watch_source *s, struct watch_look *out);

/* All that has come in, ordered by key; each is the caller's, to be freed by block_free. */
struct pending **watch_source_take(struct watch_source *s, struct arena *a, size_t *count);
/* The object of a pending one, as comparisons know it. */
struct value *watch_source_object(const struct watch_source *s, struct arena *a,
                                  const struct pending *p);

/* All objects of a type, with whole; in the order of keys. */
struct watch_object {
    str key;
    struct value *root;
};
struct watch_object *watch_source_all(struct watch_source *s, struct arena *a, size_t type,
                                      size_t *count);
/* The id of the object with this key. */
str watch_source_id(const struct watch_source *s, struct arena *a, size_t type, str key);

/*
 * Types that have not been answered for a while, or are again: one line each for the log, empty
 * when there is nothing new.
 */
void watch_source_trouble(struct watch_source *s, struct arena *a, str *lost, str *found);

/* ---- The verdict: state.c. ---- */

struct watch_entry;

struct watch_issue {
    str key; /* part, component, message, path */
    str part, component, message, path, description;
    bool missing; /* no object matches the template */
};
struct watch_issues {
    struct watch_issue *items;
    size_t len, cap;
    size_t missing, components;
    struct map *keys; /* of the issues; and of what is missing, without the message */
};

struct watch_state {
    const struct compare *compare;
    struct owners *owners;
    struct table *entries; /* key to struct watch_entry: objects that count */
    struct watch_template *templates;
    size_t matched, drifting, failed;
    uint64_t compared, reported[WATCH_KINDS];
    struct arena *issue_arena; /* of issues */
    struct watch_issues issues;
    /* What was reported since the last reset; before the start, problems by key. */
    struct arena *arena;
    struct watch_changes changes;
    struct map *early; /* key to struct watch_change; NULL: it has started */
};

/* Lives as long as a and c. */
void watch_state_open(struct watch_state *s, struct arena *a, const struct compare *c);
void watch_state_close(struct watch_state *s);
/* Forgets the changes that were reported. */
void watch_state_reset(struct watch_state *s);

/* An object that was compared; out->refers is set. True when it is wrong in a new way. */
bool watch_state_apply(struct watch_state *s, str key, const struct outcome *out);
/* An object that is gone; id is its own. */
void watch_state_remove(struct watch_state *s, str key, str id);
/* What components are at fault for now; once after any of the above. */
void watch_state_issues(struct watch_state *s);
/* Tells the start, and all that is wrong now. */
void watch_state_start(struct watch_state *s);

/* ---- Comparing: compare.c. ---- */

struct compare_watch {
    const struct compare *compare;
    struct run run;
    const struct watch_options *options;
    struct live *live;
    struct watch_source *source;
    struct watch_state state;
    struct pool *pool;
    bool whole;     /* templates look objects up */
    int64_t opened; /* by clock_mono, as what follows */
    int64_t rested; /* until when nothing is compared; see REST_FACTOR */
    int64_t asked;  /* what the server serves */
    int64_t synced; /* by clock_now */
};

/* Compares what has come in. */
MUST_CHECK bool watch_compare(struct compare_watch *w, struct err *e);
