/* SPDX-License-Identifier: Apache-2.0 */
/* Lines about a watched cluster, and its metrics. */
#include "../test.h"

#include "report/changes.h"
#include "value/value.h"

#define NOON (INT64_C(1772712000) * NS_PER_SEC)

static const struct watch_totals some = {.types = 2,
                                         .objects = 7,
                                         .matched = 5,
                                         .unmatched = 2,
                                         .drifting = 1,
                                         .missing = 2,
                                         .issues = 1,
                                         .synced = NOON,
                                         .started = true};

static void add_field(struct arena *a, struct watch_change *c, const char *path,
                      enum result_kind kind, struct value *expected, struct value *actual)
{
    const struct result_field f = {
        .path = str_c(path), .kind = kind, .expected = expected, .actual = actual};

    VEC_PUSH(a, &c->fields, f);
}

static struct watch_change drift(struct arena *a)
{
    struct watch_change c = {.kind = WATCH_DRIFT,
                             .object = STR_INIT("v1_A_x_a"),
                             .template = STR_INIT("a.yaml"),
                             .part = STR_INIT("p"),
                             .component = STR_INIT("c")};

    add_field(a, &c, "spec.size", RESULT_CHANGED, value_int(a, 1), value_int(a, 2));
    add_field(a, &c, "spec.list", RESULT_CHANGED, value_list(a), value_list(a));
    add_field(a, &c, "spec.a\nb", RESULT_EXTRA, NULL, value_bool(a, true));
    add_field(a, &c, "spec.gone", RESULT_MISSING, value_string(a, STR("x")), NULL);
    return c;
}

static str text_of(struct arena *a, const struct watch_change *c, const struct watch_totals *t)
{
    struct buf out = buf_new(a, 64 * KIB);
    const struct change_line line = {c, t, NOON};

    change_write_text(&out, &line);
    return buf_str(&out);
}

static str json_of(struct arena *a, const struct watch_change *c, const struct watch_totals *t)
{
    struct buf out = buf_new(a, 64 * KIB);
    const struct change_line line = {c, t, NOON};
    AUTO_ERR e = {0};

    assert_ok(change_write_json(&out, &line, &e), &e);
    return buf_str(&out);
}

TEST(people_get_one_line_per_change)
{
    AUTO_ARENA a = arena_new();
    struct watch_change c = drift(a);
    struct watch_totals bad = some;

    assert_str(text_of(a, &c, &some),
               STR("2026-03-05T12:00:00.000Z drift    v1_A_x_a (a.yaml): spec.size (1 -> 2), "
                   "spec.list (changed), spec.a\\nb (extra), spec.gone (missing)\n"));
    for (int i = 0; i < 3; i++)
        add_field(a, &c, "more", RESULT_EXTRA, NULL, value_null(a));
    assert_true(str_has_suffix(text_of(a, &c, &some), STR("more (extra) and 2 more\n")));
    c = (struct watch_change){.kind = WATCH_FIXED, .object = STR("o"), .gone = true};
    assert_str(text_of(a, &c, &some), STR("2026-03-05T12:00:00.000Z fixed    o: it is gone\n"));
    c = (struct watch_change){
        .kind = WATCH_FAILED, .object = STR("o"), .message = STR("two\nlines")};
    assert_str(text_of(a, &c, &some), STR("2026-03-05T12:00:00.000Z failed   o: two\\nlines\n"));
    c = (struct watch_change){.kind = WATCH_MISSING,
                              .template = STR("t"),
                              .part = STR("p"),
                              .component = STR("c"),
                              .message = STR("Missing CRs")};
    assert_str(text_of(a, &c, &some),
               STR("2026-03-05T12:00:00.000Z missing  t (p, c): Missing CRs\n"));
    c.kind = WATCH_PRESENT;
    assert_str(text_of(a, &c, &some), STR("2026-03-05T12:00:00.000Z present  t (p, c)\n"));
    c = (struct watch_change){.kind = WATCH_START};
    assert_str(text_of(a, &c, &some),
               STR("2026-03-05T12:00:00.000Z start    2 types, 7 objects: 5 compared, 1 drift, 2 "
                   "missing; complete, 2 objects not matched by the reference\n"));
    bad.failed = 3;
    bad.unmatched = 0;
    bad.failing = 1;
    c.kind = WATCH_END;
    assert_str(text_of(a, &c, &bad),
               STR("2026-03-05T12:00:00.000Z end      2 types, 7 objects: 5 compared, 1 drift, 2 "
                   "missing, 3 failed; 1 type cannot be watched; incomplete\n"));
}

TEST(programs_get_one_object_per_change)
{
    AUTO_ARENA a = arena_new();
    struct watch_change c = drift(a);

    c.fields.cut = true;
    assert_str(
        json_of(a, &c, &some),
        STR("{\"time\":\"2026-03-05T12:00:00.000Z\",\"change\":\"drift\",\"object\":\"v1_A_x_a\","
            "\"template\":\"a.yaml\",\"part\":\"p\",\"component\":\"c\",\"differences\":[{\"path\":"
            "\"spec.size\",\"kind\":\"changed\",\"expected\":1,\"actual\":2},{\"path\":"
            "\"spec.list\",\"kind\":\"changed\",\"expected\":[],\"actual\":[]},{\"path\":"
            "\"spec.a\\nb\",\"kind\":\"extra\",\"actual\":true},{\"path\":\"spec.gone\",\"kind\":"
            "\"missing\",\"expected\":\"x\"}],\"moreDifferences\":true}\n"));
    c = (struct watch_change){.kind = WATCH_START};
    assert_str(json_of(a, &c, &some),
               STR("{\"time\":\"2026-03-05T12:00:00.000Z\",\"change\":\"start\",\"types\":2,"
                   "\"typesFailing\":0,\"objects\":7,\"compared\":5,\"drifting\":1,\"failed\":0,"
                   "\"missing\":2,\"issues\":1,\"unmatched\":2,\"state\":\"complete\"}\n"));
}

TEST(labels_are_escaped_and_every_metric_has_its_head)
{
    AUTO_ARENA a = arena_new();
    const struct watch_template templates[] = {
        {STR_INIT("a\"b"), STR_INIT("c\\d"), STR_INIT("e\nf"), 5, 1, true}};
    struct watch_totals t = some;
    struct buf out = buf_new(a, 64 * KIB);
    size_t heads = 0;

    t.templates = templates;
    t.template_count = 1;
    t.changes[WATCH_FIXED] = 4;
    metrics_write(&out, &t, STR("abc"));
    str text = buf_str(&out), line;
    assert_true(str_contains(text, STR("plumb_compare_template_drifting_objects{part=\"a\\\"b\","
                                       "component=\"c\\\\d\",template=\"e\\nf\"} 1\n")));
    assert_true(str_contains(text, STR("template=\"e\\nf\"} 5\n")));
    assert_true(str_contains(text, STR("\nplumb_compare_missing 2\n")));
    assert_true(str_contains(text, STR("\nplumb_compare_unmatched_objects 2\n")));
    assert_true(str_contains(text, STR("\nplumb_compare_completeness{state=\"incomplete\"} 0\n")));
    assert_true(str_contains(text, STR("\nplumb_compare_completeness{state=\"complete\"} 1\n")));
    assert_true(str_contains(text, STR("\nplumb_compare_changes_total{change=\"fixed\"} 4\n")));
    assert_true(str_contains(text, STR("reference_hash=\"abc\"} 1\n")));
    assert_true(
        str_contains(text, STR("\nplumb_compare_last_sync_timestamp_seconds 1772712000\n")));
    while (str_next_line(&text, &line)) {
        heads += str_has_prefix(line, STR("# TYPE "));
        assert_true(str_has_prefix(line, STR("# ")) || str_has_prefix(line, STR("plumb_")));
    }
    assert_int_equal(heads, 20);
}

RUN_TESTS(cmocka_unit_test(people_get_one_line_per_change),
          cmocka_unit_test(programs_get_one_object_per_change),
          cmocka_unit_test(labels_are_escaped_and_every_metric_has_its_head))
