/* SPDX-License-Identifier: Apache-2.0 */
/* Retry-After, dates of HTTP, and the arithmetic of waiting. */
#include "../test.h"

#include "net/retry.h"

/* 1994-11-06T08:49:37Z */
#define DAY INT64_C(784111777)

static const struct {
    const char *name, *value;
    int64_t want; /* milliseconds; -1: cannot be read */
} cases[] = {
    {"Retry-After", "0", 0},
    {"Retry-After", " 120 ", 120000},
    {"retry-after", "99999999999999999999999", 31536000000},
    {"Retry-After", "", -1},
    {"Retry-After", "-1", -1},
    {"Retry-After", "1.5", -1},
    {"Retry-After", "soon", -1},
    {"Retry-After", "Sun, 06 Nov 1994 08:50:37 GMT", 60000},
    {"Retry-After", "Sunday, 06-Nov-94 08:50:37 GMT", 60000},
    {"Retry-After", "Sun Nov  6 08:50:37 1994", 60000},
    {"Retry-After", "Sun, 06 Nov 1994 08:49:36 GMT", 0},
    {"Retry-After", "Sun, 06 Nov 2094 08:49:37 GMT", 31536000000},
    {"Retry-After", "Sun, 31 Feb 1994 08:49:37 GMT", -1},
    {"retry-after-ms", "250", 250},
    {"x-ms-retry-after-ms", "1500", 1500},
};

TEST(retry_after_is_seconds_or_a_date)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct http_headers h = {0};
        int64_t wait = -1;
        http_header_add(a, &h, str_c(cases[i].name), str_c(cases[i].value));
        bool ok = retry_after(&h, DAY * NS_PER_SEC, &wait);
        if (ok != (cases[i].want >= 0) || (ok && wait != cases[i].want * NS_PER_MS))
            print_error("%s: %s: %lld\n", cases[i].name, cases[i].value, (long long)wait);
        assert_int_equal(ok, cases[i].want >= 0);
        assert_true(!ok || wait == cases[i].want * NS_PER_MS);
    }
    assert_false(retry_after(&(struct http_headers){0}, 0, &(int64_t){0}));
}

TEST(dates_are_written_as_they_are_read)
{
    AUTO_ARENA a = arena_new();
    int64_t seconds;

    assert_str(http_date(a, DAY), STR("Sun, 06 Nov 1994 08:49:37 GMT"));
    assert_true(http_date_parse(http_date(a, DAY), 0, &seconds));
    assert_int_equal(seconds, DAY);
}

/* A policy for the arithmetic: 1 s, 2 s, 4 s, 5 s, 5 s. */
static const struct retry_rule rules[] = {{500, 599, .only_asked = false, .idempotent = false}};
static const struct retry_policy policy = {.name = "test",
                                           .attempts_max = 6,
                                           .first = NS_PER_SEC,
                                           .max = 5 * NS_PER_SEC,
                                           .factor = 200,
                                           .asked_max = 10 * NS_PER_SEC,
                                           .rules = rules,
                                           .rule_count = COUNT(rules)};

TEST(waits_grow_to_their_maximum_and_attempts_end)
{
    static const int64_t want[] = {1, 2, 4, 5, 5};
    const struct http_request request = {0};
    const struct http_response response = {.status = 500};
    struct retry r = retry_begin(&policy);
    int64_t wait;

    for (size_t i = 0; i < COUNT(want); i++) {
        assert_true(retry_next(&r, &request, &response, &wait));
        assert_int_equal(wait, want[i] * NS_PER_SEC);
    }
    assert_false(retry_next(&r, &request, &response, &wait));
    assert_int_equal(r.waited, 17 * NS_PER_SEC);
}

TEST(all_waits_together_have_a_limit)
{
    struct retry_policy limited = policy;
    const struct http_request request = {0};
    const struct http_response response = {.status = 500};
    int64_t wait;

    limited.total_max = 7 * NS_PER_SEC;
    struct retry r = retry_begin(&limited);
    for (int i = 0; i < 3; i++)
        assert_true(retry_next(&r, &request, &response, &wait));
    assert_false(retry_next(&r, &request, &response, &wait));
}

TEST(jitter_is_added_within_its_bounds_and_repeats_in_tests)
{
    struct retry_policy shaky = policy;
    const struct http_request request = {0};
    const struct http_response response = {.status = 500};
    int64_t first[3], wait;

    shaky.jitter = 50;
    for (int round = 0; round < 2; round++) {
        struct retry r = retry_begin(&shaky);
        random_fake(42);
        for (int i = 0; i < 3; i++) {
            assert_true(retry_next(&r, &request, &response, &wait));
            assert_in_range(wait, NS_PER_SEC << i, (NS_PER_SEC << i) * 3 / 2);
            assert_true(round == 0 || wait == first[i]);
            first[i] = wait;
        }
    }
    random_real();
}

static bool ignore_piece(void *ctx, const struct http_response *so_far, str piece, struct err *e)
{
    (void)ctx, (void)so_far, (void)piece, (void)e;
    return true;
}

TEST(pieces_that_were_given_are_not_asked_for_again)
{
    const struct http_request request = {.on_body = ignore_piece};
    struct http_response response = {.status = 200, .failure = HTTP_FAILURE_RESET, .sent = true};
    struct retry r = retry_begin(&retry_reads);
    int64_t wait;

    assert_false(retry_next(&r, &request, &response, &wait));
    r = retry_begin(&retry_reads);
    response.status = 0;
    assert_true(retry_next(&r, &request, &response, &wait));
}

TEST(kube_retries_only_what_the_server_asks_for)
{
    AUTO_ARENA a = arena_new();
    const struct http_request post = {.method = STR("POST")};
    struct http_response response = {.status = 429};
    struct retry r = retry_begin(&retry_kube);
    int64_t wait;

    assert_false(retry_next(&r, &post, &response, &wait));
    http_header_add(a, &response.headers, STR("Retry-After"), STR("1"));
    r = retry_begin(&retry_kube);
    assert_true(retry_next(&r, &post, &response, &wait));
    assert_int_equal(wait, NS_PER_SEC);
    assert_false(retry_next(&(struct retry){.policy = &retry_never}, &post, &response, &wait));
}

RUN_TESTS(cmocka_unit_test(retry_after_is_seconds_or_a_date),
          cmocka_unit_test(dates_are_written_as_they_are_read),
          cmocka_unit_test(waits_grow_to_their_maximum_and_attempts_end),
          cmocka_unit_test(all_waits_together_have_a_limit),
          cmocka_unit_test(jitter_is_added_within_its_bounds_and_repeats_in_tests),
          cmocka_unit_test(pieces_that_were_given_are_not_asked_for_again),
          cmocka_unit_test(kube_retries_only_what_the_server_asks_for))
