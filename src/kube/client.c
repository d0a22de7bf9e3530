/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.c - requests about one object.
 */
#include "kube/client.h"

#include "kube/items_internal.h"
#include "text/json/json.h"
#include "text/url.h"
#include "net/redact.h"

static void add_segment(struct buf *path, const char *before, str segment)
{
    if (!segment.len)
        return;
    buf_add(path, str_c(before));
    url_path_escape(path, segment);
}

str kube_call_path(struct arena *a, const struct kube_call *c)
{
    const struct kube_resource *r = c->resource;
    struct buf path = buf_new(a, BUF_UNLIMITED);
    str plural, sub;

    buf_add(&path, r->group.len ? STR("/apis") : STR("/api"));
    add_segment(&path, "/", r->group);
    add_segment(&path, "/", r->version);
    add_segment(&path, "/namespaces/", c->namespace);
    str_cut(r->name, STR("/"), &plural, &sub);
    add_segment(&path, "/", plural);
    add_segment(&path, "/", c->name);
    add_segment(&path, "/", c->subresource.len ? c->subresource : sub);
    return buf_str(&path);
}

static const char *const methods[] = {
    [KUBE_VERB_GET] = "GET",     [KUBE_VERB_CREATE] = "POST",   [KUBE_VERB_UPDATE] = "PUT",
    [KUBE_VERB_PATCH] = "PATCH", [KUBE_VERB_DELETE] = "DELETE",
};

/* JSON is also YAML, the content type for apply that every server knows. */
static const char *const patch_types[] = {
    [KUBE_MERGE_PATCH] = "application/merge-patch+json",
    [KUBE_JSON_PATCH] = "application/json-patch+json",
    [KUBE_STRATEGIC_PATCH] = "application/strategic-merge-patch+json",
    [KUBE_APPLY_PATCH] = "application/apply-patch+yaml",
};

static void add_options(struct buf *url, const struct kube_write_options *o)
{
    if (o->dry_run)
        url_query_add(url, STR("dryRun"), STR("All"));
    kube_query_add(url, "fieldManager", o->field_manager);
    kube_query_add(url, "fieldValidation", o->field_validation);
    if (o->force)
        url_query_add(url, STR("force"), STR("true"));
}

static struct value *delete_body(struct arena *a, const struct kube_delete_options *o)
{
    struct value *body = value_object(a), *only;

    value_set_str(a, body, STR("apiVersion"), STR("v1"));
    value_set_str(a, body, STR("kind"), STR("DeleteOptions"));
    if (o->grace_given)
        value_set_int(a, body, STR("gracePeriodSeconds"), o->grace);
    if (o->propagation.len)
        value_set_str(a, body, STR("propagationPolicy"), o->propagation);
    if (o->dry_run)
        value_add(a, value_set(a, body, STR("dryRun"), value_list(a)), value_string(a, STR("All")));
    if (!o->uid.len && !o->resource_version.len)
        return body;
    only = value_set(a, body, STR("preconditions"), value_object(a));
    if (o->uid.len)
        value_set_str(a, only, STR("uid"), o->uid);
    if (o->resource_version.len)
        value_set_str(a, only, STR("resourceVersion"), o->resource_version);
    return body;
}

bool kube_ask_request(struct arena *a, const struct kube_ask *q, struct http_request *out,
                      struct err *e)
{
    struct buf url = buf_new(a, BUF_UNLIMITED), text = buf_new(a, KUBE_OBJECT_MAX);
    const struct value *body = q->verb == KUBE_VERB_DELETE ? delete_body(a, &q->delete) : q->body;
    const char *type = q->verb == KUBE_VERB_PATCH ? patch_types[q->patch] : "application/json";

    if (q->verb == KUBE_VERB_PATCH && q->patch == KUBE_APPLY_PATCH && !q->write.field_manager.len)
        return err_set(e, ERR_INVALID, "applying needs the name of a field manager");
    buf_add(&url, q->path.len ? q->path : kube_call_path(a, &q->call));
    if (q->verb != KUBE_VERB_GET && q->verb != KUBE_VERB_DELETE)
        add_options(&url, &q->write);
    *out = (struct http_request){.method = str_c(methods[q->verb]),
                                 .url = buf_str(&url),
                                 .cancel = q->call.cancel,
                                 .timeout = q->call.timeout};
    http_header_add(a, &out->headers, STR("Accept"), kube_accept(&q->call, false));
    if (q->text.len)
        out->body = str_copy(a, q->text);
    else if (!body)
        return true;
    else if (!json_write(&text, body, &json_exact, e) || !buf_check(&text, e))
        return false;
    else
        out->body = buf_str(&text);
    http_header_add(a, &out->headers, STR("Content-Type"), str_c(type));
    return true;
}

bool kube_ask_answer(struct arena *a, const struct kube_ask *q,
                     const struct http_response *response, struct value **out, struct err *e)
{
    const struct kube_call *call = q->call.resource ? &q->call : NULL;
    str method = str_c(methods[q->verb]);
    struct value *object;

    if (out)
        *out = NULL;
    if (response->status / 100 != 2)
        return kube_answer_failed(a, method, call, response, q->call.status, e);
    if (!call)
        return true;
    /* Parsed even if the result is not wanted: a proxy's page is not a success. */
    bool reads = q->verb == KUBE_VERB_GET;
    if (!(reads ? kube_answer_read(response, e) : kube_answer_whole(response, e)) ||
        !kube_object_read(a, &q->call, response->body, &object, e)) {
        kube_answer_unread(response, e);
        return err_wrap(e, "%.*s %.*s", STR_ARG(method), STR_ARG(redact_url(a, response->url)));
    }
    if (out)
        *out = object;
    return true;
}

bool kube_do(struct kube_transport *t, struct arena *a, const struct kube_ask *q,
             struct value **out, struct err *e)
{
    const struct retry_policy *retry = q->call.retry ? q->call.retry : &retry_kube;
    struct http_request request;
    struct http_response response;

    if (q->call.status)
        *q->call.status = (struct kube_status){0};
    return kube_ask_request(a, q, &request, e) && kube_send(t, a, &request, retry, &response, e) &&
           kube_ask_answer(a, q, &response, out, e);
}

bool kube_get(struct kube_transport *t, struct arena *a, const struct kube_call *c,
              struct value **out, struct err *e)
{
    return kube_do(t, a, &(struct kube_ask){.verb = KUBE_VERB_GET, .call = *c}, out, e);
}

/* A request with a body. */
static struct kube_ask write(enum kube_verb verb, const struct kube_call *c,
                             const struct value *body, const struct kube_write_options *options)
{
    struct kube_ask q = {.verb = verb, .call = *c, .body = body};

    if (options)
        q.write = *options;
    return q;
}

bool kube_create(struct kube_transport *t, struct arena *a, const struct kube_call *c,
                 const struct value *object, const struct kube_write_options *options,
                 struct value **out, struct err *e)
{
    struct kube_ask q = write(KUBE_VERB_CREATE, c, object, options);

    return kube_do(t, a, &q, out, e);
}

bool kube_update(struct kube_transport *t, struct arena *a, const struct kube_call *c,
                 const struct value *object, const struct kube_write_options *options,
                 struct value **out, struct err *e)
{
    struct kube_ask q = write(KUBE_VERB_UPDATE, c, object, options);

    return kube_do(t, a, &q, out, e);
}

bool kube_patch(struct kube_transport *t, struct arena *a, const struct kube_call *c,
                enum kube_patch_type type, const struct value *patch,
                const struct kube_write_options *options, struct value **out, struct err *e)
{
    struct kube_ask q = write(KUBE_VERB_PATCH, c, patch, options);

    q.patch = type;
    return kube_do(t, a, &q, out, e);
}

bool kube_delete(struct kube_transport *t, struct arena *a, const struct kube_call *c,
                 const struct kube_delete_options *options, struct value **out, struct err *e)
{
    struct kube_ask q = {.verb = KUBE_VERB_DELETE, .call = *c};

    if (options)
        q.delete = *options;
    return kube_do(t, a, &q, out, e);
}
