/* SPDX-License-Identifier: Apache-2.0 */
/* test_strset.c - texts are found, whatever their number and size. */
#include "../test.h"

TEST(few_are_found_again)
{
    AUTO_ARENA a = arena_new();
    struct strset *s = strset_new(a, 8);
    str first, second;

    assert_true(strset_add(s, STR("x"), &first));
    assert_false(strset_add(s, STR("x"), &second));
    assert_true(strset_has(s, STR("x")));
    assert_false(strset_has(s, STR("y")));
    assert_ptr_equal(first.ptr, second.ptr);
    assert_true(strset_add(s, STR_NONE, NULL));
    assert_false(strset_add(s, STR(""), NULL));
    assert_int_equal(strset_len(s), 2);
    strset_free(s);
    assert_true(str_eq(first, STR("x")));
}

TEST(many_are_found_again)
{
    enum { MANY = 100000 };
    AUTO_ARENA a = arena_new();
    AUTO_ARENA scratch = arena_new();
    struct strset *s = strset_new(a, 8);

    for (int round = 0; round < 2; round++)
        for (int i = 0; i < MANY; i++) {
            assert_int_equal(strset_add(s, str_fmt(scratch, "name-%d", i), NULL), round == 0);
            arena_reset(scratch);
        }
    assert_int_equal(strset_len(s), MANY);
    strset_free(s);
}

/* Larger than a block, and what fits into none that is begun. */
TEST(large_ones_are_found_again)
{
    AUTO_ARENA a = arena_new();
    struct strset *s = strset_new(a, 8);

    for (size_t size = 1; size < 4 * MIB; size *= 3) {
        char *text = arena_alloc_text(a, size);
        memset(text, 'x', size);
        assert_true(strset_add(s, str_of(text, size), NULL));
        assert_false(strset_add(s, str_of(text, size), NULL));
    }
    strset_free(s);
}

RUN_TESTS(cmocka_unit_test(few_are_found_again), cmocka_unit_test(many_are_found_again),
          cmocka_unit_test(large_ones_are_found_again))
