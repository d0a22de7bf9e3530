/* SPDX-License-Identifier: Apache-2.0 */
/*
 * local.h - calls a handler in this process, conveniently for tests.
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
 * For all handlers; with those that are not driven, it waits for the answer. One thread at a time.
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
    const struct value *body; /* NULL if it is not JSON */
    struct http_headers headers;
    bool dropped;
};

struct local local_client(const struct handler *h);
void local_end(struct local *c);
/* Returns the status, 0 if the connection would have been closed. target is as in a request. */
int local_ask(struct local *c, const char *method, const char *target, const char *body);
int local_askf(struct local *c, const char *method, const char *body, const char *format, ...)
    FORMAT(4, 5);
/*
 * A member of the last answer, by a dotted path; empty if there is none. Lives as long as the
 * answer.
 */
str local_text(const struct local *c, const char *path);

struct local_watch;
/* NULL if there is no stream: then c has the answer. */
struct local_watch *local_watch(struct local *c, const char *target);
/* The next event, or NULL if there is none now, or at the end. Lives until the next call. */
const struct value *local_watch_next(struct local_watch *w);
/* Discards everything that is there now; returns the number of bytes. */
size_t local_watch_drain(struct local_watch *w);
/* Whether the stream has ended and all its events were returned. */
bool local_watch_ended(const struct local_watch *w);
/* How often the stream has called wake. */
unsigned local_watch_wakes(const struct local_watch *w);
void local_watch_close(struct local_watch *w);
