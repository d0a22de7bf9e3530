/* SPDX-License-Identifier: Apache-2.0 */
/* reply.c - looking at a request, answering it, routes; see server.h. */
#include "net/server/internal.h"
#include "text/url.h"

struct arena *server_arena(struct server_request *r)
{
    return r->arena;
}

str server_method(const struct server_request *r)
{
    return r->method;
}

str server_target(const struct server_request *r)
{
    return r->target;
}

str server_path(const struct server_request *r)
{
    return r->path;
}

str server_query(struct server_request *r, str name, bool *found)
{
    str value = STR_NONE;
    bool there = url_query_get(r->arena, r->query, name, &value);

    if (found)
        *found = there;
    return value;
}

const struct http_headers *server_headers(const struct server_request *r)
{
    return &r->headers;
}

str server_header(const struct server_request *r, str name)
{
    return http_header_get(&r->headers, name);
}

str server_body(const struct server_request *r)
{
    return buf_str(&r->body);
}

bool server_gone(const struct server_request *r)
{
    AUTO_LOCK guard = lock_take(&r->server->lock);

    return r->gone;
}

void server_add_header(struct server_request *r, str name, str value)
{
    http_header_add(r->arena, &r->reply_headers, str_copy(r->arena, name),
                    str_copy(r->arena, value));
}

/* ---- Answering ------------------------------------------------------------------------------ */

static void add_headers(struct server_request *r, struct MHD_Response *response, str content_type)
{
    if (content_type.len)
        MHD_add_response_header(response, "Content-Type", str_z(r->arena, content_type));
    for (size_t i = 0; i < r->reply_headers.len; i++)
        MHD_add_response_header(response, str_z(r->arena, r->reply_headers.items[i].name),
                                str_z(r->arena, r->reply_headers.items[i].value));
}

/* Whether the connection will take the answer; else it is closed already. */
static bool hand_over(struct server_request *r, struct MHD_Response *response, int status)
{
    AUTO_LOCK guard = lock_take(&r->server->lock);

    assert(r->state == REQUEST_HANDLED);
    if (!r->connection) {
        server_unlink_request(r);
        return false;
    }
    r->state = REQUEST_ANSWERED;
    r->response = response;
    r->status = status;
    r->drop = !response;
    if (r->suspended) {
        r->suspended = false;
        MHD_resume_connection(r->connection);
    }
    return true;
}

/* Ends r; response is NULL when the connection shall be closed. */
static void answer(struct server_request *r, struct MHD_Response *response, int status)
{
    struct server *s = r->server;

    if (hand_over(r, response, status))
        return;
    if (response)
        MHD_destroy_response(response);
    server_free_request(r);
    server_release(s);
}

void server_reply(struct server_request *r, int status, str content_type, str body)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        body.len, (void *)(uintptr_t)(body.len ? body.ptr : ""), MHD_RESPMEM_MUST_COPY);

    add_headers(r, response, content_type);
    answer(r, response, status);
}

void server_drop(struct server_request *r)
{
    answer(r, NULL, 0);
}

/* ---- Streams -------------------------------------------------------------------------------- */

void server_resume_stream(struct server_stream *s)
{
    if (!s->suspended)
        return;
    s->suspended = false;
    MHD_resume_connection(s->connection);
}

/* Copies up to max bytes out of the ring. Under the lock. */
static size_t take_pieces(struct server_stream *s, char *out, size_t max)
{
    size_t n = s->len < max ? s->len : max;
    size_t to_end = s->size - s->start;
    size_t first = n < to_end ? n : to_end;

    memcpy(out, s->ring + s->start, first);
    memcpy(out + first, s->ring, n - first);
    s->start = (s->start + n) % s->size;
    s->len -= n;
    return n;
}

/* The library wants more of the body: what is there, the end, or to be woken later. */
static ssize_t read_stream(void *ctx, uint64_t position, char *out, size_t max)
{
    struct server_stream *s = ctx;
    AUTO_LOCK guard = lock_take(&s->server->lock);

    (void)position;
    if (s->len)
        return (ssize_t)take_pieces(s, out, max);
    if (s->broken)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (s->ended || s->gone)
        return MHD_CONTENT_READER_END_OF_STREAM;
    MHD_suspend_connection(s->connection);
    s->suspended = true;
    return 0;
}

static bool unlink_stream(struct server_stream *s, bool released, bool ended, bool broken)
{
    AUTO_LOCK guard = lock_take(&s->server->lock);

    s->released |= released;
    s->gone |= released;
    s->ended |= ended;
    s->broken |= broken;
    if (!s->released)
        server_resume_stream(s);
    if (!s->released || !s->ended)
        return false;
    *s->back = s->next;
    if (s->next)
        s->next->back = s->back;
    return true;
}

/* The writer and the library both let go; the second one frees. */
static void let_go(struct server_stream *s, bool released, bool ended, bool broken)
{
    struct server *server = s->server;

    if (!unlink_stream(s, released, ended, broken))
        return;
    block_free(s->ring);
    block_free(s);
    server_release(server);
}

void server_release_stream(struct server_stream *s)
{
    let_go(s, true, false, false);
}

static void release_stream(void *ctx)
{
    server_release_stream(ctx);
}

static void link_stream(struct server_stream *s, const struct server_request *r)
{
    struct server *server = r->server;
    AUTO_LOCK guard = lock_take(&server->lock);

    s->connection = r->connection;
    s->gone = server->stopping;
    s->next = server->streams;
    s->back = &server->streams;
    if (s->next)
        s->next->back = &s->next;
    server->streams = s;
    server->holders++;
}

struct server_stream *server_stream_new(const struct server_request *r)
{
    struct server_stream *s = block_new(sizeof *s);

    *s = (struct server_stream){.server = r->server};
    link_stream(s, r);
    return s;
}

void server_answer_by(struct server_request *r, struct MHD_Response *response, int status,
                      str content_type)
{
    add_headers(r, response, content_type);
    answer(r, response, status);
}

struct server_stream *server_stream_begin(struct server_request *r, int status, str content_type,
                                          size_t max)
{
    struct server_stream *s = server_stream_new(r);

    s->size = max ? max : 1;
    s->ring = block_new(s->size);
    server_answer_by(r,
                     MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 16 * KIB, read_stream, s,
                                                       release_stream),
                     status, content_type);
    return s;
}

static void put_piece(struct server_stream *s, str piece)
{
    size_t at = (s->start + s->len) % s->size, to_end = s->size - at;
    size_t first = piece.len < to_end ? piece.len : to_end;

    memcpy(s->ring + at, piece.ptr, first);
    memcpy(s->ring, piece.ptr + first, piece.len - first);
    s->len += piece.len;
}

bool server_stream_write(struct server_stream *s, str piece)
{
    AUTO_LOCK guard = lock_take(&s->server->lock);

    if (s->gone || s->broken || s->ended)
        return false;
    if (piece.len > s->size - s->len) {
        s->broken = true;
        server_resume_stream(s);
        return false;
    }
    if (piece.len)
        put_piece(s, piece);
    server_resume_stream(s);
    return true;
}

bool server_stream_gone(const struct server_stream *s)
{
    AUTO_LOCK guard = lock_take(&s->server->lock);

    return s->gone || s->broken;
}

void server_stream_end(struct server_stream *s, bool broken)
{
    let_go(s, false, true, broken);
}

/* ---- Routes --------------------------------------------------------------------------------- */

static bool path_fits(const struct server_route *route, str path)
{
    str pattern = str_c(route->path);

    if (!str_has_suffix(pattern, STR("*")))
        return str_eq(pattern, path);
    return str_has_prefix(path, str_slice(pattern, 0, pattern.len - 1));
}

static bool method_fits(const struct server_route *route, str method)
{
    str wanted = str_c(route->method);

    return !wanted.len || str_eq(wanted, method) ||
           (str_eq(wanted, STR("GET")) && str_eq(method, STR("HEAD")));
}

void server_route(void *ctx, struct server_request *r, const struct server_route *routes,
                  size_t count)
{
    struct buf allowed = buf_new(r->arena, KIB);

    for (size_t i = 0; i < count; i++) {
        if (!path_fits(&routes[i], r->path))
            continue;
        if (method_fits(&routes[i], r->method)) {
            routes[i].handle(ctx, r);
            return;
        }
        buf_fmt(&allowed, "%s%s", allowed.len ? ", " : "", routes[i].method);
    }
    if (allowed.len)
        server_add_header(r, STR("Allow"), buf_str(&allowed));
    server_reply(r, allowed.len ? 405 : 404, STR("text/plain"),
                 allowed.len ? STR("405 method not allowed\n") : STR("404 page not found\n"));
}
