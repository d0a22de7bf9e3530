/* SPDX-License-Identifier: Apache-2.0 */
/* test_needs.c - what objects need, all that is missing at once, and the order that follows. */
#include "fixture.h"

#include "azure/needs.h"
#include "azure/order.h"

#define NEWER "example.azure.com/v20250101"
#define PEER "{'group':'example.azure.com','kind':'Widget','name':'peer'}"

/* One line for each need: kind, path, object, key. */
static str listed(struct arena *a, const char *spec)
{
    struct model *m = fixture_model(a);
    struct value *object = fixture_object(a, NEWER, "Widget", "w", spec);
    struct buf out = buf_new(a, BUF_UNLIMITED);
    struct needs needs = {0};

    needs_of(a, fixture_resource(m, "v20250101", "Widget"), object, &needs);
    for (size_t i = 0; i < needs.len; i++) {
        const struct need *n = &needs.items[i];
        buf_fmt(&out, "%s %.*s %.*s/%.*s", need_kind_name(n->kind), STR_ARG(n->path),
                STR_ARG(n->object.kind), STR_ARG(n->object.name));
        buf_fmt(&out, "%s%.*s%s\n", n->key.len ? "#" : "", STR_ARG(n->key),
                need_is_export(n) ? " written" : "");
    }
    model_close(m);
    return buf_str(&out);
}

static const struct {
    const char *spec, *needs;
} lists[] = {
    {"{}", ""},
    {"{'owner':{'name':'rg'},'tags':{'a':'b'}}", "owner spec.owner ResourceGroup/rg\n"},
    {"{'owner':{'armId':'/subscriptions/S/resourceGroups/g'}}", "owner spec.owner /\n"},
    {"{'peerReferences':[" PEER ",{'armId':'/subscriptions/S'}]}",
     "reference spec.peerReferences[0] Widget/peer\nreference spec.peerReferences[1] /\n"},
    {"{'identity':{'userAssignedIdentities':[{'reference':" PEER "}]}}",
     "reference spec.identity.userAssignedIdentities[0].reference Widget/peer\n"},
    {"{'rules':[{'name':'aa','targetReference':{'wellKnownName':'Internet'}}]}",
     "reference spec.rules[0].targetReference /\n"},
    {"{'password':{'name':'s','key':'k'}}", "secret spec.password Secret/s#k\n"},
    {"{'Password':{'Name':'s','Key':'k'}}", "secret spec.password Secret/s#k\n"},
    {"{'tenantIdFromConfig':{'name':'c','key':'k'}}",
     "config map spec.tenantIdFromConfig ConfigMap/c#k\n"},
    {"{'operatorSpec':{'secrets':{'key':{'name':'out','key':'x'}}}}",
     "exported secret spec.operatorSpec.secrets.key Secret/out#x written\n"},
    /* What is not sent is not needed, nor what is wrong. */
    {"{'password':null,'peerReferences':[],'unknown':" PEER "}", ""},
    {"{'password':{'name':'s'},'peerReferences':[{'name':'x'}],'owner':'rg'}", ""},
};

TEST(everything_named_is_listed_once)
{
    for (size_t i = 0; i < COUNT(lists); i++) {
        AUTO_ARENA a = arena_new();
        assert_str(listed(a, lists[i].spec), str_c(lists[i].needs));
    }
}

static const char all_kinds[] =
    "{'owner':{'name':'rg'},'location':'l','peerReferences':[" PEER "],"
    "'identity':{'userAssignedIdentities':[{'reference':" PEER "}]},"
    "'password':{'name':'s','key':'k'},'tenantIdFromConfig':{'name':'c','key':'k'},"
    "'rules':[{'name':'aa','targetReference':{'azure':{'name':'P/t/n'}}}]}";

/* An azure reference, which is completed from the owner, is not reported beside it. */
TEST(all_that_is_missing_is_reported_at_once)
{
    static const char *const paths[] = {
        "spec.owner",
        "spec.peerReferences[0]",
        "spec.identity.userAssignedIdentities[0].reference",
        "spec.password",
        "spec.tenantIdFromConfig",
    };
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct model *m = fixture_model(a);
    struct manifests *none = manifests_new(a, m, STR("S"));
    struct value *object = fixture_object(a, NEWER, "Widget", "w", all_kinds);
    struct arm_request got;

    assert_false(convert_to_arm(a, manifests_resolver(none),
                                fixture_resource(m, "v20250101", "Widget"), object, NULL, &got,
                                &e));
    assert_int_equal(e.kind, ERR_NOT_FOUND);
    assert_int_equal(got.missing.len, COUNT(paths));
    for (size_t i = 0; i < COUNT(paths); i++) {
        assert_str(got.missing.items[i].path, str_c(paths[i]));
        assert_true(str_contains(e.text, got.missing.items[i].text));
        assert_true(got.missing.items[i].object.name.len > 0);
    }
    assert_str(got.missing.items[3].key, STR("k"));
    model_close(m);
}

TEST(a_mistake_is_reported_before_what_is_missing)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct model *m = fixture_model(a);
    struct manifests *none = manifests_new(a, m, STR("S"));
    struct value *object = fixture_object(
        a, NEWER, "Widget", "w", "{'owner':{'name':'rg'},'peerReferences':[{'name':'x'}]}");
    struct arm_request got;

    assert_false(convert_to_arm(a, manifests_resolver(none),
                                fixture_resource(m, "v20250101", "Widget"), object, NULL, &got,
                                &e));
    assert_int_equal(e.kind, ERR_INVALID);
    assert_true(str_has_prefix(e.text, STR("spec.peerReferences[0]: ")));
    model_close(m);
}

/* Objects by name: what each needs and exports, and the order that follows. */
static const struct {
    const char *specs[3];
    const char *order;
} orders[] = {
    {{"{}", "{}", "{}"}, "abc"},
    {{"{'peerReferences':[{'group':'example.azure.com','kind':'Widget','name':'c'}]}", "{}", "{}"},
     "cab"},
    {{"{'password':{'name':'s','key':'k'}}", "{}",
      "{'operatorSpec':{'secrets':{'key':{'name':'s','key':'k'}}}}"},
     "cab"},
    /* Two that export into one Secret both come first. */
    {{"{'password':{'name':'s','key':'k'}}",
      "{'operatorSpec':{'secrets':{'key':{'name':'s','key':'j'}}}}",
      "{'operatorSpec':{'secrets':{'key':{'name':'s','key':'k'}}}}"},
     "bca"},
    /* By id, of the resource or of something in it. */
    {{"{'peerReferences':[{'armId':'/subscriptions/s/resourceGroups/g/providers/P/t/C'}]}", "{}",
      "{}"},
     "cab"},
    {{"{}",
      "{'peerReferences':[{'armId':'/subscriptions/s/resourceGroups/g/providers/P/t/c/u/x'}]}",
      "{}"},
     "acb"},
    {{"{'peerReferences':[{'armId':'/subscriptions/s/resourceGroups/g/providers/P/t/cc'}]}", "{}",
      "{}"},
     "abc"},
    /* A circle stays as it is. */
    {{"{'peerReferences':[{'group':'example.azure.com','kind':'Widget','name':'b'}]}",
      "{'peerReferences':[{'group':'example.azure.com','kind':'Widget','name':'a'}]}", "{}"},
     "bac"},
};

TEST(what_is_needed_comes_first)
{
    for (size_t i = 0; i < COUNT(orders); i++) {
        AUTO_ARENA a = arena_new();
        struct model *m = fixture_model(a);
        struct needs needs[3] = {0};
        struct order_item items[3];
        for (size_t k = 0; k < 3; k++) {
            char name[2] = {(char)('a' + k), 0};
            struct value *object =
                fixture_object(a, NEWER, "Widget", str_z(a, str_c(name)), orders[i].specs[k]);
            needs_of(a, fixture_resource(m, "v20250101", "Widget"), object, &needs[k]);
            items[k] = (struct order_item){
                .key = object_key_of(object),
                .id = str_fmt(a, "/subscriptions/S/resourceGroups/G/providers/P/t/%s", name),
                .needs = &needs[k]};
        }
        const size_t *order = order_by_needs(a, items, 3);
        for (size_t k = 0; k < 3; k++)
            assert_int_equal('a' + (int)order[k], orders[i].order[k]);
        model_close(m);
    }
}

RUN_TESTS(cmocka_unit_test(everything_named_is_listed_once),
          cmocka_unit_test(all_that_is_missing_is_reported_at_once),
          cmocka_unit_test(a_mistake_is_reported_before_what_is_missing),
          cmocka_unit_test(what_is_needed_comes_first))
