/* SPDX-License-Identifier: Apache-2.0 */
/* test_write_metrics.c - causes of writes and places of drift, with labels that stay few. */
#include "../test.h"

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

RUN_TESTS(cmocka_unit_test(causes_and_places_are_counted),
          cmocka_unit_test(there_is_an_end_to_labels))
