/* SPDX-License-Identifier: Apache-2.0 */
/* serve.c - the simulator behind the server of net/server.h. */
#include "sim/internal.h"

#include "net/server.h"

void sim_serve(void *ctx, struct server_request *r)
{
    struct arena *a = server_arena(r);
    struct sim_request q = {.method = server_method(r),
                            .path = server_path(r),
                            .headers = server_headers(r),
                            .body = server_body(r)};
    struct sim_response response;
    str before, host = server_header(r, STR("Host"));

    str_cut(server_target(r), STR("?"), &before, &q.query);
    q.base = str_fmt(a, "http://%.*s", STR_ARG(host));
    sim_handle(ctx, a, &q, &response);
    if (response.drop) {
        server_drop(r);
        return;
    }
    for (size_t i = 0; i < response.headers.len; i++)
        if (!str_eq_fold(response.headers.items[i].name, STR("Content-Type")))
            server_add_header(r, response.headers.items[i].name, response.headers.items[i].value);
    server_reply(r, response.status, http_header_get(&response.headers, STR("Content-Type")),
                 response.body);
}
