/* SPDX-License-Identifier: Apache-2.0 */
/* transfer.c - one request under way: curl's callbacks; see http_internal.h. */
#include "net/http/http_internal.h"
#include "net/redact.h"
#include "net/tape/tape.h"
#include "text/url.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

/* The longest wait between two looks at the clock and the flag. */
#define PATIENCE_MS 1000
/* Bytes per second below which an answer counts as idle; checked once per idle timeout. */
#define SLOWEST 16

static void note_arrival(struct transfer *t, size_t bytes)
{
    t->active = clock_wire();
    if (!t->window)
        t->window = t->active;
    t->window_bytes += bytes;
}

void transfer_forgive(struct transfer *t, int64_t since)
{
    int64_t now = clock_wire();

    t->active = now;
    if (t->window)
        t->window += now - since;
}

/*
 * "HTTP/1.1 200 OK" or "HTTP/2 200": a new answer starts, perhaps after an interim one or a
 * redirect.
 */
static void begin_head(struct transfer *t, str line)
{
    str version, rest;
    int64_t status = 0;

    str_cut(line, STR(" "), &version, &rest);
    if (!str_to_i64(str_slice(rest, 0, 3), &status))
        status = 0;
    t->response->status = (int)status;
    t->response->status_line = STR_NONE;
    if (str_has_prefix(version, STR("HTTP/1.")))
        t->response->status_line = str_copy(t->arena, str_trim_set(rest, STR("\r\n")));
    t->response->headers.len = 0;
    /* Interim answers are counted together, since their number must be limited. */
    if (t->head_done)
        t->header_bytes = 0;
    t->head_done = false;
    t->length = UINT64_MAX;
    t->arrived = 0;
}

/*
 * Reads the announced length. curl ignores a number that is too large, and uses the last of several
 * that differ: in both cases half an answer could pass for a whole one.
 */
static bool read_length(struct transfer *t)
{
    const struct http_headers *h = &t->response->headers;
    uint64_t length;

    if (http_header_has(h, STR("Transfer-Encoding")))
        return true;
    for (size_t i = 0; i < h->len; i++) {
        if (!str_eq_fold(h->items[i].name, STR("Content-Length")))
            continue;
        if (!str_to_u64(h->items[i].value, &length) || length > INT64_MAX ||
            (t->length != UINT64_MAX && t->length != length))
            return false;
        t->length = length;
    }
    if (str_eq(t->request->method, STR("HEAD")) || t->response->status == 204 ||
        t->response->status == 304)
        t->length = UINT64_MAX;
    return true;
}

/* Whether the announced length is already too much. */
static bool announces_too_much(const struct transfer *t)
{
    bool streamed = t->request->on_body && t->response->status / 100 == 2;

    return !streamed && t->body_max && t->length != UINT64_MAX && t->length > t->body_max;
}

void transfer_tell_head(struct transfer *t)
{
    redact_answer(t->arena, t->request, t->response, NULL);
    if (t->on_head)
        t->on_head(t->request->ctx, t->response);
    t->on_head = NULL;
}

/* Only gzip was requested. Callers who requested it themselves get the raw data. */
static void look_at_encoding(struct transfer *t)
{
    str encoding = str_trim(http_header_get(&t->response->headers, STR("Content-Encoding")));

    gunzip_free(t->gunzip);
    t->gunzip = NULL;
    if (!transfer_asks_for_gzip(t) || !encoding.len || str_eq_fold(encoding, STR("identity")))
        return;
    if (str_eq_fold(encoding, STR("gzip")) || str_eq_fold(encoding, STR("x-gzip")))
        t->gunzip = gunzip_new();
    else
        t->stop = STOP_ENCODING;
}

/*
 * curl follows redirects itself, but keeps the proxy, while the environment may require another one
 * or none. The option applies to the next connection.
 */
static void look_at_redirect(struct transfer *t)
{
    AUTO_ERR ignored = {0};
    str to = http_header_get(&t->response->headers, STR("Location"));
    str from = t->redirected.len ? t->redirected : t->request->url;

    if (t->response->status / 100 != 3 || !to.len || !t->client->config.redirects_max)
        return;
    if (url_resolve(t->arena, from, to, &t->redirected, &ignored) &&
        !transfer_set_proxy(t, t->redirected, &t->caller))
        t->stop = STOP_CALLER;
}

/* A redirect may be followed by another head, so it is reported only if there is none. */
static bool end_head(struct transfer *t)
{
    bool is_interim = t->response->status < 200;

    if (is_interim)
        return true;
    t->head_done = true;
    look_at_encoding(t);
    look_at_redirect(t);
    if (!t->stop && !read_length(t))
        t->stop = STOP_LENGTH;
    if (!t->stop && announces_too_much(t))
        t->stop = STOP_BODY_MAX;
    if (t->stop)
        return false;
    if (t->response->status / 100 != 3)
        transfer_tell_head(t);
    return true;
}

/* Lines after the end of the head are trailers, which we do not use. */
static bool take_header_line(struct transfer *t, str line)
{
    const size_t max = t->client->config.header_max;
    const bool begins = str_has_prefix(line, STR("HTTP/"));
    str name, value;

    if (begins)
        begin_head(t, line);
    t->header_bytes += line.len;
    if (max && t->header_bytes > max) {
        t->stop = STOP_HEADER_MAX;
        return false;
    }
    if (begins || t->head_done)
        return true;
    if (!str_trim(line).len)
        return end_head(t);
    if (str_cut(line, STR(":"), &name, &value))
        http_header_add(t->arena, &t->response->headers, str_copy(t->arena, str_trim(name)),
                        str_copy(t->arena, str_trim(value)));
    return true;
}

static size_t on_header(char *data, size_t size, size_t count, void *ctx)
{
    struct transfer *t = ctx;

    note_arrival(t, size * count);
    return take_header_line(t, str_of(data, size * count)) ? size * count : 0;
}

bool transfer_take_piece(void *ctx, str piece)
{
    struct transfer *t = ctx;
    const struct http_request *r = t->request;

    if (r->on_body && t->response->status / 100 == 2) {
        if (t->client->config.tape)
            buf_add(&t->kept, piece);
        if (!r->on_body(r->ctx, t->response, piece, &t->caller))
            t->stop = t->caller.kind ? STOP_CALLER : STOP_ENOUGH;
    } else if (t->body_max && t->body.len + piece.len > t->body_max) {
        t->stop = STOP_BODY_MAX;
    } else {
        buf_add(&t->body, piece);
    }
    return !t->stop;
}

static size_t on_data(char *data, size_t size, size_t count, void *ctx)
{
    struct transfer *t = ctx;
    str piece = {data, size * count};

    note_arrival(t, piece.len);
    t->arrived += piece.len;
    int64_t came = t->active;
    transfer_tell_head(t);
    if (!t->gunzip)
        transfer_take_piece(t, piece);
    else if (gunzip_add(t->gunzip, piece, transfer_take_piece, t) == GUNZIP_BAD)
        t->stop = STOP_GZIP;
    transfer_forgive(t, came);
    return t->stop ? 0 : piece.len;
}

/*
 * A peer that vanished is noticed within 45 s, as in client-go: by probes if nothing is under way,
 * else by missing acknowledgements.
 */
static void watch_peer(int fd)
{
    const int probes = HTTP_KEEP_PROBES;
    const unsigned limit = (HTTP_KEEP_IDLE + HTTP_KEEP_INTERVAL * HTTP_KEEP_PROBES) * 1000;

    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, sizeof(limit));
}

/* Opens the socket as curl would, and remembers the address for messages. */
static curl_socket_t on_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *to)
{
    struct transfer *t = ctx;

    (void)purpose;
    if (!t->address_len && to->addrlen <= sizeof(t->address)) {
        memcpy(&t->address, &to->addr, to->addrlen);
        t->address_len = to->addrlen;
    }
    int fd = socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
    if (fd >= 0 && (to->socktype & SOCK_STREAM))
        watch_peer(fd);
    return fd;
}

CURL *transfer_new_handle(const struct http_client *c)
{
    AUTO_ARENA a = arena_new();
    struct transfer t = {.client = c, .arena = a, .easy = curl_easy_init()};

    curl_easy_setopt(t.easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(t.easy, CURLOPT_WRITEFUNCTION, on_data);
    curl_easy_setopt(t.easy, CURLOPT_OPENSOCKETFUNCTION, on_socket);
    transfer_set_constants(&t);
    return t.easy;
}

void transfer_rest_handle(CURL *easy)
{
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, NULL);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, NULL);
    curl_easy_setopt(easy, CURLOPT_CONNECT_TO, NULL);
}

/* Releases what curl was given. */
static void drop(struct transfer *t)
{
    t->headers = t->connect_to = NULL;
    gunzip_free(t->gunzip);
    t->gunzip = NULL;
    err_clear(&t->caller);
}

/* A request's own limit takes precedence; negative means none. */
static int64_t pick_time(int64_t own, int64_t usual)
{
    return own ? (own > 0 ? own : 0) : usual;
}

void transfer_prepare(struct transfer *t)
{
    const struct http_config *c = &t->client->config;
    const struct http_request *r = t->request;

    t->body_max = r->body_max ? r->body_max : c->body_max;
    t->timeout = pick_time(r->timeout, c->timeout);
    t->idle_timeout = pick_time(r->idle_timeout, c->idle_timeout);
    t->body = buf_new(t->arena, BUF_UNLIMITED);
    t->kept = buf_new(t->arena, TAPE_EXCHANGE_MAX);
    t->length = UINT64_MAX;
    t->started = t->active = clock_wire();
}

bool transfer_begin(struct transfer *t, struct err *e)
{
    t->active = clock_wire();
    curl_easy_setopt(t->easy, CURLOPT_ERRORBUFFER, t->text);
    curl_easy_setopt(t->easy, CURLOPT_HEADERDATA, t);
    curl_easy_setopt(t->easy, CURLOPT_WRITEDATA, t);
    curl_easy_setopt(t->easy, CURLOPT_OPENSOCKETDATA, t);
    curl_easy_setopt(t->easy, CURLOPT_PRIVATE, t);
    if (transfer_set_options(t, e))
        return true;
    drop(t);
    return http_fail_early(t->arena, t->request, t->response, e);
}

/* Whether hardly anything arrived during the last idle timeout, not counting the time before the
 * first byte. */
static bool is_too_slow(struct transfer *t, int64_t now)
{
    if (!t->window || now - t->window <= t->idle_timeout)
        return false;
    bool slow = (double)t->window_bytes <
                (double)SLOWEST * (double)t->idle_timeout / (double)NS_PER_SEC;
    if (!slow) {
        t->window = now;
        t->window_bytes = 0;
    }
    return slow;
}

bool transfer_may_go_on(struct transfer *t, int64_t now)
{
    if (t->stop)
        return false;
    if (http_cancel_raised(t->request->cancel))
        t->stop = STOP_CANCELLED;
    else if (t->timeout && now - t->started > t->timeout)
        t->stop = STOP_TIMEOUT;
    else if (t->idle_timeout && now - t->active > t->idle_timeout)
        t->stop = STOP_IDLE;
    else if (t->idle_timeout && is_too_slow(t, now))
        t->stop = STOP_SLOW;
    return !t->stop;
}

int transfer_patience(const struct transfer *t)
{
    int64_t ms = t->idle_timeout / NS_PER_MS + 1;

    return clock_wire_poll(t->idle_timeout && ms < PATIENCE_MS ? (int)ms : PATIENCE_MS);
}

static str text_info(const struct transfer *t, CURLINFO what)
{
    char *text = NULL;

    curl_easy_getinfo(t->easy, what, &text);
    return str_copy(t->arena, str_c(text));
}

static str peer_of(const struct transfer *t)
{
    str ip = text_info(t, CURLINFO_PRIMARY_IP);
    long port = 0;

    curl_easy_getinfo(t->easy, CURLINFO_PRIMARY_PORT, &port);
    if (!ip.len)
        return STR_NONE;
    return str_find_char(ip, ':') == STR_NPOS ? str_fmt(t->arena, "%.*s:%ld", STR_ARG(ip), port)
                                              : str_fmt(t->arena, "[%.*s]:%ld", STR_ARG(ip), port);
}

static void describe(struct transfer *t)
{
    struct http_response *response = t->response;
    long sent = 0, redirects = 0;
    curl_off_t took = 0;

    response->body = buf_str(&t->body);
    if (!t->easy) {
        response->sent = true;
        response->took = clock_wire() - t->started;
        return;
    }
    curl_easy_getinfo(t->easy, CURLINFO_REQUEST_SIZE, &sent);
    curl_easy_getinfo(t->easy, CURLINFO_REDIRECT_COUNT, &redirects);
    response->sent = sent > 0;
    response->peer = peer_of(t);
    curl_easy_getinfo(t->easy, CURLINFO_TOTAL_TIME_T, &took);
    response->took = (int64_t)took * 1000;
    if (redirects)
        response->url = text_info(t, CURLINFO_EFFECTIVE_URL);
}

bool transfer_end(struct transfer *t, CURLcode result, struct err *e)
{
    bool ok;

    /* curl accepts a head that ends in the middle of a line. */
    if (result == CURLE_OK && !t->head_done)
        result = CURLE_PARTIAL_FILE;
    if (result == CURLE_OK && t->length != UINT64_MAX && t->arrived != t->length)
        result = CURLE_PARTIAL_FILE;
    if (result == CURLE_OK && !t->stop && t->gunzip && !gunzip_is_whole(t->gunzip))
        t->stop = STOP_GZIP;
    ok = t->stop == STOP_ENOUGH || (result == CURLE_OK && !t->stop);

    describe(t);
    if (ok)
        transfer_tell_head(t);
    if (!ok)
        transfer_fail(t, result, e);
    redact_answer(t->arena, t->request, t->response, ok ? NULL : e);
    drop(t);
    return ok;
}
