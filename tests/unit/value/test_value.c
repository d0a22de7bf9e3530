/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of value/value.h: reading and building trees. */
#include "../test.h"

#include "value/value.h"

static str key_of(struct arena *a, size_t i)
{
    return str_fmt(a, "key-%zu", i);
}

/* An object of n members key-i: i, built one by one. */
static struct value *numbered(struct arena *a, size_t n)
{
    struct value *v = value_object(a);

    for (size_t i = 0; i < n; i++)
        value_set_int(a, v, key_of(a, i), (int64_t)i);
    return v;
}

/* The same as a reader makes it: a block that fits exactly. */
static struct value *adopted(struct arena *a, size_t n)
{
    struct value *v = value_object(a), *built = numbered(a, n);

    value_adopt(a, v, VALUE_OBJECT, built->items, n);
    return v;
}

static int64_t number_at(const struct value *object, str key)
{
    int64_t i = -1;

    return value_to_i64(value_get(object, key), &i) ? i : -1;
}

static int64_t element(const struct value *list, size_t i)
{
    int64_t n = -1;

    return value_to_i64(value_at(list, i), &n) ? n : -1;
}

TEST(nothing_is_an_answer_to_every_question)
{
    AUTO_ARENA a = arena_new();
    struct value *text = value_string(a, STR("abc"));
    int64_t i;

    assert_false(value_is(NULL, VALUE_NULL));
    assert_false(value_is_number(NULL));
    assert_false(value_is_container(NULL));
    assert_int_equal(value_len(NULL), 0);
    assert_int_equal(value_len(text), 0);
    assert_int_equal(value_key(NULL).len, 0);
    assert_int_equal(value_text(NULL).len, 0);
    assert_int_equal(value_str(NULL).len, 0);
    assert_null(value_get(NULL, STR("x")));
    assert_null(value_get(text, STR("x")));
    assert_int_equal(value_get_str(NULL, STR("x")).len, 0);
    assert_null(value_at(NULL, 0));
    assert_null(value_at(text, 0));
    assert_false(value_to_i64(NULL, &i));
    assert_false(value_to_i64(text, &i));
    assert_non_null(value_sorted(a, NULL));
    assert_non_null(value_sorted(a, text));
    value_walk(NULL, NULL, NULL);
}

TEST(scalars_hold_what_they_were_given)
{
    AUTO_ARENA a = arena_new();
    static const struct {
        double d;
        const char *text;
    } floats[] = {{0, "0.0"}, {-0.0, "-0.0"}, {1.5, "1.5"}, {3, "3.0"}, {1e21, "1e+21"}};

    assert_int_equal(value_null(a)->kind, VALUE_NULL);
    assert_true(value_bool(a, true)->truth);
    assert_str(value_text(value_int(a, INT64_MIN)), STR("-9223372036854775808"));
    assert_str(value_text(value_uint(a, UINT64_MAX)), STR("18446744073709551615"));
    assert_int_equal(value_number(a, STR("12"))->kind, VALUE_INT);
    assert_int_equal(value_number(a, STR("12.0"))->kind, VALUE_FLOAT);
    assert_int_equal(value_number(a, STR("1e2"))->kind, VALUE_FLOAT);
    assert_str(value_text(value_number(a, STR("1e2"))), STR("1e2"));
    assert_str(value_str(value_string(a, STR("a\0b"))), STR("a\0b"));
    assert_int_equal(value_str(value_int(a, 1)).len, 0);
    for (size_t i = 0; i < COUNT(floats); i++) {
        assert_str(value_text(value_float(a, floats[i].d)), str_c(floats[i].text));
        assert_int_equal(value_float(a, floats[i].d)->kind, VALUE_FLOAT);
    }
}

TEST(kinds_have_names)
{
    assert_string_equal(value_kind_name(VALUE_NULL), "null");
    assert_string_equal(value_kind_name(VALUE_INT), "integer");
    assert_string_equal(value_kind_name(VALUE_OBJECT), "object");
}

TEST(a_node_is_small)
{
    assert_int_equal(sizeof(struct value), 32);
}

static const size_t sizes[] = {0, 1, 2, 4, 15, 16, 17, 31, 32, 33, 64, 1000, 20000};

TEST(members_are_found_whatever_the_size)
{
    for (size_t s = 0; s < COUNT(sizes); s++) {
        AUTO_ARENA a = arena_new();
        struct value *both[] = {numbered(a, sizes[s]), adopted(a, sizes[s])};
        for (size_t k = 0; k < COUNT(both); k++) {
            assert_int_equal(value_len(both[k]), sizes[s]);
            for (size_t i = 0; i < sizes[s]; i++)
                assert_int_equal(number_at(both[k], key_of(a, i)), i);
            assert_null(value_get(both[k], STR("key-")));
            assert_null(value_get(both[k], key_of(a, sizes[s])));
            assert_null(value_get(both[k], STR_NONE));
        }
    }
}

TEST(setting_replaces_in_place_or_appends)
{
    for (size_t s = 0; s < COUNT(sizes); s++) {
        AUTO_ARENA a = arena_new();
        struct value *both[] = {numbered(a, sizes[s]), adopted(a, sizes[s])};
        for (size_t k = 0; k < COUNT(both); k++) {
            for (size_t i = 0; i < sizes[s]; i += 3)
                assert_str(value_key(value_set_int(a, both[k], key_of(a, i), (int64_t)i + 7)),
                           key_of(a, i));
            assert_int_equal(value_len(both[k]), sizes[s]);
            value_set_str(a, both[k], STR("new"), STR("x"));
            value_set_bool(a, both[k], STR(""), true);
            assert_int_equal(value_len(both[k]), sizes[s] + 2);
            assert_str(value_get_str(both[k], STR("new")), STR("x"));
            assert_true(value_get(both[k], STR_NONE)->truth);
            for (size_t i = 0; i < sizes[s]; i++) {
                assert_int_equal(number_at(both[k], key_of(a, i)), i % 3 ? i : i + 7);
                assert_str(value_key(&both[k]->items[i]), key_of(a, i));
            }
        }
    }
}

/* Removes every other member, from both ends and the middle, then adds some again. */
static void thin_out(struct arena *a, struct value *v, size_t n)
{
    for (size_t i = 0; i < n; i += 2)
        assert_true(value_unset(v, key_of(a, i)));
    assert_false(value_unset(v, key_of(a, 0)));
    assert_int_equal(value_len(v), n / 2);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(number_at(v, key_of(a, i)), i % 2 ? (int64_t)i : -1);
    for (size_t i = 0; i < v->len; i++)
        assert_str(value_key(&v->items[i]), key_of(a, 2 * i + 1));
    for (size_t i = 0; i < n; i += 2)
        value_set_int(a, v, key_of(a, i), (int64_t)i);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(number_at(v, key_of(a, i)), i);
    assert_int_equal(value_len(v), n);
    assert_str(value_key(&v->items[0]), key_of(a, 1));
}

TEST(removal_keeps_the_order_and_the_index)
{
    static const size_t some[] = {2, 16, 18, 32, 34, 64, 66, 500};

    for (size_t s = 0; s < COUNT(some); s++) {
        AUTO_ARENA a = arena_new();
        thin_out(a, numbered(a, some[s]), some[s]);
        thin_out(a, adopted(a, some[s]), some[s]);
    }
}

TEST(a_large_object_can_be_emptied_and_used_again)
{
    AUTO_ARENA a = arena_new();
    struct value *v = adopted(a, 200);

    for (size_t i = 200; i > 0; i--) {
        assert_true(value_unset(v, key_of(a, i - 1)));
        assert_null(value_get(v, key_of(a, i - 1)));
        assert_int_equal(number_at(v, key_of(a, 0)), i > 1 ? 0 : -1);
    }
    assert_int_equal(value_len(v), 0);
    value_set_int(a, v, STR("x"), 1);
    assert_int_equal(number_at(v, STR("x")), 1);
}

/* One removal must not turn each lookup into a search of the whole object: 2 * 10^9 comparisons. */
TEST(lookups_stay_fast_after_a_removal)
{
    enum { MANY = 60000 };
    AUTO_ARENA a = arena_new();
    struct value *v = adopted(a, MANY);

    assert_true(value_unset(v, key_of(a, 5)));
    assert_true(v->indexed);
    for (size_t i = 6; i < MANY; i++)
        assert_int_equal(number_at(v, key_of(a, i)), i);
}

static bool is_odd(void *ctx, const struct value *item)
{
    int64_t i = 0;

    (void)ctx;
    return value_to_i64(item, &i) && i % 2;
}

TEST(many_members_are_removed_in_one_pass)
{
    static const size_t some[] = {0, 1, 2, 17, 33, 500};

    for (size_t s = 0; s < COUNT(some); s++) {
        AUTO_ARENA a = arena_new();
        struct value *both[] = {numbered(a, some[s]), adopted(a, some[s])};
        for (size_t k = 0; k < COUNT(both); k++) {
            assert_int_equal(value_remove_if(both[k], is_odd, NULL), some[s] / 2);
            assert_int_equal(value_len(both[k]), (some[s] + 1) / 2);
            for (size_t i = 0; i < some[s]; i++)
                assert_int_equal(number_at(both[k], key_of(a, i)), i % 2 ? -1 : (int64_t)i);
            assert_int_equal(value_remove_if(both[k], is_odd, NULL), 0);
        }
    }
}

TEST(only_objects_have_members_to_remove)
{
    AUTO_ARENA a = arena_new();

    assert_false(value_unset(value_list(a), STR("x")));
    assert_false(value_unset(value_string(a, STR("abc")), STR("x")));
}

TEST(elements_are_inserted_and_removed_anywhere)
{
    AUTO_ARENA a = arena_new();
    struct value *list = value_list(a);
    static const int64_t want[] = {9, 0, 1, 8, 2, 7};

    for (int64_t i = 0; i < 3; i++)
        value_add(a, list, value_int(a, i));
    value_insert(a, list, 3, value_int(a, 7));
    value_insert(a, list, 2, value_int(a, 8));
    value_insert(a, list, 0, value_int(a, 9));
    assert_int_equal(value_len(list), COUNT(want));
    for (size_t i = 0; i < COUNT(want); i++)
        assert_int_equal(element(list, i), want[i]);
    value_remove(list, 5);
    value_remove(list, 0);
    value_remove(list, 2);
    assert_int_equal(value_len(list), 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(element(list, i), i);
    assert_null(value_at(list, 3));
}

TEST(an_item_may_be_part_of_what_it_is_added_to)
{
    AUTO_ARENA a = arena_new();
    struct value *list = value_list(a), *object = numbered(a, 16);

    value_add(a, list, value_int(a, 42));
    for (size_t i = 0; i < 100; i++)
        value_insert(a, list, i / 2, &list->items[i]);
    for (size_t i = 0; i < 101; i++)
        assert_int_equal(element(list, i), 42);
    value_set(a, object, STR("copy"), value_get(object, key_of(a, 3)));
    assert_int_equal(number_at(object, STR("copy")), 3);
    assert_str(value_key(value_get(object, STR("copy"))), STR("copy"));
    /* A member that becomes an element has no key any more. */
    assert_int_equal(value_key(value_add(a, list, &object->items[0])).len, 0);
}

TEST(adopting_takes_nodes_as_they_are)
{
    AUTO_ARENA a = arena_new();
    struct value nodes[2] = {*value_int(a, 1), *value_int(a, 2)}, *v = value_null(a);

    nodes[0].pos = 5;
    v->pos = 3;
    value_adopt(a, v, VALUE_LIST, nodes, 2);
    nodes[0].pos = 6;
    assert_int_equal(v->kind, VALUE_LIST);
    assert_int_equal(v->pos, 3);
    assert_int_equal(v->items[0].pos, 5);
    assert_int_equal(element(v, 1), 2);
    value_add(a, v, value_int(a, 3));
    assert_int_equal(element(v, 2), 3);
    value_adopt(a, v, VALUE_OBJECT, NULL, 0);
    assert_int_equal(value_len(v), 0);
    value_set_int(a, v, STR("x"), 1);
    assert_int_equal(number_at(v, STR("x")), 1);
}

TEST(members_can_be_had_in_order_of_their_keys)
{
    static const char *const keys[] = {"b", "a", "", "ab", "B", "\xff", "a\x01", "\xc3\xa9"};
    static const char *const want[] = {"", "B", "a", "a\x01", "ab", "b", "\xc3\xa9", "\xff"};
    AUTO_ARENA a = arena_new();
    struct value *v = value_object(a);

    for (size_t i = 0; i < COUNT(keys); i++)
        value_set_int(a, v, str_c(keys[i]), (int64_t)i);
    struct value **sorted = value_sorted(a, v);
    for (size_t i = 0; i < COUNT(want); i++)
        assert_str(value_key(sorted[i]), str_c(want[i]));
    assert_str(value_key(&v->items[0]), STR("b"));
}

/* Few are sorted otherwise than many. */
TEST(members_are_sorted_whatever_their_number)
{
    for (size_t n = 0; n <= 40; n++) {
        AUTO_ARENA a = arena_new();
        struct value *v = value_object(a);
        for (size_t i = 0; i < n; i++)
            value_set_int(a, v, str_fmt(a, "%02zu", i * 23 % n), (int64_t)i);
        struct value **sorted = value_sorted(a, v);
        for (size_t i = 1; i < value_len(v); i++)
            assert_true(str_cmp(value_key(sorted[i - 1]), value_key(sorted[i])) < 0);
    }
}

static bool note(void *ctx, struct value *v, size_t depth)
{
    struct buf *b = ctx;

    buf_fmt(b, "%zu%.*s%.*s ", depth, STR_ARG(value_key(v)), STR_ARG(value_text(v)));
    return !str_eq(value_key(v), STR("closed"));
}

TEST(walks_visit_parents_first_and_in_order)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, 1 * KIB);
    struct value *root = value_object(a), *list = value_list(a);

    value_add(a, list, value_int(a, 1));
    value_add(a, list, value_int(a, 2));
    value_set(a, root, STR("open"), list);
    value_set(a, root, STR("closed"), list);
    value_set(a, root, STR("last"), value_null(a));
    value_walk(root, note, &b);
    assert_str(buf_str(&b), STR("0 1open 21 22 1closed 1last "));
}

TEST(duplicate_keys_are_found_while_collecting)
{
    enum { MANY = 5000 };
    AUTO_ARENA a = arena_new();
    struct value_index index = {0};
    struct value *nodes = ARENA_ARRAY(a, struct value, MANY);

    for (size_t n = 0; n < MANY; n++) {
        str key = key_of(a, n);
        assert_int_equal(value_index_find(a, &index, nodes, n, key), n);
        if (n)
            assert_int_equal(value_index_find(a, &index, nodes, n, key_of(a, n / 2)), n / 2);
        nodes[n].key = key.ptr;
        nodes[n].key_len = (uint32_t)key.len;
    }
}

RUN_TESTS(cmocka_unit_test(nothing_is_an_answer_to_every_question),
          cmocka_unit_test(scalars_hold_what_they_were_given), cmocka_unit_test(kinds_have_names),
          cmocka_unit_test(a_node_is_small), cmocka_unit_test(members_are_found_whatever_the_size),
          cmocka_unit_test(setting_replaces_in_place_or_appends),
          cmocka_unit_test(removal_keeps_the_order_and_the_index),
          cmocka_unit_test(a_large_object_can_be_emptied_and_used_again),
          cmocka_unit_test(lookups_stay_fast_after_a_removal),
          cmocka_unit_test(many_members_are_removed_in_one_pass),
          cmocka_unit_test(only_objects_have_members_to_remove),
          cmocka_unit_test(elements_are_inserted_and_removed_anywhere),
          cmocka_unit_test(an_item_may_be_part_of_what_it_is_added_to),
          cmocka_unit_test(adopting_takes_nodes_as_they_are),
          cmocka_unit_test(members_can_be_had_in_order_of_their_keys),
          cmocka_unit_test(members_are_sorted_whatever_their_number),
          cmocka_unit_test(walks_visit_parents_first_and_in_order),
          cmocka_unit_test(duplicate_keys_are_found_while_collecting))
