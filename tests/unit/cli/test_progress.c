/* SPDX-License-Identifier: Apache-2.0 */
/* test_progress.c - the progress line. */
#include "../test.h"

#include "cli/progress.h"

#include <fcntl.h>
#include <unistd.h>

/* What was written to the pipe so far. */
static str written(struct arena *a, int fd)
{
    char text[1000];
    ssize_t n = read(fd, text, sizeof(text));

    return str_copy(a, str_of(text, n > 0 ? (size_t)n : 0));
}

static struct progress progress_to(int fds[2])
{
    assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
    clock_fake(0);
    return progress_new(fds[1]);
}

static void end(int fds[2])
{
    clock_real();
    close(fds[0]);
    close(fds[1]);
}

TEST(nothing_is_shown_where_nobody_looks)
{
    AUTO_ARENA a = arena_new();
    int fds[2];
    struct progress p = progress_to(fds);

    clock_advance(5 * NS_PER_SEC);
    progress_step(&p, 1, 2);
    progress_clear(&p);
    assert_str(written(a, fds[0]), STR_NONE);
    end(fds);
}

TEST(a_long_run_is_shown_now_and_then_and_cleared)
{
    AUTO_ARENA a = arena_new();
    int fds[2];
    struct progress p = progress_to(fds);

    p.wanted = true;
    progress_step(&p, 1, 200);
    assert_str(written(a, fds[0]), STR_NONE);
    clock_advance(2 * NS_PER_SEC);
    progress_step(&p, 50, 200);
    assert_str(written(a, fds[0]), STR("\r\033[K50 of 200 objects compared (25 %)"));
    progress_step(&p, 51, 200);
    assert_str(written(a, fds[0]), STR_NONE);
    clock_advance(NS_PER_SEC);
    progress_step(&p, 60, 0);
    assert_str(written(a, fds[0]), STR("\r\033[K60 objects compared"));
    progress_clear(&p);
    assert_str(written(a, fds[0]), STR("\r\033[K"));
    progress_clear(&p);
    assert_str(written(a, fds[0]), STR_NONE);
    end(fds);
}

RUN_TESTS(cmocka_unit_test(nothing_is_shown_where_nobody_looks),
          cmocka_unit_test(a_long_run_is_shown_now_and_then_and_cleared))
