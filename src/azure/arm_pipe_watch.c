/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arm_pipe_watch.c - watching the clock for the calls of a pipe that are parked: until the end of a
 * rest, or of the time that a call has; see arm_pipe_internal.h.
 */
#include "azure/arm_pipe_internal.h"

/* The longest time between two looks at those who wait, and while there is something to do. */
#define NAP_MAX (20 * NS_PER_MS)
#define NAP_BUSY (5 * NS_PER_MS)
#define NAP_MIN (1 * NS_PER_MS)

/* Those whose rest is over; when that of the next one will be. */
static struct flight *take_rested(struct arm_pipe *p, int64_t now, int64_t *next)
{
    struct flight *due = NULL, *right;
    AUTO_LOCK guard = lock_take(&p->lock);

    for (struct flight *f = p->count[FLIGHT_RESTS] ? p->parked : NULL; f; f = right) {
        right = f->right;
        if (f->place != FLIGHT_RESTS)
            continue;
        if (f->when > now && !p->cut) {
            *next = f->when < *next ? f->when : *next;
            continue;
        }
        flight_unpark(f);
        f->next = due;
        due = f;
    }
    return due;
}

/* Ends those at the gate whose time is over. */
static void expire(struct arm_pipe *p, int64_t now)
{
    struct flight *right;
    AUTO_LOCK guard = lock_take(&p->lock);

    for (struct flight *f = p->count[FLIGHT_GATE] ? p->parked : NULL; f; f = right) {
        const struct arm_call *call = &f->done.call;
        const bool stop = p->cut || http_cancel_raised(call->cancel);
        right = f->right;
        if (f->place != FLIGHT_GATE || (!stop && !(call->deadline && now >= call->deadline)) ||
            !gate_forget(p->gate, f->waiter))
            continue;
        flight_unpark(f);
        f->waiter = NULL;
        if (stop)
            flight_cancel(f);
        else
            (void)err_set(&f->done.failure, ERR_IO,
                          "waiting for the request budget: there is no time left for this call");
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
        if (f->pipe->cut) {
            flight_cancel(f);
            flight_finish(f);
        } else {
            flight_launch(f);
        }
    }
}

/* Naps up to ns. */
static void nap(struct arm_pipe *p, int64_t ns)
{
    {
        AUTO_LOCK guard = lock_take(&p->lock);
        if (p->queue.first && ns > NAP_BUSY)
            ns = NAP_BUSY;
        /* While answers are to come, time is real: it does not pass by our doing. */
        if (p->sent || p->queue.first) {
            p->napping = true;
            clock_wire_wait(&p->nap, &p->lock.mutex, ns);
            p->napping = false;
            return;
        }
    }
    clock_sleep(ns);
}

void pipe_watch(struct arm_pipe *p)
{
    const int64_t now = clock_mono();
    int64_t next = gate_look(p->gate), ns;

    launch_all(take_rested(p, now, &next));
    expire(p, now);
    ns = next - now > NAP_MAX ? NAP_MAX : next - now;
    nap(p, ns < NAP_MIN ? NAP_MIN : ns);
    AUTO_LOCK guard = lock_take(&p->lock);
    p->watched = false;
}
