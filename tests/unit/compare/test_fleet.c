/* SPDX-License-Identifier: Apache-2.0 */
/* test_fleet.c - what sites have in common: which findings are the same, and in which order. */
#include "../test.h"

#include "compare/fleet/fleet.h"
#include "archive/archive.h"
#include "value/value.h"

/* ---- Helpers. ---- */

static struct fleet make_fleet(struct arena *a, size_t count)
{
    struct fleet fleet = {0};

    for (size_t i = 0; i < count; i++) {
        struct fleet_site *s = VEC_ADD(a, &fleet.sites);
        s->name = str_fmt(a, "s%zu", i);
        s->verdict.complete = true;
    }
    return fleet;
}

/* An object whose field is found with a value; the text around it belongs to the site. */
static struct fleet_finding differs(struct arena *a, const char *object, const char *value,
                                    const char *context)
{
    struct fleet_finding f = {
        .kind = FLEET_DIFFERS,
        .object = str_c(object),
        .template = STR("t.yaml"),
        .text = str_fmt(a, "@@ -1 +1 @@\n %s\n-a: x\n+a: %s\n", context, value)};
    struct result_field field = {.path = STR("a"),
                                 .kind = RESULT_CHANGED,
                                 .expected = value_string(a, STR("x")),
                                 .actual = value_string(a, str_c(value)),
                                 .object = {str_c(context), 1}};

    VEC_PUSH(a, &f.fields, field);
    return f;
}

static struct fleet_finding missing(const char *template)
{
    return (struct fleet_finding){
        .kind = FLEET_MISSING, .template = str_c(template), .message = STR("Missing CRs")};
}

static void add(struct fleet_groups *g, size_t site, struct fleet_finding finding)
{
    fleet_groups_add(g, site, &finding);
}

/* ---- Identity. ---- */

TEST(findings_are_the_same_by_object_template_and_fields)
{
    AUTO_ARENA a = arena_new();
    struct fleet fleet = make_fleet(a, 4);
    struct fleet_groups *g = fleet_groups_new(a, &fleet);
    struct fleet_finding other = differs(a, "o", "1", "c");

    other.template = STR("u.yaml");
    add(g, 0, differs(a, "o", "1", "of site 0"));
    add(g, 0, differs(a, "o", "1", "of site 0, again"));
    add(g, 1, differs(a, "o", "1", "of site 1"));
    add(g, 1, differs(a, "o", "2", "c"));
    add(g, 2, differs(a, "p", "1", "c"));
    add(g, 3, other);
    fleet_groups_finish(g);
    assert_int_equal(fleet.findings.len, 4);
    const struct fleet_finding *shared = &fleet.findings.items[3];
    assert_int_equal(shared->sites.len, 2);
    assert_int_equal(shared->sites.items[1], 1);
    /* The first site's text stands for all, without places in its files. */
    assert_true(str_contains(shared->text, STR("of site 0\n")));
    assert_int_equal(shared->fields.items[0].object.file.len, 0);
}

TEST(without_fields_the_lines_that_differ_decide)
{
    AUTO_ARENA a = arena_new();
    struct fleet fleet = make_fleet(a, 3);
    struct fleet_groups *g = fleet_groups_new(a, &fleet);

    for (size_t i = 0; i < 3; i++) {
        struct fleet_finding f = {.kind = FLEET_DIFFERS, .object = STR("o")};
        f.text = str_fmt(a, "@@ -%zu +1 @@\n around %zu\n-x\n+%s\n", i, i, i == 2 ? "z" : "y");
        add(g, i, f);
    }
    fleet_groups_finish(g);
    assert_int_equal(fleet.findings.len, 2);
    assert_int_equal(fleet.findings.items[1].sites.len, 2);
}

TEST(absent_values_and_kinds_of_values_differ)
{
    AUTO_ARENA a = arena_new();
    struct fleet fleet = make_fleet(a, 3);
    struct fleet_groups *g = fleet_groups_new(a, &fleet);
    struct fleet_finding text = differs(a, "o", "1", ""), number = text, absent = text;

    number.fields.items = ARENA_NEW(a, struct result_field);
    number.fields.items[0] = text.fields.items[0];
    number.fields.items[0].actual = value_int(a, 1);
    absent.fields.items = ARENA_NEW(a, struct result_field);
    absent.fields.items[0] = text.fields.items[0];
    absent.fields.items[0].actual = NULL;
    add(g, 0, text);
    add(g, 1, number);
    add(g, 2, absent);
    fleet_groups_finish(g);
    assert_int_equal(fleet.findings.len, 3);
}

/* ---- Order. ---- */

TEST(rare_findings_come_first_and_unmatched_objects_last)
{
    AUTO_ARENA a = arena_new();
    struct fleet fleet = make_fleet(a, 4);
    struct fleet_groups *g = fleet_groups_new(a, &fleet);
    const struct fleet_finding unmatched = {.kind = FLEET_UNMATCHED, .object = STR("u")};

    for (size_t i = 0; i < 4; i++) {
        if (i < 3)
            add(g, i, differs(a, "common", "1", ""));
        if (i < 2)
            add(g, i, missing("half.yaml"));
        if (i == 3)
            add(g, i, differs(a, "single", "1", ""));
        if (i == 0)
            add(g, i, unmatched);
    }
    fleet_groups_finish(g);
    assert_str(fleet.findings.items[0].object, STR("single"));
    assert_str(fleet.findings.items[1].template, STR("half.yaml"));
    assert_false(fleet.findings.items[1].common);
    assert_str(fleet.findings.items[2].object, STR("common"));
    assert_true(fleet.findings.items[2].common);
    assert_str(fleet.findings.items[3].object, STR("u"));
    assert_int_equal(fleet.kinds[FLEET_DIFFERS], 2);
    assert_int_equal(fleet.kinds[FLEET_MISSING], 1);
    assert_int_equal(fleet.drifting, 4);
}

TEST(what_is_alike_but_for_the_object_stands_together)
{
    static const char *const wanted[] = {"a", "c", "b", "d"};
    static const size_t alike[] = {2, 0, 1, 1};
    AUTO_ARENA a = arena_new();
    struct fleet fleet = make_fleet(a, 3);
    struct fleet_groups *g = fleet_groups_new(a, &fleet);

    add(g, 0, differs(a, "a", "1", ""));
    add(g, 0, differs(a, "b", "2", ""));
    add(g, 1, differs(a, "c", "1", ""));
    add(g, 1, differs(a, "d", "1", ""));
    add(g, 2, differs(a, "d", "1", ""));
    fleet_groups_finish(g);
    for (size_t i = 0; i < 4; i++) {
        assert_str(fleet.findings.items[i].object, str_c(wanted[i]));
        assert_int_equal(fleet.findings.items[i].alike, alike[i]);
    }
}

TEST(sites_are_apart_by_what_they_have_and_by_what_they_lack)
{
    AUTO_ARENA a = arena_new();
    struct fleet fleet = make_fleet(a, 6);
    struct fleet_groups *g = fleet_groups_new(a, &fleet);

    /* 5 failed; 0 to 2 have the common one, 3 lacks it, 4 lacks it and has one of its own. */
    fleet.sites.items[5].error = STR("broken");
    fleet.sites.items[1].verdict.complete = false;
    for (size_t i = 0; i < 3; i++)
        add(g, i, differs(a, "o", "1", ""));
    add(g, 4, missing("m.yaml"));
    fleet_groups_finish(g);
    assert_int_equal(fleet.compared, 5);
    assert_int_equal(fleet.failed, 1);
    assert_int_equal(fleet.states[VERDICT_INCOMPLETE], 1);
    assert_int_equal(fleet.drifting, 4);
    assert_int_equal(fleet.sites.items[0].apart, 0);
    assert_int_equal(fleet.sites.items[3].apart, 1);
    assert_int_equal(fleet.sites.items[4].apart, 2);
    assert_int_equal(fleet.profiles.len, 3);
    assert_int_equal(fleet.profiles.items[0].sites.items[0], 4);
    assert_int_equal(fleet.profiles.items[1].sites.items[0], 3);
    assert_int_equal(fleet.profiles.items[2].sites.len, 3);
}

TEST(one_site_and_no_finding_are_no_special_cases)
{
    AUTO_ARENA a = arena_new();
    struct fleet fleet = make_fleet(a, 1), none = make_fleet(a, 0);
    struct fleet_groups *g = fleet_groups_new(a, &fleet);

    add(g, 0, differs(a, "o", "1", ""));
    fleet_groups_finish(g);
    assert_true(fleet.findings.items[0].common);
    assert_int_equal(fleet.sites.items[0].apart, 0);
    fleet_groups_finish(fleet_groups_new(a, &none));
    assert_int_equal(none.profiles.len, 0);
}

/* ---- Names. ---- */

static const struct {
    str name, stem;
    bool archive;
} names[] = {
    {STR_INIT("site.tar"), STR_INIT("site"), true},
    {STR_INIT("site.tar.gz"), STR_INIT("site"), true},
    {STR_INIT("site.tgz"), STR_INIT("site"), true},
    {STR_INIT("site.tar.zst"), STR_INIT("site"), true},
    {STR_INIT("site.tar.xz"), STR_INIT("site"), true},
    {STR_INIT("site.zip"), STR_INIT("site"), true},
    {STR_INIT("site.yaml.gz"), STR_INIT("site"), true},
    {STR_INIT("v4.16.tar.gz"), STR_INIT("v4.16"), true},
    {STR_INIT("notes.gz"), STR_INIT("notes.gz"), false},
    {STR_INIT("site.yaml"), STR_INIT("site.yaml"), false},
    {STR_INIT("site"), STR_INIT("site"), false},
};

TEST(an_archive_is_known_by_its_name)
{
    for (size_t i = 0; i < COUNT(names); i++) {
        str stem;
        assert_int_equal(pack_is_named(names[i].name, &stem), names[i].archive);
        assert_str(stem, names[i].stem);
    }
}

RUN_TESTS(cmocka_unit_test(findings_are_the_same_by_object_template_and_fields),
          cmocka_unit_test(without_fields_the_lines_that_differ_decide),
          cmocka_unit_test(absent_values_and_kinds_of_values_differ),
          cmocka_unit_test(rare_findings_come_first_and_unmatched_objects_last),
          cmocka_unit_test(what_is_alike_but_for_the_object_stands_together),
          cmocka_unit_test(sites_are_apart_by_what_they_have_and_by_what_they_lack),
          cmocka_unit_test(one_site_and_no_finding_are_no_special_cases),
          cmocka_unit_test(an_archive_is_known_by_its_name))
