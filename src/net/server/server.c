/* SPDX-License-Identifier: Apache-2.0 */
/* server.c - starts the server, receives requests, and stops it; see server.h. */
#include "net/server/server.h"

#include "net/server/internal.h"
#include "text/url.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>

/* How often stopping checks whether the last request has ended. */
#define STOP_STEP_MS 5
/* The most options of the library that we set. */
#define OPTIONS_MAX 16

/* ---- Lists ---------------------------------------------------------------------------------- */

void server_link_request(struct server *s, struct server_request *r)
{
    r->next = s->requests;
    r->back = &s->requests;
    if (r->next)
        r->next->back = &r->next;
    s->requests = r;
    s->holders++;
}

void server_unlink_request(struct server_request *r)
{
    *r->back = r->next;
    if (r->next)
        r->next->back = r->back;
}

void server_free_request(struct server_request *r)
{
    arena_free(r->arena);
    block_free(r);
}

static bool was_last(struct server *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    return --s->holders == 0;
}

static void free_server(struct server *s)
{
    server_drop_certificates(s);
    arena_free(s->arena);
}

void server_release(struct server *s)
{
    if (was_last(s))
        free_server(s);
}

/* ---- One request ---------------------------------------------------------------------------- */

/*
 * The library reserves some 70 bytes of the connection's memory for every parameter of the query,
 * and waits forever if none is left. Queries are parsed here (server_query), so it must not see
 * any. The text is the library's own copy of the line, const only in the callback's signature.
 */
static void hide_query(const char *target, str path)
{
    char *query = (char *)(uintptr_t)target + path.len + 1;

    *query = 0;
}

static int check_target(const struct server_request *r)
{
    size_t parameters = 1;

    for (size_t i = 0; i < r->query.len; i++)
        parameters += r->query.ptr[i] == '&';
    return parameters > SERVER_PARAMETERS_MAX || r->target.len > r->server->config.header_max / 2
               ? 414
               : 0;
}

/* The library calls this first, with the target as received. */
static void *begin_request(void *ctx, const char *target, struct MHD_Connection *connection)
{
    struct server *s = ctx;
    struct arena *a = arena_new();
    struct server_request *r = block_new(sizeof *r);
    str path;

    *r = (struct server_request){.arena = a, .server = s, .connection = connection};
    r->target = str_copy(a, str_c(target));
    r->body = buf_new(a, s->config.body_max);
    if (str_cut(r->target, STR("?"), &path, &r->query))
        hide_query(target, path);
    r->rejected = check_target(r);
    if (!url_unescape(a, path, false, &r->path))
        r->path = path;
    AUTO_LOCK guard = lock_take(&s->lock);
    server_link_request(s, r);
    return r;
}

static enum MHD_Result keep_header(void *ctx, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    struct server_request *r = ctx;

    (void)kind;
    http_header_add(r->arena, &r->headers, str_copy(r->arena, str_c(name)),
                    str_copy(r->arena, str_c(value)));
    return MHD_YES;
}

static void reject(struct server_request *r, int status)
{
    r->rejected = status;
    server_reply(r, status, STR("text/plain"),
                 str_concat(r->arena, http_status_text(r->arena, status), STR("\n")));
}

static bool is_too_long(const struct server_request *r)
{
    uint64_t length;

    return str_to_u64(http_header_get(&r->headers, STR("Content-Length")), &length) &&
           length > r->server->config.body_max;
}

/* Whether there is an answer, which is then ours to send; else the connection waits for it. */
static bool take_answer(struct server_request *r, enum MHD_Result *otherwise)
{
    AUTO_LOCK guard = lock_take(&r->server->lock);

    r->suspended = false;
    *otherwise = r->server->cutting ? MHD_NO : MHD_YES;
    if (r->state == REQUEST_HANDLED) {
        if (!r->server->cutting) {
            MHD_suspend_connection(r->connection);
            r->suspended = true;
        }
        return false;
    }
    r->state = REQUEST_QUEUED;
    return true;
}

/*
 * Passes the answer to the library, or waits for it. Called without our lock: the library locks
 * responses while it reads from streams, which take ours.
 */
static enum MHD_Result pass_on(struct server_request *r)
{
    enum MHD_Result result;

    if (!take_answer(r, &result))
        return result;
    result = MHD_NO;
    if (!r->drop)
        result = MHD_queue_response(r->connection, (unsigned)r->status, r->response);
    if (r->response)
        MHD_destroy_response(r->response);
    r->response = NULL;
    /* The library has copied the answer; a stream may go on for hours. */
    arena_free(r->arena);
    r->arena = NULL;
    return result;
}

static bool begin_handling(struct server_request *r)
{
    AUTO_LOCK guard = lock_take(&r->server->lock);

    r->state = REQUEST_HANDLED;
    return !r->server->stopping;
}

static void start_handling(struct server_request *r)
{
    if (begin_handling(r))
        r->server->config.handle(r->server->config.ctx, r);
    else
        reject(r, 503);
}

/* The thread that answers sets the state, perhaps while the connection is being cut. */
static bool is_reading(struct server_request *r)
{
    AUTO_LOCK guard = lock_take(&r->server->lock);

    return r->state == REQUEST_READING;
}

/* The head has arrived. False: the answer needs nothing more. */
static bool goes_on_reading(struct server_request *r, const char *method)
{
    const struct server_config *c = &r->server->config;

    r->method = str_copy(r->arena, str_c(method));
    if (c->client_ca.len)
        r->client = str_copy(r->arena, server_verified_client(r->connection));
    MHD_get_connection_values(r->connection, MHD_HEADER_KIND, keep_header, r);
    if (!r->rejected && c->wants_body && !c->wants_body(c->ctx, r)) {
        start_handling(r);
        return false;
    }
    if (!r->rejected && !is_too_long(r))
        return true;
    (void)begin_handling(r);
    reject(r, r->rejected ? r->rejected : 413);
    return false;
}

/* Called with the head, with each piece of the body, at its end, and after each resume. */
static enum MHD_Result on_access(void *ctx, struct MHD_Connection *connection, const char *url,
                                 const char *method, const char *version, const char *data,
                                 size_t *size, void **state)
{
    struct server_request *r = *state;

    (void)ctx, (void)connection, (void)url, (void)version;
    if (!r->method.len)
        return goes_on_reading(r, method) ? MHD_YES : pass_on(r);
    const bool reading = is_reading(r);
    if (*size) {
        if (reading)
            buf_add(&r->body, str_of(data, *size));
        *size = 0;
        return r->body.overflow ? MHD_NO : MHD_YES;
    }
    if (reading)
        start_handling(r);
    return pass_on(r);
}

/* Whether the handler still has r, which then frees it. */
static bool leave_to_handler(struct server_request *r)
{
    AUTO_LOCK guard = lock_take(&r->server->lock);

    r->gone = true;
    r->connection = NULL;
    if (r->state == REQUEST_HANDLED)
        return true;
    server_unlink_request(r);
    return false;
}

static void on_completed(void *ctx, struct MHD_Connection *connection, void **state,
                         enum MHD_RequestTerminationCode code)
{
    struct server_request *r = *state;
    struct server *s = ctx;

    (void)connection, (void)code;
    *state = NULL;
    if (!r || leave_to_handler(r))
        return;
    if (r->response)
        MHD_destroy_response(r->response);
    server_free_request(r);
    server_release(s);
}

/* ---- Starting ------------------------------------------------------------------------------- */

struct listen_address {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    };
    bool is_v6;
};

static bool parse_address(const struct server *s, struct listen_address *out, struct err *e)
{
    char *text = str_z(s->arena, s->config.address);

    *out = (struct listen_address){0};
    if (inet_pton(AF_INET, text, &out->v4.sin_addr) == 1) {
        out->v4.sin_family = AF_INET;
        out->v4.sin_port = htons(s->config.port);
        return true;
    }
    if (inet_pton(AF_INET6, text, &out->v6.sin6_addr) == 1) {
        out->v6.sin6_family = AF_INET6;
        out->v6.sin6_port = htons(s->config.port);
        out->is_v6 = true;
        return true;
    }
    return err_set(e, ERR_INVALID, "%s is not an address to listen on: give an IPv4 or IPv6 one",
                   text);
}

/* Drops what the library would print: only cli prints. */
static void no_log(void *ctx, const char *format, va_list args)
{
    (void)ctx, (void)format, (void)args;
}

static struct server *new_server(const struct server_config *config)
{
    struct arena *a = arena_new_secret();
    struct server *s = ARENA_NEW(a, struct server);
    struct server_config *c = &s->config;

    s->arena = a;
    s->lock = (struct lock)LOCK_INIT;
    s->wake = -1;
    s->holders = 1;
    *c = *config;
    c->address = config->address.len ? str_copy(a, config->address) : STR("127.0.0.1");
    c->cert = str_copy(a, config->cert);
    c->key = str_copy(a, config->key);
    c->client_ca = str_copy(a, config->client_ca);
    c->threads = c->threads ? c->threads : 2;
    c->connections_max = c->connections_max ? c->connections_max : 1000;
    if (c->connections_max < c->threads)
        c->connections_max = c->threads;
    c->body_max = c->body_max ? c->body_max : 4 * MIB;
    c->header_max = c->header_max ? c->header_max : 32 * KIB;
    c->idle_timeout = c->idle_timeout ? c->idle_timeout : 60 * NS_PER_SEC;
    return s;
}

/* The options of the library that depend on the configuration. */
static void add_options(struct server *s, struct MHD_OptionItem *options)
{
    const struct server_config *c = &s->config;
    intptr_t idle = (intptr_t)((c->idle_timeout + NS_PER_SEC - 1) / NS_PER_SEC);
    size_t n = 0;

    options[n++] = (struct MHD_OptionItem){MHD_OPTION_CONNECTION_LIMIT, c->connections_max, NULL};
    options[n++] =
        (struct MHD_OptionItem){MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)c->header_max, NULL};
    options[n++] = (struct MHD_OptionItem){MHD_OPTION_CONNECTION_TIMEOUT, idle, NULL};
    /* Handlers may walk trees of any depth that we parse. */
    options[n++] = (struct MHD_OptionItem){MHD_OPTION_THREAD_STACK_SIZE, POOL_STACK, NULL};
    if (c->threads > 1)
        options[n++] = (struct MHD_OptionItem){MHD_OPTION_THREAD_POOL_SIZE, c->threads, NULL};
    if (c->cert.len) {
        options[n++] =
            (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0, str_z(s->arena, c->cert)};
        options[n++] =
            (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0, str_z(s->arena, c->key)};
        options[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_CERT_CALLBACK, 0,
                                               server_certificate_callback()};
    }
    if (c->client_ca.len)
        options[n++] =
            (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_TRUST, 0, str_z(s->arena, c->client_ca)};
    options[n] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
}

static bool start_daemon(struct server *s, struct err *e)
{
    struct MHD_OptionItem options[OPTIONS_MAX];
    struct listen_address address;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC |
                     MHD_USE_ERROR_LOG;

    if (!parse_address(s, &address, e) || !server_library_load(e))
        return false;
    if (s->config.cert.len && !server_renew(s, s->config.cert, s->config.key, e))
        return err_wrap(e, "cannot listen on %.*s port %u", STR_ARG(s->config.address),
                        s->config.port);
    if (s->config.client_ca.len && !server_trust(s, s->config.client_ca, e))
        return err_wrap(e, "cannot listen on %.*s port %u", STR_ARG(s->config.address),
                        s->config.port);
    add_options(s, options);
    flags |= (s->config.cert.len ? MHD_USE_TLS : 0) | (address.is_v6 ? MHD_USE_IPv6 : 0);
    errno = 0;
    s->daemon = MHD_start_daemon(
        flags, s->config.port, NULL, NULL, on_access, s, MHD_OPTION_EXTERNAL_LOGGER, no_log, NULL,
        MHD_OPTION_SOCK_ADDR, &address.any, MHD_OPTION_URI_LOG_CALLBACK, begin_request, s,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, s, MHD_OPTION_NOTIFY_CONNECTION,
        server_on_connection, s, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
    if (s->daemon)
        return true;
    return err_set(e, ERR_IO, "cannot listen on %.*s port %u: %s", STR_ARG(s->config.address),
                   s->config.port,
                   errno ? err_errno_text(errno) : "the certificate and key cannot be used");
}

static void name_server(struct server *s)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT);
    bool is_v6 = str_find_char(s->config.address, ':') != STR_NPOS;

    s->port = info ? info->port : s->config.port;
    s->url = str_fmt(s->arena, "%s://%s%.*s%s:%u", s->config.cert.len ? "https" : "http",
                     is_v6 ? "[" : "", STR_ARG(s->config.address), is_v6 ? "]" : "", s->port);
}

bool server_start(const struct server_config *config, struct server **out, struct err *e)
{
    struct server *s = new_server(config);

    if (!start_daemon(s, e)) {
        free_server(s);
        return false;
    }
    name_server(s);
    if (!server_sweeper_start(s)) {
        MHD_stop_daemon(s->daemon);
        free_server(s);
        return err_set(e, ERR_IO, "cannot start a thread");
    }
    *out = s;
    return true;
}

uint16_t server_port(const struct server *s)
{
    return s->port;
}

str server_url(const struct server *s)
{
    return s->url;
}

/* ---- Stopping ------------------------------------------------------------------------------- */

static bool has_requests(struct server *s)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    return s->requests != NULL;
}

/* Ends everything that waits: streams with what they have, requests without an answer. */
static void wake_all(struct server *s, bool requests_too)
{
    AUTO_LOCK guard = lock_take(&s->lock);

    s->stopping = true;
    s->cutting = requests_too;
    for (struct server_stream *stream = s->streams; stream; stream = stream->next) {
        stream->gone = true;
        server_resume_stream(stream);
    }
    for (struct server_request *r = s->requests; requests_too && r; r = r->next)
        if (r->suspended) {
            r->gone = true;
            r->suspended = false;
            MHD_resume_connection(r->connection);
        }
}

void server_stop(struct server *s, int64_t grace)
{
    if (!s)
        return;
    /* The library's own way to stop listening races with its threads, so new requests get a 503. */
    wake_all(s, false);
    for (int64_t left = grace; left > 0 && has_requests(s); left -= STOP_STEP_MS * NS_PER_MS)
        poll(NULL, 0, STOP_STEP_MS);
    server_sweeper_stop(s);
    wake_all(s, true);
    MHD_stop_daemon(s->daemon);
    server_release(s);
}
