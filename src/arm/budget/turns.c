/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turns.c - queues of waiting requests, which take turns by namespace.
 *
 * A namespace without requests is kept until its last turn has expired: otherwise it would get a
 * second turn as soon as it comes back. So is its flow for a provider with a limit.
 */
#include "arm/budget/internal.h"

#include <math.h>

/*
 * How much of a bucket must be left before a namespace may take from it: nothing if it has used
 * none of it, kept if it has used the share HEAVY in the time the bucket takes to fill; in between,
 * the more it has used, the more must be left, rising steeply at first. So heavy users settle at a
 * level where they get no more than their share, whether they are one or many, and light users
 * always find tokens.
 */
#define HEAVY 0.25
#define STEEP 5

void wait_queue_begin(struct wait_queue *q)
{
    q->last = &q->first;
}

static void flow_free(struct wait_flow *f)
{
    struct wait_item *next;

    for (struct wait_item *i = f->first; i; i = next) {
        next = i->next;
        block_free(i);
    }
    if (f->provider)
        f->provider->uses--;
    block_free(f);
}

static void namespace_free(struct wait_namespace *s)
{
    struct wait_flow *next;

    for (struct wait_flow *f = s->flows; f; f = next) {
        next = f->next;
        flow_free(f);
    }
    block_free(s);
}

void wait_queue_free(struct wait_queue *q)
{
    struct wait_namespace *next;

    for (struct wait_namespace *s = q->first; s; s = next) {
        next = s->next;
        namespace_free(s);
    }
}

/* ---- Adding. ---- */

static void put_last(struct wait_queue *q, struct wait_namespace *s)
{
    s->next = NULL;
    *q->last = s;
    q->last = &s->next;
}

static struct wait_namespace *find(const struct wait_queue *q, str name)
{
    struct wait_namespace *s = q->first;

    while (s && !str_eq(s->name, name))
        s = s->next;
    return s;
}

static struct wait_namespace *namespace_of(struct wait_queue *q, str name)
{
    struct wait_namespace *s = find(q, name);
    char *text;

    if (s)
        return s;
    s = block_new(sizeof(*s) + name.len);
    text = (char *)(s + 1);
    if (name.len)
        memcpy(text, name.ptr, name.len);
    *s = (struct wait_namespace){.name = {text, name.len}};
    put_last(q, s);
    return s;
}

static struct wait_flow *flow_of(struct wait_namespace *s, struct budget_bucket *provider)
{
    struct wait_flow **at = &s->flows;

    while (*at && (*at)->provider != provider)
        at = &(*at)->next;
    if (!*at) {
        *at = block_new(sizeof(**at));
        **at = (struct wait_flow){.provider = provider};
        (*at)->last = &(*at)->first;
        if (provider)
            provider->uses++;
    }
    return *at;
}

void wait_queue_add(struct wait_queue *q, str namespace, struct budget_bucket *provider, void *item)
{
    struct wait_namespace *s = namespace_of(q, namespace);
    struct wait_flow *f = flow_of(s, provider);
    struct wait_item *i = block_new(sizeof(*i));

    *i = (struct wait_item){.item = item};
    *f->last = i;
    f->last = &i->next;
    s->waiting++;
    q->waiting++;
}

/* ---- Taking. ---- */

/* Usage decays as fast as the bucket fills. */
static double decay(double *used, int64_t *at, const struct budget_rate *rate, int64_t now)
{
    if (now > *at) {
        double passed = (double)(now - *at) / (double)NS_PER_SEC;
        *used *= exp(-passed * rate->per_second / rate->burst);
        *at = now;
    }
    return *used;
}

/* How much of a bucket a namespace has used. */
static double used_by(struct wait_namespace *s, const struct wait_turn *turn)
{
    return decay(&s->used, &s->used_at, &turn->bucket->rate, turn->now);
}

static bool is_limited(const struct wait_flow *f)
{
    return f->provider && f->provider->limited;
}

/* The same for the bucket of a provider. */
static double used_by_flow(struct wait_flow *f, int64_t now)
{
    return is_limited(f) ? decay(&f->used, &f->used_at, &f->provider->rate, now) : 0;
}

/*
 * Takes the first item of a flow, which then moves to the end of the list, or is freed when empty.
 */
static void *take_from(struct wait_namespace *s, struct wait_flow **at, int64_t now)
{
    struct wait_flow *f = *at, **end;
    struct wait_item *i = f->first;
    void *item = i->item;

    f->first = i->next;
    if (!f->first)
        f->last = &f->first;
    block_free(i);
    s->waiting--;
    *at = f->next;
    if (!f->first && !is_limited(f)) {
        flow_free(f);
        return item;
    }
    f->used = used_by_flow(f, now) + 1;
    for (end = at; *end; end = &(*end)->next)
        ;
    f->next = NULL;
    *end = f;
    return item;
}

/* What must be left in a bucket for a namespace that has used this much of it. */
static double floor_for(const struct wait_turn *turn, const struct budget_bucket *k, double used)
{
    const double heavy = HEAVY * k->rate.burst;
    double share = used < heavy ? pow(used / heavy, 1.0 / STEEP) : 1;

    if (turn->now >= k->shared)
        share = 0;
    return k->rate.burst * (turn->kept * share > turn->floor ? turn->kept * share : turn->floor);
}

/* Whether the provider's bucket has room for a flow, by the same rules as the shared bucket. */
static bool provider_has(struct wait_flow *f, const struct wait_turn *turn, int64_t *again)
{
    if (!is_limited(f))
        return !f->provider || bucket_has(f->provider, 1, turn->now, again);
    return bucket_has(f->provider, 1 + floor_for(turn, f->provider, used_by_flow(f, turn->now)),
                      turn->now, again);
}

static void *take(struct wait_namespace *s, const struct wait_turn *turn,
                  struct budget_bucket **provider, int64_t *again)
{
    const double floor = floor_for(turn, turn->bucket, used_by(s, turn));

    if (!bucket_has(turn->bucket, 1 + floor, turn->now, again))
        return NULL;
    for (struct wait_flow **at = &s->flows, *f; (f = *at);) {
        if (f->first && provider_has(f, turn, again)) {
            *provider = f->provider;
            return take_from(s, at, turn->now);
        }
        if (f->first || used_by_flow(f, turn->now) >= 1) {
            at = &f->next;
            continue;
        }
        *at = f->next;
        flow_free(f);
    }
    return NULL;
}

/* Removes s, at *at, from the ring. */
static void unlink_namespace(struct wait_queue *q, struct wait_namespace **at)
{
    struct wait_namespace *s = *at;

    *at = s->next;
    if (q->last == &s->next)
        q->last = at;
}

static bool passes(const struct wait_namespace *s, const struct wait_turn *turn)
{
    if (!s->waiting || (turn->cycle && s->cycle == turn->cycle))
        return false;
    for (size_t i = 0; i < turn->before_count; i++) {
        const struct wait_namespace *other =
            turn->before[i].waiting ? find(&turn->before[i], s->name) : NULL;
        if (other && other->waiting)
            return false;
    }
    return true;
}

void *wait_queue_next(struct wait_queue *q, const struct wait_turn *turn,
                      struct budget_bucket **provider, int64_t *again)
{
    struct wait_namespace **at = &q->first, *s;
    void *item;

    while (q->waiting && (s = *at)) {
        if (!s->waiting && (!turn->cycle || s->cycle != turn->cycle) && used_by(s, turn) < 1) {
            unlink_namespace(q, at);
            namespace_free(s);
            continue;
        }
        item = passes(s, turn) ? take(s, turn, provider, again) : NULL;
        if (item) {
            q->waiting--;
            s->cycle = turn->cycle;
            s->used = used_by(s, turn) + 1;
            unlink_namespace(q, at);
            put_last(q, s);
            return item;
        }
        at = &s->next;
    }
    return NULL;
}
