/* SPDX-License-Identifier: Apache-2.0 */
/* test_checkpoint.c - what a process remembers for the next one. */
#include "../test.h"

#include "operator/checkpoint.h"

#define MINUTE (60 * NS_PER_SEC)
#define NOW (INT64_C(30000000) * MINUTE)

static struct object_key key(const char *name)
{
    return (struct object_key){STR("storage.azure.com"), STR("StorageAccount"), STR("d"),
                               str_c(name)};
}

TEST(what_was_noted_is_known_to_the_next_process)
{
    AUTO_ARENA a = arena_new();
    struct checkpoint *first = checkpoint_new(), *second = checkpoint_new();
    const struct object_key x = key("x"), y = key("y"), old = key("old"), z = key("z");

    checkpoint_note(first, &old, NOW - 8 * 24 * 60 * MINUTE);
    checkpoint_note(first, &x, NOW - 5 * MINUTE);
    checkpoint_note(first, &y, NOW - 9 * MINUTE);
    checkpoint_note(first, &y, NOW);
    checkpoint_read(second, checkpoint_write(first, a, NOW));
    assert_int_equal(checkpoint_age(second, &x, NOW), 5 * MINUTE);
    assert_int_equal(checkpoint_age(second, &y, NOW + NS_PER_SEC), NS_PER_SEC);
    assert_int_equal(checkpoint_age(second, &y, NOW - MINUTE), 0);
    assert_int_equal(checkpoint_age(second, &z, NOW), -1);
    assert_int_equal(checkpoint_age(second, &old, NOW), -1);
    checkpoint_free(first);
    checkpoint_free(second);
}

TEST(what_is_broken_is_ignored_and_there_is_a_limit)
{
    AUTO_ARENA a = arena_new();
    struct checkpoint *c = checkpoint_new();
    const struct object_key x = key("x");

    checkpoint_read(c, STR("not base 64"));
    checkpoint_read(c, STR("AAAA"));
    assert_int_equal(checkpoint_age(c, &x, NOW), -1);
    for (int i = 0; i < CHECKPOINT_MAX + 100; i++) {
        const struct object_key k = key(str_z(a, str_fmt(a, "%d", i)));
        checkpoint_note(c, &k, NOW);
    }
    assert_true(checkpoint_write(c, a, NOW).len < 1000000);
    checkpoint_free(c);
}

RUN_TESTS(cmocka_unit_test(what_was_noted_is_known_to_the_next_process),
          cmocka_unit_test(what_is_broken_is_ignored_and_there_is_a_limit))
