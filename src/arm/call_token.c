/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_token.c - how a call gets its token without blocking; see pipe_internal.h.
 *
 * Requests for tokens have streams of their own, so that slow tenants take no connection from
 * calls.
 */
#include "arm/pipe_internal.h"

#include "net/http/streams.h"

/* Tenants respond quickly unless they are in trouble: this many may be. */
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

/* Called on the thread of the streams. */
static void on_token(void *ctx, const struct http_response *response, const struct err *failure)
{
    struct pipe_call *c = ctx;
    struct arm_pipe *p = c->pipe;

    c->response = response;
    if (failure)
        (void)err_copy(&c->failure, failure);
    AUTO_LOCK guard = lock_take(&p->lock);
    call_list_append(&p->queue, c);
    pipe_call_workers(p);
}

void pipe_call_end_fetch(struct pipe_call *c)
{
    AUTO_ERR e = {0};

    (void)err_set(&e, ERR_CANCELLED, "context canceled");
    c->fetches = false;
    credential_fetch_end(c->wish.fetch, &e);
}

void pipe_call_send_fetch(struct pipe_call *c)
{
    bool direct;
    struct http_request request = *credential_fetch_request(c->wish.fetch, &direct);

    err_clear(&c->failure);
    request.ctx = c;
    request.cancel = c->pipe->fetching;
    http_streams_start(c->pipe->token_streams[direct],
                       &(struct http_stream){.arena = credential_fetch_arena(c->wish.fetch),
                                             .request = request,
                                             .on_end = on_token});
}

/* Another call has fetched the token, or failed to. Called from any thread. */
static void on_told(void *ctx)
{
    struct pipe_call *c = ctx;
    struct arm_pipe *p = c->pipe;
    AUTO_LOCK guard = lock_take(&p->lock);

    c->notified = true;
    if (c->place != CALL_AWAITS_TOKEN)
        return;
    pipe_call_unpark(c);
    c->begins = true;
    call_list_append(&p->queue, c);
    pipe_call_workers(p);
}

/* False: it was notified meanwhile. */
static bool park(struct pipe_call *c)
{
    struct arm_pipe *p = c->pipe;
    AUTO_LOCK guard = lock_take(&p->lock);

    if (c->notified)
        return false;
    pipe_call_park(c, CALL_AWAITS_TOKEN);
    pipe_call_workers(p);
    return true;
}

bool pipe_call_get_token(struct pipe_call *c)
{
    struct credential_wish *wish = &c->wish;

    for (;;) {
        c->notified = false;
        wish->listener = (struct credential_listener){.tell = on_told, .ctx = c};
        switch (credential_try(c->arm->config.credential, c->attempt.secret, c->arm->scope, wish)) {
        case CREDENTIAL_READY:
            c->attempt.token = wish->token;
            c->attempt.auxiliary = wish->auxiliary;
            wish->began = 0;
            return true;
        case CREDENTIAL_FETCH:
            c->fetches = true;
            pipe_call_send_fetch(c);
            return false;
        case CREDENTIAL_WAIT:
            if (park(c))
                return false;
            continue;
        case CREDENTIAL_FAILED:
            wish->began = 0;
            (void)err_copy(&c->done.failure, &wish->failure);
            err_clear(&wish->failure);
            pipe_call_finish(c);
            return false;
        }
    }
}

/* Waits between two attempts at a fetch. */
static void wait_before_fetch(struct pipe_call *c, int64_t wait)
{
    struct arm_pipe *p = c->pipe;
    AUTO_LOCK guard = lock_take(&p->lock);

    c->when = clock_mono() + wait;
    pipe_call_park(c, CALL_RETRIES_LATER);
    p->busy--;
    pipe_call_workers(p);
}

void pipe_call_take_token(struct pipe_call *c)
{
    struct arm_pipe *p = c->pipe;
    int64_t wait;

    if (c->begins) {
        c->begins = false;
    } else if (credential_fetch_answer(c->wish.fetch, c->response,
                                       c->failure.kind ? &c->failure : NULL, &wait)) {
        wait_before_fetch(c, wait);
        return;
    } else {
        c->fetches = false;
        err_clear(&c->failure);
    }
    {
        AUTO_LOCK guard = lock_take(&p->lock);
        p->busy--;
    }
    pipe_call_begin_try(c);
}
