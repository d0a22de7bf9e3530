/* SPDX-License-Identifier: Apache-2.0 */
/* test_fields.c - differences as data, in cases too large for whole runs. */
#include "../test.h"

#include "compare/internal.h"
#include "compare/explain/trace_internal.h"

/* One member with a long name, and some below it. */
static struct value *tree_of(struct arena *a, str name, int64_t number, size_t count)
{
    struct value *root = value_object(a);
    struct value *inner = value_set(a, root, name, value_object(a));

    for (size_t i = 0; i < count; i++)
        value_set_int(a, inner, str_fmt(a, "k%zu", i), number);
    return root;
}

static void find(struct arena *a, size_t name, size_t count, struct result_fields *out)
{
    static const struct compare_options options = {.dialect = &dialect_native};
    struct compare c = {0};
    struct object object = {.place = {STR("o.yaml"), 7}};
    struct template template = {.path = STR("t.yaml")};
    struct buf key = buf_new(a, BUF_UNLIMITED);

    buf_repeat(&key, 'x', name);
    struct trace t = {
        .arena = a, .compare = &c, .options = &options, .object = &object, .template = &template};
    t.live = tree_of(a, buf_str(&key), 2, count);
    fields_find(&t, tree_of(a, buf_str(&key), 1, count), t.live, out);
}

TEST(places_that_are_not_known_are_those_of_the_whole)
{
    AUTO_ARENA a = arena_new();
    struct result_fields fields = {0};

    find(a, 3, 2, &fields);
    assert_int_equal(fields.len, 2);
    assert_false(fields.cut);
    assert_str(fields.items[1].path, STR("xxx.k1"));
    assert_int_equal(fields.items[1].kind, RESULT_CHANGED);
    assert_str(fields.items[1].template.file, STR("t.yaml"));
    assert_int_equal(fields.items[1].template.line, 0);
    assert_str(fields.items[1].object.file, STR("o.yaml"));
    assert_int_equal(fields.items[1].object.line, 7);
}

TEST(long_paths_cannot_take_unbounded_memory)
{
    AUTO_ARENA a = arena_new();
    struct result_fields fields = {0};

    find(a, 2 * MIB, 100, &fields);
    assert_true(fields.cut);
    assert_true(fields.len > 10 && fields.len < 50);
}

RUN_TESTS(cmocka_unit_test(places_that_are_not_known_are_those_of_the_whole),
          cmocka_unit_test(long_paths_cannot_take_unbounded_memory))
