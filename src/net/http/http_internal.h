/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_internal.h - what the files of the HTTP client share.
 *
 * A transfer is one request on its way: what curl's callbacks need, and what http_send and the
 * streams do the same way. A handle is curl's; it is kept between requests because making one costs
 * twenty times as much as a request.
 */
#pragma once

#include "net/http/http.h"
#include "net/proxy.h"

#include <curl/curl.h>
#include <sys/socket.h>

/* Probes of connections at rest: seconds until the first one, between them, and how many. */
#define HTTP_KEEP_IDLE 30
#define HTTP_KEEP_INTERVAL 5
#define HTTP_KEEP_PROBES 3
/* Servers keep silent connections for a minute or more: seconds after which none is used again. */
#define HTTP_REST_MAX 50

struct http_client {
    struct arena *arena;
    struct http_config config;
    struct proxy_settings proxies;
    struct http_cache *cache; /* handles at rest, and the number of owners; with its own lock */
};

/* Why a transfer was stopped by us rather than by curl. */
enum transfer_stop {
    STOP_NOT,
    STOP_ENOUGH,
    STOP_CALLER,
    STOP_CANCELLED,
    STOP_TIMEOUT,
    STOP_IDLE,
    STOP_SLOW,
    STOP_BODY_MAX,
    STOP_HEADER_MAX,
    STOP_LENGTH,
    STOP_GZIP,
    STOP_ENCODING,
};

struct transfer {
    const struct http_client *client;
    struct arena *arena;
    const struct http_request *request;
    struct http_response *response;
    void (*on_head)(void *ctx, const struct http_response *response); /* may be NULL */
    CURL *easy;
    struct curl_slist *headers, *connect_to;
    struct buf body;       /* what is collected */
    struct buf kept;       /* what went to on_body, when a tape records */
    struct gunzip *gunzip; /* the answer is compressed */
    size_t body_max;
    size_t header_bytes;      /* of all heads since the last whole one, and of trailers */
    uint64_t length, arrived; /* of the body as it is sent: announced, or UINT64_MAX; so far */
    size_t given;             /* of the request's body to curl */
    int64_t timeout, idle_timeout;
    /* By clock_wire: when it began; when something last came; since when window_bytes are counted,
     * or 0. */
    int64_t started, active, window;
    size_t window_bytes;
    bool head_done;
    enum transfer_stop stop;
    struct err caller;               /* of on_body */
    str redirected;                  /* where to, if it was; else empty */
    str proxy;                       /* its host and port, for messages; empty: none */
    struct sockaddr_storage address; /* the first one that was tried */
    socklen_t address_len;
    char text[CURL_ERROR_SIZE];
};

/* ---- http.c ---- */
/* A handle at rest or a new one; given back with its connections. */
CURL *http_handle_take(struct http_client *c, CURLM **multi);
void http_handle_give(struct http_client *c, CURL *easy, CURLM *multi);
/* Waits for the network, for the cancel flag, or until a timeout has to be checked. */
void http_handle_wait(CURLM *multi, const struct transfer *t);
/* How the only request of multi has ended. */
CURLcode http_handle_result(CURLM *multi);

/* ---- library.c ---- */
/* Before anything else of curl is called. Fails when it is not installed. From any thread. */
MUST_CHECK bool curl_load(struct err *e);

/* ---- transfer.c ---- */
/* A new handle of curl for requests of c. */
CURL *transfer_new_handle(const struct http_client *c);
/* Makes a handle forget what lives no longer than its last request. */
void transfer_rest_handle(CURL *easy);
/* First of all: t has its first four members and is empty otherwise. Time counts from now on. */
void transfer_prepare(struct transfer *t);
/* Then sets easy up for the request of t. */
MUST_CHECK bool transfer_begin(struct transfer *t, struct err *e);
/*
 * Looks whether t has waited too long or was cancelled; sets stop. False: it must be removed. now
 * is the time of clock_wire before what there was to read was read: what came later than that, or
 * while nobody looked, is not missed.
 */
bool transfer_may_go_on(struct transfer *t, int64_t now);
/* Milliseconds until transfer_may_go_on should be asked again. */
int transfer_patience(const struct transfer *t);
/* Fills the response and the error from curl's result, and lets go of what curl was given. */
MUST_CHECK bool transfer_end(struct transfer *t, CURLcode result, struct err *e);

/* What our own side took its time for since then is not the server's fault. */
void transfer_forgive(struct transfer *t, int64_t since);
/* Releases what curl was given. */
void transfer_drop(struct transfer *t);

/* Passes on received body data; sets stop if it is rejected or too long. */
bool transfer_take_piece(void *t, str piece);
/* The headers are complete: reports them, once. */
void transfer_tell_head(struct transfer *t);

/*
 * ---- local.c: requests that a handler of this process answers ----
 *
 * One thread at a time. The handler may answer later, from any thread, and even when the request
 * was given up long ago.
 */
struct http_local;
enum http_local_state { LOCAL_WAITS, LOCAL_HAS_MORE, LOCAL_ENDED };
/*
 * Gives the request of t, which is prepared, to the handler. wake is called when http_local_step is
 * worth while, from any thread, also from within this and under locks of the handler; without it,
 * http_local_wait is for blocking callers. NULL if the request is invalid.
 */
struct http_local *http_local_begin(struct transfer *t, void (*wake)(void *ctx), void *ctx,
                                    struct err *e);
/* Takes what has come, a few pieces at most. Never waits. */
enum http_local_state http_local_step(struct http_local *l);
/* Waits until there may be more, or a timeout has to be checked. Not in driven mode. */
void http_local_wait(struct http_local *l);
/* Gives up what has not come, fills the response and the error, and frees l. */
MUST_CHECK bool http_local_end(struct http_local *l, struct err *e);

/* ---- setup.c ---- */
/* Whether names and values of headers can be sent. */
MUST_CHECK bool transfer_check_headers(const struct http_headers *h, struct err *e);
/* Whether a request asks for gzip without its caller having to know. */
bool transfer_asks_for_gzip(const struct transfer *t);
/* The proxy for url: that of the request, and then of each place that it is redirected to. */
MUST_CHECK bool transfer_set_proxy(struct transfer *t, str url, struct err *e);
/* The options of easy that come from the configuration: once for each handle. */
void transfer_set_constants(struct transfer *t);
/* Those that come from the request: all of them, whatever the one before has left. */
MUST_CHECK bool transfer_set_options(struct transfer *t, struct err *e);

/* ---- failure.c ---- */
/* Words the failure of t. Always false. */
bool transfer_fail(struct transfer *t, CURLcode result, struct err *e);
/* Fills response and e for a request that could not begin. Always false. */
bool http_fail_early(struct arena *a, const struct http_request *r, struct http_response *response,
                     struct err *e);

/* ---- gunzip.c ---- */
enum gunzip_result { GUNZIP_OK, GUNZIP_STOPPED, GUNZIP_BAD };
struct gunzip *gunzip_new(void);
void gunzip_free(struct gunzip *g); /* may be NULL */
/* Unpacks piece and gives on what it holds, bit by bit, until give is false. */
enum gunzip_result gunzip_add(struct gunzip *g, str piece, bool (*give)(void *ctx, str piece),
                              void *ctx);
/* Whether nothing came, or all of it; whether it is not gzip. */
bool gunzip_is_whole(const struct gunzip *g);
bool gunzip_is_broken(const struct gunzip *g);

/* ---- pem.c ---- */
/* Checks what is in memory: certificates, and that the key belongs to the certificate. */
MUST_CHECK bool http_tls_check(const struct http_tls *tls, struct err *e);

/* ---- tape.c ---- */
bool tape_is_replay(const struct tape *t);
/* The recorded answer of r, or why there is none. on_body gets its body. */
MUST_CHECK bool tape_answer(struct tape *t, struct arena *a, const struct http_request *r,
                            struct http_response *response, struct err *e);
/* Records an exchange; failure is NULL when there was an answer. body is what on_body got. */
void tape_keep(struct tape *t, const struct http_request *r, const struct http_response *response,
               str body, const struct err *failure);
