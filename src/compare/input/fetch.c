/* SPDX-License-Identifier: Apache-2.0 */
/* fetch.c - fetches texts from the web; see fetch_internal.h. */
#include "compare/input/fetch_internal.h"
#include "go/quote.h"
#include "net/redact.h"

static const struct retry_rule server_faults[] = {{500, 599, .idempotent = true}};

const struct retry_policy fetch_reference_policy = {
    .name = "reference",
    .attempts_max = 5,
    .first = 5 * NS_PER_MS,
    .max = 5 * NS_PER_MS,
    .factor = 100,
    .asked_max = 10 * NS_PER_SEC,
    .total_max = FETCH_REFERENCE_TIME,
    .rules = server_faults,
    .rule_count = COUNT(server_faults),
};

const struct retry_policy fetch_objects_policy = {
    .name = "objects",
    .attempts_max = 3,
    .first = 1 * NS_PER_SEC,
    .max = 1 * NS_PER_SEC,
    .factor = 100,
    .asked_max = 10 * NS_PER_SEC,
    .total_max = FETCH_OBJECTS_TIME,
    .rules = server_faults,
    .rule_count = COUNT(server_faults),
};

bool fetch_is_url(str text)
{
    return str_has_prefix(text, STR("http://")) || str_has_prefix(text, STR("https://"));
}

/*
 * Whether an end of the answer can be told from a connection that was lost, or closed by somebody
 * on the way. Only the head of HTTP/1 may leave that out; what is packed says it itself.
 */
static bool has_end(const struct http_response *response)
{
    static const char *const signs[] = {"Content-Length", "Transfer-Encoding", "Content-Encoding"};

    for (size_t i = 0; i < COUNT(signs); i++)
        if (http_header_has(&response->headers, str_c(signs[i])))
            return true;
    return !response->status_line.len;
}

static bool fail_without_end(struct arena *a, str url, struct err *e)
{
    return err_set(e, ERR_IO,
                   "unable to read URL %.*s: the server does not say how long its answer is, so "
                   "that a part may be missing; it should send a Content-Length",
                   STR_ARG(go_quoted(a, redact_url(a, url))));
}

bool fetch_text(struct http_client *c, struct arena *a, const struct fetch *f, str *out,
                struct err *e)
{
    const struct http_request request = {.url = f->url, .body_max = f->max, .timeout = f->time_max};
    struct http_response response;

    if (!retry_send(c, a, &request, f->policy, &response, e)) {
        /* Upstream: what breaks while a body is read has no context. */
        if (f->bare && response.status && response.failure == HTTP_FAILURE_RESET)
            return err_set(e, e->kind, "unexpected EOF");
        if (f->explain)
            http_explain(e, &response);
        return f->context && err_wrap(e, "%s %.*s", f->context, STR_ARG(redact_url(a, f->url)));
    }
    if (response.status != 200) {
        str quoted = go_quoted(a, redact_url(a, f->url));
        str status = response.status_line.len ? response.status_line
                                              : http_status_text(a, response.status);
        return err_set(e, response.status == 404 ? ERR_NOT_FOUND : ERR_IO,
                       "unable to read URL %.*s, server reported %.*s, status code=%d",
                       STR_ARG(quoted), STR_ARG(status), response.status);
    }
    /* Upstream: the end of the connection is that of the answer. */
    if (f->whole && !has_end(&response))
        return fail_without_end(a, f->url, e);
    *out = response.body;
    return true;
}
