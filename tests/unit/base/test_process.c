/* SPDX-License-Identifier: Apache-2.0 */
#include "../test.h"

#include "base/process.h"

#include <unistd.h>

#define SHELL(text)                                                                                \
    (const char *const[])                                                                          \
    {                                                                                              \
        "sh", "-c", text, NULL                                                                     \
    }

TEST(output_and_status_are_kept)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    int status;
    str out;

    assert_ok(process_run(a, SHELL("cat; echo out; exit 3"), &out, &status, &e), &e);
    assert_str(out, STR("out\n"));
    assert_int_equal(status, 3);
    assert_ok(process_run(a, SHELL("kill -9 $$"), &out, &status, &e), &e);
    assert_int_equal(status, -1);
    assert_false(process_run(a, (const char *const[]){"no-such-program", NULL}, &out, &status, &e));
    assert_int_equal(e.kind, ERR_NOT_FOUND);
}

TEST(input_is_given)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct process p = {.argv = SHELL("cat"), .input = STR("to be read")};
    int status;
    str out;

    assert_ok(process_run_as(a, &p, &out, &status, &e), &e);
    assert_str(out, STR("to be read"));
    p.argv = SHELL("echo nobody reads it");
    assert_ok(process_run_as(a, &p, &out, &status, &e), &e);
    assert_str(out, STR("nobody reads it\n"));
    p.input = str_of(arena_alloc(a, PROCESS_INPUT_MAX + 1), PROCESS_INPUT_MAX + 1);
    assert_false(process_run_as(a, &p, &out, &status, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
}

TEST(limits_end_a_program)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct process p = {.argv = SHELL("yes"), .output_max = 1000};
    int status;
    str out;

    assert_false(process_run_as(a, &p, &out, &status, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
    assert_int_equal(status, -1);
    p = (struct process){.argv = SHELL("exec sleep 100"), .silence_max = 20 * NS_PER_MS};
    assert_false(process_run_as(a, &p, &out, &status, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
    assert_int_equal(status, -1);
}

/* Whatever it does, it does not keep us for longer than it may. */
TEST(time_and_cancelling_end_a_program)
{
    static const struct {
        const char *script;
        int64_t timeout;
        bool cancelled;
        enum err_kind kind;
    } cases[] = {
        {"echo x", 10 * NS_PER_SEC, false, ERR_NONE},
        {"exec sleep 60", 200 * NS_PER_MS, false, ERR_LIMIT},
        {"exec sleep 60 >/dev/null", 200 * NS_PER_MS, false, ERR_LIMIT},
        {"sleep 2 & echo x", 200 * NS_PER_MS, false, ERR_LIMIT},
        {"trap '' TERM; while :; do :; done >/dev/null", 200 * NS_PER_MS, false, ERR_LIMIT},
        {"exec sleep 60", 0, true, ERR_CANCELLED},
        {"exec sleep 60 >/dev/null", 0, true, ERR_CANCELLED},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        int ends[2], status = 0;
        str out;
        assert_int_equal(pipe(ends), 0);
        if (cases[i].cancelled)
            assert_int_equal(write(ends[1], "x", 1), 1);
        const struct process p = {
            .argv = SHELL(cases[i].script), .timeout = cases[i].timeout, .cancel_fd = ends[0]};
        bool ok = process_run_as(a, &p, &out, &status, &e);
        if (ok != !cases[i].kind || e.kind != cases[i].kind)
            print_error("%s: %.*s\n", cases[i].script, STR_ARG(e.text));
        assert_int_equal(ok, !cases[i].kind);
        assert_int_equal(e.kind, cases[i].kind);
        assert_int_equal(status, ok || i == 3 ? 0 : -1);
        close(ends[0]);
        close(ends[1]);
    }
}

/* More on both than pipes hold: nobody waits for the other. */
TEST(complaints_are_read_beside_the_output)
{
    const struct process p = {
        .argv = SHELL("echo first >&2; yes out | head -c 300000; yes err | head -c 300000 >&2; "
                      "echo; exit 1"),
        .keep_errors = true};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct process_stream *s;
    char piece[4096];
    size_t got, all = 0;
    int status;

    assert_ok(process_open(a, &p, &s, &e), &e);
    do {
        assert_ok(process_read(s, piece, sizeof(piece), &got, &e), &e);
        all += got;
    } while (got);
    assert_int_equal(all, 300001);
    process_close(s, &status);
    assert_int_equal(status, 1);
    assert_true(str_has_prefix(process_said(s), STR("first\nerr\nerr")));
    assert_true(process_said(s).len <= PROCESS_SAID_MAX);
}

RUN_TESTS(cmocka_unit_test(output_and_status_are_kept), cmocka_unit_test(input_is_given),
          cmocka_unit_test(limits_end_a_program),
          cmocka_unit_test(time_and_cancelling_end_a_program),
          cmocka_unit_test(complaints_are_read_beside_the_output))
