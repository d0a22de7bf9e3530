/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_json_read.c - what cannot be recorded from Go: positions, trees, limits, and where plumb
 * differs on purpose. Go's own results are vectors in tests/recorded/json.
 */
#include "../test.h"

#include "text/json/json.h"

static const struct read_options go = {.go = true};
static const struct read_options strict = {.duplicates = DUPLICATE_ERROR};

static struct value *read_ok(struct arena *a, str text, const struct read_options *opts)
{
    AUTO_ERR e = {0};
    struct source *src = ARENA_NEW(a, struct source);
    struct value *v;

    src->text = text;
    assert_ok(json_read(a, src, opts, &v, &e), &e);
    return v;
}

static str read_error(struct arena *a, str text, const struct read_options *opts,
                      enum err_kind *kind)
{
    AUTO_ERR e = {0};
    struct source src = {.file = STR("f.json"), .text = text};
    struct value *v;

    assert_false(json_read(a, &src, opts, &v, &e));
    assert_null(v);
    if (kind)
        *kind = e.kind;
    return err_message(a, &e);
}

static const struct {
    const char *text, *want;
    const struct read_options *opts;
} error_cases[] = {
    {"", "f.json:1:1: unexpected end of JSON input", NULL},
    {"\n [1,\n  x]", "f.json:3:3: invalid character 'x' looking for beginning of value", NULL},
    {"{\"é\": tru", "f.json:1:10: invalid character ' ' in literal true (expecting 'e')", NULL},
    {"[1}", "f.json:1:3: invalid character '}' after array element", NULL},
    {"{} \xC3", "f.json:1:4: invalid character 'Ã' after top-level value", NULL},
    {"\"a\xFFz\"", "f.json:1:3: invalid UTF-8 in string", NULL},
    {"\"\xED\xA0\x80\"", "f.json:1:2: invalid UTF-8 in string", NULL},
    {"\"é\\ud800\"", "f.json:1:3: half of a surrogate pair in string", NULL},
    {"\"\\udc00\\ud800\"", "f.json:1:2: half of a surrogate pair in string", NULL},
    {"{\"a\":1,\n\"a\":2}", "f.json:2:1: duplicate key \"a\"", &strict},
    {"{\"a\":1,\"\\u0061\":2}", "f.json:1:8: duplicate key \"a\"", &strict},
    {"[1e400]", "f.json:1:2: json: cannot unmarshal number 1e400 into Go value of type float64",
     &go},
    {"[1e400,-1e400,]", "f.json:1:15: invalid character ']' looking for beginning of value", &go},
};

TEST(errors_say_what_and_where)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(error_cases); i++)
        assert_str(read_error(a, str_c(error_cases[i].text), error_cases[i].opts, NULL),
                   str_c(error_cases[i].want));
}

static const struct {
    const char *text;
    enum value_kind kind;
    const char *want;
} number_cases[] = {
    {"0", VALUE_INT, "0"},
    {"-0", VALUE_INT, "-0"},
    {"123456789012345678901234567890", VALUE_INT, "123456789012345678901234567890"},
    {"1.50", VALUE_FLOAT, "1.50"},
    {"1E+2", VALUE_FLOAT, "1E+2"},
    {"1e400", VALUE_FLOAT, "1e400"},
};

TEST(numbers_keep_their_text)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(number_cases); i++) {
        const struct value *v = read_ok(a, str_c(number_cases[i].text), NULL);
        assert_int_equal(v->kind, number_cases[i].kind);
        assert_str(value_text(v), str_c(number_cases[i].want));
    }
}

TEST(plain_strings_point_into_the_text_and_escaped_ones_do_not)
{
    AUTO_ARENA a = arena_new();
    str text = STR("{\"key\": \"plain é\", \"e\": \"a\\nb\"}");
    const struct value *v = read_ok(a, text, NULL);

    assert_ptr_equal(v->items[0].key, text.ptr + 2);
    assert_ptr_equal(v->items[0].text, text.ptr + 9);
    assert_str(value_str(&v->items[0]), STR("plain é"));
    assert_str(value_str(&v->items[1]), STR("a\nb"));
    assert_false(v->items[1].text >= text.ptr && v->items[1].text < text.ptr + text.len);
}

TEST(every_node_knows_where_it_begins)
{
    AUTO_ARENA a = arena_new();
    const struct value *v = read_ok(a, STR(" {\"a\": [1, {}], \"b\" : null}"), NULL);

    assert_int_equal(v->pos, 2);
    assert_int_equal(v->items[0].pos, 8);
    assert_int_equal(v->items[0].items[0].pos, 9);
    assert_int_equal(v->items[0].items[1].pos, 12);
    assert_int_equal(v->items[1].pos, 23);
}

static const struct {
    const char *text, *want;
} repair_cases[] = {
    {"\"a\xFFz\"", "a\xEF\xBF\xBDz"},
    {"\"\xE2\x82\"", "\xEF\xBF\xBD\xEF\xBF\xBD"},
    {"\"\\ud800\"", "\xEF\xBF\xBD"},
    {"\"\\ud800\\u0041\"", "\xEF\xBF\xBD\x41"},
    {"\"\\ud83d\\ude00\"", "\xF0\x9F\x98\x80"},
    {"\"0123456789abcdef\xFF 0123456789abcdef\\n\"",
     "0123456789abcdef\xEF\xBF\xBD 0123456789abcdef\n"},
};

TEST(broken_text_reads_as_replacement_characters_when_go_is_asked_for)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(repair_cases); i++)
        assert_str(value_str(read_ok(a, str_c(repair_cases[i].text), &go)),
                   str_c(repair_cases[i].want));
}

struct warnings {
    struct arena *arena;
    struct buf seen;
};

static void note_warning(void *ctx, struct where at, str text)
{
    struct warnings *w = ctx;

    buf_fmt(&w->seen, "%u:%u %.*s\n", at.line, at.column, STR_ARG(text));
}

TEST(of_duplicate_keys_the_last_value_takes_the_first_place)
{
    AUTO_ARENA a = arena_new();
    struct warnings w = {.arena = a, .seen = buf_new(a, 4 * KIB)};
    const struct read_options opts = {.warn = note_warning, .warn_ctx = &w};
    const struct value *v = read_ok(
        a, STR("{\"a\":1,\"b\":{\"x\":1,\n\"x\":[2]},\"é\":0, \"a\":{\"y\":3},\"b\":4}"), &opts);

    assert_int_equal(v->len, 3);
    assert_str(value_key(&v->items[0]), STR("a"));
    assert_str(value_text(value_get(&v->items[0], STR("y"))), STR("3"));
    assert_str(value_text(&v->items[1]), STR("4"));
    assert_str(value_key(&v->items[2]), STR("é"));
    assert_str(buf_str(&w.seen), STR("2:1 duplicate key \"x\", the last one counts\n"
                                     "2:17 duplicate key \"a\", the last one counts\n"
                                     "2:29 duplicate key \"b\", the last one counts\n"));
}

/* Enough members for an index, in an object inside an object that has one too. */
TEST(duplicates_are_found_in_large_objects)
{
    AUTO_ARENA a = arena_new();
    struct buf text = buf_new(a, 1 * MIB);

    buf_char(&text, '{');
    for (int i = 0; i < 300; i++)
        buf_fmt(&text, "%s\"k%d\":{%s}", i ? "," : "", i % 200,
                i == 150 ? "\"a\":1,\"b\":2,\"a\":3" : "");
    buf_char(&text, '}');
    const struct value *v = read_ok(a, buf_str(&text), NULL);
    assert_int_equal(v->len, 200);
    assert_str(value_key(&v->items[199]), STR("k199"));
    assert_int_equal(value_get(v, STR("k150"))->len, 2);
    assert_str(value_text(value_get(value_get(v, STR("k150")), STR("a"))), STR("3"));
}

static str nested(struct arena *a, char open, char close, size_t depth)
{
    struct buf b = buf_new(a, 1 * MIB);

    for (size_t i = 0; i < depth; i++)
        buf_add(&b, open == '{' ? STR("{\"k\":") : STR("["));
    buf_add(&b, STR("1"));
    buf_repeat(&b, close, depth);
    return buf_str(&b);
}

TEST(ten_thousand_levels_are_read_and_one_more_is_not)
{
    AUTO_ARENA a = arena_new();
    enum err_kind kind;

    for (const char *pair = "[]{}"; *pair; pair += 2) {
        const struct value *v = read_ok(a, nested(a, pair[0], pair[1], VALUE_DEPTH_MAX), NULL);
        for (size_t i = 0; i < VALUE_DEPTH_MAX; i++, v = &v->items[0])
            assert_int_equal(value_len(v), 1);
        str text = nested(a, pair[0], pair[1], VALUE_DEPTH_MAX + 1);
        str message = read_error(a, text, NULL, &kind);
        assert_true(str_has_suffix(
            message, str_fmt(a, ": invalid character '%c' exceeded max depth", pair[0])));
        assert_int_equal(kind, ERR_LIMIT);
    }
}

TEST(a_scalar_beyond_the_limit_is_refused)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);
    enum err_kind kind;

    buf_add(&b, STR("[\""));
    buf_repeat(&b, 'x', TEXT_SCALAR_MAX);
    buf_add(&b, STR("\"]"));
    assert_int_equal(value_len(read_ok(a, buf_str(&b), NULL)), 1);
    buf_truncate(&b, b.len - 2);
    buf_add(&b, STR("y\"]"));
    assert_str(read_error(a, buf_str(&b), NULL, &kind),
               STR("f.json:1:3: string is larger than the limit of 67108864 bytes"));
    assert_int_equal(kind, ERR_LIMIT);
}

TEST(a_stream_gives_one_value_after_the_other)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct source src = {.text = STR("{\"a\":1}{}\n 12\"x\"true[ ")};
    static const enum value_kind kinds[] = {VALUE_OBJECT, VALUE_OBJECT, VALUE_INT, VALUE_STRING,
                                            VALUE_BOOL};
    struct value *v;
    size_t offset = 0;

    for (size_t i = 0; i < COUNT(kinds); i++) {
        assert_ok(json_read_next(a, &src, NULL, &offset, &v, &e), &e);
        assert_int_equal(v->kind, kinds[i]);
    }
    assert_false(json_read_next(a, &src, NULL, &offset, &v, &e));
    assert_str(err_message(a, &e), STR("2:13: unexpected EOF"));
    src.text = str_slice(src.text, 0, offset);
    assert_ok(json_read_next(a, &src, NULL, &offset, &v, &e), &e);
    assert_null(v);
}

/* The text ends where the arena's poisoned memory begins: reading on would be seen. */
TEST(nothing_behind_the_text_is_read)
{
    AUTO_ARENA a = arena_new();
    str text = STR("{\"a\":[1.5e3,true,null,\"0123456789abcdef\\u0041é\"]}");

    for (size_t len = 0; len < text.len; len++) {
        char *exact = malloc(len ? len : 1);
        memcpy(exact, text.ptr, len);
        read_error(a, str_of(exact, len), NULL, NULL);
        free(exact);
    }
}

static const struct {
    const char *text;
    size_t nodes;
} counted[] = {
    {"1", 1},
    {"[]", 1},
    {"{}", 1},
    {"[1,1,1]", 4},
    {"[[],[],[[1]]]", 6},
    {"{\"a\":{\"b\":[]},\"c\":null}", 4},
};

TEST(the_number_of_nodes_is_limited)
{
    AUTO_ARENA a = arena_new();
    struct value *v;

    for (size_t i = 0; i < COUNT(counted); i++) {
        AUTO_ERR e = {0};
        struct source src = {.file = STR("f"), .text = str_c(counted[i].text)};
        assert_ok(json_read(a, &src, &(struct read_options){.nodes_max = counted[i].nodes}, &v, &e),
                  &e);
        if (counted[i].nodes == 1)
            continue;
        assert_false(
            json_read(a, &src, &(struct read_options){.nodes_max = counted[i].nodes - 1}, &v, &e));
        assert_int_equal(e.kind, ERR_LIMIT);
        assert_int_equal(e.at.line, 1);
        assert_str(e.text, str_fmt(a, "more than the limit of %zu values", counted[i].nodes - 1));
    }
}

TEST(a_long_list_stops_at_the_limit_before_its_end)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf b = buf_new(a, BUF_UNLIMITED);
    struct value *v;

    buf_char(&b, '[');
    for (size_t i = 0; i < 100000; i++)
        buf_add(&b, STR("1,"));
    struct source src = {.file = STR("f"), .text = buf_str(&b)};
    assert_false(json_read(a, &src, &(struct read_options){.nodes_max = 1000}, &v, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
    assert_in_range(e.at.column, 2000, 4100);
}

TEST(a_caller_may_only_want_to_know_whether)
{
    AUTO_ARENA a = arena_new();
    struct source src = {.text = STR("[")};
    struct value *v;

    assert_false(json_read(a, &src, NULL, &v, NULL));
    src.text = STR("{\"a\":1,\"a\":2}");
    assert_false(json_read(a, &src, &strict, &v, NULL));
}

RUN_TESTS(cmocka_unit_test(errors_say_what_and_where), cmocka_unit_test(numbers_keep_their_text),
          cmocka_unit_test(plain_strings_point_into_the_text_and_escaped_ones_do_not),
          cmocka_unit_test(every_node_knows_where_it_begins),
          cmocka_unit_test(broken_text_reads_as_replacement_characters_when_go_is_asked_for),
          cmocka_unit_test(of_duplicate_keys_the_last_value_takes_the_first_place),
          cmocka_unit_test(duplicates_are_found_in_large_objects),
          cmocka_unit_test(ten_thousand_levels_are_read_and_one_more_is_not),
          cmocka_unit_test(a_scalar_beyond_the_limit_is_refused),
          cmocka_unit_test(a_stream_gives_one_value_after_the_other),
          cmocka_unit_test(nothing_behind_the_text_is_read),
          cmocka_unit_test(the_number_of_nodes_is_limited),
          cmocka_unit_test(a_long_list_stops_at_the_limit_before_its_end),
          cmocka_unit_test(a_caller_may_only_want_to_know_whether))
