/* SPDX-License-Identifier: Apache-2.0 */
/* test_clock_log.c - replaceable time and randomness, and the log that shows them. */
#include "../test.h"

#include <unistd.h>

TEST(a_fake_clock_moves_only_when_told)
{
    clock_fake(5 * NS_PER_SEC);
    assert_int_equal(clock_now(), 5 * NS_PER_SEC);
    clock_sleep(NS_PER_SEC);
    assert_int_equal(clock_mono(), 6 * NS_PER_SEC);
    clock_sleep(-1);
    assert_int_equal(clock_mono(), 6 * NS_PER_SEC);
    clock_real();
    assert_true(clock_now() > INT64_C(1700000000) * NS_PER_SEC);
}

TEST(stamps_are_utc_with_milliseconds)
{
    static const struct {
        int64_t now;
        const char *want;
    } cases[] = {
        {0, "1970-01-01T00:00:00.000Z"},
        {INT64_C(1772694489123456789), "2026-03-05T07:08:09.123Z"},
        {-1, "1969-12-31T23:59:59.999Z"},
        {-NS_PER_SEC, "1969-12-31T23:59:59.000Z"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char stamp[CLOCK_STAMP];
        clock_stamp(cases[i].now, stamp);
        assert_string_equal(stamp, cases[i].want);
    }
}

TEST(fake_randomness_repeats)
{
    unsigned char first[13], second[13];

    random_fake(7);
    random_bytes(first, sizeof(first));
    random_fake(7);
    random_bytes(second, sizeof(second));
    assert_memory_equal(first, second, sizeof(first));
    random_fake(8);
    random_bytes(second, sizeof(second));
    assert_memory_not_equal(first, second, sizeof(first));
    for (int i = 0; i < 1000; i++)
        assert_true(random_below(3) < 3);
    random_real();
}

/* What the log writes, read back through a pipe. */
static str logged(struct arena *a, enum log_format format, enum log_level threshold)
{
    int ends[2];
    str text;

    assert_int_equal(pipe(ends), 0);
    clock_fake(INT64_C(1772694489123456789));
    log_setup(threshold, format, ends[1]);
    LOG_DEBUG("hidden");
    LOG_INFO("object compared", LOG_STR("name", STR("a \"b\"\n\x1b[31m")), LOG_INT("n", -3),
             LOG_BOOL("same", true), LOG_STR("plain", STR("x")), LOG_STR("none", STR_NONE));
    LOG_INFO("odd", LOG_STR("bytes", STR("a\x9B")), LOG_STR("control", STR("a\xC2\x9B")),
             LOG_STR("word", STR("\u00E9")));
    LOG_ERROR("bare");
    log_setup(LOG_LEVEL_WARN, LOG_TEXT, STDERR_FILENO);
    clock_real();
    close(ends[1]);
    assert_true(file_read_fd(a, ends[0], STR("pipe"), KIB, &text, NULL));
    close(ends[0]);
    return text;
}

TEST(text_lines_are_readable_and_safe)
{
    AUTO_ARENA a = arena_new();

    assert_str(logged(a, LOG_TEXT, LOG_LEVEL_INFO),
               STR("2026-03-05T07:08:09.123Z INFO object compared "
                   "name=\"a \\\"b\\\"\\u000a\\u001b[31m\" n=-3 same=true plain=x none=\"\"\n"
                   "2026-03-05T07:08:09.123Z INFO odd "
                   "bytes=\"a\uFFFD\" control=\"a\\u009b\" word=\u00E9\n"
                   "2026-03-05T07:08:09.123Z ERROR bare\n"));
}

TEST(json_lines_are_json)
{
    AUTO_ARENA a = arena_new();

    assert_str(logged(a, LOG_JSON, LOG_LEVEL_INFO),
               STR("{\"time\":\"2026-03-05T07:08:09.123Z\",\"level\":\"info\",\"msg\":"
                   "\"object compared\",\"name\":\"a \\\"b\\\"\\u000a\\u001b[31m\",\"n\":-3,"
                   "\"same\":true,\"plain\":\"x\",\"none\":\"\"}\n"
                   "{\"time\":\"2026-03-05T07:08:09.123Z\",\"level\":\"info\",\"msg\":\"odd\","
                   "\"bytes\":\"a\uFFFD\",\"control\":\"a\\u009b\",\"word\":\"\u00E9\"}\n"
                   "{\"time\":\"2026-03-05T07:08:09.123Z\",\"level\":\"error\",\"msg\":"
                   "\"bare\"}\n"));
}

TEST(the_threshold_hides_what_is_below)
{
    AUTO_ARENA a = arena_new();

    assert_str(logged(a, LOG_TEXT, LOG_LEVEL_ERROR), STR("2026-03-05T07:08:09.123Z ERROR bare\n"));
    assert_str(logged(a, LOG_TEXT, LOG_LEVEL_OFF), STR(""));
}

TEST(levels_have_names)
{
    enum log_level level;

    assert_true(log_level_parse(STR("debug"), &level));
    assert_int_equal(level, LOG_LEVEL_DEBUG);
    assert_true(log_level_parse(STR("off"), &level));
    assert_int_equal(level, LOG_LEVEL_OFF);
    assert_false(log_level_parse(STR("loud"), &level));
}

RUN_TESTS(cmocka_unit_test(a_fake_clock_moves_only_when_told),
          cmocka_unit_test(stamps_are_utc_with_milliseconds),
          cmocka_unit_test(fake_randomness_repeats),
          cmocka_unit_test(text_lines_are_readable_and_safe), cmocka_unit_test(json_lines_are_json),
          cmocka_unit_test(the_threshold_hides_what_is_below), cmocka_unit_test(levels_have_names))
