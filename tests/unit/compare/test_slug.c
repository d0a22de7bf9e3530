/* SPDX-License-Identifier: Apache-2.0 */
/* test_slug.c - file names made from object ids. */
#include "../test.h"

#include "compare/pair/difftool_internal.h"

static const struct {
    str id, want;
} cases[] = {
    {STR_INIT("v1_ConfigMap_shop_web"), STR_INIT("v1_configmap_shop_web")},
    {STR_INIT("x.io/v1_Thing_ns.x_A:b@c&d"), STR_INIT("x-io-v1_thing_ns-x_a-batcandd")},
    {STR_INIT("_ConfigMap_q"), STR_INIT("configmap_q")},
    {STR_INIT("  a--b  "), STR_INIT("a-b")},
    {STR_INIT("it's \"x\""), STR_INIT("its-x")},
    {STR_INIT("\u00c5ngstr\u00f6m \u0141\u00f3d\u017a \u00df"), STR_INIT("angstrom-lodz-ss")},
    {STR_INIT("a\u2013b"), STR_INIT("a-b")},
    {STR_INIT("\u03a9\u03bc\u03ad\u03b3\u03b1"), STR_INIT("omega")},
    {STR_INIT("\u041a\u0430\u0437\u0430\u043d\u044c \u042f"), STR_INIT("kazan-ia")},
    {STR_INIT("v1_A_\u6771\u4eac"), STR_INIT("v1_a")},
    {STR_INIT("a\u00bd b"), STR_INIT("a1-2-b")},
    {STR_INIT("\u20ac x"), STR_INIT("eu-x")},
    {STR_INIT(""), STR_INIT("")},
};

TEST(ids_become_plain_file_names)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_str(slug_make(a, cases[i].id), cases[i].want);
}

RUN_TESTS(cmocka_unit_test(ids_become_plain_file_names))
