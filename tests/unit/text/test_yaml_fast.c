/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_yaml_fast.c - which documents are of the usual kind, and that both readers agree on them;
 * and whether two trees would be written alike.
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

TEST(both_readers_agree)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        const struct source src = {.text = str_c(cases[i].text)};
        const struct ypart part = {.src = &src, .to = src.text.len};
        struct value *fast, *proper;
        bool usual = yaml_fast(a, &part, NULL, &fast);
        if (usual != cases[i].usual)
            fail_msg("%s", cases[i].text);
        if (!usual)
            continue;
        assert_true(yaml_read_proper(a, &part, NULL, &proper, &e));
        assert_same(fast, proper);
    }
}

static bool writes_same(struct arena *a, const char *x, const char *y)
{
    AUTO_ERR e = {0};
    const struct source xs = {.text = str_c(x)}, ys = {.text = str_c(y)};
    struct value *xv, *yv;
    struct buf xb = buf_new(a, BUF_UNLIMITED), yb = buf_new(a, BUF_UNLIMITED);

    assert_true(yaml_read(a, &xs, NULL, &xv, &e) && yaml_read(a, &ys, NULL, &yv, &e));
    bool same = yaml_writes_same(xv, NUMBERS_FLOAT, yv, NUMBERS_GO);
    if (same) {
        assert_true(yaml_write(&xb, xv, NUMBERS_FLOAT, &e));
        assert_true(yaml_write(&yb, yv, NUMBERS_GO, &e));
        assert_str(buf_str(&xb), buf_str(&yb));
    }
    return same;
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
}

RUN_TESTS(cmocka_unit_test(both_readers_agree), cmocka_unit_test(what_is_written_alike_is_seen))
