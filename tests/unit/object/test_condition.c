/* SPDX-License-Identifier: Apache-2.0 */
/* test_condition.c - which condition wins, and when its time moves. */
#include "../test.h"

#include "base/clock.h"
#include "object/condition.h"
#include "text/json/json.h"

static struct condition made(const char *status, const char *severity, const char *reason,
                             int64_t generation)
{
    return (struct condition){.type = STR("Ready"),
                              .status = str_c(status),
                              .severity = str_c(severity),
                              .reason = str_c(reason),
                              .generation = generation};
}

static const struct {
    const char *old_status, *old_severity;
    int64_t old_generation;
    const char *next_status, *next_severity;
    int64_t next_generation;
    bool wins;
} contests[] = {
    {"False", "Error", 1, "Unknown", "", 2, true}, /* a newer generation always does */
    {"Unknown", "", 2, "True", "", 1, false},      /* an older one never */
    {"True", "", 1, "False", "Info", 1, false},    /* a healthy object does not flicker */
    {"False", "Warning", 1, "False", "Info", 1, false},
    {"False", "Info", 1, "Unknown", "", 1, false},
    {"False", "Info", 1, "False", "Warning", 1, true},
    {"False", "Warning", 1, "True", "", 1, true},
    {"True", "", 1, "False", "Error", 1, true},
    {"Unknown", "", 1, "False", "Info", 1, true},
};

TEST(verdicts_win_over_progress_within_a_generation)
{
    for (size_t i = 0; i < COUNT(contests); i++) {
        struct condition old =
            made(contests[i].old_status, contests[i].old_severity, "A", contests[i].old_generation);
        struct condition next = made(contests[i].next_status, contests[i].next_severity, "B",
                                     contests[i].next_generation);
        assert_int_equal(condition_wins(&old, &next), contests[i].wins);
    }
}

TEST(time_moves_with_any_change_and_only_then)
{
    AUTO_ARENA a = arena_new();
    struct value *status = value_object(a);
    struct condition c = made("False", "Warning", "WaitingForOwner", 3), got;

    c.message = STR("owner \"rg\" is missing");
    assert_true(condition_set(a, status, &c, 10 * NS_PER_SEC));
    assert_false(condition_set(a, status, &c, 20 * NS_PER_SEC));
    assert_true(condition_get(status, STR("Ready"), &got));
    assert_true(str_eq(got.since, STR("1970-01-01T00:00:10Z")));
    c.message = STR("owner \"rg\" is not ready");
    assert_true(condition_set(a, status, &c, 30 * NS_PER_SEC));
    assert_true(condition_get(status, STR("Ready"), &got));
    assert_true(str_eq(got.since, STR("1970-01-01T00:00:30Z")));
    assert_int_equal(got.generation, 3);
}

TEST(empty_members_are_left_out)
{
    AUTO_ARENA a = arena_new();
    struct value *status = value_object(a);
    struct condition waiting = made("False", "Info", "Reconciling", 1);
    struct condition ready = made("True", "", "Succeeded", 1);
    struct buf out = buf_new(a, BUF_UNLIMITED);

    waiting.message = STR("m");
    assert_true(condition_set(a, status, &waiting, 0));
    assert_false(condition_is_true(status, STR("Ready"), 1));
    assert_true(condition_set(a, status, &ready, 0));
    assert_true(condition_is_true(status, STR("Ready"), 1));
    assert_false(condition_is_true(status, STR("Ready"), 2));
    assert_true(json_write(&out, status, &json_exact, NULL));
    assert_string_equal(str_z(a, buf_str(&out)),
                        "{\"conditions\":[{\"lastTransitionTime\":\"1970-01-01T00:00:00Z\","
                        "\"observedGeneration\":1,\"reason\":\"Succeeded\",\"status\":\"True\","
                        "\"type\":\"Ready\"}]}");
}

RUN_TESTS(cmocka_unit_test(verdicts_win_over_progress_within_a_generation),
          cmocka_unit_test(time_moves_with_any_change_and_only_then),
          cmocka_unit_test(empty_members_are_left_out))
