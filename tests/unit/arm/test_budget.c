/* SPDX-License-Identifier: Apache-2.0 */
/* test_budget.c - the request budget: order, fairness, headers, and fleets of resources. */
#include "../test.h"

#include "support/budget_fleet.h"

#define SEC NS_PER_SEC

static struct budget_request asked(const char *namespace, enum budget_priority priority,
                                   enum budget_verb verb, void *item)
{
    return (struct budget_request){.subscription = STR("s"),
                                   .principal = STR("p"),
                                   .region = STR("westeurope"),
                                   .provider = STR("Microsoft.Network"),
                                   .namespace = str_c(namespace),
                                   .priority = priority,
                                   .verb = verb,
                                   .item = item};
}

/* Items are texts, named by what they stand for. */
static void submit(struct budget *b, const char *namespace, enum budget_priority priority,
                   const char *item)
{
    struct budget_request r = asked(namespace, priority, BUDGET_READ, (char *)item);
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

/* So much is used of it: what it gains in a second is not. */
static struct budget *budget_with(double burst, double rate)
{
    struct budget_limits l = budget_published();

    for (size_t i = 0; i < BUDGET_VERBS; i++)
        l.rates[i] = (struct budget_rate){burst + rate, rate};
    l.share = 1;
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
    assert_non_null(budget_next(b, 100 * SEC, &grant, &again));
    s.remaining = 3;
    budget_answer(b, &grant, 100 * SEC, &s);
    assert_str(drain(a, b, 100 * SEC, &again), STR("u u u"));
    budget_free(b);
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

/* Answers of requests that flew alone say exactly what is left, also when that is more. */
TEST(what_was_thought_to_be_used_comes_back)
{
    AUTO_ARENA a = arena_new();
    struct budget *b = budget_with(100, 0.001);
    struct budget_signal s = budget_signal_none();
    struct budget_grant grants[3], alone;
    const int64_t now = 1000 * SEC;
    int64_t again;

    for (int i = 0; i < 60; i++)
        submit(b, "x", BUDGET_USER, "u");
    for (size_t i = 0; i < COUNT(grants); i++)
        assert_non_null(budget_next(b, now, &grants[i], &again));
    /* The last to arrive is answered first: the other two are taken for under way. */
    s.remaining = 57;
    for (size_t i = 0; i < COUNT(grants); i++)
        budget_answer(b, &grants[i], now, &s);
    assert_non_null(budget_next(b, now, &alone, &again));
    s.remaining = 56;
    budget_answer(b, &alone, now, &s);
    assert_true(drain(a, b, now, &again).len >= 55 * 2 - 1); /* "u u ... u" */
    budget_free(b);
}

/* ---- Fleets. ---- */

static void expect_well(const struct budget_fleet *p)
{
    AUTO_ARENA a = arena_new();
    const struct budget_outcome o = budget_fleet_run(p);

    print_message("%.*s\n", STR_ARG(budget_fleet_text(a, p, &o)));
    assert_true(budget_fleet_is_well(&o));
    assert_true(o.counted > 50 && o.bad_done > 0);
}

/* 5,000 resources that are swept in ten minutes, a thousand of them changed. */
TEST(one_misbehaving_namespace_delays_itself)
{
    const struct budget_limits l = budget_published();
    struct budget_fleet p = {.seed = 7,
                             .preset = "published",
                             .limited = true,
                             .limits = {{40, 4}, {30, 2}, {30, 2}},
                             .namespaces = 50,
                             .bad = 1,
                             .bad_rate = 40,
                             .load = 0.6,
                             .limited_load = 0.4,
                             .polls = 3,
                             .slowest_ms = 1500,
                             .minutes = 10};

    memcpy(p.rates, l.rates, sizeof(p.rates));
    expect_well(&p);
}

/* Nobody is there to leave anything to. */
TEST(a_namespace_alone_may_have_all_of_it)
{
    AUTO_ARENA a = arena_new();
    struct budget *b = budget_with(100, 10);
    int64_t again;

    for (int i = 0; i < 200; i++)
        submit(b, "x", BUDGET_USER, "u");
    /* At first it is not known that it is alone. */
    assert_true(drain(a, b, 0, &again).len < 60 * 2);
    assert_true(drain(a, b, 20 * SEC, &again).len > 30 * 2);
    budget_free(b);
}

/* The rules are not made for one fleet; bench budget tries more. */
TEST(fleets_of_any_shape_are_well)
{
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct budget_fleet p = budget_fleet_plan(seed);
        p.minutes = 3;
        expect_well(&p);
    }
}

RUN_TESTS(cmocka_unit_test(users_go_before_polls_and_polls_before_sweeps),
          cmocka_unit_test(namespaces_take_turns), cmocka_unit_test(sweeps_leave_a_reserve),
          cmocka_unit_test(what_is_under_way_counts_until_it_is_answered),
          cmocka_unit_test(a_429_pauses_the_bucket_as_long_as_it_says),
          cmocka_unit_test(an_exhausted_provider_does_not_hold_up_the_others),
          cmocka_unit_test(headers_say_what_is_left),
          cmocka_unit_test(what_is_left_there_is_all_there_is),
          cmocka_unit_test(too_much_is_refused_and_idle_buckets_make_room),
          cmocka_unit_test(what_was_thought_to_be_used_comes_back),
          cmocka_unit_test(a_namespace_alone_may_have_all_of_it),
          cmocka_unit_test(one_misbehaving_namespace_delays_itself),
          cmocka_unit_test(fleets_of_any_shape_are_well))
