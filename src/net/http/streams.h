/* SPDX-License-Identifier: Apache-2.0 */
/*
 * streams.h - many requests at once on one thread.
 *
 * For watches and for hundreds of small requests: a dedicated thread runs all transfers. They use
 * HTTP/1.1, one connection for each that is running; connections are kept for reuse. Any thread may
 * start a stream and ask it to stop; callbacks run on the streams' thread, must not block, and may
 * start and stop streams themselves.
 *
 *     struct http_streams *streams = http_streams_new(client);
 *     id = http_streams_start(streams, &(struct http_stream){.request = r, .on_end = end});
 *     ...
 *     http_streams_free(streams);      stops what runs; every on_end has been called by then
 */
#pragma once

#include "net/http/http.h"

struct http_streams;

struct http_stream {
    /*
     * Copied, its texts too, unless there is an arena. on_body and ctx are used as in http.h, for
     * answers of 2xx; without on_body the body is collected. The idle_timeout is that of the
     * request or of the client, and the timeout counts from the start.
     */
    struct http_request request;
    /*
     * Where the response and the stream itself are allocated; nothing else may use it until on_end.
     * The texts of the request are not copied then. NULL: one that ends with the stream, and
     * without the cancel of the request (see http_streams_stop).
     */
    struct arena *arena;
    /*
     * Asked right before the request goes out, on the thread of the streams. False: it ends with
     * ERR_CANCELLED, and nothing was sent. May be NULL.
     */
    bool (*may_begin)(void *ctx);
    /*
     * The idle_timeout from now on, asked again and again on the thread of the streams; 0: none. It
     * must do nothing but look at what is the stream's own. May be NULL.
     */
    int64_t (*patience)(void *ctx);
    /* The head of the answer is there, before the first piece of the body. May be NULL. */
    void (*on_head)(void *ctx, const struct http_response *response);
    /*
     * Called once per stream, last. failure is NULL when the answer ended as it should, and valid
     * during the call; so is the response without an arena. After it the stream's id means nothing.
     */
    void (*on_end)(void *ctx, const struct http_response *response, const struct err *failure);
};

/* Starts the thread, unless time is driven, and becomes an owner of client. */
struct http_streams *http_streams_new(struct http_client *client);
/* Stops everything (ERR_CANCELLED in on_end) and joins the thread. Not from a callback. */
void http_streams_free(struct http_streams *s);

/*
 * Before the first start. At most max streams run at once, the others wait for their turn; 0: no
 * limit. settled is called on the thread of the streams after one or more on_ends, before it waits
 * again, for those who collect answers and pass them on together; may be NULL.
 */
void http_streams_configure(struct http_streams *s, size_t max, void (*settled)(void *ctx),
                            void *ctx);

/* Starts a request; its outcome arrives in on_end, also when it cannot be started. Never 0. */
uint64_t http_streams_start(struct http_streams *streams, const struct http_stream *spec);
/* Asks a stream to end with ERR_CANCELLED. Nothing happens when it already has. */
void http_streams_stop(struct http_streams *s, uint64_t id);
/*
 * Driven mode (base/clock.h), in which there is no thread: does all there is to do now, callbacks
 * included. Answers when there will be more by time alone, INT64_MAX when never; a stream that is
 * started or woken later is looked at by the next step.
 */
int64_t http_streams_step(struct http_streams *s);
/* How many have been started and not ended. */
size_t http_streams_count(struct http_streams *s);
