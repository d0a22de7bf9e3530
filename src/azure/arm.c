/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arm.c - requests to Azure Resource Manager.
 */
#include "azure/arm_internal.h"

#include "azure/id.h"
#include "net/retry.h"
#include "text/url.h"

#define TIMEOUT (60 * NS_PER_SEC)
/* When the server is in trouble. */
#define TRIES_MAX 3
#define TROUBLE_WAIT NS_PER_SEC
/* Longer than that nobody waits in place; the caller has better things to do. */
#define TROUBLE_WAIT_MAX (30 * NS_PER_SEC)
/* Buckets that are empty again and again. */
#define THROTTLED_MAX 20

bool arm_new(const struct arm_config *config, struct arm **out, struct err *e)
{
    struct http_config http = config->http ? *config->http : http_defaults();
    struct arena *a = arena_new();
    struct arm *m = ARENA_NEW(a, struct arm);

    *m = (struct arm){.arena = a, .config = *config};
    m->settings = credential_settings(config->credential);
    m->scope = cloud_scope(a, &m->settings->cloud);
    m->config.region = str_copy(a, config->region);
    m->config.agent = config->agent.len
                          ? str_fmt(a, "plumb/" PLUMB_VERSION " %.*s", STR_ARG(config->agent))
                          : STR("plumb/" PLUMB_VERSION);
    if (!m->config.rules)
        m->config.rules = rules_errors();
    if (!m->config.timeout)
        m->config.timeout = TIMEOUT;
    http.http1 = true;
    http.redirects_max = 0;
    if (http_client_new(&http, &m->http, e)) {
        *out = m;
        return true;
    }
    arena_free(a);
    return false;
}

void arm_free(struct arm *m)
{
    if (!m)
        return;
    http_client_free(m->http);
    arena_free(m->arena);
}

/* ---- What is sent. ---- */

static void add_path(struct buf *url, str path)
{
    str part;

    while (path.len) {
        str_cut(str_without_prefix(path, STR("/")), STR("/"), &part, &path);
        buf_char(url, '/');
        url_path_escape(url, part);
    }
}

str arm_url(struct arm *m, struct arena *a, const struct arm_call *call)
{
    struct buf url = buf_new(a, BUF_UNLIMITED);

    buf_add(&url, m->settings->cloud.endpoint);
    add_path(&url, call->id);
    add_path(&url, call->action);
    if (call->api_version.len)
        url_query_add(&url, STR("api-version"), call->api_version);
    if (call->query.len)
        buf_fmt(&url, "%c%.*s", call->api_version.len ? '&' : '?', STR_ARG(call->query));
    return buf_str(&url);
}

/* A random UUID. */
static str new_id(struct arena *a)
{
    unsigned char b[16];

    random_bytes(b, sizeof(b));
    b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
    return str_fmt(a, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0],
                   b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
                   b[14], b[15]);
}

static bool add_headers(struct arm *m, struct arena *secret, const struct arm_call *call, str id,
                        str *token, struct http_headers *h, struct err *e)
{
    str auxiliary;

    if (!credential_token(m->config.credential, secret, m->scope, token, e) ||
        !credential_auxiliary(m->config.credential, secret, m->scope, &auxiliary, e))
        return false;
    http_header_add(secret, h, STR("Authorization"), str_concat(secret, STR("Bearer "), *token));
    http_header_add(secret, h, STR("Accept"), STR("application/json"));
    http_header_add(secret, h, STR("User-Agent"), m->config.agent);
    http_header_add(secret, h, STR("x-ms-client-request-id"), id);
    if (auxiliary.len)
        http_header_add(secret, h, STR("x-ms-authorization-auxiliary"), auxiliary);
    if (call->correlation.len)
        http_header_add(secret, h, STR("x-ms-correlation-request-id"), call->correlation);
    if (call->body.len)
        http_header_add(secret, h, STR("Content-Type"), STR("application/json"));
    return true;
}

static struct budget_request budget_of(struct arm *m, struct arena *a, const struct arm_call *call)
{
    struct budget_request r = {.subscription = m->settings->subscription,
                               .principal = m->settings->client,
                               .region = m->config.region,
                               .space = call->space,
                               .verb = budget_verb_of(call->method),
                               .priority = call->priority};
    struct arm_id id;

    if (!arm_id_parse(a, call->id, &id, NULL))
        return r;
    if (id.subscription.len)
        r.subscription = id.subscription;
    if (id.block_count)
        r.provider = id.blocks[id.block_count - 1].provider;
    return r;
}

/* ---- What comes back. ---- */

static void read_answer(struct arm *m, struct arena *a, const struct arm_call *call,
                        const struct http_response *response, struct arm_result *result)
{
    const struct error_facts facts = {.error = &result->error,
                                      .method = call->method,
                                      .group = call->group,
                                      .kind = call->kind,
                                      .api_version = call->api_version};

    result->status = response->status;
    result->body = response->body;
    result->headers = response->headers;
    result->request_id = http_header_get(&response->headers, STR("x-ms-request-id"));
    result->correlation_id =
        http_header_get(&response->headers, STR("x-ms-correlation-request-id"));
    if (!retry_after(&response->headers, clock_now(), &result->retry_after))
        result->retry_after = -1;
    result->verdict = (struct error_verdict){0};
    if (response->status >= 200 && response->status < 300)
        return;
    cloud_error_read(a, response->status, response->body, &result->error);
    result->error.retry_after = result->retry_after;
    rules_classify(a, m->config.rules, &facts, &result->verdict);
}

static int64_t timeout_of(struct arm *m, const struct arm_call *call)
{
    int64_t left = call->deadline ? call->deadline - clock_mono() : m->config.timeout;

    if (left > m->config.timeout)
        left = m->config.timeout;
    return left > 0 ? left : 1;
}

/* What one try needs and leaves behind. */
struct attempt {
    struct arena *secret;
    str token;
    bool again; /* there is no answer, and another try does no harm */
};

static bool may_be_sent_twice(str method)
{
    return !str_eq(method, STR("POST")) && !str_eq(method, STR("PATCH"));
}

/* False when there is no answer. */
static bool try_once(struct arm *m, struct arena *a, const struct arm_call *call, str url,
                     struct arm_result *result, struct attempt *t, struct err *e)
{
    const struct budget_request turn = budget_of(m, a, call);
    struct budget_signal signal = budget_signal_none();
    struct http_request request = {
        .method = call->method, .url = url, .body = call->body, .cancel = call->cancel};
    struct http_response response = {0};
    struct budget_grant grant;
    bool ok;

    t->again = false;
    result->status = 0;
    result->client_request_id = new_id(a);
    if (!add_headers(m, t->secret, call, result->client_request_id, &t->token, &request.headers,
                     e) ||
        !gate_enter(m->config.gate, &turn, call, &grant, e))
        return false;
    request.timeout = timeout_of(m, call);
    ok = http_send(m->http, a, &request, &response, e);
    if (ok) {
        read_answer(m, a, call, &response, result);
        signal = budget_signal_of(&response.headers, turn.verb, response.status,
                                  result->verdict.effect, result->retry_after);
    }
    gate_leave(m->config.gate, &grant, &signal);
    t->again = !response.sent || may_be_sent_twice(call->method);
    return ok || http_explain(e, &response);
}

/* ---- Trying again. ---- */

struct tries {
    unsigned trouble, throttled;
    bool renewed, registered;
};

static bool wait_for_server(const struct arm_call *call, struct tries *t, int64_t asked)
{
    int64_t wait = asked >= 0 ? asked : TROUBLE_WAIT << t->trouble;

    return ++t->trouble < TRIES_MAX && wait <= TROUBLE_WAIT_MAX && call_wait(call, wait, NULL);
}

/* Whether an answer is worth another try; waits for it. */
static bool answer_again(struct arm *m, struct arena *a, const struct arm_call *call, bool once,
                         str token, struct arm_result *r, struct tries *t)
{
    if (!r->verdict.retry)
        return false;
    if (r->verdict.effect == EFFECT_TOKEN && r->status == 401 && !t->renewed) {
        credential_refuse(m->config.credential, token);
        return t->renewed = true;
    }
    if (once)
        return false;
    if (r->verdict.effect == EFFECT_SERVER && (may_be_sent_twice(call->method) || r->status == 503))
        return wait_for_server(call, t, r->retry_after);
    /* The bucket is paused: the next turn comes when it has filled. */
    if (r->verdict.effect == EFFECT_BUCKET && r->status == 429)
        return ++t->throttled < THROTTLED_MAX;
    if (r->verdict.effect == EFFECT_REGISTER && !t->registered) {
        t->registered = true;
        return arm_register(m, a, call, &r->error, NULL);
    }
    return false;
}

bool arm_exchange(struct arm *m, struct arena *a, const struct arm_call *call, str url, bool once,
                  struct arm_result *result, struct err *e)
{
    AUTO_ARENA secret = arena_new_secret();
    struct attempt attempt = {.secret = secret};
    struct tries t = {0};

    *result = (struct arm_result){.retry_after = -1};
    for (;;) {
        AUTO_ERR failure = {0};
        result->tries++;
        if (try_once(m, a, call, url, result, &attempt, &failure)) {
            if (!answer_again(m, a, call, once, attempt.token, result, &t))
                return true;
        } else if (once || failure.kind != ERR_IO || !attempt.again ||
                   !wait_for_server(call, &t, -1)) {
            return err_copy(e, &failure);
        }
    }
}

static enum err_kind kind_of(int status)
{
    static const struct {
        int status;
        enum err_kind kind;
    } kinds[] = {{401, ERR_DENIED},   {403, ERR_DENIED},   {404, ERR_NOT_FOUND},
                 {409, ERR_CONFLICT}, {412, ERR_CONFLICT}, {429, ERR_THROTTLED}};

    for (size_t i = 0; i < COUNT(kinds); i++)
        if (kinds[i].status == status)
            return kinds[i].kind;
    return status >= 400 && status < 500 ? ERR_INVALID : ERR_IO;
}

bool arm_refused(struct arm *m, struct arena *a, const struct arm_call *call,
                 struct arm_result *result, struct err *e)
{
    const struct error_facts facts = {.error = &result->error,
                                      .method = call->method,
                                      .group = call->group,
                                      .kind = call->kind,
                                      .api_version = call->api_version};

    if (!result->verdict.retry)
        rules_classify(a, m->config.rules, &facts, &result->verdict);
    return err_set(e, kind_of(result->error.http), "%.*s: %.*s", STR_ARG(result->error.code),
                   STR_ARG(cloud_error_text(a, &result->error)));
}

bool arm_send(struct arm *m, struct arena *a, const struct arm_call *call,
              struct arm_result *result, struct err *e)
{
    if (!arm_exchange(m, a, call, arm_url(m, a, call), false, result, e))
        return false;
    return !result->verdict.retry || arm_refused(m, a, call, result, e);
}

bool arm_exists(struct arm *m, struct arena *a, const struct arm_call *call, bool *exists,
                struct err *e)
{
    struct arm_call head = *call;
    struct arm_result result;

    head.method = STR("HEAD");
    *exists = arm_send(m, a, &head, &result, e);
    if (*exists)
        return true;
    if (result.status != 404)
        return false;
    if (e)
        err_clear(e);
    return true;
}
