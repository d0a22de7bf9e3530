/* SPDX-License-Identifier: Apache-2.0 */
/*
 * internal.h - what the files of the server share.
 *
 * A request belongs to its connection's thread until the handler has it; then to whoever answers,
 * who hands it back by setting its state under the server's lock and resuming the connection if it
 * was suspended. Rules of the library that are undocumented: a suspended connection does not notice
 * that its client has left (so a sweeper polls its socket), and stopping with a suspended one
 * aborts the process (so all are resumed first).
 */
#pragma once

#include "net/server/server.h"

#include <microhttpd.h>

enum request_state {
    REQUEST_READING,  /* receiving the head and the body */
    REQUEST_HANDLED,  /* the handler has it but has not answered */
    REQUEST_ANSWERED, /* response is set, or drop */
    REQUEST_QUEUED,   /* passed to the library; freed when the connection is done with it */
};

struct server {
    struct arena *arena;
    struct server_config config;
    struct MHD_Daemon *daemon;
    struct server_certificate *certificate; /* the current one and earlier ones; under the lock */
    struct server_authority *authorities;   /* of clients, latest first; under the lock */
    uint16_t port;
    str url;
    pthread_t sweeper;
    int wake; /* an eventfd that tells the sweeper to end */
    /* Protects everything below, requests from REQUEST_HANDLED on, and streams. */
    struct lock lock;
    struct server_request *requests;
    struct server_stream *streams;
    bool stopping; /* streams end, and new ones end at once */
    bool cutting;  /* requests without an answer lose their connection */
    /* One for each request, each stream and whoever started the server: the last one frees it. */
    size_t holders;
};

struct server_request {
    struct arena *arena; /* of all its texts; NULL once it is answered */
    struct server *server;
    struct MHD_Connection *connection; /* NULL once it is closed */
    struct server_request *next, **back;
    str method, target, path, query, client;
    struct http_headers headers, reply_headers;
    struct buf body;
    int rejected; /* the status, if it is answered before the handler sees it */
    enum request_state state;
    struct MHD_Response *response;
    int status;
    bool drop, suspended, gone;
};

/* A body that is pulled (pull.c). */
struct server_stream {
    struct server *server;
    struct MHD_Connection *connection;
    struct server_stream *next, **back;
    struct handler_stream *source;
    struct arena *arena_of_piece;
    str piece;      /* what was pulled but not read yet */
    bool woken;     /* since the last pull started */
    bool suspended; /* its connection waits for a piece */
    bool gone;      /* the reader is gone, or the server stops */
};

/* Adds to the list of requests, whose members hold the server. Under the lock. */
void server_link_request(struct server *s, struct server_request *r);
/* Removes it; it still holds the server until server_release. */
void server_unlink_request(struct server_request *r);
void server_free_request(struct server_request *r);

/* Removes a holder, which must not use s any more. Without the lock. */
void server_release(struct server *s);

/* reply.c */
/* Ends r with a response of the library. */
void server_answer_by(struct server_request *r, struct MHD_Response *response, int status,
                      str content_type);

/* pull.c */
/* Lets a waiting stream go on. Under the lock. */
void server_resume_stream(struct server_stream *s);

/* library.c */
/* Call before any other function of libmicrohttpd or GnuTLS. Fails if one is not installed. */
MUST_CHECK bool server_library_load(struct err *e);

/* tls.c */
/* The library's callback for certificates: a gnutls_certificate_retrieve_function2. */
void *server_certificate_callback(void);
/* Frees all certificates. */
void server_drop_certificates(struct server *s);
/* The library's callback for opened and closed connections; it keeps the client's name for each. */
void server_on_connection(void *ctx, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode code);
/* The name in a valid certificate of the client, verified once for each connection. */
str server_verified_client(struct MHD_Connection *connection);

/* sweep.c */
bool server_sweeper_start(struct server *s);
void server_sweeper_stop(struct server *s);
