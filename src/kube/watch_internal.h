/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_internal.h - shared by the two halves of a watch. For this folder only.
 *
 * watch_hub.c decides when a request starts and owns the lock; watch.c knows what to request and
 * what a response means. A watch belongs to the thread of the hub while it is due and to the thread
 * of the streams while its request runs, so only the members above the line need the lock.
 */
#pragma once

#include "kube/items_internal.h"
#include "kube/watch.h"

enum watch_phase {
    PHASE_INITIAL, /* a watch that begins with all objects */
    PHASE_LIST,
    PHASE_WATCH,
};

struct kube_watch {
    struct kube_watches *hub;
    struct kube_watch *next;
    bool running, stop;
    int64_t due; /* by clock_mono, when not running */
    struct http_streams *streams;
    uint64_t id; /* of the running stream */
    struct kube_watch_stats stats;

    /* ---- */
    struct arena *arena; /* for the watch */
    struct kube_watch_config config;
    enum watch_phase phase;
    bool no_initial; /* the server does not offer initial events */
    bool polled;     /* it cannot be watched, only listed */
    bool unpaged;    /* an expired list is requested again in one piece */
    bool expired;    /* the version has expired since the watch last received something */
    bool begun;      /* begin has been called, but not yet synced */
    struct buf version, continue_token, list_version;
    unsigned failures; /* in a row */
    unsigned stuck;    /* how many of them were error responses, to the same request */
    unsigned brief;    /* how many watches in a row were short and had events */
    int64_t started;
    bool moved; /* this request has received something */
    struct kube_advance advance;
    struct arena *seen_in; /* for seen */
    struct map *seen;      /* "namespace/name" to the hash of the object, since the list began */

    struct arena *request, *item; /* for one request, for one object */
    struct http_request prepared;
    struct kube_items items;
    struct http_lines lines;
};

/* watch.c: the next request, allocated in w->request. */
void watch_request(struct kube_watch *w, struct http_request *out);

/*
 * Decides the next phase after a response or failure, and returns the pause before it. failure is
 * NULL when the response is complete.
 */
int64_t watch_outcome(struct kube_watch *w, const struct http_response *response,
                      const struct err *failure);
/* The same for a request that could not even be made. */
int64_t watch_failed(struct kube_watch *w, const struct err *e, int64_t asked);

/* watch_hub.c: counts something, under the lock. */
enum watch_count { COUNT_LIST, COUNT_WATCH, COUNT_EVENT, COUNT_BOOKMARK, COUNT_FAILURE };
void watch_count(struct kube_watch *w, enum watch_count what);
