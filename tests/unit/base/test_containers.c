/* SPDX-License-Identifier: Apache-2.0 */
/* test_containers.c - buf, vec and map. */
#include "../test.h"

TEST(a_buffer_grows_to_its_maximum_and_no_further)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf b = buf_new(a, 100);

    for (int i = 0; i < 100; i++)
        buf_char(&b, 'x');
    assert_true(buf_check(&b, &e));
    assert_int_equal(b.cap, 100);
    buf_char(&b, 'y');
    assert_false(buf_check(&b, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
    assert_int_equal(buf_str(&b).len, 100);
}

TEST(what_does_not_fit_is_dropped_whole_and_for_good)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, 10);

    buf_add(&b, STR("12345678"));
    buf_add(&b, STR("abc"));
    buf_char(&b, 'z');
    assert_str(buf_str(&b), STR("12345678"));
    assert_true(b.overflow);
    assert_null(buf_room(&b, 1));
}

TEST(a_format_may_fill_a_buffer_to_its_maximum)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, 10);

    buf_add(&b, STR("12345"));
    buf_fmt(&b, "%d", 67890);
    assert_str(buf_str(&b), STR("1234567890"));
    assert_false(b.overflow);
    buf_fmt(&b, "%s", "");
    assert_false(b.overflow);
    buf_fmt(&b, "%d", 1);
    assert_true(b.overflow);
}

TEST(formats_runes_and_repeats_append)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);

    buf_fmt(&b, "%s=%d ", "x", 5);
    buf_rune(&b, 0x20AC);
    buf_repeat(&b, '-', 3);
    buf_repeat(&b, '-', 0);
    buf_add(&b, STR_NONE);
    assert_str(buf_str(&b), STR("x=5 \xE2\x82\xAC---"));
    buf_truncate(&b, 3);
    assert_str(buf_str(&b), STR("x=5"));
    buf_truncate(&b, 99);
    assert_int_equal(b.len, 3);
}

TEST(a_vector_keeps_its_elements_over_growth)
{
    AUTO_ARENA a = arena_new();
    VEC(size_t) numbers = {0};

    for (size_t i = 0; i < 10000; i++)
        VEC_PUSH(a, &numbers, i);
    assert_int_equal(*VEC_ADD(a, &numbers), 0);
    for (size_t i = 0; i < 10000; i++)
        assert_int_equal(numbers.items[i], i);
}

TEST(a_map_keeps_insertion_order_over_growth)
{
    AUTO_ARENA a = arena_new();
    struct map *m = map_new(a);

    assert_null(map_get(m, STR("x")));
    for (intptr_t i = 1; i <= 1000; i++)
        assert_null(map_set(m, str_fmt(a, "key%d", (int)i), (void *)i));
    assert_ptr_equal(map_set(m, STR("key500"), (void *)(intptr_t)-1), (void *)(intptr_t)500);
    assert_int_equal(map_len(m), 1000);
    for (size_t i = 0; i < 1000; i++)
        assert_str(map_key(m, i), str_fmt(a, "key%zu", i + 1));
    assert_ptr_equal(map_get(m, STR("key500")), (void *)(intptr_t)-1);
    assert_ptr_equal(map_get_hashed(m, STR("key500"), str_hash(STR("key500"))),
                     (void *)(intptr_t)-1);
    assert_null(map_get_hashed(m, STR("other"), str_hash(STR("other"))));
}

TEST(an_entry_of_a_map_is_set_in_another)
{
    AUTO_ARENA a = arena_new();
    struct map *from = map_new(a), *to = map_new(a);

    map_set(from, STR("one"), (void *)(intptr_t)1);
    map_set(from, STR("two"), (void *)(intptr_t)2);
    map_set(to, STR("two"), (void *)(intptr_t)-2);
    assert_ptr_equal(map_set_entry(to, from, 1), (void *)(intptr_t)-2);
    assert_null(map_set_entry(to, from, 0));
    assert_int_equal(map_len(to), 2);
    assert_str(map_key(to, 0), STR("two"));
    assert_ptr_equal(map_get(to, STR("one")), (void *)(intptr_t)1);
    assert_ptr_equal(map_get(to, STR("two")), (void *)(intptr_t)2);
}

TEST(room_for_more_entries_leaves_a_map_as_it_is)
{
    AUTO_ARENA a = arena_new();
    struct map *m = map_new(a);

    map_reserve(m, 0);
    assert_null(map_get(m, STR("one")));
    map_set(m, STR("one"), (void *)(intptr_t)1);
    map_set(m, STR("two"), (void *)(intptr_t)2);
    map_reserve(m, 100);
    assert_int_equal(map_len(m), 2);
    assert_ptr_equal(map_get(m, STR("two")), (void *)(intptr_t)2);
    size_t used = arena_used(a);
    map_set(m, STR("three"), (void *)(intptr_t)3);
    assert_int_equal(arena_used(a), used);
    assert_str(map_key(m, 2), STR("three"));
    assert_ptr_equal(map_get(m, STR("one")), (void *)(intptr_t)1);
}

TEST(the_last_entry_of_a_map_takes_the_place_of_a_removed_one)
{
    AUTO_ARENA a = arena_new();
    struct map *m = map_new(a);

    for (intptr_t i = 1; i <= 1000; i++)
        map_set(m, str_fmt(a, "key%d", (int)i), (void *)i);
    assert_true(map_remove(m, STR("key1")));
    assert_false(map_remove(m, STR("key1")));
    assert_false(map_has(m, STR("key1")));
    assert_int_equal(map_len(m), 999);
    assert_str(map_key(m, 0), STR("key1000"));
    assert_str(map_key(m, 998), STR("key999"));
    assert_true(map_remove(m, STR("key999")));
    assert_str(map_key(m, 997), STR("key998"));
}

/* Every other one goes, from the front: each in constant time, or this takes minutes. */
TEST(a_large_map_is_thinned_out_and_filled_again)
{
    enum { MANY = 200000 };
    AUTO_ARENA a = arena_new();
    struct map *m = map_new(a);

    for (intptr_t i = 0; i < MANY; i++)
        map_set(m, str_fmt(a, "%d", (int)i), (void *)i);
    for (intptr_t i = 0; i < MANY; i += 2)
        assert_true(map_remove(m, str_fmt(a, "%d", (int)i)));
    assert_int_equal(map_len(m), MANY / 2);
    for (intptr_t i = 0; i < MANY; i++)
        assert_ptr_equal(map_get(m, str_fmt(a, "%d", (int)i)), i % 2 ? (void *)i : NULL);
    for (intptr_t i = 0; i < MANY; i += 2)
        map_set(m, str_fmt(a, "%d", (int)i), (void *)i);
    assert_int_equal(map_len(m), MANY);
    for (size_t i = 0; i < MANY; i++)
        assert_str(map_key(m, i), str_fmt(a, "%zu", (size_t)(intptr_t)map_at(m, i)));
}

TEST(a_map_may_hold_null)
{
    AUTO_ARENA a = arena_new();
    struct map *m = map_new(a);

    map_set(m, STR(""), NULL);
    assert_true(map_has(m, STR("")));
    assert_null(map_get(m, STR("")));
}

RUN_TESTS(cmocka_unit_test(a_buffer_grows_to_its_maximum_and_no_further),
          cmocka_unit_test(what_does_not_fit_is_dropped_whole_and_for_good),
          cmocka_unit_test(a_format_may_fill_a_buffer_to_its_maximum),
          cmocka_unit_test(formats_runes_and_repeats_append),
          cmocka_unit_test(a_vector_keeps_its_elements_over_growth),
          cmocka_unit_test(a_map_keeps_insertion_order_over_growth),
          cmocka_unit_test(an_entry_of_a_map_is_set_in_another),
          cmocka_unit_test(room_for_more_entries_leaves_a_map_as_it_is),
          cmocka_unit_test(the_last_entry_of_a_map_takes_the_place_of_a_removed_one),
          cmocka_unit_test(a_large_map_is_thinned_out_and_filled_again),
          cmocka_unit_test(a_map_may_hold_null))
