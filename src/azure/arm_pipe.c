/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arm_pipe.c - calls that nobody waits for; see arm_pipe.h.
 *
 *     start -> at the gate -> on the wire -> answered -> done
 *                  ^             ^               |
 *                  +-- resting <-+---------------+ another try
 *
 * The lock protects the lists and the counts. A flight is parked while it waits at the gate or
 * rests, and in the queue when it is answered or done; else it belongs to whoever works on it: a
 * worker, or the engine. Answers come from the engine in batches.
 *
 * One worker at a time watches the clock for those that are parked, and helps when the queue is not
 * empty by the end of its nap; the others wait for the queue.
 */
#include "azure/arm_pipe.h"

#include "azure/arm_internal.h"
#include "net/engine.h"

#include <stdatomic.h>
#include <unistd.h>

#define CONNECTIONS 500
#define CALLS_MAX 10000
/* The longest time between two looks at those who wait, and while there is something to do. */
#define NAP_MAX (20 * NS_PER_MS)
#define NAP_BUSY (5 * NS_PER_MS)
#define NAP_MIN (1 * NS_PER_MS)
/* Flights that are kept for the next calls, with some memory. */
#define SPARE_MAX 1024

enum flight_place { FLIGHT_MOVES, FLIGHT_GATE, FLIGHT_RESTS, FLIGHT_PLACES };

struct flight {
    struct arm_done done;
    struct flight *next;         /* in the queue, among the arrived or the spare ones */
    struct flight *left, *right; /* among the parked */
    struct arm_pipe *pipe;
    struct arena *own;
    struct arm *arm;
    enum flight_place place;
    bool is_done; /* nothing is left to be done but to tell */
    str url;
    struct attempt attempt;
    struct tries tries;
    struct waiter *waiter; /* FLIGHT_GATE */
    int64_t when;          /* FLIGHT_RESTS */
    const struct http_response *response;
    struct err failure; /* of the exchange */
};

struct flights {
    struct flight *first, **last;
};

struct arm_pipe {
    struct arena *arena;
    struct arm_gate *gate;
    struct http_client *http;
    struct http_engine *engine;
    size_t calls_max;
    struct flights arrived; /* of the thread of the engine, until it settles */
    _Atomic size_t sent, most_sent;
    _Atomic bool cut;
    struct lock lock;
    pthread_cond_t changed; /* for those who are idle */
    pthread_cond_t nap;     /* for the one who watches */
    struct flights queue;
    struct flight *parked, *spare;
    size_t spare_count, count[FLIGHT_PLACES], total;
    size_t idle;    /* workers who wait for the queue */
    size_t busy;    /* those who have taken something and not released it yet */
    size_t runners; /* so many busy ones are called without waiting */
    bool waking;    /* an idle one was called and has not come yet */
    bool waking_watcher;
    bool watched, napping, closing;
};

/* ---- Lists. Under the lock, but for those that have arrived. ---- */

static void append(struct flights *l, struct flight *f)
{
    f->next = NULL;
    *l->last = f;
    l->last = &f->next;
}

static struct flight *dequeue(struct flights *l)
{
    struct flight *f = l->first;

    if (!f)
        return NULL;
    l->first = f->next;
    if (!l->first)
        l->last = &l->first;
    return f;
}

static void park(struct flight *f, enum flight_place place)
{
    struct arm_pipe *p = f->pipe;

    p->count[place]++;
    f->place = place;
    f->left = NULL;
    f->right = p->parked;
    if (p->parked)
        p->parked->left = f;
    p->parked = f;
}

static void unpark(struct flight *f)
{
    struct arm_pipe *p = f->pipe;

    p->count[f->place]--;
    f->place = FLIGHT_MOVES;
    if (f->left)
        f->left->right = f->right;
    else
        p->parked = f->right;
    if (f->right)
        f->right->left = f->left;
}

/*
 * Calls workers to what there is. Waking one costs as much as half a call, so beyond the number of
 * processors nobody is woken for the queue at once: those who are at it mostly take all of it. If
 * they do not, because they wait for something themselves, whoever watches will join them. Each one
 * that was called comes for itself, so that nobody is counted on twice.
 */
static void call_workers(struct arm_pipe *p)
{
    if (p->queue.first && p->busy < p->runners && !p->waking) {
        if (p->idle > (size_t)p->waking_watcher) {
            p->waking = true;
            pthread_cond_signal(&p->changed);
        } else if (p->napping) {
            p->napping = false;
            pthread_cond_signal(&p->nap);
        }
    }
    if ((p->queue.first || p->parked) && !p->watched && !p->waking_watcher &&
        p->idle > (size_t)p->waking) {
        p->waking_watcher = true;
        pthread_cond_signal(&p->changed);
    }
}

static struct flight *new_flight(struct arm_pipe *p)
{
    struct arena *a = arena_new();
    struct flight *f = ARENA_NEW(a, struct flight);

    f->own = a;
    f->pipe = p;
    f->done.arena = arena_new();
    f->attempt.secret = arena_new_secret();
    return f;
}

static void free_flight(struct flight *f)
{
    err_clear(&f->failure);
    err_clear(&f->done.failure);
    arena_free(f->attempt.secret);
    arena_free(f->done.arena);
    arena_free(f->own);
}

static struct flight *take_flight(struct arm_pipe *p, struct err *e)
{
    struct flight *f;

    {
        AUTO_LOCK guard = lock_take(&p->lock);
        if (p->total == p->calls_max) {
            err_set(e, ERR_LIMIT, "%zu calls to Azure are under way, more are not started",
                    p->total);
            return NULL;
        }
        p->total++;
        f = p->spare;
        if (f) {
            p->spare = f->next;
            p->spare_count--;
        }
    }
    return f ? f : new_flight(p);
}

/* ---- The way of a flight. ---- */

static void finish(struct flight *f)
{
    struct arm_pipe *p = f->pipe;
    AUTO_LOCK guard = lock_take(&p->lock);

    f->is_done = true;
    append(&p->queue, f);
    call_workers(p);
}

static void cancelled(struct flight *f)
{
    (void)err_set(&f->done.failure, ERR_CANCELLED, "context canceled");
}

/* On the thread of the engine. */
static void on_answer(void *ctx, const struct http_response *response, const struct err *failure)
{
    struct flight *f = ctx;

    f->response = response;
    if (failure)
        err_copy(&f->failure, failure);
    append(&f->pipe->arrived, f);
    atomic_fetch_sub(&f->pipe->sent, 1);
}

/* The same: passes on what has arrived. */
static void on_settled(void *ctx)
{
    struct arm_pipe *p = ctx;
    AUTO_LOCK guard = lock_take(&p->lock);

    if (!p->arrived.first)
        return;
    *p->queue.last = p->arrived.first;
    p->queue.last = p->arrived.last;
    p->arrived = (struct flights){.last = &p->arrived.first};
    call_workers(p);
}

/* Its turn has come. */
static void take_off(struct flight *f)
{
    struct arm_pipe *p = f->pipe;
    size_t sent = atomic_fetch_add(&p->sent, 1) + 1, most = p->most_sent;

    while (sent > most && !atomic_compare_exchange_weak(&p->most_sent, &most, sent))
        ;
    f->attempt.request.timeout = attempt_timeout(f->arm, &f->done.call);
    http_engine_start(p->engine, &(struct http_job){.arena = f->done.arena,
                                                    .request = f->attempt.request,
                                                    .done = on_answer,
                                                    .ctx = f});
}

static void on_turn(void *ctx, const struct budget_grant *grant)
{
    static const struct http_response none;
    struct flight *f = ctx;
    struct arm_pipe *p = f->pipe;
    AUTO_LOCK guard = lock_take(&p->lock);

    f->attempt.grant = *grant;
    f->waiter = NULL;
    unpark(f);
    if (!p->cut) {
        take_off(f);
        return;
    }
    /* There is no engine any more. */
    f->response = &none;
    (void)err_set(&f->failure, ERR_CANCELLED, "context canceled");
    append(&p->queue, f);
}

/* True when its turn has come in the meantime. */
static bool wait_at_gate(struct flight *f, struct waiter *w)
{
    struct arm_pipe *p = f->pipe;
    AUTO_LOCK guard = lock_take(&p->lock);

    f->waiter = w;
    park(f, FLIGHT_GATE);
    if (gate_tell(p->gate, w, on_turn, f, &f->attempt.grant)) {
        call_workers(p);
        return false;
    }
    unpark(f);
    f->waiter = NULL;
    return true;
}

/* One try, from its beginning. */
static void launch(struct flight *f)
{
    struct arm_done *d = &f->done;
    struct waiter *w = NULL;

    arena_reset(f->attempt.secret);
    f->attempt.request = (struct http_request){0};
    if (!attempt_begin(f->arm, d->arena, &d->call, f->url, &d->result, &f->attempt, &d->failure) ||
        !gate_ask(f->pipe->gate, &f->attempt.turn, &f->attempt.grant, &w, &d->failure))
        finish(f);
    else if (!w || wait_at_gate(f, w))
        take_off(f);
}

/* Tries again after a while. False when there is no time for it. */
static bool rest(struct flight *f, int64_t wait)
{
    struct arm_pipe *p = f->pipe;
    const struct arm_call *call = &f->done.call;
    const int64_t when = clock_mono() + wait;

    if ((call->deadline && when > call->deadline) || http_cancel_raised(call->cancel))
        return false;
    AUTO_LOCK guard = lock_take(&p->lock);
    err_clear(&f->failure);
    f->when = when;
    park(f, FLIGHT_RESTS);
    p->busy--;
    call_workers(p);
    return true;
}

/* The end of a try. True when it was the last. */
static bool land(struct flight *f)
{
    struct arm_done *d = &f->done;
    const bool ok = !f->failure.kind;
    int64_t wait;

    attempt_end(f->arm, d->arena, &d->call, f->response, ok, &d->result, &f->attempt);
    if (ok) {
        if (answer_again(f->arm, d->arena, &d->call, &f->attempt, &d->result, &f->tries, &wait) &&
            rest(f, wait))
            return false;
        d->ok = !d->result.verdict.retry;
        if (!d->ok)
            (void)arm_refused(f->arm, d->arena, &d->call, &d->result, &d->failure);
        return true;
    }
    if (failure_again(&f->attempt, &f->failure, &f->tries, &wait) && rest(f, wait))
        return false;
    (void)http_explain(&f->failure, f->response);
    (void)err_copy(&d->failure, &f->failure);
    return true;
}

/* ---- Watching the clock. ---- */

/* Those whose rest is over; when that of the next one will be. */
static struct flight *take_rested(struct arm_pipe *p, int64_t now, int64_t *next)
{
    struct flight *due = NULL, *right;
    AUTO_LOCK guard = lock_take(&p->lock);

    for (struct flight *f = p->count[FLIGHT_RESTS] ? p->parked : NULL; f; f = right) {
        right = f->right;
        if (f->place != FLIGHT_RESTS)
            continue;
        if (f->when > now && !p->cut) {
            *next = f->when < *next ? f->when : *next;
            continue;
        }
        unpark(f);
        f->next = due;
        due = f;
    }
    return due;
}

/* Ends those at the gate whose time is over. */
static void expire(struct arm_pipe *p, int64_t now)
{
    struct flight *right;
    AUTO_LOCK guard = lock_take(&p->lock);

    for (struct flight *f = p->count[FLIGHT_GATE] ? p->parked : NULL; f; f = right) {
        const struct arm_call *call = &f->done.call;
        const bool stop = p->cut || http_cancel_raised(call->cancel);
        right = f->right;
        if (f->place != FLIGHT_GATE || (!stop && !(call->deadline && now >= call->deadline)) ||
            !gate_forget(p->gate, f->waiter))
            continue;
        unpark(f);
        f->waiter = NULL;
        if (stop)
            cancelled(f);
        else
            (void)err_set(&f->done.failure, ERR_IO,
                          "waiting for the request budget: there is no time left for this call");
        f->is_done = true;
        append(&p->queue, f);
    }
    call_workers(p);
}

static void launch_all(struct flight *due)
{
    struct flight *next;

    for (struct flight *f = due; f; f = next) {
        next = f->next;
        if (f->pipe->cut) {
            cancelled(f);
            finish(f);
        } else {
            launch(f);
        }
    }
}

/* Naps up to ns. */
static void nap(struct arm_pipe *p, int64_t ns)
{
    {
        AUTO_LOCK guard = lock_take(&p->lock);
        if (p->queue.first && ns > NAP_BUSY)
            ns = NAP_BUSY;
        /* While answers are to come, time is real: it does not pass by our doing. */
        if (p->sent || p->queue.first) {
            p->napping = true;
            clock_wire_wait(&p->nap, &p->lock.mutex, ns);
            p->napping = false;
            return;
        }
    }
    clock_sleep(ns);
}

/* Does what the time asks for, and naps until it may ask again. */
static void watch(struct arm_pipe *p)
{
    const int64_t now = clock_mono();
    int64_t next = gate_look(p->gate), ns;

    launch_all(take_rested(p, now, &next));
    expire(p, now);
    ns = next - now > NAP_MAX ? NAP_MAX : next - now;
    nap(p, ns < NAP_MIN ? NAP_MIN : ns);
    AUTO_LOCK guard = lock_take(&p->lock);
    p->watched = false;
}

/* ---- Workers. ---- */

/* What a worker finds: a flight, or work with the clock, or (false) the end. */
static bool find_work(struct arm_pipe *p, struct flight **f)
{
    AUTO_LOCK guard = lock_take(&p->lock);

    for (;;) {
        if ((*f = dequeue(&p->queue))) {
            p->busy++;
            call_workers(p);
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
    struct flight *f;

    while (find_work(p, &f)) {
        if (!f)
            watch(p);
        else if (f->is_done || land(f))
            return &f->done;
    }
    return NULL;
}

static struct arm_call copy_call(struct arena *a, const struct arm_call *from)
{
    struct arm_call c = *from;
    str *const texts[] = {&c.method, &c.id,    &c.action, &c.query,       &c.api_version, &c.body,
                          &c.space,  &c.group, &c.kind,   &c.correlation, &c.address};

    for (size_t i = 0; i < COUNT(texts); i++)
        *texts[i] = str_copy(a, *texts[i]);
    return c;
}

bool arm_pipe_start(struct arm_pipe *p, struct arm *m, const struct arm_call *call, void *ctx,
                    struct err *e)
{
    struct flight *f = take_flight(p, e);

    assert(m->config.gate == p->gate);
    if (!f)
        return false;
    struct arena *a = f->done.arena;
    f->arm = m;
    f->is_done = false;
    f->tries = (struct tries){.once = call->address.len > 0};
    f->done = (struct arm_done){
        .ctx = ctx, .call = copy_call(a, call), .result = {.retry_after = -1}, .arena = a};
    f->url = call->address.len ? f->done.call.address : arm_url(m, a, &f->done.call);
    if (call->address.len &&
        !arm_check_home(m, f->url, "the address of the operation", &f->done.failure))
        finish(f);
    else
        launch(f);
    return true;
}

void arm_pipe_release(struct arm_pipe *p, struct arm_done *d)
{
    struct flight *f = (struct flight *)d;
    bool keep;

    err_clear(&f->failure);
    err_clear(&d->failure);
    arena_reset(f->attempt.secret);
    arena_reset(d->arena);
    {
        AUTO_LOCK guard = lock_take(&p->lock);
        p->busy--;
        p->total--;
        keep = p->spare_count < SPARE_MAX;
        if (keep) {
            f->next = p->spare;
            p->spare = f;
            p->spare_count++;
        }
        if (p->closing && !p->total)
            pthread_cond_broadcast(&p->changed);
    }
    if (!keep)
        free_flight(f);
}

/* ---- The pipe. ---- */

bool arm_pipe_new(const struct arm_pipe_config *config, struct arm_pipe **out, struct err *e)
{
    struct http_config http = config->http ? *config->http : http_defaults();
    struct arena *a = arena_new();
    struct arm_pipe *p = ARENA_NEW(a, struct arm_pipe);
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);

    p->arena = a;
    p->gate = config->gate;
    p->calls_max = config->calls_max ? config->calls_max : CALLS_MAX;
    p->lock = (struct lock)LOCK_INIT;
    pthread_cond_init(&p->changed, NULL);
    pthread_cond_init(&p->nap, NULL);
    p->queue.last = &p->queue.first;
    p->arrived.last = &p->arrived.first;
    p->runners = processors > 1 ? (size_t)processors : 1;
    if (!http_client_new(&http, &p->http, e)) {
        arena_free(a);
        return false;
    }
    p->engine = http_engine_new(p->http, config->connections ? config->connections : CONNECTIONS);
    http_engine_collect(p->engine, on_settled, p);
    *out = p;
    return true;
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
    struct flight *f;

    if (!p)
        return;
    {
        AUTO_LOCK guard = lock_take(&p->lock);
        p->cut = true;
    }
    arm_pipe_close(p);
    /* What is on the wire ends by that, the others when somebody looks at them. */
    http_engine_free(p->engine);
    while ((d = arm_pipe_next(p)))
        arm_pipe_release(p, d);
    while ((f = p->spare)) {
        p->spare = f->next;
        free_flight(f);
    }
    http_client_free(p->http);
    pthread_cond_destroy(&p->changed);
    pthread_cond_destroy(&p->nap);
    pthread_mutex_destroy(&p->lock.mutex);
    arena_free(p->arena);
}

struct arm_pipe_stats arm_pipe_stats(struct arm_pipe *p)
{
    const struct http_engine_stats engine = http_engine_stats(p->engine);
    AUTO_LOCK guard = lock_take(&p->lock);

    return (struct arm_pipe_stats){.waiting = p->count[FLIGHT_GATE],
                                   .sent = p->sent,
                                   .resting = p->count[FLIGHT_RESTS],
                                   .unreleased = p->total,
                                   .most_sent = p->most_sent,
                                   .connections = engine.connections};
}
