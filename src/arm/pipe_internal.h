/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pipe_internal.h - shared by the files of a pipe. The life of a call:
 *
 *     start -> token -> at the gate -> on the wire -> answered -> done
 *                ^                         ^             |
 *                +-------- later <---------+-------------+ another try
 *
 * If there is no token, one call fetches it, and the others with that credential are parked until
 * notified. A call whose provider must be registered makes the calls for that itself, with its
 * own request set aside (struct outer).
 *
 * The lock protects the lists and the counts. A call is parked while it waits for the budget or for
 * its next attempt, and in the queue when it is answered or done; otherwise it belongs to whoever
 * works on it: a worker, or the streams, which pass on responses in batches.
 *
 * One worker at a time watches the clock for parked calls, and helps if the queue is not empty
 * when its wait ends; the others wait for the queue.
 */
#pragma once

#include "arm/arm_internal.h"
#include "arm/pipe.h"

#include <stdatomic.h>

enum call_place {
    CALL_MOVES,
    CALL_AWAITS_TOKEN,
    CALL_AWAITS_TURN,
    CALL_RETRIES_LATER,
    CALL_PLACES
};

/* The call that waits for a registration. */
struct outer {
    struct arm_call call;
    struct arm_result result;
    str url;
    struct tries tries;
};

struct pipe_call {
    struct arm_done done;
    struct pipe_call *next;         /* in the queue, among arrived or spare calls */
    struct pipe_call *left, *right; /* among parked calls */
    struct arm_pipe *pipe;
    struct arena *own;
    struct arm *arm;
    enum call_place place;
    bool is_done; /* only the notification is left */
    str url;
    struct attempt attempt;
    struct tries tries;
    struct credential_wish wish; /* its token */
    bool notified;               /* the notification came before the call was parked */
    bool fetches;                /* this call fetches the token: wish.fetch is in progress */
    bool begins;                 /* in the queue: to begin an attempt */
    bool registers;
    struct registration registration;
    struct outer outer;
    struct waiter *waiter; /* CALL_AWAITS_TURN */
    int64_t when;          /* CALL_RETRIES_LATER */
    const struct http_response *response;
    struct err failure; /* while sending or receiving */
};

struct call_list {
    struct pipe_call *first, **last;
};

struct arm_pipe {
    struct arena *arena;
    struct arm_gate *gate;
    struct http_client *http;
    struct http_streams *streams;
    struct http_client *token_http[2]; /* for tokens; the second has no proxy */
    struct http_streams *token_streams[2];
    size_t calls_max;
    struct call_list arrived; /* used by the thread of the streams, until it settles */
    _Atomic size_t sent, most_sent;
    _Atomic bool cut;
    struct terms terms;
    struct http_cancel *fetching; /* raised at the end of all terms: tokens are useless then */
    struct lock lock;
    pthread_cond_t changed;   /* for idle workers */
    pthread_cond_t idle_wait; /* for the worker that watches the clock */
    struct call_list queue;
    struct pipe_call *parked, *spare;
    size_t spare_count, count[CALL_PLACES], total;
    size_t idle;    /* workers that wait for the queue */
    size_t busy;    /* workers that have taken something and not released it yet */
    size_t runners; /* as long as fewer are busy, another is woken at once */
    bool waking;    /* an idle worker was called and has not come yet */
    bool waking_watcher;
    bool watched, idling, closing;
};

/* ---- pipe.c ---- */

/*
 * Wakes workers for the available work; call with the lock held. Waking one costs as much as half a
 * call, so beyond the number of processors no worker is woken for the queue at once: those already
 * running mostly take all of it. If they do not, because they wait for something themselves, the
 * worker that watches the clock will join them. Workers are woken one by one, so that none is
 * counted on twice.
 */
void pipe_call_workers(struct arm_pipe *p);

/* ---- call.c ---- */

/* Lists; call with the lock held, except for arrived calls. */
void call_list_append(struct call_list *l, struct pipe_call *c);
/* The first one, or NULL. */
struct pipe_call *call_list_take(struct call_list *l);
void pipe_call_park(struct pipe_call *c, enum call_place place);
void pipe_call_unpark(struct pipe_call *c);

struct pipe_call *pipe_call_new(struct arm_pipe *p);
void pipe_call_free(struct pipe_call *c);

/* Begins an attempt. */
void pipe_call_begin_try(struct pipe_call *c);
/*
 * Ends an attempt; called by a busy worker. True when it was the last; else the worker no longer
 * owns the call.
 */
MUST_CHECK bool pipe_call_end_try(struct pipe_call *c);
/* Whether nothing more may be sent for it. */
bool pipe_call_is_over(struct pipe_call *c);
/* Fails it as cancelled. */
void pipe_call_cancel(struct pipe_call *c);
/* Hands it to a worker as done. Takes the lock. */
void pipe_call_finish(struct pipe_call *c);
/* For the streams: passes on the responses that have arrived. ctx is the pipe. */
void pipe_on_settled(void *ctx);

/* ---- call_token.c ---- */

/* Gets the tokens of c. False: it waits for them, or has ended. */
MUST_CHECK bool pipe_call_get_token(struct pipe_call *c);
/* The response to its fetch; called by a busy worker, which no longer owns c afterwards. */
void pipe_call_take_token(struct pipe_call *c);
/* Sends its fetch, or sends it again. */
void pipe_call_send_fetch(struct pipe_call *c);
/* Gives up its fetch. */
void pipe_call_end_fetch(struct pipe_call *c);
/* Starts their threads at the beginning, so that the number of threads does not depend on calls. */
void pipe_start_tokens(struct arm_pipe *p);
/* Driven mode: steps the streams for tokens. */
int64_t pipe_step_tokens(struct arm_pipe *p);
void pipe_free_tokens(struct arm_pipe *p);

/* ---- pipe_timer.c ---- */

/* Does what is due now. Returns when there may be more to do. */
int64_t pipe_look(struct arm_pipe *p);
/* The same, then idles until then. For the worker that watches the clock. */
void pipe_watch(struct arm_pipe *p);
