/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_line.c - one connection of the engine: made by curl, spoken on by us; see engine.h.
 *
 * While it is being made, curl tells which sockets it waits for (on_curl_socket, on_curl_timer).
 * Then its socket is watched for edges once and for all: no call per request says what to wait for.
 */
#include "net/engine_internal.h"

#include <sys/epoll.h>

/* Servers keep silent connections for a minute or more. */
#define REST_MAX (50 * NS_PER_SEC)
/* A connection that rested that long is looked at before it is used. */
#define REST_TRUSTED NS_PER_SEC
/* Room for a request that is kept for the next one. */
#define OUT_KEPT (64 * KIB)

/* ---- Making and closing. ---- */

static int on_curl_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *known)
{
    struct line *l = ctx;
    struct epoll_event event = {.data.fd = fd};

    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(l->engine->epoll, EPOLL_CTL_DEL, fd, NULL);
        engine_own(l->engine, fd, NULL);
        return 0;
    }
    if (what & CURL_POLL_IN)
        event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT)
        event.events |= EPOLLOUT;
    epoll_ctl(l->engine->epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event);
    engine_own(l->engine, fd, l);
    curl_multi_assign(l->multi, fd, l);
    return 0;
}

static int on_curl_timer(CURLM *multi, long ms, void *ctx)
{
    struct line *l = ctx;

    (void)multi;
    l->timer = ms < 0 ? INT64_MAX : clock_wire() + ms * NS_PER_MS;
    return 0;
}

static struct line *new_line(struct http_engine *g, struct origin *o)
{
    struct arena *a = arena_new_secret();
    struct line *l = ARENA_NEW(a, struct line);

    *l = (struct line){.next = g->lines,
                       .engine = g,
                       .origin = o,
                       .arena = a,
                       .request = arena_new_secret(),
                       .timer = INT64_MAX,
                       .fd = -1,
                       .multi = curl_multi_init()};
    l->out = buf_new(l->request, BUF_UNLIMITED);
    if (g->lines)
        g->lines->before = l;
    g->lines = l;
    o->lines++;
    engine_count(g, true, false);
    curl_multi_setopt(l->multi, CURLMOPT_SOCKETFUNCTION, on_curl_socket);
    curl_multi_setopt(l->multi, CURLMOPT_SOCKETDATA, l);
    curl_multi_setopt(l->multi, CURLMOPT_TIMERFUNCTION, on_curl_timer);
    curl_multi_setopt(l->multi, CURLMOPT_TIMERDATA, l);
    return l;
}

void line_close(struct line *l)
{
    struct http_engine *g = l->engine;

    if (l->fd >= 0) {
        epoll_ctl(g->epoll, EPOLL_CTL_DEL, l->fd, NULL);
        engine_own(g, l->fd, NULL);
    }
    transfer_drop(&l->transfer);
    curl_multi_remove_handle(l->multi, l->transfer.easy);
    curl_easy_cleanup(l->transfer.easy);
    curl_multi_cleanup(l->multi);
    if (l->before)
        l->before->next = l->next;
    else
        g->lines = l->next;
    if (l->next)
        l->next->before = l->before;
    for (struct line **at = &l->origin->idle; *at; at = &(*at)->next_idle)
        if (*at == l) {
            *at = l->next_idle;
            break;
        }
    l->origin->lines--;
    engine_count(g, false, true);
    arena_free(l->request);
    arena_free(l->arena);
}

/* ---- Ends of jobs. ---- */

static struct job *take_job(struct line *l)
{
    struct job *j = l->job;

    l->job = NULL;
    return j;
}

/* What is known about the exchange, also when it failed. */
static void describe(struct line *l, struct job *j)
{
    j->response.peer = str_copy(j->spec.arena, l->peer);
    j->response.took = clock_wire() - j->started;
}

void line_fail(struct line *l, CURLcode result, enum transfer_stop stop)
{
    struct job *j = take_job(l);
    struct http_engine *g = l->engine;
    AUTO_ERR e = {0};

    if (!j) {
        line_close(l);
        return;
    }
    describe(l, j);
    l->transfer.arena = j->spec.arena;
    l->transfer.request = &j->spec.request;
    l->transfer.response = &j->response;
    l->transfer.stop = stop;
    l->transfer.head_done = l->answer.head_done;
    (void)transfer_fail(&l->transfer, result, &e);
    line_close(l);
    engine_conclude(g, j, &e);
}

/* The connection has ended before the answer did. */
static void lose(struct line *l, CURLcode result)
{
    struct job *j = l->job;
    struct http_engine *g = l->engine;

    if (l->answer.began || !l->used || !j->repeatable || j->again) {
        line_fail(l, result, STOP_NOT);
        return;
    }
    take_job(l);
    line_close(l);
    engine_again(g, j);
}

/* ---- Talking. ---- */

static void succeed(struct line *l, bool keep)
{
    struct http_engine *g = l->engine;
    struct origin *o = l->origin;
    struct job *j = take_job(l), *next = keep ? o->waiting : NULL;

    describe(l, j);
    l->used = true;
    l->state = LINE_IDLE;
    if (next) {
        o->waiting = next->next;
        if (!o->waiting)
            o->waiting_end = &o->waiting;
        line_use(l, next);
    } else if (keep) {
        l->rested = clock_wire();
        l->next_idle = o->idle;
        o->idle = l;
    } else {
        line_close(l);
    }
    engine_conclude(g, j, NULL);
}

static void misread(struct line *l, enum answer_state state)
{
    if (state == ANSWER_BROKEN) {
        snprintf(l->transfer.text, sizeof(l->transfer.text), "%s", l->answer.why);
        line_fail(l, CURLE_WEIRD_SERVER_REPLY, STOP_NOT);
    } else {
        line_fail(l, CURLE_OK, state == ANSWER_HEAD_LARGE ? STOP_HEADER_MAX : STOP_BODY_MAX);
    }
}

static void at_end(struct line *l)
{
    if (l->answer.began && answer_close(&l->answer) == ANSWER_DONE)
        succeed(l, false);
    else
        lose(l, l->answer.began ? CURLE_PARTIAL_FILE : CURLE_GOT_NOTHING);
}

static void receive(struct line *l)
{
    const struct http_engine *g = l->engine;

    for (;;) {
        size_t n = 0, used;
        CURLcode result = wire_recv(l, g->scratch, ENGINE_PIECE, &n);
        if (result == CURLE_AGAIN)
            return;
        if (result != CURLE_OK) {
            lose(l, result);
            return;
        }
        if (!n) {
            at_end(l);
            return;
        }
        l->active = clock_wire();
        enum answer_state state = answer_feed(&l->answer, str_of(g->scratch, n), &used);
        if (state == ANSWER_MORE)
            continue;
        if (state == ANSWER_DONE)
            succeed(l, l->answer.keep && used == n && l->state == LINE_RECEIVING);
        else
            misread(l, state);
        return;
    }
}

/* False when the line has been lost. */
static bool transmit(struct line *l)
{
    while (l->out_at < l->out.len) {
        size_t n = 0;
        CURLcode result = wire_send(l, l->out.data + l->out_at, l->out.len - l->out_at, &n);
        if (result == CURLE_AGAIN)
            return true;
        if (result != CURLE_OK) {
            lose(l, result);
            return false;
        }
        l->job->response.sent = true;
        l->out_at += n;
    }
    l->state = LINE_RECEIVING;
    if (l->out.cap > OUT_KEPT) {
        arena_reset(l->request);
        l->out = buf_new(l->request, BUF_UNLIMITED);
        l->out_at = 0;
    }
    return true;
}

/* "https://host:443" without the scheme. */
static str authority(str origin)
{
    size_t at = str_find(origin, STR("://"));

    return at == STR_NPOS ? origin : str_from(origin, at + 3);
}

static void add_header(struct buf *out, str name, str value)
{
    buf_add(out, name);
    buf_add(out, STR(": "));
    buf_add(out, value);
    buf_add(out, STR("\r\n"));
}

static void write_request(struct line *l, const struct job *j)
{
    const struct http_request *r = &j->spec.request;
    const str method = r->method.len ? r->method : STR("GET");
    const bool reads = str_eq(method, STR("GET")) || str_eq(method, STR("HEAD"));
    struct buf *out = &l->out;

    buf_truncate(out, 0);
    l->out_at = 0;
    buf_add(out, method);
    buf_char(out, ' ');
    buf_add(out, j->target);
    buf_add(out, STR(" HTTP/1.1\r\n"));
    if (!http_header_has(&r->headers, STR("Host")))
        add_header(out, STR("Host"), authority(j->origin));
    for (size_t i = 0; i < r->headers.len; i++)
        add_header(out, r->headers.items[i].name, r->headers.items[i].value);
    if (!http_header_has(&r->headers, STR("User-Agent")))
        add_header(out, STR("User-Agent"), l->engine->client->config.user_agent);
    if (r->with_body || r->body.len || !reads)
        buf_fmt(out, "Content-Length: %zu\r\n", r->body.len);
    buf_add(out, STR("\r\n"));
    buf_add(out, r->body);
}

void line_use(struct line *l, struct job *j)
{
    const struct http_config *c = &l->engine->client->config;
    const struct http_request *r = &j->spec.request;
    const struct answer_limits limits = {.head = c->header_max,
                                         .body = r->body_max ? r->body_max : c->body_max};

    l->job = j;
    l->state = LINE_SENDING;
    l->active = clock_wire();
    l->transfer.body_max = limits.body;
    l->transfer.text[0] = 0;
    l->transfer.number = 0;
    answer_begin(&l->answer, j->spec.arena, r->method, &limits, &j->response);
    write_request(l, j);
    (void)transmit(l);
}

bool line_is_alive(struct line *l, const struct job *j)
{
    size_t n = 0;

    if (j->repeatable && clock_wire() - l->rested < REST_TRUSTED)
        return true;
    /* Nothing was asked: a byte, or the end, means that it is of no use any more. */
    return wire_recv(l, l->engine->scratch, 1, &n) == CURLE_AGAIN;
}

/* ---- Connecting. ---- */

static void connected(struct line *l)
{
    struct job *j = l->job;
    curl_socket_t fd = CURL_SOCKET_BAD;
    long port = 0;
    char *ip = NULL;

    curl_easy_getinfo(l->transfer.easy, CURLINFO_ACTIVESOCKET, &fd);
    curl_easy_getinfo(l->transfer.easy, CURLINFO_PRIMARY_IP, &ip);
    curl_easy_getinfo(l->transfer.easy, CURLINFO_PRIMARY_PORT, &port);
    if (fd == CURL_SOCKET_BAD) {
        line_fail(l, CURLE_COULDNT_CONNECT, STOP_NOT);
        return;
    }
    l->peer =
        str_fmt(l->arena, strchr(ip ? ip : "", ':') ? "[%s]:%ld" : "%s:%ld", ip ? ip : "", port);
    l->fd = fd;
    l->timer = INT64_MAX;
    wire_begin(l);
    transfer_drop(&l->transfer);
    curl_easy_setopt(l->transfer.easy, CURLOPT_HTTPHEADER, NULL);
    engine_own(l->engine, fd, l);
    epoll_ctl(
        l->engine->epoll, EPOLL_CTL_ADD, fd,
        &(struct epoll_event){.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.fd = fd});
    line_use(l, j);
}

/* Lets curl go on with connecting. */
static void drive(struct line *l, curl_socket_t fd, int what)
{
    const CURLMsg *message;
    int running, left;

    l->timer = INT64_MAX;
    curl_multi_socket_action(l->multi, fd, what, &running);
    message = curl_multi_info_read(l->multi, &left);
    if (!message || message->msg != CURLMSG_DONE)
        return;
    if (message->data.result == CURLE_OK)
        connected(l);
    else
        line_fail(l, message->data.result, STOP_NOT);
}

void line_open(struct http_engine *g, struct origin *o, struct job *j)
{
    struct line *l = new_line(g, o);
    struct transfer *t = &l->transfer;
    AUTO_ERR e = {0};

    l->job = j;
    *t = (struct transfer){.client = g->client,
                           .arena = j->spec.arena,
                           .request = &j->spec.request,
                           .response = &j->response,
                           .easy = curl_easy_init()};
    if (!transfer_begin(t, &e)) {
        take_job(l);
        line_close(l);
        engine_conclude(g, j, &e);
        return;
    }
    curl_easy_setopt(t->easy, CURLOPT_CONNECT_ONLY, 1L);
    wire_prepare(l);
    curl_easy_setopt(t->easy, CURLOPT_HTTPPROXYTUNNEL, 1L);
    curl_easy_setopt(t->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_multi_add_handle(l->multi, t->easy);
    drive(l, CURL_SOCKET_TIMEOUT, 0);
}

/* ---- What happens to it. ---- */

static int curl_events(unsigned events)
{
    return (events & EPOLLIN ? CURL_CSELECT_IN : 0) | (events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
           (events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
}

void line_event(struct line *l, int fd, unsigned events)
{
    size_t n = 0;

    switch (l->state) {
    case LINE_CONNECTING:
        drive(l, fd, curl_events(events));
        break;
    case LINE_IDLE:
        if (wire_recv(l, l->engine->scratch, 1, &n) != CURLE_AGAIN)
            line_close(l);
        break;
    case LINE_SENDING:
        if (transmit(l) && events & ~(unsigned)EPOLLOUT)
            receive(l);
        break;
    case LINE_RECEIVING:
        receive(l);
        break;
    }
}

void line_tick(struct line *l, int64_t now)
{
    enum transfer_stop stop;
    CURLcode result;

    if (l->state == LINE_IDLE) {
        if (now - l->rested > REST_MAX)
            line_close(l);
        return;
    }
    if (engine_overdue(l->engine, l->job, now, &result, &stop)) {
        line_fail(l, result, stop);
        return;
    }
    if (l->state == LINE_CONNECTING) {
        if (l->timer <= now)
            drive(l, CURL_SOCKET_TIMEOUT, 0);
        return;
    }
    const int64_t own = l->job->spec.request.idle_timeout;
    const int64_t idle = own ? own : l->engine->client->config.idle_timeout;
    if (idle > 0 && now - l->active > idle) {
        l->transfer.idle_timeout = idle;
        line_fail(l, CURLE_OK, STOP_IDLE);
    }
}
