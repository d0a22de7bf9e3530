/* SPDX-License-Identifier: Apache-2.0 */
/* test_json_write.c - styles, number rules, escapes and limits of the JSON writer. */
#include "../test.h"

#include "text/json/json.h"

static const struct json_style sorted = {.sorted = true};
static const struct json_style wide = {.indent = STR_INIT("\t")};
static const struct json_style as_float = {.numbers = NUMBERS_FLOAT};
static const struct json_style as_go = {.numbers = NUMBERS_GO};
static const struct json_style as_yaml = {.numbers = NUMBERS_YAML};

static struct value *read_text(struct arena *a, const char *text)
{
    AUTO_ERR e = {0};
    struct source *src = ARENA_NEW(a, struct source);
    struct value *v;

    src->text = str_c(text);
    assert_ok(json_read(a, src, NULL, &v, &e), &e);
    return v;
}

static str written(struct arena *a, const char *text, const struct json_style *style)
{
    AUTO_ERR e = {0};
    struct buf out = buf_new(a, BUF_UNLIMITED);

    assert_ok(json_write(&out, read_text(a, text), style, &e), &e);
    return buf_str(&out);
}

static const struct {
    const char *text;
    const struct json_style *style;
    const char *want;
} cases[] = {
    {" { \"b\" : [ ] , \"a\" : 1.50 } ", &json_exact, "{\"b\":[],\"a\":1.50}"},
    {"{\"b\":{\"d\":1,\"c\":2},\"a\":null}", &sorted, "{\"a\":null,\"b\":{\"c\":2,\"d\":1}}"},
    {"{\"b\":\"<\",\"<\":1.50}", &json_go, "{\"\\u003c\":1.5,\"b\":\"\\u003c\"}"},
    {"{\"b\":\"<\",\"<\":1.50}", &json_exact, "{\"b\":\"<\",\"<\":1.50}"},
    {"{}", &wide, "{}"},
    {"[[],{},[1,{\"a\":true}]]", &wide,
     "[\n\t[],\n\t{},\n\t[\n\t\t1,\n\t\t{\n\t\t\t\"a\": true\n\t\t}\n\t]\n]"},
    /* The same numbers under the four rules. */
    {"[-0,-0.0,1.0,1e400]", &json_exact, "[-0,-0.0,1.0,1e400]"},
    {"[-0,-0.0,1.0,1E2]", &as_go, "[0,-0,1,100]"},
    {"[-0,-0.0,1.0,1E2]", &as_yaml, "[0,-0,1,100]"},
    {"[-0,-0.0,1.0,1E2]", &as_float, "[-0,-0,1,100]"},
    {"[9223372036854775807,-9223372036854775808]", &as_go,
     "[9223372036854775807,-9223372036854775808]"},
    {"[9223372036854775808,-9223372036854775809]", &as_go,
     "[9223372036854776000,-9223372036854776000]"},
    {"18446744073709551615", &as_go, "18446744073709552000"},
    {"18446744073709551615", &as_yaml, "18446744073709551615"},
    {"[18446744073709551616,-9223372036854775809]", &as_yaml,
     "[18446744073709552000,-9223372036854776000]"},
    {"[9007199254740993,123456789012345]", &as_float, "[9007199254740992,123456789012345]"},
    {"1000000000000000000000", &as_go, "1e+21"},
};

TEST(styles_and_number_rules_are_followed)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_str(written(a, cases[i].text, cases[i].style), str_c(cases[i].want));
}

static const struct {
    str text;
    const char *raw, *html;
} string_cases[] = {
    {STR_INIT(""), "\"\"", "\"\""},
    {STR_INIT("a/b'\x7F"), "\"a/b'\x7F\"", "\"a/b'\x7F\""},
    {STR_INIT("<a>&"), "\"<a>&\"", "\"\\u003ca\\u003e\\u0026\""},
    {STR_INIT("0123456789abcdef<0123456789abcdef"), "\"0123456789abcdef<0123456789abcdef\"",
     "\"0123456789abcdef\\u003c0123456789abcdef\""},
    {STR_INIT("\b\f\n\r\t\"\\\x01\x1F"), "\"\\b\\f\\n\\r\\t\\\"\\\\\\u0001\\u001f\"",
     "\"\\b\\f\\n\\r\\t\\\"\\\\\\u0001\\u001f\""},
    {STR_INIT("\0x"), "\"\\u0000x\"", "\"\\u0000x\""},
    {STR_INIT("é\xE2\x80\xA8\xE2\x80\xA9\xEF\xBF\xBD"), "\"é\\u2028\\u2029\xEF\xBF\xBD\"",
     "\"é\\u2028\\u2029\xEF\xBF\xBD\""},
    {STR_INIT("\xFFx\xE2\x82"), "\"\\ufffdx\\ufffd\\ufffd\"", "\"\\ufffdx\\ufffd\\ufffd\""},
};

TEST(strings_get_the_escapes_of_go)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(string_cases); i++) {
        struct buf raw = buf_new(a, 4 * KIB), html = buf_new(a, 4 * KIB);
        json_write_string(&raw, string_cases[i].text, false);
        json_write_string(&html, string_cases[i].text, true);
        assert_str(buf_str(&raw), str_c(string_cases[i].raw));
        assert_str(buf_str(&html), str_c(string_cases[i].html));
    }
}

TEST(a_number_beyond_float64_fails_when_it_is_to_be_one)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf out = buf_new(a, 4 * KIB);

    assert_false(json_write(&out, read_text(a, "{\"a\":[1e400]}"), &json_go, &e));
    assert_str(e.text, STR("json: unsupported value: +Inf"));
    assert_false(json_write(&out, read_text(a, "-1e400"), &as_float, &e));
    assert_str(e.text, STR("json: unsupported value: -Inf"));
}

TEST(a_text_beyond_the_maximum_of_its_buffer_fails)
{
    AUTO_ARENA a = arena_new();

    for (size_t max = 0; max < 18; max++) {
        AUTO_ERR e = {0};
        struct buf out = buf_new(a, max);
        assert_false(json_write(&out, read_text(a, "{\"a\":[1,true],\"\\n\":0}"), &json_exact, &e));
        assert_int_equal(e.kind, ERR_LIMIT);
        assert_true(out.len <= max);
    }
}

TEST(the_deepest_tree_that_can_be_read_can_be_written)
{
    AUTO_ARENA a = arena_new();
    struct buf text = buf_new(a, 1 * MIB);

    for (size_t i = 0; i < VALUE_DEPTH_MAX / 2; i++)
        buf_add(&text, STR("[{\"k\":"));
    buf_add(&text, STR("0"));
    for (size_t i = 0; i < VALUE_DEPTH_MAX / 2; i++)
        buf_add(&text, STR("}]"));
    buf_char(&text, '\0');
    assert_str(written(a, text.data, &json_go), str_of(text.data, text.len - 1));
}

/* Each of the elements has 4,000 blanks before it, which are not written in vain. */
TEST(a_full_buffer_ends_the_work)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct json_style indented = {.indent = STR("  ")};
    struct value *list = value_list(a);

    for (size_t i = 0; i < 2000000; i++)
        value_add(a, list, &(struct value){0});
    for (size_t i = 0; i < 2000; i++) {
        struct value *outer = value_list(a);
        value_add(a, outer, list);
        list = outer;
    }
    struct buf out = buf_new(a, 20 * MIB);
    assert_false(json_write(&out, list, &indented, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
    assert_true(out.len <= 20 * MIB);
}

RUN_TESTS(cmocka_unit_test(a_full_buffer_ends_the_work),
          cmocka_unit_test(styles_and_number_rules_are_followed),
          cmocka_unit_test(strings_get_the_escapes_of_go),
          cmocka_unit_test(a_number_beyond_float64_fails_when_it_is_to_be_one),
          cmocka_unit_test(a_text_beyond_the_maximum_of_its_buffer_fails),
          cmocka_unit_test(the_deepest_tree_that_can_be_read_can_be_written))
