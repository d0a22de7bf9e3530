/* SPDX-License-Identifier: Apache-2.0 */
/* test_schedule.c - when a healthy object is checked next. */
#include "../test.h"

#include "object/names.h"
#include "object/object.h"
#include "operator/schedule.h"

#define MINUTE (60 * NS_PER_SEC)

static const struct {
    const char *own;
    int64_t period;
    bool writes;
    int64_t want;
} cases[] = {
    {"", 15 * MINUTE, false, 15 * MINUTE},       {"30s", 15 * MINUTE, false, MINUTE / 2},
    {"2h30m", 15 * MINUTE, false, 150 * MINUTE}, {"never", 15 * MINUTE, false, SCHEDULE_NEVER},
    {"soon", 15 * MINUTE, false, 15 * MINUTE},   {"1ms", 15 * MINUTE, false, 15 * MINUTE},
    {"", 15 * MINUTE, true, 60 * MINUTE},        {"", 90 * MINUTE, true, 90 * MINUTE},
    {"5m", 15 * MINUTE, true, 5 * MINUTE},
};

TEST(the_object_says_else_the_operator_and_writes_are_rarer)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        struct value *object = value_object(a);
        value_set(a, object, STR("metadata"), value_object(a));
        object_set_annotation(a, object, STR(ANNOTATION_SYNC_PERIOD), str_c(cases[i].own));
        assert_int_equal(schedule_period(cases[i].period, object, cases[i].writes), cases[i].want);
    }
}

TEST(periods_vary_by_a_quarter)
{
    random_fake(1);
    for (int i = 0; i < 1000; i++) {
        int64_t next = schedule_vary(4 * MINUTE);
        assert_true(next >= 3 * MINUTE && next <= 5 * MINUTE);
    }
    assert_true(schedule_vary(SCHEDULE_NEVER) > SCHEDULE_NEVER / 2);
    random_real();
}

RUN_TESTS(cmocka_unit_test(the_object_says_else_the_operator_and_writes_are_rarer),
          cmocka_unit_test(periods_vary_by_a_quarter))
