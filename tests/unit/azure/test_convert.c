/* SPDX-License-Identifier: Apache-2.0 */
/* test_convert.c - specs to ARM, ARM to specs and statuses, versions to versions. */
#include "fixture.h"

#define EXAMPLE "example.azure.com/v20240101"
#define NEWER "example.azure.com/v20250101"
#define GROUP_ID "/subscriptions/S/resourceGroups/rg-azure"
#define WIDGET_ID GROUP_ID "/providers/Microsoft.Example/widgets/w"

/* A group called rg in Kubernetes and rg-azure in Azure, a secret and a config map. */
static struct manifests *surroundings(struct arena *a, struct model *m)
{
    struct manifests *all = manifests_new(a, m, STR("S"));
    struct value *secret = fixture_object(a, "v1", "Secret", "s", "{}");
    struct value *config = fixture_object(a, "v1", "ConfigMap", "c", "{}");
    struct value *group = fixture_object(a, "resources.azure.com/v20200601", "ResourceGroup", "rg",
                                         "{'azureName':'rg-azure','location':'x'}");

    value_set(a, secret, STR("data"), fixture_json(a, "{'k':'aGlkZGVu'}"));
    value_set(a, config, STR("data"), fixture_json(a, "{'k':'tenant'}"));
    manifests_add(all, &(struct doc){.root = secret});
    manifests_add(all, &(struct doc){.root = config});
    manifests_add(all, &(struct doc){.root = group});
    return all;
}

static bool send(struct arena *a, const char *api, const char *kind, const char *spec,
                 struct arm_request *out, struct err *e)
{
    struct model *m = fixture_model(a);
    struct manifests *all = surroundings(a, m);
    struct value *object = fixture_object(a, api, kind, "w", spec);
    const struct model_resource *res;

    manifests_add(all, &(struct doc){.root = object});
    bool ok = object_resource(m, object, &res, e) &&
              convert_to_arm(a, manifests_resolver(all), res, object, NULL, out, e);
    if (ok) {
        /* What points into the model must not outlive it. */
        out->id = str_copy(a, out->id);
        out->api_version = str_copy(a, out->api_version);
        out->body = value_copy(a, out->body);
    }
    model_close(m);
    return ok;
}

/* Members that go to the body of a widget in a group, and what the body has then. */
static const struct {
    const char *spec, *body;
} bodies[] = {
    {"", "{'name':'w','location':'l'}"},
    {",'colour':'Red'",
     "{'name':'w','location':'l','properties':{'colour':'Red','labels':{},'rules':null}}"},
    {",'colour':null,'tags':{},'rules':[]", "{'name':'w','location':'l'}"},
    {",'settings':{'a':[],'b':null,'c':{}},'labels':{'x':'y'},'rules':[{'name':'aa'}]",
     "{'name':'w','location':'l','properties':{'settings':{'a':[],'b':null,'c':{}},"
     "'labels':{'x':'y'},'rules':[{'name':'aa'}]}}"},
    {",'rules':[{'name':'aa','priority':100,'targetReference':{'wellKnownName':'Internet'}}]",
     "{'name':'w','location':'l','properties':{'labels':{},'rules':[{'name':'aa',"
     "'properties':{'priority':100,'target':'Internet'}}]}}"},
    {",'password':{'name':'s','key':'k'},'tenantIdFromConfig':{'name':'c','key':'k'}",
     "{'name':'w','location':'l','properties':{'password':'hidden','tenantId':'tenant',"
     "'labels':{},'rules':null}}"},
    {",'filter':{'byName':{'kind':'ByName','names':['a']}}",
     "{'name':'w','location':'l','properties':{'filter':{'kind':'ByName','names':['a']},"
     "'labels':{},'rules':null}}"},
    {",'filter':{'bySize':{'size':1.5}}",
     "{'name':'w','location':'l','properties':{'filter':{'kind':'BySize','size':1.5},"
     "'labels':{},'rules':null}}"},
    {",'identity':{'type':'UserAssigned','userAssignedIdentities':[{'reference':{'armId':"
     "'/providers/P/t/i'}}]}",
     "{'name':'w','location':'l','identity':{'type':'UserAssigned','userAssignedIdentities':"
     "{'/providers/P/t/i':{}}}}"},
    {",'peerReferences':[{'group':'example.azure.com','kind':'Widget','name':'w'},"
     "{'azure':{'name':'P.Q/t/n'}},{'azure':{'subscription':'T','resourceGroup':'H',"
     "'name':'P.Q/t/n/u/o'}}]",
     "{'name':'w','location':'l','properties':{'labels':{},'rules':null,'peerIds':['" WIDGET_ID
     "','" GROUP_ID "/providers/P.Q/t/n',"
     "'/subscriptions/T/resourceGroups/H/providers/P.Q/t/n/u/o']}}"},
    {",'unknown':1,'operatorSpec':{'secrets':{'key':{'name':'n','key':'k'}}},'Colour':'Green'",
     "{'name':'w','location':'l','properties':{'colour':'Green','labels':{},'rules':null}}"},
};

TEST(each_rule_shapes_the_body)
{
    for (size_t i = 0; i < COUNT(bodies); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct arm_request got;
        str spec = str_fmt(a, "{'owner':{'name':'rg'},'location':'l'%s}", bodies[i].spec);
        assert_ok(send(a, EXAMPLE, "Widget", str_z(a, spec), &got, &e), &e);
        assert_str(got.id, STR(WIDGET_ID));
        assert_str(got.api_version, STR("2024-01-01"));
        assert_json(a, got.body, bodies[i].body);
    }
}

static const struct {
    const char *kind, *spec, *id;
} paths[] = {
    {"Widget", "{'owner':{'name':'rg','group':'resources.azure.com','kind':'ResourceGroup'}}",
     WIDGET_ID},
    {"Widget", "{'owner':{'armId':'/subscriptions/t/RESOURCEgroups/H/'},'azureName':'named'}",
     "/subscriptions/t/RESOURCEgroups/H/providers/Microsoft.Example/widgets/named"},
    {"Part", "{'owner':{'armId':'" GROUP_ID "/providers/Microsoft.Example/widgets/x'}}",
     GROUP_ID "/providers/Microsoft.Example/widgets/x/parts/default"},
    {"Badge", "{'azureName':'b','owner':{'armId':'" GROUP_ID "'}}",
     GROUP_ID "/providers/Microsoft.Example/badges/b"},
    {"Badge",
     "{'azureName':'b','owner':{'group':'resources.azure.com','kind':'ResourceGroup',"
     "'name':'rg'}}",
     GROUP_ID "/providers/Microsoft.Example/badges/b"},
};

TEST(ids_follow_from_owners)
{
    for (size_t i = 0; i < COUNT(paths); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct arm_request got;
        assert_ok(send(a, EXAMPLE, paths[i].kind, paths[i].spec, &got, &e), &e);
        assert_str(got.id, str_c(paths[i].id));
    }
}

TEST(a_child_spells_the_provider_itself)
{
    AUTO_ARENA a = arena_new();
    struct model *m = fixture_model(a);
    struct manifests *all = surroundings(a, m);
    struct value *part = fixture_object(a, EXAMPLE, "Part", "p", "{'owner':{'name':'w'},'size':3}");
    struct value *widget =
        fixture_object(a, NEWER, "Widget", "w", "{'owner':{'name':'rg'},'location':'l'}");
    const struct model_resource *res = fixture_resource(m, "v20240101", "Part");
    AUTO_ERR e = {0};
    str id;

    manifests_add(all, &(struct doc){.root = widget});
    assert_ok(resolve_id(a, manifests_resolver(all), res, part, NULL, &id, &e), &e);
    assert_str(id, STR(GROUP_ID "/providers/microsoft.example/Widgets/w/parts/default"));
    model_close(m);
}

static const struct {
    const char *spec, *why;
} faults[] = {
    {"{'location':'l'}", "spec.owner is missing: name the ResourceGroup"},
    {"{'owner':{'name':'rg'},'azureName':'a/parts/b'}", "cannot be a name in Azure"},
    {"{'owner':{'name':'rg'},'azureName':'..'}", "cannot be a name in Azure"},
    {"{'owner':{}}", "spec.owner: the reference is empty"},
    {"{'owner':{'name':'rg','armId':'/subscriptions/S'}}", "name and armId exclude each other"},
    {"{'owner':{'armId':'/subscriptions/S','azure':{'name':'P/t/n'}}}",
     "armId and azure exclude each other"},
    {"{'owner':{'name':'rg','kind':'Widget'}}", "kind must be ResourceGroup here, not Widget"},
    {"{'owner':{'name':'/subscriptions/S'}}", "put ARM ids in armId"},
    {"{'owner':{'name':'nobody'}}", "there is no ResourceGroup \"nobody\""},
    {"{'owner':{'armId':'" WIDGET_ID "'}}", "the owner must be a Microsoft.Resources"},
    {"{'owner':{'name':'rg'},'peerReferences':[{'name':'x'}]}",
     "spec.peerReferences[0]: a reference by name also needs group and kind"},
    {"{'owner':{'name':'rg'},'peerReferences':[{'azure':{'name':'x'}}]}",
     "azure.name must be Provider/type/name"},
    {"{'owner':{'name':'rg'},'peerReferences':[{'wellKnownName':'x'}]}",
     "wellKnownName is not possible here"},
    {"{'owner':{'name':'rg'},'password':{'name':'s','key':'other'}}",
     "spec.password: Secret \"s\" has no key \"other\""},
    {"{'owner':{'name':'rg'},'password':{'name':'s'}}", "spec.password: needs a name and a key"},
    {"{'owner':{'name':'rg'},'rules':{'a':1}}", "spec.rules: must be a list, not object"},
};

TEST(errors_name_the_field)
{
    for (size_t i = 0; i < COUNT(faults); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct arm_request got;
        if (send(a, EXAMPLE, "Widget", faults[i].spec, &got, &e))
            fail_msg("%s went through", faults[i].spec);
        if (!str_contains(e.text, str_c(faults[i].why)))
            assert_str(e.text, str_c(faults[i].why));
    }
}

/* 4.3: the group was claimed with a credential of another subscription. */
TEST(a_group_of_another_subscription_is_no_place)
{
    static const struct {
        const char *id;
        bool files, ok;
    } groups[] = {
        {NULL, false, true},
        {"/subscriptions/s/resourceGroups/rg", false, true},
        {"/subscriptions/T/resourceGroups/rg", false, false},
        {"/subscriptions/T/resourceGroups/rg", true, true},
    };

    for (size_t i = 0; i < COUNT(groups); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct model *m = fixture_model(a);
        struct manifests *all = manifests_new(a, m, STR("S"));
        struct value *group = fixture_object(a, "resources.azure.com/v1api20200601",
                                             "ResourceGroup", "rg", "{'location':'l'}");
        struct value *widget =
            fixture_object(a, EXAMPLE, "Widget", "w", "{'owner':{'name':'rg'},'location':'l'}");
        str id;

        if (groups[i].id)
            object_set_annotation(a, group, STR(ANNOTATION_RESOURCE_ID), str_c(groups[i].id));
        manifests_add(all, &(struct doc){.root = group});
        struct resolver r = *manifests_resolver(all);
        r.compute = groups[i].files;
        bool ok =
            resolve_id(a, &r, fixture_resource(m, "v20240101", "Widget"), widget, NULL, &id, &e);
        assert_int_equal(ok, groups[i].ok);
        if (!ok)
            assert_true(e.kind == ERR_INVALID && str_contains(e.text, STR("subscription T")));
        model_close(m);
    }
}

TEST(owners_in_a_circle_are_found)
{
    AUTO_ARENA a = arena_new();
    struct model *m = fixture_model(a);
    struct manifests *all = manifests_new(a, m, STR("S"));
    struct value *badge =
        fixture_object(a, EXAMPLE, "Badge", "b",
                       "{'azureName':'b','owner':{'group':'example.azure.com','kind':'Badge',"
                       "'name':'b'}}");
    AUTO_ERR e = {0};
    str id;

    manifests_add(all, &(struct doc){.root = badge});
    assert_false(resolve_id(a, manifests_resolver(all), fixture_resource(m, "v20240101", "Badge"),
                            badge, NULL, &id, &e));
    assert_true(str_contains(e.text, STR("circle")));
    model_close(m);
}

/* The names of the recordings of the original, and what its rule gives. */
TEST(generated_names_are_uuids)
{
    AUTO_ARENA a = arena_new();

    assert_str(
        uuid_of_text(a, STR("/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/"
                            "myrg:RoleAssignment/authorization.azure.com:default/myra")),
        STR("123d2e78-44c8-5b4d-a4a9-e1d867839b5d"));
    assert_str(
        uuid_of_text(a, STR("/:default/:RoleAssignment/authorization.azure.com:default/myra")),
        STR("951f475c-019c-5331-863e-4e03225b56a0"));
}

/* ---- From ARM. ---- */

static const char answer[] =
    "{'ID':'" WIDGET_ID "','name':'w','type':'t','location':'l','etag':7,"
    "'Properties':{'COLOUR':'green','password':'p','tenantId':'t','old':null,'labels':{},"
    "'peerIds':['/a/b'],'rules':[{'name':'aa','properties':{'priority':100,'extra':1,"
    "'target':'Internet'}},{'name':'bb','properties':{'priority':'high','target':'" GROUP_ID
    "'}}],'filter':{'kind':'byname','names':['n']}},"
    "'identity':{'type':'UserAssigned','userAssignedIdentities':{'/i':{'clientId':'c'}}}}";

TEST(a_status_takes_what_it_knows)
{
    AUTO_ARENA a = arena_new();
    struct model *m = fixture_model(a);

    assert_json(
        a,
        convert_to_status(a, fixture_resource(m, "v20240101", "Widget"), fixture_json(a, answer)),
        "{'id':'" WIDGET_ID "','colour':'green','rules':[{'name':'aa','priority':100},"
        "{'name':'bb'}],'filter':{'byName':{'kind':'byname','names':['n']}}}");
    assert_json(
        a, convert_to_status(a, fixture_resource(m, "v20240101", "Widget"), fixture_json(a, "[]")),
        "{}");
    model_close(m);
}

TEST(a_spec_comes_back_from_arm)
{
    AUTO_ARENA a = arena_new();
    struct model *m = fixture_model(a);

    assert_json(
        a, convert_to_spec(a, fixture_resource(m, "v20240101", "Widget"), fixture_json(a, answer)),
        "{'location':'l','colour':'Green','tenantId':'t','peerReferences':[{'armId':'/a/b'}],"
        "'rules':[{'name':'aa','priority':100,'targetReference':{'wellKnownName':'Internet'}},"
        "{'name':'bb','targetReference':{'armId':'" GROUP_ID "'}}],"
        "'filter':{'byName':{'kind':'ByName','names':['n']}},"
        "'identity':{'type':'UserAssigned','userAssignedIdentities':[{'reference':{'armId':"
        "'/i'}}]}}");
    model_close(m);
}

/* ---- Between versions. ---- */

TEST(versions_keep_what_the_other_lacks)
{
    AUTO_ARENA a = arena_new();
    struct model *m = fixture_model(a);
    const struct model_resource *old = fixture_resource(m, "v20240101", "Widget");
    const struct model_resource *new_ = fixture_resource(m, "v20250101", "Widget");
    const char spec[] = "{'colour':'Red','old':'x','settings':{'a':1},'rules':[{'name':'aa',"
                        "'gone':true},{'name':'bb'}],'tags':{'t':'u'}}";
    struct value *left, *none;
    struct value *there = convert_version(a, old, new_, fixture_json(a, spec), NULL, &left);

    assert_json(a, there,
                "{'colour':'Red','rules':[{'name':'aa'},{'name':'bb'}],'tags':{'t':'u'}}");
    assert_json(a, left,
                "{'set':{'old':'x','settings':{'a':1}},'in':{'rules':{'in':{'name=aa':{'set':"
                "{'gone':true}}}}}}");
    assert_json(a, convert_version(a, new_, old, there, left, &none), spec);
    assert_null(none);
    /* An element that moved is found by its name, one that went takes its leftovers along. */
    assert_json(a,
                convert_version(a, new_, old,
                                fixture_json(a, "{'rules':[{'name':'cc'},{'name':'aa'}],"
                                                "'weight':1}"),
                                left, &none),
                "{'rules':[{'name':'cc'},{'name':'aa','gone':true}],'old':'x','settings':{'a':1}}");
    assert_json(a, none, "{'set':{'weight':1}}");
    model_close(m);
}

RUN_TESTS(cmocka_unit_test(each_rule_shapes_the_body), cmocka_unit_test(ids_follow_from_owners),
          cmocka_unit_test(a_child_spells_the_provider_itself),
          cmocka_unit_test(errors_name_the_field),
          cmocka_unit_test(a_group_of_another_subscription_is_no_place),
          cmocka_unit_test(owners_in_a_circle_are_found),
          cmocka_unit_test(generated_names_are_uuids),
          cmocka_unit_test(a_status_takes_what_it_knows),
          cmocka_unit_test(a_spec_comes_back_from_arm),
          cmocka_unit_test(versions_keep_what_the_other_lacks))
