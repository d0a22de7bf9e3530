/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refusal.c - errors in all the forms that services are known to use. Data decides which: that of a
 * type ("missing", "inUse", "troubles" in api/sim) or of a fault ("shape").
 *
 * To add a form: a word in sim_shapes, a function, and its line in writers.
 */
#include "sim/internal.h"

#include "net/retry.h"

const struct field_word sim_shapes[] = {
    {"error", SHAPE_ERROR},     {"flat", SHAPE_FLAT},   {"both", SHAPE_BOTH},
    {"upper", SHAPE_UPPER},     {"inner", SHAPE_INNER}, {"message", SHAPE_MESSAGE},
    {"problem", SHAPE_PROBLEM}, {"text", SHAPE_TEXT},   {"number", SHAPE_NUMBER},
    {"html", SHAPE_HTML},       {"empty", SHAPE_EMPTY}, {0}};

/* An error being built: its texts, and the object. */
struct telling {
    struct sim_call *call;
    const struct sim_refusal *refusal;
    str message;
    struct value *root;
};

static struct value *add_code(struct telling *t, struct value *at)
{
    value_set_str(t->call->arena, at, STR("code"), t->refusal->code);
    value_set_str(t->call->arena, at, STR("message"), t->message);
    return at;
}

static void add_details(struct telling *t, struct value *at, str name)
{
    struct arena *a = t->call->arena;
    struct value *list;

    if (!t->refusal->detail.len)
        return;
    list = value_set(a, at, name, value_list(a));
    struct value *detail = value_add(a, list, value_object(a));
    value_set_str(a, detail, STR("code"), t->refusal->detail);
    value_set_str(a, detail, STR("message"), t->message);
}

static struct value *tell_error(struct telling *t)
{
    struct arena *a = t->call->arena;
    struct value *error = add_code(t, value_set(a, t->root, STR("error"), value_object(a)));

    if (t->refusal->shape != SHAPE_INNER)
        add_details(t, error, STR("details"));
    return error;
}

static void tell_wrapped(struct telling *t)
{
    (void)tell_error(t);
}

static void tell_flat(struct telling *t)
{
    add_details(t, add_code(t, t->root), STR("details"));
}

static void tell_both(struct telling *t)
{
    (void)tell_error(t);
    add_code(t, t->root);
}

static void tell_upper(struct telling *t)
{
    struct arena *a = t->call->arena;

    value_set_str(a, t->root, STR("Code"), t->refusal->code);
    value_set_str(a, t->root, STR("Message"), t->message);
    value_set(a, t->root, STR("Target"), value_null(a));
    add_details(t, t->root, STR("Details"));
    value_set(a, t->root, STR("Innererror"), value_null(a));
}

static void tell_inner(struct telling *t)
{
    struct arena *a = t->call->arena;
    struct value *inner = value_set(a, tell_error(t), STR("innererror"), value_object(a));

    value_set_str(a, inner, STR("code"),
                  t->refusal->detail.len ? t->refusal->detail : t->refusal->code);
}

static void tell_message(struct telling *t)
{
    value_set_str(t->call->arena, t->root, STR("Message"), t->message);
}

static void tell_problem(struct telling *t)
{
    struct arena *a = t->call->arena;

    value_set_str(a, t->root, STR("type"), STR("https://tools.ietf.org/html/rfc9110#section-15"));
    value_set_str(a, t->root, STR("title"), t->message);
    value_set_int(a, t->root, STR("status"), t->refusal->status);
    value_set_str(a, t->root, STR("traceId"), sim_guid(t->call->sim, a));
}

/* An error of a backend service, as text. */
static void tell_text(struct telling *t)
{
    struct arena *a = t->call->arena;
    struct telling below = *t;

    below.root = value_object(a);
    (void)tell_error(&below);
    struct value *error = value_set(a, t->root, STR("error"), value_object(a));
    value_set_str(a, error, STR("code"), t->refusal->code);
    value_set_str(a, error, STR("message"), sim_json(a, below.root));
}

/* Six digits that start with the status, as in 404002. */
static void tell_number(struct telling *t)
{
    struct arena *a = t->call->arena;

    value_set_int(a, t->root, STR("code"), (int64_t)t->refusal->status * 1000 + 2);
    value_set_int(a, t->root, STR("httpStatusCode"), t->refusal->status);
    value_set_str(a, t->root, STR("message"), t->message);
}

static void (*const writers[])(struct telling *t) = {
    [SHAPE_ERROR] = tell_wrapped,   [SHAPE_FLAT] = tell_flat,
    [SHAPE_BOTH] = tell_both,       [SHAPE_UPPER] = tell_upper,
    [SHAPE_INNER] = tell_inner,     [SHAPE_MESSAGE] = tell_message,
    [SHAPE_PROBLEM] = tell_problem, [SHAPE_TEXT] = tell_text,
    [SHAPE_NUMBER] = tell_number,   [SHAPE_HTML] = NULL,
    [SHAPE_EMPTY] = NULL,
};

/* Replaces $id, $name and $other in a message. */
static str filled(struct sim_call *c, str text, str other)
{
    struct {
        str word, value;
    } const words[] = {{STR("$id"), arm_id_print(c->arena, &c->id)},
                       {STR("$name"), c->name},
                       {STR("$other"), other}};
    struct buf b = buf_new(c->arena, BUF_UNLIMITED);

    while (text.len) {
        size_t i = 0;
        while (i < COUNT(words) && !str_has_prefix(text, words[i].word))
            i++;
        if (i < COUNT(words))
            buf_add(&b, words[i].value);
        else
            buf_char(&b, text.ptr[0]);
        text = str_from(text, i < COUNT(words) ? words[i].word.len : 1);
    }
    return buf_str(&b);
}

static void retry_header(struct sim_call *c, const struct sim_refusal *refusal)
{
    int64_t then = sim_now(c->sim) / NS_PER_SEC + refusal->retry_after;

    if (refusal->retry_after)
        sim_header(c, "Retry-After",
                   refusal->retry_date
                       ? http_date(c->arena, then)
                       : str_fmt(c->arena, "%lld", (long long)refusal->retry_after));
}

void sim_refuse_as(struct sim_call *c, const struct sim_refusal *refusal, str other)
{
    struct telling t = {.call = c,
                        .refusal = refusal,
                        .message = filled(c, refusal->message, other),
                        .root = value_object(c->arena)};

    retry_header(c, refusal);
    if (writers[refusal->shape]) {
        writers[refusal->shape](&t);
        sim_reply(c, refusal->status, t.root);
        return;
    }
    sim_reply(c, refusal->status, NULL);
    if (refusal->shape != SHAPE_HTML)
        return;
    c->r->body = str_fmt(c->arena, "<html><body><h1>%.*s</h1></body></html>", STR_ARG(t.message));
    sim_header(c, "Content-Type", STR("text/html"));
}
