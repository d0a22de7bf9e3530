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
 * of threads. It keeps as many connections as there have ever been requests in flight at once. A
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
 * PEM from memory, or from a file, which is read again for each new connection. If both are set,
 * text is the initial content of the file: it is checked, and the file is used.
 */
struct http_pem {
    str text, file;
};

struct http_tls {
    struct http_pem ca; /* trusted instead of the system's certificates; empty: use those */
    struct http_pem cert, key;
    str server_name; /* requested and verified instead of the host of the URL */
    bool insecure;   /* verify nothing */
    enum http_tls_version min_version;
};

/* Times are nanoseconds; 0 means no limit. */
struct http_config {
    struct http_tls tls;
    /* A URL (http, https, socks5). Empty: from the environment, by Go's rules; see proxy.h. */
    str proxy;
    bool no_proxy;           /* not even from the environment */
    str user_agent;          /* for requests without one; empty: none */
    int64_t connect_timeout; /* name, connection and TLS */
    int64_t timeout;         /* the whole request */
    int64_t idle_timeout;    /* with nothing, or next to nothing, from the server */
    size_t body_max;         /* of an answer, decompressed; streamed bodies are not counted */
    size_t header_max;       /* of all headers of an answer together, trailers included */
    unsigned redirects_max;  /* for GET and HEAD only; 0: a 3xx is the answer */
    bool no_compression;     /* do not ask for gzip */
    struct tape *tape;       /* records or replays every request; NULL: neither */
    /*
     * Answers every request in this process, whatever its host; NULL: the network. Must outlive the
     * client. TLS, proxies and compression do not apply then, and redirects are not followed;
     * everything else is the same, including tapes. See net/handler.h.
     */
    const struct handler *local;
};

/* Connect 30 s, idle 60 s, no total limit, 64 MiB of body, 256 KiB of headers, 10 redirects. */
struct http_config http_defaults(void);
/* Sets the tape of these defaults; NULL: none. For main, before threads are started. */
void http_use_tape(struct tape *tape);

struct http_header {
    str name, value;
};
struct http_headers {
    struct http_header *items;
    size_t len, cap;
};
void http_header_add(struct arena *a, struct http_headers *h, str name, str value);
/* Replaces all headers of that name. */
void http_header_set(struct arena *a, struct http_headers *h, str name, str value);
/* The first header of that name, case-insensitively; STR_NONE if there is none. */
str http_header_get(const struct http_headers *h, str name);
bool http_header_has(const struct http_headers *h, str name);

/* Why there is no answer, in the order of a request's life. */
enum http_failure {
    HTTP_FAILURE_NONE,
    HTTP_FAILURE_CONFIG,     /* a URL, certificate or key that cannot be used */
    HTTP_FAILURE_REPLAY,     /* no recorded request matches */
    HTTP_FAILURE_DNS,        /* the name has no address */
    HTTP_FAILURE_REFUSED,    /* connection refused */
    HTTP_FAILURE_CONNECT,    /* any other failure to connect: no route, proxy */
    HTTP_FAILURE_TLS_VERIFY, /* the server's certificate is not trusted */
    HTTP_FAILURE_TLS,        /* any other TLS failure */
    HTTP_FAILURE_TIMEOUT,
    HTTP_FAILURE_RESET,    /* closed or reset before the end of the answer */
    HTTP_FAILURE_PROTOCOL, /* not HTTP, or a wrong length or compression */
    HTTP_FAILURE_TOO_LARGE,
    HTTP_FAILURE_REDIRECT, /* too many, or to another protocol */
    HTTP_FAILURE_CANCELLED,
    HTTP_FAILURE_CALLER, /* on_body failed; the error is its own */
};
/* "dns", "refused", ..., for logs and metrics. */
const char *http_failure_name(enum http_failure f);

struct http_response {
    int status;      /* 0: no response */
    str status_line; /* "404 Not Found", from the server; empty for HTTP/2 and recordings */
    struct http_headers headers;
    str body; /* empty if it went to on_body */
    str url;  /* where the answer came from, after redirects */
    str peer; /* "10.0.0.1:443"; empty if not connected */
    enum http_failure failure;
    bool sent;    /* part of the request was sent: the server may have acted on it */
    str hint;     /* on failure: what to check, a clause without a full stop; may be empty */
    int64_t took; /* nanoseconds of real time, even if clocks are fake */
};

/*
 * Receives a piece of a body. False stops the request with the error e. If e was left empty, the
 * caller has seen enough, and http_send succeeds with what was received so far.
 */
typedef bool http_body_fn(void *ctx, const struct http_response *so_far, str piece, struct err *e);

struct http_request {
    str method; /* empty: GET */
    str url;
    struct http_headers headers; /* Host, Content-Length and the like are added */
    str body;                    /* sent if with_body, or if not empty */
    bool with_body;
    /*
     * If set, receives the body of a 2xx answer as it arrives, in pieces of any size. The bodies of
     * other answers are collected as usual, up to body_max.
     */
    http_body_fn *on_body;
    void *ctx;
    struct http_cancel *cancel; /* may be NULL */
    /* Override the configuration unless 0; negative: no limit. */
    int64_t timeout, idle_timeout;
    size_t body_max;
};

/*
 * A flag that many requests may watch and any thread may raise. Once raised, they end at once with
 * ERR_CANCELLED, and so do new ones. http_cancel_raise may be called from a signal handler. Must
 * outlive the requests.
 */
struct http_cancel *http_cancel_new(void);
void http_cancel_free(struct http_cancel *c);
void http_cancel_raise(struct http_cancel *c);
bool http_cancel_raised(const struct http_cancel *c); /* NULL: false */
/* Readable once raised, for poll(2). */
int http_cancel_fd(const struct http_cancel *c);
/* Sleeps for ns (clock_sleep); false with ERR_CANCELLED as soon as the flag is raised. */
MUST_CHECK bool http_cancel_wait(const struct http_cancel *c, int64_t ns, struct err *e);

/* Checks and copies the configuration. Certificates in memory are checked, files not yet. */
MUST_CHECK bool http_client_new(const struct http_config *config, struct http_client **out,
                                struct err *e);
/* Adds an owner to c and returns it. */
struct http_client *http_client_ref(struct http_client *c);
/* Removes an owner. The last one closes the connections; no requests may be under way. */
void http_client_free(struct http_client *c);

/*
 * Sends one request and waits for its answer. True if the whole answer was received, whatever its
 * status. The kind of an error is ERR_IO, ERR_LIMIT, ERR_CANCELLED, ERR_INVALID (URL, certificates)
 * or that of on_body. response is filled in either case.
 */
MUST_CHECK bool http_send(struct http_client *c, struct arena *a, const struct http_request *r,
                          struct http_response *response, struct err *e);
/* Appends "; hint" to the text of e if response has one. Always false. */
bool http_explain(struct err *e, const struct http_response *response);
/* "404 Not Found", as Go's Response.Status. Lives as long as a. */
str http_status_text(struct arena *a, int status);

/*
 * Splits a stream into lines (watch events). An incomplete line is kept, up to max bytes; a longer
 * one is ERR_LIMIT. Lines are passed on without their LF and are valid during the call.
 * http_lines_end passes on the rest without an LF.
 */
struct http_lines {
    struct buf rest;
    size_t max;
    bool (*on_line)(void *ctx, str line, struct err *e);
    void *ctx;
};
MUST_CHECK bool http_lines_add(struct http_lines *l, str piece, struct err *e);
MUST_CHECK bool http_lines_end(struct http_lines *l, struct err *e);
