/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_internal.h - what the files of the HTTP client share.
 *
 * A transfer is one request under way: what curl's callbacks need, and what http_send and the
 * streams have in common. A handle is curl's; it is kept between requests because creating one
 * takes twenty times as long as a request.
 */
#pragma once

#include "net/http/http.h"
#include "net/proxy.h"

#include <curl/curl.h>
#include <sys/socket.h>

/*
 * Keep-alive probes of idle connections: seconds until the first one, between them, and how many.
 */
#define HTTP_KEEP_IDLE 30
#define HTTP_KEEP_INTERVAL 5
#define HTTP_KEEP_PROBES 3
/* Servers keep idle connections for a minute or more: seconds after which we do not reuse one. */
#define HTTP_REST_MAX 50

struct http_client {
    struct arena *arena;
    struct http_config config;
    struct proxy_settings proxies;
    struct http_cache *cache; /* idle handles, and the number of owners; with its own lock */
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
    struct buf body;       /* what was collected */
    struct buf kept;       /* what went to on_body, if a tape is recording */
    struct gunzip *gunzip; /* the answer is compressed */
    size_t body_max;
    size_t header_bytes;      /* of the heads since the last complete one, and of trailers */
    uint64_t length, arrived; /* of the body on the wire: announced, or UINT64_MAX; and so far */
    size_t given;             /* bytes of the request's body given to curl */
    int64_t timeout, idle_timeout;
    /* By clock_wire: when it started; when something last arrived; since when window_bytes are
     * counted, or 0. */
    int64_t started, active, window;
    size_t window_bytes;
    bool head_done;
    enum transfer_stop stop;
    struct err caller;               /* of on_body */
    str redirected;                  /* where to, if redirected; else empty */
    str proxy;                       /* its host and port, for messages; empty: none */
    struct sockaddr_storage address; /* the first one that was tried */
    socklen_t address_len;
    char text[CURL_ERROR_SIZE];
};

/* ---- http.c ---- */
/* An idle handle or a new one; give it back together with its connections. */
CURL *http_handle_take(struct http_client *c, CURLM **multi);
void http_handle_give(struct http_client *c, CURL *easy, CURLM *multi);
/* Waits for the network, for the cancel flag, or until a timeout has to be checked. */
void http_handle_wait(CURLM *multi, const struct transfer *t);
/* The result of the only request of multi. */
CURLcode http_handle_result(CURLM *multi);

/* ---- library.c ---- */
/* Call before any other function of curl. Fails if it is not installed. Any thread. */
MUST_CHECK bool curl_load(struct err *e);

/* ---- transfer.c ---- */
/* A new handle of curl for requests of c. */
CURL *transfer_new_handle(const struct http_client *c);
/* Makes a handle forget everything that lives only as long as its last request. */
void transfer_rest_handle(CURL *easy);
/* First step: t has its first four members set and is empty otherwise. Time counts from now on. */
void transfer_prepare(struct transfer *t);
/* Second step: sets up easy for the request of t. */
MUST_CHECK bool transfer_begin(struct transfer *t, struct err *e);
/*
 * Checks whether t has waited too long or was cancelled; sets stop. False: it must be removed. now
 * is clock_wire's time before everything available was read, so that what arrived since, or while
 * nobody looked, still counts.
 */
bool transfer_may_go_on(struct transfer *t, int64_t now);
/* Milliseconds until transfer_may_go_on should be asked again. */
int transfer_patience(const struct transfer *t);
/* Fills the response and the error from curl's result, and releases what curl was given. */
MUST_CHECK bool transfer_end(struct transfer *t, CURLcode result, struct err *e);

/* Excludes the time since then from timeouts: our side took it, not the server. */
void transfer_forgive(struct transfer *t, int64_t since);

/* Passes on received body data; sets stop if it is rejected or too long. */
bool transfer_take_piece(void *t, str piece);
/* The headers are complete: reports them, once. */
void transfer_tell_head(struct transfer *t);

/*
 * ---- local.c: requests that a handler of this process answers ----
 *
 * One thread at a time. The handler may answer later, from any thread, even long after the request
 * was abandoned.
 */
struct http_local;
enum http_local_state { LOCAL_WAITS, LOCAL_HAS_MORE, LOCAL_ENDED };
/*
 * Passes the request of t, which must be prepared, to the handler. wake is called when
 * http_local_step is worthwhile: from any thread, even within this call, and with the handler's
 * locks held. Blocking callers pass NULL and use http_local_wait. NULL if the request is invalid.
 */
struct http_local *http_local_begin(struct transfer *t, void (*wake)(void *ctx), void *ctx,
                                    struct err *e);
/* Takes what has arrived, a few pieces at most. Never waits. */
enum http_local_state http_local_step(struct http_local *l);
/* Waits until there may be more, or a timeout must be checked. Not in driven mode. */
void http_local_wait(struct http_local *l);
/* Abandons what has not arrived, fills the response and the error, and frees l. */
MUST_CHECK bool http_local_end(struct http_local *l, struct err *e);

/* ---- setup.c ---- */
/* Checks that names and values of headers can be sent. */
MUST_CHECK bool transfer_check_headers(const struct http_headers *h, struct err *e);
/* Whether a request asks for gzip without its caller having to know. */
bool transfer_asks_for_gzip(const struct transfer *t);
/* Sets the proxy for url: that of the request, then of each redirect. */
MUST_CHECK bool transfer_set_proxy(struct transfer *t, str url, struct err *e);
/* Sets the options of easy that depend on the configuration, once for each handle. */
void transfer_set_constants(struct transfer *t);
/* Sets those that depend on the request: all of them, whatever the previous one left. */
MUST_CHECK bool transfer_set_options(struct transfer *t, struct err *e);

/* ---- failure.c ---- */
/* Describes the failure of t in e. Always false. */
bool transfer_fail(struct transfer *t, CURLcode result, struct err *e);
/* Fills response and e for a request that could not be started. Always false. */
bool http_fail_early(struct arena *a, const struct http_request *r, struct http_response *response,
                     struct err *e);

/* ---- gunzip.c ---- */
enum gunzip_result { GUNZIP_OK, GUNZIP_STOPPED, GUNZIP_BAD };
struct gunzip *gunzip_new(void);
void gunzip_free(struct gunzip *g); /* may be NULL */
/* Decompresses piece and passes the result on, bit by bit, until give returns false. */
enum gunzip_result gunzip_add(struct gunzip *g, str piece, bool (*give)(void *ctx, str piece),
                              void *ctx);
/* Whether the input was empty or complete; is invalid; decompresses to far too much. */
bool gunzip_is_whole(const struct gunzip *g);
bool gunzip_is_broken(const struct gunzip *g);
bool gunzip_explodes(const struct gunzip *g);

/* ---- pem.c ---- */
/* Checks the PEM in memory: certificates, and that the key belongs to the certificate. */
MUST_CHECK bool http_tls_check(const struct http_tls *tls, struct err *e);

/* ---- tape.c ---- */
bool tape_is_replay(const struct tape *t);
/* The recorded answer to r, or why there is none. on_body gets its body. */
MUST_CHECK bool tape_answer(struct tape *t, struct arena *a, const struct http_request *r,
                            struct http_response *response, struct err *e);
/* Records an exchange; failure is NULL if there was an answer. body is what on_body got. */
void tape_keep(struct tape *t, const struct http_request *r, const struct http_response *response,
               str body, const struct err *failure);
