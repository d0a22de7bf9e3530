/* SPDX-License-Identifier: Apache-2.0 */
/* retry.c - whether and when a request is retried; see retry.h. */
#include "net/retry.h"

#define YEAR (31536000 * NS_PER_SEC)

/* ---- Policies ------------------------------------------------------------------------------- */

static const struct retry_rule kube_rules[] = {
    {429, 429, .only_asked = true},
    {500, 599, .only_asked = true},
};
static const struct retry_rule read_rules[] = {
    {429, 429, .idempotent = true},
    {500, 500, .idempotent = true},
    {502, 504, .idempotent = true},
};

const struct retry_policy retry_never = {.name = "never", .attempts_max = 1};

const struct retry_policy retry_kube = {
    .name = "kube",
    .attempts_max = 10,
    .first = 1 * NS_PER_SEC,
    .max = 1 * NS_PER_SEC,
    .factor = 100,
    .jitter = 20,
    .asked_max = 120 * NS_PER_SEC,
    .lost_only = true,
    .rules = kube_rules,
    .rule_count = COUNT(kube_rules),
};

const struct retry_policy retry_reads = {
    .name = "reads",
    .attempts_max = 5,
    .first = 500 * NS_PER_MS,
    .max = 8 * NS_PER_SEC,
    .factor = 200,
    .jitter = 20,
    .asked_max = 30 * NS_PER_SEC,
    .total_max = 30 * NS_PER_SEC,
    .rules = read_rules,
    .rule_count = COUNT(read_rules),
};

/* ---- Deciding ------------------------------------------------------------------------------- */

struct retry retry_begin(const struct retry_policy *policy)
{
    return (struct retry){.policy = policy, .next = policy->first};
}

/* Whether sending it twice has the same effect as sending it once. */
static bool is_idempotent(const struct http_request *request)
{
    static const char *const methods[] = {"GET", "HEAD", "OPTIONS", "PUT", "DELETE"};

    if (!request->method.len)
        return true;
    for (size_t i = 0; i < COUNT(methods); i++)
        if (str_eq(request->method, str_c(methods[i])))
            return true;
    return false;
}

static bool is_reading(const struct http_request *request)
{
    return !request->method.len || str_eq(request->method, STR("GET")) ||
           str_eq(request->method, STR("HEAD"));
}

static bool answer_is_worth_it(const struct retry_policy *p, const struct http_request *request,
                               int status, bool asked)
{
    for (size_t i = 0; i < p->rule_count; i++) {
        const struct retry_rule *rule = &p->rules[i];
        if (status >= rule->from && status <= rule->to)
            return (asked || !rule->only_asked) && (!rule->idempotent || is_idempotent(request));
    }
    return false;
}

/* A request that was never sent can always be retried; otherwise only one that changes nothing. */
static bool failure_is_worth_it(const struct retry_policy *p, const struct http_request *request,
                                const struct http_response *response)
{
    if (p->lost_only && response->failure != HTTP_FAILURE_RESET)
        return false;
    switch (response->failure) {
    case HTTP_FAILURE_REFUSED:
    case HTTP_FAILURE_CONNECT:
    case HTTP_FAILURE_DNS:
        return true;
    case HTTP_FAILURE_TIMEOUT:
    case HTTP_FAILURE_RESET:
        return !response->sent || is_reading(request);
    default:
        return false;
    }
}

static int64_t with_jitter(int64_t wait, unsigned hundredths)
{
    uint64_t most = (uint64_t)wait / 100 * hundredths;

    return wait + (most ? (int64_t)random_below(most + 1) : 0);
}

/* Our own wait; the next one will be longer. */
static int64_t back_off(struct retry *r)
{
    int64_t wait = with_jitter(r->next, r->policy->jitter);
    int64_t next = r->next / 100 * (int64_t)r->policy->factor;

    r->next = next > r->policy->max ? r->policy->max : next;
    return wait;
}

bool retry_next(struct retry *r, const struct http_request *request,
                const struct http_response *response, int64_t *wait)
{
    int64_t asked_wait = 0;
    bool is_answer = response->failure == HTTP_FAILURE_NONE;
    bool asked = is_answer && retry_after(&response->headers, clock_now(), &asked_wait);
    /* Pieces that were passed on cannot be taken back. */
    bool half_given = !is_answer && request->on_body && response->status / 100 == 2;

    r->attempts++;
    if (r->attempts >= r->policy->attempts_max || half_given)
        return false;
    if (is_answer ? !answer_is_worth_it(r->policy, request, response->status, asked)
                  : !failure_is_worth_it(r->policy, request, response))
        return false;
    *wait = asked ? with_jitter(asked_wait, 0) : back_off(r);
    if ((asked && *wait > r->policy->asked_max) ||
        (r->policy->total_max && r->waited + *wait > r->policy->total_max))
        return false;
    r->waited += *wait;
    return true;
}

bool retry_send(struct http_client *c, struct arena *a, const struct http_request *request,
                const struct retry_policy *policy, struct http_response *response, struct err *e)
{
    struct retry r = retry_begin(policy);
    int64_t wait;

    for (;;) {
        /* What a failed attempt left in the arena is dropped before the next one. */
        struct arena_mark mark = arena_mark(a);
        bool ok = http_send(c, a, request, response, e);
        if (!retry_next(&r, request, response, &wait))
            return ok;
        LOG_DEBUG("request is retried", LOG_STR("policy", str_c(policy->name)),
                  LOG_INT("status", response->status), LOG_INT("wait_ms", wait / NS_PER_MS),
                  LOG_STR("failure", str_c(http_failure_name(response->failure))));
        arena_rewind(a, mark);
        if (!http_cancel_wait(request->cancel, wait, e)) {
            *response =
                (struct http_response){.url = request->url, .failure = HTTP_FAILURE_CANCELLED};
            return false;
        }
    }
}

/* ---- Retry-After ---------------------------------------------------------------------------- */

static int64_t limited(uint64_t count, int64_t unit)
{
    return count > (uint64_t)(YEAR / unit) ? YEAR : (int64_t)count * unit;
}

static bool is_number(str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] < '0' || s.ptr[i] > '9')
            return false;
    return s.len > 0;
}

static bool read_count(str text, int64_t unit, int64_t *wait)
{
    uint64_t count;

    if (!is_number(text))
        return false;
    *wait = str_to_u64(text, &count) ? limited(count, unit) : YEAR;
    return true;
}

bool retry_after(const struct http_headers *headers, int64_t now, int64_t *wait)
{
    static const char *const in_ms[] = {"retry-after-ms", "x-ms-retry-after-ms"};
    str text = str_trim(http_header_get(headers, STR("Retry-After")));
    int64_t seconds;

    for (size_t i = 0; i < COUNT(in_ms); i++)
        if (read_count(str_trim(http_header_get(headers, str_c(in_ms[i]))), NS_PER_MS, wait))
            return true;
    if (read_count(text, NS_PER_SEC, wait))
        return true;
    if (!http_date_parse(text, now, &seconds))
        return false;
    int64_t from_now = seconds - now / NS_PER_SEC;
    *wait = from_now > 0 ? limited((uint64_t)from_now, NS_PER_SEC) : 0;
    return true;
}
