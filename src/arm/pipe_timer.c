/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pipe_timer.c - watches the clock for the parked calls of a pipe: until their next attempt, or
 * until their deadline; see pipe_internal.h.
 */
#include "arm/pipe_internal.h"

/* The longest time between two checks of the waiting calls: when idle, and when busy. */
#define IDLE_MAX (20 * NS_PER_MS)
#define IDLE_BUSY (5 * NS_PER_MS)
#define IDLE_MIN (1 * NS_PER_MS)

/* Takes calls whose next attempt is due; *next is when the next one will be. */
static struct pipe_call *take_due(struct arm_pipe *p, int64_t now, int64_t *next)
{
    struct pipe_call *due = NULL, *right;
    AUTO_LOCK guard = lock_take(&p->lock);

    for (struct pipe_call *c = p->count[CALL_RETRIES_LATER] ? p->parked : NULL; c; c = right) {
        right = c->right;
        if (c->place != CALL_RETRIES_LATER)
            continue;
        if (c->when > now && !pipe_call_is_over(c)) {
            *next = c->when < *next ? c->when : *next;
            continue;
        }
        pipe_call_unpark(c);
        c->next = due;
        due = c;
    }
    return due;
}

/* Stops the wait of a parked call. False: what it waited for has just come. */
static bool forget(struct pipe_call *c)
{
    struct arm_pipe *p = c->pipe;

    if (c->place == CALL_AWAITS_TOKEN)
        return credential_forget(c->arm->config.credential, &c->wish.listener);
    return gate_forget(p->gate, c->waiter);
}

/*
 * Ends calls at the gate, or without a token, whose deadline has passed; *next is the next
 * deadline.
 */
static void expire(struct arm_pipe *p, int64_t now, int64_t *next)
{
    struct pipe_call *right;
    AUTO_LOCK guard = lock_take(&p->lock);

    const size_t waiting = p->count[CALL_AWAITS_TURN] + p->count[CALL_AWAITS_TOKEN];

    for (struct pipe_call *c = waiting ? p->parked : NULL; c; c = right) {
        const struct arm_call *call = &c->done.call;
        const bool stop = pipe_call_is_over(c) || http_cancel_raised(call->cancel);
        right = c->right;
        if (c->place == CALL_RETRIES_LATER)
            continue;
        if (call->deadline > now && call->deadline < *next)
            *next = call->deadline;
        if ((!stop && !(call->deadline && now >= call->deadline)) || !forget(c))
            continue;
        const bool token = c->place == CALL_AWAITS_TOKEN;
        pipe_call_unpark(c);
        c->waiter = NULL;
        if (stop)
            pipe_call_cancel(c);
        else
            (void)err_set(&c->done.failure, ERR_IO, "waiting for %s: deadline exceeded",
                          token ? "a token" : "the request budget");
        c->is_done = true;
        call_list_append(&p->queue, c);
    }
    pipe_call_workers(p);
}

static void begin_all(struct pipe_call *due)
{
    struct pipe_call *next;

    for (struct pipe_call *c = due; c; c = next) {
        next = c->next;
        if (pipe_call_is_over(c)) {
            if (c->fetches)
                pipe_call_end_fetch(c);
            pipe_call_cancel(c);
            pipe_call_finish(c);
        } else if (c->fetches) {
            pipe_call_send_fetch(c);
        } else {
            pipe_call_begin_try(c);
        }
    }
}

/* Waits for up to ns. */
static void wait_idle(struct arm_pipe *p, int64_t ns)
{
    {
        AUTO_LOCK guard = lock_take(&p->lock);
        if (p->queue.first && ns > IDLE_BUSY)
            ns = IDLE_BUSY;
        /* While responses are expected, wait in real time, even with a fake clock. */
        if (p->sent || p->queue.first) {
            p->idling = true;
            clock_wire_wait(&p->idle_wait, &p->lock.mutex, ns);
            p->idling = false;
            return;
        }
    }
    clock_sleep(ns);
}

int64_t pipe_look(struct arm_pipe *p)
{
    const int64_t now = clock_mono();
    int64_t next = gate_look(p->gate);

    begin_all(take_due(p, now, &next));
    expire(p, now, &next);
    return next;
}

void pipe_watch(struct arm_pipe *p)
{
    const int64_t now = clock_mono();
    int64_t next = pipe_look(p), ns;

    ns = next - now > IDLE_MAX ? IDLE_MAX : next - now;
    wait_idle(p, ns < IDLE_MIN ? IDLE_MIN : ns);
    AUTO_LOCK guard = lock_take(&p->lock);
    p->watched = false;
}
