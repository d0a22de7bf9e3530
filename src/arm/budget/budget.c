/* SPDX-License-Identifier: Apache-2.0 */
/*
 * budget.c - the buckets, and which request is next; see budget.h.
 *
 * Why we never send too much: a request in flight may not have arrived, and Azure's bucket does not
 * grow while it is full. So our level plus the requests in flight never exceeds the burst, and our
 * level is never above Azure's.
 */
#include "arm/budget/internal.h"

/* The pause after a 429 without Retry-After, doubled each time up to the maximum. */
#define PAUSE_FIRST (5 * NS_PER_SEC)
#define PAUSE_MAX (300 * NS_PER_SEC)
/* Buckets that take an hour to fill are not reserved for others for that long. */
#define SHARED_MAX (900 * NS_PER_SEC)

struct budget_limits budget_published(void)
{
    return (struct budget_limits){
        .rates =
            {[BUDGET_READ] = {250, 25}, [BUDGET_WRITE] = {200, 10}, [BUDGET_DELETE] = {200, 10}},
        .share = 0.9,
        .reserve = 0.25,
        .kept = 0.6,
        .waiting_max = 1000000,
        .buckets_max = 10000,
    };
}

enum budget_verb budget_verb_of(str method)
{
    if (str_eq(method, STR("GET")) || str_eq(method, STR("HEAD")))
        return BUDGET_READ;
    return str_eq(method, STR("DELETE")) ? BUDGET_DELETE : BUDGET_WRITE;
}

/* ---- One bucket. ---- */

void bucket_refill(struct budget_bucket *b, int64_t now)
{
    const double room = b->rate.burst - (double)b->in_flight;

    if (now > b->at) {
        b->level += (double)(now - b->at) / (double)NS_PER_SEC * b->rate.per_second;
        b->at = now;
    }
    if (b->level > room)
        b->level = room;
}

static void sooner(int64_t *again, int64_t at)
{
    if (at < *again)
        *again = at;
}

bool bucket_has(struct budget_bucket *b, double need, int64_t now, int64_t *again)
{
    double missing, wait;

    if (!b->limited && now >= b->paused)
        return true;
    if (now < b->paused) {
        sooner(again, b->paused);
        return false;
    }
    bucket_refill(b, now);
    /* The reserve of a tiny bucket must not block it. */
    if (need > b->rate.burst)
        need = b->rate.burst;
    if (b->level + 1e-9 >= need)
        return true;
    missing = need - b->level;
    wait = missing / b->rate.per_second * (double)NS_PER_SEC + 1;
    /* It may only grow when responses come in, but the caller can call again anyway. */
    sooner(again, wait > 3.6e12 ? now + 3600 * NS_PER_SEC : now + (int64_t)wait);
    return false;
}

uint64_t bucket_take(struct budget_bucket *b)
{
    b->level -= 1;
    b->in_flight++;
    return ++b->taken - b->in_flight;
}

/* ---- All buckets. ---- */

struct budget *budget_new(const struct budget_limits *limits)
{
    struct budget *b = block_new(sizeof(*b));
    struct budget_provider *providers;

    *b = (struct budget){
        .limits = *limits, .arena = arena_new(), .scratch = arena_new(), .buckets = table_new()};
    providers = ARENA_ARRAY(b->arena, struct budget_provider, limits->provider_count);
    for (size_t i = 0; i < limits->provider_count; i++) {
        providers[i] = limits->providers[i];
        providers[i].provider = str_copy(b->arena, limits->providers[i].provider);
    }
    b->limits.providers = providers;
    return b;
}

static void free_bucket(struct budget_bucket *k)
{
    for (size_t i = 0; i < BUDGET_PRIORITIES; i++)
        wait_queue_free(&k->queues[i]);
}

void budget_free(struct budget *b)
{
    struct budget_bucket *next;

    if (!b)
        return;
    /* Queues point at buckets of providers, so all queues go first. */
    for (struct budget_bucket *k = b->first; k; k = k->next)
        free_bucket(k);
    for (struct budget_bucket *k = b->first; k; k = next) {
        next = k->next;
        block_free(k);
    }
    table_free(b->buckets);
    arena_free(b->arena);
    arena_free(b->scratch);
    block_free(b);
}

static bool is_idle(struct budget_bucket *k, int64_t now)
{
    bucket_refill(k, now);
    for (size_t i = 0; i < BUDGET_PRIORITIES; i++)
        if (k->queues[i].waiting)
            return false;
    return !k->in_flight && !k->uses && now >= k->paused &&
           (!k->limited || k->level >= k->rate.burst);
}

static void drop_idle_once(struct budget *b, int64_t now)
{
    struct budget_bucket **at = &b->first, *k;

    while ((k = *at)) {
        if (!is_idle(k, now)) {
            at = &k->next;
            continue;
        }
        *at = k->next;
        table_drop(b->buckets, &k->node);
        free_bucket(k);
        block_free(k);
    }
}

/* Drops buckets that are full again; those of providers when they are no longer referenced. */
static void drop_idle(struct budget *b, int64_t now)
{
    drop_idle_once(b, now);
    drop_idle_once(b, now);
}

/* The parts of a key, in lowercase, separated by NULs. */
static str key_of(struct arena *a, const struct budget_request *r, bool provider)
{
    const str parts[] = {r->subscription, r->principal, r->region,
                         provider ? r->provider : STR_NONE};
    struct buf key = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < COUNT(parts); i++) {
        buf_add(&key, parts[i]);
        buf_char(&key, '\0');
    }
    buf_char(&key, (char)('0' + r->verb));
    return str_lower(a, buf_str(&key));
}

static str part_of(str *rest)
{
    str part;

    str_cut(*rest, str_of("\0", 1), &part, rest);
    return part;
}

/* The limit of a bucket that no response has described yet. */
static bool known_rate(const struct budget *b, const struct budget_stats *names,
                       struct budget_rate *out)
{
    const struct budget_limits *l = &b->limits;

    *out = (struct budget_rate){1e9, 1e9};
    if (!names->provider.len) {
        *out = l->rates[names->verb];
        return true;
    }
    for (size_t i = 0; i < l->provider_count; i++)
        if (l->providers[i].verb == names->verb &&
            str_eq_fold(l->providers[i].provider, names->provider)) {
            *out = l->providers[i].rate;
            return true;
        }
    return false;
}

/*
 * Sets what we use of a bucket: our share, minus what it gains in a second, because it may be
 * filled only once a second.
 */
static void use_rate(const struct budget *b, struct budget_bucket *k, struct budget_rate whole)
{
    const double rate = whole.per_second * b->limits.share, burst = whole.burst * b->limits.share;

    k->rate.per_second = rate;
    k->rate.burst = burst < whole.burst - rate ? burst : whole.burst - rate;
    if (k->rate.burst < 1)
        k->rate.burst = 1;
    k->others = whole.burst - k->rate.burst;
}

/* How long a bucket counts as shared after the last sign of sharing, or if nothing is known. */
static int64_t shared_for(const struct budget_bucket *k)
{
    const double fills = k->rate.burst / k->rate.per_second * (double)NS_PER_SEC;

    return fills < (double)SHARED_MAX ? (int64_t)fills : SHARED_MAX;
}

static struct budget_bucket *new_bucket(struct budget *b, str key, enum budget_verb verb,
                                        int64_t now)
{
    struct budget_bucket *k = block_new(sizeof(*k) + key.len);
    char *text = (char *)(k + 1);
    str rest = {text, key.len};
    struct budget_rate whole;

    memcpy(text, key.ptr, key.len);
    *k = (struct budget_bucket){.at = now, .paused = INT64_MIN, .cycle = 1};
    k->names.verb = verb;
    k->names.subscription = part_of(&rest);
    k->names.principal = part_of(&rest);
    k->names.region = part_of(&rest);
    k->names.provider = part_of(&rest);
    k->limited = known_rate(b, &k->names, &whole);
    use_rate(b, k, whole);
    k->level = k->rate.burst;
    k->shared = now + shared_for(k);
    for (size_t i = 0; i < BUDGET_PRIORITIES; i++)
        wait_queue_begin(&k->queues[i]);
    table_add(b->buckets, &k->node, str_of(text, key.len));
    k->next = b->first;
    b->first = k;
    return k;
}

/* The bucket of r, created if necessary; NULL when there are too many. */
static struct budget_bucket *bucket_of(struct budget *b, const struct budget_request *r,
                                       bool provider, int64_t now)
{
    struct arena *a = b->scratch;
    struct table_node *node;
    str key;

    arena_reset(a);
    key = key_of(a, r, provider);
    node = table_find(b->buckets, key);

    if (node)
        return (struct budget_bucket *)node;
    if (table_len(b->buckets) >= b->limits.buckets_max)
        drop_idle(b, now);
    if (table_len(b->buckets) >= b->limits.buckets_max)
        return NULL;
    return new_bucket(b, key, r->verb, now);
}

/* A namespace that has had a bucket to itself while it filled does not have to leave a reserve. */
static void note_namespace(struct budget_bucket *k, uint64_t namespace, int64_t now)
{
    if (k->namespace && k->namespace != namespace)
        k->shared = now + shared_for(k);
    k->namespace = namespace;
}

bool budget_submit(struct budget *b, const struct budget_request *r, int64_t now, struct err *e)
{
    struct budget_bucket *bucket, *provider = NULL;

    assert(r->item);
    if (b->waiting >= b->limits.waiting_max)
        return err_set(e, ERR_LIMIT, "more than %zu requests wait for the request budget",
                       b->limits.waiting_max);
    /* Referenced, so that creating the second does not drop the first. */
    bucket = bucket_of(b, r, false, now);
    if (bucket && r->provider.len) {
        bucket->uses++;
        provider = bucket_of(b, r, true, now);
        bucket->uses--;
    }
    if (!bucket || (r->provider.len && !provider))
        return err_set(e, ERR_LIMIT, "more than %zu request budgets are in use at once",
                       b->limits.buckets_max);
    note_namespace(bucket, str_hash(r->namespace) | 1, now);
    if (provider)
        note_namespace(provider, str_hash(r->namespace) | 1, now);
    wait_queue_add(&bucket->queues[r->priority], r->namespace, provider, r->item);
    b->waiting++;
    return true;
}

/* ---- Turns. ---- */

/* User requests and polls: one turn each per cycle, then a new cycle begins. */
static void *next_urgent(struct budget *b, struct budget_bucket *k, int64_t now,
                         enum budget_priority *priority, struct budget_bucket **provider,
                         int64_t *again)
{
    for (int tries = 0; tries < 2; tries++, k->cycle++)
        for (*priority = BUDGET_USER; *priority <= BUDGET_POLL; (*priority)++) {
            struct wait_turn turn = {.now = now,
                                     .cycle = k->cycle,
                                     .kept = b->limits.kept,
                                     .before = k->queues,
                                     .before_count = *priority,
                                     .bucket = k};
            void *item = wait_queue_next(&k->queues[*priority], &turn, provider, again);
            if (item)
                return item;
        }
    return NULL;
}

static void *next_in(struct budget *b, struct budget_bucket *k, int64_t now,
                     struct budget_grant *grant, int64_t *again)
{
    enum budget_priority priority;
    struct budget_bucket *provider = NULL;
    struct wait_turn turn = {.now = now,
                             .bucket = k,
                             .floor = b->limits.reserve,
                             .before = k->queues,
                             .before_count = BUDGET_SWEEP};
    void *item = next_urgent(b, k, now, &priority, &provider, again);

    if (!item) {
        priority = BUDGET_SWEEP;
        item = wait_queue_next(&k->queues[priority], &turn, &provider, again);
    }
    if (!item)
        return NULL;
    *grant = (struct budget_grant){.bucket = k, .provider = provider, .mark = bucket_take(k)};
    k->granted[priority]++;
    if (provider) {
        grant->provider_mark = bucket_take(provider);
        provider->granted[priority]++;
    }
    b->waiting--;
    return item;
}

void *budget_next(struct budget *b, int64_t now, struct budget_grant *grant, int64_t *again)
{
    struct budget_bucket *k = b->first;
    const size_t count = table_len(b->buckets);

    *again = INT64_MAX;
    if (!b->waiting || !count)
        return NULL;
    b->turn = (b->turn + 1) % count;
    for (size_t i = 0; i < b->turn; i++)
        k = k->next;
    for (size_t i = 0; i < count; i++) {
        void *item = next_in(b, k, now, grant, again);
        if (item)
            return item;
        k = k->next ? k->next : b->first;
    }
    return NULL;
}

/* ---- Responses. ---- */

static void give_back(struct budget_bucket *k, int64_t now)
{
    bucket_refill(k, now);
    assert(k->in_flight);
    k->in_flight--;
}

static void pause_bucket(struct budget_bucket *k, int64_t now, int64_t wait)
{
    if (wait < 0) {
        wait = k->silences < 7 ? PAUSE_FIRST << k->silences : PAUSE_MAX;
        k->silences++;
    }
    if (wait > PAUSE_MAX * 12)
        wait = PAUSE_MAX * 12;
    k->throttled++;
    k->level = 0;
    if (k->paused < now + wait)
        k->paused = now + wait;
    /* It does not fill while paused: the next response shows what is left. */
    k->at = k->paused;
}

/*
 * remaining tokens were left at Azure when a request arrived. Of the other requests, those answered
 * before it was sent (mark) had arrived before it; each of the rest may have arrived before it or
 * may still take a token. So the level is at least remaining minus all of these, and at most
 * remaining minus those not answered yet. Responses come in any order: an old one means little,
 * because many requests were sent since, and does no harm.
 */
static void correct(struct budget_bucket *k, int64_t remaining, uint64_t mark)
{
    const double most = (double)remaining - (double)k->in_flight;
    /* remaining includes the part of the bucket that we do not use. */
    const double least = (double)remaining - k->others - (double)(k->taken - mark - 1);

    if (remaining < 0)
        return;
    if (k->level > most)
        k->level = most < 0 ? 0 : most;
    else if (k->level < least)
        k->level = least;
}

/* A provider reports how much is left, but not of how much: the largest value seen is the burst. */
static void learn(const struct budget *b, struct budget_bucket *k, const struct budget_signal *s,
                  uint64_t mark)
{
    const double seen = (double)s->provider_remaining * b->limits.share;

    if (s->provider_remaining < 0)
        return;
    if (s->provider_window > 0 && (!k->limited || seen > k->rate.burst) && seen >= 1) {
        const double burst = (double)s->provider_remaining;
        use_rate(
            b, k,
            (struct budget_rate){burst, burst * (double)NS_PER_SEC / (double)s->provider_window});
        k->level = k->rate.burst;
        k->limited = true;
    }
    if (k->limited)
        correct(k, s->provider_remaining, mark);
}

void budget_answer(struct budget *b, const struct budget_grant *grant, int64_t now,
                   const struct budget_signal *s)
{
    /* If the subscription has tokens left, it is the provider that has none. */
    struct budget_bucket *k = grant->bucket, *p = grant->provider,
                         *empty = p && s->remaining > 0 ? p : k;

    give_back(k, now);
    correct(k, s->remaining, grant->mark);
    if (p) {
        give_back(p, now);
        learn(b, p, s, grant->provider_mark);
    }
    if (s->throttled)
        pause_bucket(empty, now, s->retry_after);
    else
        empty->silences = 0;
}

static void untake(struct budget_bucket *k, int64_t now)
{
    give_back(k, now);
    k->level += 1;
    bucket_refill(k, now);
}

void budget_return(struct budget *b, const struct budget_grant *grant, int64_t now)
{
    (void)b;
    untake(grant->bucket, now);
    if (grant->provider)
        untake(grant->provider, now);
}
