/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.c - requests about one object.
 */
#include "kube/client.h"

#include "kube/items.h"
#include "text/json.h"
#include "text/url.h"

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

/* One request whose answer is one object. */
struct asking {
    struct kube_transport *transport;
    struct arena *arena;
    const struct kube_call *call;
    const char *method;
    struct buf url;
    const struct value *body; /* NULL: none */
    const char *content_type;
};

static struct asking ask(struct kube_transport *t, struct arena *a, const struct kube_call *c,
                         const char *method)
{
    struct asking q = {.transport = t,
                       .arena = a,
                       .call = c,
                       .method = method,
                       .content_type = "application/json",
                       .url = buf_new(a, BUF_UNLIMITED)};

    buf_add(&q.url, kube_call_path(a, c));
    return q;
}

static void add_options(struct asking *q, const struct kube_write_options *o)
{
    if (!o)
        return;
    if (o->dry_run)
        url_query_add(&q->url, STR("dryRun"), STR("All"));
    if (o->field_manager.len)
        url_query_add(&q->url, STR("fieldManager"), o->field_manager);
    if (o->field_validation.len)
        url_query_add(&q->url, STR("fieldValidation"), o->field_validation);
    if (o->force)
        url_query_add(&q->url, STR("force"), STR("true"));
}

static bool make_request(const struct asking *q, struct http_request *request, struct err *e)
{
    struct arena *a = q->arena;

    *request = (struct http_request){.method = str_c(q->method),
                                     .url = buf_str(&q->url),
                                     .cancel = q->call->cancel,
                                     .timeout = q->call->timeout};
    http_header_add(a, &request->headers, STR("Accept"), kube_accept(q->call, false));
    if (!q->body)
        return true;
    struct buf body = buf_new(a, KUBE_OBJECT_MAX);
    if (!json_write(&body, q->body, &json_exact, e) || !buf_check(&body, e))
        return false;
    request->body = buf_str(&body);
    http_header_add(a, &request->headers, STR("Content-Type"), str_c(q->content_type));
    return true;
}

static bool answer(const struct asking *q, struct value **out, struct err *e)
{
    struct http_request request;
    struct http_response response;
    struct value *object;

    if (q->call->status)
        *q->call->status = (struct kube_status){0};
    if (!make_request(q, &request, e) ||
        !kube_send(q->transport, q->arena, &request, q->call->retry ? q->call->retry : &retry_kube,
                   &response, e))
        return false;
    if (response.status / 100 != 2)
        return kube_answer_failed(q->arena, request.method, q->call, &response, q->call->status, e);
    /* Read also when nobody wants it: a page of a proxy is not the server's consent. */
    if (!kube_object_read(q->arena, q->call, response.body, &object, e)) {
        kube_answer_unread(&response, e);
        return err_wrap(e, "%s %.*s", q->method, STR_ARG(response.url));
    }
    if (out)
        *out = object;
    return true;
}

bool kube_get(struct kube_transport *t, struct arena *a, const struct kube_call *c,
              struct value **out, struct err *e)
{
    struct asking q = ask(t, a, c, "GET");

    return answer(&q, out, e);
}

bool kube_create(struct kube_transport *t, struct arena *a, const struct kube_call *c,
                 const struct value *object, const struct kube_write_options *options,
                 struct value **out, struct err *e)
{
    struct asking q = ask(t, a, c, "POST");

    q.body = object;
    add_options(&q, options);
    return answer(&q, out, e);
}

bool kube_update(struct kube_transport *t, struct arena *a, const struct kube_call *c,
                 const struct value *object, const struct kube_write_options *options,
                 struct value **out, struct err *e)
{
    struct asking q = ask(t, a, c, "PUT");

    q.body = object;
    add_options(&q, options);
    return answer(&q, out, e);
}

bool kube_patch(struct kube_transport *t, struct arena *a, const struct kube_call *c,
                enum kube_patch_type type, const struct value *patch,
                const struct kube_write_options *options, struct value **out, struct err *e)
{
    /* JSON is YAML, and the type of apply that every server knows. */
    static const char *const types[] = {
        [KUBE_PATCH_MERGE] = "application/merge-patch+json",
        [KUBE_PATCH_JSON] = "application/json-patch+json",
        [KUBE_PATCH_STRATEGIC] = "application/strategic-merge-patch+json",
        [KUBE_PATCH_APPLY] = "application/apply-patch+yaml",
    };
    struct asking q = ask(t, a, c, "PATCH");

    if (type == KUBE_PATCH_APPLY && !(options && options->field_manager.len))
        return err_set(e, ERR_INVALID, "applying needs the name of a field manager");
    q.body = patch;
    q.content_type = types[type];
    add_options(&q, options);
    return answer(&q, out, e);
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

bool kube_delete(struct kube_transport *t, struct arena *a, const struct kube_call *c,
                 const struct kube_delete_options *options, struct value **out, struct err *e)
{
    static const struct kube_delete_options none = {0};
    struct asking q = ask(t, a, c, "DELETE");

    q.body = delete_body(a, options ? options : &none);
    return answer(&q, out, e);
}
