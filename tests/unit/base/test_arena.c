/* SPDX-License-Identifier: Apache-2.0 */
/* test_arena.c - memory that belongs to a lifetime. */
#include "../test.h"

TEST(blocks_are_zeroed_aligned_and_apart)
{
    AUTO_ARENA a = arena_new();
    char *last = NULL;

    for (size_t size = 1; size < 3000; size += 37) {
        char *block = arena_alloc(a, size);
        assert_int_equal((uintptr_t)block % 16, 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(block[i], 0);
        memset(block, 0xAA, size);
        assert_ptr_not_equal(block, last);
        last = block;
    }
}

TEST(a_block_grows_in_place_when_it_is_the_last)
{
    AUTO_ARENA a = arena_new();
    char *block = arena_alloc(a, 16);

    memcpy(block, "0123456789abcdef", 16);
    char *grown = arena_grow(a, block, 16, 64);
    assert_ptr_equal(grown, block);
    arena_alloc(a, 8);
    char *moved = arena_grow(a, grown, 64, 128);
    assert_ptr_not_equal(moved, grown);
    assert_memory_equal(moved, "0123456789abcdef", 16);
}

TEST(a_large_block_grows_without_leaving_copies_behind)
{
    AUTO_ARENA a = arena_new();
    size_t size = 1 * MIB;
    char *block = arena_alloc_raw(a, size);

    memset(block, 'x', size);
    for (; size < 64 * MIB; size *= 2)
        block = arena_grow(a, block, size, size * 2);
    assert_int_equal(block[1 * MIB - 1], 'x');
    assert_true(arena_held(a) < 65 * MIB);
}

TEST(a_rewind_gives_back_everything_after_the_mark)
{
    AUTO_ARENA a = arena_new();
    char *kept = arena_alloc(a, 100);

    memset(kept, 'k', 100);
    size_t used = arena_used(a);
    struct arena_mark mark = arena_mark(a);
    for (size_t i = 0; i < 1000; i++)
        memset(arena_alloc_raw(a, i * 10), 'x', i * 10);
    arena_alloc(a, 2 * MIB);
    arena_rewind(a, mark);
    assert_int_equal(arena_used(a), used);
    char *again = arena_alloc(a, 100);
    memset(again, 'n', 100);
    assert_int_equal(kept[99], 'k');
}

TEST(a_rewind_to_the_empty_arena_leaves_it_usable)
{
    AUTO_ARENA a = arena_new();
    struct arena_mark mark = arena_mark(a);

    arena_alloc(a, 10);
    arena_rewind(a, mark);
    assert_int_equal(arena_used(a), 0);
    memset(arena_alloc(a, 10), 1, 10);
}

TEST(a_reset_arena_starts_over_and_keeps_little)
{
    AUTO_ARENA a = arena_new();

    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 100; i++)
            memset(arena_alloc(a, 1000), 1, 1000);
        arena_alloc(a, 1 * MIB);
        arena_reset(a);
        assert_int_equal(arena_used(a), 0);
        assert_true(arena_held(a) <= 8 * KIB);
    }
}

/* Else every round would ask the system for memory, and for more each time. */
TEST(a_small_round_finds_its_room_again_after_a_reset)
{
    AUTO_ARENA a = arena_new();
    size_t held = 0;

    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 7; i++)
            memset(arena_alloc(a, 1000), 1, 1000);
        if (round > 1)
            assert_int_equal(arena_held(a), held);
        held = arena_held(a);
        arena_reset(a);
        if (round)
            assert_int_equal(arena_held(a), held);
    }
    assert_true(held < 17 * KIB);
}

TEST(rounds_do_not_make_chunks_grow)
{
    AUTO_ARENA a = arena_new();

    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 100; i++)
            memset(arena_alloc(a, 1000), 1, 1000);
        assert_true(arena_held(a) < 300 * KIB);
        arena_reset(a);
        assert_true(arena_held(a) <= 8 * KIB);
    }
}

TEST(a_secret_is_wiped_by_rewind_and_reset)
{
    AUTO_ARENA a = arena_new_secret();

    arena_alloc(a, 8);
    struct arena_mark mark = arena_mark(a);
    char *secret = arena_alloc_raw(a, 32);
    memset(secret, 's', 32);
    arena_rewind(a, mark);
    char *again = arena_alloc_raw(a, 32);
    assert_ptr_equal(again, secret);
    for (int i = 0; i < 32; i++)
        assert_int_equal(again[i], 0);
    memset(again, 's', 32);
    arena_reset(a);
    char *fresh = arena_alloc_raw(a, 64);
    for (int i = 0; i < 64; i++)
        assert_int_equal(fresh[i], 0);
}

TEST(a_secret_that_grows_keeps_its_content)
{
    AUTO_ARENA a = arena_new_secret();
    char *secret = arena_alloc_raw(a, 1 * MIB);

    memset(secret, 's', 1 * MIB);
    secret = arena_grow(a, secret, 1 * MIB, 3 * MIB);
    assert_int_equal(secret[0], 's');
    assert_int_equal(secret[1 * MIB - 1], 's');
}

RUN_TESTS(cmocka_unit_test(blocks_are_zeroed_aligned_and_apart),
          cmocka_unit_test(a_block_grows_in_place_when_it_is_the_last),
          cmocka_unit_test(a_large_block_grows_without_leaving_copies_behind),
          cmocka_unit_test(a_rewind_gives_back_everything_after_the_mark),
          cmocka_unit_test(a_small_round_finds_its_room_again_after_a_reset),
          cmocka_unit_test(rounds_do_not_make_chunks_grow),
          cmocka_unit_test(a_rewind_to_the_empty_arena_leaves_it_usable),
          cmocka_unit_test(a_reset_arena_starts_over_and_keeps_little),
          cmocka_unit_test(a_secret_is_wiped_by_rewind_and_reset),
          cmocka_unit_test(a_secret_that_grows_keeps_its_content))
