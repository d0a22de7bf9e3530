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
 * No thread blocks on a call: while it waits (arm.h says for what), it is only a record, and the
 * work between two waits is done by whichever worker is in arm_pipe_next. Calls share connections
 * (net/http/streams.h), so a call owns neither a thread nor a connection.
 *
 * Fetching a token and registering a provider are states of a call, too, so a slow tenant or
 * provider delays only its own calls. Only Azure CLI credentials block a worker.
 *
 * Operations: start a call, feed its response to lro_begin (lro.h, arm_answer_of), and start a call
 * with the address to poll (arm_call.address) whenever that is due; the resource itself is read by
 * a call without one.
 */
#pragma once

#include "arm/arm.h"
#include "net/term.h"

struct arm_pipe;

/* More calls are not started. */
#define ARM_CALLS_MAX 10000

struct arm_pipe_config {
    struct arm_gate *gate;          /* of all clients; must outlive the pipe */
    const struct http_config *http; /* NULL: the defaults */
    unsigned connections;           /* at most so many in use at once; 0: 500 */
    size_t calls_max;               /* started and not released; 0: ARM_CALLS_MAX */
    /*
     * Whether calls that have a term may be sent now, asked before each try; see net/term.h. Any
     * thread. NULL: they may until arm_pipe_cancel.
     */
    bool (*leads)(void *ctx);
    void *ctx; /* of leads */
};

struct arm_done {
    void *ctx;
    bool ok;              /* the answer is of 2xx */
    struct arm_call call; /* a copy */
    struct arm_result result;
    /*
     * When not ok: ERR_NOT_FOUND (404), ERR_CONFLICT (409, 412), ERR_DENIED (401, 403),
     * ERR_THROTTLED (429), ERR_INVALID (other 4xx), ERR_IO or ERR_CANCELLED. The text is what
     * people should read.
     */
    struct err failure;
    struct arena *arena; /* of everything above; free to use until the release */
};

MUST_CHECK bool arm_pipe_new(const struct arm_pipe_config *config, struct arm_pipe **out,
                             struct err *e);
/* Calls under way are given up; no thread may be in arm_pipe_next or hold an arm_done. */
void arm_pipe_free(struct arm_pipe *p);

/*
 * Starts a call; it is copied. m must outlive it and use the gate of the pipe. ERR_LIMIT when there
 * are too many; every other outcome arrives in arm_pipe_next.
 */
MUST_CHECK bool arm_pipe_start(struct arm_pipe *p, struct arm *m, const struct arm_call *call,
                               void *ctx, struct err *e);
/* Waits for a call that is done. NULL once the pipe was closed and nothing is left. */
struct arm_done *arm_pipe_next(struct arm_pipe *p);
/*
 * Driven mode (base/clock.h): the same without waiting. NULL when nothing is done now; *due is when
 * there may be something by time alone, by clock_mono, INT64_MAX when never.
 */
struct arm_done *arm_pipe_step(struct arm_pipe *p, int64_t *due);
/*
 * Ends terms, up to this one: no try of a call of theirs begins any more. Those that wait (for a
 * token, their turn, or another try) end with ERR_CANCELLED, what is on the wire ends by its
 * answer. TERM_ALL is the end of every call, also of those without a term. Any thread.
 */
void arm_pipe_cancel(struct arm_pipe *p, uint64_t term);
/* Takes d back. */
void arm_pipe_release(struct arm_pipe *p, struct arm_done *d);
/* No more will be started: arm_pipe_next ends when all that was is done. */
void arm_pipe_close(struct arm_pipe *p);

struct arm_pipe_stats {
    size_t waiting, sent, retrying, unreleased; /* for a turn; under way; until a retry; all */
    size_t most_sent;
};
struct arm_pipe_stats arm_pipe_stats(struct arm_pipe *p);
