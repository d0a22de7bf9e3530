/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits.c - how many requests a subscription may send: a bucket per subscription, principal and
 * kind of request. A request takes one token; with an empty bucket it gets 429 and the time until
 * the next token.
 */
#include "sim/internal.h"

#include <math.h>
#include <string.h>

/* Foreign principals must not use up the memory. */
#define BUCKETS_MAX 10000

struct bucket {
    struct table_node node;
    double left;
    int64_t at;
};

/* The bucket of a key, as full as it is now; NULL: there are too many. */
static struct bucket *bucket_of(struct sim_call *c, str key, const struct sim_rate *rate)
{
    struct bucket *b = (struct bucket *)sim_node(c->sim->buckets, key, sizeof *b, BUCKETS_MAX);
    int64_t now = sim_now(c->sim);

    if (!b)
        return NULL;
    b->left = b->at ? fmin(rate->size, b->left + (double)(now - b->at) / NS_PER_SEC * rate->refill)
                    : rate->size;
    b->at = now;
    return b;
}

bool sim_take(struct sim_call *c, str key, const struct sim_rate *rate, int64_t *left,
              int64_t *wait)
{
    struct bucket *b = c->sim->config.unlimited ? NULL : bucket_of(c, key, rate);

    *left = (int64_t)rate->size;
    *wait = 0;
    if (!b)
        return true;
    if (b->left < 1) {
        *wait = (int64_t)fmax(1, ceil((1 - b->left) / rate->refill));
        return false;
    }
    b->left -= 1;
    *left = (int64_t)b->left;
    return true;
}

str sim_principal(const struct sim_call *c)
{
    return http_header_get(c->q->headers, STR("Authorization"));
}

/* ---- The limits of ARM. ------------------------------------------------------------------------
 */

static void retry_header(struct sim_call *c, int64_t wait)
{
    sim_header(c, "Retry-After", str_fmt(c->arena, "%lld", (long long)wait));
    c->sim->counters.throttled++;
}

static bool admit_subscription(struct sim_call *c)
{
    const struct sim_config *config = &c->sim->config;
    bool writes = strcmp(c->kind, "write") == 0, deletes = strcmp(c->kind, "delete") == 0;
    const struct sim_rate *rate = writes    ? &config->writes
                                  : deletes ? &config->deletes
                                            : &config->reads;
    const char *word = writes ? "writes" : deletes ? "deletes" : "reads";
    str key = str_fmt(c->arena, "%s|%.*s|%.*s", word,
                      STR_ARG(str_lower(c->arena, c->id.subscription)), STR_ARG(sim_principal(c)));
    int64_t left, wait;

    if (sim_take(c, key, rate, &left, &wait)) {
        str name = str_fmt(c->arena, "x-ms-ratelimit-remaining-%s-%s",
                           c->id.subscription.len ? "subscription" : "tenant", word);
        if (!config->unlimited)
            sim_header(c, str_z(c->arena, name), str_fmt(c->arena, "%lld", (long long)left));
        return true;
    }
    retry_header(c, wait);
    sim_refuse(c, 429, "SubscriptionRequestsThrottled",
               "Number of requests for subscription '%.*s' exceeded the limit. Please try again "
               "after '%lld' seconds.",
               STR_ARG(c->id.subscription), (long long)wait);
    return false;
}

/* ---- The limits of providers, which are data. --------------------------------------------------
 * */

static bool admit_limit(struct sim_call *c, const struct sim_limit *limit, struct buf *shown)
{
    struct sim_rate rate = {(double)limit->count, (double)limit->count / (double)limit->seconds};
    str key = str_fmt(c->arena, "%.*s/%.*s|%.*s", STR_ARG(limit->provider), STR_ARG(limit->name),
                      STR_ARG(str_lower(c->arena, c->id.subscription)));
    int64_t left, wait;

    if (sim_take(c, key, &rate, &left, &wait)) {
        buf_fmt(shown, "%s%.*s/%.*s;%lld", shown->len ? "," : "", STR_ARG(limit->provider),
                STR_ARG(limit->name), (long long)left);
        return true;
    }
    retry_header(c, wait);
    sim_refuse(c, 429, "TooManyRequests",
               "The request is being throttled as the limit has been reached for operation type "
               "- %.*s of %.*s. Please try again after '%lld' seconds.",
               STR_ARG(limit->name), STR_ARG(limit->provider), (long long)wait);
    return false;
}

static bool is_for(const struct sim_call *c, const struct sim_limit *limit)
{
    bool changes = strcmp(c->kind, "write") == 0 || strcmp(c->kind, "delete") == 0;

    return !limit->kind.len || str_eq(str_c(c->kind), limit->kind) ||
           (changes && str_eq(limit->kind, STR("change")));
}

static bool admit_provider(struct sim_call *c)
{
    const struct sim_limits *limits = sim_types_limits(c->sim->types);
    str provider = c->id.block_count ? c->id.blocks[c->id.block_count - 1].provider : STR_NONE;
    struct buf shown = buf_new(c->arena, BUF_UNLIMITED);

    if (c->sim->config.unlimited)
        return true;
    for (size_t i = 0; i < limits->len; i++)
        if (str_eq_fold(provider, limits->items[i].provider) && is_for(c, &limits->items[i]) &&
            !admit_limit(c, &limits->items[i], &shown))
            return false;
    if (shown.len)
        sim_header(c, "x-ms-ratelimit-remaining-resource", buf_str(&shown));
    return true;
}

bool sim_admit(struct sim_call *c)
{
    return admit_subscription(c) && admit_provider(c);
}
