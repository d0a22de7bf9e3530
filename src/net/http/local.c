/* SPDX-License-Identifier: Apache-2.0 */
/*
 * local.c - requests that a handler of this process answers; see http_internal.h and net/handler.h.
 *
 * The call has its own memory and copies of the request, because its handler may answer long after
 * the request was abandoned. The lock decides who is last, the handler or we.
 */
#include "net/handler.h"
#include "net/http/http_internal.h"
#include "text/url.h"

/* What is pulled at once, and how often in one step, so that one stream does not hold up others. */
#define PIECE (64 * KIB)
#define PULLS_MAX 16
/* How often flags and clocks are checked while nothing arrives. */
#define LOOK (50 * NS_PER_MS)

struct http_local {
    struct handler_call call; /* must be the first member */
    struct arena *arena;
    struct transfer *transfer;
    struct handler_stream *stream;
    struct arena *piece;
    CURLcode result;
    void (*wake)(void *ctx);
    void *ctx;
    struct lock lock;
    pthread_cond_t changed;
    bool answered, left, woken;
};

/* ---- The handler's side ---------------------------------------------------------------------- */

static void note_wake(void *ctx)
{
    struct http_local *l = ctx;

    if (l->wake) {
        l->wake(l->ctx);
        return;
    }
    AUTO_LOCK guard = lock_take(&l->lock);
    l->woken = true;
    pthread_cond_signal(&l->changed);
}

static void release(struct http_local *l)
{
    handler_stream_close(l->call.stream);
    pthread_cond_destroy(&l->changed);
    pthread_mutex_destroy(&l->lock.mutex);
    if (l->piece)
        arena_free(l->piece);
    arena_free(l->arena);
}

/* Whether the response is still wanted. */
static bool take_answer(struct http_local *l)
{
    AUTO_LOCK guard = lock_take(&l->lock);

    l->answered = l->woken = true;
    if (!l->left && l->wake)
        l->wake(l->ctx);
    pthread_cond_signal(&l->changed);
    return !l->left;
}

static void on_done(struct handler_call *c)
{
    struct http_local *l = (struct http_local *)c;

    if (!take_answer(l))
        release(l);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

static bool read_url(struct http_local *l, str text, struct err *e)
{
    struct arena *a = l->arena;
    struct url u;

    if (!url_parse(a, str_copy(a, text), &u, e))
        return false;
    if (!u.host.len)
        return err_set(e, ERR_INVALID, "http: no Host in request URL");
    l->call.path = u.path.len ? u.path : STR("/");
    l->call.query = u.query;
    l->call.base = str_fmt(a, "%.*s://%.*s", STR_ARG(u.scheme), STR_ARG(u.host));
    return true;
}

static bool copy_headers(struct http_local *l, const struct http_request *r, str agent,
                         struct err *e)
{
    struct http_headers *h = ARENA_NEW(l->arena, struct http_headers);

    if (!transfer_check_headers(&r->headers, e))
        return false;
    for (size_t i = 0; i < r->headers.len; i++)
        http_header_add(l->arena, h, str_copy(l->arena, r->headers.items[i].name),
                        str_copy(l->arena, r->headers.items[i].value));
    if (agent.len && !http_header_has(h, STR("User-Agent")))
        http_header_add(l->arena, h, STR("User-Agent"), str_copy(l->arena, agent));
    l->call.headers = h;
    return true;
}

struct http_local *http_local_begin(struct transfer *t, void (*wake)(void *ctx), void *ctx,
                                    struct err *e)
{
    const struct http_config *config = &t->client->config;
    const struct http_request *r = t->request;
    struct arena *a = arena_new_secret();
    struct http_local *l = ARENA_NEW(a, struct http_local);

    *l =
        (struct http_local){.arena = a, .transfer = t, .wake = wake, .ctx = ctx, .lock = LOCK_INIT};
    pthread_cond_init(&l->changed, NULL);
    l->call.arena = a;
    l->call.done = on_done;
    l->call.method = r->method.len ? str_copy(a, r->method) : STR("GET");
    l->call.body = str_copy(a, r->body);
    if (!read_url(l, r->url, e) || !copy_headers(l, r, config->user_agent, e)) {
        (void)http_fail_early(t->arena, r, t->response, e);
        release(l);
        return NULL;
    }
    handler_answer(config->local, &l->call);
    return l;
}

/* ---- Answers --------------------------------------------------------------------------------- */

static bool is_answered(struct http_local *l)
{
    AUTO_LOCK guard = lock_take(&l->lock);

    return l->answered;
}

static bool has_body(const struct http_local *l)
{
    return !str_eq(l->call.method, STR("HEAD")) && l->call.status != 204 && l->call.status != 304;
}

static void take_head(struct http_local *l)
{
    struct transfer *t = l->transfer;
    const struct http_headers *h = &l->call.reply_headers;

    t->active = clock_wire();
    t->head_done = true;
    t->response->status = l->call.status;
    for (size_t i = 0; i < h->len; i++)
        http_header_add(t->arena, &t->response->headers, str_copy(t->arena, h->items[i].name),
                        str_copy(t->arena, h->items[i].value));
    transfer_tell_head(t);
    l->stream = l->call.stream;
    if (l->stream)
        handler_stream_attach(l->stream, note_wake, l);
}

static enum http_local_state take_piece(struct http_local *l)
{
    struct transfer *t = l->transfer;

    if (!l->piece)
        l->piece = arena_new_secret();
    arena_reset(l->piece);
    struct buf b = buf_new(l->piece, BUF_UNLIMITED);
    enum handler_pull next = handler_stream_pull(l->stream, &b, PIECE);
    if (b.len) {
        t->active = clock_wire();
        transfer_take_piece(t, buf_str(&b));
        transfer_forgive(t, t->active);
    }
    if (next == HANDLER_PULL_BROKEN)
        l->result = CURLE_PARTIAL_FILE;
    if (t->stop || next == HANDLER_PULL_BROKEN || next == HANDLER_PULL_END)
        return LOCAL_ENDED;
    return next == HANDLER_PULL_WAIT ? LOCAL_WAITS : LOCAL_HAS_MORE;
}

enum http_local_state http_local_step(struct http_local *l)
{
    enum http_local_state state = LOCAL_HAS_MORE;
    struct transfer *t = l->transfer;

    if (!is_answered(l))
        return LOCAL_WAITS;
    if (l->call.drop) {
        l->result = CURLE_GOT_NOTHING;
        return LOCAL_ENDED;
    }
    if (!t->head_done)
        take_head(l);
    if (l->stream && has_body(l)) {
        for (int i = 0; i < PULLS_MAX && state == LOCAL_HAS_MORE; i++)
            state = take_piece(l);
        return state;
    }
    if (l->call.reply.len && has_body(l))
        transfer_take_piece(t, l->call.reply);
    return LOCAL_ENDED;
}

void http_local_wait(struct http_local *l)
{
    AUTO_LOCK guard = lock_take(&l->lock);

    if (!l->woken)
        clock_wire_wait(&l->changed, &l->lock.mutex, LOOK);
    l->woken = false;
}

/* Whether the handler is done with it. */
static bool leave(struct http_local *l)
{
    AUTO_LOCK guard = lock_take(&l->lock);

    l->left = true;
    return l->answered;
}

bool http_local_end(struct http_local *l, struct err *e)
{
    bool ok = transfer_end(l->transfer, l->result, e);

    if (leave(l))
        release(l);
    return ok;
}
