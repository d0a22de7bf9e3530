/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_yaml_fast.c - which documents the fast reader accepts, and that both readers agree on them;
 * and whether two trees would be written the same.
 */
#include "../test.h"

#include "text/yaml/internal.h"

static const struct {
    const char *text;
    bool usual;
} cases[] = {
    {"a: b\n", true},
    {"---\na: b\n", true},
    {"a: b", true},
    {"# c\na:\n  - b\n  - 'c'\n\nd: {}\n", true},
    {"a:\n- b: 1\n  c: no\n- - 2.50\n  - ~\n", true},
    {"a:\nb: [x, \"y\", 3]\n", true},
    {"a: |\n  one\n   two\n\n  three\n\nb: |-\n  x\n", true},
    {"f:m:\n  .: {}\n  k:{\"name\":\"x\"}:\n    f:a: {}\n", true},
    {"u: http://a:80/x#y\nd: 2026-01-01\nnum: -1\n", true},
    {"                a: b\n", false},
    {"a:\n                - b\n", true},
    {"name: no\nonly: Off\nt: true\nf: FALSE\nnu: null\nNe: Never\ntrues: ~\n", true},
    {"ab: 1\nba: 2\naab: 3\n", true},
    {"no: b\n", false},
    {"", false},
    {"text\n", false},
    {"a: b\n...\n", false},
    {"a: b\n---\nc: d\n", false},
    {"a: b\na: c\n", false},
    {"1: b\n", false},
    {"<<: {}\n", false},
    {"a: b\n  c\n", false},
    {"a: 'b''c'\n", false},
    {"a: \"\\n\"\n", false},
    {"a: b # c\n", false},
    {"a: b: c\n", false},
    {"a:\n b: c\n  d: e\n", false},
    {"a: {b: c}\n", false},
    {"a: [b, [c]]\n", false},
    {"a: >\n  b\n", false},
    {"a: |+\n  b\n", false},
    {"a: |\n\n  b\n", false},
    {"a: |\n  b", false},
    {"a: &x b\n", false},
    {"a: .inf\n", false},
    {"a:\tb\n", false},
    {"a: \xC3\xA4\n", false},
    {"a: b\r\n", false},
    {" a: b\n", false},
    {"- a\nb: c\n", false},
};

static void assert_same(const struct value *x, const struct value *y)
{
    assert_int_equal(x->kind, y->kind);
    assert_int_equal(x->pos, y->pos);
    assert_int_equal(x->len, y->len);
    assert_str(value_key(x), value_key(y));
    assert_str(value_text(x), value_text(y));
    for (size_t i = 0; i < value_len(x); i++)
        assert_same(&x->items[i], &y->items[i]);
}

static void assert_read(str text, bool usual)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    const struct source src = {.text = text};
    const struct ypart part = {.src = &src, .to = text.len};
    struct value *fast, *proper, *v;
    bool alone = false;
    const struct read_options asking = {.alone = &alone};

    if (yaml_fast(a, &part, NULL, &fast) != usual)
        fail_msg("%.*s", STR_ARG(text));
    bool ok = yaml_read(a, &src, &asking, &v, &e);
    if (!usual)
        return;
    /* Nothing follows what the one reads. */
    assert_true(ok && alone && !yaml_may_go_on(text));
    assert_true(yaml_read_proper(a, &part, NULL, &proper, &e));
    assert_same(fast, proper);
}

TEST(both_readers_agree)
{
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_read(str_c(cases[i].text), cases[i].usual);
}

/* The text is looked at in blocks: of 64 bytes, and of 8 where blanks are. */
TEST(the_place_in_a_block_does_not_matter)
{
    static const char *const tails[] = {"a: b", "a:\n            b: c:d\n", "a: b\n\n   \n",
                                        "a:\n- b: c"};
    static const char *const odd[] = {"a: b: c\n", "a: \x1F\n", "a: \x7F\n", "a: \x80\n",
                                      "a: \xFF\n"};

    for (size_t pad = 0; pad < 140; pad++) {
        AUTO_ARENA a = arena_new();
        struct buf head = buf_new(a, BUF_UNLIMITED);
        buf_add(&head, STR("x: y"));
        buf_repeat(&head, 'z', pad);
        buf_char(&head, '\n');
        for (size_t i = 0; i < COUNT(tails); i++)
            assert_read(str_concat(a, buf_str(&head), str_c(tails[i])), true);
        for (size_t i = 0; i < COUNT(odd); i++)
            assert_read(str_concat(a, buf_str(&head), str_c(odd[i])), false);
    }
}

/* More keys than can be told apart by how they look. */
TEST(a_key_that_is_there_is_found_among_any_number)
{
    AUTO_ARENA a = arena_new();

    for (unsigned keys = 1; keys < 300; keys += 13) {
        struct buf text = buf_new(a, BUF_UNLIMITED);
        for (unsigned i = 0; i < keys; i++)
            buf_fmt(&text, "k%u: v\n", i);
        assert_read(buf_str(&text), true);
        buf_fmt(&text, "k%u: w\n", keys / 2);
        assert_read(buf_str(&text), false);
    }
}

static bool writes_same_by(struct arena *a, const char *x, enum number_rule x_numbers,
                           const char *y, enum number_rule y_numbers)
{
    AUTO_ERR e = {0};
    const struct source xs = {.text = str_c(x)}, ys = {.text = str_c(y)};
    struct value *xv, *yv;
    struct buf xb = buf_new(a, BUF_UNLIMITED), yb = buf_new(a, BUF_UNLIMITED);

    assert_true(yaml_read(a, &xs, NULL, &xv, &e) && yaml_read(a, &ys, NULL, &yv, &e));
    bool same = yaml_writes_same(xv, x_numbers, yv, y_numbers);
    if (same) {
        assert_true(yaml_write(&xb, xv, x_numbers, &e));
        assert_true(yaml_write(&yb, yv, y_numbers, &e));
        assert_str(buf_str(&xb), buf_str(&yb));
    }
    return same;
}

static bool writes_same(struct arena *a, const char *x, const char *y)
{
    return writes_same_by(a, x, NUMBERS_FLOAT, y, NUMBERS_GO);
}

/* By the rule that takes no detour. */
static bool writes_same_plain(struct arena *a, const char *x, const char *y)
{
    return writes_same_by(a, x, NUMBERS_PLAIN, y, NUMBERS_PLAIN);
}

TEST(what_is_written_alike_is_seen)
{
    AUTO_ARENA a = arena_new();

    assert_true(writes_same(a, "{a: 1, b: [x, null, true]}", "{b: [x, null, true], a: 1}"));
    assert_true(writes_same(a, "{a10: x, a2: y}", "{a2: y, a10: x}"));
    assert_false(writes_same(a, "{a: 1}", "{a: \"1\"}"));
    assert_false(writes_same(a, "{a: 1}", "{a: 1, b: 2}"));
    assert_false(writes_same(a, "{a: [1, 2]}", "{a: [2, 1]}"));
    assert_false(writes_same(a, "{a: {}}", "{a: []}"));
    /* Rounded on one side only. */
    assert_false(writes_same(a, "{a: 9007199254740993}", "{a: 9007199254740993}"));
    /* Written by a detour. */
    assert_false(writes_same(a, "{a: \"\\x7f\"}", "{a: \"\\x7f\"}"));
    assert_true(writes_same_plain(a, "{a: \"\\x7f\"}", "{a: \"\\x7f\"}"));
    assert_true(writes_same_plain(a, "{\"\\x85\": 1.50}", "{\"\\x85\": 1.50}"));
    assert_false(writes_same_plain(a, "{a: \"\\x7f\"}", "{a: \"\\x80\"}"));
}

RUN_TESTS(cmocka_unit_test(both_readers_agree),
          cmocka_unit_test(the_place_in_a_block_does_not_matter),
          cmocka_unit_test(a_key_that_is_there_is_found_among_any_number),
          cmocka_unit_test(what_is_written_alike_is_seen))
