/* SPDX-License-Identifier: Apache-2.0 */
/* test_table.c - hash tables: adding, finding and removing. */
#include "../test.h"

struct thing {
    struct table_node node;
    int number;
    char key[16];
};

static struct thing *thing_new(struct table *t, int number)
{
    struct thing *x = block_new(sizeof(*x));

    x->number = number;
    int len = snprintf(x->key, sizeof(x->key), "key-%d", number);
    table_add(t, &x->node, str_of(x->key, (size_t)len));
    return x;
}

static struct thing *find(struct table *t, int number)
{
    char key[16];
    int len = snprintf(key, sizeof(key), "key-%d", number);

    return (struct thing *)table_find(t, str_of(key, (size_t)len));
}

TEST(things_are_found_until_they_are_dropped)
{
    struct table *t = table_new();

    for (int i = 0; i < 1000; i++)
        thing_new(t, i);
    assert_int_equal(table_len(t), 1000);
    for (int i = 0; i < 1000; i += 2) {
        struct thing *x = find(t, i);
        assert_int_equal(x->number, i);
        table_drop(t, &x->node);
        block_free(x);
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(find(t, i) != NULL, i % 2);
    struct table_at at = {0};
    int seen = 0;
    for (struct table_node *n; (n = table_each(t, &at)); seen++) {
        table_drop(t, n);
        block_free(n);
    }
    assert_int_equal(seen, 500);
    assert_int_equal(table_len(t), 0);
    table_free(t);
}

RUN_TESTS(cmocka_unit_test(things_are_found_until_they_are_dropped))
