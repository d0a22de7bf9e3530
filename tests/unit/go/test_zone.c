/* SPDX-License-Identifier: Apache-2.0 */
/* Time zones: names, files, rules, and invalid files. */
#include "../test.h"

#include "go/zone_internal.h"

static const char *const refused[] = {"Nope/Zone", "/etc/localtime", "../etc/passwd", "a/../UTC",
                                      "\\x",       "America",        "utc",           "zone.tab"};

TEST(names_outside_the_database_are_refused)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(refused); i++) {
        const struct zone *z;
        AUTO_ERR e = {0};
        assert_false(zone_find(a, str_c(refused[i]), &z, &e));
        assert_true(e.text.len > 0);
    }
}

TEST(a_zone_is_read_once)
{
    AUTO_ARENA a = arena_new();
    const struct zone *x, *y;

    assert_true(zone_find(a, STR("Europe/Berlin"), &x, NULL));
    assert_true(zone_find(a, STR("Europe/Berlin"), &y, NULL));
    assert_ptr_equal(x, y);
    assert_str(zone_name(x), STR("Europe/Berlin"));
    assert_true(zone_find(a, STR("UTC"), &x, NULL) && !x);
    assert_true(zone_find(a, STR(""), &x, NULL) && !x);
    assert_str(zone_name(NULL), STR("UTC"));
}

TEST(the_local_zone_is_that_of_the_environment)
{
    AUTO_ARENA a = arena_new();

    setenv("TZ", "Asia/Tokyo", 1);
    assert_str(zone_name(zone_local(a)), STR("Asia/Tokyo"));
    setenv("TZ", ":Asia/Tokyo", 1);
    assert_str(zone_name(zone_local(a)), STR("Asia/Tokyo"));
    setenv("TZ", "/usr/share/zoneinfo/CET", 1);
    assert_str(zone_name(zone_local(a)), STR("/usr/share/zoneinfo/CET"));
    setenv("TZ", "Nope", 1);
    assert_null(zone_local(a));
    setenv("TZ", "", 1);
    assert_null(zone_local(a));
    unsetenv("TZ");
    zone_local(a);
}

TEST(an_abbreviation_is_looked_up_for_its_time)
{
    AUTO_ARENA a = arena_new();
    const struct zone *z;
    int32_t offset = 1;

    assert_true(zone_find(a, STR("America/New_York"), &z, NULL));
    assert_true(zone_offset_named(z, STR("EDT"), 1720000000, &offset) && offset == -4 * 3600);
    assert_true(zone_offset_named(z, STR("EST"), 1720000000, &offset) && offset == -5 * 3600);
    assert_false(zone_offset_named(z, STR("CET"), 0, &offset));
    assert_false(zone_offset_named(NULL, STR("UTC"), 0, &offset));
}

static const struct {
    const char *rule;
    int64_t sec;
    const char *name; /* NULL: the rule is wrong */
    int32_t offset;
} rules[] = {
    {"CET-1CEST,M3.5.0,M10.5.0/3", 1711846799, "CET", 3600},
    {"CET-1CEST,M3.5.0,M10.5.0/3", 1711846800, "CEST", 7200},
    {"CET-1CEST,M3.5.0,M10.5.0/3", 1729990800, "CET", 3600},
    {"EST5EDT", 1720000000, "EDT", -14400},
    {"<-03>3", 1720000000, "-03", -10800},
    {"<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 1704067200, "+11", 39600},
    {"<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 1720000000, "+1030", 37800},
    {"IST-1GMT0,M10.5.0,M3.5.0/1", 1704067200, "GMT", 0},
    {"AAA1BBB,J60,J300", 1709164800, "AAA", -3600}, /* February 29: J60 is March 1 */
    {"AAA1BBB,59,300/-1", 1709182800, "BBB", 0},    /* day 59 from 0 is February 29 */
    {"AAA1BBB2:30:15,0/0,365", 1709164800, "BBB", -9015},
    {"", 0, NULL, 0},
    {"AB1", 0, NULL, 0},
    {"ABC", 0, NULL, 0},
    {"ABC200", 0, NULL, 0},
    {"ABC1DEF,M13.1.0,M4.1.0", 0, NULL, 0},
    {"ABC1DEF,M3.1.0", 0, NULL, 0},
    {"ABC1DEF,M3.1.0,M4.1.0x", 0, NULL, 0},
    {"<ABC", 0, NULL, 0},
};

TEST(rules_tell_the_time_of_any_year)
{
    for (size_t i = 0; i < COUNT(rules); i++) {
        struct zone_rule r;
        bool ok = zone_rule_parse(str_c(rules[i].rule), &r);
        struct zone_span span;
        assert_true(ok == (rules[i].name != NULL));
        if (!ok)
            continue;
        span = zone_rule_at(&r, INT64_MIN, rules[i].sec);
        assert_str(span.name, str_c(rules[i].name));
        assert_int_equal(span.offset, rules[i].offset);
        assert_true(span.start <= rules[i].sec && rules[i].sec < span.end);
    }
}

/* A file of version 1: one change at 1000, from AB at 0 to CD at 3600. */
static const char small_file[] = "TZif\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                                 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\2\0\0\0\6"
                                 "\0\0\3\350\1"
                                 "\0\0\0\0\0\0\0\0\16\20\1\3"
                                 "AB\0CD";

TEST(a_file_of_the_first_version_is_read)
{
    AUTO_ARENA a = arena_new();
    const struct zone *z;
    AUTO_ERR e = {0};

    assert_ok(zone_read(a, STR("x"), str_of(small_file, sizeof(small_file)), &z, &e), &e);
    assert_str(zone_at(z, 999).name, STR("AB"));
    assert_true(zone_at(z, 1000).offset == 3600 && zone_at(z, 1000).is_dst);
}

TEST(a_cut_file_is_refused_wherever_it_is_cut)
{
    AUTO_ARENA a = arena_new();

    for (size_t n = 0; n < sizeof(small_file); n++) {
        const struct zone *z;
        AUTO_ERR e = {0};
        assert_false(zone_read(a, STR("x"), str_copy(a, str_of(small_file, n)), &z, &e));
        assert_str(e.text, STR("malformed time zone information"));
    }
}

TEST(fixed_zones_are_equal_by_name_and_offset)
{
    AUTO_ARENA a = arena_new();
    const struct zone *x = zone_fixed(a, STR(""), 3600);

    assert_true(zone_equal(x, zone_fixed(a, STR(""), 3600)));
    assert_false(zone_equal(x, zone_fixed(a, STR("X"), 3600)));
    assert_false(zone_equal(x, zone_fixed(a, STR(""), 3601)));
    assert_false(zone_equal(x, NULL));
    assert_true(zone_is_hours(x));
    assert_false(zone_is_hours(zone_fixed(a, STR("X"), 3600)));
    assert_false(zone_is_hours(zone_fixed(a, STR(""), 15 * 3600)));
    assert_false(zone_is_hours(NULL));
}

RUN_TESTS(cmocka_unit_test(names_outside_the_database_are_refused),
          cmocka_unit_test(a_zone_is_read_once),
          cmocka_unit_test(the_local_zone_is_that_of_the_environment),
          cmocka_unit_test(an_abbreviation_is_looked_up_for_its_time),
          cmocka_unit_test(rules_tell_the_time_of_any_year),
          cmocka_unit_test(a_file_of_the_first_version_is_read),
          cmocka_unit_test(a_cut_file_is_refused_wherever_it_is_cut),
          cmocka_unit_test(fixed_zones_are_equal_by_name_and_offset))
