/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate.c - the request budget, shared by all pipes.
 *
 * Any thread that may have changed the budget also releases the requests of others.
 */
#include "arm/arm_internal.h"

struct arm_gate {
    struct lock lock;
    struct budget *budget;
};

/* A waiting request; freed by the last of its two holders, or once it was notified. */
struct waiter {
    struct budget_grant grant;
    bool granted, left;
    gate_fn *tell;
    void *ctx;
    struct waiter *next; /* among released requests */
};

struct arm_gate *arm_gate_new(const struct budget_limits *limits)
{
    struct arm_gate *g = block_new(sizeof(*g));

    *g = (struct arm_gate){.lock = LOCK_INIT, .budget = budget_new(limits)};
    return g;
}

/* Releases requests whose turn has come. Call with the lock held. Returns when to check again. */
static int64_t let_go(struct arm_gate *g, int64_t now, struct waiter **granted)
{
    struct budget_grant grant;
    struct waiter *w;
    int64_t again;

    *granted = NULL;
    while ((w = budget_next(g->budget, now, &grant, &again))) {
        w->grant = grant;
        w->granted = true;
        if (w->tell) {
            w->next = NULL;
            *granted = w;
            granted = &w->next;
        } else if (w->left) {
            budget_return(g->budget, &grant, now);
            block_free(w);
        }
    }
    return again;
}

static void notify_all(struct waiter *granted)
{
    struct waiter *next;

    for (struct waiter *w = granted; w; w = next) {
        next = w->next;
        w->tell(w->ctx, &w->grant);
        block_free(w);
    }
}

int64_t gate_look(struct arm_gate *g)
{
    struct waiter *granted;
    int64_t again;

    {
        AUTO_LOCK guard = lock_take(&g->lock);
        again = let_go(g, clock_mono(), &granted);
    }
    notify_all(granted);
    return again;
}

void arm_gate_free(struct arm_gate *g)
{
    struct waiter *granted;
    int64_t again = 0;

    if (!g)
        return;
    /* The remaining requests wait no longer than the longest pause of a bucket. */
    while (again != INT64_MAX) {
        again = let_go(g, again < INT64_MAX / 2 ? again : INT64_MAX / 2, &granted);
        assert(!granted);
    }
    budget_free(g->budget);
    pthread_mutex_destroy(&g->lock.mutex);
    block_free(g);
}

bool gate_ask(struct arm_gate *g, const struct budget_request *r, struct budget_grant *grant,
              struct waiter **out, struct err *e)
{
    struct waiter *w = block_new(sizeof(*w)), *granted;
    struct budget_request request = *r;
    int64_t now = clock_mono();

    *w = (struct waiter){0};
    request.item = w;
    *out = w;
    {
        AUTO_LOCK guard = lock_take(&g->lock);
        if (!budget_submit(g->budget, &request, now, e)) {
            block_free(w);
            return false;
        }
        let_go(g, now, &granted);
        if (w->granted)
            *out = NULL;
    }
    if (!*out) {
        *grant = w->grant;
        block_free(w);
    }
    notify_all(granted);
    return true;
}

bool gate_tell(struct arm_gate *g, struct waiter *w, gate_fn *granted, void *ctx,
               struct budget_grant *grant)
{
    AUTO_LOCK guard = lock_take(&g->lock);

    if (!w->granted) {
        w->tell = granted;
        w->ctx = ctx;
        return true;
    }
    *grant = w->grant;
    block_free(w);
    return false;
}

bool gate_forget(struct arm_gate *g, struct waiter *w)
{
    AUTO_LOCK guard = lock_take(&g->lock);

    if (w->granted)
        return false;
    w->tell = NULL;
    w->left = true;
    return true;
}

void gate_leave(struct arm_gate *g, const struct budget_grant *grant,
                const struct budget_signal *signal)
{
    const int64_t now = clock_mono();
    struct waiter *granted;

    {
        AUTO_LOCK guard = lock_take(&g->lock);
        budget_answer(g->budget, grant, now, signal);
        let_go(g, now, &granted);
    }
    notify_all(granted);
}

size_t arm_gate_stats(struct arm_gate *g, struct arena *a, struct budget_stats **out)
{
    AUTO_LOCK guard = lock_take(&g->lock);
    size_t n = budget_stats(a, g->budget, clock_mono(), out);

    for (size_t i = 0; i < n; i++) {
        struct budget_stats *s = &(*out)[i];
        s->subscription = str_copy(a, s->subscription);
        s->principal = str_copy(a, s->principal);
        s->region = str_copy(a, s->region);
        s->provider = str_copy(a, s->provider);
    }
    return n;
}
