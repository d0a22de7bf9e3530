/* SPDX-License-Identifier: Apache-2.0 */
/* test_err.c - errors. */
#include "../test.h"

#include <errno.h>

TEST(context_gathers_on_the_way_up)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};

    assert_false(err_set(&e, ERR_NOT_FOUND, "no %s", "file"));
    assert_false(err_wrap(&e, "reading %d", 7));
    assert_false(err_wrap(&e, "starting"));
    assert_str(e.text, STR("starting: reading 7: no file"));
    assert_int_equal(e.kind, ERR_NOT_FOUND);
    assert_str(err_message(a, &e), e.text);
}

TEST(the_deepest_position_wins)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};

    err_set(&e, ERR_INVALID, "bad");
    err_at(&e, (struct where){.file = STR("a.yaml")});
    assert_str(err_message(a, &e), STR("a.yaml: bad"));
    err_at(&e, (struct where){.file = STR("a.yaml"), .line = 3, .column = 7});
    err_at(&e, (struct where){.file = STR("outer.yaml"), .line = 1, .column = 1});
    assert_str(err_message(a, &e), STR("a.yaml:3:7: bad"));
    err_set(&e, ERR_INVALID, "other");
    assert_str(err_message(a, &e), STR("other"));
}

TEST(the_position_survives_the_text_it_came_from)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    {
        AUTO_ARENA shorter = arena_new();
        err_set(&e, ERR_INVALID, "%.*s", STR_ARG(str_copy(shorter, STR("bad"))));
        err_at(&e, (struct where){.file = str_copy(shorter, STR("f")), .line = 1});
    }
    assert_str(err_message(a, &e), STR("f:1: bad"));
}

TEST(errors_join_by_lines)
{
    AUTO_ERR all = {0}, one = {0}, two = {0};

    err_set(&one, ERR_INVALID, "first");
    err_set(&two, ERR_IO, "second");
    err_join(&all, &one);
    err_join(&all, &two);
    assert_str(all.text, STR("first\nsecond"));
    assert_int_equal(all.kind, ERR_INVALID);
}

/* Each line was once a copy of all lines before it: gigabytes, for a file with many faults. */
TEST(thousands_of_lines_cost_little_more_than_their_text)
{
    AUTO_ERR all = {0}, one = {0}, copy = {0};
    enum { LINES = 20000 };

    err_set(&one, ERR_INVALID, "there is no such file");
    for (size_t i = 0; i < LINES; i++)
        err_join(&all, &one);
    assert_int_equal(all.text.len, LINES * (one.text.len + 1) - 1);
    assert_true(arena_held(all.owner) < 4 * all.text.len);
    err_copy(&copy, &all);
    err_wrap(&all, "reading");
    err_join(&all, &one);
    err_join(&copy, &one);
    assert_str(all.text, str_fmt(all.owner, "reading: %.*s", STR_ARG(copy.text)));
    err_set(&all, ERR_INVALID, "other");
    err_join(&all, &one);
    assert_str(all.text, STR("other\nthere is no such file"));
}

TEST(nobody_need_listen)
{
    assert_false(err_set(NULL, ERR_IO, "x"));
    assert_false(err_wrap(NULL, "x"));
    assert_false(err_at(NULL, (struct where){0}));
    assert_false(err_errno(NULL, EIO, "read", STR("f")));
}

TEST(the_system_speaks_as_in_go)
{
    AUTO_ERR e = {0};

    err_errno(&e, ENOENT, "open", STR("x/y"));
    assert_str(e.text, STR("open x/y: no such file or directory"));
    assert_int_equal(e.kind, ERR_NOT_FOUND);
    err_errno(&e, EACCES, "open", STR("x"));
    assert_int_equal(e.kind, ERR_DENIED);
}

TEST(a_finished_text_is_taken_whole)
{
    AUTO_ERR e = {0};
    char text[] = "a\0b";

    assert_false(err_set_str(&e, ERR_INVALID, str_of(text, 3)));
    text[0] = 'x';
    assert_str(e.text, STR("a\0b"));
    assert_false(err_set_str(NULL, ERR_INVALID, STR("a")));
}

RUN_TESTS(cmocka_unit_test(context_gathers_on_the_way_up),
          cmocka_unit_test(a_finished_text_is_taken_whole),
          cmocka_unit_test(the_deepest_position_wins),
          cmocka_unit_test(the_position_survives_the_text_it_came_from),
          cmocka_unit_test(errors_join_by_lines),
          cmocka_unit_test(thousands_of_lines_cost_little_more_than_their_text),
          cmocka_unit_test(nobody_need_listen), cmocka_unit_test(the_system_speaks_as_in_go))
