/* SPDX-License-Identifier: Apache-2.0 */
/* test_write_metrics.c - causes of writes and paths of drift, with a limited number of labels. */
#include "../test.h"

#include "operator/state_metrics.h"
#include "operator/write_metrics.h"

static void add(struct write_metrics *m, const char *cause, str path)
{
    write_metrics_add(m, &(struct tally){.cause = cause,
                                         .kind = STR("Thing"),
                                         .paths = &path,
                                         .path_count = path.len ? 1 : 0});
}

static str text_of(struct write_metrics *m, struct arena *a)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    write_metrics_write(m, &b);
    return buf_str(&b);
}

TEST(causes_and_places_are_counted)
{
    AUTO_ARENA a = arena_new();
    struct write_metrics *m = write_metrics_new();

    add(m, "absent", STR_NONE);
    add(m, "drift", STR("properties.subnets[name=a].id"));
    add(m, "drift", STR("properties.subnets[name=b].id"));
    add(m, NULL, STR("tags.\"a.b\""));
    str text = text_of(m, a);
    assert_true(str_contains(text, STR("plumb_writes_total{cause=\"absent\"} 1\n")));
    assert_true(str_contains(text, STR("plumb_writes_total{cause=\"drift\"} 2\n")));
    assert_true(str_contains(
        text, STR("plumb_drift_total{kind=\"Thing\",path=\"properties.subnets[].id\"} 2\n")));
    assert_true(
        str_contains(text, STR("plumb_drift_total{kind=\"Thing\",path=\"tags.\\\"a.b\\\"\"} 1\n")));
    write_metrics_free(m);
}

TEST(there_is_an_end_to_labels)
{
    AUTO_ARENA a = arena_new();
    struct write_metrics *m = write_metrics_new();

    for (int i = 0; i < WRITE_METRICS_MAX + 5; i++)
        add(m, "drift", str_fmt(a, "tags.t%d", i));
    assert_true(
        str_contains(text_of(m, a), STR("plumb_drift_total{kind=\"other\",path=\"other\"} 5\n")));
    write_metrics_free(m);
}

TEST(writes_that_were_avoided_or_changed_nothing_are_counted)
{
    AUTO_ARENA a = arena_new();
    struct write_metrics *m = write_metrics_new();

    write_metrics_add(m, &(struct tally){.kind = STR("Thing"), .avoided = true});
    write_metrics_add(m, &(struct tally){.kind = STR("Thing"), .avoided = true});
    write_metrics_add(m, &(struct tally){.kind = STR("Thing"), .noop = true});
    assert_true(str_contains(text_of(m, a), STR("\nplumb_writes_avoided_total 2\n")));
    assert_true(str_contains(text_of(m, a), STR("\nplumb_noop_writes_total 1\n")));
    write_metrics_free(m);
}

static str states_of(struct state_metrics *m, struct arena *a)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    state_metrics_write(m, &b);
    return buf_str(&b);
}

TEST(objects_are_counted_in_one_state_each)
{
    const struct object_key key = {.group = STR("g"), .kind = STR("Thing"), .name = STR("x")};
    AUTO_ARENA a = arena_new();
    struct state_metrics *m = state_metrics_new();

    state_metrics_move(m, &key, OBJECT_UNKNOWN, OBJECT_PENDING);
    state_metrics_move(m, &key, OBJECT_UNKNOWN, OBJECT_PENDING);
    state_metrics_move(m, &key, OBJECT_PENDING, OBJECT_READY);
    str text = states_of(m, a);
    assert_true(str_contains(
        text, STR("plumb_objects_by_state{group=\"g\",kind=\"Thing\",state=\"Pending\"} 1\n")));
    assert_true(str_contains(text, STR("kind=\"Thing\",state=\"Ready\"} 1\n")));
    state_metrics_move(m, &key, OBJECT_READY, OBJECT_UNKNOWN);
    assert_true(str_contains(states_of(m, a), STR("kind=\"Thing\",state=\"Ready\"} 0\n")));
    for (int i = 0; i < STATE_METRICS_MAX + 5; i++) {
        const struct object_key other = {.group = STR("g"), .kind = str_fmt(a, "K%d", i)};
        state_metrics_move(m, &other, OBJECT_UNKNOWN, OBJECT_READY);
    }
    assert_true(
        str_contains(states_of(m, a), STR("{group=\"other\",kind=\"other\",state=\"Ready\"} 6\n")));
    state_metrics_free(m);
}

RUN_TESTS(cmocka_unit_test(causes_and_places_are_counted),
          cmocka_unit_test(there_is_an_end_to_labels),
          cmocka_unit_test(writes_that_were_avoided_or_changed_nothing_are_counted),
          cmocka_unit_test(objects_are_counted_in_one_state_each))
