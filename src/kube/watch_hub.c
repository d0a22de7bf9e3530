/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_hub.c - starts the requests of watches when they are due.
 *
 * A separate thread waits for the next watch that is due, gets its credentials, which may take a
 * while (plugins), and passes it to the streams, whose thread does the rest. In driven mode
 * kube_watches_step does the work of both threads.
 */
#include "kube/streams_internal.h"
#include "kube/watch_internal.h"
#include "net/http/streams.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>

struct kube_watches {
    struct lock lock;
    pthread_cond_t changed;
    pthread_t thread;
    struct kube_transport *transport;
    struct kube_watch *all;
    bool closing;
    bool driven;                  /* without threads */
    struct kube_streams *streams; /* used only by the thread */
};

#define PAUSE_FIRST (800 * NS_PER_MS)
#define PAUSE_MAX (30 * NS_PER_SEC)
#define WATCH_GRACE (60 * NS_PER_SEC)
#define POLL (30 * NS_PER_SEC)
/* Servers without support for initial events may send none, or no end of them. */
#define INITIAL_SILENCE (30 * NS_PER_SEC)

void watch_count(struct kube_watch *w, enum watch_count what)
{
    AUTO_LOCK guard = lock_take(&w->hub->lock);
    uint64_t *const counts[] = {
        [COUNT_LIST] = &w->stats.lists,       [COUNT_WATCH] = &w->stats.watches,
        [COUNT_EVENT] = &w->stats.events,     [COUNT_BOOKMARK] = &w->stats.bookmarks,
        [COUNT_FAILURE] = &w->stats.failures,
    };

    ++*counts[what];
}

void kube_watch_stats(struct kube_watch *w, struct kube_watch_stats *out)
{
    AUTO_LOCK guard = lock_take(&w->hub->lock);

    *out = w->stats;
}

/* ---- The thread ----------------------------------------------------------------------------- */

static void run_again(struct kube_watch *w, int64_t pause)
{
    AUTO_LOCK guard = lock_take(&w->hub->lock);

    w->running = false;
    w->id = 0;
    w->due = clock_mono() + pause;
    pthread_cond_broadcast(&w->hub->changed);
}

static void on_end(void *ctx, const struct http_response *response, const struct err *failure)
{
    struct kube_watch *w = ctx;
    bool stopping;

    {
        AUTO_LOCK guard = lock_take(&w->hub->lock);
        stopping = w->stop;
    }
    if (response->status == 401)
        kube_refused(w->hub->transport, &w->prepared);
    run_again(w, stopping ? 0 : watch_outcome(w, response, failure));
}

static void on_head(void *ctx, const struct http_response *response)
{
    struct kube_watch *w = ctx;
    const struct kube_watch_handler *h = &w->config.handler;

    kube_warned(w->hub->transport, response);
    if (response->status / 100 == 2 && h->answered)
        h->answered(h->ctx);
}

/* Initial events must come without pauses. After that, a watch may be silent for any time. */
static int64_t patience(void *ctx)
{
    const struct kube_watch *w = ctx;

    return w->phase == PHASE_INITIAL ? INITIAL_SILENCE : 0;
}

/* Streams only queue the request here, so the lock may be held. */
static void start(struct kube_watch *w, struct http_streams *streams)
{
    AUTO_LOCK guard = lock_take(&w->hub->lock);
    const struct http_stream stream = {
        .request = w->prepared,
        .patience = w->phase == PHASE_LIST ? NULL : patience,
        .on_head = on_head,
        .on_end = on_end,
    };

    w->streams = streams;
    w->id = http_streams_start(streams, &stream);
    if (w->stop)
        http_streams_stop(streams, w->id);
}

static void run_one(struct kube_watches *hub, struct kube_watch *w)
{
    AUTO_ERR e = {0};
    struct http_request request;
    struct http_client *client;

    watch_request(w, &request);
    if (!kube_prepare(hub->transport, w->request, &request, &w->prepared, &client, &e))
        run_again(w, watch_failed(w, &e, 0));
    else
        start(w, kube_streams_for(&hub->streams, client, 0));
    kube_streams_trim(&hub->streams);
}

static void wait_until(struct kube_watches *hub, int64_t due)
{
    if (due == INT64_MAX)
        pthread_cond_wait(&hub->changed, &hub->lock.mutex);
    else
        clock_wait(&hub->changed, &hub->lock.mutex, due);
}

/*
 * A watch that is due, marked as running, or NULL; *due is when the next one is due. Call with the
 * lock held.
 */
static struct kube_watch *take_due(struct kube_watches *hub, int64_t *due)
{
    struct kube_watch *first = NULL;

    for (struct kube_watch *w = hub->all; w; w = w->next)
        if (!w->running && !w->stop && (!first || w->due < first->due))
            first = w;
    *due = first ? first->due : INT64_MAX;
    if (!first || *due > clock_mono())
        return NULL;
    first->running = true;
    return first;
}

/* Waits for the next one that is due; NULL when the hub closes. */
static struct kube_watch *next_due(struct kube_watches *hub)
{
    AUTO_LOCK guard = lock_take(&hub->lock);
    struct kube_watch *w;
    int64_t due;

    while (!hub->closing) {
        if ((w = take_due(hub, &due)))
            return w;
        wait_until(hub, due);
    }
    return NULL;
}

static struct kube_watch *next_due_now(struct kube_watches *hub, int64_t *due)
{
    AUTO_LOCK guard = lock_take(&hub->lock);

    return take_due(hub, due);
}

int64_t kube_watches_step(struct kube_watches *hub)
{
    struct kube_watch *w;
    int64_t due, streams_due;

    assert(hub->driven);
    do {
        while ((w = next_due_now(hub, &due)))
            run_one(hub, w);
        streams_due = kube_streams_step(hub->streams);
        /* A request that ended may have made a watch due at once. */
        if ((w = next_due_now(hub, &due)))
            run_one(hub, w);
    } while (w);
    return streams_due < due ? streams_due : due;
}

static void *run(void *ctx)
{
    struct kube_watches *hub = ctx;
    struct kube_watch *w;

    while ((w = next_due(hub)))
        run_one(hub, w);
    kube_streams_free(hub->streams);
    return NULL;
}

/* ---- Life ----------------------------------------------------------------------------------- */

/* Blocks signals here, so that they go to threads that expect them. */
static void start_thread(struct kube_watches *hub)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(&hub->thread, NULL, run, hub);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    assert(!failure);
    (void)failure;
}

struct kube_watches *kube_watches_new(struct kube_transport *transport)
{
    struct kube_watches *hub = block_new(sizeof(*hub));

    *hub = (struct kube_watches){.transport = transport, .lock = LOCK_INIT};
    clock_cond_init(&hub->changed);
    hub->driven = clock_is_driven();
    if (!hub->driven)
        start_thread(hub);
    return hub;
}

static void close_hub(struct kube_watches *hub)
{
    AUTO_LOCK guard = lock_take(&hub->lock);

    assert(!hub->all);
    hub->closing = true;
    pthread_cond_broadcast(&hub->changed);
}

void kube_watches_free(struct kube_watches *hub)
{
    if (!hub)
        return;
    close_hub(hub);
    if (hub->driven)
        kube_streams_free(hub->streams);
    else
        pthread_join(hub->thread, NULL);
    pthread_cond_destroy(&hub->changed);
    block_free(hub);
}

/* The longest resource version or continue token. */
#define TOKEN_MAX (64 * KIB)

static struct kube_watch *new_watch(const struct kube_watch_config *config)
{
    struct arena *a = arena_new();
    struct kube_watch *w = ARENA_NEW(a, struct kube_watch);

    w->arena = a;
    w->config = *config;
    w->config.call.namespace = str_copy(a, config->call.namespace);
    w->config.labels = str_copy(a, config->labels);
    w->config.fields = str_copy(a, config->fields);
    if (!config->pause)
        w->config.pause = PAUSE_FIRST;
    if (!config->pause_max)
        w->config.pause_max = PAUSE_MAX;
    if (!config->grace)
        w->config.grace = WATCH_GRACE;
    if (!config->poll)
        w->config.poll = POLL;
    w->version = buf_new(a, TOKEN_MAX);
    w->list_version = buf_new(a, TOKEN_MAX);
    w->continue_token = buf_new(a, TOKEN_MAX);
    w->advance = kube_advance_new(a);
    w->request = arena_new();
    w->item = arena_new();
    w->seen_in = arena_new();
    w->seen = map_new(w->seen_in);
    /* Known from discovery; resources made by hand have no verbs. */
    w->polled = kube_verb_has(config->call.resource, "list") &&
                !kube_verb_has(config->call.resource, "watch");
    w->no_initial = config->lists_only || w->polled;
    w->phase = w->no_initial ? PHASE_LIST : PHASE_INITIAL;
    return w;
}

struct kube_watch *kube_watch_start(struct kube_watches *hub,
                                    const struct kube_watch_config *config)
{
    struct kube_watch *w = new_watch(config);
    AUTO_LOCK guard = lock_take(&hub->lock);

    w->hub = hub;
    w->next = hub->all;
    hub->all = w;
    w->due = clock_mono();
    pthread_cond_broadcast(&hub->changed);
    return w;
}

static void ask_to_stop(struct kube_watch *w)
{
    AUTO_LOCK guard = lock_take(&w->hub->lock);

    w->stop = true;
    if (w->id)
        http_streams_stop(w->streams, w->id);
}

static void unlink_stopped(struct kube_watch *w)
{
    struct kube_watches *hub = w->hub;
    AUTO_LOCK guard = lock_take(&hub->lock);
    struct kube_watch **at = &hub->all;

    while (w->running)
        pthread_cond_wait(&hub->changed, &hub->lock.mutex);
    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
}

void kube_watch_stop(struct kube_watch *w)
{
    if (!w)
        return;
    ask_to_stop(w);
    if (w->hub->driven)
        (void)kube_streams_step(w->hub->streams);
    unlink_stopped(w);
    arena_free(w->request);
    arena_free(w->item);
    arena_free(w->seen_in);
    arena_free(w->arena);
}
