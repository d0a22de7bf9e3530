/* SPDX-License-Identifier: Apache-2.0 */
/* test_patch_merge.c - JSON Merge Patch. Most cases are in tests/recorded/jsonpatch. */
#include "../test.h"

#include "text/json/json.h"
#include "text/patch/patch.h"

struct merge_case {
    const char *doc, *patch, *want;
};

typedef bool merge_fn(str doc, str patch, struct buf *out, struct err *e);

static void check_results(merge_fn *fn, const struct merge_case *cases, size_t count)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < count; i++) {
        AUTO_ERR e = {0};
        struct buf out = buf_new(a, BUF_UNLIMITED);
        assert_ok(fn(str_c(cases[i].doc), str_c(cases[i].patch), &out, &e), &e);
        assert_str(buf_str(&out), str_c(cases[i].want));
    }
}

static void check_errors(merge_fn *fn, const struct merge_case *cases, size_t count)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < count; i++) {
        AUTO_ERR e = {0};
        struct buf out = buf_new(a, BUF_UNLIMITED);
        assert_false(fn(str_c(cases[i].doc), str_c(cases[i].patch), &out, &e));
        assert_str(e.text, str_c(cases[i].want));
        assert_int_equal(out.len, 0);
    }
}

TEST(merging_prunes_nulls_where_nothing_was)
{
    static const struct merge_case cases[] = {
        {"{}", "{\"a\":{\"b\":null,\"c\":[null,{\"d\":null}]}}", "{\"a\":{\"c\":[null,{}]}}"},
        {"{\"a\":1}", "{\"a\":[{\"d\":null}]}", "{\"a\":[{}]}"},
        {"{\"a\":null}", "{\"a\":[{\"d\":null}]}", "{\"a\":[{}]}"},
        {"{\"a\":{\"x\":null}}", "{\"b\":1}", "{\"a\":{\"x\":null},\"b\":1}"},
    };

    check_results(patch_merge, cases, COUNT(cases));
}

/* Upstream: the one case in which it does not. */
TEST(a_list_in_place_of_an_object_keeps_its_nulls)
{
    static const struct merge_case cases[] = {
        {"{\"a\":{}}", "{\"a\":[{\"d\":null}]}", "{\"a\":[{\"d\":null}]}"},
    };

    check_results(patch_merge, cases, COUNT(cases));
}

TEST(merging_keeps_spelling_and_order_of_what_it_did_not_open)
{
    static const struct merge_case cases[] = {
        {"{\"b\":{\"d\":1e400,\"c\":\"\xFF\"},\"a\":{\"y\":1,\"x\":2}}", "{\"a\":{\"z\":1.0}}",
         "{\"a\":{\"x\":2,\"y\":1,\"z\":1.0},\"b\":{\"d\":1e400,\"c\":\"\xFF\"}}"},
    };

    check_results(patch_merge, cases, COUNT(cases));
}

TEST(merging_refuses_what_is_no_document)
{
    static const struct merge_case cases[] = {
        {"null", "{}", "Invalid JSON Document"}, {"{", "{", "Invalid JSON Document"},
        {"{}", "null", "Invalid JSON Patch"},    {"{}", "5", "Invalid JSON Patch"},
        {"{}", "", "Invalid JSON Patch"},
    };

    check_errors(patch_merge, cases, COUNT(cases));
}

TEST(created_patches_are_decoded_data)
{
    static const struct merge_case cases[] = {
        {"{\"a\":1.0}", "{\"a\":1}", "{}"},
        {"{\"a\":9007199254740993}", "{\"a\":9007199254740992}", "{}"},
        {"{\"a\":0}", "{\"a\":-0}", "{}"},
        {"{}", "{\"b\":-0,\"a\":1e2}", "{\"a\":100,\"b\":-0}"},
        {"{\"a\":{\"b\":1}}", "{\"a\":{\"b\":1}}", "{}"},
        {"{\"a\":[{\"b\":null}]}", "{\"a\":[{\"c\":null}]}", "{\"a\":[{\"c\":null}]}"},
        {" [{\"a\":1},null] ", "[{\"a\":2},{\"b\":1}]", "[{\"a\":2},{\"b\":1}]"},
        {"null", "null", "{}"},
    };

    check_results(patch_create_merge, cases, COUNT(cases));
}

TEST(creating_refuses_what_differs_in_shape)
{
    static const struct merge_case cases[] = {
        {"[]", "{}", "Mismatched JSON Documents"},
        {"\u00A0[1]", "{}", "Mismatched JSON Documents"},
        {"[1]", "[1]", "Invalid JSON Document"},
        {"[{}]", "[]", "Invalid JSON Document"},
        {"{\"a\":1e400}", "{}", "Invalid JSON Document"},
        {"[x]", "[y]", "Invalid JSON Document"},
    };

    check_errors(patch_create_merge, cases, COUNT(cases));
}

static struct value *read_json(struct arena *a, const char *text)
{
    AUTO_ERR e = {0};
    const struct source src = {.text = str_c(text)};
    struct value *v;

    assert_ok(json_read(a, &src, NULL, &v, &e), &e);
    return v;
}

static str text_of(struct arena *a, const struct value *v)
{
    AUTO_ERR e = {0};
    struct buf out = buf_new(a, BUF_UNLIMITED);

    assert_ok(json_write(&out, v, &json_exact, &e), &e);
    return buf_str(&out);
}

/* The examples of RFC 7386, and numbers that no double holds. */
static const struct merge_case tree_cases[] = {
    {"{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}"},
    {"{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}"},
    {"{\"a\":\"b\"}", "{\"a\":null}", "{}"},
    {"{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}"},
    {"{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}"},
    {"{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}"},
    {"{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}", "{\"a\":{\"b\":\"d\"}}"},
    {"{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}"},
    {"[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]"},
    {"{\"a\":\"b\"}", "[\"c\"]", "[\"c\"]"},
    {"{\"a\":\"foo\"}", "null", "null"},
    {"{\"a\":\"foo\"}", "\"bar\"", "\"bar\""},
    {"{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}"},
    {"[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}"},
    {"{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}"},
    {"{}", "{\"l\":[null,{\"a\":null,\"b\":[{\"c\":null}]}]}", "{\"l\":[null,{\"b\":[{}]}]}"},
    {"{\"l\":1}", "{\"l\":[{\"a\":null}]}", "{\"l\":[{}]}"},
    {"{\"l\":null}", "{\"l\":[{\"a\":null}]}", "{\"l\":[{}]}"},
    {"{\"l\":{}}", "{\"l\":[{\"a\":null}]}", "{\"l\":[{\"a\":null}]}"},
    {"{\"a\":12345678901234567890123}", "{\"b\":1.10}",
     "{\"a\":12345678901234567890123,\"b\":1.10}"},
};

/* {"k0":..., "k<step>":..., ...} up to 100,000, in values as given. */
static struct value *many_members(struct arena *a, size_t step, const struct value *item)
{
    struct value *object = value_object(a);

    for (size_t i = 0; i < 100000; i += step)
        value_set(a, object, str_fmt(a, "k%zu", i), item);
    return object;
}

/* In a time that a pass over the object for each deletion would exceed by far. */
TEST(many_members_are_deleted_at_once)
{
    AUTO_ARENA a = arena_new();
    const struct value *base = many_members(a, 1, value_int(a, 1));
    const struct value *over = many_members(a, 2, value_null(a));
    const struct value *merged = patch_merge_values(a, base, over);

    assert_int_equal(value_len(merged), 50000);
    assert_null(value_get(merged, STR("k99998")));
    assert_non_null(value_get(merged, STR("k99999")));
    assert_str(value_key(&merged->items[1]), STR("k3"));
}

TEST(trees_merge_as_the_standard_says)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(tree_cases); i++) {
        const struct value *base = read_json(a, tree_cases[i].doc);
        const struct value *over = read_json(a, tree_cases[i].patch);
        str before = text_of(a, base), patch = text_of(a, over);
        assert_str(text_of(a, patch_merge_values(a, base, over)), str_c(tree_cases[i].want));
        assert_str(text_of(a, base), before);
        assert_str(text_of(a, over), patch);
    }
}

/* Whatever members the result has first: comparisons print them in order. */
TEST(trees_merge_as_texts_do)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(tree_cases); i++) {
        struct buf text = buf_new(a, BUF_UNLIMITED);
        const struct value *base = read_json(a, tree_cases[i].doc);
        const struct value *over = read_json(a, tree_cases[i].patch);
        AUTO_ERR e = {0};
        if (!value_is_container(over))
            continue;
        assert_ok(patch_merge(str_c(tree_cases[i].doc), str_c(tree_cases[i].patch), &text, &e), &e);
        const struct value *merged = read_json(a, str_z(a, buf_str(&text)));
        assert_true(value_equal(patch_merge_values(a, base, over), merged));
    }
}

static str nested(struct arena *a, const char *inner)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < VALUE_DEPTH_MAX; i++)
        buf_add(&b, STR("{\"k\":"));
    buf_add(&b, str_c(inner));
    buf_repeat(&b, '}', VALUE_DEPTH_MAX);
    return buf_str(&b);
}

TEST(the_deepest_documents_can_be_merged_and_compared)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str one = nested(a, "1"), two = nested(a, "2");
    struct buf merged = buf_new(a, BUF_UNLIMITED), added = buf_new(a, BUF_UNLIMITED);
    struct buf diff = buf_new(a, BUF_UNLIMITED);

    assert_ok(patch_merge(one, two, &merged, &e), &e);
    assert_str(buf_str(&merged), two);
    assert_ok(patch_merge(STR("{}"), nested(a, "null"), &added, &e), &e);
    assert_true(str_has_prefix(buf_str(&added), STR("{\"k\":{")));
    assert_ok(patch_create_merge(one, two, &diff, &e), &e);
    assert_str(buf_str(&diff), two);
}

RUN_TESTS(cmocka_unit_test(merging_prunes_nulls_where_nothing_was),
          cmocka_unit_test(a_list_in_place_of_an_object_keeps_its_nulls),
          cmocka_unit_test(merging_keeps_spelling_and_order_of_what_it_did_not_open),
          cmocka_unit_test(merging_refuses_what_is_no_document),
          cmocka_unit_test(created_patches_are_decoded_data),
          cmocka_unit_test(creating_refuses_what_differs_in_shape),
          cmocka_unit_test(trees_merge_as_texts_do),
          cmocka_unit_test(trees_merge_as_the_standard_says),
          cmocka_unit_test(many_members_are_deleted_at_once),
          cmocka_unit_test(the_deepest_documents_can_be_merged_and_compared))
