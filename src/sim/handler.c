/* SPDX-License-Identifier: Apache-2.0 */
/* handler.c - the simulator as a handler (net/handler.h), for sockets and for this process. */
#include "sim/internal.h"

void sim_answer_call(void *ctx, struct handler_call *c)
{
    struct sim_response r;

    sim_handle(ctx, c->arena,
               &(struct sim_request){.method = c->method,
                                     .path = c->path,
                                     .query = c->query,
                                     .base = c->base,
                                     .headers = c->headers,
                                     .body = c->body},
               &r);
    if (r.drop) {
        handler_drop(c);
        return;
    }
    c->reply_headers = r.headers;
    handler_reply(c, r.status, STR_NONE, r.body);
}

const struct handler *sim_handler(const struct sim *s)
{
    return &s->handler;
}
