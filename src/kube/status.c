/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.c - turns error responses into errors.
 *
 * An API server explains errors with a Status object; anything between it and us (proxies, load
 * balancers, starting servers) does not, and then the wording is client-go's.
 */
#include "kube/items_internal.h"

#include "go/quote.h"
#include "object/object.h"

/* What a status code means without further details; if words is NULL, the body is the message. */
static const struct generic {
    int code;
    const char *reason, *words;
} generics[] = {
    {400, "BadRequest", "the server rejected our request for an unknown reason"},
    {401, "Unauthorized", "the server has asked for the client to provide credentials"},
    {403, "Forbidden", NULL},
    {404, "NotFound", "the server could not find the requested resource"},
    {405, "MethodNotAllowed", "the server does not allow this method on the requested resource"},
    {406, "NotAcceptable", NULL},
    {409, "Conflict", "the server reported a conflict"},
    {410, "Expired", NULL},
    {413, "RequestEntityTooLarge", NULL},
    {415, "UnsupportedMediaType", NULL},
    {422, "Invalid", "the server rejected our request due to an error in our request"},
    {429, "TooManyRequests",
     "the server has received too many requests and has asked us to try again later"},
    {503, "ServiceUnavailable", "the server is currently unable to handle the request"},
    {504, "Timeout",
     "the server was unable to return a response in the time allotted, but may still be processing "
     "the request"},
};

static const struct generic *generic_of(int code)
{
    for (size_t i = 0; i < COUNT(generics); i++)
        if (generics[i].code == code)
            return &generics[i];
    return NULL;
}

/* Reasons are more precise than codes: 409 has two meanings. */
static const struct {
    const char *reason;
    enum err_kind kind;
} reason_kinds[] = {
    {"AlreadyExists", ERR_EXISTS},      {"Conflict", ERR_CONFLICT},   {"Expired", ERR_EXPIRED},
    {"Forbidden", ERR_DENIED},          {"Gone", ERR_EXPIRED},        {"NotFound", ERR_NOT_FOUND},
    {"TooManyRequests", ERR_THROTTLED}, {"Unauthorized", ERR_DENIED},
};

static const struct {
    int code;
    enum err_kind kind;
} code_kinds[] = {
    {401, ERR_DENIED},   {403, ERR_DENIED},  {404, ERR_NOT_FOUND},
    {409, ERR_CONFLICT}, {410, ERR_EXPIRED}, {429, ERR_THROTTLED},
};

static enum err_kind kind_of(const struct kube_status *s)
{
    for (size_t i = 0; i < COUNT(reason_kinds); i++)
        if (str_eq(s->reason, str_c(reason_kinds[i].reason)))
            return reason_kinds[i].kind;
    for (size_t i = 0; i < COUNT(code_kinds); i++)
        if (s->code == code_kinds[i].code)
            return code_kinds[i].kind;
    return s->code >= 400 && s->code < 500 ? ERR_INVALID : ERR_IO;
}

/* Appends "(get deployments.apps x)" to the message. */
static str with_subject(struct arena *a, str words, str method, const struct kube_call *c)
{
    if (!c || !c->resource || !c->resource->name.len)
        return words;
    str what = kube_group_resource(a, c->resource);
    str verb = str_lower(a, method.len ? method : STR("GET"));
    if (!c->name.len)
        return str_fmt(a, "%.*s (%.*s %.*s)", STR_ARG(words), STR_ARG(verb), STR_ARG(what));
    return str_fmt(a, "%.*s (%.*s %.*s %.*s)", STR_ARG(words), STR_ARG(verb), STR_ARG(what),
                   STR_ARG(c->name));
}

/* A proxy's page may be long; what matters is at the beginning. */
#define SERVER_MESSAGE_MAX 2048

static str server_message(const struct http_response *response)
{
    str type = http_header_get(&response->headers, STR("Content-Type"));
    str text = str_trim(str_slice(response->body, 0, SERVER_MESSAGE_MAX));

    return str_has_prefix(type, STR("text/")) && text.len ? text : STR("unknown");
}

static void say_generic(struct arena *a, str method, const struct kube_call *c,
                        const struct http_response *response, struct kube_status *s)
{
    const struct generic *g = generic_of(s->code);
    str said = server_message(response), words = said;

    if (g) {
        bool is_post = str_eq(method, STR("POST"));
        s->reason = s->code == 409 && is_post ? STR("AlreadyExists") : str_c(g->reason);
        words = g->words ? str_c(g->words) : said;
    } else if (s->code >= 500) {
        struct buf b = buf_new(a, 16 * KIB);
        s->reason = STR("InternalError");
        buf_add(&b, STR("an error on the server ("));
        go_quote(&b, said);
        buf_add(&b, STR(") has prevented the request from succeeding"));
        words = buf_str(&b);
    }
    s->message = with_subject(a, words, method, c);
}

static bool fail_with(const struct kube_status *s, struct kube_status *out, struct err *e)
{
    if (out)
        *out = *s;
    return err_set_str(e, kind_of(s), s->message.len ? s->message : STR("unknown"));
}

static struct kube_status status_of(const struct value *object)
{
    const struct value *meta = object_meta(object);
    struct kube_status s = {.reason = value_get_str(object, STR("reason")),
                            .message = value_get_str(object, STR("message")),
                            .details = value_get(object, STR("details")),
                            .continue_token = value_get_str(meta, STR("continue"))};
    int64_t number;

    if (value_to_i64(value_get(object, STR("code")), &number) && number > 0 && number < 1000)
        s.code = (int)number;
    const struct value *wait = value_get(s.details, STR("retryAfterSeconds"));
    if (value_to_i64(wait, &number) && number > 0 && number <= 86400)
        s.retry_after = number * NS_PER_SEC;
    return s;
}

bool kube_status_failed(struct arena *a, const struct value *object, struct kube_status *status,
                        struct err *e)
{
    struct kube_status s = status_of(object);

    if (!s.message.len)
        s.message = s.reason.len ? s.reason : str_fmt(a, "unknown error (status %d)", s.code);
    return fail_with(&s, status, e);
}

static bool read_status(struct arena *a, str body, struct value **out)
{
    AUTO_ERR ignored = {0};

    *out = NULL;
    return body.len && body.ptr[0] == '{' && kube_json_read(a, body, out, &ignored) &&
           str_eq(value_get_str(*out, STR("kind")), STR("Status")) &&
           !str_eq(value_get_str(*out, STR("status")), STR("Success"));
}

/* Fails with what s contains; the rest of the message is client-go's. Always false. */
static bool fail_answer(struct arena *a, str method, const struct kube_call *c,
                        const struct http_response *response, struct kube_status s,
                        struct kube_status *status, struct err *e)
{
    if (!s.code)
        s.code = response->status;
    if (!s.message.len)
        say_generic(a, method, c, response, &s);
    if (!s.retry_after && !retry_after(&response->headers, clock_now(), &s.retry_after))
        s.retry_after = 0;
    return fail_with(&s, status, e);
}

bool kube_answer_failed(struct arena *a, str method, const struct kube_call *c,
                        const struct http_response *response, struct kube_status *status,
                        struct err *e)
{
    struct value *object;
    struct kube_status s = {0};

    if (read_status(a, response->body, &object)) {
        s = status_of(object);
        s.silent = !s.message.len;
    }
    return fail_answer(a, method, c, response, s, status, e);
}

bool kube_answer_failed_raw(struct arena *a, const struct http_response *response, struct err *e)
{
    return fail_answer(a, STR("GET"), NULL, response, (struct kube_status){0}, NULL, e);
}

bool kube_answer_whole(const struct http_response *response, struct err *e)
{
    if (response->status == 206)
        return err_set(e, ERR_INVALID, "the server sent only a part of it (206 Partial Content)");
    return !http_header_get(&response->headers, STR("Content-Range")).len ||
           err_set(e, ERR_INVALID, "the server sent only a part of it (Content-Range)");
}

bool kube_answer_read(const struct http_response *response, struct err *e)
{
    if (!kube_answer_whole(response, e))
        return false;
    return response->status == 200 ||
           err_set(e, ERR_INVALID, "the server answered %d instead of 200", response->status);
}

/* How much of a content type is shown. */
#define TYPE_MAX 80

bool kube_answer_unread(const struct http_response *response, struct err *e)
{
    AUTO_ARENA a = arena_new();
    str type = str_trim(http_header_get(&response->headers, STR("Content-Type"))), name, rest;

    str_cut(type, STR(";"), &name, &rest);
    if (!e || !name.len || str_eq_fold(name, STR("application/json")))
        return false;
    return err_set_str(e, e->kind,
                       str_fmt(a, "%.*s; the answer is %.*s: is this the address of an API server?",
                               STR_ARG(e->text),
                               STR_ARG(go_quoted(a, str_slice(name, 0, TYPE_MAX)))));
}
