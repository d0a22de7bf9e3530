/* SPDX-License-Identifier: Apache-2.0 */
/* test_glob.c - shell patterns. */
#include "../test.h"

#include "compare/glob.h"

static const struct {
    str pattern, name;
    enum glob_result want;
} cases[] = {
    {STR_INIT("abc"), STR_INIT("abc"), GLOB_YES},
    {STR_INIT("*"), STR_INIT("abc"), GLOB_YES},
    {STR_INIT("*"), STR_INIT(""), GLOB_YES},
    {STR_INIT("*c"), STR_INIT("abc"), GLOB_YES},
    {STR_INIT("a*"), STR_INIT("a"), GLOB_YES},
    {STR_INIT("a*"), STR_INIT("ab/c"), GLOB_NO},
    {STR_INIT("a*/b"), STR_INIT("abc/b"), GLOB_YES},
    {STR_INIT("a*b*c*d*e*/f"), STR_INIT("axbxcxdxe/f"), GLOB_YES},
    {STR_INIT("a*b*c*d*e*/f"), STR_INIT("axbxcxdxexxx/fff"), GLOB_NO},
    {STR_INIT("ab[c]"), STR_INIT("abc"), GLOB_YES},
    {STR_INIT("ab[b-d]"), STR_INIT("abc"), GLOB_YES},
    {STR_INIT("ab[^b-d]"), STR_INIT("abc"), GLOB_NO},
    {STR_INIT("a\\*b"), STR_INIT("a*b"), GLOB_YES},
    {STR_INIT("a\\*b"), STR_INIT("ab"), GLOB_NO},
    {STR_INIT("a?b"), STR_INIT("a\u263ab"), GLOB_YES},
    {STR_INIT("a[^a]b"), STR_INIT("a\u263ab"), GLOB_YES},
    {STR_INIT("a???b"), STR_INIT("a\u263ab"), GLOB_NO},
    {STR_INIT("[a-\u03b6]*"), STR_INIT("\u03b1"), GLOB_YES},
    {STR_INIT("a?b"), STR_INIT("a/b"), GLOB_NO},
    {STR_INIT("[\\-x]"), STR_INIT("-"), GLOB_YES},
    {STR_INIT("[-x]"), STR_INIT("-"), GLOB_BAD},
    {STR_INIT("[]a]"), STR_INIT("]"), GLOB_BAD},
    {STR_INIT("[x-]"), STR_INIT("x"), GLOB_BAD},
    {STR_INIT("[a-b-c]"), STR_INIT("a"), GLOB_BAD},
    {STR_INIT("["), STR_INIT("a"), GLOB_BAD},
    {STR_INIT("a["), STR_INIT("a"), GLOB_BAD},
    {STR_INIT("a\\"), STR_INIT("a"), GLOB_BAD},
    {STR_INIT("[^"), STR_INIT("a"), GLOB_BAD},
    {STR_INIT("*x"), STR_INIT("xxx"), GLOB_YES},
};

TEST(patterns_match_as_in_go)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        enum glob_result got = glob_match(cases[i].pattern, cases[i].name);
        if (got != cases[i].want)
            print_error("%s on %s\n", cases[i].pattern.ptr, cases[i].name.ptr);
        assert_int_equal(got, cases[i].want);
    }
}

static const struct {
    str folder, want;
} joins[] = {
    {STR_INIT("."), STR_INIT("x")},        {STR_INIT("./a/"), STR_INIT("a/x")},
    {STR_INIT("/"), STR_INIT("/x")},       {STR_INIT("a//b/./c"), STR_INIT("a/b/c/x")},
    {STR_INIT("a/../b"), STR_INIT("b/x")}, {STR_INIT("../a"), STR_INIT("../a/x")},
    {STR_INIT("/.."), STR_INIT("/x")},
};

TEST(folders_are_cleaned_when_joined)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(joins); i++)
        assert_str(glob_join(a, joins[i].folder, STR("x")), joins[i].want);
}

RUN_TESTS(cmocka_unit_test(patterns_match_as_in_go),
          cmocka_unit_test(folders_are_cleaned_when_joined))
