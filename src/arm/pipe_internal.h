/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pipe_internal.h - what the files of a pipe share. A call on its way is a flight:
 *
 *     start -> token -> at the gate -> on the wire -> answered -> done
 *                ^                         ^             |
 *                +-------- resting <-------+-------------+ another try
 *
 * If there is no token, one flight fetches it, and the others with that credential are parked until
 * notified. A flight whose provider must be registered makes the calls for that itself, with its
 * own request set aside (struct outer).
 *
 * The lock protects the lists and the counts. A flight is parked while it waits for the budget or
 * for its next attempt, and in the queue when it is answered or done; otherwise it belongs to
 * whoever works on it: a worker, or the streams. Responses come from these in batches.
 *
 * One worker at a time watches the clock for parked flights, and helps if the queue is not empty
 * when its wait ends; the others wait for the queue.
 */
#pragma once

#include "arm/arm_internal.h"
#include "arm/pipe.h"

#include <stdatomic.h>

enum flight_place { FLIGHT_MOVES, FLIGHT_TOKEN, FLIGHT_GATE, FLIGHT_RESTS, FLIGHT_PLACES };

/* The call that waits for a registration. */
struct outer {
    struct arm_call call;
    struct arm_result result;
    str url;
    struct tries tries;
};

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
    struct credential_wish wish; /* its token */
    bool notified;               /* that came before the flight was parked */
    bool fetches;                /* the token, by itself: wish.fetch is under way */
    bool relaunch;               /* in the queue: to begin a try */
    bool registers;
    struct registration registration;
    struct outer outer;
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
    struct http_streams *streams;
    struct http_client *token_http[2]; /* of tokens; the second has no proxy */
    struct http_streams *token_streams[2];
    size_t calls_max;
    struct flights arrived; /* of the thread of the streams, until it settles */
    _Atomic size_t sent, most_sent;
    _Atomic bool cut;
    struct terms terms;
    struct http_cancel *fetching; /* raised at the end of all terms: tokens are of no use then */
    struct lock lock;
    pthread_cond_t changed;   /* for those who are idle */
    pthread_cond_t idle_wait; /* for the one who watches */
    struct flights queue;
    struct flight *parked, *spare;
    size_t spare_count, count[FLIGHT_PLACES], total;
    size_t idle;    /* workers who wait for the queue */
    size_t busy;    /* those who have taken something and not released it yet */
    size_t runners; /* so many busy ones are called without waiting */
    bool waking;    /* an idle one was called and has not come yet */
    bool waking_watcher;
    bool watched, idling, closing;
};

/* ---- pipe.c ---- */

/*
 * Calls workers to what there is; under the lock. Waking one costs as much as half a call, so
 * beyond the number of processors nobody is woken for the queue at once: those who are at it mostly
 * take all of it. If they do not, because they wait for something themselves, whoever watches will
 * join them. Each one that was called comes for itself, so that nobody is counted on twice.
 */
void pipe_call_workers(struct arm_pipe *p);

/* ---- call.c ---- */

/* Lists; under the lock, but for those that have arrived. */
void flights_append(struct flights *l, struct flight *f);
/* The first one, or NULL. */
struct flight *flights_take(struct flights *l);
void flight_park(struct flight *f, enum flight_place place);
void flight_unpark(struct flight *f);

struct flight *flight_new(struct arm_pipe *p);
void flight_free(struct flight *f);

/* One try, from its beginning. */
void flight_launch(struct flight *f);
/* The end of a try, by a busy worker. True when it was the last; else the worker has let go of it.
 */
MUST_CHECK bool flight_land(struct flight *f);
/* Whether nothing of it may be sent any more. */
bool flight_is_over(struct flight *f);
/* Its failure: it was abandoned. */
void flight_cancel(struct flight *f);
/* Hands it to a worker as done. Takes the lock. */
void flight_finish(struct flight *f);
/* For the streams: passes on the answers that have arrived. ctx is the pipe. */
void pipe_on_settled(void *ctx);

/* ---- call_token.c ---- */

/* The tokens of f. False: it waits for them, or has come to its end. */
MUST_CHECK bool flight_get_token(struct flight *f);
/* The response to its fetch; called by a busy worker, which no longer owns f afterwards. */
void flight_take_token(struct flight *f);
/* Sends its fetch, again. */
void flight_send_fetch(struct flight *f);
/* Gives its fetch up. */
void flight_end_fetch(struct flight *f);
/* Their threads are there from the beginning: the number of threads does not depend on calls. */
void pipe_start_tokens(struct arm_pipe *p);
/* Driven mode: steps the streams of tokens. */
int64_t pipe_step_tokens(struct arm_pipe *p);
void pipe_free_tokens(struct arm_pipe *p);

/* ---- pipe_timer.c ---- */

/* Does what the time asks for. Answers when it may ask again. */
int64_t pipe_look(struct arm_pipe *p);
/* The same, and idles until then. For the worker who watches. */
void pipe_watch(struct arm_pipe *p);
