/* SPDX-License-Identifier: Apache-2.0 */
/* Versions and constraints: the original's results. */
#include "../test.h"

#include "tmpl/semver.h"

static const struct {
    const char *text, *want; /* as it prints, or the error */
} versions[] = {
    {"1.2.3", "1.2.3"},
    {"v1.2", "1.2.0"},
    {"01", "1.0.0"},
    {"1-beta", "1.0.0-beta"},
    {"1.2+5", "1.2.0+5"},
    {"1.2.3-rc.1+b-5.x", "1.2.3-rc.1+b-5.x"},
    {"1.2.3--", "1.2.3--"},
    {"18446744073709551615.0.0", "18446744073709551615.0.0"},
    {"18446744073709551616.0.0", "Error parsing version segment: strconv.ParseUint: parsing "
                                 "\"18446744073709551616\": value out of range"},
    {"1.2.3-01", "Version segment starts with 0"},
    {"", "Invalid Semantic Version"},
    {"V1.2.3", "Invalid Semantic Version"},
    {"1.2.3.4", "Invalid Semantic Version"},
    {"1.2.3-", "Invalid Semantic Version"},
    {"1.2.3-a..b", "Invalid Semantic Version"},
    {"1.2.3-a.", "Invalid Semantic Version"},
    {"1..2", "Invalid Semantic Version"},
    {"1.2.3 ", "Invalid Semantic Version"},
};

TEST(versions_are_read_leniently)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(versions); i++) {
        struct buf b = buf_new(a, KIB);
        struct semver v;
        AUTO_ERR e = {0};
        if (semver_parse(str_c(versions[i].text), &v, &e))
            semver_format(&b, &v);
        else
            buf_add(&b, e.text);
        assert_str(buf_str(&b), str_c(versions[i].want));
    }
}

TEST(versions_are_ordered)
{
    static const char *const ordered[] = {"0.9.9",
                                          "1.0.0-1",
                                          "1.0.0-2",
                                          "1.0.0-10",
                                          "1.0.0-A",
                                          "1.0.0-a-b",
                                          "1.0.0-alpha",
                                          "1.0.0-alpha.1",
                                          "1.0.0-alpha.beta",
                                          "1.0.0-beta",
                                          "1.0.0-beta.2",
                                          "1.0.0-beta.11",
                                          "1.0.0",
                                          "1.0.1",
                                          "1.1.0",
                                          "2"};

    for (size_t i = 0; i < COUNT(ordered); i++) {
        for (size_t j = 0; j < COUNT(ordered); j++) {
            struct semver x, y;
            assert_true(semver_parse(str_c(ordered[i]), &x, NULL));
            assert_true(semver_parse(str_c(ordered[j]), &y, NULL));
            assert_int_equal(semver_compare(&x, &y), (i > j) - (i < j));
        }
    }
}

static const struct {
    const char *constraint, *version;
    bool want;
} checks[] = {
    {"1.2.3", "1.2.3+meta", true},
    {"=1.2", "1.2.9", true},
    {"!=1.x", "1.2.4", false},
    {"!=1.2", "1.3.0", true},
    {"!=1.2-a", "1.2.0-b", true},
    {">1", "1.9.0", false},
    {">1.2", "1.3.0", true},
    {">=1.2.3", "1.2.4-rc.1", false},
    {">=1.2.3-0", "1.2.4-rc.1", true},
    {"<=1.2", "1.2.9", true},
    {"=<1", "2.0.0", false},
    {"^0.2.3", "0.2.9", true},
    {"^0.0.3", "0.0.4", false},
    {"^0.0", "0.0.4", true},
    {"^0", "0.9.0", true},
    {"~1.2.3", "1.3.0", false},
    {"~>1", "1.9.0", true},
    {"~0.0.0", "5.0.0", true},
    {"*", "1.2.3-beta", false},
    {"1.2 - 1.4.5", "1.4.5", true},
    {"1.2.3 - 2", "2.9.9", true},
    {">=1.2.3, <1.2.5 || ^3", "3.1.4", true},
    {">= 1.2\t<2", "1.5.0", true},
    {"1.2-1.4", "1.2.3", true},
};

TEST(constraints_are_checked)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(checks); i++) {
        const struct semver_constraint *c;
        struct semver v;
        AUTO_ERR e = {0};
        assert_ok(semver_constraint_parse(a, str_c(checks[i].constraint), &c, &e), &e);
        assert_ok(semver_parse(str_c(checks[i].version), &v, &e), &e);
        if (semver_satisfies(&v, c) != checks[i].want)
            fail_msg("%s against %s", checks[i].version, checks[i].constraint);
    }
}

static const struct {
    const char *constraint, *want;
} improper[] = {
    {"", "improper constraint: "},
    {" ", "improper constraint:  "},
    {"1.2.3 ||", "improper constraint: "},
    {">=1 && <2", "improper constraint: >=1 && <2"},
    {"1.2.3,", "improper constraint: 1.2.3,"},
    {"1,,2", "improper constraint: 1,,2"},
    {"x1.2.3.4 - 5", "improper constraint: x1.>= 2.3.4, <= 5"},
    {"1.2.3 -", "improper constraint: 1.2.3 -"},
    {"99999999999999999999", "constraint Parser Error"},
    {"1xx", "constraint Parser Error"},
    {"1.2.3|4", "constraint Parser Error"},
    {">= 1.2.3-01", "constraint Parser Error"},
};

TEST(improper_constraints_are_quoted)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(improper); i++) {
        const struct semver_constraint *c;
        AUTO_ERR e = {0};
        assert_false(semver_constraint_parse(a, str_c(improper[i].constraint), &c, &e));
        assert_str(e.text, str_c(improper[i].want));
    }
}

TEST(endless_constraints_are_refused)
{
    AUTO_ARENA a = arena_new();
    char *text = arena_alloc_text(a, 5000);
    const struct semver_constraint *c;
    AUTO_ERR e = {0};

    memset(text, '1', 5000);
    assert_false(semver_constraint_parse(a, str_of(text, 5000), &c, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
}

RUN_TESTS(cmocka_unit_test(versions_are_read_leniently), cmocka_unit_test(versions_are_ordered),
          cmocka_unit_test(constraints_are_checked),
          cmocka_unit_test(improper_constraints_are_quoted),
          cmocka_unit_test(endless_constraints_are_refused))
