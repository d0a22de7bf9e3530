/* SPDX-License-Identifier: Apache-2.0 */
/* test_strset.c - texts are found again, whatever their number and size. */
#include "base/base.h"
#include "unit.h"

static void test_few(void **state)
{
    AUTO_ARENA a = arena_new();
    struct strset *s = strset_new(a);
    str first, second;

    (void)state;
    assert_true(strset_add(s, STR("x"), &first));
    assert_false(strset_add(s, STR("x"), &second));
    assert_ptr_equal(first.ptr, second.ptr);
    assert_true(strset_add(s, STR_NONE, NULL));
    assert_false(strset_add(s, STR(""), NULL));
    assert_int_equal(strset_len(s), 2);
    strset_free(s);
    assert_true(str_eq(first, STR("x")));
}

static void test_many(void **state)
{
    enum { MANY = 100000 };
    AUTO_ARENA a = arena_new();
    AUTO_ARENA scratch = arena_new();
    struct strset *s = strset_new(a);

    (void)state;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < MANY; i++) {
            assert_int_equal(strset_add(s, str_fmt(scratch, "name-%d", i), NULL), round == 0);
            arena_reset(scratch);
        }
    assert_int_equal(strset_len(s), MANY);
    strset_free(s);
}

/* Larger than a block, and what fits into none that is begun. */
static void test_large(void **state)
{
    AUTO_ARENA a = arena_new();
    struct strset *s = strset_new(a);

    (void)state;
    for (size_t size = 1; size < 4 * MIB; size *= 3) {
        char *text = arena_alloc_text(a, size);
        memset(text, 'x', size);
        assert_true(strset_add(s, str_of(text, size), NULL));
        assert_false(strset_add(s, str_of(text, size), NULL));
    }
    strset_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_large),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
