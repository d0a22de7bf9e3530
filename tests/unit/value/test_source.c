/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of value/source.h: offsets become lines and columns. */
#include "../test.h"

#include "value/source.h"

static const struct {
    const char *text;
    size_t offset;
    uint32_t line, column;
} places[] = {
    {"", 0, 1, 1},
    {"abc", 0, 1, 1},
    {"abc", 2, 1, 3},
    {"abc", 3, 1, 4},
    {"abc", 99, 1, 4},
    {"a\nb", 1, 1, 2},
    {"a\nb", 2, 2, 1},
    {"a\n\n\nb", 4, 4, 1},
    {"a\r\nb", 3, 2, 1},
    {"a\n", 2, 2, 1},
    {"\xc3\xa9\xe2\x82\xacx", 5, 1, 3},
    {"\n\xc3\xa9x", 3, 2, 2},
    {"\xff\xffx", 2, 1, 3},
};

TEST(offsets_become_lines_and_columns)
{
    for (size_t i = 0; i < COUNT(places); i++) {
        struct source s = {.file = STR("f"), .text = str_c(places[i].text)};
        struct where at = source_where_offset(&s, places[i].offset);
        assert_int_equal(at.line, places[i].line);
        assert_int_equal(at.column, places[i].column);
        assert_str(at.file, STR("f"));
    }
}

/* Lines of all lengths, code points of all widths, and bytes that are none. */
static str make_text(struct arena *a, size_t len)
{
    static const char *const parts[] = {
        "x",    "\n",       "\xc3\xa9",         "\xe2\x82\xac", "\xf0\x9f\x98\x80",
        "\x80", "\xe2\x82", "abcdefgh abcdefgh"};
    struct buf b = buf_new(a, BUF_UNLIMITED);

    while (b.len < len) {
        size_t repeat = random_below(50) ? 1 : random_below(4000);
        const char *part = parts[random_below(COUNT(parts))];
        for (size_t i = 0; i < repeat; i++)
            buf_add(&b, str_c(part));
    }
    return buf_str(&b);
}

TEST(marks_change_no_answer)
{
    random_fake(1);
    for (size_t round = 0; round < 20; round++) {
        AUTO_ARENA a = arena_new();
        struct source plain = {.file = STR("f"), .text = make_text(a, round * 3000)};
        struct source marked = plain;
        source_remember(a, &marked);
        for (size_t i = 0; i < 200; i++) {
            size_t offset = random_below(plain.text.len + 10);
            struct where want = source_where_offset(&plain, offset);
            struct where at = source_where_offset(&marked, offset);
            assert_int_equal(at.line, want.line);
            assert_int_equal(at.column, want.column);
            assert_str(at.file, STR("f"));
        }
    }
    random_real();
}

TEST(a_node_knows_its_place_only_when_it_was_read)
{
    AUTO_ARENA a = arena_new();
    struct source s = {.file = STR("f.yaml"), .text = STR("x:\n  y")};
    struct value *v = value_null(a);

    assert_int_equal(source_where(&s, v).line, 0);
    assert_int_equal(source_where(&s, NULL).line, 0);
    assert_str(source_where(&s, NULL).file, STR("f.yaml"));
    v->pos = 1;
    assert_int_equal(source_where(&s, v).line, 1);
    assert_int_equal(source_where(&s, v).column, 1);
    v->pos = 5 + 1;
    assert_int_equal(source_where(&s, v).line, 2);
    assert_int_equal(source_where(&s, v).column, 3);
}

TEST(a_member_begins_at_its_key)
{
    AUTO_ARENA a = arena_new();
    struct source s = {.text = STR("x:\n  y")};
    struct value *object = value_object(a);
    struct value *v = value_set(a, object, str_slice(s.text, 0, 1), value_null(a));
    size_t offset = 77;

    assert_false(source_offset(&s, NULL, &offset));
    assert_false(source_offset(&s, v, &offset));
    v->pos = 5 + 1;
    assert_true(source_offset(&s, v, &offset));
    assert_int_equal(offset, 0);
    /* A key that was written otherwise, or that stands elsewhere, is of no help. */
    v = value_set(a, object, STR("elsewhere"), value_null(a));
    v->pos = 5 + 1;
    assert_true(source_offset(&s, v, &offset));
    assert_int_equal(offset, 5);
}

TEST(errors_say_where)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct source s = {.file = STR("f.yaml"), .text = STR("x:\n  y")};
    struct value *v = value_null(a);

    v->pos = 5 + 1;
    assert_false(source_err(&e, &s, v, "no %s allowed", "y"));
    assert_int_equal(e.kind, ERR_INVALID);
    assert_str(err_message(a, &e), STR("f.yaml:2:3: no y allowed"));
    assert_false(source_err(NULL, &s, v, "x"));
}

RUN_TESTS(cmocka_unit_test(offsets_become_lines_and_columns),
          cmocka_unit_test(marks_change_no_answer),
          cmocka_unit_test(a_node_knows_its_place_only_when_it_was_read),
          cmocka_unit_test(a_member_begins_at_its_key), cmocka_unit_test(errors_say_where))
