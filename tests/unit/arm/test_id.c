/* SPDX-License-Identifier: Apache-2.0 */
/* test_id.c - reading, building and comparing ARM ids. */
#include "../test.h"

#include "arm/id.h"

#define GROUP "/subscriptions/S/resourceGroups/G"

static const struct {
    const char *id, *type, *name, *parent;
} good[] = {
    {"/subscriptions/S", "Microsoft.Resources/subscriptions", "S", ""},
    {GROUP, "Microsoft.Resources/resourceGroups", "G", "/subscriptions/S"},
    {GROUP "/providers/P.Q/a/x", "P.Q/a", "x", GROUP},
    {GROUP "/providers/P.Q/a/x/b/y", "P.Q/a/b", "y", GROUP "/providers/P.Q/a/x"},
    {"/subscriptions/S/providers/P.Q/a/x", "P.Q/a", "x", "/subscriptions/S"},
    {"/providers/P.Q/a/x", "P.Q/a", "x", ""},
    {GROUP "/providers/P.Q/a/x/providers/R.S/e/z", "R.S/e", "z", GROUP "/providers/P.Q/a/x"},
    {"/SUBSCRIPTIONS/S/resourcegroups/G/Providers/P.Q/a/x", "P.Q/a", "x", GROUP},
};

TEST(ids_of_every_scope_are_read)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(good); i++) {
        struct arm_id id, parent;
        AUTO_ERR e = {0};
        assert_ok(arm_id_parse(a, str_c(good[i].id), &id, &e), &e);
        assert_str(arm_id_type(a, &id), str_c(good[i].type));
        assert_str(arm_id_name(&id), str_c(good[i].name));
        assert_true(arm_id_equal(arm_id_print(a, &id), str_c(good[i].id)));
        bool has = arm_id_parent(a, &id, &parent);
        assert_str(has ? arm_id_print(a, &parent) : STR_NONE, str_c(good[i].parent));
    }
}

static const struct {
    const char *id, *why;
} bad[] = {
    {"", "does not begin with a slash"},
    {"/", "neither a subscription nor a provider"},
    {"subscriptions/S", "does not begin with a slash"},
    {"/subscriptions", "nothing follows \"subscriptions\""},
    {"/subscriptions//resourceGroups/G", "nothing follows \"subscriptions\""},
    {"/subscriptions/S/resourceGroups", "nothing follows \"resourceGroups\""},
    {GROUP "/virtualNetworks/x", "\"providers\" is expected at \"virtualNetworks\""},
    {GROUP "/providers/P.Q", "has no type and name"},
    {GROUP "/providers/P.Q/a", "type \"a\" has no name"},
    {GROUP "/providers/P.Q/a/x/b", "type \"b\" has no name"},
    {GROUP "/providers/P.Q/a//b/y", "type \"a\" has no name"},
    {GROUP "/providers/../../H", "\"..\" in it is not a name"},
    {GROUP "/providers/P.Q/a/.", "\".\" in it is not a name"},
    {"/subscriptions/..", "\"..\" in it is not a name"},
    {GROUP "/providers/P.Q/a/..\\..\\H", "in it is not a name"},
    {GROUP "/providers/P.Q/a/x\ny", "in it is not a name"},
};

TEST(what_is_wrong_is_said)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(bad); i++) {
        struct arm_id id;
        AUTO_ERR e = {0};
        assert_false(arm_id_parse(a, str_c(bad[i].id), &id, &e));
        if (!str_contains(e.text, str_c(bad[i].why)))
            assert_str(e.text, str_c(bad[i].why));
    }
}

TEST(a_long_text_is_refused)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);
    AUTO_ERR e = {0};
    struct arm_id id;

    buf_add(&b, STR("/providers/P"));
    for (size_t i = 0; i < ARM_ID_MAX; i++)
        buf_add(&b, STR("/a/b"));
    assert_false(arm_id_parse(a, buf_str(&b), &id, &e));
    assert_int_equal(e.kind, ERR_LIMIT);
}

TEST(letters_and_a_last_slash_do_not_count)
{
    assert_true(arm_id_equal(STR("/subscriptions/S/"), STR("/SUBSCRIPTIONS/s")));
    assert_false(arm_id_equal(STR("/subscriptions/S"), STR("/subscriptions/T")));
}

TEST(provider_and_types_are_spelled_as_the_type_says)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str names[] = {STR("x"), STR("y")}, out;

    assert_ok(arm_id_of_resource(a, STR(GROUP "/"), STR("p.q/A/B"), names, 2, &out, &e), &e);
    assert_str(out, STR(GROUP "/providers/p.q/A/x/B/y"));
    assert_ok(arm_id_of_resource(a, STR(GROUP "/providers/P.Q/a/x"), STR("p.q/A/B"), names + 1, 1,
                                 &out, &e),
              &e);
    assert_str(out, STR(GROUP "/providers/P.Q/a/x/B/y"));
    assert_ok(arm_id_of_resource(a, STR_NONE, STR("P.Q/a"), names, 1, &out, &e), &e);
    assert_str(out, STR("/providers/P.Q/a/x"));
    assert_str(arm_id_of_extension(a, out, STR("R.S/e"), STR("z")),
               STR("/providers/P.Q/a/x/providers/R.S/e/z"));
    assert_str(arm_id_of_extension(a, STR("/"), STR("R.S/e"), STR("z")), STR("/providers/R.S/e/z"));
}

/* The original looks for the provider as a text anywhere in the id, and is fooled by this. */
TEST(a_group_may_be_called_like_a_provider)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str name = STR("x"), out;

    assert_ok(arm_id_of_resource(a, STR("/subscriptions/S/resourceGroups/p.q"), STR("P.Q/a"), &name,
                                 1, &out, &e),
              &e);
    assert_str(out, STR("/subscriptions/S/resourceGroups/p.q/providers/P.Q/a/x"));
}

TEST(names_and_types_must_agree_in_number)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    str names[] = {STR("x"), STR("y")}, out;

    assert_false(arm_id_of_resource(a, STR(GROUP), STR("P.Q/a"), names, 2, &out, &e));
    assert_false(
        arm_id_of_resource(a, STR(GROUP "/providers/P.Q/a/x"), STR("P.Q/a"), names, 1, &out, &e));
}

TEST(a_wrong_owner_names_both_types)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};

    assert_true(arm_id_check_type(a, STR(GROUP), STR("microsoft.resources/RESOURCEGROUPS"), &e));
    assert_false(arm_id_check_type(a, STR(GROUP "/providers/P.Q/a/x"),
                                   STR("Microsoft.Resources/resourceGroups"), &e));
    assert_true(str_contains(e.text, STR("is the id of a P.Q/a")));
    assert_true(str_contains(e.text, STR("must be a Microsoft.Resources/resourceGroups")));
}

RUN_TESTS(cmocka_unit_test(ids_of_every_scope_are_read), cmocka_unit_test(what_is_wrong_is_said),
          cmocka_unit_test(a_long_text_is_refused),
          cmocka_unit_test(letters_and_a_last_slash_do_not_count),
          cmocka_unit_test(provider_and_types_are_spelled_as_the_type_says),
          cmocka_unit_test(a_group_may_be_called_like_a_provider),
          cmocka_unit_test(names_and_types_must_agree_in_number),
          cmocka_unit_test(a_wrong_owner_names_both_types))
