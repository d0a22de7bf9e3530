/* SPDX-License-Identifier: Apache-2.0 */
/* test_toml_read.c - reading TOML, valid and invalid. */
#include "../test.h"

#include "text/json/json.h"
#include "text/toml/toml.h"

struct toml_case {
    const char *text, *want; /* JSON, or the error */
};

static const struct toml_case cases[] = {
    {"", "{}"},
    {"# only this", "{}"},
    {"a = 1\nb = -0x1", "toml: line 2 (last key \"b\"): cannot use sign with non-decimal numbers: "
                        "'-0x'"},
    {"a = 0x1F\nb = 0o17\nc = 0b11\nd = 1_000\ne = +5",
     "{\"a\":31,\"b\":15,\"c\":3,\"d\":1000,\"e\":5}"},
    {"a = 1.5\nb = 1e3\nc = -0.0", "{\"a\":1.5,\"b\":1000,\"c\":-0}"},
    {"a = \"t\\t\\u00e9\"\nb = 'l\\n'", "{\"a\":\"t\\té\",\"b\":\"l\\\\n\"}"},
    {"a = \"\"\"\nx\\\n   y\"\"\"\"\"", "{\"a\":\"xy\\\"\\\"\"}"},
    {"a.b.\"c d\" = 1\na.e = 2", "{\"a\":{\"b\":{\"c d\":1},\"e\":2}}"},
    {"[[l]]\na = 1\n[l.m]\nb = 2\n[[l]]\n", "{\"l\":[{\"a\":1,\"m\":{\"b\":2}},{}]}"},
    {"a = [1, {b.c = 2}, [ # x\n 3 ],]", "{\"a\":[1,{\"b\":{\"c\":2}},[3]]}"},
    /* Upstream: what was a list may be given again. */
    {"a = [1]\na = 2", "{\"a\":2}"},
    {"a = 1\na = 2", "toml: line 2 (last key \"a\"): Key 'a' has already been defined."},
    {"[a]\n[a]", "toml: line 2: Key 'a' has already been defined."},
    {"a = 1\n[a.b]", "toml: line 2: Key 'a' was already created as a hash."},
    {"a = {}\n[[a]]", "toml: line 2: Key 'a' was already created and cannot be used as an array."},
    {"a = 01", "toml: line 1 (last key \"a\"): Invalid integer \"01\": cannot have leading zeroes"},
    {"a = 9223372036854775808",
     "toml: line 1 (last key \"a\"): 9223372036854775808 is out of range for int64"},
    {"a = 1979-13-01", "toml: line 1 (last key \"a\"): invalid datetime: \"1979-13-01\""},
    {"a = \"x\n", "toml: line 1 (last key \"a\"): strings cannot contain newlines"},
    {"a =\n", "toml: line 1 (last key \"a\"): expected value but found '\\n' instead"},
    {"a = {b = 1,}",
     "toml: line 1 (last key \"a.b\"): trailing comma not allowed in inline tables"},
    {"\x01", "toml: line 1: TOML files cannot contain control characters: '0x01'"},
    {"a = \"\xff\"", "toml: line 1 (last key \"a\"): invalid UTF-8 byte: 0xff"},
};

static str read_as_json(struct arena *a, str text)
{
    struct source src = {.text = text};
    struct buf out = buf_new(a, BUF_UNLIMITED);
    struct value *v;
    AUTO_ERR e = {0};

    if (!toml_read(a, &src, &v, &e))
        return str_copy(a, e.text);
    assert_ok(json_write(&out, v, &json_go, &e), &e);
    return buf_str(&out);
}

TEST(documents_read_as_burntsushi_reads_them)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_str(read_as_json(a, str_c(cases[i].text)), str_c(cases[i].want));
}

TEST(values_that_json_has_not_are_tagged)
{
    static const struct {
        const char *text;
        enum toml_kind kind;
        const char *want;
    } tagged[] = {
        {"a = inf", TOML_FLOAT, "inf"},
        {"a = -nan", TOML_FLOAT, "-nan"},
        {"a = 1979-05-27t07:32:00z", TOML_DATETIME, "1979-05-27T07:32:00Z"},
        {"a = 1979-05-27 07:32:00", TOML_LOCAL_DATETIME, "1979-05-27T07:32:00"},
        {"a = 1979-05-27", TOML_LOCAL_DATE, "1979-05-27"},
        {"a = 07:32:00.5", TOML_LOCAL_TIME, "07:32:00.5"},
    };
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(tagged); i++) {
        struct source src = {.text = str_c(tagged[i].text)};
        struct value *v;
        AUTO_ERR e = {0};
        assert_ok(toml_read(a, &src, &v, &e), &e);
        assert_int_equal(toml_kind(value_get(v, STR("a"))), tagged[i].kind);
        assert_str(value_get_str(v, STR("a")), str_c(tagged[i].want));
    }
}

TEST(nesting_has_a_limit)
{
    static const str repeated[] = {STR_INIT("["), STR_INIT("{a="), STR_INIT("a.")};
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(repeated); i++) {
        struct buf b = buf_new(a, BUF_UNLIMITED);
        buf_add(&b, i == 2 ? STR_NONE : STR("a = "));
        for (size_t k = 0; k < 100000; k++)
            buf_add(&b, repeated[i]);
        assert_true(str_contains(read_as_json(a, buf_str(&b)), STR("nested deeper than")));
    }
}

RUN_TESTS(cmocka_unit_test(documents_read_as_burntsushi_reads_them),
          cmocka_unit_test(values_that_json_has_not_are_tagged),
          cmocka_unit_test(nesting_has_a_limit))
