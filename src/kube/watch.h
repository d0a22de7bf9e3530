/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.h - all objects of a resource, followed by every change to them, until stopped.
 *
 *     struct kube_watches *hub = kube_watches_new(transport);
 *     struct kube_watch *w = kube_watch_start(hub, &config);
 *     ...
 *     kube_watch_stop(w);
 *     kube_watches_free(hub);
 *
 * A hub runs any number of watches over few connections, with two threads in total. A watch lists
 * in pages, or requests the list as events if the server supports it (sendInitialEvents), and
 * continues from there: if a connection ends, it resumes at the last resource version it saw
 * (bookmarks keep that fresh); if the server no longer has that version (410) or keeps failing on
 * it, it lists again; if the server is unreachable, it retries with back-off. If initial events are
 * rejected, or start and never end, it lists. So a handler sees
 *
 *     begin, event(ADDED) ..., synced, event ..., begin, event(ADDED) ..., synced, ...
 *
 * where "begin" may come at any time: whatever has not reappeared by the next "synced" is gone.
 * Between begin and synced an object may appear more than once, but in a list as the same text: two
 * that differ are an error.
 *
 * A resource that can be listed but not watched (according to its verbs, or because the server
 * returns 405) is listed periodically instead.
 *
 * Calls to a handler are serialized, on a thread of the hub. A handler must not block, and must not
 * start or stop watches. The functions may be called from any other thread.
 */
#pragma once

#include "kube/client.h"

struct kube_watches;
struct kube_watch;

enum kube_event { KUBE_ADDED, KUBE_MODIFIED, KUBE_DELETED };

struct kube_watch_handler {
    void (*begin)(void *ctx); /* each of these may be NULL */
    /* object lives in a, which is emptied after the call. */
    void (*event)(void *ctx, struct arena *a, enum kube_event type, struct value *object);
    void (*synced)(void *ctx);
    /* Something failed and will be tried again after wait nanoseconds. */
    void (*failed)(void *ctx, const struct err *e, int64_t wait);
    /* The server has answered a request successfully: earlier failures are over. */
    void (*answered)(void *ctx);
    void *ctx;
};

struct kube_watch_config {
    struct kube_call call; /* only resource, namespace (empty: all) and metadata_only are used */
    str labels, fields;    /* selectors */
    size_t page;           /* for lists; 0: KUBE_PAGE */
    bool lists_only;       /* initial events are not requested */
    /* The first and the longest pause after failures; 0: 0.8 s and 30 s, as in client-go. */
    int64_t pause, pause_max;
    /* How often to list what cannot be watched, plus up to a quarter of that. */
    int64_t poll; /* 0: 30 s */
    /*
     * How long the server is asked to keep a watch, rounded up to seconds, and how much longer we
     * wait for its end before we consider the server gone; 0: 5 to 10 minutes, and one more. (A
     * dead machine is noticed sooner: see net/http/http_internal.h.)
     */
    int64_t length, grace;
    struct kube_watch_handler handler;
};

struct kube_watch_stats {
    uint64_t lists, watches; /* started */
    uint64_t events, bookmarks, failures;
};

/* transport must outlive the hub. */
struct kube_watches *kube_watches_new(struct kube_transport *transport);
/*
 * Driven mode (base/clock.h), without threads: does everything there is to do now, including
 * handlers. Returns when there will be more to do just because time has passed, by clock_mono.
 */
int64_t kube_watches_step(struct kube_watches *hub);
/* All watches must have been stopped. */
void kube_watches_free(struct kube_watches *hub);

/* The configuration is copied, including its texts; the resource must outlive the watch. */
struct kube_watch *kube_watch_start(struct kube_watches *hub,
                                    const struct kube_watch_config *config);
/* Waits until no handler is running any more, and frees w. */
void kube_watch_stop(struct kube_watch *w);
void kube_watch_stats(struct kube_watch *w, struct kube_watch_stats *out);

/*
 * ---- One event, for this folder and for fuzzing. ----
 *
 * Reads a line of a watch. An ERROR event is a failure with the kind of its Status. initial_end: it
 * is the bookmark that ends the initial events.
 */
struct kube_change {
    bool bookmark, initial_end;
    enum kube_event type;
    struct value *object;
    str resource_version;
};
MUST_CHECK bool kube_change_read(struct arena *a, const struct kube_call *c, str line,
                                 struct kube_change *out, struct err *e);
