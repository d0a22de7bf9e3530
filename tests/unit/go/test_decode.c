/* SPDX-License-Identifier: Apache-2.0 */
/* test_decode.c - trees decoded into structs as in Go, in all variants. */
#include "../test.h"

#include "go/decode.h"
#include "go/time.h"
#include "value/source.h"

static bool is_lower(str text, struct err *e)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] < 'a' || text.ptr[i] > 'z')
            return err_set(e, ERR_INVALID, "not lower case at %zu", i);
    return true;
}

static const struct schema lower = {.kind = SCHEMA_STRING, .go = "x.Lower", .check = is_lower};
static const struct schema count = {.kind = SCHEMA_INT, .go = "int"};
static const struct schema any = {.kind = SCHEMA_ANY};
static const struct schema inner = {
    .kind = SCHEMA_STRUCT,
    .go = "x.Inner",
    .fields = (const struct schema_field[]){
        {"text", &schema_string, NULL}, {"count", &count, NULL}, {"lower", &lower, NULL}, {0}}};
static const struct schema outer = {
    .kind = SCHEMA_STRUCT,
    .go = "x.Outer",
    .fields = (const struct schema_field[]){{"inner", &inner, NULL}, {"any", &any, NULL}, {0}}};

/* {"any": [], NAME: {KEY: V}} */
static struct value *document(struct arena *a, str name, str key, struct value *v)
{
    struct value *root = value_object(a), *in = value_object(a);

    value_set(a, in, key, v);
    value_set(a, root, STR("any"), value_list(a));
    value_set(a, root, name, in);
    return root;
}

static const struct {
    enum schema_mode mode;
    const char *name, *key;
    const char *text; /* of a string, or NULL: true */
    const char *want; /* the error, or NULL */
} cases[] = {
    {SCHEMA_LOOSE, "INNER", "Text", NULL, NULL},
    {SCHEMA_LOOSE, "inner", "other", NULL, NULL},
    {SCHEMA_STRICT, "inner", "other", NULL, "json: unknown field \"other\""},
    {SCHEMA_JSON, "inner", "other", NULL, NULL},
    {SCHEMA_JSON, "INNER", "Text", NULL,
     "json: cannot unmarshal bool into Go struct field Inner.inner.text of type string"},
    {SCHEMA_CHECK, "inner", "text", NULL,
     "json: cannot unmarshal bool into Go struct field Inner.inner.text of type string"},
    {SCHEMA_CHECK, "inner", "Text", NULL, NULL},
    {SCHEMA_CHECK, "inner", "lower", "abc", NULL},
    {SCHEMA_CHECK, "inner", "lower", "aB", "not lower case at 1"},
    {SCHEMA_JSON, "inner", "count", "1",
     "json: cannot unmarshal string into Go struct field Inner.inner.count of type int"},
};

TEST(faults_are_told_in_the_words_of_go)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct value *v = cases[i].text ? value_string(a, str_c(cases[i].text))
                                        : value_bool(a, true);
        struct value *doc = document(a, str_c(cases[i].name), str_c(cases[i].key), v);
        assert_int_equal(schema_decode(a, &outer, cases[i].mode, doc, &e), !cases[i].want);
        assert_str(e.text, str_c(cases[i].want));
    }
}

TEST(decoding_spells_members_as_the_schema)
{
    AUTO_ARENA a = arena_new();
    struct value *doc = document(a, STR("INNER"), STR("Text"), value_bool(a, true));

    assert_true(schema_decode(a, &outer, SCHEMA_LOOSE, doc, NULL));
    assert_str(value_get_str(value_get(doc, STR("inner")), STR("text")), STR("true"));
}

TEST(a_checked_document_stays_as_it_is)
{
    AUTO_ARENA a = arena_new();
    struct value *doc = document(a, STR("INNER"), STR("Text"), value_bool(a, true));
    const struct source src = {.file = STR("f")};

    assert_true(schema_check(&src, &outer, doc, NULL));
    assert_non_null(value_get(value_get(doc, STR("INNER")), STR("Text")));
}

/* What is told by the form of a text must be what Go's parser says. */
static void check_time(str text)
{
    static const struct schema time_ = {.kind = SCHEMA_TIME, .go = "string"};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct gotime t;
    bool want = gotime_parse(a, STR(GOTIME_RFC3339), text, NULL, &t, NULL);

    assert_int_equal(schema_decode(a, &time_, SCHEMA_CHECK, value_string(a, text), &e), want);
}

TEST(times_are_those_of_the_parser)
{
    static const char *const rest[] = {"T00:00:00Z", "T23:59:59Z", "T24:00:00Z", "T00:60:00Z",
                                       "T00:00:60Z", "t00:00:00Z", "T00:00:00z", "T0a:00:00Z",
                                       "T00:00:00+", "T00:00:00",  " 00:00:00Z", ""};
    AUTO_ARENA a = arena_new();

    for (int month = 0; month <= 13; month++)
        for (int day = 0; day <= 32; day++)
            for (size_t i = 0; i < COUNT(rest); i++)
                check_time(str_fmt(a, "2024-%02d-%02d%s", month, day, rest[i]));
}

TEST(kinds_have_the_names_of_json)
{
    AUTO_ARENA a = arena_new();

    assert_string_equal(json_kind(value_null(a)), "null");
    assert_string_equal(json_kind(value_bool(a, true)), "bool");
    assert_string_equal(json_kind(value_list(a)), "array");
    assert_string_equal(json_kind(value_object(a)), "object");
    assert_string_equal(json_kind(value_string(a, STR(""))), "string");
}

RUN_TESTS(cmocka_unit_test(faults_are_told_in_the_words_of_go),
          cmocka_unit_test(decoding_spells_members_as_the_schema),
          cmocka_unit_test(a_checked_document_stays_as_it_is),
          cmocka_unit_test(times_are_those_of_the_parser),
          cmocka_unit_test(kinds_have_the_names_of_json))
