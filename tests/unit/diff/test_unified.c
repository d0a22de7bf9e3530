/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_unified.c - hunks and headers. The output of GNU diff for hundreds of texts is recorded in
 * tests/recorded/diff; here is what each rule is for.
 */
#include "../test.h"

#include "diff/diff.h"

static str hunks(struct arena *a, str old, str new_, size_t context, enum diff_result want)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    assert_int_equal(diff_unified(&out, old, new_, context), want);
    return buf_str(&out);
}

static const struct {
    const char *old, *new_, *want;
} cases[] = {
    {"", "a\n", "@@ -0,0 +1 @@\n+a\n"},
    {"a\n", "", "@@ -1 +0,0 @@\n-a\n"},
    {"", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
    {"a\nb\n", "a\n", "@@ -1,2 +1 @@\n a\n-b\n"},
    /* A carriage return is part of the line. */
    {"a\r\n", "a\n", "@@ -1 +1 @@\n-a\r\n+a\n"},
    /* Of several places a change is shown at the last. */
    {"a\na\n", "a\na\na\n", "@@ -1,2 +1,3 @@\n a\n a\n+a\n"},
    /* ... unless a change of the other side is met on the way. */
    {"a\nb\nb\n", "c\nb\n", "@@ -1,3 +1,2 @@\n-a\n-b\n+c\n b\n"},
    {"a\nb\n", "b\na\n", "@@ -1,2 +1,2 @@\n-a\n b\n+a\n"},
};

TEST(hunks_are_those_of_gnu_diff)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_str(hunks(a, str_c(cases[i].old), str_c(cases[i].new_), 3, DIFF_CHANGED),
                   str_c(cases[i].want));
}

#define NO_NEWLINE "\\ No newline at end of file\n"

static const struct {
    const char *old, *new_, *want;
} newline_cases[] = {
    {"a", "a\n", "@@ -1 +1 @@\n-a\n" NO_NEWLINE "+a\n"},
    {"a\n", "a", "@@ -1 +1 @@\n-a\n+a\n" NO_NEWLINE},
    {"a", "b", "@@ -1 +1 @@\n-a\n" NO_NEWLINE "+b\n" NO_NEWLINE},
    {"x\na", "y\na", "@@ -1,2 +1,2 @@\n-x\n+y\n a\n" NO_NEWLINE},
    {"a", "a\nb\n", "@@ -1 +1,2 @@\n-a\n" NO_NEWLINE "+a\n+b\n"},
    {"", "a", "@@ -0,0 +1 @@\n+a\n" NO_NEWLINE},
};

TEST(a_missing_last_newline_makes_a_line_different_and_is_told)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(newline_cases); i++)
        assert_str(
            hunks(a, str_c(newline_cases[i].old), str_c(newline_cases[i].new_), 3, DIFF_CHANGED),
            str_c(newline_cases[i].want));
}

/* The numbers 1 to count, one per line; those in changed get an x. */
static str numbers(struct arena *a, size_t count, const size_t *changed, size_t changes)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 1; i <= count; i++) {
        bool marked = false;
        for (size_t j = 0; j < changes; j++)
            marked |= changed[j] == i;
        buf_fmt(&out, marked ? "%zux\n" : "%zu\n", i);
    }
    return buf_str(&out);
}

static size_t count_hunks(str text)
{
    size_t count = 0;
    str line;

    while (str_next_line(&text, &line))
        count += str_has_prefix(line, STR("@@"));
    return count;
}

TEST(changes_share_a_hunk_when_their_contexts_touch)
{
    static const struct {
        size_t context, second, hunks;
    } distances[] = {
        {3, 17, 1}, {3, 18, 2}, {1, 13, 1}, {1, 14, 2}, {0, 11, 1}, {0, 12, 2}, {SIZE_MAX, 30, 1},
    };
    AUTO_ARENA a = arena_new();
    str old = numbers(a, 30, NULL, 0);

    for (size_t i = 0; i < COUNT(distances); i++) {
        size_t changed[] = {10, distances[i].second};
        str got = hunks(a, old, numbers(a, 30, changed, 2), distances[i].context, DIFF_CHANGED);
        assert_int_equal(count_hunks(got), distances[i].hunks);
    }
}

TEST(line_numbers_count_the_common_beginning)
{
    AUTO_ARENA a = arena_new();
    str old = numbers(a, 2000, NULL, 0);
    str new_ = numbers(a, 2000, (size_t[]){1500}, 1);

    assert_str(hunks(a, old, new_, 1, DIFF_CHANGED),
               STR("@@ -1499,3 +1499,3 @@\n 1499\n-1500\n+1500x\n 1501\n"));
    assert_str(hunks(a, old, new_, 0, DIFF_CHANGED), STR("@@ -1500 +1500 @@\n-1500\n+1500x\n"));
}

TEST(equal_texts_have_no_hunks)
{
    AUTO_ARENA a = arena_new();

    assert_str(hunks(a, STR_NONE, STR(""), 3, DIFF_SAME), STR(""));
    assert_str(hunks(a, STR("a\nb"), STR("a\nb"), 3, DIFF_SAME), STR(""));
    assert_str(hunks(a, STR("a\0b"), STR("a\0b"), 3, DIFF_SAME), STR(""));
}

TEST(a_nul_in_the_first_4096_bytes_makes_a_text_binary)
{
    AUTO_ARENA a = arena_new();
    char *text = arena_alloc(a, 5000);

    memset(text, 'a', 5000);
    text[4095] = '\0';
    hunks(a, str_of(text, 5000), STR("b"), 3, DIFF_BINARY);
    hunks(a, STR("b"), str_of(text, 5000), 3, DIFF_BINARY);
    text[4095] = 'a';
    text[4096] = '\0';
    hunks(a, str_of(text, 5000), STR("b"), 3, DIFF_CHANGED);
}

/* Random lines of few kinds: everything matches everywhere, the worst case of the search. */
static str noise(struct arena *a, size_t lines)
{
    struct buf out = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < lines; i++)
        buf_fmt(&out, "%u\n", (unsigned)random_below(2000));
    return buf_str(&out);
}

TEST(a_search_that_is_too_expensive_still_ends_with_all_lines)
{
    AUTO_ARENA a = arena_new();

    random_fake(1);
    str old = noise(a, 12000), new_ = noise(a, 12000);
    str text = hunks(a, old, new_, SIZE_MAX, DIFF_CHANGED), line;
    size_t counts[128] = {0};
    random_real();
    assert_true(str_next_line(&text, &line));
    assert_str(line, STR("@@ -1,12000 +1,12000 @@"));
    while (str_next_line(&text, &line))
        counts[(unsigned char)line.ptr[0] & 127]++;
    assert_int_equal(counts[' '] + counts['-'], 12000);
    assert_int_equal(counts[' '] + counts['+'], 12000);
}

TEST(an_overflowing_output_is_noticed)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf out = buf_new(a, 10);

    assert_int_equal(diff_unified(&out, STR("a\n"), STR("b\n"), 3), DIFF_CHANGED);
    assert_false(buf_check(&out, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
}

static const struct {
    const char *name;
    int64_t time;
    const char *want;
} headers[] = {
    {"a/b.yaml", 0, "a/b.yaml\t1970-01-01 01:00:00.000000000 +0100\n"},
    {"x y", INT64_C(1772694489123456789), "\"x y\"\t2026-03-05 08:08:09.123456789 +0100\n"},
    {"\303\251\"\t\1", -500000000,
     "\"\\303\\251\\\"\\t\\001\"\t1970-01-01 00:59:59.500000000 +0100\n"},
    {"'$\177", 1, "'$\177\t1970-01-01 01:00:00.000000001 +0100\n"},
};

TEST(headers_quote_names_and_tell_local_times)
{
    AUTO_ARENA a = arena_new();

    setenv("TZ", "TST-1", 1);
    tzset();
    for (size_t i = 0; i < COUNT(headers); i++) {
        struct buf out = buf_new(a, BUF_UNLIMITED);
        struct diff_file file = {str_c(headers[i].name), headers[i].time};
        diff_header(&out, &file, &file);
        assert_str(buf_str(&out), str_fmt(a, "--- %s+++ %s", headers[i].want, headers[i].want));
    }
}

RUN_TESTS(cmocka_unit_test(hunks_are_those_of_gnu_diff),
          cmocka_unit_test(a_missing_last_newline_makes_a_line_different_and_is_told),
          cmocka_unit_test(changes_share_a_hunk_when_their_contexts_touch),
          cmocka_unit_test(line_numbers_count_the_common_beginning),
          cmocka_unit_test(equal_texts_have_no_hunks),
          cmocka_unit_test(a_nul_in_the_first_4096_bytes_makes_a_text_binary),
          cmocka_unit_test(a_search_that_is_too_expensive_still_ends_with_all_lines),
          cmocka_unit_test(an_overflowing_output_is_noticed),
          cmocka_unit_test(headers_quote_names_and_tell_local_times))
