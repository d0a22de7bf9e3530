/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tape.c - records requests and answers in a file; see tape.h.
 *
 * When recording, each line is written at once to a file opened for appending, so that lines of
 * several threads do not mix. When replaying, the exchanges of the same request are chained in
 * order.
 */
#include "net/tape/tape.h"

#include "net/http/http_internal.h"
#include "net/redact.h"
#include "text/codec.h"
#include "text/json/json.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* on_body gets a recorded body in pieces of this size, so that code for pieces is exercised. */
#define PIECE (16 * KIB)

/* A recorded exchange. */
struct exchange {
    struct exchange *next; /* of the same request */
    struct exchange *last; /* the last of these, only in the first one, while reading */
    str method, url;
    struct http_response answer;
    str error; /* if there was none */
    enum http_failure failure;
    size_t number;
};

struct tape {
    struct arena *arena;
    str path;
    struct file_draft draft; /* its fd is -1 when replaying */
    struct lock lock;
    struct err failure;  /* the first failure of writing */
    struct map *waiting; /* key of a request to the first unused exchange */
    struct exchange **all;
    size_t count, used;
};

static struct tape *new_tape(str path)
{
    struct arena *a = arena_new();
    struct tape *t = ARENA_NEW(a, struct tape);

    t->arena = a;
    t->path = str_copy(a, path);
    t->draft.fd = -1;
    t->lock = (struct lock)LOCK_INIT;
    t->waiting = map_new(a);
    return t;
}

/* ---- Recording ------------------------------------------------------------------------------ */

bool tape_record(str path, struct tape **out, struct err *e)
{
    struct tape *t = new_tape(path);

    if (!file_begin(path, 0600, &t->draft, e)) {
        arena_free(t->arena);
        return false;
    }
    *out = t;
    return true;
}

static void write_member(struct buf *b, const char *name, str text)
{
    buf_fmt(b, "\"%s\":", name);
    json_write_string(b, text, false);
}

/* to: the request, if the headers are those of its answer. */
static void write_headers(struct arena *a, struct buf *b, const struct http_headers *headers,
                          const struct http_request *to)
{
    buf_add(b, STR(",\"headers\":["));
    for (size_t i = 0; i < headers->len; i++) {
        struct http_header h = headers->items[i];
        buf_add(b, i ? STR(",[") : STR("["));
        json_write_string(b, h.name, false);
        buf_char(b, ',');
        str shown = redact_header(a, h.name, h.value);
        json_write_string(b, to ? redact_sent(a, to, shown) : shown, false);
        buf_char(b, ']');
    }
    buf_char(b, ']');
}

static void write_body(struct arena *a, struct buf *b, str url, const struct http_headers *headers,
                       str body)
{
    str shown = redact_body(a, url, http_header_get(headers, STR("Content-Type")), body);

    if (!shown.len)
        return;
    buf_char(b, ',');
    if (utf8_find_invalid(shown) == STR_NPOS)
        write_member(b, "body", shown);
    else
        write_member(b, "body64", base64_encode(a, shown));
}

static void write_request(struct arena *a, struct buf *b, const struct http_request *r)
{
    buf_add(b, STR("{\"request\":{"));
    write_member(b, "method", r->method.len ? r->method : STR("GET"));
    buf_char(b, ',');
    write_member(b, "url", redact_url(a, r->url));
    write_headers(a, b, &r->headers, NULL);
    write_body(a, b, r->url, &r->headers, r->body);
    buf_char(b, '}');
}

static void write_answer(struct arena *a, struct buf *b, const struct http_request *r,
                         const struct http_response *response, str body)
{
    buf_fmt(b, ",\"response\":{\"status\":%d", response->status);
    write_headers(a, b, &response->headers, r);
    write_body(a, b, r->url, &response->headers, redact_sent(a, r, body));
    buf_char(b, '}');
}

static void write_line(struct tape *t, struct buf *b)
{
    AUTO_ERR e = {0};

    if (buf_check(b, &e) && file_write_fd(t->draft.fd, t->path, buf_str(b), &e))
        return;
    AUTO_LOCK guard = lock_take(&t->lock);
    if (!t->failure.kind)
        err_copy(&t->failure, &e);
}

void tape_keep(struct tape *t, const struct http_request *r, const struct http_response *response,
               str body, const struct err *failure)
{
    AUTO_ARENA a = arena_new_secret();
    struct buf b = buf_new(a, 2 * TAPE_EXCHANGE_MAX);

    write_request(a, &b, r);
    if (response->status)
        write_answer(a, &b, r, response, body.len ? body : response->body);
    if (failure) {
        buf_char(&b, ',');
        write_member(&b, "failure", str_c(http_failure_name(response->failure)));
        buf_char(&b, ',');
        write_member(&b, "error", redact_sent(a, r, failure->text));
    }
    buf_add(&b, STR("}\n"));
    write_line(t, &b);
}

/* ---- Reading -------------------------------------------------------------------------------- */

static bool read_headers(struct arena *a, const struct source *src, const struct value *list,
                         struct http_headers *out, struct err *e)
{
    for (size_t i = 0; i < value_len(list); i++) {
        const struct value *pair = value_at(list, i);
        if (value_len(pair) != 2 || !value_is(value_at(pair, 0), VALUE_STRING) ||
            !value_is(value_at(pair, 1), VALUE_STRING))
            return source_err(e, src, pair ? pair : list, "a header must be [name, value]");
        http_header_add(a, out, value_str(value_at(pair, 0)), value_str(value_at(pair, 1)));
    }
    return true;
}

static bool read_body(struct arena *a, const struct source *src, const struct value *from, str *out,
                      struct err *e)
{
    const struct value *encoded = value_get(from, STR("body64"));
    size_t bad;

    *out = value_get_str(from, STR("body"));
    if (encoded && !base64_decode(a, value_str(encoded), out, &bad))
        return source_err(e, src, encoded, "illegal base64 data at input byte %zu", bad);
    return true;
}

static bool read_failure(const struct source *src, const struct value *line, struct exchange *x,
                         struct err *e)
{
    const struct value *name = value_get(line, STR("failure"));

    if (!name)
        return true;
    for (int f = HTTP_FAILURE_CONFIG; f <= HTTP_FAILURE_CALLER; f++)
        if (str_eq(value_str(name), str_c(http_failure_name((enum http_failure)f)))) {
            x->failure = (enum http_failure)f;
            x->error = value_get_str(line, STR("error"));
            return true;
        }
    return source_err(e, src, name, "unknown failure");
}

static bool read_answer(struct arena *a, const struct source *src, const struct value *line,
                        struct exchange *x, struct err *e)
{
    const struct value *answer = value_get(line, STR("response"));
    const struct value *status = value_get(answer, STR("status"));
    int64_t number;

    if (!answer && x->failure)
        return true;
    if (!value_is(answer, VALUE_OBJECT))
        return source_err(e, src, line, "a recorded exchange needs a response or a failure");
    if (!value_to_i64(status, &number) || number < 100 || number > 999)
        return source_err(e, src, status ? status : answer,
                          "status must be a number from 100 to "
                          "999");
    x->answer.status = (int)number;
    return read_headers(a, src, value_get(answer, STR("headers")), &x->answer.headers, e) &&
           read_body(a, src, answer, &x->answer.body, e);
}

/* A key that is the same for equal requests. */
static str key_of(struct arena *a, str method, str url, str body)
{
    const str parts[] = {method, url, body};

    return str_join(a, parts, COUNT(parts), STR("\n"));
}

static void chain(struct tape *t, str key, struct exchange *x)
{
    struct exchange *first = map_get(t->waiting, key);

    x->last = x;
    if (!first) {
        map_set(t->waiting, key, x);
        return;
    }
    first->last->next = x;
    first->last = x;
}

static bool read_exchange(struct tape *t, const struct source *src, const struct value *line,
                          struct exchange **out, struct err *e)
{
    struct exchange *x = ARENA_NEW(t->arena, struct exchange);
    const struct value *request = value_get(line, STR("request"));
    str body;

    x->method = value_get_str(request, STR("method"));
    x->url = value_get_str(request, STR("url"));
    if (!x->method.len || !x->url.len)
        return source_err(e, src, request ? request : line,
                          "a recorded exchange needs a request with method and url");
    if (!read_body(t->arena, src, request, &body, e) || !read_failure(src, line, x, e) ||
        !read_answer(t->arena, src, line, x, e))
        return false;
    chain(t, key_of(t->arena, x->method, x->url, body), x);
    *out = x;
    return true;
}

static bool read_all(struct tape *t, const struct source *src, struct err *e)
{
    VEC(struct exchange *) all = {0};
    struct exchange *x = NULL;
    struct value *line;
    size_t offset = 0;

    for (;;) {
        if (!json_read_next(t->arena, src, NULL, &offset, &line, e))
            return false;
        if (!line)
            break;
        if (!read_exchange(t, src, line, &x, e) || !x)
            return false;
        x->number = all.len + 1;
        VEC_PUSH(t->arena, &all, x);
    }
    t->all = all.items;
    t->count = all.len;
    return true;
}

bool tape_replay_text(str file, str text, struct tape **out, struct err *e)
{
    struct tape *t = new_tape(file);
    struct source src = {.file = t->path, .text = str_copy(t->arena, text)};

    if (!read_all(t, &src, e)) {
        err_wrap(e, "cannot replay %.*s", STR_ARG(file));
        arena_free(t->arena);
        return false;
    }
    *out = t;
    return true;
}

bool tape_replay(str path, struct tape **out, struct err *e)
{
    AUTO_ARENA a = arena_new();
    str text;

    return file_read_max(a, path, TAPE_FILE_MAX, &text, e) && tape_replay_text(path, text, out, e);
}

/* ---- Replaying ------------------------------------------------------------------------------ */

bool tape_is_replay(const struct tape *t)
{
    return t->draft.fd < 0;
}

static struct exchange *take(struct tape *t, str key)
{
    AUTO_LOCK guard = lock_take(&t->lock);
    struct exchange *x = map_get(t->waiting, key);

    if (!x)
        return NULL;
    t->used++;
    if (x->next)
        map_set(t->waiting, key, x->next);
    else
        map_remove(t->waiting, key);
    return x;
}

/* The first unused exchange, or NULL. */
static const struct exchange *first_waiting(struct tape *t)
{
    AUTO_LOCK guard = lock_take(&t->lock);
    const struct exchange *first = NULL;

    for (size_t i = 0; i < map_len(t->waiting); i++) {
        const struct exchange *x = map_at(t->waiting, i);
        if (!first || x->number < first->number)
            first = x;
    }
    return first;
}

static bool fail_unknown(struct tape *t, str method, str url, struct err *e)
{
    const struct exchange *next = first_waiting(t);

    err_set(e, ERR_NOT_FOUND, "%.*s has no unused answer to %.*s %.*s with this body",
            STR_ARG(t->path), STR_ARG(method), STR_ARG(url));
    if (next) {
        AUTO_ARENA a = arena_new();
        return err_set_str(e, ERR_NOT_FOUND,
                           str_fmt(a, "%.*s; the next one is exchange %zu, %.*s %.*s",
                                   STR_ARG(e->text), next->number, STR_ARG(next->method),
                                   STR_ARG(next->url)));
    }
    return false;
}

static bool give_pieces(const struct http_request *r, struct http_response *response, str body,
                        struct err *e)
{
    AUTO_ERR own = {0};

    for (size_t at = 0; at < body.len; at += PIECE) {
        if (r->on_body(r->ctx, response, str_slice(body, at, at + PIECE), &own))
            continue;
        if (!own.kind)
            return true;
        response->failure = HTTP_FAILURE_CALLER;
        return err_copy(e, &own);
    }
    return true;
}

static bool copy_answer(struct arena *a, const struct exchange *x, const struct http_request *r,
                        struct http_response *response, struct err *e)
{
    bool streamed = r->on_body && x->answer.status / 100 == 2;

    response->status = x->answer.status;
    response->sent = true;
    for (size_t i = 0; i < x->answer.headers.len; i++)
        http_header_add(a, &response->headers, str_copy(a, x->answer.headers.items[i].name),
                        str_copy(a, x->answer.headers.items[i].value));
    if (streamed && !give_pieces(r, response, x->answer.body, e))
        return false;
    response->body = streamed ? STR_NONE : str_copy(a, x->answer.body);
    if (!x->failure)
        return true;
    response->failure = x->failure;
    return err_set_str(e, x->failure == HTTP_FAILURE_CANCELLED ? ERR_CANCELLED : ERR_IO, x->error);
}

bool tape_answer(struct tape *t, struct arena *a, const struct http_request *r,
                 struct http_response *response, struct err *e)
{
    AUTO_ERR own = {0};
    str method = r->method.len ? r->method : STR("GET"), url = redact_url(a, r->url);
    str body = redact_body(a, r->url, http_header_get(&r->headers, STR("Content-Type")), r->body);
    const struct exchange *x = take(t, key_of(a, method, url, body));

    *response = (struct http_response){.url = r->url};
    if (!x) {
        response->failure = HTTP_FAILURE_REPLAY;
        return fail_unknown(t, method, url, e ? e : &own);
    }
    return copy_answer(a, x, r, response, e ? e : &own);
}

bool tape_close(struct tape *t, struct err *e)
{
    bool ok = !t->failure.kind;

    if (!ok)
        err_copy(e, &t->failure);
    if (t->draft.fd >= 0 && ok)
        ok = file_commit(&t->draft, e);
    else if (t->draft.fd >= 0)
        file_drop(&t->draft);
    err_clear(&t->failure);
    arena_free(t->arena);
    return ok;
}
