/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pipe.c - a pipe, its workers, and where calls enter and leave; see pipe.h. What happens in
 * between is in call.c.
 */
#include "arm/pipe.h"

#include "arm/pipe_internal.h"
#include "net/http/streams.h"

#include <unistd.h>

#define CONNECTIONS 500
#define METADATA_CONNECT (3 * NS_PER_SEC)
/* How many finished calls are kept for reuse, with some memory. */
#define SPARE_MAX 1024

/* ---- Workers. ---- */

void pipe_call_workers(struct arm_pipe *p)
{
    if (p->queue.first && p->busy < p->runners && !p->waking) {
        if (p->idle > (size_t)p->waking_watcher) {
            p->waking = true;
            pthread_cond_signal(&p->changed);
        } else if (p->idling) {
            p->idling = false;
            pthread_cond_signal(&p->idle_wait);
        }
    }
    if ((p->queue.first || p->parked) && !p->watched && !p->waking_watcher &&
        p->idle > (size_t)p->waking) {
        p->waking_watcher = true;
        pthread_cond_signal(&p->changed);
    }
}

/* Finds work: a call, or watching the clock; false at the end. */
static bool find_work(struct arm_pipe *p, struct pipe_call **c)
{
    AUTO_LOCK guard = lock_take(&p->lock);

    for (;;) {
        if ((*c = call_list_take(&p->queue))) {
            p->busy++;
            pipe_call_workers(p);
            return true;
        }
        if (p->closing && !p->total)
            return false;
        if (!p->watched && p->parked)
            return p->watched = true;
        p->idle++;
        pthread_cond_wait(&p->changed, &p->lock.mutex);
        p->idle--;
        if (!p->waking_watcher) {
            p->waking = false;
            continue;
        }
        p->waking_watcher = false;
        if (!p->watched)
            return p->watched = true;
    }
}

struct arm_done *arm_pipe_next(struct arm_pipe *p)
{
    struct pipe_call *c;

    while (find_work(p, &c)) {
        if (!c)
            pipe_watch(p);
        else if (c->is_done || pipe_call_end_try(c))
            return &c->done;
    }
    return NULL;
}

static struct pipe_call *take_queued(struct arm_pipe *p)
{
    AUTO_LOCK guard = lock_take(&p->lock);
    struct pipe_call *c = call_list_take(&p->queue);

    p->busy += c != NULL;
    return c;
}

struct arm_done *arm_pipe_step(struct arm_pipe *p, int64_t *due)
{
    struct pipe_call *c;
    int64_t streams_due;

    do {
        while ((c = take_queued(p)))
            if (c->is_done || pipe_call_end_try(c))
                return &c->done;
        *due = pipe_look(p);
        streams_due = p->streams ? http_streams_step(p->streams) : INT64_MAX;
        int64_t tokens_due = pipe_step_tokens(p);
        streams_due = tokens_due < streams_due ? tokens_due : streams_due;
    } while (p->queue.first);
    *due = streams_due < *due ? streams_due : *due;
    return NULL;
}

/* ---- Calls. ---- */

static struct pipe_call *take_call(struct arm_pipe *p, struct err *e)
{
    struct pipe_call *c;

    {
        AUTO_LOCK guard = lock_take(&p->lock);
        if (p->total == p->calls_max) {
            err_set(e, ERR_LIMIT, "%zu calls to Azure are under way, more are not started",
                    p->total);
            return NULL;
        }
        p->total++;
        c = p->spare;
        if (c) {
            p->spare = c->next;
            p->spare_count--;
        }
    }
    return c ? c : pipe_call_new(p);
}

static struct arm_call copy_call(struct arena *a, const struct arm_call *from)
{
    struct arm_call c = *from;
    str *const texts[] = {&c.method,      &c.id,          &c.action,    &c.query,
                          &c.api_version, &c.body,        &c.namespace, &c.group,
                          &c.kind,        &c.correlation, &c.address};

    for (size_t i = 0; i < COUNT(texts); i++)
        *texts[i] = str_copy(a, *texts[i]);
    return c;
}

bool arm_pipe_start(struct arm_pipe *p, struct arm *m, const struct arm_call *call, void *ctx,
                    struct err *e)
{
    struct pipe_call *c = take_call(p, e);

    assert(m->config.gate == p->gate);
    if (!c)
        return false;
    struct arena *a = c->done.arena;
    c->arm = m;
    c->is_done = c->notified = c->fetches = c->begins = c->registers = false;
    c->wish = (struct credential_wish){0};
    c->tries = (struct tries){.once = call->address.len > 0};
    c->done = (struct arm_done){
        .ctx = ctx, .call = copy_call(a, call), .result = {.retry_after = -1}, .arena = a};
    c->url = call->address.len ? c->done.call.address : arm_url(m, a, &c->done.call);
    if (call->address.len &&
        !arm_check_home(m, c->url, "the address of the operation", &c->done.failure))
        pipe_call_finish(c);
    else
        pipe_call_begin_try(c);
    return true;
}

void arm_pipe_release(struct arm_pipe *p, struct arm_done *d)
{
    struct pipe_call *c = (struct pipe_call *)d;
    bool keep;

    err_clear(&c->failure);
    err_clear(&d->failure);
    arena_reset(c->attempt.secret);
    arena_reset(d->arena);
    {
        AUTO_LOCK guard = lock_take(&p->lock);
        p->busy--;
        p->total--;
        keep = p->spare_count < SPARE_MAX;
        if (keep) {
            c->next = p->spare;
            p->spare = c;
            p->spare_count++;
        }
        if (p->closing && !p->total)
            pthread_cond_broadcast(&p->changed);
    }
    if (!keep)
        pipe_call_free(c);
}

/* ---- The pipe. ---- */

/*
 * For calls, and for tokens with and without a proxy. Redirects are returned as responses: a token
 * must not follow them.
 */
static bool open_clients(struct arm_pipe *p, const struct http_config *given, struct err *e)
{
    struct http_config tokens = given ? *given : http_defaults(), calls = tokens;

    calls.redirects_max = 0;
    calls.no_compression = true;
    calls.user_agent = STR_NONE; /* each request has its own */

    if (!http_client_new(&tokens, &p->token_http[0], e))
        return false;
    /* The metadata service is on the machine itself: it responds at once or never. */
    tokens.no_proxy = true;
    tokens.redirects_max = 0;
    tokens.connect_timeout = METADATA_CONNECT;
    return http_client_new(&tokens, &p->token_http[1], e) && http_client_new(&calls, &p->http, e);
}

bool arm_pipe_new(const struct arm_pipe_config *config, struct arm_pipe **out, struct err *e)
{
    struct arena *a = arena_new();
    struct arm_pipe *p = ARENA_NEW(a, struct arm_pipe);
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);

    p->arena = a;
    p->gate = config->gate;
    p->terms.leads = config->leads;
    p->terms.ctx = config->ctx;
    p->calls_max = config->calls_max ? config->calls_max : ARM_CALLS_MAX;
    p->lock = (struct lock)LOCK_INIT;
    pthread_cond_init(&p->changed, NULL);
    pthread_cond_init(&p->idle_wait, NULL);
    p->queue.last = &p->queue.first;
    p->arrived.last = &p->arrived.first;
    p->runners = processors > 1 ? (size_t)processors : 1;
    if (!open_clients(p, config->http, e)) {
        for (size_t i = 0; i < COUNT(p->token_http); i++)
            http_client_free(p->token_http[i]);
        arena_free(a);
        return false;
    }
    p->fetching = http_cancel_new();
    p->streams = http_streams_new(p->http);
    http_streams_configure(p->streams, config->connections ? config->connections : CONNECTIONS,
                           pipe_on_settled, p);
    pipe_start_tokens(p);
    *out = p;
    return true;
}

/* The worker that watches the clock will soon check the waiting calls. */
void arm_pipe_cancel(struct arm_pipe *p, uint64_t term)
{
    term_end(&p->terms, term);
    if (term == TERM_ALL)
        http_cancel_raise(p->fetching);
}

void arm_pipe_close(struct arm_pipe *p)
{
    AUTO_LOCK guard = lock_take(&p->lock);

    p->closing = true;
    pthread_cond_broadcast(&p->changed);
}

void arm_pipe_free(struct arm_pipe *p)
{
    struct arm_done *d;
    struct pipe_call *c;
    int64_t due;

    if (!p)
        return;
    {
        AUTO_LOCK guard = lock_take(&p->lock);
        p->cut = true;
    }
    arm_pipe_close(p);
    /* This ends requests on the wire; the others end when they are next processed. */
    http_streams_free(p->streams);
    p->streams = NULL;
    pipe_free_tokens(p);
    while ((d = clock_is_driven() ? arm_pipe_step(p, &due) : arm_pipe_next(p)))
        arm_pipe_release(p, d);
    while ((c = p->spare)) {
        p->spare = c->next;
        pipe_call_free(c);
    }
    http_client_free(p->http);
    http_cancel_free(p->fetching);
    pthread_cond_destroy(&p->changed);
    pthread_cond_destroy(&p->idle_wait);
    pthread_mutex_destroy(&p->lock.mutex);
    arena_free(p->arena);
}

struct arm_answer arm_done_answer(const struct arm_done *d)
{
    struct arm_answer answer = arm_answer_of(&d->result);

    if (!d->result.status) {
        answer.failure = d->failure.text;
        answer.denied = d->failure.kind == ERR_DENIED;
    }
    return answer;
}

struct arm_pipe_stats arm_pipe_stats(struct arm_pipe *p)
{
    AUTO_LOCK guard = lock_take(&p->lock);

    return (struct arm_pipe_stats){.waiting = p->count[CALL_AWAITS_TURN],
                                   .sent = p->sent,
                                   .retrying = p->count[CALL_RETRIES_LATER],
                                   .unreleased = p->total,
                                   .most_sent = p->most_sent};
}
