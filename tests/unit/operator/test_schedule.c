/* SPDX-License-Identifier: Apache-2.0 */
/* test_schedule.c - when an object that is well is checked next. */
#include "../test.h"

#include "object/names.h"
#include "object/object.h"
#include "operator/schedule.h"

#define MINUTE (60 * NS_PER_SEC)

static const struct {
    const char *period, *mode;
    bool readable;
    int64_t want;
} cases[] = {
    {"", "", true, 15 * MINUTE},         {"30s", "", true, MINUTE / 2},
    {"2h30m", "", true, 150 * MINUTE},   {"never", "", true, SCHEDULE_NEVER},
    {"soon", "", true, 15 * MINUTE},     {"1ms", "", true, 15 * MINUTE},
    {"", "put-only", true, 60 * MINUTE}, {"", "report", true, 15 * MINUTE},
    {"", "", false, 60 * MINUTE},        {"5m", "put-only", false, 5 * MINUTE},
};

TEST(the_object_then_the_kind_then_the_operator_says)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        struct value *object = value_object(a);
        const struct model_resource resource = {
            .operations = MODEL_PUT | (cases[i].readable ? MODEL_GET : MODEL_HEAD)};
        value_set(a, object, STR("metadata"), value_object(a));
        object_set_annotation(a, object, STR(ANNOTATION_SYNC_PERIOD), str_c(cases[i].period));
        object_set_annotation(a, object, STR(ANNOTATION_MODE), str_c(cases[i].mode));
        assert_int_equal(schedule_period(15 * MINUTE, object, &resource), cases[i].want);
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

RUN_TESTS(cmocka_unit_test(the_object_then_the_kind_then_the_operator_says),
          cmocka_unit_test(periods_vary_by_a_quarter))
