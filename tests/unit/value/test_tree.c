/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of whole trees (value/tree.c): copy, merge, equality, order, hash. */
#include "../test.h"

#include "text/json/json.h"

static struct value *read(struct arena *a, const char *text)
{
    AUTO_ERR e = {0};
    struct source *src = ARENA_NEW(a, struct source);
    struct value *v = NULL;

    src->text = str_c(text);
    assert_ok(json_read(a, src, NULL, &v, &e), &e);
    return v;
}

static str written(struct arena *a, const struct value *v)
{
    AUTO_ERR e = {0};
    struct buf b = buf_new(a, 1 * MIB);

    assert_ok(json_write(&b, v, &json_exact, &e), &e);
    return buf_str(&b);
}

static int sign(int x)
{
    return (x > 0) - (x < 0);
}

/* Groups of equal values, each group after the one before in the order of value_compare. */
static const char *const ordered[] = {
    "null",
    "<",
    "false",
    "<",
    "true",
    "<",
    "-1",
    "-1.0",
    "<",
    "0",
    "-0",
    "0.0",
    "-0.0",
    "<",
    "1",
    "1.0",
    "1e0",
    "<",
    "9007199254740992",
    "<",
    "9007199254740993",
    "<",
    "18446744073709551616",
    "18446744073709551616.0",
    "<",
    "18446744073709551617",
    "<",
    "\"\"",
    "<",
    "\"1\"",
    "<",
    "\"a\"",
    "\"\\u0061\"",
    "<",
    "\"ab\"",
    "<",
    "[]",
    "<",
    "[1]",
    "[1.0]",
    "<",
    "[1,2]",
    "<",
    "[2]",
    "<",
    "[[]]",
    "<",
    "[{}]",
    "<",
    "{}",
    "<",
    "{\"a\":1}",
    "<",
    "{\"a\":1,\"b\":2}",
    "{\"b\":2.0,\"a\":1}",
    "<",
    "{\"a\":2}",
    "<",
    "{\"b\":\"c\"}",
    "<",
    "{\"b\":\"c\",\"d\":\"e\"}",
    "<",
    "{\"c\":\"b\",\"d\":\"e\"}",
    "<",
    "{\"c\":\"b\",\"e\":\"d\"}",
};

TEST(equality_order_and_hash_agree)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0, group = 0; i < COUNT(ordered); i++) {
        if (ordered[i][0] == '<') {
            group++;
            continue;
        }
        for (size_t j = 0, other = 0; j < COUNT(ordered); j++) {
            if (ordered[j][0] == '<') {
                other++;
                continue;
            }
            struct value *x = read(a, ordered[i]), *y = read(a, ordered[j]);
            if (sign(value_compare(x, y)) != (group > other) - (group < other) ||
                value_equal(x, y) != (group == other) ||
                (value_hash(x) == value_hash(y)) != (group == other))
                fail_msg("%s and %s", ordered[i], ordered[j]);
        }
    }
}

TEST(nothing_equals_only_nothing)
{
    AUTO_ARENA a = arena_new();
    const struct value *null = value_null(a);

    assert_true(value_equal(NULL, NULL));
    assert_false(value_equal(NULL, null));
    assert_false(value_equal(null, NULL));
    assert_int_equal(value_compare(NULL, NULL), 0);
    assert_true(value_compare(NULL, null) < 0);
    assert_true(value_compare(null, NULL) > 0);
    assert_false(value_hash(NULL) == value_hash(null));
}

/* Members that swap keys and texts must not hash alike: 2^n such objects would all collide. */
TEST(swapped_members_have_other_hashes)
{
    AUTO_ARENA a = arena_new();

    assert_false(value_hash(read(a, "{\"a\":\"b\",\"c\":\"d\"}")) ==
                 value_hash(read(a, "{\"b\":\"a\",\"d\":\"c\"}")));
    assert_false(value_hash(read(a, "[1,2]")) == value_hash(read(a, "[2,1]")));
    assert_false(value_hash(read(a, "[[1],2]")) == value_hash(read(a, "[1,[2]]")));
}

static void check_positions(const struct value *x, const struct value *y)
{
    assert_int_equal(x->pos, y->pos);
    assert_int_equal(x->tag, y->tag);
    for (size_t i = 0; i < value_len(x); i++)
        check_positions(&x->items[i], &y->items[i]);
}

TEST(copies_share_nothing)
{
    AUTO_ARENA longer = arena_new();
    struct arena *a = arena_new();
    static const char text[] = "{\"b\":[1,2.50,\"x\\n\",null,true,{}],\"a\":{\"\":[[]]}}";
    struct value *v = read(a, text);

    v->items[0].tag = 7;
    struct value *copy = value_copy(longer, v);
    assert_true(value_equal(v, copy));
    check_positions(v, copy);
    value_add(a, value_get(v, STR("b")), value_null(a));
    assert_int_equal(value_len(value_get(copy, STR("b"))), 6);
    arena_free(a);
    assert_str(written(longer, copy), str_c(text));
}

TEST(clones_share_only_texts)
{
    AUTO_ARENA a = arena_new();
    struct value *v = read(a, "{\"a\":[\"text\"]}"), *clone = value_clone(a, v);

    assert_true(value_equal(v, clone));
    assert_ptr_equal(value_text(value_at(value_get(v, STR("a")), 0)).ptr,
                     value_text(value_at(value_get(clone, STR("a")), 0)).ptr);
    value_set_int(a, clone, STR("b"), 1);
    value_add(a, value_get(clone, STR("a")), value_null(a));
    assert_str(written(a, v), STR("{\"a\":[\"text\"]}"));
}

TEST(large_copies_keep_their_index)
{
    AUTO_ARENA a = arena_new();
    struct value *v = value_object(a);

    for (int i = 0; i < 1000; i++)
        value_set_int(a, v, str_fmt(a, "k%d", i), i);
    struct value *copy = value_copy(a, v);
    assert_true(copy->indexed);
    assert_true(value_equal(v, copy));
    assert_str(value_text(value_get(copy, STR("k777"))), STR("777"));
}

TEST(merging_lays_one_tree_upon_another)
{
    static const struct {
        const char *base, *over, *want;
    } cases[] = {
        {"{}", "{}", "{}"},
        {"{\"a\":1}", "{\"b\":2}", "{\"a\":1,\"b\":2}"},
        {"{\"a\":1,\"b\":2}", "{\"a\":3}", "{\"a\":3,\"b\":2}"},
        {"{\"a\":{\"x\":1,\"y\":2}}", "{\"a\":{\"y\":3,\"z\":4}}",
         "{\"a\":{\"x\":1,\"y\":3,\"z\":4}}"},
        {"{\"a\":{\"x\":1}}", "{\"a\":5}", "{\"a\":5}"},
        {"{\"a\":5}", "{\"a\":{\"x\":1}}", "{\"a\":{\"x\":1}}"},
        {"{\"a\":{\"x\":1}}", "{\"a\":null}", "{\"a\":null}"},
        {"{\"a\":[1,2]}", "{\"a\":[3]}", "{\"a\":[3]}"},
        {"[1]", "{\"a\":1}", "{\"a\":1}"},
        {"{\"a\":1}", "[1]", "[1]"},
        {"1", "2", "2"},
    };
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct value *base = read(a, cases[i].base), *over = read(a, cases[i].over);
        struct value *merged = value_merge(a, base, over);
        assert_str(written(a, merged), str_c(cases[i].want));
        if (merged->kind == VALUE_OBJECT)
            value_set_int(a, merged, STR("later"), 1);
        assert_str(written(a, base), str_c(cases[i].base));
        assert_str(written(a, over), str_c(cases[i].over));
    }
}

TEST(merging_does_not_change_what_lies_below)
{
    AUTO_ARENA a = arena_new();
    struct value *base = read(a, "{\"a\":{\"x\":1}}"), *over = read(a, "{\"b\":{\"y\":[1]}}");
    struct value *merged = value_merge(a, base, over);

    value_set_int(a, value_get(merged, STR("a")), STR("new"), 1);
    value_set_int(a, value_get(merged, STR("b")), STR("new"), 1);
    assert_str(written(a, base), STR("{\"a\":{\"x\":1}}"));
    assert_str(written(a, over), STR("{\"b\":{\"y\":[1]}}"));
}

/* depth levels, lists and objects in turn, around item. */
static struct value *deep(struct arena *a, size_t depth, struct value *item)
{
    for (size_t i = 0; i < depth; i++) {
        struct value *around = i % 2 ? value_list(a) : value_object(a);
        if (i % 2)
            value_add(a, around, item);
        else
            value_set(a, around, STR("k"), item);
        item = around;
    }
    return item;
}

static bool deepest(void *ctx, struct value *v, size_t depth)
{
    size_t *most = ctx;

    (void)v;
    *most = depth > *most ? depth : *most;
    return true;
}

TEST(the_deepest_trees_are_handled)
{
    AUTO_ARENA a = arena_new();
    struct value *x = deep(a, VALUE_DEPTH_MAX, value_int(a, 1));
    struct value *y = deep(a, VALUE_DEPTH_MAX, value_int(a, 2));
    struct value *copy = value_copy(a, x);
    size_t depth = 0;

    assert_true(value_equal(x, copy));
    assert_false(value_equal(x, y));
    assert_int_equal(value_compare(x, copy), 0);
    assert_true(value_compare(x, y) < 0);
    assert_true(value_hash(x) == value_hash(copy));
    assert_false(value_hash(x) == value_hash(y));
    assert_true(value_equal(value_merge(a, x, y), y));
    value_walk(x, deepest, &depth);
    assert_int_equal(depth, VALUE_DEPTH_MAX);
}

RUN_TESTS(cmocka_unit_test(equality_order_and_hash_agree),
          cmocka_unit_test(nothing_equals_only_nothing),
          cmocka_unit_test(swapped_members_have_other_hashes),
          cmocka_unit_test(copies_share_nothing), cmocka_unit_test(clones_share_only_texts),
          cmocka_unit_test(large_copies_keep_their_index),
          cmocka_unit_test(merging_lays_one_tree_upon_another),
          cmocka_unit_test(merging_does_not_change_what_lies_below),
          cmocka_unit_test(the_deepest_trees_are_handled))
