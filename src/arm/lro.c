/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lro.c - the four protocols of long-running operations.
 *
 * Each has a function that reads the response to a poll. What they share is above them: states,
 * waiting, and responses that say nothing about the operation.
 */
#include "arm/lro.h"
#include "text/json/json.h"

/* ---- Reading responses. ---------------------------------------------------------------------- */

bool lro_state_ends(str state, bool *well)
{
    static const str good[] = {STR_INIT("Succeeded"), STR_INIT("Completed")};
    static const str bad[] = {STR_INIT("Failed"), STR_INIT("Canceled"), STR_INIT("Cancelled")};

    for (size_t i = 0; i < COUNT(good); i++)
        if ((*well = str_eq_fold(state, good[i])))
            return true;
    for (size_t i = 0; i < COUNT(bad); i++)
        if (str_eq_fold(state, bad[i]))
            return true;
    return false;
}

static struct value *body_of(struct arena *a, const struct arm_answer *answer)
{
    const struct read_options options = {.go = true};
    struct source *src = ARENA_NEW(a, struct source);
    struct value *v = NULL;

    src->text = answer->body;
    if (!str_trim(answer->body).len || !json_read(a, src, &options, &v, NULL))
        return NULL;
    return value_is(v, VALUE_OBJECT) ? v : NULL;
}

static str provisioning_state(const struct value *body)
{
    return value_get_str(value_get(body, STR("properties")), STR("provisioningState"));
}

static bool is_success(int http)
{
    return http >= 200 && http < 300;
}

/* Whether the response is about the server or the connection, not about the operation. */
static bool is_trouble(int http)
{
    static const int statuses[] = {0, 408, 429, 500, 502, 503, 504};

    for (size_t i = 0; i < COUNT(statuses); i++)
        if (statuses[i] == http)
            return true;
    return false;
}

/* "https://host[:port]" of a URL; empty when it is relative. */
static str url_origin(str url)
{
    size_t scheme = str_find(url, STR("://"));

    if (scheme == STR_NPOS)
        return STR_NONE;
    size_t slash = str_find_char(str_from(url, scheme + 3), '/');
    return slash == STR_NPOS ? url : str_slice(url, 0, scheme + 3 + slash);
}

static bool is_relative(str url)
{
    return !url_origin(url).len;
}

static bool is_delete(const struct lro *o)
{
    return str_eq(o->method, STR("DELETE"));
}

static void fail(struct arena *a, struct lro *o, const struct arm_answer *answer)
{
    o->next = LRO_FAILED;
    cloud_error_read(a, answer->http, answer->body, &o->error);
    o->error.retry_after = answer->retry_after;
}

/* ---- Waiting. -------------------------------------------------------------------------------- */

/* Without Retry-After: 5, 10, 20, then every 30 seconds. Half of all operations take 12. */
static int64_t own_wait(unsigned polls)
{
    return (polls < 3 ? 5 << polls : 30) * NS_PER_SEC;
}

/* Waits as long as the server says, or else own; a wait of 0 is ignored. */
static void wait_as_asked(struct lro *o, const struct arm_answer *answer, int64_t own)
{
    o->wait = answer->retry_after > 0 ? answer->retry_after : own;
    if (o->wait > LRO_WAIT_MAX)
        o->wait = LRO_WAIT_MAX;
}

static void go_on(struct lro *o, const struct arm_answer *answer)
{
    o->next = LRO_POLL;
    wait_as_asked(o, answer, own_wait(o->polls));
}

/* ---- Ends. ----------------------------------------------------------------------------------- */

/* The operation succeeded. If the response was the resource, its new state is known. */
static void succeed(struct lro *o, const struct arm_answer *answer, bool has_resource)
{
    o->next = has_resource || is_delete(o) ? LRO_DONE : LRO_READ;
    o->body = has_resource ? answer->body : STR_NONE;
    o->final_url = o->url;
    wait_as_asked(o, answer, 0);
}

/* The outcome is unknown: look at the resource itself. */
static void look(struct lro *o, const struct arm_answer *answer)
{
    o->next = LRO_READ;
    o->final_url = o->url;
    wait_as_asked(o, answer, 0);
}

/* Sets the state; returns whether it ends the operation, in which case o->next is set. */
static bool state_ends(struct arena *a, struct lro *o, const struct arm_answer *answer, str state,
                       bool has_resource)
{
    bool well;

    if (state.len)
        o->state = state;
    if (!lro_state_ends(state, &well))
        return false;
    if (well)
        succeed(o, answer, has_resource);
    else
        fail(a, o, answer);
    return true;
}

/* ---- Polls, one function per protocol. ------------------------------------------------------- */

static void step_async(struct arena *a, struct lro *o, const struct arm_answer *answer)
{
    const struct value *body = body_of(a, answer);
    str state = value_get_str(body, STR("status"));

    if (answer->http == 404) {
        look(o, answer);
        return;
    }
    if (!is_success(answer->http)) {
        fail(a, o, answer);
        return;
    }
    if (state_ends(a, o, answer, state, false)) {
        str at = value_get_str(body, STR("resourceLocation"));
        if (o->protocol == LRO_OPERATION && o->next == LRO_READ && !is_relative(at))
            o->final_url = at;
        return;
    }
    if (!state.len)
        look(o, answer);
    else
        go_on(o, answer);
}

static void step_location(struct arena *a, struct lro *o, const struct arm_answer *answer)
{
    str state = provisioning_state(body_of(a, answer));

    if (answer->location.len && !is_relative(answer->location))
        o->poll_url = answer->location;
    if (is_success(answer->http) && state_ends(a, o, answer, state, false)) {
        /* A resource that reports success while being deleted still exists. */
        if (is_delete(o) && o->next == LRO_DONE)
            look(o, answer);
    } else if (answer->http == 202) {
        go_on(o, answer);
    } else if (is_success(answer->http)) {
        succeed(o, answer, false);
    } else if (answer->http == 404) {
        look(o, answer);
    } else {
        fail(a, o, answer);
    }
}

static void step_resource(struct arena *a, struct lro *o, const struct arm_answer *answer)
{
    const struct value *body = body_of(a, answer);
    str state = provisioning_state(body);

    if (!is_success(answer->http))
        fail(a, o, answer);
    else if (state_ends(a, o, answer, state, true))
        return;
    else if (state.len)
        go_on(o, answer);
    else
        succeed(o, answer, body != NULL);
}

void lro_step(struct arena *a, struct lro *o, const struct arm_answer *answer)
{
    static void (*const steps[])(struct arena *, struct lro *, const struct arm_answer *) = {
        [LRO_ASYNC] = step_async,
        [LRO_OPERATION] = step_async,
        [LRO_LOCATION] = step_location,
        [LRO_RESOURCE] = step_resource,
    };

    o->polls++;
    if (!is_trouble(answer->http)) {
        o->trouble = 0;
        steps[o->protocol](a, o, answer);
    } else if (++o->trouble > LRO_TROUBLE_MAX) {
        fail(a, o, answer);
    } else {
        go_on(o, answer);
    }
}

bool lro_stay_home(struct lro *o)
{
    if (str_eq(o->method, STR("PUT")) || str_eq(o->method, STR("PATCH"))) {
        o->protocol = LRO_RESOURCE;
        o->poll_url = o->url;
        return true;
    }
    o->next = LRO_READ;
    o->final_url = o->url;
    return is_delete(o);
}

/* ---- The first response. --------------------------------------------------------------------- */

/* A path refers to the host of the request. */
static str absolute(struct arena *a, const struct lro *o, str url)
{
    return is_relative(url) ? str_concat(a, url_origin(o->url), url) : url;
}

static bool choose(struct arena *a, struct lro *o, const struct arm_answer *first)
{
    if (first->async_operation.len) {
        o->protocol = LRO_ASYNC;
        o->poll_url = absolute(a, o, first->async_operation);
    } else if (first->operation_location.len) {
        o->protocol = LRO_OPERATION;
        o->poll_url = absolute(a, o, first->operation_location);
    } else if (first->location.len && !(first->http == 201 && is_relative(first->location))) {
        o->protocol = LRO_LOCATION;
        o->poll_url = absolute(a, o, first->location);
    } else {
        return false;
    }
    return true;
}

/* Without a header that says where to poll, there is only the response, or the resource. */
static void begin_without_header(struct arena *a, struct lro *o, const struct arm_answer *first)
{
    const struct value *body = body_of(a, first);
    str state = provisioning_state(body);
    bool writes = str_eq(o->method, STR("PUT")) || str_eq(o->method, STR("PATCH"));

    if (!writes && first->http == 202) {
        look(o, first);
        return;
    }
    if (writes && first->http != 202 && state_ends(a, o, first, state, true))
        return;
    /*
     * This includes 201, where a relative Location names the resource: it exists, and some of these
     * cannot be read. The reference operator polls, or fails and writes again.
     */
    if (!writes || (first->http != 202 && !state.len)) {
        succeed(o, first, body != NULL);
        return;
    }
    o->protocol = LRO_RESOURCE;
    o->poll_url = o->url;
    go_on(o, first);
}

void lro_begin(struct arena *a, struct lro *o, str method, str url, const struct arm_answer *first)
{
    const struct value *body;
    str state;

    *o = (struct lro){.method = method, .url = url, .state = STR("InProgress")};
    if (is_delete(o) && first->http == 404) {
        succeed(o, first, false); /* deleted already */
        return;
    }
    if (!is_success(first->http)) {
        fail(a, o, first);
        return;
    }
    if (!choose(a, o, first)) {
        begin_without_header(a, o, first);
        return;
    }
    body = body_of(a, first);
    state = o->protocol == LRO_OPERATION ? value_get_str(body, STR("status"))
                                         : provisioning_state(body);
    if (!state_ends(a, o, first, state, o->protocol != LRO_OPERATION))
        go_on(o, first);
}
