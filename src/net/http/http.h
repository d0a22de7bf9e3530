/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.h - an HTTP client: responses are returned whole, or delivered as they arrive.
 *
 *     struct http_config config = http_defaults();
 *     struct http_client *client;
 *     if (!http_client_new(&config, &client, e))
 *         return false;
 *     struct http_request request = {.method = STR("GET"), .url = url};
 *     struct http_response response;
 *     if (!http_send(client, a, &request, &response, e))
 *         return false;                        no answer: response.failure says why
 *     if (response.status == 200) use(response.body);
 *     http_client_free(client);
 *
 * A status of 400 or 500 is a response, not an error. If there is no response, the error has the
 * wording of Go's net/http (Get "https://x/": dial tcp 10.0.0.1:443: connect: connection refused),
 * response.failure is for code that acts on it, and response.hint says what to check; http_explain
 * appends it to the text.
 *
 * A client is configuration plus open connections; it is immutable and may be used from any number
 * of threads. It holds as many connections as there were ever requests in flight at once. A
 * response lives in the arena of its call. For retries see retry.h, for many streams on few
 * connections streams.h, for recording and replaying tape.h.
 */
#pragma once

#include "base/base.h"

struct handler;
struct http_cancel;
struct http_client;
struct tape;

enum http_tls_version { HTTP_TLS_1_2, HTTP_TLS_1_3 };

/*
 * PEM from memory, or from a file, which is read again for each new connection. With both, the text
 * is what the file held at first: it is checked, and the file is used.
 */
struct http_pem {
    str text, file;
};

struct http_tls {
    struct http_pem ca; /* trusted instead of the certificates of the system; empty: those */
    struct http_pem cert, key;
    str server_name; /* asked for and verified instead of the host of the URL */
    bool insecure;   /* nothing is verified */
    enum http_tls_version min_version;
};

/* Times are nanoseconds; 0 means no limit. */
struct http_config {
    struct http_tls tls;
    /* A URL (http, https, socks5). Empty: as the environment says, by Go's rules; see proxy.h. */
    str proxy;
    bool no_proxy;           /* not even one of the environment */
    str user_agent;          /* of requests that name none; empty: none */
    int64_t connect_timeout; /* name, connection and TLS */
    int64_t timeout;         /* the whole request */
    int64_t idle_timeout;    /* without a byte from the server, or with next to none */
    size_t body_max;         /* of an answer, after gzip; streamed bodies are not counted */
    size_t header_max;       /* of all headers of an answer together, trailers included */
    unsigned redirects_max;  /* followed for GET and HEAD only; 0: none, the 3xx is the answer */
    bool no_compression;     /* gzip is not asked for */
    struct tape *tape;       /* records or replays every request; NULL: neither */
    /*
     * Answers every request in this process, whatever its host; NULL: the network. Must outlive the
     * client. There is no TLS, no proxy and no compression then, and redirects are not followed;
     * all else is the same, tapes included. See net/handler.h.
     */
    const struct handler *local;
};

/* Connect 30 s, idle 60 s, no limit in all, 64 MiB of body, 256 KiB of headers, 10 redirects. */
struct http_config http_defaults(void);
/* The tape of these defaults from now on; NULL: none. For main, before there are threads. */
void http_use_tape(struct tape *tape);

struct http_header {
    str name, value;
};
struct http_headers {
    struct http_header *items;
    size_t len, cap;
};
void http_header_add(struct arena *a, struct http_headers *h, str name, str value);
/* Replaces all of that name. */
void http_header_set(struct arena *a, struct http_headers *h, str name, str value);
/* The first of that name, letters without case; STR_NONE when there is none. */
str http_header_get(const struct http_headers *h, str name);
bool http_header_has(const struct http_headers *h, str name);

/* Why there is no answer. The order is that of a request's life. */
enum http_failure {
    HTTP_FAILURE_NONE,
    HTTP_FAILURE_CONFIG,     /* a URL, certificate or key that cannot be used */
    HTTP_FAILURE_REPLAY,     /* nothing like it was recorded */
    HTTP_FAILURE_DNS,        /* the name has no address */
    HTTP_FAILURE_REFUSED,    /* connection refused */
    HTTP_FAILURE_CONNECT,    /* any other failure to connect: no route, proxy */
    HTTP_FAILURE_TLS_VERIFY, /* the server's certificate is not trusted */
    HTTP_FAILURE_TLS,        /* any other failure of TLS */
    HTTP_FAILURE_TIMEOUT,
    HTTP_FAILURE_RESET,    /* closed or reset before the end of the answer */
    HTTP_FAILURE_PROTOCOL, /* the answer is no HTTP, or its length or compression is wrong */
    HTTP_FAILURE_TOO_LARGE,
    HTTP_FAILURE_REDIRECT, /* too many, or to another protocol */
    HTTP_FAILURE_CANCELLED,
    HTTP_FAILURE_CALLER, /* on_body failed; the error is its own */
};
/* "dns", "refused", ..., for logs and metrics. */
const char *http_failure_name(enum http_failure f);

struct http_response {
    int status;      /* 0 when none came */
    str status_line; /* "404 Not Found" as the server words it; empty for HTTP/2 and recordings */
    struct http_headers headers;
    str body; /* empty when it went to on_body */
    str url;  /* where the answer came from, after redirects */
    str peer; /* "10.0.0.1:443"; empty when not connected */
    enum http_failure failure;
    bool sent;    /* a part of the request left: the server may have acted on it */
    str hint;     /* on failure: what to check, a clause without a full stop; may be empty */
    int64_t took; /* nanoseconds of real time, also when clocks are fake */
};

/*
 * Receives a piece of a body. False stops the request: e becomes its error; an e left empty means
 * that the caller has seen enough, and http_send succeeds with what came so far.
 */
typedef bool http_body_fn(void *ctx, const struct http_response *so_far, str piece, struct err *e);

struct http_request {
    str method; /* empty: GET */
    str url;
    struct http_headers headers; /* Host, Content-Length and the like are added */
    str body;                    /* with_body or not empty: sent */
    bool with_body;
    /*
     * When set, the body of an answer of 2xx goes there as it comes in, in pieces of any size. The
     * bodies of other answers are collected as usual, up to body_max.
     */
    http_body_fn *on_body;
    void *ctx;
    struct http_cancel *cancel; /* may be NULL */
    /* Instead of the configuration's when not 0; below 0: no limit. */
    int64_t timeout, idle_timeout;
    size_t body_max;
};

/*
 * A flag that many requests may watch and any thread may raise; from then on they end at once with
 * ERR_CANCELLED, and so do new ones. http_cancel_raise may be called from a signal handler. Must
 * outlive the requests.
 */
struct http_cancel *http_cancel_new(void);
void http_cancel_free(struct http_cancel *c);
void http_cancel_raise(struct http_cancel *c);
bool http_cancel_raised(const struct http_cancel *c); /* NULL: false */
/* Readable once raised, for poll(2). */
int http_cancel_fd(const struct http_cancel *c);
/* Waits by clock_sleep for ns, or until raised, which is false with ERR_CANCELLED. */
MUST_CHECK bool http_cancel_wait(const struct http_cancel *c, int64_t ns, struct err *e);

/* Checks the configuration and copies it. Certificates from memory are checked, files not yet. */
MUST_CHECK bool http_client_new(const struct http_config *config, struct http_client **out,
                                struct err *e);
/* One more owner of c, which is given back. */
struct http_client *http_client_ref(struct http_client *c);
/* The last owner closes the connections; none of its requests may be under way. */
void http_client_free(struct http_client *c);

/*
 * Sends one request and waits for its answer. True whenever the whole answer came, whatever its
 * status. The kind of an error is ERR_IO, ERR_LIMIT, ERR_CANCELLED, ERR_INVALID (URL, certificates)
 * or that of on_body. response is filled in either case.
 */
MUST_CHECK bool http_send(struct http_client *c, struct arena *a, const struct http_request *r,
                          struct http_response *response, struct err *e);
/* Puts "; hint" behind the text of e when response has one. Always false. */
bool http_explain(struct err *e, const struct http_response *response);
/* "404 Not Found", as Go's Response.Status. Lives as long as a. */
str http_status_text(struct arena *a, int status);

/*
 * Cuts a stream into lines (watch events): keeps what is not yet ended, up to max bytes, which
 * makes a longer line ERR_LIMIT. A line is given without its LF and is valid during the call. The
 * rest without an LF is given by http_lines_end.
 */
struct http_lines {
    struct buf rest;
    size_t max;
    bool (*on_line)(void *ctx, str line, struct err *e);
    void *ctx;
};
MUST_CHECK bool http_lines_add(struct http_lines *l, str piece, struct err *e);
MUST_CHECK bool http_lines_end(struct http_lines *l, struct err *e);
