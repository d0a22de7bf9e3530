/* SPDX-License-Identifier: Apache-2.0 */
/* test_budget.c - the request budget: order, fairness, headers, and a fleet of 5,000 resources. */
#include "../test.h"

#include "azure/budget.h"

#define SEC NS_PER_SEC

static struct budget_request asked(const char *space, enum budget_priority priority,
                                   enum budget_verb verb, void *item)
{
    return (struct budget_request){.subscription = STR("s"),
                                   .principal = STR("p"),
                                   .region = STR("westeurope"),
                                   .provider = STR("Microsoft.Network"),
                                   .space = str_c(space),
                                   .priority = priority,
                                   .verb = verb,
                                   .item = item};
}

/* Items are texts, named by what they stand for. */
static void submit(struct budget *b, const char *space, enum budget_priority priority,
                   const char *item)
{
    struct budget_request r = asked(space, priority, BUDGET_READ, (char *)item);
    AUTO_ERR e = {0};

    assert_ok(budget_submit(b, &r, 0, &e), &e);
}

/* All that goes now, joined. */
static str drain(struct arena *a, struct budget *b, int64_t now, int64_t *again)
{
    struct buf out = buf_new(a, KIB);
    struct budget_grant grant;
    const char *item;

    while ((item = budget_next(b, now, &grant, again)))
        buf_fmt(&out, "%s ", item);
    return str_trim(buf_str(&out));
}

static struct budget *budget_with(double burst, double rate)
{
    struct budget_limits l = budget_published();
    AUTO_ERR e = {0};

    for (size_t i = 0; i < BUDGET_VERBS; i++)
        l.rates[i] = (struct budget_rate){burst, rate};
    l.share = 1;
    assert_ok(budget_check(&l, &e), &e);
    return budget_new(&l);
}

TEST(users_go_before_polls_and_polls_before_sweeps)
{
    AUTO_ARENA a = arena_new();
    struct budget *b = budget_with(100, 1);
    int64_t again;

    submit(b, "x", BUDGET_SWEEP, "s1");
    submit(b, "x", BUDGET_POLL, "p1");
    submit(b, "x", BUDGET_POLL, "p2");
    submit(b, "x", BUDGET_USER, "u1");
    submit(b, "x", BUDGET_USER, "u2");
    assert_str(drain(a, b, 0, &again), STR("u1 u2 p1 p2 s1"));
    assert_true(again == INT64_MAX);
    budget_free(b);
}

TEST(namespaces_take_turns)
{
    AUTO_ARENA a = arena_new();
    struct budget *b = budget_with(100, 1);
    int64_t again;

    for (int i = 0; i < 4; i++)
        submit(b, "greedy", BUDGET_USER, "g");
    submit(b, "x", BUDGET_USER, "x");
    submit(b, "y", BUDGET_POLL, "y");
    assert_str(drain(a, b, 0, &again), STR("g x y g g g"));
    budget_free(b);
}

TEST(sweeps_leave_a_reserve)
{
    AUTO_ARENA a = arena_new();
    struct budget *b = budget_with(8, 1);
    int64_t again;

    for (int i = 0; i < 8; i++)
        submit(b, "x", BUDGET_SWEEP, "s");
    assert_str(drain(a, b, 0, &again), STR("s s s s s s"));
    assert_true(again > 0 && again <= SEC + 1);
    submit(b, "y", BUDGET_USER, "u");
    assert_str(drain(a, b, 0, &again), STR("u"));
    budget_free(b);
}

TEST(what_is_under_way_counts_until_it_is_answered)
{
    struct budget *b = budget_with(2, 1);
    struct budget_signal nothing = budget_signal_none();
    struct budget_grant first, second, third;
    int64_t again;

    submit(b, "x", BUDGET_USER, "x");
    submit(b, "y", BUDGET_USER, "y");
    submit(b, "z", BUDGET_USER, "z");
    assert_non_null(budget_next(b, 0, &first, &again));
    assert_non_null(budget_next(b, 0, &second, &again));
    /* Their bucket may still be full: the two have not arrived. */
    assert_null(budget_next(b, 100 * SEC, &third, &again));
    budget_answer(b, &first, 100 * SEC, &nothing);
    assert_null(budget_next(b, 100 * SEC, &third, &again));
    assert_true(again > 100 * SEC && again <= 101 * SEC + 1);
    assert_non_null(budget_next(b, again, &third, &again));
    budget_free(b);
}

TEST(a_429_pauses_the_bucket_as_long_as_it_says)
{
    AUTO_ARENA a = arena_new();
    struct budget *b = budget_with(100, 10);
    struct budget_signal s = budget_signal_none();
    struct budget_grant grant;
    int64_t again;

    submit(b, "x", BUDGET_USER, "1");
    submit(b, "x", BUDGET_USER, "2");
    assert_non_null(budget_next(b, 0, &grant, &again));
    s.throttled = true;
    s.retry_after = 17 * SEC;
    budget_answer(b, &grant, 0, &s);
    assert_str(drain(a, b, 16 * SEC, &again), STR(""));
    assert_true(again == 17 * SEC);
    assert_str(drain(a, b, 18 * SEC, &again), STR("2"));
    budget_free(b);
}

TEST(an_exhausted_provider_does_not_hold_up_the_others)
{
    AUTO_ARENA a = arena_new();
    struct budget *b = budget_with(100, 10);
    struct budget_request compute = asked("x", BUDGET_USER, BUDGET_READ, "compute");
    struct budget_signal s = budget_signal_none();
    struct budget_grant grant;
    int64_t again;
    AUTO_ERR e = {0};

    compute.provider = STR("Microsoft.Compute");
    assert_ok(budget_submit(b, &compute, 0, &e), &e);
    assert_non_null(budget_next(b, 0, &grant, &again));
    s.remaining = 50;
    s.throttled = true;
    s.retry_after = 60 * SEC;
    budget_answer(b, &grant, 0, &s);
    assert_ok(budget_submit(b, &compute, 0, &e), &e);
    submit(b, "x", BUDGET_USER, "network");
    assert_str(drain(a, b, 0, &again), STR("network"));
    assert_true(again == 60 * SEC);
    assert_true(budget_forecast(b, &compute, 0) >= 60 * SEC);
    assert_str(drain(a, b, 60 * SEC, &again), STR("compute"));
    budget_free(b);
}

/* ---- Headers. ---- */

TEST(headers_say_what_is_left)
{
    AUTO_ARENA a = arena_new();
    struct http_headers h = {0};
    struct budget_signal s;

    http_header_add(a, &h, STR("x-ms-ratelimit-remaining-subscription-reads"), STR("199"));
    http_header_add(a, &h, STR("X-Ms-Ratelimit-Remaining-Subscription-Global-Reads"), STR("3749"));
    http_header_add(a, &h, STR("x-ms-ratelimit-remaining-subscription-writes"), STR("7"));
    http_header_add(a, &h, STR("x-ms-ratelimit-remaining-resource"),
                    STR("Microsoft.Compute/HighCostGet3Min;159,x;oops,"
                        "Microsoft.Compute/HighCostGet30Min;799"));
    s = budget_signal_of(&h, BUDGET_READ, 200, EFFECT_OBJECT, -1);
    assert_true(s.remaining == 199 && s.provider_remaining == 159);
    assert_true(s.provider_window == 180 * SEC && !s.throttled);
    s = budget_signal_of(&h, BUDGET_WRITE, 429, EFFECT_BUCKET, 5 * SEC);
    assert_true(s.remaining == 7 && s.throttled && s.retry_after == 5 * SEC);
    s = budget_signal_of(&h, BUDGET_DELETE, 429, EFFECT_OBJECT, 5 * SEC);
    assert_true(s.remaining == -1 && !s.throttled);
}

/* Somebody else uses the principal too: the header is believed. */
TEST(what_is_left_there_is_all_there_is)
{
    AUTO_ARENA a = arena_new();
    struct budget *b = budget_with(100, 1);
    struct budget_signal s = budget_signal_none();
    struct budget_grant grant;
    int64_t again;

    for (int i = 0; i < 6; i++)
        submit(b, "x", BUDGET_USER, "u");
    assert_non_null(budget_next(b, 0, &grant, &again));
    s.remaining = 3;
    budget_answer(b, &grant, 0, &s);
    assert_str(drain(a, b, 0, &again), STR("u u u"));
    budget_free(b);
}

TEST(numbers_that_make_no_sense_are_refused)
{
    struct budget_limits l = budget_published();
    AUTO_ERR e = {0};

    l.rates[BUDGET_WRITE].per_second = 0;
    assert_false(budget_check(&l, &e));
    assert_true(str_contains(e.text, STR("writes")));
    l = budget_hourly();
    assert_ok(budget_check(&l, &e), &e);
    l.share = 0;
    assert_false(budget_check(&l, &e));
}

TEST(too_much_is_refused_and_idle_buckets_make_room)
{
    struct budget_limits l = budget_published();
    struct budget_request r = asked("x", BUDGET_USER, BUDGET_READ, "u");
    struct budget_signal nothing = budget_signal_none();
    struct budget_grant grant;
    int64_t again, now = 0;
    AUTO_ERR e = {0};
    struct budget *b;
    char name[2] = {0};

    l.waiting_max = 3;
    l.buckets_max = 4;
    b = budget_new(&l);
    r.subscription = str_of(name, 1);
    for (int i = 0; i < 20; i++, now += 3600 * SEC) {
        name[0] = (char)('a' + i);
        assert_ok(budget_submit(b, &r, now, &e), &e);
        assert_non_null(budget_next(b, now, &grant, &again));
        budget_answer(b, &grant, now, &nothing);
    }
    for (int i = 0; i < 3; i++)
        assert_ok(budget_submit(b, &r, now, &e), &e);
    assert_false(budget_submit(b, &r, now, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
    budget_free(b);
}

/* ---- A fleet. ---- */

/* Azure with the published buckets, which refills once a second, and answers after a while. */
struct server_bucket {
    double level, burst, rate;
    uint64_t throttled;
};

enum { SPACES = 50, PER_SPACE = 100, RESOURCES = SPACES * PER_SPACE, POLLS = 3, MINUTES = 10 };
/* A fifth of all resources is of a provider with limits of its own, which the headers tell of. */
#define LIMITED "Microsoft.Compute"
static const struct budget_rate limited_rates[BUDGET_VERBS] = {{40, 4}, {30, 2}, {30, 2}};
#define STEP (50 * NS_PER_MS)
#define END (MINUTES * 60 * SEC)

/* One request in its life. */
struct flight {
    struct flight *next;
    struct budget_grant grant;
    struct budget_request request;
    int64_t born, arrives, answered;
    unsigned polls_left;
    bool bad, counted, throttled;
    int64_t remaining, provider_remaining;
};

struct fleet {
    struct arena *a;
    struct budget *b;
    struct server_bucket server[BUDGET_VERBS], limited[BUDGET_VERBS];
    struct flight *under_way, *later;
    char names[SPACES][8];
    double urgent_time, sweep_time, bad_done;
    uint64_t urgent, sweeps, asked;
};

static void ask(struct fleet *f, int space, enum budget_priority priority, enum budget_verb verb,
                int64_t now, unsigned polls, bool bad)
{
    struct flight *x = ARENA_NEW(f->a, struct flight);
    AUTO_ERR e = {0};

    x->request = asked(f->names[space], priority, verb, x);
    if (f->asked++ % 5 == 0)
        x->request.provider = STR(LIMITED);
    x->born = now;
    x->polls_left = polls;
    x->bad = bad;
    assert_ok(budget_submit(f->b, &x->request, now, &e), &e);
}

/* Even, and the same in both runs: each resource is swept once and one in five is changed. */
static void work(struct fleet *f, int64_t now)
{
    const int64_t every = END / RESOURCES;

    for (int64_t i = (now + every - 1) / every; i * every < now + STEP && i < RESOURCES; i++) {
        const int space = 1 + (int)(i * 7 % (SPACES - 1));
        ask(f, space, BUDGET_SWEEP, BUDGET_READ, now, 0, false);
        if (i % 5 == 0)
            ask(f, space, BUDGET_USER, i % 25 ? BUDGET_WRITE : BUDGET_DELETE, now, POLLS, false);
    }
}

static void misbehave(struct fleet *f, int64_t now)
{
    if (now % SEC)
        return;
    for (int i = 0; i < 40; i++) {
        ask(f, 0, BUDGET_USER, BUDGET_WRITE, now, 0, true);
        ask(f, 0, BUDGET_USER, BUDGET_DELETE, now, 0, true);
        ask(f, 0, BUDGET_USER, BUDGET_READ, now, 0, true);
        ask(f, 0, BUDGET_POLL, BUDGET_READ, now, 0, true);
    }
}

static void finish(struct fleet *f, struct flight *x, int64_t now)
{
    struct budget_signal s = budget_signal_none();

    s.throttled = x->throttled;
    s.remaining = x->remaining;
    s.provider_remaining = x->provider_remaining;
    s.provider_window = x->provider_remaining < 0 ? -1 : 60 * SEC;
    budget_answer(f->b, &x->grant, now, &s);
    if (x->bad) {
        f->bad_done++;
        return;
    }
    if (x->request.priority == BUDGET_SWEEP) {
        f->sweep_time += (double)(now - x->born);
        f->sweeps++;
    } else {
        f->urgent_time += (double)(now - x->born);
        f->urgent++;
    }
    if (x->polls_left) {
        struct flight *poll = ARENA_NEW(f->a, struct flight);
        *poll = (struct flight){.born = now + 5 * SEC, .polls_left = x->polls_left - 1};
        poll->request = asked("", BUDGET_POLL, BUDGET_READ, poll);
        poll->request.space = x->request.space;
        poll->request.provider = x->request.provider;
        poll->next = f->later;
        f->later = poll;
    }
}

static void arrive(struct fleet *f, struct flight *x)
{
    struct server_bucket *k = &f->server[x->request.verb];
    struct server_bucket *own = &f->limited[x->request.verb];
    const bool limited = str_eq(x->request.provider, STR(LIMITED));

    x->counted = true;
    x->throttled = k->level < 1 || (limited && own->level < 1);
    k->throttled += k->level < 1;
    own->throttled += limited && own->level < 1;
    if (!x->throttled) {
        k->level -= 1;
        own->level -= limited;
    }
    x->remaining = (int64_t)k->level;
    x->provider_remaining = limited ? (int64_t)own->level : -1;
}

static void refill(struct server_bucket *k)
{
    k->level = k->level + k->rate > k->burst ? k->burst : k->level + k->rate;
}

static void move_flights(struct fleet *f, int64_t now)
{
    for (struct flight **at = &f->under_way, *x; (x = *at);) {
        if (!x->counted && x->arrives <= now)
            arrive(f, x);
        if (x->answered <= now) {
            *at = x->next;
            finish(f, x, now);
        } else {
            at = &x->next;
        }
    }
    for (struct flight **at = &f->later, *x; (x = *at);) {
        AUTO_ERR e = {0};
        if (x->born > now) {
            at = &x->next;
            continue;
        }
        *at = x->next;
        x->born = now;
        assert_ok(budget_submit(f->b, &x->request, now, &e), &e);
    }
}

static void let_go(struct fleet *f, int64_t now)
{
    struct budget_grant grant;
    struct flight *x;
    int64_t again;

    while ((x = budget_next(f->b, now, &grant, &again))) {
        x->grant = grant;
        x->arrives = now + (int64_t)random_below(400) * NS_PER_MS;
        x->answered = x->arrives + (100 + (int64_t)random_below(1500)) * NS_PER_MS;
        x->next = f->under_way;
        f->under_way = x;
    }
}

static struct fleet run_fleet(struct arena *a, bool misbehaving)
{
    static const struct budget_provider known[] = {
        {STR_INIT(LIMITED), BUDGET_READ, {40, 4}},
        {STR_INIT(LIMITED), BUDGET_WRITE, {30, 2}},
        {STR_INIT(LIMITED), BUDGET_DELETE, {30, 2}},
    };
    struct budget_limits l = budget_published();

    l.providers = known;
    l.provider_count = COUNT(known);
    struct fleet f = {.a = a, .b = budget_new(&l)};

    random_fake(7);
    for (int i = 0; i < SPACES; i++) {
        f.names[i][0] = 'n';
        f.names[i][1] = (char)('A' + i);
    }
    for (size_t i = 0; i < BUDGET_VERBS; i++) {
        const struct budget_rate own = limited_rates[i];
        f.server[i] =
            (struct server_bucket){l.rates[i].burst, l.rates[i].burst, l.rates[i].per_second, 0};
        f.limited[i] = (struct server_bucket){own.burst, own.burst, own.per_second, 0};
    }
    for (int64_t now = 0; now < END; now += STEP) {
        for (size_t i = 0; i < BUDGET_VERBS && now % SEC == 0; i++) {
            refill(&f.server[i]);
            refill(&f.limited[i]);
        }
        work(&f, now);
        if (misbehaving)
            misbehave(&f, now);
        move_flights(&f, now);
        let_go(&f, now);
    }
    budget_free(f.b);
    random_real();
    return f;
}

TEST(one_misbehaving_namespace_delays_itself)
{
    AUTO_ARENA a = arena_new();
    const struct fleet calm = run_fleet(a, false), rough = run_fleet(a, true);
    const double urgent = (rough.urgent_time / (double)rough.urgent) /
                          (calm.urgent_time / (double)calm.urgent),
                 sweep = (rough.sweep_time / (double)rough.sweeps) /
                         (calm.sweep_time / (double)calm.sweeps);

    uint64_t throttled = 0;

    for (size_t i = 0; i < BUDGET_VERBS; i++)
        throttled += calm.server[i].throttled + rough.server[i].throttled +
                     calm.limited[i].throttled + rough.limited[i].throttled;
    print_message("%d resources in %d namespaces, %d minutes: %llu throttled; delayed: requests of "
                  "users and polls %.2f %%, sweeps %.2f %%; let go for the misbehaving one: %.0f\n",
                  RESOURCES, SPACES, MINUTES, (unsigned long long)throttled, (urgent - 1) * 100,
                  (sweep - 1) * 100, rough.bad_done);
    assert_int_equal(throttled, 0);
    assert_true(calm.urgent > RESOURCES / 5 * POLLS && calm.sweeps > RESOURCES * 9 / 10);
    assert_true(urgent < 1.10 && sweep < 1.10);
    /* What is left over is its own: writes alone are nine a second. */
    assert_true(rough.bad_done > 10 * MINUTES * 60);
}

RUN_TESTS(cmocka_unit_test(users_go_before_polls_and_polls_before_sweeps),
          cmocka_unit_test(namespaces_take_turns), cmocka_unit_test(sweeps_leave_a_reserve),
          cmocka_unit_test(what_is_under_way_counts_until_it_is_answered),
          cmocka_unit_test(a_429_pauses_the_bucket_as_long_as_it_says),
          cmocka_unit_test(an_exhausted_provider_does_not_hold_up_the_others),
          cmocka_unit_test(headers_say_what_is_left),
          cmocka_unit_test(what_is_left_there_is_all_there_is),
          cmocka_unit_test(numbers_that_make_no_sense_are_refused),
          cmocka_unit_test(too_much_is_refused_and_idle_buckets_make_room),
          cmocka_unit_test(one_misbehaving_namespace_delays_itself))
