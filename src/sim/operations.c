/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operations.c - long-running operations. An operation is over when it has been polled often
 * enough, or after the time in which a patient client would have done so. So an impatient client
 * waits no longer than a patient one, and an operation that nobody polls ends as well.
 *
 * Poll URLs are signed: h is a hash of everything before it, and altered queries are rejected.
 */
#include "sim/internal.h"

#include "text/codec.h"
#include "text/url.h"

#include <openssl/sha.h>
#include <string.h>

/* The default time between polls. */
#define USUAL_RETRY 10

static bool is_over(const struct sim *s, const struct sim_operation *o)
{
    return o->outcome != OUTCOME_RUNNING || o->polls >= o->answer.polls || sim_now(s) >= o->ends;
}

bool sim_is_busy(const struct sim *s, const struct sim_resource *r)
{
    return r->operation && !is_over(s, r->operation);
}

bool sim_is_gone(const struct sim *s, const struct sim_resource *r)
{
    for (; r; r = r->parent) {
        const struct sim_operation *o = r->operation;
        if (o && o->deletes && !o->code.len && is_over(s, o))
            return true;
    }
    return false;
}

/* The Retry-After of the answer after this many polls; 0: none. */
static int64_t retry_after(const struct sim_answer *answer, int64_t polls)
{
    size_t i = (size_t)polls;

    if (!answer->retry_count)
        return 0;
    return answer->retry_after[i < answer->retry_count ? i : answer->retry_count - 1];
}

/* How long a patient client waits for the end. */
static int64_t duration(const struct sim_answer *answer)
{
    int64_t seconds = 0;

    for (int64_t i = 0; i < answer->polls; i++) {
        int64_t wait = retry_after(answer, i);
        seconds += wait ? wait : USUAL_RETRY;
    }
    return seconds * NS_PER_SEC;
}

/* ---- Birth and death. -------------------------------------------------------------------------
 */

static void operation_free(struct sim_operation *o)
{
    str *const texts[] = {&o->node.key, &o->target,       &o->code,
                          &o->message,  &o->answer.state, &o->answer.running};

    for (size_t i = 0; i < COUNT(texts); i++)
        sim_keep(texts[i], STR_NONE);
    block_free(o);
}

void sim_operation_forget(struct sim *s, struct sim_operation *o)
{
    if (o->older)
        o->older->newer = o->newer;
    else
        s->oldest = o->newer;
    if (o->newer)
        o->newer->older = o->older;
    else
        s->newest = o->older;
    sim_database_fact(s->database, "operation", o->node.key, STR_NONE);
    table_drop(s->operations, &o->node);
    operation_free(o);
}

static void set_failed(struct sim_call *c, struct sim_resource *r)
{
    struct value *body = sim_parse(c->arena, r->body);
    struct value *properties = value_get(body, STR("properties"));

    if (value_is(properties, VALUE_OBJECT))
        value_set_str(c->arena, properties, STR("provisioningState"), STR("Failed"));
    sim_keep(&r->body, sim_json(c->arena, body));
    sim_store_changed(c->sim->store, r);
}

/* Ends an operation. Its resource may be gone by now, or afterwards. */
static void finish(struct sim_call *c, struct sim_operation *o)
{
    struct sim_resource *r = sim_store_find(c->arena, c->sim->store, o->target);
    bool failed = o->code.len > 0;

    if (o->outcome != OUTCOME_RUNNING)
        return;
    o->outcome = failed ? OUTCOME_FAILED : OUTCOME_SUCCEEDED;
    o->ends = sim_now(c->sim);
    sim_keep_operation(c->sim, c->arena, o);
    if (!r || r->operation != o)
        return;
    r->operation = NULL;
    if (o->deletes && !failed) {
        sim_soft_delete(c, r);
        sim_store_remove(c->sim->store, r);
    } else if (failed && o->creates && o->answer.poller != POLLER_BODY) {
        sim_store_remove(c->sim->store, r);
    } else if (failed && !o->deletes) {
        set_failed(c, r);
    }
}

static void forget_oldest(struct sim_call *c)
{
    while (table_len(c->sim->operations) >= SIM_OPERATIONS_MAX) {
        struct sim_operation *o = c->sim->oldest;
        finish(c, o);
        sim_operation_forget(c->sim, o);
    }
}

struct sim_operation *sim_operation_add(struct sim *s, str id)
{
    struct sim_operation *o = block_new(sizeof *o);

    memset(o, 0, sizeof *o);
    sim_keep(&o->node.key, id);
    str key = o->node.key;
    table_add(s->operations, &o->node, key);
    o->older = s->newest;
    if (o->older)
        o->older->newer = o;
    else
        s->oldest = o;
    s->newest = o;
    return o;
}

struct sim_operation *sim_operation_start(struct sim_call *c, struct sim_resource *r,
                                          const struct sim_answer *answer, bool deletes,
                                          bool creates)
{
    int64_t slowness = sim_faults_slowness(c);
    str code, message;

    forget_oldest(c);
    struct sim_operation *o = sim_operation_add(c->sim, sim_guid(c->sim, c->arena));
    o->answer = *answer;
    if (c->sim->config.quick) {
        o->answer.retry_after[0] = o->answer.retry_count = 1;
        o->answer.polls = o->answer.polls > 1 ? 1 : o->answer.polls;
    }
    o->answer.state = STR_NONE;
    sim_keep(&o->answer.state, answer->state.len ? answer->state
                               : deletes         ? STR("Deleting")
                               : creates         ? STR("Creating")
                                                 : STR("Updating"));
    o->answer.running = STR_NONE;
    sim_keep(&o->answer.running, answer->running.len ? answer->running : STR("InProgress"));
    o->answer.polls *= slowness;
    o->deletes = deletes;
    o->creates = creates;
    o->started = sim_now(c->sim);
    o->ends = o->started + duration(&o->answer);
    sim_keep(&o->target, r ? r->node.key : STR_NONE);
    if (sim_faults_operation(c, &code, &message)) {
        sim_keep(&o->code, code);
        sim_keep(&o->message, message);
    }
    if (r && r->operation) {
        r->operation->outcome = OUTCOME_SUCCEEDED;
        sim_keep_operation(c->sim, c->arena, r->operation);
    }
    if (r)
        r->operation = o;
    sim_keep_operation(c->sim, c->arena, o);
    return o;
}

bool sim_settle(struct sim_call *c, struct sim_resource *r, bool poll)
{
    for (struct sim_resource *up = r->parent; up; up = up->parent)
        if (up->operation && is_over(c->sim, up->operation)) {
            bool gone = up->operation->deletes && !up->operation->code.len;
            finish(c, up->operation);
            if (gone)
                return false;
        }
    struct sim_operation *o = r->operation;
    if (!o)
        return true;
    if (!is_over(c->sim, o)) {
        o->polls += poll;
        if (poll)
            sim_keep_operation(c->sim, c->arena, o);
        return true;
    }
    finish(c, o);
    return o->outcome == OUTCOME_SUCCEEDED ? !o->deletes
                                           : !(o->creates && o->answer.poller != POLLER_BODY);
}

/* ---- URLs. ------------------------------------------------------------------------------------
 */

static str signature(struct sim_call *c, str path, str query)
{
    unsigned char sum[SHA256_DIGEST_LENGTH];
    str text = str_fmt(c->arena, "%llu|%.*s?%.*s", (unsigned long long)c->sim->config.seed,
                       STR_ARG(path), STR_ARG(query));

    SHA256((const unsigned char *)text.ptr, text.len, sum);
    return hex_encode(c->arena, sum, sizeof sum);
}

static str poll_path(struct sim_call *c, const struct sim_operation *o, const char *collection)
{
    struct arena *a = c->arena;
    str provider = c->id.block_count ? c->id.blocks[c->id.block_count - 1].provider : STR_NONE;
    str sub = c->id.subscription, id = o->node.key;
    str location = value_get_str(c->body, STR("location"));

    if (strcmp(c->kind, "poll") == 0)
        return c->q->path;
    if (!location.len)
        location = STR("westus2");
    if (!provider.len)
        return str_lower(
            a, str_fmt(a, "/subscriptions/%.*s/%s/%.*s", STR_ARG(sub), collection, STR_ARG(id)));
    return str_lower(a, str_fmt(a, "%s%.*s/providers/%.*s/locations/%.*s/%s/%.*s",
                                sub.len ? "/subscriptions/" : "", STR_ARG(sub), STR_ARG(provider),
                                STR_ARG(location), collection, STR_ARG(id)));
}

static str poll_url(struct sim_call *c, const struct sim_operation *o, const char *collection)
{
    struct arena *a = c->arena;
    str path = poll_path(c, o, collection);
    str query = str_fmt(a, "api-version=%.*s&t=%lld&c=%.*s&s=%.*s", STR_ARG(c->api_version),
                        (long long)(o->started / 100), STR_ARG(signature(c, path, STR("c"))),
                        STR_ARG(signature(c, path, STR("s"))));
    struct buf url = buf_new(a, BUF_UNLIMITED);
    buf_add(&url, c->q->base);
    for (size_t i = 0; i < path.len; i++)
        if (path.ptr[i] == ' ')
            buf_add(&url, STR("%20"));
        else
            buf_char(&url, path.ptr[i]);
    buf_fmt(&url, "?%.*s&h=%.*s", STR_ARG(query), STR_ARG(signature(c, path, query)));
    return buf_str(&url);
}

/* Whether the query is signed by us. */
static bool is_signed(struct sim_call *c)
{
    str query = c->q->query;
    size_t amp = str_rfind_char(query, '&');

    if (amp == STR_NPOS)
        return false;
    str hash = str_without_prefix(str_from(query, amp), STR("&h="));
    return str_eq(hash, signature(c, str_lower(c->arena, c->q->path), str_slice(query, 0, amp)));
}

static void retry_header(struct sim_call *c, const struct sim_operation *o)
{
    int64_t wait = retry_after(&o->answer, o->polls);

    if (wait)
        sim_header(c, "Retry-After", str_fmt(c->arena, "%lld", (long long)wait));
}

void sim_operation_headers(struct sim_call *c, const struct sim_operation *o)
{
    if (o->answer.poller == POLLER_ASYNC)
        sim_header(c, "Azure-AsyncOperation", poll_url(c, o, "operations"));
    if (o->answer.poller == POLLER_LOCATION || o->answer.location)
        sim_header(c, "Location", poll_url(c, o, "operationResults"));
    retry_header(c, o);
}

/* ---- Polls. -----------------------------------------------------------------------------------
 */

/* The status of an operation: the states that it goes through, or its result. */
static str status_of(const struct sim_operation *o)
{
    str rest = o->answer.running, state = rest;
    int64_t count = (int64_t)str_count_char(rest, '\n') + 1, done = o->polls > 0 ? o->polls - 1 : 0;

    if (o->outcome != OUTCOME_RUNNING)
        return o->outcome == OUTCOME_SUCCEEDED ? STR("Succeeded") : STR("Failed");
    for (int64_t at = 0; rest.len && at * o->answer.polls <= done * count; at++)
        str_cut(rest, STR("\n"), &state, &rest);
    return state;
}

static void add_error(struct arena *a, struct value *v, const struct sim_operation *o)
{
    if (o->outcome != OUTCOME_FAILED) {
        value_set(a, v, STR("error"), value_null(a));
        return;
    }
    struct value *error = value_set(a, v, STR("error"), value_object(a));
    value_set_str(a, error, STR("code"), o->code);
    value_set_str(a, error, STR("message"), o->message);
}

static void add_progress(struct arena *a, struct value *v, const struct sim_operation *o,
                         int64_t members)
{
    int64_t polls = o->answer.polls > 0 ? o->answer.polls : 1;
    int64_t percent = o->outcome == OUTCOME_RUNNING ? o->polls * 100 / (polls + 1) : 100;

    if (members & OPERATION_PERCENT)
        value_set_int(a, v, STR("percentComplete"), percent);
    if (members & OPERATION_PROPERTIES)
        value_set(a, v, STR("properties"), value_null(a));
    if ((members & OPERATION_ERROR) || o->outcome == OUTCOME_FAILED)
        add_error(a, v, o);
}

struct value *sim_operation_body(struct sim_call *c, const struct sim_operation *o)
{
    struct arena *a = c->arena;
    struct value *v = value_object(a);
    int64_t members = o->answer.members & OPERATION_GIVEN
                          ? o->answer.members
                          : OPERATION_NAME | OPERATION_START | OPERATION_END;

    if (members & OPERATION_ID)
        value_set_str(a, v, STR("id"), poll_path(c, o, "operations"));
    if (members & OPERATION_NAME)
        value_set_str(a, v, STR("name"), o->node.key);
    if (members & OPERATION_RESOURCE)
        value_set_str(a, v, STR("resourceId"), o->target);
    value_set_str(a, v, STR("status"), status_of(o));
    if (members & OPERATION_START)
        value_set_str(a, v, STR("startTime"), sim_stamp(a, o->started));
    if ((members & OPERATION_END) && o->outcome != OUTCOME_RUNNING)
        value_set_str(a, v, STR("endTime"), sim_stamp(a, o->ends));
    add_progress(a, v, o, members);
    return v;
}

/* Answers with the result of a finished operation, as its Location shows it. */
static void reply_result(struct sim_call *c, const struct sim_operation *o)
{
    struct sim_resource *r = sim_store_find(c->arena, c->sim->store, o->target);

    int usual = o->deletes && c->id.block_count ? 204 : 200;

    if (o->outcome == OUTCOME_FAILED)
        sim_refuse(c, 409, str_z(c->arena, o->code), "%.*s", STR_ARG(o->message));
    else
        sim_reply(c, o->answer.result ? o->answer.result : usual,
                  o->deletes || !r ? NULL : sim_parse(c->arena, r->body));
}

static void reply_poll(struct sim_call *c, struct sim_operation *o, bool location)
{
    bool over = is_over(c->sim, o);

    if (over) {
        finish(c, o);
    } else {
        o->polls++;
        sim_keep_operation(c->sim, c->arena, o);
    }
    if (!location) {
        sim_reply(c, !over && o->answer.poll_status ? o->answer.poll_status : 200,
                  sim_operation_body(c, o));
        if (!over)
            retry_header(c, o);
    } else if (over) {
        reply_result(c, o);
    } else {
        sim_reply(c, 202, NULL);
        sim_header(c, "Location",
                   str_fmt(c->arena, "%.*s%.*s?%.*s", STR_ARG(c->q->base), STR_ARG(c->q->path),
                           STR_ARG(c->q->query)));
        retry_header(c, o);
    }
}

bool sim_poll(struct sim_call *c)
{
    size_t slash = str_rfind_char(c->q->path, '/');
    str head = str_slice(c->q->path, 0, slash == STR_NPOS ? 0 : slash);
    str collection = str_from(head, str_rfind_char(head, '/') + 1);
    bool location = str_eq_fold(collection, STR("operationResults"));

    if (!location && !str_eq_fold(collection, STR("operations")))
        return false;
    if (!str_eq(c->q->method, STR("GET")))
        return false;
    c->kind = "poll";
    c->sim->counters.polls++;
    struct sim_operation *o = (struct sim_operation *)table_find(
        c->sim->operations, str_lower(c->arena, str_from(c->q->path, slash + 1)));
    if (!is_signed(c))
        sim_refuse(c, 403, "InvalidOperationUrl",
                   "The query of this operation was altered: use the URL as it was given.");
    else if (!o)
        sim_refuse(c, 404, "OperationNotFound", "There is no such operation.");
    else
        reply_poll(c, o, location);
    return true;
}
