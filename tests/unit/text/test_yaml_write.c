/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_yaml_write.c - number rules, limits and the order of keys. The styles of scalars are
 * recorded in tests/recorded/yaml.
 */
#include "../test.h"

#include "text/json/json.h"
#include "text/yaml/yaml.h"

static str write_as(struct arena *a, str json, enum number_rule numbers)
{
    AUTO_ERR e = {0};
    struct source src = {.text = json};
    struct buf b = buf_new(a, 1 * MIB);
    struct value *v;

    assert_ok(json_read(a, &src, NULL, &v, &e), &e);
    if (!yaml_write(&b, v, numbers, &e))
        return str_copy(a, e.text);
    return buf_str(&b);
}

static const struct {
    const char *json, *want;
    enum number_rule numbers;
} number_cases[] = {
    {"18446744073709551615", "18446744073709551615\n", NUMBERS_EXACT},
    {"18446744073709551615", "1.8446744073709552e+19\n", NUMBERS_GO},
    {"18446744073709551615", "18446744073709551615\n", NUMBERS_YAML},
    {"9007199254740993", "9007199254740993\n", NUMBERS_GO},
    {"9007199254740993", "9007199254740992\n", NUMBERS_FLOAT},
    {"1.0", "1.0\n", NUMBERS_EXACT},
    {"1.0", "1\n", NUMBERS_GO},
    {"1e6", "1000000\n", NUMBERS_GO},
    {"1e21", "1e+21\n", NUMBERS_GO},
    {"1e20", "1e+20\n", NUMBERS_GO},
    {"9223372036854775808.0", "9223372036854776000\n", NUMBERS_GO},
    {"1500000.5", "1.5000005e+06\n", NUMBERS_GO},
    {"1e-7", "1e-07\n", NUMBERS_GO},
    {"-0.0", "0\n", NUMBERS_GO},
    {"[1e400]", "json: unsupported value: +Inf", NUMBERS_GO},
    {"[1e400]", "- 1e400\n", NUMBERS_EXACT},
};

TEST(numbers_are_spelled_by_the_rule)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(number_cases); i++)
        assert_str(write_as(a, str_c(number_cases[i].json), number_cases[i].numbers),
                   str_c(number_cases[i].want));
}

static const struct {
    const char *json, *want;
} text_cases[] = {
    {"{\"b\":[{\"x\":1},[],{}],\"a\":null}", "a: null\nb:\n- x: 1\n- []\n- {}\n"},
    {"[[1,[2]]]", "- - 1\n  - - 2\n"},
    {"\"a\\u0085b\"", "a b\n"},
    {"{\"a\\u0085b\":1}", "yaml: line 1: did not find expected ',' or '}'"},
    {"\"\\u007f\"", "yaml: control characters are not allowed"},
    {"{\"<<\":1,\"=\":2,\"y\":3}", "<<: 1\n=: 2\n\"y\": 3\n"},
    {"\"\\ufeffa\"", "\"\\uFEFF\\x61\"\n"},
};

TEST(go_s_detour_through_json_shows)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(text_cases); i++)
        assert_str(write_as(a, str_c(text_cases[i].json), NUMBERS_GO), str_c(text_cases[i].want));
}

TEST(a_key_too_long_to_be_found_fails_as_in_go)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, 8 * KIB);

    buf_add(&b, STR("{\""));
    buf_repeat(&b, 'k', 1022);
    buf_add(&b, STR("\":1}"));
    assert_true(str_has_suffix(write_as(a, buf_str(&b), NUMBERS_GO), STR("\n: 1\n")));
    buf_truncate(&b, 0);
    buf_add(&b, STR("{\""));
    buf_repeat(&b, 'k', 1023);
    buf_add(&b, STR("\":1}"));
    assert_str(write_as(a, buf_str(&b), NUMBERS_GO), STR("yaml: did not find expected ',' or '}'"));
}

/* As strings of JSON, also as keys: whatever is written reads as it was. */
static const char *const odd_texts[] = {
    "a\\u0085b",      "\\u0085",        "a\\n\\u0085b", "\\u007f",     "\\u0000\\u001f",
    "\\ufeffa",       "a\\ufeff",       "\\ufffe",      "\\u2028\\n",  "x\\ny\\u0007",
    "\\u0080\\u009f", "\\ud83d\\ude00", "  lead\\n x",  "a\\u0085\\n", "\\r\\n\\r",
};

static void check_odd_text(struct arena *a, const char *text)
{
    str json = str_fmt(a, "{\"k%s\":[\"%s\"]}", text, text);
    str yaml = write_as(a, json, NUMBERS_PLAIN);
    struct source src = {.text = json}, again = {.text = yaml};
    struct value *want, *got;
    AUTO_ERR e = {0};

    assert_ok(json_read(a, &src, NULL, &want, &e), &e);
    assert_ok(yaml_read(a, &again, NULL, &got, &e), &e);
    assert_str(value_key(&got->items[0]), value_key(&want->items[0]));
    assert_str(value_str(value_at(&got->items[0], 0)), value_str(value_at(&want->items[0], 0)));
}

TEST(plain_output_keeps_every_text)
{
    AUTO_ARENA a = arena_new();
    struct buf key = buf_new(a, 8 * KIB);

    for (size_t i = 0; i < COUNT(odd_texts); i++)
        check_odd_text(a, odd_texts[i]);
    buf_repeat(&key, 'k', 5000);
    buf_char(&key, '\0');
    check_odd_text(a, buf_str(&key).ptr);
}

TEST(output_beyond_the_buffer_is_a_limit)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf b = buf_new(a, 8);

    assert_false(yaml_write(&b, value_string(a, STR("longer than eight")), NUMBERS_GO, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
}

/* Each before the next. */
static const char *const ordered[] = {
    "", "-", "_x", "1", "2", "10", "A", "B", "a", "a1", "a2", "a02", "a10", "aa", "b", "\xC3\xA9",
};

TEST(keys_are_in_natural_order)
{
    for (size_t i = 0; i < COUNT(ordered); i++)
        for (size_t j = 0; j < COUNT(ordered); j++) {
            int order = yaml_key_compare(str_c(ordered[i]), str_c(ordered[j]));
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
}

RUN_TESTS(cmocka_unit_test(numbers_are_spelled_by_the_rule),
          cmocka_unit_test(go_s_detour_through_json_shows),
          cmocka_unit_test(a_key_too_long_to_be_found_fails_as_in_go),
          cmocka_unit_test(plain_output_keeps_every_text),
          cmocka_unit_test(output_beyond_the_buffer_is_a_limit),
          cmocka_unit_test(keys_are_in_natural_order))
