/* SPDX-License-Identifier: Apache-2.0 */
/* test_fields.c - data files decoded into structs: errors have positions. */
#include "../test.h"

#include "text/json/json.h"
#include "value/fields.h"

struct thing {
    str name;
    bool shown;
    int64_t size;
    int color;
    const struct value *other;
};

static bool read_size(struct fields *f, const struct value *v, void *out)
{
    return fields_number(f, v, 9, out);
}

static bool read_color(struct fields *f, const struct value *v, void *out)
{
    static const struct field_word words[] = {{"red", 3}, {"blue", 4}, {0}};

    return fields_word(f, v, words, out);
}

static const struct field table[] = {
    {"color", read_color, offsetof(struct thing, color)},
    {"name", fields_text, offsetof(struct thing, name)},
    {"other", fields_any, offsetof(struct thing, other)},
    {"shown", fields_bool, offsetof(struct thing, shown)},
    {"size", read_size, offsetof(struct thing, size)},
    {0},
};

static bool read(struct arena *a, const char *text, struct thing *out, struct err *e)
{
    struct source *src = ARENA_NEW(a, struct source);
    struct fields f = {.arena = a, .source = src, .e = e};
    struct value *root;

    *src = (struct source){.file = STR("t.json"), .text = str_c(text)};
    return json_read(a, src, NULL, &root, e) && fields_read(&f, root, table, out);
}

TEST(every_kind_of_field_is_filled)
{
    AUTO_ARENA a = arena_new();
    struct thing t = {0};
    AUTO_ERR e = {0};

    assert_ok(read(a, "{\"name\":\"n\",\"shown\":true,\"size\":9,\"color\":\"blue\",\"other\":[1]}",
                   &t, &e),
              &e);
    assert_str(t.name, STR("n"));
    assert_true(t.shown);
    assert_int_equal(t.size, 9);
    assert_int_equal(t.color, 4);
    assert_true(value_is(t.other, VALUE_LIST));
}

static const struct {
    const char *text, *why;
} bad_cases[] = {
    {"[]", "t.json:1:1: an object is wanted here"},
    {"{\n\"nam\": 1}",
     "t.json:2:8: unknown key \"nam\"; known are color, name, other, shown, size"},
    {"{\"name\": \"\"}", "name must be a text"},
    {"{\"name\": 1}", "name must be a text"},
    {"{\"shown\": 1}", "shown must be true or false"},
    {"{\"size\": 10}", "size must be a number from 0 to 9"},
    {"{\"size\": -1}", "size must be a number from 0 to 9"},
    {"{\"color\": \"green\"}", "color must be one of red, blue"},
};

TEST(what_is_wrong_is_named_with_its_place)
{
    for (size_t i = 0; i < COUNT(bad_cases); i++) {
        AUTO_ARENA a = arena_new();
        struct thing t = {0};
        AUTO_ERR e = {0};
        assert_false(read(a, bad_cases[i].text, &t, &e));
        str message = err_message(a, &e);
        if (!str_contains(message, str_c(bad_cases[i].why)))
            assert_str(message, str_c(bad_cases[i].why));
    }
}

RUN_TESTS(cmocka_unit_test(every_kind_of_field_is_filled),
          cmocka_unit_test(what_is_wrong_is_named_with_its_place))
