/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_token.c - how a call gets its token without blocking; see pipe_internal.h.
 *
 * Requests for tokens have streams of their own, so that slow tenants take no connection from
 * calls.
 */
#include "arm/pipe_internal.h"

#include "net/http/streams.h"

/* Tenants answer at once or are in trouble: so many may be. */
#define FETCHES_MAX 1000

/* ---- Streams. ---- */

void pipe_start_tokens(struct arm_pipe *p)
{
    for (size_t i = 0; i < COUNT(p->token_streams); i++) {
        p->token_streams[i] = http_streams_new(p->token_http[i]);
        http_streams_configure(p->token_streams[i], FETCHES_MAX, NULL, NULL);
    }
}

int64_t pipe_step_tokens(struct arm_pipe *p)
{
    int64_t due = INT64_MAX;

    for (size_t i = 0; i < COUNT(p->token_streams); i++) {
        int64_t at = p->token_streams[i] ? http_streams_step(p->token_streams[i]) : INT64_MAX;
        due = at < due ? at : due;
    }
    return due;
}

void pipe_free_tokens(struct arm_pipe *p)
{
    for (size_t i = 0; i < COUNT(p->token_streams); i++) {
        http_streams_free(p->token_streams[i]);
        p->token_streams[i] = NULL;
        http_client_free(p->token_http[i]);
    }
}

/* ---- Fetching. ---- */

/* On the thread of the streams. */
static void on_token(void *ctx, const struct http_response *response, const struct err *failure)
{
    struct flight *f = ctx;
    struct arm_pipe *p = f->pipe;

    f->response = response;
    if (failure)
        (void)err_copy(&f->failure, failure);
    AUTO_LOCK guard = lock_take(&p->lock);
    flights_append(&p->queue, f);
    pipe_call_workers(p);
}

void flight_end_fetch(struct flight *f)
{
    AUTO_ERR e = {0};

    (void)err_set(&e, ERR_CANCELLED, "context canceled");
    f->fetches = false;
    credential_fetch_end(f->wish.fetch, &e);
}

void flight_send_fetch(struct flight *f)
{
    bool direct;
    struct http_request request = *credential_fetch_request(f->wish.fetch, &direct);

    err_clear(&f->failure);
    request.ctx = f;
    request.cancel = f->pipe->fetching;
    http_streams_start(f->pipe->token_streams[direct],
                       &(struct http_stream){.arena = credential_fetch_arena(f->wish.fetch),
                                             .request = request,
                                             .on_end = on_token});
}

/* Another flight has fetched, or failed to. From any thread. */
static void on_told(void *ctx)
{
    struct flight *f = ctx;
    struct arm_pipe *p = f->pipe;
    AUTO_LOCK guard = lock_take(&p->lock);

    f->notified = true;
    if (f->place != FLIGHT_TOKEN)
        return;
    flight_unpark(f);
    f->relaunch = true;
    flights_append(&p->queue, f);
    pipe_call_workers(p);
}

/* False: it was notified meanwhile. */
static bool park(struct flight *f)
{
    struct arm_pipe *p = f->pipe;
    AUTO_LOCK guard = lock_take(&p->lock);

    if (f->notified)
        return false;
    flight_park(f, FLIGHT_TOKEN);
    pipe_call_workers(p);
    return true;
}

bool flight_get_token(struct flight *f)
{
    struct credential_wish *wish = &f->wish;

    for (;;) {
        f->notified = false;
        wish->listener = (struct credential_listener){.tell = on_told, .ctx = f};
        switch (credential_try(f->arm->config.credential, f->attempt.secret, f->arm->scope, wish)) {
        case CREDENTIAL_READY:
            f->attempt.token = wish->token;
            f->attempt.auxiliary = wish->auxiliary;
            wish->began = 0;
            return true;
        case CREDENTIAL_FETCH:
            f->fetches = true;
            flight_send_fetch(f);
            return false;
        case CREDENTIAL_WAIT:
            if (park(f))
                return false;
            continue;
        case CREDENTIAL_FAILED:
            wish->began = 0;
            (void)err_copy(&f->done.failure, &wish->failure);
            err_clear(&wish->failure);
            flight_finish(f);
            return false;
        }
    }
}

/* Between two tries of a fetch. */
static void wait_before_fetch(struct flight *f, int64_t wait)
{
    struct arm_pipe *p = f->pipe;
    AUTO_LOCK guard = lock_take(&p->lock);

    f->when = clock_mono() + wait;
    flight_park(f, FLIGHT_RESTS);
    p->busy--;
    pipe_call_workers(p);
}

static void let_go(struct arm_pipe *p)
{
    AUTO_LOCK guard = lock_take(&p->lock);

    p->busy--;
}

void flight_take_token(struct flight *f)
{
    struct arm_pipe *p = f->pipe;
    int64_t wait;

    if (f->relaunch) {
        f->relaunch = false;
    } else if (credential_fetch_answer(f->wish.fetch, f->response,
                                       f->failure.kind ? &f->failure : NULL, &wait)) {
        wait_before_fetch(f, wait);
        return;
    } else {
        f->fetches = false;
        err_clear(&f->failure);
    }
    let_go(p);
    flight_launch(f);
}
