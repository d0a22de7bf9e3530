/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attempt.c - one attempt at a call: what is sent, what comes back, and whether to retry.
 */
#include "arm/arm_internal.h"

#include "arm/id.h"
#include "net/retry.h"

/* For server errors and broken connections. */
#define TRIES_MAX 3
#define TROUBLE_WAIT NS_PER_SEC
/* The longest wait here; beyond that, the caller decides. */
#define TROUBLE_WAIT_MAX (30 * NS_PER_SEC)
/* How often to wait for an empty bucket. */
#define THROTTLED_MAX 20

/* A random UUID. */
static str new_id(struct arena *a)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char b[16];
    char *text = arena_alloc_text(a, 36);

    random_bytes(b, sizeof(b));
    b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
    for (size_t i = 0, at = 0; i < sizeof(b); i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            text[at++] = '-';
        text[at++] = digits[b[i] >> 4];
        text[at++] = digits[b[i] & 15];
    }
    return str_of(text, 36);
}

static void add_headers(struct arm *m, struct arena *secret, const struct arm_call *call, str id,
                        str token, str auxiliary, struct http_headers *h)
{
    http_header_add(secret, h, STR("Authorization"), str_concat(secret, STR("Bearer "), token));
    http_header_add(secret, h, STR("Accept"), STR("application/json"));
    http_header_add(secret, h, STR("User-Agent"), m->config.agent);
    http_header_add(secret, h, STR("x-ms-client-request-id"), id);
    if (auxiliary.len)
        http_header_add(secret, h, STR("x-ms-authorization-auxiliary"), auxiliary);
    if (call->correlation.len)
        http_header_add(secret, h, STR("x-ms-correlation-request-id"), call->correlation);
    if (call->body.len)
        http_header_add(secret, h, STR("Content-Type"), STR("application/json"));
}

static struct budget_request turn_of(struct arm *m, struct arena *a, const struct arm_call *call)
{
    struct budget_request r = {.subscription = m->settings->subscription,
                               .principal = m->settings->client,
                               .region = m->config.region,
                               .namespace = call->namespace,
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
    /* A wait of 0 is ignored: without a pause, the server would only repeat its response. */
    if (!retry_after(&response->headers, clock_now(), &result->retry_after) || !result->retry_after)
        result->retry_after = -1;
    result->verdict = (struct error_verdict){0};
    if (response->status >= 200 && response->status < 300)
        return;
    cloud_error_read(a, response->status, response->body, &result->error);
    result->error.retry_after = result->retry_after;
    rules_classify(a, m->config.rules, &facts, &result->verdict);
}

int64_t attempt_timeout(struct arm *m, const struct arm_call *call)
{
    int64_t left = call->deadline ? call->deadline - clock_mono() : m->config.timeout;

    if (left > m->config.timeout)
        left = m->config.timeout;
    return left > 0 ? left : 1;
}

static bool may_be_sent_twice(str method)
{
    return !str_eq(method, STR("POST")) && !str_eq(method, STR("PATCH"));
}

void attempt_begin(struct arm *m, struct arena *a, const struct arm_call *call, str url,
                   struct arm_result *result, struct attempt *t)
{
    t->again = false;
    t->turn = turn_of(m, a, call);
    t->request = (struct http_request){
        .method = call->method, .url = url, .body = call->body, .cancel = call->cancel};
    result->status = 0;
    result->tries++;
    result->client_request_id = new_id(a);
    add_headers(m, t->secret, call, result->client_request_id, t->token, t->auxiliary,
                &t->request.headers);
}

void attempt_end(struct arm *m, struct arena *a, const struct arm_call *call,
                 const struct http_response *response, bool ok, struct arm_result *result,
                 struct attempt *t)
{
    struct budget_signal signal = budget_signal_none();

    if (ok) {
        read_answer(m, a, call, response, result);
        signal = budget_signal_of(&response->headers, t->turn.verb, response->status,
                                  result->verdict.effect, result->retry_after);
    }
    gate_leave(m->config.gate, &t->grant, &signal);
    t->again = !response->sent || may_be_sent_twice(call->method);
}

/* ---- Retrying. ---- */

static bool wait_for_server(struct tries *t, int64_t asked, int64_t *wait)
{
    *wait = asked >= 0 ? asked : TROUBLE_WAIT << t->trouble;
    return ++t->trouble < TRIES_MAX && *wait <= TROUBLE_WAIT_MAX;
}

enum again answer_again(struct arm *m, const struct arm_call *call, const struct attempt *attempt,
                        const struct arm_result *r, struct tries *t, int64_t *wait)
{
    bool again = false;

    *wait = 0;
    if (!r->verdict.retry)
        return AGAIN_NOT;
    if (r->verdict.effect == EFFECT_TOKEN && r->status == 401 && !t->renewed) {
        credential_refuse(m->config.credential, attempt->token);
        t->renewed = true;
        return AGAIN;
    }
    if (t->once)
        return AGAIN_NOT;
    if (r->verdict.effect == EFFECT_REGISTER && !t->registered) {
        t->registered = true;
        return AGAIN_REGISTERED;
    }
    if (r->verdict.effect == EFFECT_SERVER && (may_be_sent_twice(call->method) || r->status == 503))
        again = wait_for_server(t, r->retry_after, wait);
    /* The bucket is paused: the next turn comes when it has filled. */
    if (r->verdict.effect == EFFECT_BUCKET && r->status == 429)
        again = ++t->throttled < THROTTLED_MAX &&
                (!call->patience || r->retry_after <= call->patience);
    return again ? AGAIN : AGAIN_NOT;
}

bool failure_again(const struct attempt *attempt, const struct err *failure, struct tries *t,
                   int64_t *wait)
{
    return !t->once && failure->kind == ERR_IO && attempt->again && wait_for_server(t, -1, wait);
}
