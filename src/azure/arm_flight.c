/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arm_flight.c - the way of one call through a pipe, from its first try to its last; see
 * arm_pipe_internal.h.
 */
#include "azure/arm_pipe_internal.h"

#include "net/engine.h"

/* ---- Lists. ---- */

void flights_append(struct flights *l, struct flight *f)
{
    f->next = NULL;
    *l->last = f;
    l->last = &f->next;
}

struct flight *flights_take(struct flights *l)
{
    struct flight *f = l->first;

    if (!f)
        return NULL;
    l->first = f->next;
    if (!l->first)
        l->last = &l->first;
    return f;
}

void flight_park(struct flight *f, enum flight_place place)
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

void flight_unpark(struct flight *f)
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

/* ---- Flights. ---- */

struct flight *flight_new(struct arm_pipe *p)
{
    struct arena *a = arena_new();
    struct flight *f = ARENA_NEW(a, struct flight);

    f->own = a;
    f->pipe = p;
    f->done.arena = arena_new();
    f->attempt.secret = arena_new_secret();
    return f;
}

void flight_free(struct flight *f)
{
    err_clear(&f->failure);
    err_clear(&f->done.failure);
    arena_free(f->attempt.secret);
    arena_free(f->done.arena);
    arena_free(f->own);
}

/* ---- The way of a flight. ---- */

void flight_finish(struct flight *f)
{
    struct arm_pipe *p = f->pipe;
    AUTO_LOCK guard = lock_take(&p->lock);

    f->is_done = true;
    flights_append(&p->queue, f);
    pipe_call_workers(p);
}

void flight_cancel(struct flight *f)
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
    flights_append(&f->pipe->arrived, f);
    atomic_fetch_sub(&f->pipe->sent, 1);
}

/* On the thread of the engine too. */
void pipe_on_settled(void *ctx)
{
    struct arm_pipe *p = ctx;
    AUTO_LOCK guard = lock_take(&p->lock);

    if (!p->arrived.first)
        return;
    *p->queue.last = p->arrived.first;
    p->queue.last = p->arrived.last;
    p->arrived = (struct flights){.last = &p->arrived.first};
    pipe_call_workers(p);
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
    flight_unpark(f);
    if (!p->cut) {
        take_off(f);
        return;
    }
    /* There is no engine any more. */
    f->response = &none;
    (void)err_set(&f->failure, ERR_CANCELLED, "context canceled");
    flights_append(&p->queue, f);
}

/* True when its turn has come in the meantime. */
static bool wait_at_gate(struct flight *f, struct waiter *w)
{
    struct arm_pipe *p = f->pipe;
    AUTO_LOCK guard = lock_take(&p->lock);

    f->waiter = w;
    flight_park(f, FLIGHT_GATE);
    if (gate_tell(p->gate, w, on_turn, f, &f->attempt.grant)) {
        pipe_call_workers(p);
        return false;
    }
    flight_unpark(f);
    f->waiter = NULL;
    return true;
}

void flight_launch(struct flight *f)
{
    struct arm_done *d = &f->done;
    struct waiter *w = NULL;

    arena_reset(f->attempt.secret);
    f->attempt.request = (struct http_request){0};
    if (!attempt_begin(f->arm, d->arena, &d->call, f->url, &d->result, &f->attempt, &d->failure) ||
        !gate_ask(f->pipe->gate, &f->attempt.turn, &f->attempt.grant, &w, &d->failure))
        flight_finish(f);
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
    flight_park(f, FLIGHT_RESTS);
    p->busy--;
    pipe_call_workers(p);
    return true;
}

bool flight_land(struct flight *f)
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
