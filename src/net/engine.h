/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine.h - very many requests at once, cheaply: one thread, connections that are kept and shared.
 *
 *     struct http_engine *engine = http_engine_new(client, 500);
 *     http_engine_start(engine, &(struct http_job){.arena = a, .request = r, .done = done});
 *     ...
 *     http_engine_free(engine);      what is under way ends with ERR_CANCELLED
 *
 * For hundreds of small requests to a few servers. There is no handle per request: a request is put
 * on a connection that is free, a new one when there is none and there may be more, and waits for
 * its turn otherwise. curl makes the connections (names, proxies, TLS, certificates); what is said
 * on them is HTTP/1.1 of our own (answer.h), at a third of the cost of a request of curl.
 *
 * Answers are collected whole. Neither compression nor redirects: an answer of 3xx is the answer.
 * Everything else is as in http.h: limits, timeouts, errors, tapes.
 *
 * A connection that was kept may have been closed by the server in the meantime. A request that
 * finds it so before a byte of its answer came is sent once more on another one, unless it may not
 * be sent twice (POST, PATCH): these get a connection that was looked at just before, and when it
 * breaks nevertheless, the caller is told.
 *
 * Any thread may start requests. done is called on the thread of the engine and must not wait.
 */
#pragma once

#include "net/http.h"

struct http_engine;

struct http_job {
    /* Of the answer, and of the engine's own notes. Nobody else touches it until done. */
    struct arena *arena;
    /* Its texts must live until done. on_body is not used. */
    struct http_request request;
    /* Called once. failure is NULL when there was an answer. response lives as long as arena. */
    void (*done)(void *ctx, const struct http_response *response, const struct err *failure);
    void *ctx;
};

/* Starts the thread and becomes an owner of client. connections: at most so many to one server. */
struct http_engine *http_engine_new(struct http_client *client, unsigned connections);
/*
 * Lets settled be called on the thread of the engine after one or more dones, before it waits
 * again: for those who collect answers and pass them on together. Before the first start.
 */
void http_engine_collect(struct http_engine *g, void (*settled)(void *ctx), void *ctx);
/* Every done has been called when it returns. Not from a done. */
void http_engine_free(struct http_engine *g);

/* Starts a request; its outcome arrives in done, also when it cannot be started. */
void http_engine_start(struct http_engine *g, const struct http_job *job);
/* Starts a request and waits for its answer, as http_send does. Not from a done. */
MUST_CHECK bool http_engine_send(struct http_engine *g, struct arena *a,
                                 const struct http_request *r, struct http_response *response,
                                 struct err *e);

struct http_engine_stats {
    size_t connections;        /* open or being opened */
    uint64_t opened, requests; /* since the start */
};
struct http_engine_stats http_engine_stats(struct http_engine *g);
