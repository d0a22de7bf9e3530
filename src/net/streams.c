/* SPDX-License-Identifier: Apache-2.0 */
/*
 * streams.c - many requests on one thread; see streams.h.
 *
 * Other threads touch only what the lock protects: the list of those who wait to begin, the list of
 * all, the flags. The thread takes from the first list, drives curl, and calls back without the
 * lock.
 */
#include "net/streams.h"

#include "net/internal.h"

#include <signal.h>

struct stream {
    struct stream *next; /* in the list of all */
    struct stream *next_waiting;
    struct arena *arena;
    uint64_t id;
    bool stop, running; /* under the lock; running is of the thread alone */
    struct http_stream spec;
    struct http_response response;
    struct transfer transfer;
};

struct http_streams {
    struct arena *arena;
    struct http_client *client;
    CURLM *multi;
    pthread_t thread;
    struct lock lock;
    struct stream *all, *waiting, **waiting_end;
    size_t count;
    uint64_t last_id;
    bool closing;
    size_t running; /* the thread's own: how many curl has */
};

/* ---- Other threads -------------------------------------------------------------------------- */

static struct http_request copy_request(struct arena *a, const struct http_request *from)
{
    struct http_request r = *from;

    r.method = str_copy(a, from->method);
    r.url = str_copy(a, from->url);
    r.body = str_copy(a, from->body);
    r.headers = (struct http_headers){0};
    for (size_t i = 0; i < from->headers.len; i++)
        http_header_add(a, &r.headers, str_copy(a, from->headers.items[i].name),
                        str_copy(a, from->headers.items[i].value));
    r.cancel = NULL;
    return r;
}

static struct stream *new_stream(const struct http_stream *spec)
{
    struct arena *a = arena_new_secret();
    struct stream *s = ARENA_NEW(a, struct stream);

    s->arena = a;
    s->spec = *spec;
    s->spec.request = copy_request(a, &spec->request);
    s->response.url = s->spec.request.url;
    return s;
}

static uint64_t enqueue(struct http_streams *streams, struct stream *s)
{
    AUTO_LOCK guard = lock_take(&streams->lock);

    s->id = ++streams->last_id;
    s->stop = streams->closing;
    s->next = streams->all;
    streams->all = s;
    *streams->waiting_end = s;
    streams->waiting_end = &s->next_waiting;
    streams->count++;
    return s->id;
}

uint64_t http_streams_start(struct http_streams *streams, const struct http_stream *spec)
{
    uint64_t id = enqueue(streams, new_stream(spec));

    curl_multi_wakeup(streams->multi);
    return id;
}

static void mark_stopped(struct http_streams *streams, uint64_t id, bool all)
{
    AUTO_LOCK guard = lock_take(&streams->lock);

    if (all)
        streams->closing = true;
    for (struct stream *s = streams->all; s; s = s->next)
        if (all || s->id == id)
            s->stop = true;
}

void http_streams_stop(struct http_streams *streams, uint64_t id)
{
    mark_stopped(streams, id, false);
    curl_multi_wakeup(streams->multi);
}

size_t http_streams_count(struct http_streams *streams)
{
    AUTO_LOCK guard = lock_take(&streams->lock);

    return streams->count;
}

/* ---- The thread ----------------------------------------------------------------------------- */

static struct stream *take_waiting(struct http_streams *streams)
{
    AUTO_LOCK guard = lock_take(&streams->lock);
    struct stream *s = streams->waiting;

    if (!s)
        return NULL;
    streams->waiting = s->next_waiting;
    if (!streams->waiting)
        streams->waiting_end = &streams->waiting;
    return s;
}

static void forget(struct http_streams *streams, struct stream *s)
{
    AUTO_LOCK guard = lock_take(&streams->lock);
    struct stream **at = &streams->all;

    while (*at != s)
        at = &(*at)->next;
    *at = s->next;
    streams->count--;
}

/* Tells the outcome and frees s. */
static void conclude(struct http_streams *streams, struct stream *s, bool ok, const struct err *e)
{
    const struct http_config *c = &streams->client->config;

    if (c->tape && !tape_is_replay(c->tape))
        tape_keep(c->tape, &s->spec.request, &s->response, buf_str(&s->transfer.kept),
                  ok ? NULL : e);
    if (s->transfer.easy)
        curl_easy_cleanup(s->transfer.easy);
    if (s->spec.on_end)
        s->spec.on_end(s->spec.request.ctx, &s->response, ok ? NULL : e);
    forget(streams, s);
    arena_free(s->arena);
}

static void finish(struct http_streams *streams, struct stream *s, CURLcode result)
{
    AUTO_ERR e = {0};
    bool ok = transfer_end(&s->transfer, result, &e);

    curl_multi_remove_handle(streams->multi, s->transfer.easy);
    streams->running--;
    conclude(streams, s, ok, &e);
}

static void begin(struct http_streams *streams, struct stream *s)
{
    AUTO_ERR e = {0};
    struct http_client *c = streams->client;

    if (c->config.tape && tape_is_replay(c->config.tape)) {
        bool ok = tape_answer(c->config.tape, s->arena, &s->spec.request, &s->response, &e);
        conclude(streams, s, ok, &e);
        return;
    }
    s->transfer = (struct transfer){.client = c,
                                    .arena = s->arena,
                                    .request = &s->spec.request,
                                    .response = &s->response,
                                    .on_head = s->spec.on_head,
                                    .easy = curl_easy_init()};
    if (!transfer_begin(&s->transfer, &e)) {
        conclude(streams, s, false, &e);
        return;
    }
    /*
     * Rather wait for a connection that can be shared than open another one. Only while somebody
     * uses one: curl also waits for a dead one of which it never learned what it can do, and nobody
     * would wake it.
     */
    curl_easy_setopt(s->transfer.easy, CURLOPT_PIPEWAIT, streams->running ? 1L : 0L);
    curl_easy_setopt(s->transfer.easy, CURLOPT_PRIVATE, s);
    s->running = true;
    curl_multi_add_handle(streams->multi, s->transfer.easy);
    streams->running++;
}

static void begin_waiting(struct http_streams *streams)
{
    struct stream *s;

    while ((s = take_waiting(streams)))
        begin(streams, s);
}

static void finish_done(struct http_streams *streams)
{
    const CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(streams->multi, &left))) {
        CURLcode result = message->data.result;
        struct stream *s = NULL;
        if (message->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &s);
        finish(streams, s, result);
    }
}

/* One that was asked to stop or has waited too long, or NULL; the shortest patience of the rest. */
static struct stream *find_overdue(struct http_streams *streams, int64_t now, int *patience)
{
    AUTO_LOCK guard = lock_take(&streams->lock);

    for (struct stream *s = streams->all; s; s = s->next) {
        if (!s->running)
            continue;
        if (s->stop)
            s->transfer.stop = STOP_CANCELLED;
        if (s->spec.patience)
            s->transfer.idle_timeout = s->spec.patience(s->spec.request.ctx);
        if (s->stop || !transfer_may_go_on(&s->transfer, now))
            return s;
        if (transfer_patience(&s->transfer) < *patience)
            *patience = transfer_patience(&s->transfer);
    }
    return NULL;
}

static int finish_overdue(struct http_streams *streams, int64_t now)
{
    int patience = clock_wire_poll(1000);
    struct stream *s;

    while ((s = find_overdue(streams, now, &patience)))
        finish(streams, s, CURLE_ABORTED_BY_CALLBACK);
    return patience;
}

static bool is_over(struct http_streams *streams)
{
    AUTO_LOCK guard = lock_take(&streams->lock);

    return streams->closing && !streams->all;
}

static void *run(void *ctx)
{
    struct http_streams *streams = ctx;
    int running, patience;

    while (!is_over(streams)) {
        begin_waiting(streams);
        int64_t now = clock_wire();
        curl_multi_perform(streams->multi, &running);
        finish_done(streams);
        patience = finish_overdue(streams, now);
        if (!is_over(streams))
            curl_multi_poll(streams->multi, NULL, 0, patience, NULL);
    }
    return NULL;
}

/* Signals go to the threads that expect them. Callbacks may go down trees of any depth. */
static void start_thread(struct http_streams *streams)
{
    sigset_t all, before;
    pthread_attr_t attributes;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, POOL_STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(&streams->thread, &attributes, run, streams);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    assert(!failure);
    (void)failure;
}

struct http_streams *http_streams_new(struct http_client *client)
{
    struct arena *a = arena_new();
    struct http_streams *s = ARENA_NEW(a, struct http_streams);

    s->arena = a;
    s->client = http_client_ref(client);
    s->multi = curl_multi_init();
    s->lock = (struct lock)LOCK_INIT;
    s->waiting_end = &s->waiting;
    start_thread(s);
    return s;
}

void http_streams_free(struct http_streams *s)
{
    if (!s)
        return;
    mark_stopped(s, 0, true);
    curl_multi_wakeup(s->multi);
    pthread_join(s->thread, NULL);
    curl_multi_cleanup(s->multi);
    http_client_free(s->client);
    arena_free(s->arena);
}
