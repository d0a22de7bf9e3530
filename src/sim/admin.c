/* SPDX-License-Identifier: Apache-2.0 */
/*
 * admin.c - paths below /_sim/, which control the simulator itself.
 *
 *     GET    /_sim/log[?last=N]     the exchanges so far
 *     DELETE /_sim/log
 *     GET    /_sim/assert           counters
 *     POST   /_sim/assert           {"writes": 3, "noopWrites": {"max": 0}}: 200, or 409 and why
 *     DELETE /_sim/assert           sets the counters to 0
 *     POST   /_sim/change           {"id", "at", "value", "by"}: as somebody else
 *     GET    /_sim/faults           the remaining ones
 *     POST   /_sim/faults           a fault, or a plan; JSON or YAML
 *     DELETE /_sim/faults
 *     GET    /_sim/time
 *     POST   /_sim/time?advance=90s
 *     POST   /_sim/reset            resets everything
 *     GET    /_sim/resources        ids of all resources
 *     GET    /_sim/                 the list of these
 *
 * Web pages that are open on the same machine can send requests here, too, and must not be able to
 * reset anything: their requests have an Origin and a Host header, which are checked (allowed).
 *
 * To add one: a handler, and a line in the table at the end.
 */
#include "sim/internal.h"

#include "go/time.h"
#include "net/proxy.h"
#include "text/json/json.h"
#include "text/url.h"

/* Far beyond any useful time. */
#define TIME_MAX (INT64_C(36500) * 86400 * NS_PER_SEC)

/* ---- Counters. --------------------------------------------------------------------------------
 */

const struct sim_place sim_counters[SIM_COUNTERS] = {
    {"requests", offsetof(struct sim_counters, requests)},
    {"reads", offsetof(struct sim_counters, reads)},
    {"writes", offsetof(struct sim_counters, writes)},
    {"deletes", offsetof(struct sim_counters, deletes)},
    {"actions", offsetof(struct sim_counters, actions)},
    {"polls", offsetof(struct sim_counters, polls)},
    {"noopWrites", offsetof(struct sim_counters, noop_writes)},
    {"throttled", offsetof(struct sim_counters, throttled)},
    {"refused", offsetof(struct sim_counters, refused)},
    {"dropped", offsetof(struct sim_counters, dropped)},
};

/* The number of a counter; NULL: there is none of that name. */
static const int64_t *counter(struct sim_call *c, str name)
{
    for (size_t i = 0; i < SIM_COUNTERS; i++)
        if (str_eq(name, str_c(sim_counters[i].name)))
            return (int64_t *)((char *)&c->sim->counters + sim_counters[i].offset);
    return NULL;
}

static void get_counters(struct sim_call *c)
{
    struct value *v = value_object(c->arena);

    for (size_t i = 0; i < SIM_COUNTERS; i++) {
        str name = str_c(sim_counters[i].name);
        value_set_int(c->arena, v, name, *counter(c, name));
    }
    sim_reply(c, 200, v);
}

static void reset_counters(struct sim_call *c)
{
    c->sim->counters = (struct sim_counters){0};
    sim_reply(c, 204, NULL);
}

/* A number, or {"min", "max"}. Violations are added to failures. */
static void check_counter(struct sim_call *c, const struct value *want, struct value *failures)
{
    int64_t min = INT64_MIN, max = INT64_MAX;
    const struct value *low = value_get(want, STR("min")), *high = value_get(want, STR("max"));
    const int64_t *n = counter(c, value_key(want));
    bool readable = value_is(want, VALUE_OBJECT)
                        ? (!low || value_to_i64(low, &min)) && (!high || value_to_i64(high, &max))
                        : value_to_i64(want, &min) && value_to_i64(want, &max);

    if (n && readable && *n >= min && *n <= max)
        return;
    value_add(
        c->arena, failures,
        value_string(
            c->arena,
            !n ? str_fmt(c->arena, "there is no counter %.*s", STR_ARG(value_key(want)))
            : !readable
                ? str_fmt(c->arena, "%.*s: a number, or min and max", STR_ARG(value_key(want)))
                : str_fmt(c->arena, "%.*s is %lld, wanted is %.*s", STR_ARG(value_key(want)),
                          (long long)*n, STR_ARG(sim_json(c->arena, want)))));
}

static void check_counters(struct sim_call *c)
{
    struct value *failures = value_list(c->arena), *answer = value_object(c->arena), *want;
    struct source src = {.text = c->q->body};
    AUTO_ERR e = {0};

    if (!json_read(c->arena, &src, NULL, &want, &e) || !value_is(want, VALUE_OBJECT)) {
        sim_refuse(c, 400, "InvalidAssertion", "an object of counters is wanted: %.*s",
                   STR_ARG(e.text));
        return;
    }
    for (size_t i = 0; i < want->len; i++)
        check_counter(c, &want->items[i], failures);
    value_set(c->arena, answer, STR("failures"), failures);
    sim_reply(c, failures->len ? 409 : 200, answer);
}

/* ---- Log, faults, time, resources. ------------------------------------------------------------
 */

static void get_log(struct sim_call *c)
{
    uint64_t last = 0;

    if (!str_to_u64(sim_query(c, "last"), &last))
        last = 0;
    sim_reply(c, 200, sim_log_list(c->sim->log, c->arena, last));
}

static void clear_log(struct sim_call *c)
{
    sim_log_clear(c->sim->log);
    sim_reply(c, 204, NULL);
}

static void get_faults(struct sim_call *c)
{
    sim_reply(c, 200, sim_faults_list(c->sim, c->arena));
}

static void add_faults(struct sim_call *c)
{
    struct source src = {.file = STR("request"), .text = c->q->body};
    AUTO_ERR e = {0};

    if (sim_faults_read(c->sim, &src, &e)) {
        sim_reply(c, 204, NULL);
        return;
    }
    str message = err_message(c->arena, &e);
    sim_refuse(c, 400, "InvalidFault", "%.*s", STR_ARG(message));
}

static void clear_faults(struct sim_call *c)
{
    sim_faults_clear(c->sim->faults);
    sim_reply(c, 204, NULL);
}

static void get_time(struct sim_call *c)
{
    struct value *v = value_object(c->arena);

    value_set_str(c->arena, v, STR("now"), sim_stamp(c->arena, sim_now(c->sim)));
    value_set_bool(c->arena, v, STR("virtual"), c->sim->config.virtual_time);
    sim_reply(c, 200, v);
}

static void advance_time(struct sim_call *c)
{
    AUTO_ERR e = {0};
    int64_t ns;

    if (!duration_parse(sim_query(c, "advance"), &ns, &e) || ns < 0 || ns > TIME_MAX) {
        sim_refuse(c, 400, "InvalidTime", "advance must be a duration, as in 90s or 24h");
        return;
    }
    c->sim->time += ns;
    get_time(c);
}

static void get_resources(struct sim_call *c)
{
    struct sim_resource *top = sim_store_root(c->sim->store);
    struct value *list = value_list(c->arena);

    for (struct sim_resource *r = top->first; r; r = sim_next_below(top, r, true))
        if (r->body.len)
            value_add(c->arena, list, value_string(c->arena, str_copy(c->arena, r->id)));
    sim_reply(c, 200, list);
}

static void reset_all(struct sim_call *c)
{
    sim_reset(c->sim);
    sim_reply(c, 204, NULL);
}

static void change(struct sim_call *c)
{
    struct source src = {.file = STR("request"), .text = c->q->body};
    struct sim_change change;
    AUTO_ERR e = {0};

    if (!sim_read_change(c->arena, &src, &change, &e)) {
        str message = err_message(c->arena, &e);
        sim_refuse(c, 400, "InvalidChange", "%.*s", STR_ARG(message));
    } else if (!sim_make_change(c, &change)) {
        sim_refuse(c, 404, "ResourceNotFound", "%.*s is not there, or has no such place.",
                   STR_ARG(change.id));
    } else {
        sim_reply(c, 204, NULL);
    }
}

static void list_routes(struct sim_call *c);

static const struct route {
    const char *method, *path;
    void (*handle)(struct sim_call *c);
    const char *help;
} routes[] = {
    {"GET", "/_sim/", list_routes, "this list"},
    {"GET", "/_sim/assert", get_counters, "counters of what was asked"},
    {"POST", "/_sim/assert", check_counters,
     "{\"writes\": 3, \"noopWrites\": {\"max\": 0}}: 200 when it holds, else 409 and why"},
    {"DELETE", "/_sim/assert", reset_counters, "sets the counters to 0"},
    {"POST", "/_sim/change", change,
     "changes a resource as somebody else: {\"id\", \"at\", \"value\", \"by\"}"},
    {"GET", "/_sim/faults", get_faults, "the faults that are left"},
    {"POST", "/_sim/faults", add_faults, "adds a fault or a plan, in JSON or YAML"},
    {"DELETE", "/_sim/faults", clear_faults, "removes all faults"},
    {"GET", "/_sim/log", get_log, "the exchanges so far; ?last=N: the newest"},
    {"DELETE", "/_sim/log", clear_log, "forgets the exchanges"},
    {"POST", "/_sim/reset", reset_all,
     "forgets all that happened: resources, faults, log, counters, time"},
    {"GET", "/_sim/resources", get_resources, "the ids of all resources"},
    {"GET", "/_sim/time", get_time, "now"},
    {"POST", "/_sim/time", advance_time, "moves the time: ?advance=24h"},
};

static void list_routes(struct sim_call *c)
{
    struct value *list = value_list(c->arena);

    for (size_t i = 0; i < COUNT(routes); i++) {
        struct value *v = value_object(c->arena);
        value_set_str(c->arena, v, STR("method"), str_c(routes[i].method));
        value_set_str(c->arena, v, STR("path"), str_c(routes[i].path));
        value_set_str(c->arena, v, STR("help"), str_c(routes[i].help));
        value_add(c->arena, list, v);
    }
    sim_reply(c, 200, list);
}

/* Rejects an unknown path, or a known one with the wrong method. */
static void refuse_route(struct sim_call *c, str path)
{
    struct buf methods = buf_new(c->arena, BUF_UNLIMITED);

    for (size_t i = 0; i < COUNT(routes); i++)
        if (str_eq(path, str_c(routes[i].path)))
            buf_fmt(&methods, "%s%s", methods.len ? ", " : "", routes[i].method);
    str list = buf_str(&methods);
    if (!list.len) {
        sim_refuse(c, 404, "NotFound", "There is no %.*s: GET /_sim/ lists what there is.",
                   STR_ARG(path));
        return;
    }
    sim_header(c, "Allow", list);
    sim_refuse(c, 405, "MethodNotAllowed", "%.*s takes %.*s, not %.*s.", STR_ARG(path),
               STR_ARG(list), STR_ARG(c->q->method));
}

/*
 * A web page has its own host: either its name resolves to us but is not ours, or its origin
 * differs. Programs send no Origin; in-process calls have neither header.
 */
static bool allowed(struct sim_call *c)
{
    const struct http_headers *h = c->q->headers;
    const struct url u = {.host = http_header_get(h, STR("Host"))};
    str origin = http_header_get(h, STR("Origin"));

    if (http_header_has(h, STR("Host")) && !host_is_loopback(c->arena, url_hostname(&u)))
        return false;
    return !http_header_has(h, STR("Origin")) ||
           url_same_origin(origin, str_concat(c->arena, STR("http://"), u.host));
}

void sim_admin(struct sim_call *c)
{
    str path = str_eq(c->q->path, STR("/_sim")) ? STR("/_sim/") : c->q->path;

    if (!allowed(c)) {
        sim_refuse(
            c, 403, "ForeignOrigin",
            "Paths below /_sim/ are for programs on this machine: the Host must be localhost, "
            "127.0.0.1 or [::1], and an Origin the same.");
        return;
    }
    for (size_t i = 0; i < COUNT(routes); i++)
        if (str_eq(c->q->method, str_c(routes[i].method)) && str_eq(path, str_c(routes[i].path))) {
            routes[i].handle(c);
            return;
        }
    refuse_route(c, path);
}
