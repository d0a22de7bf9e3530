/* SPDX-License-Identifier: Apache-2.0 */
/* test_queue.c - the work queue, on a fake clock; and its threads, on the real one. */
#include "../test.h"

#include "base/queue.h"

#include <sched.h>

static struct queue *fake_queue(void)
{
    clock_fake(1000 * NS_PER_SEC);
    return queue_new(0);
}

/* What comes next, or "-". */
static str next(struct queue *q, struct arena *a)
{
    int64_t due;
    str key;

    return queue_poll(q, a, &key, &due) ? key : STR("-");
}

static struct queue_stats stats_of(struct queue *q)
{
    struct queue_stats stats;

    queue_stats(q, &stats);
    return stats;
}

TEST(a_key_waits_once)
{
    AUTO_ARENA a = arena_new();
    struct queue *q = fake_queue();

    queue_add(q, STR("a"), QUEUE_NORMAL);
    queue_add(q, STR("b"), QUEUE_NORMAL);
    queue_add(q, STR("a"), QUEUE_NORMAL);
    assert_str(next(q, a), STR("a"));
    assert_str(next(q, a), STR("b"));
    assert_str(next(q, a), STR("-"));
    queue_free(q);
}

TEST(a_key_that_is_worked_on_waits_for_its_worker)
{
    AUTO_ARENA a = arena_new();
    struct queue *q = fake_queue();

    queue_add(q, STR("a"), QUEUE_NORMAL);
    assert_str(next(q, a), STR("a"));
    queue_add(q, STR("a"), QUEUE_NORMAL);
    assert_str(next(q, a), STR("-"));
    queue_done(q, STR("a"));
    assert_str(next(q, a), STR("a"));
    queue_done(q, STR("a"));
    assert_str(next(q, a), STR("-"));
    queue_free(q);
}

TEST(the_urgent_come_first)
{
    AUTO_ARENA a = arena_new();
    struct queue *q = fake_queue();

    queue_add(q, STR("idle"), QUEUE_IDLE);
    queue_add(q, STR("normal"), QUEUE_NORMAL);
    queue_add(q, STR("urgent"), QUEUE_URGENT);
    queue_add(q, STR("idle"), QUEUE_URGENT);
    assert_str(next(q, a), STR("urgent"));
    assert_str(next(q, a), STR("idle"));
    assert_str(next(q, a), STR("normal"));
    queue_free(q);
}

TEST(delays_are_kept_and_the_earlier_one_counts)
{
    AUTO_ARENA a = arena_new();
    struct queue *q = fake_queue();

    queue_add_after(q, STR("late"), QUEUE_NORMAL, 20 * NS_PER_SEC);
    queue_add_after(q, STR("soon"), QUEUE_NORMAL, 10 * NS_PER_SEC);
    queue_add_after(q, STR("late"), QUEUE_NORMAL, 15 * NS_PER_SEC);
    queue_add_after(q, STR("late"), QUEUE_NORMAL, 30 * NS_PER_SEC);
    assert_str(next(q, a), STR("-"));
    clock_advance(10 * NS_PER_SEC);
    assert_str(next(q, a), STR("soon"));
    clock_advance(5 * NS_PER_SEC);
    assert_str(next(q, a), STR("late"));
    queue_free(q);
}

TEST(a_full_queue_refuses)
{
    struct queue *q = queue_new(2);

    assert_true(queue_add(q, STR("a"), QUEUE_NORMAL));
    assert_true(queue_add(q, STR("b"), QUEUE_NORMAL));
    assert_false(queue_add(q, STR("c"), QUEUE_NORMAL));
    assert_false(queue_add_after(q, STR("c"), QUEUE_NORMAL, 1));
    assert_int_equal(stats_of(q).retries, 0);
    assert_true(queue_add(q, STR("a"), QUEUE_NORMAL));
    queue_free(q);
}

TEST(many_delayed_keys_come_in_order)
{
    AUTO_ARENA a = arena_new();
    struct queue *q = fake_queue();
    int64_t due, last = 0;
    str key;

    random_fake(7);
    for (int i = 0; i < 2000; i++)
        queue_add_after(q, str_fmt(a, "%d", i), QUEUE_NORMAL, (int64_t)random_below(NS_PER_SEC));
    for (int i = 0; i < 2000; i += 3)
        queue_add_after(q, str_fmt(a, "%d", i), QUEUE_NORMAL, (int64_t)random_below(NS_PER_SEC));
    for (int taken = 0; taken < 2000;) {
        if (queue_poll(q, a, &key, &due)) {
            taken++;
            queue_done(q, key);
            continue;
        }
        assert_true(due >= last);
        last = due;
        clock_advance(due - clock_mono());
    }
    struct queue_stats stats;
    queue_stats(q, &stats);
    assert_int_equal(stats.taken, 2000);
    assert_int_equal(stats.delayed + stats.waiting + stats.working, 0);
    random_real();
    queue_free(q);
}

/* ---- Metrics. ---- */

/* As client-go's tests of metrics tell it: adds and depth count what is due and was not yet. */
TEST(depth_and_adds_count_a_key_once_until_it_is_taken)
{
    AUTO_ARENA a = arena_new();
    struct queue *q = fake_queue();

    for (int i = 0; i < 3; i++)
        queue_add(q, STR("a"), QUEUE_NORMAL);
    queue_add(q, STR("b"), QUEUE_NORMAL);
    assert_int_equal(stats_of(q).adds, 2);
    assert_int_equal(stats_of(q).depth, 2);
    /* To come earlier in the queue is not to be added. */
    queue_add(q, STR("b"), QUEUE_URGENT);
    assert_int_equal(stats_of(q).adds, 2);
    assert_str(next(q, a), STR("b"));
    assert_int_equal(stats_of(q).depth, 1);
    /* Added while it is worked on: it waits for its worker. */
    queue_add(q, STR("b"), QUEUE_NORMAL);
    queue_add(q, STR("b"), QUEUE_NORMAL);
    assert_int_equal(stats_of(q).adds, 3);
    assert_int_equal(stats_of(q).depth, 2);
    assert_int_equal(stats_of(q).waiting, 1);
    queue_done(q, STR("b"));
    assert_int_equal(stats_of(q).adds, 3);
    assert_int_equal(stats_of(q).depth, 2);
    assert_str(next(q, a), STR("a"));
    assert_str(next(q, a), STR("b"));
    assert_int_equal(stats_of(q).depth, 0);
    assert_int_equal(stats_of(q).retries, 0);
    queue_free(q);
}

TEST(delayed_keys_count_from_when_they_are_due)
{
    AUTO_ARENA a = arena_new();
    struct queue *q = fake_queue();

    queue_add_after(q, STR("a"), QUEUE_NORMAL, 10 * NS_PER_SEC);
    queue_add_after(q, STR("b"), QUEUE_NORMAL, 10 * NS_PER_SEC);
    queue_add_after(q, STR("now"), QUEUE_NORMAL, 0);
    assert_int_equal(stats_of(q).retries, 3);
    assert_int_equal(stats_of(q).adds, 1);
    assert_int_equal(stats_of(q).depth, 1);
    assert_str(next(q, a), STR("now"));
    /* Both its delay and an event while a worker has it: due at once, and once. */
    queue_add_after(q, STR("now"), QUEUE_NORMAL, 5 * NS_PER_SEC);
    assert_int_equal(stats_of(q).depth, 0);
    clock_advance(5 * NS_PER_SEC);
    assert_int_equal(stats_of(q).depth, 1);
    queue_add(q, STR("now"), QUEUE_NORMAL);
    assert_int_equal(stats_of(q).adds, 2);
    queue_done(q, STR("now"));
    assert_int_equal(stats_of(q).adds, 2);
    clock_advance(5 * NS_PER_SEC);
    assert_int_equal(stats_of(q).depth, 3);
    assert_int_equal(stats_of(q).adds, 4);
    queue_add_after(q, STR("b"), QUEUE_NORMAL, NS_PER_SEC);
    assert_int_equal(stats_of(q).retries, 5);
    assert_int_equal(stats_of(q).adds, 4);
    queue_free(q);
}

TEST(times_are_measured_from_due_to_taken_to_done)
{
    AUTO_ARENA a = arena_new();
    struct queue *q = fake_queue();

    queue_add_after(q, STR("a"), QUEUE_NORMAL, 10 * NS_PER_SEC);
    clock_advance(10 * NS_PER_SEC + 50 * NS_PER_MS);
    assert_str(next(q, a), STR("a"));
    clock_advance(2 * NS_PER_SEC);
    /* It waits from now on, for its own worker at first. */
    queue_add(q, STR("a"), QUEUE_NORMAL);
    clock_advance(1 * NS_PER_SEC);
    queue_done(q, STR("a"));
    clock_advance(4 * NS_PER_SEC);
    assert_str(next(q, a), STR("a"));
    queue_done(q, STR("a"));
    const struct queue_stats s = stats_of(q);
    assert_int_equal(s.queue_time.count, 2);
    assert_int_equal(s.queue_time.total, 5050 * NS_PER_MS);
    assert_int_equal(s.queue_time.max, 5 * NS_PER_SEC);
    assert_int_equal(s.queue_time.buckets[7], 1); /* up to 0.1 s */
    assert_int_equal(s.queue_time.buckets[9], 1); /* up to 10 s */
    assert_int_equal(s.work_time.count, 2);
    assert_int_equal(s.work_time.total, 3 * NS_PER_SEC);
    assert_int_equal(s.work_time.buckets[0], 1); /* up to 10 ns */
    assert_int_equal(s.work_time.buckets[9], 1);
    queue_free(q);
}

TEST(unfinished_work_is_that_of_all_workers)
{
    AUTO_ARENA a = arena_new();
    struct queue *q = fake_queue();

    assert_int_equal(stats_of(q).unfinished, 0);
    queue_add(q, STR("a"), QUEUE_NORMAL);
    queue_add(q, STR("b"), QUEUE_NORMAL);
    assert_str(next(q, a), STR("a"));
    clock_advance(3 * NS_PER_SEC);
    assert_str(next(q, a), STR("b"));
    clock_advance(2 * NS_PER_SEC);
    assert_int_equal(stats_of(q).unfinished, 7 * NS_PER_SEC);
    assert_int_equal(stats_of(q).longest, 5 * NS_PER_SEC);
    queue_done(q, STR("a"));
    assert_int_equal(stats_of(q).unfinished, 2 * NS_PER_SEC);
    assert_int_equal(stats_of(q).longest, 2 * NS_PER_SEC);
    queue_done(q, STR("b"));
    assert_int_equal(stats_of(q).unfinished, 0);
    assert_int_equal(stats_of(q).longest, 0);
    queue_free(q);
}

TEST(metrics_have_client_gos_names)
{
    AUTO_ARENA a = arena_new();
    struct queue *q = fake_queue();
    struct buf b = buf_new(a, 64 * KIB);

    queue_add_after(q, STR("a"), QUEUE_NORMAL, 0);
    assert_str(next(q, a), STR("a"));
    clock_advance(250 * NS_PER_MS);
    queue_done(q, STR("a"));
    const struct queue_named named[] = {{STR("one"), stats_of(q)}, {STR("t\"wo"), {0}}};
    queue_metrics(&b, named, COUNT(named));
    static const char *const lines[] = {
        "# TYPE workqueue_depth gauge\nworkqueue_depth{name=\"one\"} 0\nworkqueue_depth{name="
        "\"t\\\"wo\"} 0\n",
        "\nworkqueue_adds_total{name=\"one\"} 1\n",
        "\nworkqueue_retries_total{name=\"one\"} 1\n",
        "\nworkqueue_unfinished_work_seconds{name=\"one\"} 0\n",
        "\nworkqueue_longest_running_processor_seconds{name=\"one\"} 0\n",
        "# TYPE workqueue_work_duration_seconds histogram\n"
        "workqueue_work_duration_seconds_bucket{name=\"one\",le=\"1e-08\"} 0\n",
        "\nworkqueue_work_duration_seconds_bucket{name=\"one\",le=\"0.1\"} 0\n"
        "workqueue_work_duration_seconds_bucket{name=\"one\",le=\"1\"} 1\n"
        "workqueue_work_duration_seconds_bucket{name=\"one\",le=\"10\"} 1\n"
        "workqueue_work_duration_seconds_bucket{name=\"one\",le=\"+Inf\"} 1\n"
        "workqueue_work_duration_seconds_sum{name=\"one\"} 0.25\n"
        "workqueue_work_duration_seconds_count{name=\"one\"} 1\n",
        "\nworkqueue_queue_duration_seconds_bucket{name=\"one\",le=\"1e-08\"} 1\n",
    };
    for (size_t i = 0; i < COUNT(lines); i++)
        if (!str_contains(buf_str(&b), str_c(lines[i])))
            fail_msg("%s in %.*s", lines[i], (int)b.len, b.data);
    queue_free(q);
}

/* Whoever means "never" may say so. */
TEST(delays_may_be_as_long_as_numbers_are)
{
    AUTO_ARENA a = arena_new();
    int64_t due;
    str key;
    clock_fake(1000 * NS_PER_SEC);
    struct queue *q = queue_new(0);

    queue_add_after(q, STR("a"), QUEUE_NORMAL, INT64_MAX);
    assert_false(queue_poll(q, a, &key, &due));
    assert_int_equal(due, INT64_MAX - 1);
    queue_add(q, STR("a"), QUEUE_NORMAL);
    assert_str(next(q, a), STR("a"));
    queue_add_after(q, STR("a"), QUEUE_NORMAL, INT64_MAX);
    queue_done(q, STR("a"));
    assert_int_equal(stats_of(q).delayed, 1);
    queue_free(q);
}

/* ---- Threads. ---- */

struct shared {
    struct queue *queue;
    _Atomic int working[10]; /* by key */
    _Atomic int clashes, done;
    _Atomic bool closed; /* nothing is added any more */
};

/* One key. False when there is none, and none will come. */
static bool work(struct shared *s, struct arena *a)
{
    const bool closed = s->closed;
    int64_t due;
    str key;

    if (!queue_poll(s->queue, a, &key, &due)) {
        sched_yield();
        return !closed || due != INT64_MAX;
    }
    int i = key.ptr[0] - '0';
    if (s->working[i]++)
        s->clashes++;
    s->done++;
    s->working[i]--;
    queue_done(s->queue, key);
    return true;
}

static void *worker(void *ctx)
{
    AUTO_ARENA a = arena_new();

    while (work(ctx, a))
        arena_reset(a);
    return NULL;
}

TEST(no_two_workers_have_the_same_key)
{
    static const char digits[] = "0123456789";
    struct shared s = {0};
    pthread_t threads[4];

    clock_real();
    s.queue = queue_new(0);
    for (size_t i = 0; i < COUNT(threads); i++)
        pthread_create(&threads[i], NULL, worker, &s);
    for (int i = 0; i < 20000; i++)
        queue_add_after(s.queue, str_of(&digits[i % 10], 1), QUEUE_NORMAL, i % 3 * 1000);
    s.closed = true;
    for (size_t i = 0; i < COUNT(threads); i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(s.clashes, 0);
    assert_true(s.done > 0);
    queue_free(s.queue);
}

RUN_TESTS(cmocka_unit_test(a_key_waits_once),
          cmocka_unit_test(a_key_that_is_worked_on_waits_for_its_worker),
          cmocka_unit_test(the_urgent_come_first),
          cmocka_unit_test(delays_are_kept_and_the_earlier_one_counts),
          cmocka_unit_test(a_full_queue_refuses), cmocka_unit_test(many_delayed_keys_come_in_order),
          cmocka_unit_test(depth_and_adds_count_a_key_once_until_it_is_taken),
          cmocka_unit_test(delayed_keys_count_from_when_they_are_due),
          cmocka_unit_test(times_are_measured_from_due_to_taken_to_done),
          cmocka_unit_test(unfinished_work_is_that_of_all_workers),
          cmocka_unit_test(metrics_have_client_gos_names),
          cmocka_unit_test(delays_may_be_as_long_as_numbers_are),
          cmocka_unit_test(no_two_workers_have_the_same_key))
