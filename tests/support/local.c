/* SPDX-License-Identifier: Apache-2.0 */
/* local.c - calls a handler in this process; see local.h. */
#include "support/local.h"

#include "text/json/json.h"
#include "text/url.h"

struct waiting {
    struct handler_call call;
    struct lock lock;
    pthread_cond_t answered;
    bool done;
};

static void note_done(struct handler_call *call)
{
    struct waiting *w = (struct waiting *)call;
    AUTO_LOCK guard = lock_take(&w->lock);

    w->done = true;
    pthread_cond_signal(&w->answered);
}

static void wait_for(struct waiting *w)
{
    AUTO_LOCK guard = lock_take(&w->lock);

    while (!w->done)
        pthread_cond_wait(&w->answered, &w->lock.mutex);
}

struct local local_client(const struct handler *h)
{
    return (struct local){.handler = h, .agent = STR("test/1"), .arena = arena_new()};
}

void local_end(struct local *c)
{
    arena_free(c->arena);
    c->arena = NULL;
}

static void take_answer(struct local *c, struct handler_call *call)
{
    const struct source src = {.text = call->reply};
    struct value *body = NULL;

    c->dropped = call->drop;
    c->status = call->drop ? 0 : call->status;
    c->text = call->reply;
    c->headers = call->reply_headers;
    c->body = !c->raw && call->reply.len && json_read(c->arena, &src, NULL, &body, NULL) ? body
                                                                                         : NULL;
}

static struct handler_stream *call_handler(struct local *c, const char *method, str target,
                                           const char *body)
{
    struct arena *a = c->arena;
    struct waiting w = {.lock = LOCK_INIT};
    struct http_headers headers = {0};
    str path;

    pthread_cond_init(&w.answered, NULL);
    http_header_add(a, &headers, STR("User-Agent"), c->agent);
    http_header_add(a, &headers, STR("Content-Type"),
                    c->type.len ? c->type : STR("application/json"));
    if (c->accept.len)
        http_header_add(a, &headers, STR("Accept"), c->accept);
    if (c->extra.len)
        http_header_add(a, &headers, c->extra, STR("x"));
    w.call = (struct handler_call){
        .arena = a,
        .method = str_c(method),
        .base = STR("http://local"),
        .headers = &headers,
        .body = str_copy(a, str_c(body)),
        .done = note_done,
    };
    str_cut(target, STR("?"), &path, &w.call.query);
    if (!url_unescape(a, path, false, &w.call.path))
        w.call.path = path;
    handler_answer(c->handler, &w.call);
    wait_for(&w);
    pthread_cond_destroy(&w.answered);
    take_answer(c, &w.call);
    return w.call.stream;
}

int local_ask(struct local *c, const char *method, const char *target, const char *body)
{
    arena_reset(c->arena);
    struct handler_stream *stream =
        call_handler(c, method, str_copy(c->arena, str_c(target)), body);
    handler_stream_close(stream);
    return c->status;
}

int local_askf(struct local *c, const char *method, const char *body, const char *format, ...)
{
    AUTO_ARENA a = arena_new();
    va_list args;

    va_start(args, format);
    str target = str_vfmt(a, format, args);
    va_end(args);
    return local_ask(c, method, str_z(a, target), body);
}

str local_text(const struct local *c, const char *path)
{
    const struct value *v = c->body;
    str step, rest = str_c(path);

    while (rest.len) {
        str_cut(rest, STR("."), &step, &rest);
        uint64_t index;
        v = value_is(v, VALUE_LIST) && str_to_u64(step, &index) ? value_at(v, index)
                                                                : value_get(v, step);
    }
    return value_text(v);
}

/* ---- Watches. ---- */

struct local_watch {
    struct handler_stream *stream;
    struct arena *arena, *event; /* of what was pulled, of the last event */
    str rest;
    bool ended;
    _Atomic unsigned wakes;
};

static void note_wake(void *ctx)
{
    struct local_watch *w = ctx;

    w->wakes++;
}

struct local_watch *local_watch(struct local *c, const char *target)
{
    struct handler_stream *stream;
    struct local_watch *w;

    arena_reset(c->arena);
    stream = call_handler(c, "GET", str_copy(c->arena, str_c(target)), "");
    if (!stream)
        return NULL;
    w = block_new(sizeof *w);
    *w = (struct local_watch){.stream = stream, .arena = arena_new(), .event = arena_new()};
    handler_stream_attach(stream, note_wake, w);
    return w;
}

/* Pulls if nothing is left; false: nothing now. */
static bool pull(struct local_watch *w)
{
    if (w->rest.len)
        return true;
    arena_reset(w->arena);
    struct buf b = buf_new(w->arena, BUF_UNLIMITED);
    enum handler_pull next = w->ended ? HANDLER_PULL_END
                                      : handler_stream_pull(w->stream, &b, 16 * KIB);
    w->ended = next == HANDLER_PULL_END || next == HANDLER_PULL_BROKEN;
    w->rest = buf_str(&b);
    return w->rest.len > 0;
}

const struct value *local_watch_next(struct local_watch *w)
{
    struct value *event = NULL;
    str line;

    if (!pull(w) || !str_next_line(&w->rest, &line))
        return NULL;
    arena_reset(w->event);
    const struct source src = {.text = line};
    if (!json_read(w->event, &src, NULL, &event, NULL))
        return NULL;
    return event;
}

size_t local_watch_drain(struct local_watch *w)
{
    size_t bytes = 0;

    while (pull(w)) {
        bytes += w->rest.len;
        w->rest = STR_NONE;
    }
    return bytes;
}

bool local_watch_ended(const struct local_watch *w)
{
    return w->ended && !w->rest.len;
}

unsigned local_watch_wakes(const struct local_watch *w)
{
    return w->wakes;
}

void local_watch_close(struct local_watch *w)
{
    if (!w)
        return;
    handler_stream_close(w->stream);
    arena_free(w->arena);
    arena_free(w->event);
    block_free(w);
}
