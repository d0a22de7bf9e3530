/* SPDX-License-Identifier: Apache-2.0 */
/* late_handler.c - delays and loses answers; see late_handler.h. */
#include "support/late_handler.h"

/* When an idle connection is cut. */
#define LOST_FOR (600 * NS_PER_SEC)

struct held {
    struct handler_call call; /* the inner one */
    struct handler_call *outer;
    int64_t due;
    uint64_t number;
};

struct late_handler {
    struct handler handler;
    const struct handler *inner;
    struct late_config config;
    uint64_t state, number;
    struct arena *arena;
    VEC(struct held *) heap;
};

static uint64_t chance(struct late_handler *l, uint64_t below)
{
    uint64_t z = l->state += UINT64_C(0x9E3779B97F4A7C15);

    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (z ^ z >> 31) % below;
}

static void trace(struct late_handler *l, const char *what, const struct handler_call *c)
{
    AUTO_ARENA a = arena_new();

    if (!l->config.trace)
        return;
    l->config.trace(l->config.ctx,
                    str_fmt(a, "%lld %s %.*s %.*s?%.*s %d %.*s", (long long)clock_mono(), what,
                            STR_ARG(c->method), STR_ARG(c->path), STR_ARG(c->query), c->status,
                            STR_ARG(c->reply)));
}

/* ---- A heap by time, then by number. ---- */

static bool is_before(const struct held *x, const struct held *y)
{
    return x->due < y->due || (x->due == y->due && x->number < y->number);
}

static void push(struct late_handler *l, struct held *h)
{
    size_t i;

    VEC_PUSH(l->arena, &l->heap, h);
    for (i = l->heap.len - 1; i && is_before(h, l->heap.items[(i - 1) / 2]); i = (i - 1) / 2)
        l->heap.items[i] = l->heap.items[(i - 1) / 2];
    l->heap.items[i] = h;
}

static struct held *pop(struct late_handler *l)
{
    struct held *first = l->heap.items[0], *last = l->heap.items[--l->heap.len];
    size_t i = 0, child;

    for (; (child = 2 * i + 1) < l->heap.len; i = child) {
        child += child + 1 < l->heap.len &&
                 is_before(l->heap.items[child + 1], l->heap.items[child]);
        if (!is_before(l->heap.items[child], last))
            break;
        l->heap.items[i] = l->heap.items[child];
    }
    l->heap.items[i] = last;
    return first;
}

/* ---- Calls. ---- */

static void on_done(struct handler_call *c)
{
    (void)c; /* it contains the answer, which stays there for a while */
}

static void answer(void *ctx, struct handler_call *c)
{
    struct late_handler *l = ctx;
    struct held *h = ARENA_NEW(c->arena, struct held);
    uint64_t dice = chance(l, 10000);
    bool lost = dice < l->config.lose_request + l->config.lose_answer;

    *h = (struct held){.call = *c, .outer = c, .number = ++l->number};
    h->call.done = on_done;
    h->due = clock_mono() + l->config.min +
             (int64_t)chance(l, (uint64_t)(l->config.max - l->config.min) + 1);
    trace(l, "asks", c);
    if (dice >= l->config.lose_request)
        handler_answer(l->inner, &h->call);
    if (lost) {
        h->call.drop = true;
        h->due = clock_mono() + LOST_FOR;
    }
    push(l, h);
}

static void deliver(struct late_handler *l, struct held *h)
{
    struct handler_call *c = h->outer;

    trace(l, h->call.drop ? "drops" : "answers", &h->call);
    c->status = h->call.status;
    c->reply_headers = h->call.reply_headers;
    c->reply = h->call.reply;
    c->stream = h->call.stream;
    c->drop = h->call.drop;
    c->done(c);
}

bool late_handler_step(struct late_handler *l, int64_t *due)
{
    *due = l->heap.len ? l->heap.items[0]->due : INT64_MAX;
    if (*due > clock_mono())
        return false;
    deliver(l, pop(l));
    return true;
}

const struct handler *late_handler(const struct late_handler *l)
{
    return &l->handler;
}

struct late_handler *late_handler_new(const struct handler *inner, const struct late_config *config)
{
    struct arena *a = arena_new();
    struct late_handler *l = ARENA_NEW(a, struct late_handler);

    *l = (struct late_handler){.handler = {answer, l},
                               .inner = inner,
                               .config = *config,
                               .state = config->seed,
                               .arena = a};
    return l;
}

void late_handler_free(struct late_handler *l)
{
    while (l->heap.len) {
        struct held *h = pop(l);
        h->call.drop = true;
        deliver(l, h);
    }
    arena_free(l->arena);
}
