/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - what the files of a watched comparison share. For this folder only.
 *
 *     source.c   the types, their caches, and what has arrived (threads of the hub)
 *     compare.c  compares what has arrived (threads of the pool)
 *     state.c    the verdict and its changes
 *     watch.c    the schedule
 */
#pragma once

#include "compare/input/live_internal.h"
#include "compare/run_internal.h"
#include "compare/watch/watch.h"
#include "kube/cache.h"

/* ---- What arrives: source.c. ---- */

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
    bool whole;   /* the caches keep the objects; else only arrivals have them */
    int64_t poll; /* as in watch.h */
};

struct watch_source *watch_source_start(const struct watch_source_config *config);
void watch_source_stop(struct watch_source *s); /* s may be NULL */

/* Starts watching types that were added to live since. */
void watch_source_grow(struct watch_source *s);

/* Readable when there may be something new. watch_source_look empties it. */
int watch_source_fd(const struct watch_source *s);

struct watch_look {
    bool waiting;  /* something has arrived */
    bool hurry;    /* and it is so much that it should be taken at once */
    int64_t since; /* when the first of it arrived, by clock_mono */
    bool settled;  /* every type has been read, or cannot be */
    size_t objects, failing;
    uint64_t events, errors;
};
void watch_source_look(struct watch_source *s, struct watch_look *out);

/* Takes everything that has arrived, ordered by key; the caller frees each with block_free. */
struct pending **watch_source_take(struct watch_source *s, struct arena *a, size_t *count);
/* The object of a pending item, in the form for comparisons. */
struct value *watch_source_object(const struct watch_source *s, struct arena *a,
                                  const struct pending *p);

/* All objects of a type, if whole is set; in the order of keys. */
struct watch_object {
    str key;
    struct value *root;
};
struct watch_object *watch_source_all(struct watch_source *s, struct arena *a, size_t type,
                                      size_t *count);
/* The id of the object with this key. */
str watch_source_id(const struct watch_source *s, struct arena *a, size_t type, str key);

/*
 * Log lines for types that have been failing for a while, and for types that work again; empty if
 * there is nothing new.
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
    struct map *keys; /* of the issues; and those of what is missing, without the message */
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
    /* Changes reported since the last reset; before the start, problems by key. */
    struct arena *arena;
    struct watch_changes changes;
    struct map *early; /* key to struct watch_change; NULL: it has started */
};

/* Lives as long as a and c. */
void watch_state_open(struct watch_state *s, struct arena *a, const struct compare *c);
void watch_state_close(struct watch_state *s);
/* Forgets the changes that were reported. */
void watch_state_reset(struct watch_state *s);

/* Adds an object that was compared; out->refers is set. True if it is wrong in a new way. */
bool watch_state_apply(struct watch_state *s, str key, const struct outcome *out);
/* Removes an object; id is its own. */
void watch_state_remove(struct watch_state *s, str key, str id);
/* Updates the issues of components; call it once after any of the above. */
void watch_state_issues(struct watch_state *s);
/* Reports the start, and everything that is wrong at this point. */
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
    int64_t opened; /* by clock_mono, like the following */
    int64_t rested; /* until when nothing is compared; see REST_FACTOR */
    int64_t asked;  /* when discovery was last run */
    int64_t synced; /* by clock_now */
};

/* Compares what has arrived. */
MUST_CHECK bool watch_compare(struct compare_watch *w, struct err *e);
