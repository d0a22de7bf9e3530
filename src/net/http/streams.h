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
 *     http_streams_free(streams);      stops the rest; all on_ends have been called then
 */
#pragma once

#include "net/http/http.h"

struct http_streams;

struct http_stream {
    /*
     * Copied with its texts, unless there is an arena. on_body and ctx are used as in http.h, for
     * 2xx answers; without on_body the body is collected. The idle_timeout is that of the request
     * or of the client, and the timeout counts from the start.
     */
    struct http_request request;
    /*
     * Holds the response and the stream itself; nothing else may use it until on_end. The texts of
     * the request are then not copied. NULL: an arena that ends with the stream; cancel of the
     * request is ignored then (see http_streams_stop).
     */
    struct arena *arena;
    /*
     * Called right before the request is sent, on the streams' thread. False: it ends with
     * ERR_CANCELLED, and nothing is sent. May be NULL.
     */
    bool (*may_begin)(void *ctx);
    /*
     * Returns the current idle_timeout; 0: none. Called again and again on the streams' thread, so
     * it may only look at the stream's own data. May be NULL.
     */
    int64_t (*patience)(void *ctx);
    /*
     * The head of the answer has arrived; called before the first piece of the body. May be NULL.
     */
    void (*on_head)(void *ctx, const struct http_response *response);
    /*
     * Called once per stream, as the last callback. failure is NULL if the answer is complete, and
     * valid during the call; so is the response without an arena. The stream's id is invalid
     * afterwards.
     */
    void (*on_end)(void *ctx, const struct http_response *response, const struct err *failure);
};

/* Starts the thread, unless time is driven, and becomes an owner of client. */
struct http_streams *http_streams_new(struct http_client *client);
/* Stops everything (ERR_CANCELLED in on_end) and joins the thread. Not from a callback. */
void http_streams_free(struct http_streams *s);

/*
 * Call it before the first start. At most max streams run at once, the others wait for their turn;
 * 0: no limit. settled is called on the streams' thread after one or more on_ends, before it waits
 * again, for callers who collect answers and pass them on in batches; may be NULL.
 */
void http_streams_configure(struct http_streams *s, size_t max, void (*settled)(void *ctx),
                            void *ctx);

/* Starts a request; its outcome is passed to on_end, even if it cannot be started. Never 0. */
uint64_t http_streams_start(struct http_streams *streams, const struct http_stream *spec);
/* Asks a stream to end with ERR_CANCELLED. Does nothing if it has already ended. */
void http_streams_stop(struct http_streams *s, uint64_t id);
/*
 * For driven mode (base/clock.h), which has no thread: does everything that can be done now,
 * including callbacks. Returns when something is due by time alone, INT64_MAX if never; a stream
 * that is started or woken later is handled by the next step.
 */
int64_t http_streams_step(struct http_streams *s);
/* How many have been started but have not ended. */
size_t http_streams_count(struct http_streams *s);
