/* SPDX-License-Identifier: Apache-2.0 */
/* test_path.c - paths and patterns as in Go. */
#include "../test.h"

#include "go/path.h"

static const struct {
    str pattern, name;
    enum go_match want;
} cases[] = {
    {STR_INIT("abc"), STR_INIT("abc"), GO_MATCH_YES},
    {STR_INIT("*"), STR_INIT("abc"), GO_MATCH_YES},
    {STR_INIT("*"), STR_INIT(""), GO_MATCH_YES},
    {STR_INIT("*c"), STR_INIT("abc"), GO_MATCH_YES},
    {STR_INIT("a*"), STR_INIT("a"), GO_MATCH_YES},
    {STR_INIT("a*"), STR_INIT("ab/c"), GO_MATCH_NO},
    {STR_INIT("a*/b"), STR_INIT("abc/b"), GO_MATCH_YES},
    {STR_INIT("a*b*c*d*e*/f"), STR_INIT("axbxcxdxe/f"), GO_MATCH_YES},
    {STR_INIT("a*b*c*d*e*/f"), STR_INIT("axbxcxdxexxx/fff"), GO_MATCH_NO},
    {STR_INIT("ab[c]"), STR_INIT("abc"), GO_MATCH_YES},
    {STR_INIT("ab[b-d]"), STR_INIT("abc"), GO_MATCH_YES},
    {STR_INIT("ab[^b-d]"), STR_INIT("abc"), GO_MATCH_NO},
    {STR_INIT("a\\*b"), STR_INIT("a*b"), GO_MATCH_YES},
    {STR_INIT("a\\*b"), STR_INIT("ab"), GO_MATCH_NO},
    {STR_INIT("a?b"), STR_INIT("a\u263ab"), GO_MATCH_YES},
    {STR_INIT("a[^a]b"), STR_INIT("a\u263ab"), GO_MATCH_YES},
    {STR_INIT("a???b"), STR_INIT("a\u263ab"), GO_MATCH_NO},
    {STR_INIT("[a-\u03b6]*"), STR_INIT("\u03b1"), GO_MATCH_YES},
    {STR_INIT("a?b"), STR_INIT("a/b"), GO_MATCH_NO},
    {STR_INIT("[\\-x]"), STR_INIT("-"), GO_MATCH_YES},
    {STR_INIT("[-x]"), STR_INIT("-"), GO_MATCH_BAD},
    {STR_INIT("[]a]"), STR_INIT("]"), GO_MATCH_BAD},
    {STR_INIT("[x-]"), STR_INIT("x"), GO_MATCH_BAD},
    {STR_INIT("[a-b-c]"), STR_INIT("a"), GO_MATCH_BAD},
    {STR_INIT("["), STR_INIT("a"), GO_MATCH_BAD},
    {STR_INIT("a["), STR_INIT("a"), GO_MATCH_BAD},
    {STR_INIT("a\\"), STR_INIT("a"), GO_MATCH_BAD},
    {STR_INIT("[^"), STR_INIT("a"), GO_MATCH_BAD},
    {STR_INIT("*x"), STR_INIT("xxx"), GO_MATCH_YES},
};

TEST(patterns_match_as_in_go)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        enum go_match got = go_path_match(cases[i].pattern, cases[i].name);
        if (got != cases[i].want)
            print_error("%s on %s\n", cases[i].pattern.ptr, cases[i].name.ptr);
        assert_int_equal(got, cases[i].want);
    }
}

static const struct {
    const char *path, *base, *dir, *ext;
} parts[] = {
    {"", ".", ".", ""},
    {"/", "/", "/", ""},
    {"///", "/", "/", ""},
    {"a.b", "a.b", ".", ".b"},
    {"/a/b.c/", "b.c", "/a/b.c", ""},
    {"a//b.tar.gz", "b.tar.gz", "a", ".gz"},
    {"a.d/b", "b", "a.d", ""},
    {"..", "..", ".", "."},
};

TEST(parts_of_paths_are_those_of_go)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(parts); i++) {
        str path = str_c(parts[i].path);
        assert_str(go_path_base(path), str_c(parts[i].base));
        assert_str(go_path_dir(a, path), str_c(parts[i].dir));
        assert_str(go_path_ext(path), str_c(parts[i].ext));
    }
}

RUN_TESTS(cmocka_unit_test(patterns_match_as_in_go),
          cmocka_unit_test(parts_of_paths_are_those_of_go))
