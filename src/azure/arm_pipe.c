/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arm_pipe.c - calls that nobody waits for; see arm_pipe.h.
 *
 *     start -> at the gate -> on the wire -> answered -> done
 *                  ^             ^               |
 *                  +-- resting <-+---------------+ another try
 *
 * The lock protects the lists, the states and the counts. A flight that is answered or done is in
 * the queue and belongs to the worker who takes it. One worker at a time watches the clock for
 * those at the gate and at rest; the others wait for the queue.
 */
#include "azure/arm_pipe.h"

#include "azure/arm_internal.h"
#include "net/engine.h"

#define CONNECTIONS 500
#define CALLS_MAX 10000
/* The longest time between two looks at those who wait. */
#define NAP_MAX (20 * NS_PER_MS)
#define NAP_MIN (1 * NS_PER_MS)
/* Flights that are kept for the next calls, with some memory. */
#define SPARE_MAX 1024

enum flight_state { FLIGHT_GATE, FLIGHT_WIRE, FLIGHT_RESTS, FLIGHT_ANSWERED, FLIGHT_DONE };

struct flight {
    struct arm_done done;
    struct flight *next;         /* in the queue or among the spare ones */
    struct flight *left, *right; /* in the list of all that are not spare */
    struct arm_pipe *pipe;
    struct arena *own;
    struct arm *arm;
    enum flight_state state;
    str url;
    struct attempt attempt;
    struct tries tries;
    struct waiter *waiter; /* FLIGHT_GATE */
    int64_t when;          /* FLIGHT_RESTS */
    const struct http_response *response;
    struct err failure; /* of the exchange */
};

struct arm_pipe {
    struct arena *arena;
    struct arm_gate *gate;
    struct http_client *http;
    struct http_engine *engine;
    size_t calls_max;
    struct lock lock;
    pthread_cond_t changed; /* for those who are idle */
    pthread_cond_t nap;     /* for the one who watches */
    struct flight *queue, **queue_end, *all, *spare;
    size_t spare_count, most_sent, count[FLIGHT_DONE + 1], total;
    size_t idle; /* workers who wait for the queue */
    bool waking; /* one of them was called and has not come yet */
    bool napping;
    bool watched, closing, cut;
};

/* ---- Lists. Under the lock. ---- */

static void set_state(struct flight *f, enum flight_state state)
{
    struct arm_pipe *p = f->pipe;

    p->count[f->state]--;
    p->count[state]++;
    f->state = state;
    if (p->count[FLIGHT_WIRE] > p->most_sent)
        p->most_sent = p->count[FLIGHT_WIRE];
}

/*
 * Calls a worker, one at a time: who comes and leaves something behind calls the next. Waking costs
 * as much as half a call, and those who are at it take most of what comes in the meantime.
 */
static void call_worker(struct arm_pipe *p)
{
    if (p->napping) {
        p->napping = false;
        pthread_cond_signal(&p->nap);
        return;
    }
    if (p->waking || !p->idle)
        return;
    p->waking = true;
    pthread_cond_signal(&p->changed);
}

/* For the next worker. */
static void enqueue(struct flight *f, enum flight_state state)
{
    struct arm_pipe *p = f->pipe;

    set_state(f, state);
    f->next = NULL;
    *p->queue_end = f;
    p->queue_end = &f->next;
    call_worker(p);
}

static struct flight *dequeue(struct arm_pipe *p)
{
    struct flight *f = p->queue;

    if (!f)
        return NULL;
    p->queue = f->next;
    if (!p->queue)
        p->queue_end = &p->queue;
    return f;
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
    AUTO_LOCK guard = lock_take(&p->lock);
    struct flight *f = p->spare;

    if (p->total == p->calls_max) {
        err_set(e, ERR_LIMIT, "%zu calls to Azure are under way, more are not started", p->total);
        return NULL;
    }
    if (f) {
        p->spare = f->next;
        p->spare_count--;
    } else {
        f = new_flight(p);
    }
    p->total++;
    f->state = FLIGHT_ANSWERED;
    p->count[f->state]++;
    f->left = NULL;
    f->right = p->all;
    if (p->all)
        p->all->left = f;
    p->all = f;
    return f;
}

/* ---- The way of a flight. ---- */

static void on_answer(void *ctx, const struct http_response *response, const struct err *failure)
{
    struct flight *f = ctx;
    AUTO_LOCK guard = lock_take(&f->pipe->lock);

    f->response = response;
    if (failure)
        err_copy(&f->failure, failure);
    enqueue(f, FLIGHT_ANSWERED);
}

static bool leave_gate(struct flight *f)
{
    AUTO_LOCK guard = lock_take(&f->pipe->lock);

    f->waiter = NULL;
    set_state(f, FLIGHT_WIRE);
    return !f->pipe->cut;
}

static void on_turn(void *ctx, const struct budget_grant *grant)
{
    struct flight *f = ctx;
    struct arm_pipe *p = f->pipe;

    f->attempt.grant = *grant;
    if (!leave_gate(f)) {
        AUTO_ERR e = {0};
        static const struct http_response none;
        (void)err_set(&e, ERR_CANCELLED, "context canceled");
        on_answer(f, &none, &e);
        return;
    }
    f->attempt.request.timeout = attempt_timeout(f->arm, &f->done.call);
    http_engine_start(p->engine, &(struct http_job){.arena = f->done.arena,
                                                    .request = f->attempt.request,
                                                    .done = on_answer,
                                                    .ctx = f});
}

static void finish(struct flight *f)
{
    AUTO_LOCK guard = lock_take(&f->pipe->lock);

    enqueue(f, FLIGHT_DONE);
}

static bool enter_gate(struct flight *f)
{
    struct arm_pipe *p = f->pipe;
    AUTO_LOCK guard = lock_take(&p->lock);

    set_state(f, FLIGHT_GATE);
    if (gate_submit(p->gate, &f->attempt.turn, on_turn, f, &f->waiter, &f->done.failure)) {
        /* Somebody must watch the clock, unless its turn comes at once. */
        if (!p->watched)
            call_worker(p);
        return true;
    }
    set_state(f, FLIGHT_ANSWERED);
    return false;
}

/* One try, from its beginning. */
static void launch(struct flight *f)
{
    struct arm_done *d = &f->done;

    arena_reset(f->attempt.secret);
    f->attempt.request = (struct http_request){0};
    if (attempt_begin(f->arm, d->arena, &d->call, f->url, &d->result, &f->attempt, &d->failure) &&
        enter_gate(f))
        gate_look(f->pipe->gate);
    else
        finish(f);
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
    f->when = when;
    set_state(f, FLIGHT_RESTS);
    call_worker(p);
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
    if (failure_again(&f->attempt, &f->failure, &f->tries, &wait) && rest(f, wait)) {
        err_clear(&f->failure);
        return false;
    }
    (void)http_explain(&f->failure, f->response);
    (void)err_copy(&d->failure, &f->failure);
    return true;
}

/* ---- Watching the clock. ---- */

/* One whose rest is over, or NULL; when the next one will be. */
static struct flight *rested(struct arm_pipe *p, int64_t now, int64_t *next)
{
    AUTO_LOCK guard = lock_take(&p->lock);

    for (struct flight *f = p->all; f && p->count[FLIGHT_RESTS]; f = f->right) {
        if (f->state != FLIGHT_RESTS)
            continue;
        if (f->when <= now || p->cut) {
            set_state(f, FLIGHT_ANSWERED);
            return f;
        }
        if (f->when < *next)
            *next = f->when;
    }
    return NULL;
}

/* Ends those at the gate whose time is over. */
static void expire(struct arm_pipe *p, int64_t now)
{
    AUTO_LOCK guard = lock_take(&p->lock);

    for (struct flight *f = p->all; f && p->count[FLIGHT_GATE]; f = f->right) {
        const struct arm_call *call = &f->done.call;
        const bool cancelled = p->cut || http_cancel_raised(call->cancel);
        if (f->state != FLIGHT_GATE || !f->waiter ||
            (!cancelled && !(call->deadline && now >= call->deadline)) ||
            !gate_forget(p->gate, f->waiter))
            continue;
        f->waiter = NULL;
        (void)(cancelled ? err_set(&f->done.failure, ERR_CANCELLED, "context canceled")
                         : err_set(&f->done.failure, ERR_IO,
                                   "waiting for the request budget: there is no time left for "
                                   "this call"));
        enqueue(f, FLIGHT_DONE);
    }
}

static bool is_cut(struct arm_pipe *p)
{
    AUTO_LOCK guard = lock_take(&p->lock);

    return p->cut;
}

/* Does what the time asks for, and naps until it may ask again. */
static void watch(struct arm_pipe *p)
{
    const int64_t now = clock_mono();
    int64_t next = gate_look(p->gate), nap;
    struct flight *f;

    while ((f = rested(p, now, &next)))
        if (is_cut(p)) {
            (void)err_set(&f->done.failure, ERR_CANCELLED, "context canceled");
            finish(f);
        } else {
            launch(f);
        }
    expire(p, now);
    nap = next - now > NAP_MAX ? NAP_MAX : next - now;
    if (nap < NAP_MIN)
        nap = NAP_MIN;
    {
        AUTO_LOCK guard = lock_take(&p->lock);
        if (p->queue)
            return;
        /* While answers are to come, time is real: it does not pass by our doing. */
        if (p->count[FLIGHT_WIRE]) {
            p->napping = true;
            clock_wire_wait(&p->nap, &p->lock.mutex, nap);
            p->napping = false;
            return;
        }
    }
    clock_sleep(nap);
}

/* ---- Workers. ---- */

/* What a worker finds: a flight, or work with the clock, or (false) the end. */
static bool find_work(struct arm_pipe *p, struct flight **f)
{
    AUTO_LOCK guard = lock_take(&p->lock);

    for (;;) {
        *f = dequeue(p);
        if (p->queue)
            call_worker(p);
        if (*f)
            return true;
        if (p->closing && !p->total)
            return false;
        if (!p->watched && p->count[FLIGHT_GATE] + p->count[FLIGHT_RESTS])
            return p->watched = true;
        p->idle++;
        pthread_cond_wait(&p->changed, &p->lock.mutex);
        p->idle--;
        p->waking = false;
    }
}

static void end_watch(struct arm_pipe *p)
{
    AUTO_LOCK guard = lock_take(&p->lock);

    p->watched = false;
}

static bool somebody_waits(struct arm_pipe *p)
{
    AUTO_LOCK guard = lock_take(&p->lock);

    return p->count[FLIGHT_GATE] > 0;
}

struct arm_done *arm_pipe_next(struct arm_pipe *p)
{
    struct flight *f;

    while (find_work(p, &f)) {
        if (!f) {
            watch(p);
            end_watch(p);
            continue;
        }
        if (f->state == FLIGHT_DONE)
            return &f->done;
        bool landed = land(f);
        /* An answer may let somebody go. */
        if (somebody_waits(p))
            gate_look(p->gate);
        if (landed)
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
        if (f->left)
            f->left->right = f->right;
        else
            p->all = f->right;
        if (f->right)
            f->right->left = f->left;
        p->count[f->state]--;
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

    p->arena = a;
    p->gate = config->gate;
    p->calls_max = config->calls_max ? config->calls_max : CALLS_MAX;
    p->lock = (struct lock)LOCK_INIT;
    pthread_cond_init(&p->changed, NULL);
    pthread_cond_init(&p->nap, NULL);
    p->queue_end = &p->queue;
    if (!http_client_new(&http, &p->http, e)) {
        arena_free(a);
        return false;
    }
    p->engine = http_engine_new(p->http, config->connections ? config->connections : CONNECTIONS);
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
    arm_pipe_close(p);
    {
        AUTO_LOCK guard = lock_take(&p->lock);
        p->cut = true;
    }
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
                                   .sent = p->count[FLIGHT_WIRE],
                                   .resting = p->count[FLIGHT_RESTS],
                                   .unreleased = p->total,
                                   .most_sent = p->most_sent,
                                   .connections = engine.connections};
}
