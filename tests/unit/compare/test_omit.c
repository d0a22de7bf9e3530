/* SPDX-License-Identifier: Apache-2.0 */
/* test_omit.c - removing fields that are not compared. */
#include "../test.h"

#include "compare/reference/omit_internal.h"
#include "compare/reference/yaml_map_internal.h"
#include "text/json/json.h"

static const struct {
    const char *object;
    const char *path;
    bool prefix;
    const char *want;
    const char *told; /* what was removed, each after a blank */
} cases[] = {
    {"{a: {b: 1, c: 2}}", "a.b", false, "{\"a\":{\"c\":2}}", " a.b"},
    {"{a: {b: 1}}", "a.b", false, "{}", " a.b"},
    {"{a: {b: {}}, x: 1}", "a.b.c", false, "{\"x\":1}", " a.b"},
    {"{a: {}, x: 1}", "a.b", false, "{\"x\":1}", " a"},
    {"{a: [{b: 1}]}", "a.0.b", false, "{\"a\":[{\"b\":1}]}", ""},
    {"{a: {'b.c': 1, d: 1}}", "a.\"b.c\"", false, "{\"a\":{\"d\":1}}", " a.\"b.c\""},
    {"{m: {ab: 1, ac: 2, b: 3}}", "m.a", true, "{\"m\":{\"b\":3}}", " m.ab m.ac"},
    {"{m: {b: 3}, o: {}}", "m.a", true, "{\"m\":{\"b\":3},\"o\":{}}", ""},
    {"{a: 1}", "a", false, "{}", " a"},
};

static void note(void *ctx, const struct omit_path *entry, const struct path *removed)
{
    (void)entry;
    buf_char(ctx, ' ');
    path_print_dotted(ctx, removed);
}

static str omitted(struct arena *a, size_t i, struct buf *told)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);
    struct omit_list list = {0};
    struct omit_path *path;
    struct value *object;
    AUTO_ERR e = {0};

    assert_ok(yaml_map_read(a, str_c(cases[i].object), &object, &e), &e);
    assert_ok(omit_path_read(a, str_c(cases[i].path), cases[i].prefix, &path, &e), &e);
    VEC_PUSH(a, &list, path);
    omit_fields_reporting(a, object, &list, note, told);
    assert_ok(json_write(&out, object, &json_go, &e), &e);
    return buf_str(&out);
}

TEST(fields_go_with_the_mappings_they_leave_empty)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buf told = buf_new(a, KIB);
        assert_str(omitted(a, i, &told), str_c(cases[i].want));
        assert_str(buf_str(&told), str_c(cases[i].told));
    }
}

static void add_rule(struct arena *a, struct omit_list *list, str text, bool prefix)
{
    struct omit_path *path;
    AUTO_ERR e = {0};

    assert_ok(omit_path_read(a, text, prefix, &path, &e), &e);
    VEC_PUSH(a, list, path);
}

/* {"m": {"k0": {"x": 0}, "k1": {"x": 1}, ...}, "end": true} */
static struct value *large_object(struct arena *a, size_t count)
{
    struct value *object = value_object(a), *m = value_set(a, object, STR("m"), value_object(a));

    for (size_t i = 0; i < count; i++)
        value_set_int(a, value_set(a, m, str_fmt(a, "k%zu", i), value_object(a)), STR("x"),
                      (int64_t)i);
    value_set_bool(a, object, STR("end"), true);
    return object;
}

static void count_told(void *ctx, const struct omit_path *entry, const struct path *removed)
{
    (void)entry;
    (void)removed;
    ++*(size_t *)ctx;
}

TEST(large_mappings_lose_what_each_rule_names_and_keep_their_order)
{
    AUTO_ARENA a = arena_new();
    struct value *object = large_object(a, 100), *m;
    struct omit_list list = {0};
    size_t told = 0;

    add_rule(a, &list, STR("m.k5"), false);
    add_rule(a, &list, STR("m.k5.x"), false); /* gone already */
    add_rule(a, &list, STR("m.k7.x"), false); /* leaves nothing of m.k7 */
    add_rule(a, &list, STR("m.k1"), true);
    add_rule(a, &list, STR("m.k1"), true);
    add_rule(a, &list, STR("m.k12"), true);
    omit_fields_reporting(a, object, &list, count_told, &told);
    m = value_get(object, STR("m"));
    assert_int_equal(told, 2 + 11);
    assert_int_equal(value_len(m), 100 - 2 - 11);
    assert_null(value_get(m, STR("k5")));
    assert_null(value_get(m, STR("k19")));
    for (size_t i = 0, at = 0; i < 100; i++) {
        if (i == 5 || i == 7 || i == 1 || (i >= 10 && i < 20))
            continue;
        assert_str(value_key(&m->items[at]), str_fmt(a, "k%zu", i));
        assert_ptr_equal(value_get(m, str_fmt(a, "k%zu", i)), &m->items[at++]);
    }
}

TEST(prefixes_of_large_mappings_find_members_in_their_order)
{
    AUTO_ARENA a = arena_new();
    struct value *object = value_object(a);
    struct omit_list list = {0};
    struct buf told = buf_new(a, KIB);

    for (size_t i = 40; i-- > 0;)
        value_set_int(a, object, str_fmt(a, "k%zu", i), 0);
    add_rule(a, &list, STR("k2"), true);
    add_rule(a, &list, STR("k"), true);
    omit_fields_reporting(a, object, &list, note, &told);
    assert_int_equal(value_len(object), 0);
    assert_true(
        str_has_prefix(buf_str(&told), STR(" k29 k28 k27 k26 k25 k24 k23 k22 k21 k20 k2 k39 "
                                           "k38")));
}

TEST(a_large_mapping_that_loses_everything_goes_too)
{
    AUTO_ARENA a = arena_new();
    struct value *object = large_object(a, 50);
    struct omit_list list = {0};

    for (size_t i = 0; i < 50; i++)
        add_rule(a, &list, str_fmt(a, "m.k%zu.x", i), false);
    omit_fields(a, object, &list);
    assert_int_equal(value_len(object), 1);
    assert_null(value_get(object, STR("m")));
}

/* As many rules as keys, plain and prefixes: each costs what it removes, or this takes minutes. */
TEST(many_rules_and_many_keys_are_linear)
{
    enum { MANY = 100000 };
    AUTO_ARENA a = arena_new();
    struct value *object = large_object(a, MANY);
    struct omit_list list = {0};

    for (size_t i = 0; i < MANY; i += 2)
        add_rule(a, &list, str_fmt(a, "m.k%zu", i), i % 4 == 0);
    for (size_t i = 0; i < MANY; i++)
        add_rule(a, &list, STR("m.k9"), true);
    omit_fields(a, object, &list);
    assert_null(value_get(value_get(object, STR("m")), STR("k98")));
    assert_non_null(value_get(object, STR("end")));
}

RUN_TESTS(cmocka_unit_test(fields_go_with_the_mappings_they_leave_empty),
          cmocka_unit_test(large_mappings_lose_what_each_rule_names_and_keep_their_order),
          cmocka_unit_test(prefixes_of_large_mappings_find_members_in_their_order),
          cmocka_unit_test(a_large_mapping_that_loses_everything_goes_too),
          cmocka_unit_test(many_rules_and_many_keys_are_linear))
