/* SPDX-License-Identifier: Apache-2.0 */
/* test_toml.c - writing TOML. More cases are in tests/recorded/toml. */
#include "../test.h"

#include "text/json/json.h"
#include "text/toml/toml.h"

struct toml_case {
    const char *json, *want;
};

static struct value *read_json(struct arena *a, str text)
{
    AUTO_ERR e = {0};
    const struct source src = {.text = text};
    struct value *v;

    assert_ok(json_read(a, &src, NULL, &v, &e), &e);
    return v;
}

static void check(const struct toml_case *cases, size_t count, enum number_rule numbers)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < count; i++) {
        AUTO_ERR e = {0};
        struct buf b = buf_new(a, BUF_UNLIMITED);
        assert_ok(toml_write(&b, read_json(a, str_c(cases[i].json)), numbers, &e), &e);
        assert_str(buf_str(&b), str_c(cases[i].want));
    }
}

TEST(tables_follow_plain_values_and_are_indented)
{
    static const struct toml_case cases[] = {
        {"{}", ""},
        {"{\"b\":1,\"a\":{\"x\":1},\"c\":2}", "b = 1\nc = 2\n\n[a]\n  x = 1\n"},
        {"{\"a\":{\"b\":[],\"c\":{}}}", "[a]\n  b = []\n  [a.c]\n"},
        {"{\"a\":{\"b\":null}}", "[a]\n"},
        {"{\"a\":{},\"b\":{}}", "[a]\n\n[b]\n"},
    };

    check(cases, COUNT(cases), NUMBERS_GO);
}

TEST(lists_of_objects_are_arrays_of_tables_unless_mixed)
{
    static const struct toml_case cases[] = {
        {"{\"a\":[{\"b\":1},{\"b\":2}]}", "[[a]]\n  b = 1\n\n[[a]]\n  b = 2\n"},
        {"{\"a\":[{\"b\":[{\"c\":1}]}]}", "[[a]]\n\n  [[a.b]]\n    c = 1\n"},
        {"{\"a\":[{},1]}", "a = [{}, 1]\n"},
        {"{\"a\":[[{\"b\":1}]]}", "a = [[{b = 1}]]\n"},
        {"{\"a\":[1,\"x\",[true]]}", "a = [1, \"x\", [true]]\n"},
        {"{\"a\":[1,{\"d\":{\"e\":2},\"b\":1,\"c\":null}]}", "a = [1, {b = 1, d = {e = 2}}]\n"},
    };

    check(cases, COUNT(cases), NUMBERS_GO);
}

/* Upstream: the comma belongs to the null that is left out. */
TEST(a_null_at_the_end_of_an_inline_table_leaves_its_comma)
{
    static const struct toml_case cases[] = {
        {"{\"a\":[1,{\"b\":1,\"c\":null}]}", "a = [1, {b = 1, }]\n"},
    };

    check(cases, COUNT(cases), NUMBERS_GO);
}

TEST(keys_and_strings_are_quoted_as_needed)
{
    static const struct toml_case cases[] = {
        {"{\"a-b_1\":1}", "a-b_1 = 1\n"},
        {"{\"\":1}", "\"\" = 1\n"},
        {"{\"x.y\":{\"z w\":{\"é\":1}}}", "[\"x.y\"]\n  [\"x.y\".\"z w\"]\n    \"é\" = 1\n"},
        {"{\"a\":\"q\\\"b\\\\ \\b\\t\\n\\u000b\\f\\r\\u0000\\u001b\\u007fé\"}",
         "a = \"q\\\"b\\\\ \\b\\t\\n\\u000b\\f\\r\\u0000\\u001b\\u007fé\"\n"},
    };

    check(cases, COUNT(cases), NUMBERS_GO);
}

TEST(numbers_follow_the_rule)
{
    static const struct toml_case go[] = {
        {"[1,-0,1.0,1e6,1e21,1e-7,-0.0,0.1,123456.789]",
         "[1, 0, 1.0, 1000000.0, 1000000000000000000000.0, 0.0000001, -0.0, 0.1, 123456.789]"},
        {"[9223372036854775807,9223372036854775808]",
         "[9223372036854775807, 9223372036854776000.0]"},
    };
    static const struct toml_case floats[] = {
        {"[1,-0,9007199254740993,2.5]", "[1.0, -0.0, 9007199254740992.0, 2.5]"},
    };
    static const struct toml_case exact[] = {
        {"[1,1.50,1e400,123456789012345678901234567890]",
         "[1, 1.50, 1e400, 123456789012345678901234567890]"},
    };

    check(go, COUNT(go), NUMBERS_GO);
    check(floats, COUNT(floats), NUMBERS_FLOAT);
    check(exact, COUNT(exact), NUMBERS_EXACT);
}

TEST(a_root_that_is_no_object_is_just_its_value)
{
    static const struct toml_case cases[] = {
        {"[1,2]", "[1, 2]"},
        {"[]", "[]"},
        {"\"s\"", "\"s\""},
        {"true", "true"},
    };

    check(cases, COUNT(cases), NUMBERS_GO);
}

TEST(what_toml_cannot_say_is_an_error)
{
    static const struct {
        const char *json, *want;
        enum err_kind kind;
    } cases[] = {
        {"{\"a\":[null]}", "toml: cannot encode array with nil element", ERR_INVALID},
        {"{\"a\":[1,[2,null]]}", "toml: cannot encode array with nil element", ERR_INVALID},
        {"[{\"a\":1}]", "toml: top-level values must be Go maps or structs", ERR_INVALID},
        {"{\"a\":1e400}", "number 1e400 is out of range", ERR_INVALID},
        {"null", "reflect: call of reflect.Value.Type on zero Value", ERR_USAGE},
    };
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ERR e = {0};
        struct buf b = buf_new(a, BUF_UNLIMITED);
        assert_false(toml_write(&b, read_json(a, str_c(cases[i].json)), NUMBERS_GO, &e));
        assert_str(e.text, str_c(cases[i].want));
        assert_int_equal(e.kind, cases[i].kind);
    }
}

/* Names of nested tables make the text grow with the square of the depth. */
TEST(the_deepest_tree_ends_at_the_limit_of_the_buffer)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf json = buf_new(a, BUF_UNLIMITED), out = buf_new(a, 1 * MIB);

    for (size_t i = 0; i < VALUE_DEPTH_MAX; i++)
        buf_add(&json, STR("{\"k\":"));
    buf_char(&json, '1');
    buf_repeat(&json, '}', VALUE_DEPTH_MAX);
    assert_false(toml_write(&out, read_json(a, buf_str(&json)), NUMBERS_GO, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
}

/* An overfull buffer does not cut the recursion short here: this is as deep as it gets. */
TEST(the_deepest_list_can_be_written)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf json = buf_new(a, BUF_UNLIMITED), out = buf_new(a, BUF_UNLIMITED);

    buf_repeat(&json, '[', VALUE_DEPTH_MAX);
    buf_repeat(&json, ']', VALUE_DEPTH_MAX);
    assert_ok(toml_write(&out, read_json(a, buf_str(&json)), NUMBERS_GO, &e), &e);
    assert_str(buf_str(&out), buf_str(&json));
}

RUN_TESTS(cmocka_unit_test(tables_follow_plain_values_and_are_indented),
          cmocka_unit_test(lists_of_objects_are_arrays_of_tables_unless_mixed),
          cmocka_unit_test(a_null_at_the_end_of_an_inline_table_leaves_its_comma),
          cmocka_unit_test(keys_and_strings_are_quoted_as_needed),
          cmocka_unit_test(numbers_follow_the_rule),
          cmocka_unit_test(a_root_that_is_no_object_is_just_its_value),
          cmocka_unit_test(what_toml_cannot_say_is_an_error),
          cmocka_unit_test(the_deepest_tree_ends_at_the_limit_of_the_buffer),
          cmocka_unit_test(the_deepest_list_can_be_written))
