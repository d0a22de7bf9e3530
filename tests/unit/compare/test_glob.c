/* SPDX-License-Identifier: Apache-2.0 */
/* test_glob.c - files by shell patterns. */
#include "../test.h"

#include "compare/input/glob_internal.h"

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

RUN_TESTS(cmocka_unit_test(folders_are_cleaned_when_joined))
