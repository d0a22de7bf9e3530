/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pipe.c - asynchronous calls to the API server; see pipe.h.
 *
 *     start -> queue -> sent -> queue (answered) -> done
 *                ^                  |
 *                +--- retrying <----+ another try
 *
 * The lock protects the lists and the counts; a call that is not in any list belongs to whoever
 * works on it: a thread in kube_pipe_next, or the streams.
 */
#include "kube/pipe.h"

#include "kube/streams_internal.h"
#include "net/http/streams.h"

#define REQUESTS_MAX 50
#define CALLS_MAX 10000

struct pending {
    struct kube_done done; /* the first member */
    struct pending *next;
    struct kube_pipe *pipe;
    struct http_request request, prepared; /* as requested; with credentials */
    struct retry retry;
    int64_t when; /* retrying: until then, by clock_mono */
    bool answered, renewed;
    const struct http_response *response;
    struct err failure; /* while sending or receiving */
};

struct pendings {
    struct pending *first, **last;
};

struct kube_pipe {
    struct arena *arena;
    struct kube_transport *transport;
    size_t requests_max, calls_max;
    struct terms terms;
    struct lock sending; /* guards streams */
    struct kube_streams *streams;
    struct lock lock;
    pthread_cond_t changed;
    struct pendings queue;
    struct pending *retrying;
    int64_t retry_due; /* when the first of them is due */
    size_t queued, retries, sent, total;
    bool closing, cut;
    bool cancelled; /* a term has ended since retrying was last checked */
};

/* ---- Lists, under the lock ------------------------------------------------------------------- */

static void append(struct kube_pipe *p, struct pending *c)
{
    c->next = NULL;
    *p->queue.last = c;
    p->queue.last = &c->next;
    p->queued++;
    pthread_cond_signal(&p->changed);
}

static struct pending *take(struct kube_pipe *p)
{
    struct pending *c = p->queue.first;

    if (!c)
        return NULL;
    p->queue.first = c->next;
    if (!c->next)
        p->queue.last = &p->queue.first;
    p->queued--;
    return c;
}

static bool is_over(struct pending *c)
{
    return c->pipe->cut || term_is_over(&c->pipe->terms, c->done.ask.term);
}

/* Resumes calls whose wait is over, or whose term has ended. */
static void wake_rested(struct kube_pipe *p, int64_t now)
{
    struct pending **at = &p->retrying, *c;

    if (now < p->retry_due && !p->cut && !p->cancelled)
        return;
    p->cancelled = false;
    p->retry_due = INT64_MAX;
    while ((c = *at)) {
        if (c->when > now && !is_over(c)) {
            p->retry_due = c->when < p->retry_due ? c->when : p->retry_due;
            at = &c->next;
            continue;
        }
        *at = c->next;
        p->retries--;
        append(p, c);
    }
}

/* ---- The life of a call ---------------------------------------------------------------------- */

/* Called on the thread of the streams. */
static void on_end(void *ctx, const struct http_response *response, const struct err *failure)
{
    struct pending *c = ctx;
    struct kube_pipe *p = c->pipe;

    c->response = response;
    if (failure)
        (void)err_copy(&c->failure, failure);
    AUTO_LOCK guard = lock_take(&p->lock);
    c->answered = true;
    p->sent--;
    append(p, c);
}

/* Called on the thread of the streams: the term may have ended while waiting for a connection. */
static bool may_begin(void *ctx)
{
    struct pending *c = ctx;

    return !term_is_over(&c->pipe->terms, c->done.ask.term);
}

static bool count_sent(struct pending *c, bool sent)
{
    struct kube_pipe *p = c->pipe;
    AUTO_LOCK guard = lock_take(&p->lock);

    if (sent && is_over(c))
        return false;
    p->sent += sent ? 1 : (size_t)-1;
    return true;
}

/* True when the call has already ended. */
static bool send(struct pending *c)
{
    struct kube_pipe *p = c->pipe;
    struct kube_done *d = &c->done;
    struct http_client *client;

    c->answered = false;
    if (!count_sent(c, true))
        return !err_set(&d->failure, ERR_CANCELLED, "context canceled");
    if (!kube_prepare(p->transport, d->arena, &c->request, &c->prepared, &client, &d->failure)) {
        (void)count_sent(c, false);
        return true;
    }
    c->prepared.ctx = c;
    AUTO_LOCK guard = lock_take(&p->sending);
    struct http_streams *streams = kube_streams_for(&p->streams, client, p->requests_max);
    http_streams_start(streams, &(struct http_stream){.arena = d->arena,
                                                      .request = c->prepared,
                                                      .may_begin = may_begin,
                                                      .on_end = on_end});
    kube_streams_trim(&p->streams);
    return false;
}

/* Schedules another attempt. False when the call is over or cancelled. */
static bool retry_later(struct pending *c, int64_t wait)
{
    struct kube_pipe *p = c->pipe;
    AUTO_LOCK guard = lock_take(&p->lock);

    if (is_over(c) || http_cancel_raised(c->done.ask.call.cancel))
        return false;
    err_clear(&c->failure);
    c->answered = false;
    c->when = clock_mono() + wait;
    c->next = p->retrying;
    p->retrying = c;
    p->retries++;
    if (c->when < p->retry_due)
        p->retry_due = c->when;
    pthread_cond_signal(&p->changed);
    return true;
}

/* Whether to try again, with new credentials or after a pause. */
static bool try_again(struct pending *c)
{
    int64_t wait = 0;

    if (!c->failure.kind && c->response->status == 401 && !c->renewed) {
        c->renewed = true;
        if (kube_refused(c->pipe->transport, &c->prepared))
            return retry_later(c, 0);
    }
    return retry_next(&c->retry, &c->prepared, c->response, &wait) && retry_later(c, wait);
}

/* True when this was the last attempt. */
static bool land(struct pending *c)
{
    struct kube_done *d = &c->done;

    kube_warned(c->pipe->transport, c->response);
    if (try_again(c))
        return false;
    if (c->failure.kind) {
        (void)err_copy(&d->failure, &c->failure);
        return true;
    }
    d->http = c->response->status;
    d->body = c->response->body;
    d->ask.call.status = &d->status;
    d->ok = kube_ask_answer(d->arena, &d->ask, c->response, &d->object, &d->failure);
    d->ask.call.status = NULL;
    return true;
}

/* ---- Workers --------------------------------------------------------------------------------- */

/* The next call to work on, or NULL at the end. */
static struct pending *wait_for_work(struct kube_pipe *p)
{
    AUTO_LOCK guard = lock_take(&p->lock);
    struct pending *c;

    for (;;) {
        wake_rested(p, clock_mono());
        if ((c = take(p)))
            return c;
        if (p->closing && !p->total)
            return NULL;
        if (p->retry_due == INT64_MAX)
            pthread_cond_wait(&p->changed, &p->lock.mutex);
        else
            clock_wait(&p->changed, &p->lock.mutex, p->retry_due);
    }
}

static bool work_on(struct pending *c)
{
    return c->answered ? land(c) : send(c);
}

struct kube_done *kube_pipe_next(struct kube_pipe *p)
{
    struct pending *c;

    while ((c = wait_for_work(p)))
        if (work_on(c))
            return &c->done;
    return NULL;
}

static struct pending *find_work(struct kube_pipe *p, int64_t *due)
{
    AUTO_LOCK guard = lock_take(&p->lock);

    wake_rested(p, clock_mono());
    *due = p->retry_due;
    return take(p);
}

struct kube_done *kube_pipe_step(struct kube_pipe *p, int64_t *due)
{
    struct pending *c;
    int64_t streams_due;

    do {
        while ((c = find_work(p, due)))
            if (work_on(c))
                return &c->done;
        streams_due = kube_streams_step(p->streams);
    } while (p->queue.first);
    *due = streams_due < *due ? streams_due : *due;
    return NULL;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static bool count_call(struct kube_pipe *p, struct err *e)
{
    AUTO_LOCK guard = lock_take(&p->lock);

    if (p->total == p->calls_max)
        return err_set(e, ERR_LIMIT,
                       "%zu calls to the API server are under way, more are not started", p->total);
    p->total++;
    return true;
}

static void free_call(struct pending *c)
{
    struct kube_pipe *p = c->pipe;

    err_clear(&c->failure);
    err_clear(&c->done.failure);
    arena_free(c->done.arena);
    AUTO_LOCK guard = lock_take(&p->lock);
    p->total--;
    if (p->closing && !p->total)
        pthread_cond_broadcast(&p->changed);
}

static struct kube_ask copy_ask(struct arena *a, const struct kube_ask *from)
{
    struct kube_ask q = {
        .verb = from->verb, .patch = from->patch, .call = from->call, .term = from->term};

    q.path = str_copy(a, from->path);
    q.call.namespace = str_copy(a, from->call.namespace);
    q.call.name = str_copy(a, from->call.name);
    q.call.subresource = str_copy(a, from->call.subresource);
    q.call.status = NULL;
    return q;
}

bool kube_pipe_start(struct kube_pipe *p, const struct kube_ask *ask, void *ctx, struct err *e)
{
    struct arena *a;
    struct pending *c;

    if (!count_call(p, e))
        return false;
    a = arena_new_secret();
    c = ARENA_NEW(a, struct pending);
    *c = (struct pending){
        .pipe = p,
        .done = {.ctx = ctx, .ask = copy_ask(a, ask), .arena = a},
        .retry = retry_begin(ask->call.retry ? ask->call.retry : &retry_kube),
    };
    if (!kube_ask_request(a, ask, &c->request, e)) {
        free_call(c);
        return false;
    }
    AUTO_LOCK guard = lock_take(&p->lock);
    append(p, c);
    return true;
}

void kube_pipe_release(struct kube_pipe *p, struct kube_done *d)
{
    struct pending *c = (struct pending *)d;

    assert(c->pipe == p);
    free_call(c);
}

/* ---- Life ------------------------------------------------------------------------------------ */

struct kube_pipe *kube_pipe_new(const struct kube_pipe_config *config)
{
    struct arena *a = arena_new();
    struct kube_pipe *p = ARENA_NEW(a, struct kube_pipe);

    *p = (struct kube_pipe){
        .arena = a,
        .transport = config->transport,
        .requests_max = config->requests_max ? config->requests_max : REQUESTS_MAX,
        .calls_max = config->calls_max ? config->calls_max : CALLS_MAX,
        .terms = {.leads = config->leads, .ctx = config->ctx},
        .sending = LOCK_INIT,
        .lock = LOCK_INIT,
        .retry_due = INT64_MAX,
    };
    p->queue.last = &p->queue.first;
    clock_cond_init(&p->changed);
    return p;
}

void kube_pipe_cancel(struct kube_pipe *p, uint64_t term)
{
    AUTO_LOCK guard = lock_take(&p->lock);

    term_end(&p->terms, term);
    p->cancelled = true;
    pthread_cond_broadcast(&p->changed);
}

void kube_pipe_close(struct kube_pipe *p)
{
    AUTO_LOCK guard = lock_take(&p->lock);

    p->closing = true;
    pthread_cond_broadcast(&p->changed);
}

static void cut(struct kube_pipe *p)
{
    AUTO_LOCK guard = lock_take(&p->lock);

    p->cut = true;
}

void kube_pipe_free(struct kube_pipe *p)
{
    struct kube_done *d;

    if (!p)
        return;
    cut(p);
    kube_pipe_close(p);
    /* This ends requests on the wire; the others end when they are next processed. */
    kube_streams_free(p->streams);
    while ((d = kube_pipe_next(p)))
        kube_pipe_release(p, d);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock.mutex);
    pthread_mutex_destroy(&p->sending.mutex);
    arena_free(p->arena);
}

struct kube_pipe_stats kube_pipe_stats(struct kube_pipe *p)
{
    AUTO_LOCK guard = lock_take(&p->lock);

    return (struct kube_pipe_stats){
        .queued = p->queued, .sent = p->sent, .retrying = p->retries, .unreleased = p->total};
}
