/* SPDX-License-Identifier: Apache-2.0 */
/* handler_serve.c - serves a handler over a socket; see handler_serve.h. */
#include "net/server/handler_serve.h"

#include "net/server/internal.h"

struct serving {
    struct handler_call call;
    struct server_request *request;
};

static void send_answer(struct handler_call *c)
{
    struct server_request *r = ((struct serving *)c)->request;
    str type = http_header_get(&c->reply_headers, STR("Content-Type"));

    if (c->drop) {
        server_drop(r);
        return;
    }
    for (size_t i = 0; i < c->reply_headers.len; i++) {
        const struct http_header *h = &c->reply_headers.items[i];
        if (!str_eq_fold(h->name, STR("Content-Type")))
            server_add_header(r, h->name, h->value);
    }
    if (c->stream)
        server_reply_stream(r, c->status, type, c->stream);
    else
        server_reply(r, c->status, type, c->reply);
}

void handler_serve(void *ctx, struct server_request *r)
{
    struct arena *a = server_arena(r);
    struct serving *s = ARENA_NEW(a, struct serving);
    str host = server_header(r, STR("Host"));

    s->request = r;
    s->call = (struct handler_call){
        .arena = a,
        .method = server_method(r),
        .path = server_path(r),
        .query = r->query,
        .base = str_fmt(a, "http%s://%.*s", r->server->config.cert.len ? "s" : "", STR_ARG(host)),
        .client = server_client(r),
        .headers = server_headers(r),
        .body = server_body(r),
        .done = send_answer,
    };
    handler_answer(ctx, &s->call);
}
