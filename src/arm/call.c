/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call.c - the life of a call in a pipe, from its first attempt to its last; see pipe_internal.h.
 */
#include "arm/pipe_internal.h"

#include "net/http/streams.h"

/* ---- Lists. ---- */

void call_list_append(struct call_list *l, struct pipe_call *c)
{
    c->next = NULL;
    *l->last = c;
    l->last = &c->next;
}

struct pipe_call *call_list_take(struct call_list *l)
{
    struct pipe_call *c = l->first;

    if (!c)
        return NULL;
    l->first = c->next;
    if (!l->first)
        l->last = &l->first;
    return c;
}

void pipe_call_park(struct pipe_call *c, enum call_place place)
{
    struct arm_pipe *p = c->pipe;

    p->count[place]++;
    c->place = place;
    c->left = NULL;
    c->right = p->parked;
    if (p->parked)
        p->parked->left = c;
    p->parked = c;
}

void pipe_call_unpark(struct pipe_call *c)
{
    struct arm_pipe *p = c->pipe;

    p->count[c->place]--;
    c->place = CALL_MOVES;
    if (c->left)
        c->left->right = c->right;
    else
        p->parked = c->right;
    if (c->right)
        c->right->left = c->left;
}

/* ---- Calls. ---- */

struct pipe_call *pipe_call_new(struct arm_pipe *p)
{
    struct arena *a = arena_new();
    struct pipe_call *c = ARENA_NEW(a, struct pipe_call);

    c->own = a;
    c->pipe = p;
    c->done.arena = arena_new();
    c->attempt.secret = arena_new_secret();
    return c;
}

void pipe_call_free(struct pipe_call *c)
{
    err_clear(&c->failure);
    err_clear(&c->done.failure);
    err_clear(&c->wish.failure);
    arena_free(c->attempt.secret);
    arena_free(c->done.arena);
    arena_free(c->own);
}

/* ---- The life of a call. ---- */

void pipe_call_finish(struct pipe_call *c)
{
    struct arm_pipe *p = c->pipe;
    AUTO_LOCK guard = lock_take(&p->lock);

    c->is_done = true;
    call_list_append(&p->queue, c);
    pipe_call_workers(p);
}

bool pipe_call_is_over(struct pipe_call *c)
{
    return c->pipe->cut || term_is_over(&c->pipe->terms, c->done.call.term);
}

/* Called on the thread of the streams. */
static void on_answer(void *ctx, const struct http_response *response, const struct err *failure)
{
    struct pipe_call *c = ctx;

    c->response = response;
    if (failure)
        err_copy(&c->failure, failure);
    call_list_append(&c->pipe->arrived, c);
    atomic_fetch_sub(&c->pipe->sent, 1);
}

/* Called on the thread of the streams. */
void pipe_on_settled(void *ctx)
{
    struct arm_pipe *p = ctx;
    AUTO_LOCK guard = lock_take(&p->lock);

    if (!p->arrived.first)
        return;
    *p->queue.last = p->arrived.first;
    p->queue.last = p->arrived.last;
    p->arrived = (struct call_list){.last = &p->arrived.first};
    pipe_call_workers(p);
}

/* Called on the thread of the streams: the term may have ended while waiting for a connection. */
static bool may_begin(void *ctx)
{
    return !pipe_call_is_over(ctx);
}

/* Sends the request: its turn has come. */
static void send(struct pipe_call *c)
{
    struct arm_pipe *p = c->pipe;
    size_t sent = atomic_fetch_add(&p->sent, 1) + 1, most = p->most_sent;

    while (sent > most && !atomic_compare_exchange_weak(&p->most_sent, &most, sent))
        ;
    c->attempt.request.timeout = attempt_timeout(c->arm, &c->done.call);
    c->attempt.request.ctx = c;
    http_streams_start(p->streams, &(struct http_stream){.arena = c->done.arena,
                                                         .request = c->attempt.request,
                                                         .may_begin = may_begin,
                                                         .on_end = on_answer});
}

static void on_turn(void *ctx, const struct budget_grant *grant)
{
    static const struct http_response none;
    struct pipe_call *c = ctx;
    struct arm_pipe *p = c->pipe;
    AUTO_LOCK guard = lock_take(&p->lock);

    c->attempt.grant = *grant;
    c->waiter = NULL;
    pipe_call_unpark(c);
    if (!p->cut) {
        send(c);
        return;
    }
    /* The streams are gone already. */
    c->response = &none;
    (void)err_set(&c->failure, ERR_CANCELLED, "context canceled");
    call_list_append(&p->queue, c);
}

/* True when its turn has come in the meantime. */
static bool wait_at_gate(struct pipe_call *c, struct waiter *w)
{
    struct arm_pipe *p = c->pipe;
    AUTO_LOCK guard = lock_take(&p->lock);

    c->waiter = w;
    pipe_call_park(c, CALL_AWAITS_TURN);
    if (gate_tell(p->gate, w, on_turn, c, &c->attempt.grant)) {
        pipe_call_workers(p);
        return false;
    }
    pipe_call_unpark(c);
    c->waiter = NULL;
    return true;
}

void pipe_call_begin_try(struct pipe_call *c)
{
    struct arm_done *d = &c->done;
    struct waiter *w = NULL;

    if (pipe_call_is_over(c)) {
        pipe_call_cancel(c);
        pipe_call_finish(c);
        return;
    }
    arena_reset(c->attempt.secret);
    c->attempt.request = (struct http_request){0};
    if (!pipe_call_get_token(c))
        return;
    attempt_begin(c->arm, d->arena, &d->call, c->url, &d->result, &c->attempt);
    if (!gate_ask(c->pipe->gate, &c->attempt.turn, &c->attempt.grant, &w, &d->failure))
        pipe_call_finish(c);
    else if (!w || wait_at_gate(c, w))
        send(c);
}

/* Schedules another attempt. False when there is no time left for it. */
static bool retry_later(struct pipe_call *c, int64_t wait)
{
    struct arm_pipe *p = c->pipe;
    const struct arm_call *call = &c->done.call;
    const int64_t when = clock_mono() + wait;

    if ((call->deadline && when > call->deadline) || http_cancel_raised(call->cancel) ||
        pipe_call_is_over(c))
        return false;
    AUTO_LOCK guard = lock_take(&p->lock);
    err_clear(&c->failure);
    c->when = when;
    pipe_call_park(c, CALL_RETRIES_LATER);
    p->busy--;
    pipe_call_workers(p);
    return true;
}

/* ---- Registering a provider in its place. ---- */

static void use_call(struct pipe_call *c, const struct arm_call *call, str url)
{
    c->done.call = *call;
    c->url = url;
}

/* Sets the call aside. False: the error response does not name a provider. */
static bool begin_registration(struct pipe_call *c)
{
    struct arm_done *d = &c->done;

    if (!registration_begin(d->arena, &c->registration, &d->call, &d->result.error, NULL))
        return false;
    c->outer = (struct outer){d->call, d->result, c->url, c->tries};
    c->registers = true;
    c->tries = (struct tries){.registered = true};
    use_call(c, &c->registration.ask, arm_url(c->arm, d->arena, &c->registration.ask));
    d->result = (struct arm_result){.retry_after = -1};
    return true;
}

static void end_registration(struct pipe_call *c)
{
    c->registers = false;
    c->tries = c->outer.tries;
    c->done.result = c->outer.result;
    use_call(c, &c->outer.call, c->outer.url);
}

void pipe_call_cancel(struct pipe_call *c)
{
    if (c->registers)
        end_registration(c);
    c->done.result.status = 0;
    (void)err_set(&c->done.failure, ERR_CANCELLED, "context canceled");
}

/* Handles the end of a registration's call. True: the next one follows, or the outer call again. */
static bool go_on_registering(struct pipe_call *c, bool ok)
{
    struct arm_done *d = &c->done;
    enum registration_next next = REGISTRATION_FAILED;
    int64_t wait = 0;

    if (ok)
        next = registration_step(d->arena, &c->registration, d->result.body, &wait, NULL);
    if (next == REGISTRATION_ASK) {
        c->tries = (struct tries){.registered = true};
        d->result = (struct arm_result){.retry_after = -1};
        use_call(c, &c->registration.ask, arm_url(c->arm, d->arena, &c->registration.ask));
    } else {
        end_registration(c);
    }
    return next != REGISTRATION_FAILED && retry_later(c, wait);
}

/* ---- The end of an attempt. ---- */

static bool end_with_answer(struct pipe_call *c)
{
    struct arm_done *d = &c->done;
    int64_t wait;
    enum again again = answer_again(c->arm, &d->call, &c->attempt, &d->result, &c->tries, &wait);

    if (again == AGAIN_REGISTERED && !begin_registration(c))
        again = AGAIN_NOT;
    if (again != AGAIN_NOT && retry_later(c, wait))
        return false;
    /*
     * If nobody waits for the registration any more, or it has ended, the outer call's error
     * counts.
     */
    if (c->registers && go_on_registering(c, again == AGAIN_NOT && !d->result.verdict.retry))
        return false;
    if (c->registers)
        end_registration(c);
    d->ok = !d->result.verdict.retry;
    if (!d->ok)
        (void)arm_refused(d->arena, &d->result, &d->failure);
    return true;
}

static bool end_with_failure(struct pipe_call *c)
{
    struct arm_done *d = &c->done;
    int64_t wait;

    if (failure_again(&c->attempt, &c->failure, &c->tries, &wait) && retry_later(c, wait))
        return false;
    if (c->registers) {
        end_registration(c);
        (void)arm_refused(d->arena, &d->result, &d->failure);
        return true;
    }
    (void)http_explain(&c->failure, c->response);
    (void)err_copy(&d->failure, &c->failure);
    return true;
}

bool pipe_call_end_try(struct pipe_call *c)
{
    struct arm_done *d = &c->done;
    const bool ok = !c->failure.kind;

    if (c->fetches || c->begins) {
        pipe_call_take_token(c);
        return false;
    }
    attempt_end(c->arm, d->arena, &d->call, c->response, ok, &d->result, &c->attempt);
    return ok ? end_with_answer(c) : end_with_failure(c);
}
