/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow.c - what takes more than one request: operations and lists.
 */
#include "arm/arm_internal.h"
#include "arm/operation.h"

#include "text/json/json.h"
#include "text/url.h"
#include "net/redact.h"

/* ---- Operations. ---- */

struct arm_answer arm_answer_of(const struct arm_result *r)
{
    return (struct arm_answer){
        .http = r->status,
        .body = r->body,
        .async_operation = http_header_get(&r->headers, STR("Azure-AsyncOperation")),
        .operation_location = http_header_get(&r->headers, STR("Operation-Location")),
        .location = http_header_get(&r->headers, STR("Location")),
        .retry_after = r->retry_after,
        .request_id = http_header_get(&r->headers, STR("x-ms-request-id"))};
}

static struct arm_call reading(const struct arm_call *call)
{
    struct arm_call get = *call;

    get.method = STR("GET");
    get.body = get.action = STR_NONE;
    return get;
}

static struct operation_about about(struct arm *m, struct arena *a, const struct arm_call *call)
{
    const struct arm_call get = reading(call);

    return (struct operation_about){.method = call->method,
                                    .url = arm_url(m, a, call),
                                    .resource = arm_url(m, a, &get),
                                    .endpoint = m->settings->cloud.endpoint,
                                    .priority = call->priority};
}

static bool failed(struct arm *m, struct arena *a, const struct arm_call *call,
                   const struct operation *o, const struct operation_step *step,
                   struct arm_result *result, struct err *e)
{
    const struct arm_call get = reading(call);

    if (!step->error.http && step->why.len)
        return err_set_str(e, step->kind, step->why);
    result->error = step->error;
    result->verdict = (struct error_verdict){0};
    (void)arm_refused(m, a, o->reads ? &get : call, result, e);
    if (o->reads && !str_eq(call->method, STR("DELETE")))
        return err_wrap(e, "reading what the operation made");
    return false;
}

/* Asks what the step says and takes the answer. */
static bool ask(struct arm *m, struct arena *a, const struct arm_call *call, struct operation *o,
                struct operation_step *step, struct arm_result *result, struct err *e)
{
    struct arm_call get = reading(call);
    struct arm_answer answer = {.retry_after = -1};
    AUTO_ERR failure = {0};

    get.priority = step->priority;
    if (arm_exchange(m, a, &get, step->url, step->poll, result, &failure))
        answer = arm_answer_of(result);
    else if (!step->poll || failure.kind != ERR_IO)
        return err_copy(e, &failure);
    operation_step(a, o, &answer, step);
    return true;
}

/*
 * Goes on while only the resource is left to be looked at. Whoever says Retry-After at the end,
 * too, is not asked before.
 */
static bool conclude(struct arm *m, struct arena *a, const struct arm_call *call,
                     struct operation *o, struct operation_step *step, struct arm_result *result,
                     struct err *e)
{
    while (step->next == OPERATION_ASK && o->reads && (o->looks || step->wait <= 0))
        if (!call_wait(call, step->wait, e) || !ask(m, a, call, o, step, result, e))
            return false;
    if (step->next == OPERATION_FAILED)
        return failed(m, a, call, o, step, result, e);
    if (step->next == OPERATION_DONE) {
        result->body = step->text;
        result->verdict = (struct error_verdict){0};
    }
    return true;
}

bool arm_begin(struct arm *m, struct arena *a, const struct arm_call *call, struct lro *operation,
               struct arm_result *result, struct err *e)
{
    const struct operation_about what = about(m, a, call);
    struct operation_step step;
    struct operation o;
    struct arm_answer first;
    bool ok;

    if (!arm_exchange(m, a, call, what.url, false, result, e))
        return false;
    first = arm_answer_of(result);
    operation_begin(a, &o, &what, &first, &step);
    ok = conclude(m, a, call, &o, &step, result, e);
    *operation = o.lro;
    return ok;
}

bool arm_resume(struct arm *m, struct arena *a, const struct arm_call *call, str token,
                struct lro *operation, struct err *e)
{
    const struct operation_about what = about(m, a, call);
    struct operation_step step;
    struct operation o;

    if (!operation_resume(a, &o, &what, token, &step, e))
        return false;
    *operation = o.lro;
    return true;
}

bool arm_poll(struct arm *m, struct arena *a, const struct arm_call *call, struct lro *operation,
              struct arm_result *result, struct err *e)
{
    const struct operation_about what = about(m, a, call);
    struct operation_step step;
    struct operation o;
    bool ok;

    assert(operation->next == LRO_POLL || operation->next == LRO_READ);
    operation->wait = 0;
    operation_take_up(a, &o, &what, operation, &step);
    ok = (step.next != OPERATION_ASK || o.reads || ask(m, a, call, &o, &step, result, e)) &&
         conclude(m, a, call, &o, &step, result, e);
    *operation = o.lro;
    return ok;
}

bool arm_follow(struct arm *m, struct arena *a, const struct arm_call *call, struct lro *operation,
                struct arm_result *result, struct err *e)
{
    while (operation->next == LRO_POLL || operation->next == LRO_READ)
        if (!call_wait(call, operation->wait, e) || !arm_poll(m, a, call, operation, result, e))
            return false;
    return true;
}

/* ---- Lists. ---- */

static bool read_page(struct arm *m, struct arena *a, const struct arm_call *call, str *url,
                      struct value *items, struct err *e)
{
    static const struct read_options options = {.duplicates = DUPLICATE_ERROR};
    struct source *src = ARENA_NEW(a, struct source);
    struct arm_result result;
    struct value *root, *list, *link;
    str next;

    if (!arm_exchange(m, a, call, *url, false, &result, e) ||
        (result.verdict.retry && !arm_refused(m, a, call, &result, e)))
        return false;
    src->file = *url;
    src->text = result.body;
    if (!json_read(a, src, &options, &root, e))
        return err_wrap(e, "a page of the list");
    list = value_get(root, STR("value"));
    if (!value_is(list, VALUE_LIST))
        return err_set(e, ERR_INVALID, "the answer of %.*s has no list",
                       STR_ARG(redact_url(a, *url)));
    for (size_t i = 0; i < value_len(list); i++)
        value_add(a, items, value_at(list, i));
    link = value_get(root, STR("nextLink"));
    next = value_str(link);
    if (link && link->kind != VALUE_NULL && link->kind != VALUE_STRING)
        return err_set(e, ERR_INVALID, "\"nextLink\" of %.*s is not a string", STR_ARG(*url));
    if (str_eq(next, *url))
        return err_set(e, ERR_INVALID, "the next page of %.*s is itself",
                       STR_ARG(redact_url(a, *url)));
    *url = next;
    return !next.len || arm_check_home(m, next, "the link to the next page", e);
}

bool arm_list(struct arm *m, struct arena *a, const struct arm_call *call, struct value **items,
              struct err *e)
{
    struct arm_call get = *call;
    str url = arm_url(m, a, call);

    get.method = STR("GET");
    *items = value_list(a);
    for (size_t pages = 0; url.len; pages++) {
        if (pages == ARM_PAGES_MAX)
            return err_set(e, ERR_LIMIT, "the list has more than %d pages", ARM_PAGES_MAX);
        if (!read_page(m, a, &get, &url, *items, e))
            return false;
    }
    return true;
}
