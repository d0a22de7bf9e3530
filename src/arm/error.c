/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error.c - converts error responses of all shapes into one.
 *
 * A body is read as JSON; the node with code and message is found (the error member, the body
 * itself, a problem document); then everything below it that looks like an error is a cause.
 */
#include "arm/error.h"
#include "text/json/json.h"

/* How deep details and inner errors are followed; recorded ones end at 3. */
#define CAUSE_DEPTH_MAX 16
/* How much is kept of a message that is not meant for people, such as an HTML page. */
#define EXCERPT_MAX 200

/* The member with that name, case-insensitively. */
static const struct value *member(const struct value *object, str key)
{
    const struct value *exact = value_get(object, key);

    for (size_t i = 0; !exact && value_is(object, VALUE_OBJECT) && i < object->len; i++)
        if (str_eq_fold(value_key(&object->items[i]), key))
            exact = &object->items[i];
    return exact;
}

static str member_text(const struct value *object, str key)
{
    return value_text(member(object, key));
}

static bool looks_like_error(const struct value *v)
{
    return value_is(v, VALUE_OBJECT) && (member(v, STR("code")) || member(v, STR("message")));
}

/* ---- JSON inside texts. ---------------------------------------------------------------------- */

/*
 * The first JSON object in a text that is itself an error or contains one; NULL when there is none.
 */
static const struct value *embedded_error(struct arena *a, str text)
{
    const struct read_options options = {.go = true};

    for (size_t at = str_find_char(text, '{'), tries = 0; at < text.len && tries < 4; tries++) {
        struct source src = {.text = str_from(text, at)};
        struct value *v = NULL;
        size_t offset = 0;
        if (json_read_next(a, &src, &options, &offset, &v, NULL) &&
            (looks_like_error(v) || looks_like_error(member(v, STR("error")))))
            return looks_like_error(v) ? v : member(v, STR("error"));
        size_t next = str_find_char(str_from(text, at + 1), '{');
        at = next == STR_NPOS ? STR_NPOS : at + 1 + next;
    }
    return NULL;
}

/* ---- Causes. --------------------------------------------------------------------------------- */

static void add_causes(struct arena *a, const struct value *error, unsigned depth,
                       struct cloud_error *out);

static void add_cause(struct arena *a, const struct value *v, unsigned depth,
                      struct cloud_error *out)
{
    struct cloud_cause c = {.code = member_text(v, STR("code")),
                            .message = member_text(v, STR("message")),
                            .target = member_text(v, STR("target")),
                            .depth = depth};

    if (!value_is(v, VALUE_OBJECT) || depth > CAUSE_DEPTH_MAX ||
        out->causes.len == CLOUD_CAUSES_MAX)
        return;
    if (c.code.len || c.message.len)
        VEC_PUSH(a, &out->causes, c);
    add_causes(a, v, depth + 1, out);
}

/* Services nest causes under these names. additionalInfo holds {type, info} around them. */
static void add_causes(struct arena *a, const struct value *error, unsigned depth,
                       struct cloud_error *out)
{
    static const str lists[] = {STR_INIT("details"), STR_INIT("additionalInfo")};
    static const str inner[] = {STR_INIT("innererror"), STR_INIT("errorEntity"), STR_INIT("info")};

    for (size_t i = 0; i < COUNT(lists); i++) {
        const struct value *list = member(error, lists[i]);
        for (size_t j = 0; value_is(list, VALUE_LIST) && j < list->len; j++)
            add_cause(a, &list->items[j], depth, out);
    }
    for (size_t i = 0; i < COUNT(inner); i++)
        add_cause(a, member(error, inner[i]), depth, out);
}

/* A cause is worth showing when it is not just the message again. */
static bool says_more(const struct cloud_cause *c, str message)
{
    return c->message.len && !str_contains(message, str_trim(c->message));
}

static void choose_cause(struct cloud_error *e)
{
    for (size_t i = 0; i < e->causes.len; i++) {
        const struct cloud_cause *c = &e->causes.items[i];
        if (says_more(c, e->message) && (!e->cause || c->depth > e->cause->depth))
            e->cause = c;
    }
}

/* ---- The error itself. ----------------------------------------------------------------------- */

/* The title of a problem document, and its detail. */
static str problem_text(struct arena *a, const struct value *body)
{
    str title = member_text(body, STR("title")), detail = value_str(member(body, STR("detail")));

    if (!title.len || !detail.len)
        return title.len ? title : detail;
    return str_fmt(a, "%.*s: %.*s", STR_ARG(title), STR_ARG(detail));
}

static void read_node(struct arena *a, const struct value *node, struct cloud_error *out)
{
    const struct value *code = member(node, STR("code")), *inside;

    out->understood = !code || code->kind == VALUE_STRING || code->kind == VALUE_NULL;
    if (value_text(code).len)
        out->code = value_text(code);
    out->message = member_text(node, STR("message"));
    out->target = member_text(node, STR("target"));
    add_causes(a, node, 1, out);
    inside = embedded_error(a, out->message);
    if (inside)
        add_cause(a, inside, 1, out);
    if (inside && str_has_prefix(str_trim(out->message), STR("{")) && out->causes.len)
        out->message = out->causes.items[out->causes.len - 1].message;
    choose_cause(out);
}

static const struct value *error_node(const struct value *body)
{
    const struct value *error = member(body, STR("error"));

    return value_is(error, VALUE_OBJECT) && error->len ? error : body;
}

/* The reason given by a failed resource. */
static str failure_text(const struct value *body)
{
    static const str names[] = {STR_INIT("provisioningDetails"), STR_INIT("provisioningError"),
                                STR_INIT("statusMessage"), STR_INIT("failureReason")};
    const struct value *properties = member(body, STR("properties"));

    for (size_t i = 0; i < COUNT(names); i++) {
        str text = value_str(member(properties, names[i]));
        if (text.len)
            return text;
    }
    return STR_NONE;
}

void cloud_error_from(struct arena *a, int http, const struct value *body, struct cloud_error *out)
{
    *out = (struct cloud_error){
        .http = http, .code = STR(CLOUD_UNKNOWN), .understood = true, .retry_after = -1};
    if (!value_is(body, VALUE_OBJECT))
        return;
    read_node(a, error_node(body), out);
    if (!out->message.len)
        out->message = problem_text(a, body);
    if (!out->message.len)
        out->message = failure_text(body);
    if (!out->message.len && value_str(member(body, STR("error"))).len) {
        /* As token endpoints do: {"error":"invalid_client","error_description":"AADSTS..."} */
        out->message = member_text(body, STR("error_description"));
        out->code = member_text(body, STR("error"));
    }
}

/* The title of an HTML page; empty: there is none. */
static str page_title(str body)
{
    size_t open = str_find(body, STR("<title>")), close = str_find(body, STR("</title>"));
    bool has_title = open != STR_NPOS && close != STR_NPOS && open + 7 < close;

    return has_title ? str_trim(str_slice(body, open + 7, close)) : STR_NONE;
}

/*
 * What can be said about a text that is not JSON: the title of an HTML page, or else the beginning.
 * A success is what was asked for, however garbled: these may be the keys of an account, which
 * nobody can mask before they are known. So it is not quoted.
 */
static str excerpt(struct arena *a, int http, str body)
{
    str title = page_title(body);
    struct buf out = buf_new(a, EXCERPT_MAX + 4);

    if (!title.len && http / 100 == 2)
        return str_fmt(a, "Azure answered with status %d, but not with JSON", http);
    body = str_trim(title.len ? title : body);
    for (size_t i = 0; i < body.len && i < EXCERPT_MAX; i++)
        buf_char(&out, (unsigned char)body.ptr[i] < 0x20 ? ' ' : body.ptr[i]);
    return buf_str(&out);
}

void cloud_error_read(struct arena *a, int http, str body, struct cloud_error *out)
{
    const struct read_options options = {.go = true};
    struct source *src = ARENA_NEW(a, struct source);
    struct value *v = NULL;

    src->text = body;
    if (str_trim(body).len && json_read(a, src, &options, &v, NULL)) {
        cloud_error_from(a, http, v, out);
        return;
    }
    cloud_error_from(a, http, NULL, out);
    out->understood = !str_trim(body).len;
    if (!out->understood)
        out->message = excerpt(a, http, body);
}

str cloud_error_text(struct arena *a, const struct cloud_error *e)
{
    if (!e->message.len && e->cause)
        return e->cause->message;
    if (!e->message.len)
        return e->http ? str_fmt(a, "Azure answered with status %d and said nothing more", e->http)
                       : STR("there was no answer from Azure");
    if (!e->cause)
        return e->message;
    str end = str_has_suffix(e->message, STR(".")) ? STR(" ") : STR(": ");
    return str_fmt(a, "%.*s%.*s%.*s", STR_ARG(e->message), STR_ARG(end),
                   STR_ARG(e->cause->message));
}
