/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_yaml_scalar.c - what scalars become in the tree: kinds, and the exact text of numbers. What
 * Go makes of them on output is recorded in tests/recorded/yaml.
 */
#include "../test.h"

#include "text/yaml/yaml.h"

/* "kind text", or the error. */
static str describe(struct arena *a, str text)
{
    AUTO_ERR e = {0};
    struct source *src = ARENA_NEW(a, struct source);
    struct value *v;

    src->text = text;
    if (!yaml_read(a, src, NULL, &v, &e))
        return str_copy(a, e.text);
    if (v->kind == VALUE_BOOL)
        return v->truth ? STR("bool true") : STR("bool false");
    return str_trim(
        str_fmt(a, "%s %.*s", value_kind_name((enum value_kind)v->kind), STR_ARG(value_text(v))));
}

struct scalar_case {
    const char *text, *want;
};

static void check(const struct scalar_case *cases, size_t count)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < count; i++)
        assert_str(describe(a, str_c(cases[i].text)), str_c(cases[i].want));
}

static const struct scalar_case word_cases[] = {
    {"y", "bool true"},      {"Y", "bool true"},
    {"yes", "bool true"},    {"On", "bool true"},
    {"n", "bool false"},     {"off", "bool false"},
    {"NO", "bool false"},    {"yEs", "string yEs"},
    {"~", "null"},           {"", "null"},
    {"Null", "null"},        {"nULL", "string nULL"},
    {"'yes'", "string yes"}, {"\"~\"", "string ~"},
    {"yess", "string yess"}, {"=", "string ="},
    {"<<", "string <<"},
};

TEST(words_are_booleans_and_null_unless_quoted)
{
    check(word_cases, COUNT(word_cases));
}

static const struct scalar_case integer_cases[] = {
    {"0", "integer 0"},
    {"-0", "integer 0"},
    {"+12", "integer 12"},
    {"017", "integer 15"},
    {"0o17", "integer 15"},
    {"0x1F", "integer 31"},
    {"-0x1f", "integer -31"},
    {"0b101", "integer 5"},
    {"0b-11", "integer -3"},
    {"1_000", "integer 1000"},
    {"0x", "string 0x"},
    {"1__", "integer 1"},
    {"_1", "string _1"},
    {"9223372036854775807", "integer 9223372036854775807"},
    {"18446744073709551615", "integer 18446744073709551615"},
    {"18446744073709551616", "integer 18446744073709551616"},
    {"-9223372036854775809", "integer -9223372036854775809"},
    {"00123456789012345678901234567890", "integer 123456789012345678901234567890"},
    {"0xFFFFFFFFFFFFFFFFF", "string 0xFFFFFFFFFFFFFFFFF"},
    {"12:30:45", "string 12:30:45"},
};

TEST(integers_are_exact_whatever_their_size)
{
    check(integer_cases, COUNT(integer_cases));
}

static const struct scalar_case float_cases[] = {
    {"1.5", "float 1.5"},
    {"+1.5", "float 1.5"},
    {".5", "float 0.5"},
    {"-.5", "float -0.5"},
    {"5.", "float 5.0"},
    {"1e3", "float 1e3"},
    {"1.e-3", "float 1.0e-3"},
    {"007.5", "float 7.5"},
    {"08", "float 8.0"},
    {"1_0.5", "float 10.5"},
    {".5_5", "float 0.55"},
    {"._5", "string ._5"},
    {"1e400", "string 1e400"},
    {"1e-400", "float 1e-400"},
    {"1.2.3", "string 1.2.3"},
    {"1e", "string 1e"},
    {"3.14159265358979323846264", "float 3.14159265358979323846264"},
    {"09007199254740993", "float 9007199254740993.0"},
    {".inf", "json: unsupported value: +Inf"},
    {"-.INF", "json: unsupported value: -Inf"},
    {".NaN", "json: unsupported value: NaN"},
};

TEST(floats_keep_their_digits_in_json_spelling)
{
    check(float_cases, COUNT(float_cases));
}

TEST(an_integer_beyond_float64_is_a_string)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, 1 * KIB);

    buf_repeat(&b, '9', 400);
    assert_str(describe(a, buf_str(&b)), str_concat(a, STR("string "), buf_str(&b)));
}

static const struct scalar_case date_cases[] = {
    {"2001-02-03", "string 2001-02-03"},
    {"2001-2-3", "string 2001-2-3"},
    {"2001-12-14T21:59:43.10-05:00", "string 2001-12-14T21:59:43.10-05:00"},
    {"!!timestamp 2001-02-03", "string 2001-02-03"},
    {"!!timestamp 2001-02-30", "yaml: cannot decode !!str `2001-02-30` as a !!timestamp"},
    {"!!timestamp 2004-02-29", "string 2004-02-29"},
    {"!!timestamp 2001-2-3 1:2:3,5", "string 2001-2-3 1:2:3,5"},
    {"!!timestamp 2001-2-3t1:2:3Z", "string 2001-2-3t1:2:3Z"},
    {"!!timestamp 2001-2-3t1:2:3", "yaml: cannot decode !!str `2001-2-3t1:2:3` as a !!timestamp"},
    {"!!timestamp 2001-2-3 24:0:0", "yaml: cannot decode !!str `2001-2-3 24:0:0` as a !!timestamp"},
};

TEST(dates_stay_strings)
{
    check(date_cases, COUNT(date_cases));
}

static const struct scalar_case tag_cases[] = {
    {"!!str 5", "string 5"},
    {"!!str", "string"},
    {"!!int '5'", "integer 5"},
    {"!!int x", "yaml: cannot decode !!str `x` as a !!int"},
    {"!!int 1.5", "yaml: cannot decode !!float `1.5` as a !!int"},
    {"!!float 5", "float 5.0"},
    {"!!float 18446744073709551615",
     "yaml: cannot decode !!int `18446744073709551615` as a !!float"},
    {"!!bool yes", "bool true"},
    {"!!null ''", "null"},
    {"!!null x", "yaml: cannot decode !!str `x` as a !!null"},
    {"!!binary aGk=", "string hi"},
    {"!!binary aGk", "yaml: !!binary value contains invalid base64 data"},
    {"!!binary \"aG\\nk=\"", "string hi"},
    {"!!binary a=Gk", "yaml: !!binary value contains invalid base64 data"},
    {"!!other 5", "string 5"},
    {"! 5", "string 5"},
    {"!<tag:yaml.org,2002:int> 5", "integer 5"},
    {"!x!y 5", "yaml: found undefined tag handle"},
};

TEST(tags_decide_or_complain)
{
    check(tag_cases, COUNT(tag_cases));
}

static const struct scalar_case text_cases[] = {
    {"a\n  b", "string a b"},
    {"a\n\n  b", "string a\nb"},
    {"'it''s'", "string it's"},
    {"\"\\x41\\u00e9\\U0001F600\\/\"", "yaml: found unknown escape character"},
    {"\"\\x41\\u00e9\\U0001F600\"", "string A\xC3\xA9\xF0\x9F\x98\x80"},
    {"\"\\'\"", "string '"},
    {"\"a\\\n   b\"", "string ab"},
    {"\"a  \n\n  b\"", "string a\nb"},
    {"\"\\ud800\"", "yaml: found invalid Unicode character escape code"},
    {"|\n a\n  b\n", "string a\n b"},
    {">\n a\n b\n\n c", "string a b\nc"},
    {"|2-\n   a", "string  a"},
    {"|0\n a", "yaml: found an indentation indicator equal to 0"},
};

TEST(lines_fold_and_escapes_resolve)
{
    check(text_cases, COUNT(text_cases));
}

TEST(the_newer_dialect_has_two_booleans)
{
    static const struct {
        str text;
        enum value_kind kind;
    } cases[] = {
        {STR_INIT("true"), VALUE_BOOL},  {STR_INIT("False"), VALUE_BOOL},
        {STR_INIT("TRUE"), VALUE_BOOL},  {STR_INIT("yes"), VALUE_STRING},
        {STR_INIT("n"), VALUE_STRING},   {STR_INIT("Off"), VALUE_STRING},
        {STR_INIT("ON"), VALUE_STRING},  {STR_INIT("~"), VALUE_NULL},
        {STR_INIT("Null"), VALUE_NULL},  {STR_INIT("017"), VALUE_INT},
        {STR_INIT("1_000"), VALUE_INT},  {STR_INIT("1.50"), VALUE_FLOAT},
        {STR_INIT("tru"), VALUE_STRING}, {STR_INIT("2024-01-02"), VALUE_STRING},
    };
    const struct read_options options = {.yaml12 = true};
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ERR e = {0};
        const struct source src = {.text = cases[i].text};
        struct value *v;
        assert_ok(yaml_read(a, &src, &options, &v, &e), &e);
        assert_int_equal(v->kind, cases[i].kind);
    }
}

RUN_TESTS(cmocka_unit_test(the_newer_dialect_has_two_booleans),
          cmocka_unit_test(words_are_booleans_and_null_unless_quoted),
          cmocka_unit_test(integers_are_exact_whatever_their_size),
          cmocka_unit_test(floats_keep_their_digits_in_json_spelling),
          cmocka_unit_test(an_integer_beyond_float64_is_a_string),
          cmocka_unit_test(dates_stay_strings), cmocka_unit_test(tags_decide_or_complain),
          cmocka_unit_test(lines_fold_and_escapes_resolve))
