/* SPDX-License-Identifier: Apache-2.0 */
/*
 * local.h - calling a handler in this process, as a test likes to.
 *
 *     struct local c = local_client(store_handler(s));
 *     assert_int_equal(local_ask(&c, "POST", "/api/v1/namespaces", "{...}"), 201);
 *     value_get(c.body, STR("metadata"))...             until the next call
 *
 *     struct local_watch *w = local_watch(&c, "/api/v1/namespaces?watch=true");
 *     while ((event = local_watch_next(w))) ...
 *     local_watch_close(w);
 *     local_end(&c);
 *
 * For driven handlers, and for others: an answer that comes later is waited for. One thread at a
 * time.
 */
#pragma once

#include "net/handler.h"
#include "value/value.h"

struct local {
    const struct handler *handler;
    str agent;  /* User-Agent */
    str type;   /* Content-Type; empty: application/json */
    str accept; /* Accept; empty: application/json */
    str extra;  /* another header, without a value; empty: none */
    bool raw;   /* answers are not read as JSON: body stays NULL */
    struct arena *arena;
    /* The last answer. */
    int status;
    str text;
    const struct value *body; /* NULL when it is not JSON */
    struct http_headers headers;
    bool dropped;
};

struct local local_client(const struct handler *h);
void local_end(struct local *c);
/* Answers the status, 0 when the connection would have been closed. target is as in a request. */
int local_ask(struct local *c, const char *method, const char *target, const char *body);
int local_askf(struct local *c, const char *method, const char *body, const char *format, ...)
    FORMAT(4, 5);
/* A member of the last answer, by a path with dots; empty when there is none. Lives as it does. */
str local_text(const struct local *c, const char *path);

struct local_watch;
/* NULL when there is no stream: then c has the answer. */
struct local_watch *local_watch(struct local *c, const char *target);
/* The next event, or NULL when there is none now or never will be. Lives until the next call. */
const struct value *local_watch_next(struct local_watch *w);
/* Takes all there is now without looking at it; answers the number of bytes. */
size_t local_watch_drain(struct local_watch *w);
/* The stream has ended, and all its events were given. */
bool local_watch_ended(const struct local_watch *w);
/* How often the stream has said that there is more. */
unsigned local_watch_wakes(const struct local_watch *w);
void local_watch_close(struct local_watch *w);
