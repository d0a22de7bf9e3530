/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pull.c - answers whose body is pulled from a handler's stream (handler.h).
 *
 * The library asks for more when the client has room. If there is nothing yet, its connection is
 * suspended until the stream wakes us. A wake may come between the pull that found nothing and the
 * suspension, so it leaves a mark. The stream is never called with our lock held: it takes its own,
 * under which it may wake us.
 */
#include "net/server/internal.h"

#include "net/handler.h"

/* How much the library reads at once, and thus how much a connection holds. */
#define PULL_BLOCK (1 * KIB)

void server_resume_stream(struct server_stream *s)
{
    if (!s->suspended)
        return;
    s->suspended = false;
    MHD_resume_connection(s->connection);
}

static bool begin_pull(struct server_stream *s)
{
    AUTO_LOCK guard = lock_take(&s->server->lock);

    s->woken = false;
    return !s->gone;
}

/* Whether the connection is now waiting; else something has happened meanwhile. */
static bool suspend(struct server_stream *s)
{
    AUTO_LOCK guard = lock_take(&s->server->lock);

    if (s->woken || s->gone)
        return false;
    MHD_suspend_connection(s->connection);
    s->suspended = true;
    return true;
}

static ssize_t read_pulled(void *ctx, uint64_t position, char *out, size_t max)
{
    struct server_stream *s = ctx;

    (void)position;
    while (!s->piece.len) {
        if (!begin_pull(s))
            return MHD_CONTENT_READER_END_OF_STREAM;
        if (!s->arena_of_piece)
            s->arena_of_piece = arena_new();
        arena_reset(s->arena_of_piece);
        struct buf b = buf_new(s->arena_of_piece, BUF_UNLIMITED);
        enum handler_pull next = handler_stream_pull(s->source, &b, max);
        s->piece = buf_str(&b);
        if (s->piece.len)
            break;
        if (next == HANDLER_PULL_END)
            return MHD_CONTENT_READER_END_OF_STREAM;
        if (next == HANDLER_PULL_BROKEN)
            return MHD_CONTENT_READER_END_WITH_ERROR;
        if (next == HANDLER_PULL_WAIT) {
            /* There may be many idle streams, for hours. */
            arena_free(s->arena_of_piece);
            s->arena_of_piece = NULL;
            if (suspend(s))
                return 0;
        }
    }
    size_t n = s->piece.len < max ? s->piece.len : max;
    memcpy(out, s->piece.ptr, n);
    s->piece = str_from(s->piece, n);
    return (ssize_t)n;
}

static void wake(void *ctx)
{
    struct server_stream *s = ctx;
    AUTO_LOCK guard = lock_take(&s->server->lock);

    s->woken = true;
    server_resume_stream(s);
}

static struct server_stream *link_stream(const struct server_request *r,
                                         struct handler_stream *source)
{
    struct server *server = r->server;
    struct server_stream *s = block_new(sizeof *s);
    AUTO_LOCK guard = lock_take(&server->lock);

    *s = (struct server_stream){.server = server,
                                .connection = r->connection,
                                .source = source,
                                .next = server->streams,
                                .back = &server->streams,
                                .gone = server->stopping};
    if (s->next)
        s->next->back = &s->next;
    server->streams = s;
    server->holders++;
    return s;
}

static void unlink_stream(const struct server_stream *s)
{
    AUTO_LOCK guard = lock_take(&s->server->lock);

    *s->back = s->next;
    if (s->next)
        s->next->back = s->back;
}

/* The library is done with the body. */
static void release_stream(void *ctx)
{
    struct server_stream *s = ctx;
    struct server *server = s->server;

    handler_stream_close(s->source);
    arena_free(s->arena_of_piece);
    unlink_stream(s);
    block_free(s);
    server_release(server);
}

void server_reply_stream(struct server_request *r, int status, str content_type,
                         struct handler_stream *source)
{
    struct server_stream *s = link_stream(r, source);

    handler_stream_attach(source, wake, s);
    server_answer_by(r,
                     MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PULL_BLOCK, read_pulled, s,
                                                       release_stream),
                     status, content_type);
}
