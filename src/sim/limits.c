/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits.c - how many requests a subscription may send: a bucket per subscription, principal and
 * kind of request. A request takes one token; an empty bucket answers 429 and says when the next
 * token comes.
 */
#include "sim/internal.h"

#include <math.h>
#include <string.h>

/* Foreign principals must not fill the memory. */
#define BUCKETS_MAX 10000

struct bucket {
    struct table_node node;
    double left;
    int64_t at;
};

static struct bucket *bucket_of(struct sim_call *c, str key, const struct sim_rate *rate)
{
    struct sim *s = c->sim;
    struct bucket *b = (struct bucket *)table_find(s->buckets, key);

    if (b || table_len(s->buckets) >= BUCKETS_MAX)
        return b;
    b = block_new(sizeof *b);
    memset(b, 0, sizeof *b);
    b->left = rate->size;
    b->at = sim_now(s);
    str kept = STR_NONE;
    sim_keep(&kept, key);
    table_add(s->buckets, &b->node, kept);
    return b;
}

static void refill(struct sim *s, struct bucket *b, const struct sim_rate *rate)
{
    int64_t now = sim_now(s);

    b->left = fmin(rate->size, b->left + (double)(now - b->at) / NS_PER_SEC * rate->refill);
    b->at = now;
}

static void refuse(struct sim_call *c, const struct bucket *b, const struct sim_rate *rate)
{
    int64_t wait = (int64_t)ceil((1 - b->left) / rate->refill);

    sim_header(c, "Retry-After", str_fmt(c->arena, "%lld", (long long)(wait < 1 ? 1 : wait)));
    c->sim->counters.throttled++;
    sim_refuse(c, 429, "SubscriptionRequestsThrottled",
               "Number of requests for subscription '%.*s' exceeded the limit. Please try again "
               "after '%lld' seconds.",
               STR_ARG(c->id.subscription), (long long)wait);
}

bool sim_admit(struct sim_call *c)
{
    const struct sim_config *config = &c->sim->config;
    bool writes = strcmp(c->kind, "write") == 0, deletes = strcmp(c->kind, "delete") == 0;
    const struct sim_rate *rate = writes    ? &config->writes
                                  : deletes ? &config->deletes
                                            : &config->reads;
    const char *word = writes ? "writes" : deletes ? "deletes" : "reads";
    str key = str_fmt(c->arena, "%s|%.*s|%.*s", word,
                      STR_ARG(str_lower(c->arena, c->id.subscription)),
                      STR_ARG(http_header_get(c->q->headers, STR("Authorization"))));
    struct bucket *b = config->unlimited ? NULL : bucket_of(c, key, rate);

    if (!b)
        return true;
    refill(c->sim, b, rate);
    if (b->left < 1) {
        refuse(c, b, rate);
        return false;
    }
    b->left -= 1;
    sim_header(c,
               str_z(c->arena, str_fmt(c->arena, "x-ms-ratelimit-remaining-subscription-%s", word)),
               str_fmt(c->arena, "%lld", (long long)b->left));
    return true;
}
