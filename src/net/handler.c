/* SPDX-License-Identifier: Apache-2.0 */
/* handler.c - reads a call and ends it; see handler.h. */
#include "net/handler.h"

#include "text/url.h"

str handler_query(const struct handler_call *c, str name)
{
    str value = STR_NONE;

    return url_query_get(c->arena, c->query, name, &value) ? value : STR_NONE;
}

bool handler_has_query(const struct handler_call *c, str name)
{
    str value;

    return url_query_get(c->arena, c->query, name, &value);
}

str handler_header(const struct handler_call *c, str name)
{
    return c->headers ? http_header_get(c->headers, name) : STR_NONE;
}

void handler_add_header(struct handler_call *c, str name, str value)
{
    http_header_add(c->arena, &c->reply_headers, name, value);
}

static void end(struct handler_call *c, int status, str content_type)
{
    c->status = status;
    if (content_type.len)
        http_header_set(c->arena, &c->reply_headers, STR("Content-Type"), content_type);
    c->done(c);
}

void handler_reply(struct handler_call *c, int status, str content_type, str body)
{
    c->reply = body;
    end(c, status, content_type);
}

void handler_begin_stream(struct handler_call *c, int status, str content_type,
                          struct handler_stream *s)
{
    c->stream = s;
    end(c, status, content_type);
}

void handler_drop(struct handler_call *c)
{
    c->drop = true;
    c->done(c);
}
