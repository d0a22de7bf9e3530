/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stats.c - what responses reveal about the budget, and its statistics.
 */
#include "arm/budget/internal.h"

struct budget_signal budget_signal_none(void)
{
    return (struct budget_signal){
        .retry_after = -1, .remaining = -1, .provider_remaining = -1, .provider_window = -1};
}

/* ---- Headers. ---- */

/* Takes the number from the header if it is present and less than *out. */
static void take_less(const struct http_headers *h, const char *name, int64_t *out)
{
    int64_t n;

    if (str_to_i64(str_trim(http_header_get(h, str_c(name))), &n) && n >= 0 &&
        (*out < 0 || n < *out))
        *out = n;
}

/* "HighCostGet3Min": three minutes. -1 when there is no period. */
static int64_t window_of(str policy)
{
    str digits = str_without_suffix(policy, STR("Min"));
    size_t from = digits.len;
    int64_t minutes;

    while (from && digits.ptr[from - 1] >= '0' && digits.ptr[from - 1] <= '9')
        from--;
    if (digits.len == policy.len || !str_to_i64(str_from(digits, from), &minutes) || minutes < 1 ||
        minutes > 1440)
        return -1;
    return minutes * 60 * NS_PER_SEC;
}

/* "Microsoft.Compute/HighCostGet3Min;159,Microsoft.Compute/HighCostGet30Min;799" */
static void take_provider(str text, struct budget_signal *s)
{
    str entry, policy, left;
    int64_t n;

    while (text.len) {
        str_cut(text, STR(","), &entry, &text);
        if (!str_cut(str_trim(entry), STR(";"), &policy, &left) ||
            !str_to_i64(str_trim(left), &n) || n < 0)
            continue;
        if (s->provider_remaining < 0 || n < s->provider_remaining) {
            s->provider_remaining = n;
            s->provider_window = window_of(str_trim(policy));
        }
    }
}

struct budget_signal budget_signal_of(const struct http_headers *headers, enum budget_verb verb,
                                      int status, enum error_effect effect, int64_t retry_after)
{
    static const char *const names[BUDGET_VERBS][3] = {
        {"x-ms-ratelimit-remaining-subscription-reads", "x-ms-ratelimit-remaining-tenant-reads",
         "x-ms-ratelimit-remaining-subscription-global-reads"},
        {"x-ms-ratelimit-remaining-subscription-writes", "x-ms-ratelimit-remaining-tenant-writes",
         "x-ms-ratelimit-remaining-subscription-global-writes"},
        {"x-ms-ratelimit-remaining-subscription-deletes", "x-ms-ratelimit-remaining-tenant-deletes",
         "x-ms-ratelimit-remaining-subscription-global-deletes"},
    };
    struct budget_signal s = budget_signal_none();

    for (size_t i = 0; i < COUNT(names[verb]); i++)
        take_less(headers, names[verb][i], &s.remaining);
    take_provider(http_header_get(headers, STR("x-ms-ratelimit-remaining-resource")), &s);
    s.throttled = status == 429 && effect == EFFECT_BUCKET;
    if (s.throttled)
        s.retry_after = retry_after;
    return s;
}

/* ---- Looking. ---- */

size_t budget_stats(struct arena *a, struct budget *b, int64_t now, struct budget_stats **out)
{
    struct budget_stats *s = ARENA_ARRAY(a, struct budget_stats, table_len(b->buckets));
    size_t n = 0;

    for (struct budget_bucket *k = b->first; k; k = k->next, n++) {
        bucket_refill(k, now);
        s[n] = k->names;
        s[n].level = k->level;
        s[n].burst = k->rate.burst;
        s[n].per_second = k->rate.per_second;
        s[n].in_flight = k->in_flight;
        s[n].throttled = k->throttled;
        s[n].paused = k->paused > now ? k->paused - now : 0;
        for (size_t i = 0; i < BUDGET_PRIORITIES; i++) {
            s[n].granted[i] = k->granted[i];
            s[n].waiting[i] = k->queues[i].waiting;
        }
    }
    *out = s;
    return n;
}
