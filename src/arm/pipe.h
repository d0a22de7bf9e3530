/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pipe.h - asynchronous calls: hundreds in flight, a few workers.
 *
 *     if (!arm_pipe_new(&config, &pipe, e)) ...
 *     if (!arm_pipe_start(pipe, arm, &call, ctx, e)) ...        any thread, any client of the gate
 *     while ((done = arm_pipe_next(pipe))) {                    each worker
 *         done->ctx says whose it is; done->ok, result and failure what became of it
 *         arm_pipe_release(pipe, done);
 *     }
 *
 * No thread blocks on a call: while it waits (see arm.h), it is only a record, and the work between
 * two waits is done by whichever worker is in arm_pipe_next. Calls share connections
 * (net/http/streams.h), so a call owns neither a thread nor a connection.
 *
 * Fetching a token and registering a provider are states of a call, too, so a slow tenant or
 * provider delays only its own calls. Only Azure CLI credentials block a worker.
 *
 * Operations: start a call, feed its response to lro_begin (lro.h, arm_answer_of), and start a call
 * with the URL to poll (arm_call.address) whenever that is due; the resource itself is read by a
 * call without address.
 */
#pragma once

#include "arm/arm.h"
#include "net/term.h"

struct arm_pipe;

/* The default for calls_max. */
#define ARM_CALLS_MAX 10000

struct arm_pipe_config {
    struct arm_gate *gate;          /* for all clients; must outlive the pipe */
    const struct http_config *http; /* NULL: the defaults */
    unsigned connections;           /* how many may be in use at once; 0: 500 */
    size_t calls_max;               /* how many may be started and not released; 0: ARM_CALLS_MAX */
    /*
     * Whether calls with a term may be sent now, checked before each attempt; see net/term.h.
     * Called from any thread. NULL: they may until arm_pipe_cancel.
     */
    bool (*leads)(void *ctx);
    void *ctx; /* for leads */
};

struct arm_done {
    void *ctx;
    bool ok;              /* the response is 2xx */
    struct arm_call call; /* a copy */
    struct arm_result result;
    /*
     * If not ok: ERR_NOT_FOUND (404), ERR_CONFLICT (409, 412), ERR_DENIED (401, 403), ERR_THROTTLED
     * (429), ERR_INVALID (other 4xx), ERR_IO or ERR_CANCELLED. The text is meant for people.
     */
    struct err failure;
    struct arena *arena; /* owns everything above; may be used until the release */
};
/*
 * The response, or why there is none: a credential that was rejected, no connection, too large a
 * body. It shares the texts of d.
 */
struct arm_answer arm_done_answer(const struct arm_done *d);

MUST_CHECK bool arm_pipe_new(const struct arm_pipe_config *config, struct arm_pipe **out,
                             struct err *e);
/* Abandons calls in progress; no thread may be in arm_pipe_next or hold an arm_done. */
void arm_pipe_free(struct arm_pipe *p);

/*
 * Starts a call; it is copied. m must outlive it and use the gate of the pipe. ERR_LIMIT when there
 * are too many; every other outcome is returned by arm_pipe_next.
 */
MUST_CHECK bool arm_pipe_start(struct arm_pipe *p, struct arm *m, const struct arm_call *call,
                               void *ctx, struct err *e);
/* Waits for a call that is done. NULL once the pipe is closed and nothing is left. */
struct arm_done *arm_pipe_next(struct arm_pipe *p);
/*
 * Driven mode (base/clock.h): the same without waiting. NULL when nothing is done now; *due is when
 * there may be something just because time has passed, by clock_mono; INT64_MAX: never.
 */
struct arm_done *arm_pipe_step(struct arm_pipe *p, int64_t *due);
/*
 * Ends all terms up to this one: their calls make no further attempts. Waiting calls (for a token,
 * their turn, or another attempt) end with ERR_CANCELLED, those on the wire with their response.
 * TERM_ALL ends every call, even those without a term. Any thread.
 */
void arm_pipe_cancel(struct arm_pipe *p, uint64_t term);
/* Frees d. */
void arm_pipe_release(struct arm_pipe *p, struct arm_done *d);
/* No more calls will be started: arm_pipe_next returns NULL once all calls are done. */
void arm_pipe_close(struct arm_pipe *p);

struct arm_pipe_stats {
    size_t waiting, sent, retrying, unreleased; /* for a turn; in flight; until a retry; all */
    size_t most_sent;
};
struct arm_pipe_stats arm_pipe_stats(struct arm_pipe *p);
