/* SPDX-License-Identifier: Apache-2.0 */
/* azure_stage.c - the simulated ARM behind a socket; see azure_stage.h. */
#include "support/azure_stage.h"

#include "text/json/json.h"
#include "value/source.h"

const char azure_stage_types[] =
    "{\"types\": {"
    "\"Test.Lro/async\": {\"create\": {\"status\": 201, \"poller\": \"async\", \"polls\": 3,"
    " \"retryAfter\": 10, \"state\": \"Creating\", \"body\": \"resource\"},"
    " \"delete\": {\"status\": 202, \"poller\": \"async\", \"polls\": 3, \"body\": \"empty\"}},"
    "\"Test.Lro/both\": {\"create\": {\"status\": 201, \"poller\": \"async\", \"polls\": 3,"
    " \"location\": true, \"retryAfter\": 10, \"state\": \"Creating\", \"body\": \"resource\"},"
    " \"delete\": {\"status\": 202, \"poller\": \"async\", \"polls\": 3, \"location\": true,"
    " \"body\": \"empty\"}},"
    "\"Test.Lro/location\": {\"create\": {\"status\": 202, \"poller\": \"location\", \"polls\": 3,"
    " \"retryAfter\": 10, \"body\": \"empty\"},"
    " \"delete\": {\"status\": 202, \"poller\": \"location\", \"polls\": 3, \"body\": \"empty\"}},"
    "\"Test.Lro/relative\": {\"create\": {\"status\": 201, \"poller\": \"relative\","
    " \"body\": \"resource\"}},"
    "\"Test.Lro/body\": {\"create\": {\"status\": 201, \"poller\": \"body\", \"polls\": 3,"
    " \"state\": \"Creating\", \"body\": \"resource\"}},"
    "\"Test.Lro/none\": {\"actions\": {\"listKeys\": {\"primaryKey\": \"$key\"}}}"
    "}}";

static void must(bool ok, const struct err *e)
{
    if (ok)
        return;
    fprintf(stderr, "stage: %.*s\n", STR_ARG(e->text));
    abort();
}

/* A call inside ours, so that its answer can be seen before it is sent. */
struct watched {
    struct handler_call call;
    struct handler_call *outer;
    struct azure_stage *stage;
};

static void answer_outer(struct handler_call *c)
{
    struct watched *w = (struct watched *)c;
    struct handler_call *outer = w->outer;

    w->stage->watch(w->stage->ctx, outer, true);
    outer->status = c->status;
    outer->reply_headers = c->reply_headers;
    outer->reply = c->reply;
    outer->drop = c->drop;
    outer->done(outer);
}

static void handle(void *ctx, struct handler_call *c)
{
    struct azure_stage *s = ctx;
    struct watched *w = ARENA_NEW(c->arena, struct watched);

    if (!s->watch) {
        handler_answer(sim_handler(s->sim), c);
        return;
    }
    s->watch(s->ctx, c, false);
    *w = (struct watched){.call = *c, .outer = c, .stage = s};
    w->call.done = answer_outer;
    handler_answer(sim_handler(s->sim), &w->call);
}

void azure_stage_start(struct azure_stage *s, const char *preset, azure_watch *watch, void *ctx)
{
    AUTO_ERR e = {0};
    struct sim_config config = sim_defaults();
    const struct server_config server = {.handle = handler_serve, .ctx = &s->handler};
    const struct source src = {.file = STR("types"), .text = str_c(azure_stage_types)};

    *s = (struct azure_stage){.handler = {handle, s}, .watch = watch, .ctx = ctx};
    config.virtual_time = true;
    config.auth = true;
    config.tenant = STR(AZURE_TENANT);
    if (preset[0])
        must(sim_preset(&config, str_c(preset), &e), &e);
    must(sim_new(&config, &s->sim, &e), &e);
    must(sim_add_types(s->sim, &src, &e), &e);
    must(server_start(&server, &s->server, &e), &e);
}

void azure_stage_stop(struct azure_stage *s)
{
    server_stop(s->server, 0);
    sim_free(s->sim);
}

str azure_stage_url(const struct azure_stage *s)
{
    return server_url(s->server);
}

const struct handler *azure_stage_handler(const struct azure_stage *s)
{
    return &s->handler;
}

int azure_stage_ask(struct azure_stage *s, struct arena *a, const char *method, const char *path,
                    const char *sent, str *body)
{
    struct sim_request q = {.method = str_c(method), .base = STR("http://h"), .body = str_c(sent)};
    struct sim_response response;

    str_cut(str_c(path), STR("?"), &q.path, &q.query);
    sim_handle(s->sim, a, &q, &response);
    if (body)
        *body = response.body;
    return response.status;
}

int64_t azure_stage_count(struct azure_stage *s, const char *name)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct source src = {.file = STR("counters")};
    struct value *root;
    int64_t n = -1;

    azure_stage_ask(s, a, "GET", "/_sim/assert", "", &src.text);
    must(json_read(a, &src, NULL, &root, &e), &e);
    must(value_to_i64(value_get(root, str_c(name)), &n), &(struct err){.text = str_c(name)});
    return n;
}

/* ---- Clients. ---- */

static void open_client(struct azure_client *c, str url, const struct handler *local)
{
    struct arena *a = arena_new();
    AUTO_ERR e = {0};
    struct http_config http = http_defaults();
    const struct budget_limits limits = budget_published();
    const struct credential_settings settings = {
        .kind = CREDENTIAL_SECRET,
        .subscription = STR(AZURE_SUBSCRIPTION),
        .tenant = STR(AZURE_TENANT),
        .client = STR("client"),
        .secret = STR(AZURE_SECRET),
        .cloud = {.endpoint = str_copy(a, url),
                  .audience = STR("https://management.core.windows.net/"),
                  .authority = str_concat(a, url, STR("/"))}};

    http.no_proxy = true;
    http.local = local;
    *c = (struct azure_client){.a = a, .gate = arm_gate_new(&limits)};
    must(http_client_new(&http, &c->http, &e), &e);
    must(credential_new(&settings, &c->credential, &e), &e);
    const struct arm_config config = {.credential = c->credential, .gate = c->gate};
    c->arm = arm_new(&config);
    const struct arm_pipe_config piped = {.gate = c->gate, .http = &http, .connections = 20};
    must(arm_pipe_new(&piped, &c->pipe, &e), &e);
    c->wait = (struct arm_wait){.arm = c->arm, .pipe = c->pipe};
}

void azure_client_open(struct azure_client *c, str url)
{
    open_client(c, url, NULL);
}

void azure_client_open_local(struct azure_client *c, const struct handler *h)
{
    open_client(c, STR("http://management.local"), h);
}

void azure_client_close(struct azure_client *c)
{
    arm_wait_end(&c->wait);
    arm_pipe_free(c->pipe);
    arm_free(c->arm);
    credential_free(c->credential);
    http_client_free(c->http);
    arm_gate_free(c->gate);
    arena_free(c->a);
}

struct arm_call azure_call(struct arena *a, const char *method, const char *type, const char *name,
                           const char *body)
{
    return (struct arm_call){.method = str_c(method),
                             .id = str_fmt(a, AZURE_GROUP "/providers/%s/%s", type, name),
                             .api_version = STR("2024-03-01"),
                             .namespace = STR("default"),
                             .body = str_c(body)};
}
