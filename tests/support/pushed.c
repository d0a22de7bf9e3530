/* SPDX-License-Identifier: Apache-2.0 */
/* pushed.c - writes an answer piece by piece; see pushed.h. */
#include "support/pushed.h"

#include "base/lock.h"
#include "net/handler.h"

#include <stdlib.h>

struct pushed {
    struct handler_stream stream;
    struct lock lock;
    struct arena *arena; /* of waiting */
    struct buf waiting;
    size_t max;
    void (*wake)(void *ctx);
    void *wake_ctx;
    bool ended, broken, closed; /* by the test; by the test, or by too much data; by the server */
};

static void attach(struct handler_stream *s, void (*wake)(void *ctx), void *ctx)
{
    struct pushed *p = (struct pushed *)s;
    AUTO_LOCK guard = lock_take(&p->lock);

    p->wake = wake;
    p->wake_ctx = ctx;
}

static void forget_waiting(struct pushed *p)
{
    arena_reset(p->arena);
    p->waiting = buf_new(p->arena, BUF_UNLIMITED);
}

static enum handler_pull pull(struct handler_stream *s, struct buf *out, size_t enough)
{
    struct pushed *p = (struct pushed *)s;
    AUTO_LOCK guard = lock_take(&p->lock);

    (void)enough;
    if (p->waiting.len) {
        buf_add(out, buf_str(&p->waiting));
        forget_waiting(p);
        return HANDLER_PULL_MORE;
    }
    return p->broken ? HANDLER_PULL_BROKEN : p->ended ? HANDLER_PULL_END : HANDLER_PULL_WAIT;
}

/* Both the test and the server let go; the second one frees it. */
static void let_go(struct pushed *p, bool ended, bool broken, bool closed)
{
    bool last;

    {
        AUTO_LOCK guard = lock_take(&p->lock);
        p->ended |= ended;
        p->broken |= broken;
        p->closed |= closed;
        last = p->ended && p->closed;
        if (!p->closed)
            p->wake(p->wake_ctx);
    }
    if (last) {
        arena_free(p->arena);
        free(p);
    }
}

static void close_stream(struct handler_stream *s)
{
    let_go((struct pushed *)s, false, false, true);
}

struct pushed *pushed_begin(struct server_request *r, size_t max)
{
    static const struct handler_stream_kind kind = {attach, pull, close_stream};
    struct pushed *p = calloc(1, sizeof(*p));

    assert(p);
    *p = (struct pushed){.stream.kind = &kind, .lock = LOCK_INIT, .arena = arena_new(), .max = max};
    forget_waiting(p);
    server_reply_stream(r, 200, STR("application/json"), &p->stream);
    return p;
}

bool pushed_write(struct pushed *p, str piece)
{
    AUTO_LOCK guard = lock_take(&p->lock);

    if (p->closed || p->broken)
        return false;
    p->broken = piece.len > p->max - p->waiting.len;
    if (!p->broken)
        buf_add(&p->waiting, piece);
    p->wake(p->wake_ctx);
    return !p->broken;
}

bool pushed_gone(struct pushed *p)
{
    AUTO_LOCK guard = lock_take(&p->lock);

    return p->closed || p->broken;
}

void pushed_end(struct pushed *p, bool broken)
{
    let_go(p, true, broken, false);
}
