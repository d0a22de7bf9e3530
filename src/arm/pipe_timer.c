/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pipe_timer.c - watching the clock for the calls of a pipe that are parked: until the end of a
 * rest, or of the time that a call has; see pipe_internal.h.
 */
#include "arm/pipe_internal.h"

/* The longest time between two looks at those who wait, and while there is something to do. */
#define IDLE_MAX (20 * NS_PER_MS)
#define IDLE_BUSY (5 * NS_PER_MS)
#define IDLE_MIN (1 * NS_PER_MS)

/* Those whose rest is over; when that of the next one will be. */
static struct flight *take_rested(struct arm_pipe *p, int64_t now, int64_t *next)
{
    struct flight *due = NULL, *right;
    AUTO_LOCK guard = lock_take(&p->lock);

    for (struct flight *f = p->count[FLIGHT_RESTS] ? p->parked : NULL; f; f = right) {
        right = f->right;
        if (f->place != FLIGHT_RESTS)
            continue;
        if (f->when > now && !flight_is_over(f)) {
            *next = f->when < *next ? f->when : *next;
            continue;
        }
        flight_unpark(f);
        f->next = due;
        due = f;
    }
    return due;
}

/* Whether f need not wait any more for what it is parked for. */
static bool forget(struct flight *f)
{
    struct arm_pipe *p = f->pipe;

    if (f->place == FLIGHT_TOKEN)
        return credential_forget(f->arm->config.credential, &f->wish.listener);
    return gate_forget(p->gate, f->waiter);
}

/* Ends those at the gate, or without a token, whose time is over; when that of the next one will
 * be. */
static void expire(struct arm_pipe *p, int64_t now, int64_t *next)
{
    struct flight *right;
    AUTO_LOCK guard = lock_take(&p->lock);

    const size_t waiting = p->count[FLIGHT_GATE] + p->count[FLIGHT_TOKEN];

    for (struct flight *f = waiting ? p->parked : NULL; f; f = right) {
        const struct arm_call *call = &f->done.call;
        const bool stop = flight_is_over(f) || http_cancel_raised(call->cancel);
        right = f->right;
        if (f->place == FLIGHT_RESTS)
            continue;
        if (call->deadline > now && call->deadline < *next)
            *next = call->deadline;
        if ((!stop && !(call->deadline && now >= call->deadline)) || !forget(f))
            continue;
        const bool token = f->place == FLIGHT_TOKEN;
        flight_unpark(f);
        f->waiter = NULL;
        if (stop)
            flight_cancel(f);
        else
            (void)err_set(&f->done.failure, ERR_IO, "waiting for %s: deadline exceeded",
                          token ? "a token" : "the request budget");
        f->is_done = true;
        flights_append(&p->queue, f);
    }
    pipe_call_workers(p);
}

static void launch_all(struct flight *due)
{
    struct flight *next;

    for (struct flight *f = due; f; f = next) {
        next = f->next;
        if (flight_is_over(f)) {
            if (f->fetches)
                flight_end_fetch(f);
            flight_cancel(f);
            flight_finish(f);
        } else if (f->fetches) {
            flight_send_fetch(f);
        } else {
            flight_launch(f);
        }
    }
}

/* Waits up to ns. */
static void wait_idle(struct arm_pipe *p, int64_t ns)
{
    {
        AUTO_LOCK guard = lock_take(&p->lock);
        if (p->queue.first && ns > IDLE_BUSY)
            ns = IDLE_BUSY;
        /* While answers are to come, time is real: it does not pass by our doing. */
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

    launch_all(take_rested(p, now, &next));
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
