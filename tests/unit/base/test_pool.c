/* SPDX-License-Identifier: Apache-2.0 */
/* test_pool.c - threads with ordered results. Also run under the thread sanitizer. */
#include "../test.h"

#include <sched.h>
#include <stdatomic.h>

/* Items are numbers from 1; some fail in work or in consume. */
struct story {
    size_t count, produced, consumed;
    size_t fail_work, fail_produce, fail_consume;
    struct pool *pool;
    atomic_size_t running, most_running, worked;
    bool in_order;
};

static bool produce(void *ctx, void **item, struct err *e)
{
    struct story *s = ctx;

    if (s->produced == s->count)
        return true;
    s->produced++;
    if (s->produced == s->fail_produce)
        return err_set(e, ERR_IO, "produce %zu", s->produced);
    assert_true(s->produced - s->consumed <= (size_t)pool_threads(s->pool) * POOL_WINDOW);
    *item = (void *)s->produced;
    return true;
}

static bool work(void *ctx, void *item, struct err *e)
{
    struct story *s = ctx;
    size_t number = (size_t)item, running = atomic_fetch_add(&s->running, 1) + 1;

    if (running > s->most_running)
        s->most_running = running;
    for (size_t i = 0; i < number % 7; i++)
        sched_yield();
    atomic_fetch_sub(&s->running, 1);
    atomic_fetch_add(&s->worked, 1);
    /* Several may fail; the first in order must be the one that is reported. */
    if (s->fail_work && number >= s->fail_work)
        return err_set(e, ERR_INVALID, "work %zu", number);
    return true;
}

static bool consume(void *ctx, void *item, struct err *e)
{
    struct story *s = ctx;

    s->consumed++;
    s->in_order = s->in_order && (size_t)item == s->consumed;
    if (s->consumed == s->fail_consume)
        return err_set(e, ERR_IO, "consume %zu", s->consumed);
    return true;
}

static bool run(struct story *s, unsigned threads, struct err *e)
{
    const struct pool_job job = {.produce = produce, .work = work, .consume = consume, .ctx = s};

    s->in_order = true;
    s->pool = pool_new(threads);
    bool ok = pool_run(s->pool, &job, e);
    assert_int_equal(s->running, 0);
    pool_free(s->pool);
    return ok;
}

static const unsigned thread_counts[] = {1, 2, 3, 8};

TEST(results_come_in_order_of_production)
{
    for (size_t i = 0; i < COUNT(thread_counts); i++) {
        AUTO_ERR e = {0};
        struct story s = {.count = 2000};
        assert_ok(run(&s, thread_counts[i], &e), &e);
        assert_true(s.in_order);
        assert_int_equal(s.consumed, 2000);
        assert_true(s.most_running <= thread_counts[i]);
    }
}

TEST(the_first_failure_in_order_is_reported_every_time)
{
    for (size_t i = 0; i < COUNT(thread_counts); i++)
        for (int again = 0; again < 20; again++) {
            AUTO_ERR e = {0};
            struct story s = {.count = 500, .fail_work = 100};
            assert_false(run(&s, thread_counts[i], &e));
            assert_str(e.text, STR("work 100"));
            assert_int_equal(s.consumed, 99);
            assert_true(s.worked <= 100 + (size_t)thread_counts[i] * POOL_WINDOW);
        }
}

TEST(a_failing_producer_or_consumer_ends_the_run)
{
    for (size_t i = 0; i < COUNT(thread_counts); i++) {
        AUTO_ERR e = {0};
        struct story producing = {.count = 100, .fail_produce = 50};
        assert_false(run(&producing, thread_counts[i], &e));
        assert_str(e.text, STR("produce 50"));
        assert_int_equal(producing.consumed, 49);
        struct story consuming = {.count = 100, .fail_consume = 10};
        assert_false(run(&consuming, thread_counts[i], &e));
        assert_str(e.text, STR("consume 10"));
        assert_int_equal(consuming.consumed, 10);
    }
}

/* The producer is ahead of the threads, but not in order. */
TEST(a_failure_before_that_of_the_producer_is_reported_every_time)
{
    for (size_t i = 0; i < COUNT(thread_counts); i++)
        for (int again = 0; again < 20; again++) {
            AUTO_ERR e = {0};
            struct story s = {.count = 100, .fail_work = 48, .fail_produce = 50};
            assert_false(run(&s, thread_counts[i], &e));
            assert_str(e.text, STR("work 48"));
            assert_int_equal(s.consumed, 47);
        }
}

static bool work_that_recovers(void *ctx, void *item, struct err *e)
{
    (void)ctx;
    (void)item;
    err_set(e, ERR_NOT_FOUND, "tried something else");
    return true;
}

/* The leak check of the sanitizers proves it. */
TEST(an_error_that_work_got_over_is_forgotten)
{
    AUTO_ERR e = {0};
    struct story s = {.count = 100, .in_order = true, .pool = pool_new(2)};
    const struct pool_job job = {
        .produce = produce, .work = work_that_recovers, .consume = consume, .ctx = &s};

    assert_ok(pool_run(s.pool, &job, &e), &e);
    assert_int_equal(s.consumed, 100);
    pool_free(s.pool);
}

TEST(a_pool_runs_again_after_a_failure)
{
    AUTO_ERR e = {0};
    struct pool *p = pool_new(4);

    for (int round = 0; round < 10; round++) {
        struct story s = {
            .count = 100, .fail_work = round % 2 ? 50 : 0, .in_order = true, .pool = p};
        const struct pool_job job = {
            .produce = produce, .work = work, .consume = consume, .ctx = &s};
        assert_int_equal(pool_run(p, &job, &e), round % 2 == 0);
        assert_int_equal(s.consumed, round % 2 ? 49 : 100);
    }
    pool_free(p);
}

TEST(an_empty_run_succeeds)
{
    AUTO_ERR e = {0};
    struct story s = {0};

    assert_ok(run(&s, 0, &e), &e);
}

RUN_TESTS(cmocka_unit_test(results_come_in_order_of_production),
          cmocka_unit_test(the_first_failure_in_order_is_reported_every_time),
          cmocka_unit_test(a_failing_producer_or_consumer_ends_the_run),
          cmocka_unit_test(a_failure_before_that_of_the_producer_is_reported_every_time),
          cmocka_unit_test(an_error_that_work_got_over_is_forgotten),
          cmocka_unit_test(a_pool_runs_again_after_a_failure),
          cmocka_unit_test(an_empty_run_succeeds))
