/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handler.h - answers requests, whether they come over a socket or from this process.
 *
 *     static void answer(void *ctx, struct handler_call *c)
 *     {
 *         if (!str_eq(c->method, STR("GET")))
 *             handler_reply(c, 405, STR("text/plain"), STR("only GET\n"));
 *         else
 *             handler_reply(c, 200, STR("text/plain"), STR("hello\n"));
 *     }
 *     const struct handler h = {answer, ctx};
 *
 * server/handler_serve.h puts one behind a socket; a client in the same process may call it
 * directly. A handler cannot tell which.
 *
 * The caller fills in the first half of a struct handler_call and done; the handler fills in the
 * second half and ends the call with exactly one of handler_reply, handler_begin_stream and
 * handler_drop, before it returns or later, from any thread. A handler documented as driven ends
 * every call before it returns, on the caller's thread, and never blocks.
 *
 * A response may be a stream, which is pulled: a cursor owned by the handler and read as fast as
 * the client reads, which costs nothing while idle.
 */
#pragma once

#include "net/http/http.h"

struct handler_call;
struct handler_stream;

struct handler {
    void (*answer)(void *ctx, struct handler_call *c);
    void *ctx;
};

struct handler_call {
    /* The request. Texts live as long as the call. */
    struct arena *arena; /* of the call: the handler allocates its answer there */
    str method;
    str path;   /* unescaped */
    str query;  /* raw, without the "?" */
    str base;   /* scheme and host for URLs in answers: "http://127.0.0.1:8080" */
    str client; /* the name in the client's certificate, if it has a valid one; else empty */
    const struct http_headers *headers; /* may be NULL */
    str body;

    /* The answer. */
    int status;
    struct http_headers reply_headers; /* including Content-Type */
    str reply;                         /* its body, if there is no stream */
    struct handler_stream *stream;     /* its body, to be pulled; done owns it and must close it */
    bool drop;                         /* close the connection without an answer */

    /* The caller's: called once, from any thread. After it the handler must not use c. */
    void (*done)(struct handler_call *c);
};

/* ---- For callers. ---- */

static inline void handler_answer(const struct handler *h, struct handler_call *c)
{
    h->answer(h->ctx, c);
}

/* ---- For handlers. ---- */

/* The first parameter of that name, unescaped; empty if there is none. */
str handler_query(const struct handler_call *c, str name);
bool handler_has_query(const struct handler_call *c, str name);
/* The first header of that name; empty if there is none. */
str handler_header(const struct handler_call *c, str name);
/* Adds a header to the answer; the texts must live as long as the call. */
void handler_add_header(struct handler_call *c, str name, str value);

/* Each of these ends c. body must live as long as the call; content_type may be empty. */
void handler_reply(struct handler_call *c, int status, str content_type, str body);
void handler_begin_stream(struct handler_call *c, int status, str content_type,
                          struct handler_stream *s);
void handler_drop(struct handler_call *c);

/* ---- Streams. ---- */

enum handler_pull {
    HANDLER_PULL_MORE,   /* something was appended; pull again */
    HANDLER_PULL_WAIT,   /* nothing yet: wake will be called */
    HANDLER_PULL_END,    /* the body is complete */
    HANDLER_PULL_BROKEN, /* cut the connection */
};

struct handler_stream_kind {
    /*
     * Sets the wake callback, before the first pull. After a pull returns HANDLER_PULL_WAIT, wake
     * is called once or more, from any thread, as soon as pulling again is worthwhile. It may be
     * called while the handler holds its locks, so it must only take note or schedule work, and
     * neither pull nor close.
     */
    void (*attach)(struct handler_stream *s, void (*wake)(void *ctx), void *ctx);
    /*
     * Appends what comes next to out, at least one whole piece (a line, an item), and stops when
     * out holds about enough bytes. Never waits.
     */
    enum handler_pull (*pull)(struct handler_stream *s, struct buf *out, size_t enough);
    /* Ends the stream and frees it; once it returns, wake is no longer called. */
    void (*close)(struct handler_stream *s);
};

/* The first member of a handler's own stream. Attach, pull and close: one thread at a time. */
struct handler_stream {
    const struct handler_stream_kind *kind;
};

static inline void handler_stream_attach(struct handler_stream *s, void (*wake)(void *ctx),
                                         void *ctx)
{
    s->kind->attach(s, wake, ctx);
}

static inline enum handler_pull handler_stream_pull(struct handler_stream *s, struct buf *out,
                                                    size_t enough)
{
    return s->kind->pull(s, out, enough);
}

static inline void handler_stream_close(struct handler_stream *s)
{
    if (s)
        s->kind->close(s);
}
