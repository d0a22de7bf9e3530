/* SPDX-License-Identifier: Apache-2.0 */
#include "arm_script.h"

#include "arm/pipe.h"
#include "net/server/handler_serve.h"
#include "support/operation.h"
#include "text/json/json.h"

#define ID "/subscriptions/s/resourceGroups/g/providers/Example.Odd/things/x"

#define START (INT64_C(1800000000) * NS_PER_SEC)

struct client {
    struct arm *arm;
    struct arm_pipe *pipe;
};

/* One server and one client for all patterns, and another one without a socket. */
static struct {
    struct server *server;
    struct client remote, local; /* local: driven */
    struct lock lock;
    struct arm_script *script; /* that is played, under the lock */
} stage = {.lock = LOCK_INIT};

static str member(const struct value *pattern, const char *key)
{
    return value_text(value_get(pattern, str_c(key)));
}

/* More polls and longer waits than these were never recorded. */
#define NUMBER_MAX 100000

static int64_t number(const struct value *v)
{
    double d = arm_number(v);

    return d > NUMBER_MAX ? NUMBER_MAX : d > 0 ? (int64_t)(d + 0.5) : 0;
}

/* The most frequent key of a count by name: recordings list it first. */
static str first_key(const struct value *counts)
{
    return value_len(counts) ? value_key(&counts->items[0]) : STR_NONE;
}

static bool has_header(const struct value *pattern, const char *name)
{
    const struct value *list = value_get(pattern, STR("headers"));

    for (size_t i = 0; i < value_len(list); i++)
        if (str_eq(value_str(&list->items[i]), str_c(name)))
            return true;
    return false;
}

static int64_t seconds_of(str text)
{
    return text.len ? (int64_t)strtol(text.ptr, NULL, 10) * NS_PER_SEC : -1;
}

/* ---- Answers. ---- */

static str resource_body(struct arena *a, str state)
{
    if (!state.len || str_eq(state, STR("None")))
        return STR("{\"id\":\"x\",\"properties\":{}}");
    return str_fmt(a, "{\"id\":\"x\",\"properties\":{\"provisioningState\":\"%.*s\"}}",
                   STR_ARG(state));
}

static str first_body(struct arena *a, const struct value *p)
{
    str kind = member(p, "initialBody"), state = first_key(value_get(p, STR("initialStates")));

    if (!kind.len && str_eq(member(p, "outcome"), STR("immediate-Succeeded")))
        return resource_body(a, STR("Succeeded"));
    if (!kind.len || str_eq(kind, STR("empty")))
        return STR_NONE;
    if (str_has_prefix(kind, STR("operation{")))
        return str_fmt(a, "{\"status\":\"%.*s\"}", STR_ARG(state));
    if (str_contains(kind, STR("resource")) || str_contains(kind, STR("properties")))
        return resource_body(a, state);
    return STR("{}");
}

static void answer_first(struct arena *a, const struct value *p, str host, struct arm_answer *out)
{
    const struct value *status = value_get(p, STR("initialStatus"));
    str after = value_get_str(value_get(p, STR("example")), STR("retryAfter"));

    *out = (struct arm_answer){.http = (int)number(status ? status : value_get(p, STR("status"))),
                               .body = first_body(a, p),
                               .retry_after = -1};
    if (has_header(p, "Azure-AsyncOperation"))
        out->async_operation = str_concat(a, host, STR("/async?t=1"));
    if (has_header(p, "Location"))
        out->location = str_concat(a, host, STR("/location?t=1"));
    if (has_header(p, "Location (relative)"))
        out->location = STR("/subscriptions/x");
    if (has_header(p, "Retry-After"))
        out->retry_after = after.len ? seconds_of(after) : 15 * NS_PER_SEC;
    if (out->http >= 400 && member(p, "code").len)
        out->body = str_fmt(a, "{\"error\":{\"code\":\"%.*s\",\"message\":\"no\"}}",
                            STR_ARG(member(p, "code")));
}

/* The state of the script at a poll: the states in order, the last one at the last poll. */
static str state_at(const struct arm_script *s)
{
    size_t left = s->wanted > s->polls ? s->wanted - s->polls : 0;
    size_t i = left < s->state_count ? s->state_count - 1 - left : 0;

    return s->state_count ? s->states[i] : STR("Succeeded");
}

/* By the poller: an operation, or an HTTP status with the resource. */
static void answer_poll(struct arena *a, struct arm_script *s, struct arm_answer *out)
{
    const struct value *example = value_get(s->pattern, STR("example")), *poll;
    str state, poller = member(s->pattern, "poller");

    s->polls++;
    state = state_at(s);
    poll = value_get(example, s->polls < s->wanted ? STR("firstPoll") : STR("lastPoll"));
    *out = (struct arm_answer){.http = 200,
                               .retry_after = seconds_of(value_get_str(poll, STR("retryAfter")))};
    if (s->polls > s->wanted)
        state = STR("Succeeded");
    if (str_has_prefix(state, STR("http "))) {
        out->http = (int)strtol(state.ptr + 5, NULL, 10);
        out->body = out->http >= 500 ? STR("<html><title>Trouble</title></html>") : STR_NONE;
    } else if (str_eq(poller, STR("async"))) {
        out->body = str_fmt(a,
                            "{\"status\":\"%.*s\",\"error\":{\"code\":\"Broken\","
                            "\"message\":\"it broke\"}}",
                            STR_ARG(state));
    } else {
        out->body = resource_body(a, state);
        if (str_eq(poller, STR("location")) && s->polls < s->wanted)
            out->http = 202;
    }
}

/* ---- The server. ---- */

static void reply(struct handler_call *c, const struct arm_answer *answer)
{
    struct arena *a = c->arena;
    const struct {
        const char *name;
        str value;
    } headers[] = {{"Azure-AsyncOperation", answer->async_operation},
                   {"Location", answer->location}};

    for (size_t i = 0; i < COUNT(headers); i++)
        if (headers[i].value.len)
            handler_add_header(c, str_c(headers[i].name), headers[i].value);
    if (answer->retry_after >= 0)
        handler_add_header(c, STR("Retry-After"),
                           str_fmt(a, "%lld", (long long)(answer->retry_after / NS_PER_SEC)));
    handler_reply(c, answer->http, STR("application/json"), answer->body);
}

/* The resource at the end: what an operation made, or nothing. */
static void answer_read(const struct arm_script *s, struct arena *a, struct arm_answer *out)
{
    bool gone = !str_eq(s->method, STR("PUT"));

    *out = (struct arm_answer){.http = gone ? 404 : 200,
                               .body = gone ? STR("{}") : resource_body(a, STR("Succeeded")),
                               .retry_after = -1};
}

/* Time is virtual and moves only by the waiting of the client, so it can be asked for here. */
static void play(struct arm_script *s, struct handler_call *c)
{
    struct arena *a = c->arena;
    struct arm_answer answer;
    bool polls_resource = str_eq(member(s->pattern, "poller"), STR("body"));

    s->requests++;
    if (clock_mono() < s->not_before)
        s->too_early = true;
    if (!str_eq(c->method, STR("GET")))
        answer_first(a, s->pattern, c->base, &answer);
    else if (!str_eq(c->path, STR(ID)) || (polls_resource && s->polls < s->wanted))
        answer_poll(a, s, &answer);
    else
        answer_read(s, a, &answer);
    if (answer.retry_after > 0)
        s->not_before = clock_mono() + answer.retry_after;
    reply(c, &answer);
}

static void handle(void *ctx, struct handler_call *c)
{
    AUTO_LOCK guard = lock_take(&stage.lock);

    (void)ctx;
    if (str_has_suffix(c->path, STR("/token")))
        handler_reply(c, 200, STR("application/json"),
                      STR("{\"access_token\":\"planted-secret-script\",\"expires_in\":864000}"));
    else
        play(stage.script, c);
}

static void must(bool ok, const struct err *e)
{
    if (ok)
        return;
    fprintf(stderr, "vectors: %.*s\n", STR_ARG(e->text));
    exit(EXIT_FAILURE);
}

/* Lives as long as the program. */
static void open_client(struct client *c, str host, const struct handler *local)
{
    struct arena *a = arena_new();
    AUTO_ERR e = {0};
    struct http_config http = http_defaults();
    struct budget_limits limits = budget_published();
    struct arm_gate *gate = arm_gate_new(&limits);
    struct credential *credential;

    http.no_proxy = true;
    http.local = local;
    const struct credential_settings settings = {
        .kind = CREDENTIAL_SECRET,
        .subscription = STR("s"),
        .tenant = STR("tenant"),
        .client = STR("client"),
        .secret = STR("planted-secret-script"),
        .cloud = {host, STR("https://management.core.windows.net/"),
                  str_concat(a, host, STR("/"))}};
    must(credential_new(&settings, &credential, &e), &e);
    const struct arm_config arm = {.credential = credential, .gate = gate};
    c->arm = arm_new(&arm);
    const struct arm_pipe_config pipe = {.gate = gate, .http = &http, .connections = 2};
    must(arm_pipe_new(&pipe, &c->pipe, &e), &e);
}

static void open_stage(void)
{
    static const struct handler handler = {handle, NULL};
    const struct server_config config = {.handle = handler_serve, .ctx = (void *)&handler};
    AUTO_ERR e = {0};

    must(server_start(&config, &stage.server, &e), &e);
    open_client(&stage.remote, server_url(stage.server), NULL);
    clock_drive(START);
    open_client(&stage.local, STR("http://management.local"), &handler);
    clock_real();
}

/* ---- Running. ---- */

static void read_states(struct arm_script *s)
{
    const struct value *sequences = value_get(s->pattern, STR("stateSequences"));
    str rest = first_key(sequences), state;

    while (rest.len && s->state_count < COUNT(s->states)) {
        str_cut(rest, STR(" > "), &state, &rest);
        s->states[s->state_count++] = state;
    }
    s->wanted = (size_t)number(value_get(value_get(s->pattern, STR("polls")), STR("median")));
}

/* What a pattern of deletions ends with; it lists no states. */
static void end_states(struct arm_script *s)
{
    str outcome = member(s->pattern, "outcome"), poller = member(s->pattern, "poller");

    if (s->state_count)
        return;
    s->states[0] = str_eq(poller, STR("location")) ? STR("http 202") : STR("InProgress");
    s->states[1] = outcome;
    if (str_has_prefix(outcome, STR("http-")))
        s->states[1] = str_eq(outcome, STR("http-204")) ? STR("http 204") : STR("http 200");
    s->state_count = outcome.len ? 2 : 1;
}

static void set_script(struct arm_script *s)
{
    AUTO_LOCK guard = lock_take(&stage.lock);

    stage.script = s;
}

/* ---- Over sockets, and in this process. ---- */

/* Waits for the only call of a pipe. */
static struct arm_done *wait_for(struct client *c)
{
    struct arm_done *d;
    int64_t due;

    if (!clock_is_driven())
        return arm_pipe_next(c->pipe);
    while (!(d = arm_pipe_step(c->pipe, &due)))
        clock_drive(due);
    return d;
}

static struct arm_answer ask_by_pipe(struct arena *a, struct client *c, const struct arm_call *call)
{
    struct arm_answer answer;
    struct arm_done *d;
    AUTO_ERR e = {0};

    must(arm_pipe_start(c->pipe, c->arm, call, NULL, &e), &e);
    d = wait_for(c);
    answer = arm_answer_of(&d->result);
    str *const texts[] = {&answer.body, &answer.async_operation, &answer.operation_location,
                          &answer.location};
    for (size_t i = 0; i < COUNT(texts); i++)
        *texts[i] = str_copy(a, *texts[i]);
    arm_pipe_release(c->pipe, d);
    return answer;
}

static void pass_time(int64_t ns)
{
    if (clock_is_driven())
        clock_drive(clock_mono() + ns);
    else
        clock_advance(ns);
}

static void follow(struct arena *a, struct client *c, str host, const struct arm_call *call,
                   struct arm_run *out)
{
    const struct operation_about about = {
        .method = call->method,
        .url = str_concat(a, host, STR(ID "?api-version=1")),
        .endpoint = host,
    };
    struct arm_answer answer = ask_by_pipe(a, c, call);
    struct operation_step step;
    struct operation o;

    operation_begin(a, &o, &about, &answer, &step);
    while (step.next == OPERATION_ASK) {
        struct arm_call get = *call;
        get.method = STR("GET");
        get.body = STR_NONE;
        get.address = step.poll ? step.url : STR_NONE;
        pass_time(step.wait);
        answer = ask_by_pipe(a, c, &get);
        operation_step(a, &o, &answer, &step);
    }
    out->operation = o.lro;
    out->ok = step.next == OPERATION_DONE;
}

static bool is_same(const struct arm_run *x, const struct arm_run *y)
{
    return x->ok == y->ok && x->operation.next == y->operation.next &&
           x->operation.polls == y->operation.polls && x->requests == y->requests &&
           x->too_early == y->too_early && str_eq(x->operation.error.code, y->operation.error.code);
}

static void run(bool in_process, struct arena *a, const struct value *pattern, struct arm_run *out)
{
    struct arm_script s = {.pattern = pattern, .method = member(pattern, "method")};

    if (!s.method.len)
        s.method = STR("DELETE");
    read_states(&s);
    end_states(&s);
    *out = (struct arm_run){0};
    set_script(&s);
    const struct arm_call call = {.method = s.method,
                                  .id = STR(ID),
                                  .api_version = STR("1"),
                                  .body = str_eq(s.method, STR("PUT")) ? STR("{}") : STR_NONE};
    if (in_process) {
        clock_drive(START);
        follow(a, &stage.local, STR("http://management.local"), &call, out);
    } else {
        clock_fake(START);
        follow(a, &stage.remote, server_url(stage.server), &call, out);
    }
    clock_real();
    set_script(NULL);
    out->requests = s.requests;
    out->too_early = s.too_early;
}

void arm_script_run(struct arena *a, const struct value *pattern, struct arm_run *out)
{
    struct arm_run local;

    if (!stage.server)
        open_stage();
    run(false, a, pattern, out);
    run(true, a, pattern, &local);
    out->differs = !is_same(out, &local);
}
