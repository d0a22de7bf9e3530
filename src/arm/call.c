/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.c - the way of one call through a pipe, from its first try to its last; see
 * pipe_internal.h.
 */
#include "arm/pipe_internal.h"

#include "net/http/streams.h"

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
    err_clear(&f->wish.failure);
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

bool flight_is_over(struct flight *f)
{
    return f->pipe->cut || term_is_over(&f->pipe->terms, f->done.call.term);
}

/* On the thread of the streams. */
static void on_answer(void *ctx, const struct http_response *response, const struct err *failure)
{
    struct flight *f = ctx;

    f->response = response;
    if (failure)
        err_copy(&f->failure, failure);
    flights_append(&f->pipe->arrived, f);
    atomic_fetch_sub(&f->pipe->sent, 1);
}

/* On the thread of the streams too. */
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

/* On the thread of the streams: its term may have ended while it waited for a connection. */
static bool may_begin(void *ctx)
{
    return !flight_is_over(ctx);
}

/* Its turn has come. */
static void take_off(struct flight *f)
{
    struct arm_pipe *p = f->pipe;
    size_t sent = atomic_fetch_add(&p->sent, 1) + 1, most = p->most_sent;

    while (sent > most && !atomic_compare_exchange_weak(&p->most_sent, &most, sent))
        ;
    f->attempt.request.timeout = attempt_timeout(f->arm, &f->done.call);
    f->attempt.request.ctx = f;
    http_streams_start(p->streams, &(struct http_stream){.arena = f->done.arena,
                                                         .request = f->attempt.request,
                                                         .may_begin = may_begin,
                                                         .on_end = on_answer});
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
    /* There are no streams any more. */
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

    if (flight_is_over(f)) {
        flight_cancel(f);
        flight_finish(f);
        return;
    }
    arena_reset(f->attempt.secret);
    f->attempt.request = (struct http_request){0};
    if (!flight_get_token(f))
        return;
    attempt_begin(f->arm, d->arena, &d->call, f->url, &d->result, &f->attempt);
    if (!gate_ask(f->pipe->gate, &f->attempt.turn, &f->attempt.grant, &w, &d->failure))
        flight_finish(f);
    else if (!w || wait_at_gate(f, w))
        take_off(f);
}

/* Tries again after a while. False when there is no time for it. */
static bool retry_later(struct flight *f, int64_t wait)
{
    struct arm_pipe *p = f->pipe;
    const struct arm_call *call = &f->done.call;
    const int64_t when = clock_mono() + wait;

    if ((call->deadline && when > call->deadline) || http_cancel_raised(call->cancel) ||
        flight_is_over(f))
        return false;
    AUTO_LOCK guard = lock_take(&p->lock);
    err_clear(&f->failure);
    f->when = when;
    flight_park(f, FLIGHT_RESTS);
    p->busy--;
    pipe_call_workers(p);
    return true;
}

/* ---- Registering a provider in its place. ---- */

static void use_call(struct flight *f, const struct arm_call *call, str url)
{
    f->done.call = *call;
    f->url = url;
}

/* Puts the call aside. False: the refusal names no provider. */
static bool begin_registration(struct flight *f)
{
    struct arm_done *d = &f->done;

    if (!registration_begin(d->arena, &f->registration, &d->call, &d->result.error, NULL))
        return false;
    f->outer = (struct outer){d->call, d->result, f->url, f->tries};
    f->registers = true;
    f->tries = (struct tries){.registered = true};
    use_call(f, &f->registration.ask, arm_url(f->arm, d->arena, &f->registration.ask));
    d->result = (struct arm_result){.retry_after = -1};
    return true;
}

static void end_registration(struct flight *f)
{
    f->registers = false;
    f->tries = f->outer.tries;
    f->done.result = f->outer.result;
    use_call(f, &f->outer.call, f->outer.url);
}

void flight_cancel(struct flight *f)
{
    if (f->registers)
        end_registration(f);
    f->done.result.status = 0;
    (void)err_set(&f->done.failure, ERR_CANCELLED, "context canceled");
}

/* A call of a registration has ended. True: the next one, or the outer one again, follows. */
static bool go_on_registering(struct flight *f, bool ok)
{
    struct arm_done *d = &f->done;
    enum registration_next next = REGISTRATION_FAILED;
    int64_t wait = 0;

    if (ok)
        next = registration_step(d->arena, &f->registration, d->result.body, &wait, NULL);
    if (next == REGISTRATION_ASK) {
        f->tries = (struct tries){.registered = true};
        d->result = (struct arm_result){.retry_after = -1};
        use_call(f, &f->registration.ask, arm_url(f->arm, d->arena, &f->registration.ask));
    } else {
        end_registration(f);
    }
    return next != REGISTRATION_FAILED && retry_later(f, wait);
}

/* ---- The end of a try. ---- */

static bool land_answer(struct flight *f)
{
    struct arm_done *d = &f->done;
    int64_t wait;
    enum again again = answer_again(f->arm, &d->call, &f->attempt, &d->result, &f->tries, &wait);

    if (again == AGAIN_REGISTERED && !begin_registration(f))
        again = AGAIN_NOT;
    if (again != AGAIN_NOT && retry_later(f, wait))
        return false;
    /* Nobody waits for it any more, or it has ended: then the refusal of the outer call counts. */
    if (f->registers && go_on_registering(f, again == AGAIN_NOT && !d->result.verdict.retry))
        return false;
    if (f->registers)
        end_registration(f);
    d->ok = !d->result.verdict.retry;
    if (!d->ok)
        (void)arm_refused(f->arm, d->arena, &d->call, &d->result, &d->failure);
    return true;
}

static bool land_failure(struct flight *f)
{
    struct arm_done *d = &f->done;
    int64_t wait;

    if (failure_again(&f->attempt, &f->failure, &f->tries, &wait) && retry_later(f, wait))
        return false;
    if (f->registers) {
        end_registration(f);
        (void)arm_refused(f->arm, d->arena, &d->call, &d->result, &d->failure);
        return true;
    }
    (void)http_explain(&f->failure, f->response);
    (void)err_copy(&d->failure, &f->failure);
    return true;
}

bool flight_land(struct flight *f)
{
    struct arm_done *d = &f->done;
    const bool ok = !f->failure.kind;

    if (f->fetches || f->relaunch) {
        flight_take_token(f);
        return false;
    }
    attempt_end(f->arm, d->arena, &d->call, f->response, ok, &d->result, &f->attempt);
    return ok ? land_answer(f) : land_failure(f);
}
