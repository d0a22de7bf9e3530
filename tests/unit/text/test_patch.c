/* SPDX-License-Identifier: Apache-2.0 */
/* test_patch.c - JSON Patch. Most cases are in tests/recorded/jsonpatch; these are the rest. */
#include "../test.h"

#include "text/patch/patch.h"

struct apply_case {
    const char *doc, *patch, *want;
};

static bool apply(struct arena *a, str doc, str patch, struct buf *out, struct err *e)
{
    struct patch *p;

    return patch_read(a, patch, &p, e) && patch_apply(p, doc, out, e);
}

static void check_results(const struct apply_case *cases, size_t count)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < count; i++) {
        AUTO_ERR e = {0};
        struct buf out = buf_new(a, BUF_UNLIMITED);
        assert_ok(apply(a, str_c(cases[i].doc), str_c(cases[i].patch), &out, &e), &e);
        assert_str(buf_str(&out), str_c(cases[i].want));
        assert_int_equal(e.kind, ERR_NONE);
    }
}

static void check_errors(const struct apply_case *cases, size_t count)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < count; i++) {
        AUTO_ERR e = {0};
        struct buf out = buf_new(a, BUF_UNLIMITED);
        buf_add(&out, STR("before"));
        assert_false(apply(a, str_c(cases[i].doc), str_c(cases[i].patch), &out, &e));
        assert_str(e.text, str_c(cases[i].want));
        assert_str(buf_str(&out), STR("before"));
    }
}

TEST(only_what_was_opened_is_sorted)
{
    static const struct apply_case cases[] = {
        {"{\"b\": {\"d\": 1, \"c\": 2}, \"a\": [ {\"z\": 1, \"y\": 2} ]}", "[]",
         "{\"a\":[{\"z\":1,\"y\":2}],\"b\":{\"d\":1,\"c\":2}}"},
        {"{\"b\":{\"d\":1,\"c\":2}}", "[{\"op\":\"test\",\"path\":\"/b/d\",\"value\":1}]",
         "{\"b\":{\"c\":2,\"d\":1}}"},
        {"{\"b\":{\"d\":{\"f\":1,\"e\":2}}}",
         "[{\"op\":\"test\",\"path\":\"/b\",\"value\":{\"d\":{\"e\":2,\"f\":1}}}]",
         "{\"b\":{\"d\":{\"e\":2,\"f\":1}}}"},
        {"[{\"b\":1,\"a\":2}]", "[{\"op\":\"move\",\"from\":\"/0\",\"path\":\"/-\"}]",
         "[{\"b\":1,\"a\":2}]"},
    };

    check_results(cases, COUNT(cases));
}

TEST(numbers_and_escapes_are_copied_as_they_are_spelled)
{
    static const struct apply_case cases[] = {
        {"{\"a\":1e400,\"b\":-0.0,\"c\":123456789012345678901234567890}", "[]",
         "{\"a\":1e400,\"b\":-0.0,\"c\":123456789012345678901234567890}"},
        {"{\"a\":\"\\u0041\\/<\xE2\x80\xA8\"}", "[]", "{\"a\":\"\\u0041\\/\\u003c\\u2028\"}"},
        {"{\"a\":\"\xFF\"}", "[]", "{\"a\":\"\xFF\"}"},
        {"{\"\\u003c\":1,\"\\ud800\":2}", "[]", "{\"\\u003c\":1,\"\uFFFD\":2}"},
    };

    check_results(cases, COUNT(cases));
}

/* A copy goes through text, so that a test sees the escapes. */
TEST(a_copy_is_text_again)
{
    static const struct apply_case good[] = {
        {"{\"a\":{\"c\":1,\"b\":\"x\"}}",
         "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/d\"},{\"op\":\"remove\",\"path\":\"/d/"
         "c\"}]",
         "{\"a\":{\"c\":1,\"b\":\"x\"},\"d\":{\"b\":\"x\"}}"},
        {"{\"a\":\"<\"}",
         "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/b\"},"
         "{\"op\":\"test\",\"path\":\"/b\",\"value\":\"\\u003c\"}]",
         "{\"a\":\"\\u003c\",\"b\":\"\\u003c\"}"},
    };
    static const struct apply_case bad[] = {
        {"{\"a\":\"<\"}",
         "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/b\"},"
         "{\"op\":\"test\",\"path\":\"/b\",\"value\":\"<\"}]",
         "testing value /b failed: test failed"},
    };

    check_results(good, COUNT(good));
    check_errors(bad, COUNT(bad));
}

TEST(keys_with_tildes_and_slashes_are_decoded_in_one_pass)
{
    static const struct apply_case cases[] = {
        {"{\"a/b\":1,\"~1\":2}", "[{\"op\":\"remove\",\"path\":\"/a~1b\"}]", "{\"~1\":2}"},
        {"{\"a/b\":1,\"~1\":2}", "[{\"op\":\"remove\",\"path\":\"/~01\"}]", "{\"a/b\":1}"},
        {"{\"~2\":1,\"~\":2}", "[{\"op\":\"remove\",\"path\":\"/~2\"}]", "{\"~\":2}"},
        {"{\"~2\":1,\"~\":2}", "[{\"op\":\"remove\",\"path\":\"/~\"}]", "{\"~2\":1}"},
    };

    check_results(cases, COUNT(cases));
}

TEST(removed_members_can_come_back)
{
    static const struct apply_case cases[] = {
        {"{\"a\":1}",
         "[{\"op\":\"remove\",\"path\":\"/a\"},{\"op\":\"add\",\"path\":\"/a\",\"value\":2},"
         "{\"op\":\"test\",\"path\":\"\",\"value\":{\"a\":2}}]",
         "{\"a\":2}"},
        {"{\"a\":1,\"b\":2}",
         "[{\"op\":\"remove\",\"path\":\"/"
         "a\"},{\"op\":\"test\",\"path\":\"\",\"value\":{\"b\":2}}]",
         "{\"b\":2}"},
    };

    check_results(cases, COUNT(cases));
}

TEST(indexes_are_numbers_as_go_reads_them)
{
    static const struct apply_case good[] = {
        {"[1,2]", "[{\"op\":\"replace\",\"path\":\"/+1\",\"value\":0}]", "[1,0]"},
        {"[1,2]", "[{\"op\":\"replace\",\"path\":\"/-2\",\"value\":0}]", "[0,2]"},
        {"[1,2]", "[{\"op\":\"add\",\"path\":\"/-3\",\"value\":0}]", "[0,1,2]"},
        {"[1,2]", "[{\"op\":\"add\",\"path\":\"/-1\",\"value\":0}]", "[1,2,0]"},
    };
    static const struct apply_case bad[] = {
        {"[1]", "[{\"op\":\"remove\",\"path\":\"/99999999999999999999x\"}]",
         "error in remove for path: '/99999999999999999999x': strconv.Atoi: parsing "
         "\"99999999999999999999x\": value out of range"},
        {"[1]", "[{\"op\":\"remove\",\"path\":\"/9223372036854775808\"}]",
         "error in remove for path: '/9223372036854775808': strconv.Atoi: parsing "
         "\"9223372036854775808\": value out of range"},
        {"[1]", "[{\"op\":\"remove\",\"path\":\"/-9223372036854775808\"}]",
         "error in remove for path: '/-9223372036854775808': Unable to access invalid index: "
         "-9223372036854775808: invalid index referenced"},
        {"[1]", "[{\"op\":\"remove\",\"path\":\"/\\\"\\t\\u0001\\u00a0\\ue000é\"}]",
         "error in remove for path: '/\"\t\x01\u00a0\xee\x80\x80é': strconv.Atoi: parsing "
         "\"\\\"\\t\\x01\\u00a0\\ue000é\": invalid syntax"},
        {"[1]", "[{\"op\":\"remove\",\"path\":\"/\"}]",
         "error in remove for path: '/': strconv.Atoi: parsing \"\": invalid syntax"},
    };

    check_results(good, COUNT(good));
    check_errors(bad, COUNT(bad));
}

/* Upstream: these end the original with a crash. */
TEST(where_the_original_crashes_there_is_an_answer)
{
    static const struct apply_case good[] = {
        {"[null]", "[{\"op\":\"test\",\"path\":\"\",\"value\":[null]}]", "[null]"},
        {"null", "[]", "null"},
    };
    static const struct apply_case bad[] = {
        {"null", "[{\"op\":\"add\",\"path\":\"/a\",\"value\":1}]",
         "error in add for path: '/a': assignment to entry in nil map"},
        {"{\"a\":1}", "[{\"op\":\"test\",\"path\":\"\"}]", "testing value  failed: test failed"},
        {"{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"\"}]",
         "replace operation value must be object or array: %!w(<nil>)"},
        {"[null]", "[{\"op\":\"test\",\"path\":\"\",\"value\":[1]}]",
         "testing value  failed: test failed"},
        {"{}",
         "[{\"op\":\"add\",\"path\":\"/a\",\"value\":null},"
         "{\"op\":\"add\",\"path\":\"/a/b\",\"value\":1}]",
         "add operation does not apply: doc is missing path: \"/a/b\": missing value"},
    };

    check_results(good, COUNT(good));
    check_errors(bad, COUNT(bad));
}

TEST(a_list_is_one_only_at_the_beginning_of_the_text)
{
    static const struct apply_case bad[] = {
        {" [1]", "[]", "json: cannot unmarshal array into Go value of type jsonpatch.partialDoc"},
    };

    check_errors(bad, COUNT(bad));
}

TEST(a_patch_can_be_applied_again_and_again)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct patch *p;
    char text[] = "[{\"op\":\"add\",\"path\":\"/a/-\",\"value\":{\"c\":1,\"b\":[]}},"
                  "{\"op\":\"add\",\"path\":\"/a/0/b/-\",\"value\":1}]";

    assert_ok(patch_read(a, str_c(text), &p, &e), &e);
    memset(text, 'x', sizeof(text)); /* the patch has its own copy */
    for (size_t i = 0; i < 3; i++) {
        struct buf out = buf_new(a, BUF_UNLIMITED);
        assert_ok(patch_apply(p, STR("{\"a\":[]}"), &out, &e), &e);
        assert_str(buf_str(&out), STR("{\"a\":[{\"b\":[1],\"c\":1}]}"));
    }
}

/* Each copy doubles the document: sixty of them would be a text of 2^60 bytes. */
TEST(copies_of_copies_end_at_a_limit)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf patch = buf_new(a, BUF_UNLIMITED), out = buf_new(a, BUF_UNLIMITED);

    buf_add(&patch, STR("[{\"op\":\"test\",\"path\":\"/a\",\"value\":null}"));
    for (size_t i = 0; i < 60; i++)
        buf_add(&patch, STR(",{\"op\":\"copy\",\"from\":\"/b\",\"path\":\"/b/-\"}"));
    buf_char(&patch, ']');
    assert_false(apply(a, STR("{\"b\":[0]}"), buf_str(&patch), &out, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
}

/* Copying a tree to its own bottom doubles the depth, which must stay readable. */
TEST(results_are_not_deeper_than_can_be_read)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf doc = buf_new(a, BUF_UNLIMITED), path = buf_new(a, BUF_UNLIMITED);
    struct buf out = buf_new(a, BUF_UNLIMITED);
    size_t depth = VALUE_DEPTH_MAX * 2 / 3;

    buf_repeat(&doc, '[', depth);
    buf_repeat(&doc, ']', depth);
    for (size_t i = 2; i < depth; i++)
        buf_add(&path, STR("/0"));
    str patch = str_fmt(a, "[{\"op\":\"copy\",\"from\":\"/0\",\"path\":\"%.*s/-\"}]",
                        STR_ARG(buf_str(&path)));
    assert_false(apply(a, buf_str(&doc), patch, &out, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
}

TEST(the_deepest_document_can_be_tested_and_written)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf doc = buf_new(a, BUF_UNLIMITED), out = buf_new(a, BUF_UNLIMITED);
    size_t depth = VALUE_DEPTH_MAX - 2; /* the value stands in a list and an object */

    buf_repeat(&doc, '[', depth);
    buf_repeat(&doc, ']', depth);
    str patch =
        str_fmt(a, "[{\"op\":\"test\",\"path\":\"\",\"value\":%.*s}]", STR_ARG(buf_str(&doc)));
    assert_ok(apply(a, buf_str(&doc), patch, &out, &e), &e);
    assert_str(buf_str(&out), buf_str(&doc));
}

TEST(exact_patches_tell_large_numbers_apart)
{
    static const char old[] = "{\"a\":9007199254740992,\"b\":[1.0],\"c\":{\"d\":1e400}}";
    static const char new_[] = "{\"a\":9007199254740993,\"b\":[1],\"c\":{\"d\":1e400}}";
    AUTO_ARENA a = arena_new();
    struct buf out = buf_new(a, BUF_UNLIMITED);
    AUTO_ERR e = {0};

    assert_ok(patch_create_merge_exact(str_c(old), str_c(new_), &out, &e), &e);
    assert_str(buf_str(&out), STR("{\"a\":9007199254740993}"));
}

RUN_TESTS(cmocka_unit_test(exact_patches_tell_large_numbers_apart),
          cmocka_unit_test(only_what_was_opened_is_sorted),
          cmocka_unit_test(numbers_and_escapes_are_copied_as_they_are_spelled),
          cmocka_unit_test(a_copy_is_text_again),
          cmocka_unit_test(keys_with_tildes_and_slashes_are_decoded_in_one_pass),
          cmocka_unit_test(removed_members_can_come_back),
          cmocka_unit_test(indexes_are_numbers_as_go_reads_them),
          cmocka_unit_test(where_the_original_crashes_there_is_an_answer),
          cmocka_unit_test(a_list_is_one_only_at_the_beginning_of_the_text),
          cmocka_unit_test(a_patch_can_be_applied_again_and_again),
          cmocka_unit_test(copies_of_copies_end_at_a_limit),
          cmocka_unit_test(results_are_not_deeper_than_can_be_read),
          cmocka_unit_test(the_deepest_document_can_be_tested_and_written))
