/* SPDX-License-Identifier: Apache-2.0 */
/* Running other programs: what they print, and that none of them keeps us for ever. */
#include "../test.h"

#include "base/process.h"

#include <unistd.h>

struct program {
    const char *script; /* of sh */
    size_t output_max;
    int64_t timeout;
    bool cancelled;
    enum err_kind kind; /* ERR_NONE: it ends by itself */
    int status;
    const char *want; /* what it prints, or a part of the error */
};

static const struct program programs[] = {
    {"echo x", 0, 0, false, ERR_NONE, 0, "x\n"},
    {"printf x; exit 7", 0, 10 * NS_PER_SEC, false, ERR_NONE, 7, "x"},
    {"kill -9 $$", 0, 10 * NS_PER_SEC, false, ERR_NONE, -1, ""},
    {"printf 1234", 4, 0, false, ERR_NONE, 0, "1234"},
    {"printf 12345; exec sleep 60", 4, 0, false, ERR_LIMIT, 0, "prints more than 4 bytes"},
    {"exec sleep 60", 0, 200 * NS_PER_MS, false, ERR_IO, 0, "still running after 0.2 s"},
    {"exec sleep 60 >/dev/null", 0, 200 * NS_PER_MS, false, ERR_IO, 0, "still running after 0.2 s"},
    {"sleep 2 & echo x", 0, 200 * NS_PER_MS, false, ERR_IO, 0, "still running after 0.2 s"},
    {"exec sleep 60", 0, 0, true, ERR_CANCELLED, 0, "context canceled"},
    {"exec sleep 60 >/dev/null", 0, 0, true, ERR_CANCELLED, 0, "context canceled"},
};

static void check(const struct program *c)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    int ends[2], status = 0;
    str out = STR_NONE;

    assert_int_equal(pipe(ends), 0);
    if (c->cancelled)
        assert_int_equal(write(ends[1], "x", 1), 1);
    const char *const argv[] = {"sh", "-c", c->script, NULL};
    const struct process p = {
        .argv = argv, .output_max = c->output_max, .timeout = c->timeout, .cancel_fd = ends[0]};
    bool ok = process_run_as(a, &p, &out, &status, &e);
    if (ok != !c->kind || (!ok && !str_contains(e.text, str_c(c->want))))
        print_error("%s: %d, %.*s\n", c->script, ok, STR_ARG(e.text));
    assert_int_equal(e.kind, c->kind);
    if (ok) {
        assert_int_equal(status, c->status);
        assert_str(out, str_c(c->want));
    } else {
        assert_true(str_contains(e.text, str_c(c->want)));
    }
    close(ends[0]);
    close(ends[1]);
}

TEST(programs_end_or_are_ended)
{
    for (size_t i = 0; i < COUNT(programs); i++)
        check(&programs[i]);
}

TEST(a_program_that_is_not_there_is_not_found)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    const char *const argv[] = {"plumb-no-such-program", NULL};
    int status;
    str out;

    assert_false(process_run(a, argv, &out, &status, &e));
    assert_int_equal(e.kind, ERR_NOT_FOUND);
}

RUN_TESTS(cmocka_unit_test(programs_end_or_are_ended),
          cmocka_unit_test(a_program_that_is_not_there_is_not_found))
