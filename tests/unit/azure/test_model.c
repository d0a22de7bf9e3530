/* SPDX-License-Identifier: Apache-2.0 */
/* test_model.c - model files, good and broken, and finding kinds. */
#include "fixture.h"

#include "azure/model/internal.h"

TEST(kinds_are_found_by_version_and_without)
{
    AUTO_ARENA a = arena_new();
    struct model *m = fixture_model(a);
    const struct model_resource *r, **all;
    struct model_kind *kinds;
    AUTO_ERR e = {0};
    size_t count;

    assert_ok(model_find_hub(m, STR("example.azure.com"), STR("Widget"), &r, &e), &e);
    assert_str(r->version, STR("v20250101"));
    assert_str(r->api_version, STR("2025-01-01"));
    assert_ok(model_versions(m, a, STR("example.azure.com"), STR("Widget"), &all, &count, &e), &e);
    assert_int_equal(count, 2);
    assert_str(all[0]->version, STR("v20240101"));
    assert_ok(model_all(m, a, &all, &count, &e), &e);
    assert_int_equal(count, 5);
    assert_int_equal(model_file_count(m), 3);
    assert_ok(model_kinds(m, a, &kinds, &count, &e), &e);
    assert_int_equal(count, 4);
    assert_true(model_has_kind(m, STR("example.azure.com"), STR("Widget")));
    assert_false(model_has_kind(m, STR("example.azure.com"), STR("Widgte")));
    model_close(m);
}

static const struct {
    const char *group, *version, *kind, *why;
} unknown[] = {
    {"none.azure.com", "v1", "Widget", "unknown group \"none.azure.com\""},
    {"example.azure.com", "v20240101", "Widgte", "did you mean Widget?"},
    {"example.azure.com", "v20230101", "Widget",
     "has no version \"v20230101\", but v20240101, v20250101"},
    {"example.azure.com", "v20240101", "Quite", "has no kind \"Quite\""},
};

TEST(what_is_not_there_is_told_with_what_is)
{
    AUTO_ARENA a = arena_new();
    struct model *m = fixture_model(a);

    for (size_t i = 0; i < COUNT(unknown); i++) {
        const struct model_resource *r;
        AUTO_ERR e = {0};
        assert_false(model_find(m, str_c(unknown[i].group), str_c(unknown[i].version),
                                str_c(unknown[i].kind), &r, &e));
        assert_int_equal(e.kind, ERR_NOT_FOUND);
        if (!str_contains(e.text, str_c(unknown[i].why)))
            assert_str(e.text, str_c(unknown[i].why));
    }
    model_close(m);
}

TEST(versions_have_an_order)
{
    static const char *const sorted[] = {
        "v1",        "v1api20230101preview", "v20230101preview", "v1api20230101",
        "v20230101", "v1api20240101"};

    for (size_t i = 1; i < COUNT(sorted); i++) {
        assert_true(model_version_compare(str_c(sorted[i - 1]), str_c(sorted[i])) < 0);
        assert_true(model_version_compare(str_c(sorted[i]), str_c(sorted[i - 1])) > 0);
    }
}

/* ---- Broken files. ---- */

#define HEAD "{'group':'g.azure.com','version':'v1',"
#define RESOURCE(facts)                                                                            \
    HEAD "'types':{'T':{'props':{}}},'resources':{'K':{'spec':'T','status':'T'" facts "}}}"
#define TYPE(props) HEAD "'resources':{},'types':{'T':{'props':{" props "}}}}"

static const struct {
    const char *text, *why;
} broken[] = {
    {"[]", "the file is about group \"\""},
    {"{", "unexpected end of JSON input"},
    {"{'group':'h.azure.com','version':'v1'}", "the file is about group \"h.azure.com\""},
    {HEAD "'resources':{}}", "has an object \"types\""},
    {HEAD "'types':{}}", "has an object \"resources\""},
    {HEAD "'types':{'T':{}},'resources':{}}", "a type is an object with \"props\""},
    {TYPE("'p':{}"), "type T, property p: a property is an object with a type"},
    {TYPE("'p':{'t':'@None'}"), "there is no type for \"@None\""},
    {TYPE("'p':{'t':'[]%None'}"), "there is no enum for \"%None\""},
    {TYPE("'p':{'t':'~None'}"), "there is no scalar for \"~None\""},
    {TYPE("'p':{'t':'#None'}"), "unknown builtin type \"#None\""},
    {TYPE("'p':{'t':'text'}"), "invalid type \"text\""},
    {TYPE("'p':{'t':''}"), "invalid type \"\""},
    {TYPE("'p':{'t':'string','role':'king'}"), "unknown role \"king\""},
    {TYPE("'p':{'t':'string','a':'a//b'}"), "is not a path of 1 to 4 steps"},
    {TYPE("'p':{'t':'string','a':'a/b/c/d/e'}"), "is not a path of 1 to 4 steps"},
    {HEAD "'types':{},'resources':{'K':{'spec':'T'}}}", "kind K: there is no type \"T\""},
    {RESOURCE(",'scope':'moon'"), "unknown scope \"moon\""},
    {RESOURCE(",'scope':'tenant'"), "needs \"armType\" and \"armApiVersion\""},
    {RESOURCE(",'owner':{'ref':'None'}"), "unknown form of owner \"None\""},
};

TEST(a_broken_file_is_refused_with_the_place)
{
    for (size_t i = 0; i < COUNT(broken); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        char *text = str_z(a, str_c(broken[i].text));
        for (char *p = text; *p; p++)
            *p = *p == '\'' ? '"' : *p;
        struct source src = {.file = STR("m.json"), .text = str_c(text)};
        struct model_file f = {.group = STR("g"), .version = STR("v1")};
        assert_false(model_file_read(a, &f, &src, &e));
        if (!str_contains(e.text, str_c(broken[i].why)))
            assert_str(e.text, str_c(broken[i].why));
        assert_str(e.at.file, STR("m.json"));
        assert_int_equal(e.at.line, 1);
    }
}

TEST(a_folder_without_models_is_refused)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct model *m;

    assert_false(model_open(a, STR("src/base"), &m, &e));
    assert_true(str_contains(e.text, STR("has no model files")));
    assert_false(model_open(a, STR("no/such/folder"), &m, &e));
}

/* ---- The model in the program. ---- */

/* Every type leads somewhere on both sides, and every definition can be made. */
TEST(the_model_in_the_program_is_whole)
{
    AUTO_ARENA a = arena_new();
    struct model *m;
    const struct model_resource **all;
    AUTO_ERR e = {0};
    size_t count;

    assert_ok(model_open(a, STR_NONE, &m, &e), &e);
    assert_ok(model_all(m, a, &all, &count, &e), &e);
    assert_true(count > 700);
    for (size_t i = 0; i < count; i++) {
        const struct model_resource *r = all[i], *owner;
        assert_true(r->spec->prop_count > 0);
        assert_true(r->plural.len > 0);
        if (r->owner_kind.len)
            assert_ok(model_find_hub(m, r->owner_group, r->owner_kind, &owner, &e), &e);
        if (r->scope == SCOPE_RESOURCE_GROUP)
            assert_true(r->has_owner && (r->has_name || r->fixed_name.len));
    }
    model_close(m);
}

/* The largest files there are, each read for one kind. */
TEST(ten_kinds_need_little_memory)
{
    static const char *const kinds[][2] = {
        {"apimanagement.azure.com", "Service"},
        {"app.azure.com", "ContainerApp"},
        {"cdn.azure.com", "Profile"},
        {"compute.azure.com", "VirtualMachine"},
        {"containerservice.azure.com", "ManagedCluster"},
        {"insights.azure.com", "AutoscaleSetting"},
        {"machinelearningservices.azure.com", "Workspace"},
        {"network.azure.com", "LoadBalancer"},
        {"storage.azure.com", "StorageAccount"},
        {"web.azure.com", "Site"},
    };
    AUTO_ARENA a = arena_new();
    const struct model_resource *r;
    struct model *m = NULL;
    AUTO_ERR e = {0};

    assert_ok(model_open(a, STR_NONE, &m, &e), &e);
    for (size_t i = 0; i < COUNT(kinds) && model_file_count(m); i++)
        assert_ok(model_find_hub(m, str_c(kinds[i][0]), str_c(kinds[i][1]), &r, &e), &e);
    assert_in_range(model_held(m), 0, 8 * MIB);
    assert_true(model_read_count(m) <= COUNT(kinds));
    print_message("ten kinds: %zu KiB\n", model_held(m) / KIB);
    model_close(m);
}

/* The names in the program are those of the files, and none of these is read for them. */
TEST(kinds_are_known_by_name_without_their_files)
{
    AUTO_ARENA a = arena_new();
    const struct model_resource **all;
    struct model_kind *kinds;
    struct model *m = NULL, *again = NULL;
    size_t count = 0, names = 0, k = 0;
    AUTO_ERR e = {0};

    assert_ok(model_open(a, STR_NONE, &m, &e), &e);
    assert_ok(model_kinds(m, a, &kinds, &names, &e), &e);
    for (size_t i = 0; i < names; i++)
        assert_true(model_has_kind(m, kinds[i].group, kinds[i].kind));
    assert_false(model_has_kind(m, STR("network.azure.com"), STR("RouteTabl")));
    assert_false(model_has_kind(m, STR("network"), STR("RouteTable")));
    assert_int_equal(model_read_count(m), 0);
    assert_ok(model_all(m, a, &all, &count, &e), &e);
    for (size_t i = 0; i < count; i++) {
        if (!str_eq(all[i]->group, kinds[k].group) || !str_eq(all[i]->kind, kinds[k].kind))
            k++;
        assert_str(all[i]->group, kinds[k].group);
        assert_str(all[i]->kind, kinds[k].kind);
    }
    assert_int_equal(k + 1, names);
    assert_ok(model_open_again(a, m, &again, &e), &e);
    assert_int_equal(model_read_count(again), 0);
    model_close(again);
    model_close(m);
}

/* The index in the program says the same as the files: which version stores a kind, and which have
 * it. */
TEST(only_files_of_kinds_in_use_are_read)
{
    AUTO_ARENA a = arena_new();
    const struct model_resource **all, *r;
    struct model *every = NULL, *m = NULL;
    size_t count = 0;
    AUTO_ERR e = {0};

    assert_ok(model_open(a, STR_NONE, &every, &e), &e);
    assert_ok(model_all(every, a, &all, &count, &e), &e);
    for (size_t i = 0; i < count; i++) {
        assert_ok(model_open(a, STR_NONE, &m, &e), &e);
        assert_int_equal(model_read_count(m), 0);
        assert_ok(model_find(m, all[i]->group, all[i]->version, all[i]->kind, &r, &e), &e);
        assert_int_equal(r->hub, all[i]->hub);
        if (r->hub) {
            assert_ok(model_find_hub(m, r->group, r->kind, &r, &e), &e);
            assert_str(r->version, all[i]->version);
            assert_int_equal(model_read_count(m), 1);
        }
        model_close(m);
    }
    model_close(every);
}

RUN_TESTS(cmocka_unit_test(kinds_are_found_by_version_and_without),
          cmocka_unit_test(what_is_not_there_is_told_with_what_is),
          cmocka_unit_test(versions_have_an_order),
          cmocka_unit_test(a_broken_file_is_refused_with_the_place),
          cmocka_unit_test(a_folder_without_models_is_refused),
          cmocka_unit_test(the_model_in_the_program_is_whole),
          cmocka_unit_test(kinds_are_known_by_name_without_their_files),
          cmocka_unit_test(only_files_of_kinds_in_use_are_read),
          cmocka_unit_test(ten_kinds_need_little_memory))
