/* SPDX-License-Identifier: Apache-2.0 */
/* test_queue.c - the work queue, on a fake clock; and its threads, on the real one. */
#include "../test.h"

#include "kube/queue.h"

static struct queue *fake_queue(void)
{
    clock_fake(1000 * NS_PER_SEC);
    return queue_new(&(struct queue_config){0});
}

/* What comes next, or "-". */
static str next(struct queue *q, struct arena *a)
{
    int64_t due;
    str key;

    return queue_poll(q, a, &key, &due) ? key : STR("-");
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

TEST(failures_make_delays_grow_until_they_are_forgotten)
{
    struct queue *q = fake_queue();
    int64_t want = NS_PER_SEC;

    for (int i = 0; i < 12; i++, want *= 2)
        assert_int_equal(queue_again(q, STR("a"), QUEUE_NORMAL),
                         want < 180 * NS_PER_SEC ? want : 180 * NS_PER_SEC);
    assert_int_equal(queue_failures(q, STR("a")), 12);
    queue_forget(q, STR("a"));
    assert_int_equal(queue_again(q, STR("a"), QUEUE_NORMAL), NS_PER_SEC);
    queue_free(q);
}

TEST(a_full_queue_refuses)
{
    struct queue *q = queue_new(&(struct queue_config){.keys_max = 2});

    assert_true(queue_add(q, STR("a"), QUEUE_NORMAL));
    assert_true(queue_add(q, STR("b"), QUEUE_NORMAL));
    assert_false(queue_add(q, STR("c"), QUEUE_NORMAL));
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

/* ---- Threads. ---- */

struct shared {
    struct queue *queue;
    _Atomic int working[10]; /* by key */
    _Atomic int clashes, done;
};

static void *worker(void *ctx)
{
    struct shared *s = ctx;
    AUTO_ARENA a = arena_new();
    str key;

    while (queue_take(s->queue, a, &key)) {
        int i = key.ptr[0] - '0';
        if (s->working[i]++)
            s->clashes++;
        s->done++;
        s->working[i]--;
        queue_done(s->queue, key);
        arena_reset(a);
    }
    return NULL;
}

TEST(no_two_workers_have_the_same_key)
{
    static const char digits[] = "0123456789";
    struct shared s = {0};
    pthread_t threads[4];

    clock_real();
    s.queue = queue_new(&(struct queue_config){0});
    for (size_t i = 0; i < COUNT(threads); i++)
        pthread_create(&threads[i], NULL, worker, &s);
    for (int i = 0; i < 20000; i++)
        queue_add_after(s.queue, str_of(&digits[i % 10], 1), QUEUE_NORMAL, i % 3 * 1000);
    queue_close(s.queue, true);
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
          cmocka_unit_test(failures_make_delays_grow_until_they_are_forgotten),
          cmocka_unit_test(a_full_queue_refuses), cmocka_unit_test(many_delayed_keys_come_in_order),
          cmocka_unit_test(no_two_workers_have_the_same_key))
