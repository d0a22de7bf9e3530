/* SPDX-License-Identifier: Apache-2.0 */
/* reply.c - reads a request, answers it, and routes; see server.h. */
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

/* Whether the connection will take the answer; else it is already closed. */
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

/* Ends r; response is NULL if the connection is to be closed. */
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

void server_answer_by(struct server_request *r, struct MHD_Response *response, int status,
                      str content_type)
{
    add_headers(r, response, content_type);
    answer(r, response, status);
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
