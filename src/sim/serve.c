/* SPDX-License-Identifier: Apache-2.0 */
/* serve.c - the simulator behind the server of net/server.h. */
#include "sim/internal.h"

#include "net/server.h"

void sim_serve_request(struct sim *s, struct server_request *r, struct sim_response *response)
{
    struct arena *a = server_arena(r);
    struct sim_request q = {.method = server_method(r),
                            .path = server_path(r),
                            .headers = server_headers(r),
                            .body = server_body(r)};
    str before, host = server_header(r, STR("Host"));

    str_cut(server_target(r), STR("?"), &before, &q.query);
    q.base = str_fmt(a, "http://%.*s", STR_ARG(host));
    sim_handle(s, a, &q, response);
}

void sim_serve_response(struct server_request *r, const struct sim_response *response)
{
    const struct http_headers *headers = &response->headers;

    if (response->drop) {
        server_drop(r);
        return;
    }
    for (size_t i = 0; i < headers->len; i++)
        if (!str_eq_fold(headers->items[i].name, STR("Content-Type")))
            server_add_header(r, headers->items[i].name, headers->items[i].value);
    server_reply(r, response->status, http_header_get(headers, STR("Content-Type")),
                 response->body);
}

void sim_serve(void *ctx, struct server_request *r)
{
    struct sim_response response;

    sim_serve_request(ctx, r, &response);
    sim_serve_response(r, &response);
}
