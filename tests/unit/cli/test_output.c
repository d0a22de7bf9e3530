/* SPDX-License-Identifier: Apache-2.0 */
/* test_output.c - everything written arrives, or a failure is reported. */
#include "../test.h"

#include "cli/output.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

/* Data as it is, text for people escaped. */
TEST(texts_arrive_in_their_order)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    int ends[2];
    str got;

    assert_int_equal(pipe(ends), 0);
    struct output o = output_new(a, ends[1]);
    output_add(&o, STR("one\033 "));
    output_style(&o, STYLE_ADDED);
    output_fmt(&o, "%s %d\033\n", "two", 3);
    assert_ok(output_finish(&o, &e), &e);
    close(ends[1]);
    assert_ok(file_read_fd(a, ends[0], STR("pipe"), 100, &got, &e), &e);
    assert_str(got, STR("one\033 two 3\\x1b\n"));
    close(ends[0]);
}

TEST(a_failure_is_kept_until_the_end)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    struct output o = output_new(a, ends[1]);
    fault_arm(1, ENOSPC);
    for (size_t i = 0; i < 40000; i++)
        output_add(&o, STR("abcdefgh"));
    assert_int_equal(fault_calls(), 1); /* after the first failure, nothing is tried any more */
    fault_arm(0, 0);
    assert_false(output_finish(&o, &e));
    assert_str(e.text, STR("write standard output: no space left on device"));
    assert_false(output_reader_left(&o));
    close(ends[0]);
    close(ends[1]);
}

TEST(a_reader_that_has_left_is_noticed)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    int ends[2];

    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    struct output o = output_new(a, ends[1]);
    output_add(&o, STR("x"));
    assert_false(output_finish(&o, &e));
    assert_true(output_reader_left(&o));
    close(ends[1]);
}

RUN_TESTS(cmocka_unit_test(texts_arrive_in_their_order),
          cmocka_unit_test(a_failure_is_kept_until_the_end),
          cmocka_unit_test(a_reader_that_has_left_is_noticed))
