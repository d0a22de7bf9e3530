/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server.h - a small HTTP/1.1 server, for simulators, test servers, metrics and the local API.
 *
 *     static void handle(void *ctx, struct server_request *r)
 *     {
 *         server_reply(r, 200, STR("text/plain"), STR("hello\n"));
 *     }
 *     struct server_config config = {.handle = handle, .ctx = ctx};
 *     if (!server_start(&config, &server, e)) ...
 *     use(server_url(server));                 http://127.0.0.1:43817
 *     server_stop(server);
 *
 * The handler is called once per request, when its body is complete, on one of the server's
 * threads. It may answer at once, or keep r and answer later from any thread; r and its arena live
 * until then. Every request must be ended by exactly one of server_reply, server_reply_stream and
 * server_drop, and r must not be used afterwards. A client that leaves while its answer is pending
 * is noticed within a second (server_gone). It listens on loopback by default.
 */
#pragma once

#include "net/http/http.h"

struct server;
struct server_request;
struct handler_stream;

/* Of a query; more are answered with 414. */
#define SERVER_PARAMETERS_MAX 400

typedef void server_handler(void *ctx, struct server_request *r);

struct server_config {
    server_handler *handle;
    void *ctx;
    /*
     * Called once the head has arrived, before any of the body is read or kept; must not wait.
     * False: the handler is called at once, without a body, and the connection is closed after its
     * answer. NULL: always true.
     */
    bool (*wants_body)(void *ctx, struct server_request *r);
    str address;              /* empty: 127.0.0.1; IPv4 or IPv6, no names */
    uint16_t port;            /* 0: any free one */
    unsigned threads;         /* 0: 2 */
    unsigned connections_max; /* 0: 1,000 */
    size_t body_max;          /* of a request, 0: 4 MiB; more gets 413 */
    size_t header_max;        /* of a request, 0: 32 KiB; more gets 431, and a target of more than
                               * half of it 414 */
    int64_t idle_timeout;     /* of a silent connection, 0: 60 s; suspended ones do not count */
    str cert, key;            /* PEM in memory: TLS */
    str client_ca;            /* PEM: clients may use certificates of this CA, see server_client */
};

MUST_CHECK bool server_start(const struct server_config *config, struct server **out,
                             struct err *e);
/*
 * Ends streams, answers new requests with 503, and gives requests under way grace nanoseconds to
 * end before the rest is cut. Joins all threads and frees s. Not from a handler.
 */
void server_stop(struct server *s, int64_t grace);
/*
 * Uses this certificate for new connections; open ones keep theirs. False if it cannot be used: the
 * old one stays. For servers that were started with one. Any thread.
 */
MUST_CHECK bool server_renew(struct server *s, str cert, str key, struct err *e);
/*
 * Accepts client certificates of this CA (PEM) from now on; those of the previous three are still
 * accepted. The identity of open connections does not change. False if it cannot be used. For
 * servers that were started with a CA; it should have the same name, which some clients use to
 * choose their certificate. Any thread.
 */
MUST_CHECK bool server_trust(struct server *s, str client_ca, struct err *e);
uint16_t server_port(const struct server *s);
/* "http://127.0.0.1:43817", without a trailing slash. */
str server_url(const struct server *s);

/* ---- The request. Texts live as long as r. ---- */

struct arena *server_arena(struct server_request *r);
str server_method(const struct server_request *r);
str server_target(const struct server_request *r); /* as received: "/a%20b?x=1" */
str server_path(const struct server_request *r);   /* unescaped: "/a b" */
/* The first parameter of that name, unescaped; *found may be NULL. */
str server_query(struct server_request *r, str name, bool *found);
const struct http_headers *server_headers(const struct server_request *r);
str server_header(const struct server_request *r, str name);
str server_body(const struct server_request *r);
/* The common name of the client's certificate, if client_ca signed it for clients. */
str server_client(const struct server_request *r);
/* Whether the client is known to have closed the connection. */
bool server_gone(const struct server_request *r);

/* ---- The answer. ---- */

/* Adds a header to the answer; call it before answering. */
void server_add_header(struct server_request *r, str name, str value);
/* Ends r. content_type may be empty. body is copied. */
void server_reply(struct server_request *r, int status, str content_type, str body);
/* Ends r by closing the connection without an answer. */
void server_drop(struct server_request *r);

/*
 * Ends r with an answer whose body is pulled from source (net/handler.h), as fast as the client
 * reads. source is closed once everything is read, the client has left or the server stops.
 */
void server_reply_stream(struct server_request *r, int status, str content_type,
                         struct handler_stream *source);

/* ---- Routes. ---- */

/*
 * A table of handlers for server_route. A path is exact, or ends in "*" and matches as a prefix;
 * the first line that matches wins. A NULL method matches any; HEAD is routed to GET.
 */
struct server_route {
    const char *method, *path;
    server_handler *handle;
};
/* Calls the handler of the first matching line; answers 404 or 405 (with Allow) if none does. */
void server_route(void *ctx, struct server_request *r, const struct server_route *routes,
                  size_t count);
