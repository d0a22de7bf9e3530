/* SPDX-License-Identifier: Apache-2.0 */
/* test_check.c - problems in manifests, and their positions. */
#include "fixture.h"

#include "azure/check.h"

#define OK "'owner':{'name':'rg'},'location':'l'"

/* One finding each: the path and a part of the text; no path: nothing is wrong. */
static const struct {
    const char *spec, *path, *why;
} cases[] = {
    {"{" OK "}", NULL, NULL},
    {"{" OK ",'colour':'Red','rules':[{'name':'aa','priority':100}]}", NULL, NULL},
    {"{" OK ",'tenantIdFromConfig':{'name':'c','key':'k'}}", NULL, NULL},
    {"{" OK ",'filter':{'byName':{'kind':'ByName','names':[]}}}", NULL, NULL},
    {"{'owner':{'name':'rg'}}", "spec.location", "is required"},
    {"{'location':'l'}", "spec.owner", "is required"},
    {"{" OK ",'colur':'Red'}", "spec.colur", "did you mean \"colour\"?"},
    {"{" OK ",'Colour':'Red'}", "spec.Colour", "did you mean \"colour\"?"},
    {"{" OK ",'somethingElse':1}", "spec.somethingElse", "unknown field"},
    {"{" OK ",'colour':'red'}", "spec.colour", "\"red\" is not allowed: Red, Green"},
    {"{" OK ",'colour':1}", "spec.colour", "must be a string, not integer"},
    {"{" OK ",'tags':{'a':1}}", "spec.tags.a", "must be a string, not integer"},
    {"{" OK ",'tags':[]}", "spec.tags", "must be an object, not list"},
    {"{" OK ",'rules':{}}", "spec.rules", "must be a list, not object"},
    {"{" OK ",'rules':['x']}", "spec.rules[0]", "must be an object, not string"},
    {"{" OK ",'rules':[{}]}", "spec.rules[0].name", "is required"},
    {"{" OK ",'rules':[{'name':'a'}]}", "spec.rules[0].name",
     "has 1 characters and needs at least 2"},
    {"{" OK ",'rules':[{'name':'A1'}]}", "spec.rules[0].name", "does not match ^[a-z]+$"},
    {"{" OK ",'rules':[{'name':'aa','priority':99}]}", "spec.rules[0].priority",
     "99 is below the least allowed, 100"},
    {"{" OK ",'rules':[{'name':'aa','priority':100.5}]}", "spec.rules[0].priority",
     "must be an integer, not float"},
    {"{" OK ",'rules':[{'name':'aa','gone':'yes'}]}", "spec.rules[0].gone",
     "must be true or false, not string"},
    {"{" OK ",'filter':{'byName':{'kind':'ByName','names':[]},'bySize':{'kind':'BySize'}}}",
     "spec.filter.bySize", "excludes \"byName\""},
    {"{" OK ",'tenantId':'t','tenantIdFromConfig':{'name':'c','key':'k'}}",
     "spec.tenantIdFromConfig", "excludes \"tenantId\""},
    {"{" OK ",'password':'p'}", "spec.password", "must be an object, not string"},
    {"{" OK ",'password':{'name':'s'}}", "spec.password.key", "is required"},
    {"{" OK ",'password':{'name':'s','key':'k','x':1}}", "spec.password.x", "there are key, name"},
    {"{" OK ",'peerReferences':[{'armId':'nonsense'}]}", "spec.peerReferences[0].armId",
     "is no ARM id"},
    {"{" OK ",'peerReferences':[{'group':'example.azure.com','kind':'None','name':'x'}]}",
     "spec.peerReferences[0]", "has no kind \"None\""},
    {"{" OK ",'peerReferences':[{'armId':'/subscriptions/S','name':'x'}]}",
     "spec.peerReferences[0]", "name and armId exclude each other"},
    {"{'location':'l','owner':{'armId':'/subscriptions/S'}}", "spec.owner.armId",
     "must be a Microsoft.Resources/resourceGroups"},
    {"{'location':'l','owner':{'name':'rg','kind':'Widget'}}", "spec.owner",
     "kind must be ResourceGroup here"},
    {"{'location':'l','owner':{'namespace':'n','name':'x'}}", "spec.owner.namespace",
     "unknown field"},
    {"{" OK ",'azureName':'a/b'}", "spec.azureName", "must not have \"/\""},
    {"{" OK ",'operatorSpec':{'secrets':{'key':{'name':'n'}}}}",
     "spec.operatorSpec.secrets.key.key", "is required"},
};

TEST(every_fault_is_found_and_nothing_else)
{
    AUTO_ARENA keep = arena_new();
    struct model *m = fixture_model(keep);

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        struct findings found = {0};
        struct doc doc = {
            .root = fixture_object(a, "example.azure.com/v20240101", "Widget", "w", cases[i].spec)};
        check_object(a, m, fixture_resource(m, "v20240101", "Widget"), &doc, &found);
        if (found.len != (cases[i].path ? 1 : 0))
            fail_msg("%s: %zu findings", cases[i].spec, found.len);
        if (!cases[i].path)
            continue;
        assert_str(found.items[0].path, str_c(cases[i].path));
        if (!str_contains(found.items[0].text, str_c(cases[i].why)))
            assert_str(found.items[0].text, str_c(cases[i].why));
    }
    model_close(m);
}

TEST(findings_have_an_end)
{
    AUTO_ARENA a = arena_new();
    struct model *m = fixture_model(a);
    struct value *object = fixture_object(a, "example.azure.com/v20240101", "Widget", "w", "{}");
    struct findings found = {0};

    for (size_t i = 0; i < 3 * FINDINGS_MAX; i++)
        value_set_int(a, value_get(object, STR("spec")), str_fmt(a, "x%zu", i), 1);
    check_object(a, m, fixture_resource(m, "v20240101", "Widget"), &(struct doc){.root = object},
                 &found);
    assert_int_equal(found.len, FINDINGS_MAX);
    model_close(m);
}

RUN_TESTS(cmocka_unit_test(every_fault_is_found_and_nothing_else),
          cmocka_unit_test(findings_have_an_end))
