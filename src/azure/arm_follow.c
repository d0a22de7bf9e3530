/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arm_follow.c - what takes more than one request: operations and lists.
 */
#include "azure/arm_internal.h"

#include "text/json.h"
#include "text/url.h"

/* A resource whose deletion was accepted without a way to follow it is looked at so often. */
#define GONE_LOOKS 40
#define GONE_WAIT (15 * NS_PER_SEC)

/* ---- Operations. ---- */

struct arm_answer arm_answer_of(const struct arm_result *r)
{
    return (struct arm_answer){
        .http = r->status,
        .body = r->body,
        .async_operation = http_header_get(&r->headers, STR("Azure-AsyncOperation")),
        .operation_location = http_header_get(&r->headers, STR("Operation-Location")),
        .location = http_header_get(&r->headers, STR("Location")),
        .retry_after = r->retry_after};
}

static struct arm_call reading(const struct arm_call *call)
{
    struct arm_call get = *call;

    get.method = STR("GET");
    get.body = get.action = STR_NONE;
    return get;
}

/* Until it is gone; nobody says when. */
static bool wait_until_gone(struct arm *m, struct arena *a, const struct arm_call *call,
                            struct arm_result *result, struct err *e)
{
    const struct arm_call get = reading(call);

    for (int looks = 0; looks < GONE_LOOKS; looks++) {
        if (looks && !call_wait(call, GONE_WAIT, e))
            return false;
        if (!arm_send(m, a, &get, result, e)) {
            if (result->status != 404)
                return false;
            if (e)
                err_clear(e);
            return true;
        }
    }
    return err_set(e, ERR_IO, "the deletion was accepted, but the resource is still there");
}

/* The operation has an end that needs another look, or that is bad. */
static bool conclude(struct arm *m, struct arena *a, const struct arm_call *call, struct lro *o,
                     struct arm_result *result, struct err *e)
{
    const struct arm_call get = reading(call);

    if (o->next == LRO_FAILED) {
        result->error = o->error;
        result->verdict = (struct error_verdict){0};
        return arm_refused(m, a, call, result, e);
    }
    /* Whoever says Retry-After at the end, too, is not asked before. */
    if (o->next == LRO_READ && o->wait > 0)
        return true;
    if (o->next == LRO_READ) {
        if (str_eq(call->method, STR("DELETE"))) {
            if (!wait_until_gone(m, a, call, result, e))
                return false;
        } else if (!arm_send(m, a, &get, result, e)) {
            return err_wrap(e, "reading what the operation made");
        }
        o->next = LRO_DONE;
        o->body = result->body;
    }
    if (o->next == LRO_DONE) {
        result->body = o->body;
        result->verdict = (struct error_verdict){0};
    }
    return true;
}

/* Whether the address to be polled may be, or need not be. */
static bool stay_home(struct arm *m, struct lro *o, struct err *e)
{
    if (o->next != LRO_POLL || lro_is_home(o->poll_url, m->settings->cloud.endpoint) ||
        lro_stay_home(o))
        return true;
    return arm_check_home(m, o->poll_url, "the address of the operation", e);
}

bool arm_begin(struct arm *m, struct arena *a, const struct arm_call *call, struct lro *operation,
               struct arm_result *result, struct err *e)
{
    str url = arm_url(m, a, call);
    struct arm_answer first;

    if (!arm_exchange(m, a, call, url, false, result, e))
        return false;
    first = arm_answer_of(result);
    lro_begin(a, operation, call->method, url, &first);
    return stay_home(m, operation, e) && conclude(m, a, call, operation, result, e);
}

bool arm_resume(struct arm *m, struct arena *a, const struct arm_call *call, str token,
                struct lro *operation, struct err *e)
{
    if (!lro_resume(a, token, call->method, m->settings->cloud.endpoint, operation, e))
        return false;
    /* Two of the protocols do not keep it. */
    if (!operation->url.len)
        operation->url = arm_url(m, a, call);
    return true;
}

bool arm_poll(struct arm *m, struct arena *a, const struct arm_call *call, struct lro *operation,
              struct arm_result *result, struct err *e)
{
    struct arm_call get = reading(call);
    struct arm_answer answer = {.retry_after = -1};
    AUTO_ERR failure = {0};

    assert(operation->next == LRO_POLL || operation->next == LRO_READ);
    if (operation->next == LRO_READ) {
        operation->wait = 0;
        return conclude(m, a, call, operation, result, e);
    }
    if (!arm_check_home(m, operation->poll_url, "the address of the operation", e))
        return false;
    if (get.priority == BUDGET_USER)
        get.priority = BUDGET_POLL;
    if (arm_exchange(m, a, &get, operation->poll_url, true, result, &failure))
        answer = arm_answer_of(result);
    else if (failure.kind != ERR_IO)
        return err_copy(e, &failure);
    lro_step(a, operation, &answer);
    return stay_home(m, operation, e) && conclude(m, a, call, operation, result, e);
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
    struct source *src = ARENA_NEW(a, struct source);
    struct arm_result result;
    struct value *root, *list;
    str next;

    if (!arm_exchange(m, a, call, *url, false, &result, e) ||
        (result.verdict.retry && !arm_refused(m, a, call, &result, e)))
        return false;
    src->file = *url;
    src->text = result.body;
    if (!json_read(a, src, NULL, &root, e))
        return err_wrap(e, "a page of the list");
    list = value_get(root, STR("value"));
    if (!value_is(list, VALUE_LIST))
        return err_set(e, ERR_INVALID, "the answer of %.*s has no list", STR_ARG(*url));
    for (size_t i = 0; i < value_len(list); i++)
        value_add(a, items, value_at(list, i));
    next = value_get_str(root, STR("nextLink"));
    if (str_eq(next, *url))
        return err_set(e, ERR_INVALID, "the next page of %.*s is itself", STR_ARG(*url));
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
