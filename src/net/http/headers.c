/* SPDX-License-Identifier: Apache-2.0 */
/* headers.c - lists of headers, texts of statuses, and lines of a stream; see http.h. */
#include "net/http/http.h"

void http_header_add(struct arena *a, struct http_headers *h, str name, str value)
{
    VEC_PUSH(a, h, ((struct http_header){name, value}));
}

void http_header_set(struct arena *a, struct http_headers *h, str name, str value)
{
    size_t kept = 0;

    for (size_t i = 0; i < h->len; i++)
        if (!str_eq_fold(h->items[i].name, name))
            h->items[kept++] = h->items[i];
    h->len = kept;
    http_header_add(a, h, name, value);
}

static const struct http_header *find(const struct http_headers *h, str name)
{
    for (size_t i = 0; i < h->len; i++)
        if (str_eq_fold(h->items[i].name, name))
            return &h->items[i];
    return NULL;
}

str http_header_get(const struct http_headers *h, str name)
{
    const struct http_header *header = find(h, name);

    return header ? header->value : STR_NONE;
}

bool http_header_has(const struct http_headers *h, str name)
{
    return find(h, name) != NULL;
}

/* The texts of Go's http.StatusText, by number. */
static const struct {
    int status;
    const char *text;
} statuses[] = {
    {100, "Continue"},
    {101, "Switching Protocols"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {203, "Non-Authoritative Information"},
    {204, "No Content"},
    {205, "Reset Content"},
    {206, "Partial Content"},
    {207, "Multi-Status"},
    {300, "Multiple Choices"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {407, "Proxy Authentication Required"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Request Entity Too Large"},
    {414, "Request URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Requested Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {418, "I'm a teapot"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Entity"},
    {423, "Locked"},
    {424, "Failed Dependency"},
    {425, "Too Early"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {451, "Unavailable For Legal Reasons"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {507, "Insufficient Storage"},
    {511, "Network Authentication Required"},
};

str http_status_text(struct arena *a, int status)
{
    for (size_t i = 0; i < COUNT(statuses); i++)
        if (statuses[i].status == status)
            return str_fmt(a, "%d %s", status, statuses[i].text);
    return str_fmt(a, "%d", status);
}

static bool give_line(struct http_lines *l, str line, struct err *e)
{
    if (l->rest.len + line.len > l->max)
        return err_set(e, ERR_LIMIT, "a line of the stream has more than %zu bytes", l->max);
    if (!l->rest.len)
        return l->on_line(l->ctx, line, e);
    buf_add(&l->rest, line);
    bool ok = buf_check(&l->rest, e) && l->on_line(l->ctx, buf_str(&l->rest), e);
    buf_truncate(&l->rest, 0);
    return ok;
}

bool http_lines_add(struct http_lines *l, str piece, struct err *e)
{
    str line, after;

    while (str_cut(piece, STR("\n"), &line, &after)) {
        if (!give_line(l, line, e))
            return false;
        piece = after;
    }
    if (l->rest.len + piece.len > l->max)
        return err_set(e, ERR_LIMIT, "a line of the stream has more than %zu bytes", l->max);
    buf_add(&l->rest, piece);
    return buf_check(&l->rest, e);
}

bool http_lines_end(struct http_lines *l, struct err *e)
{
    return !l->rest.len || give_line(l, STR_NONE, e);
}
