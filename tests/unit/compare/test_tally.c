/* SPDX-License-Identifier: Apache-2.0 */
/* test_tally.c - counting fields. */
#include "../test.h"

#include "compare/reference/omit_internal.h"
#include "compare/reference/reference_internal.h"
#include "compare/explain/tally_internal.h"
#include "compare/reference/yaml_map_internal.h"

static struct value *read(struct arena *a, const char *text)
{
    struct value *out = NULL;
    AUTO_ERR e = {0};

    assert_ok(yaml_any_read(a, str_c(text), false, &out, &e), &e);
    return out;
}

TEST(fields_hold_no_others)
{
    static const struct {
        const char *x, *y;
        size_t of_x, both;
    } cases[] = {
        {"{}", "{}", 1, 1},
        {"{a: 1}", "{}", 1, 1},
        {"{a: 1, b: {c: 2, d: []}}", "{a: 2}", 3, 3},
        {"{a: 1}", "{b: 1}", 1, 2},
        {"{a: [1, 2]}", "{a: [1, 2, 3]}", 2, 3},
        {"{a: {b: 1, c: 1}}", "{a: x}", 2, 2},
        {"{a: x}", "{a: {b: 1, c: 1}}", 1, 2},
        {"{a: null}", "{a: null}", 1, 1},
    };
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct value *x = read(a, cases[i].x), *y = read(a, cases[i].y);
        assert_int_equal(field_count(x), cases[i].of_x);
        assert_int_equal(field_count_both(x, y), cases[i].both);
    }
    assert_int_equal(field_count(NULL), 0);
}

TEST(rules_are_summed_and_ordered_by_what_they_keep_out)
{
    AUTO_ARENA a = arena_new();
    struct value *live = read(a, "{metadata: {managedFields: [{a: 1, b: 2}]}, s: {x: 1, y: 2}}");
    struct template merging = {.path = STR("t.yaml")};
    const struct omit_path one = {.list = STR("l"), .text = STR("s.x")};
    const struct omit_path same = one, other = {.list = STR("l"), .text = STR("s"), .prefix = true};
    struct tally all = {.arena = a}, t = {.arena = a, .object = live};
    struct result_verdict v = {0};
    const struct step steps[] = {{.key = STR("s")}, {.key = STR("x")}};
    const struct path x = {(struct step *)steps, 2}, s = {(struct step *)steps, 1};

    tally_omitted(&t, &one, &x);
    tally_omitted(&t, &same, &x);
    tally_omitted(&t, &other, &s);
    tally_managed(&t, live);
    tally_merged(&t, &merging, read(a, "{s: {x: 1}}"), live);
    tally_compared(&t, live, live);
    tally_add(&all, &t);
    tally_add(&all, &t);
    tally_finish(&all, &v);
    assert_int_equal(v.fields_compared, 2);
    assert_int_equal(v.fields_omitted, 18);
    assert_int_equal(v.rules.len, 4);
    assert_str(v.rules.items[0].rule, STR("template t.yaml: ignore-unspecified-fields"));
    assert_int_equal(v.rules.items[0].count, 6);
    assert_str(v.rules.items[1].rule, STR("fieldsToOmit l: s*"));
    assert_str(v.rules.items[2].rule, STR("fieldsToOmit l: s.x"));
    assert_int_equal(v.rules.items[2].count, 4);
}

RUN_TESTS(cmocka_unit_test(fields_hold_no_others),
          cmocka_unit_test(rules_are_summed_and_ordered_by_what_they_keep_out))
