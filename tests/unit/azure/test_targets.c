/* SPDX-License-Identifier: Apache-2.0 */
/* test_targets.c - doubtful targets of references, and the facts behind them. */
#include "fixture.h"

#include "azure/targets.h"

#define RG "/subscriptions/S/resourceGroups/g"

static str doubts_of(struct arena *a, const char *spec)
{
    struct model *m = fixture_model(a);
    const struct model_resource *res = fixture_resource(m, "v20250101", "Widget");
    struct needs needs = {0};

    needs_of(a, res, fixture_object(a, "example.azure.com/v20250101", "Widget", "w", spec), &needs);
    str text = str_copy(a, target_doubts(a, m, res, &needs));
    model_close(m);
    return text;
}

#define DOUBT(path, type, known)                                                                   \
    path " points to a resource of type " type ", and is known to be used for " known

static const struct {
    const char *spec, *doubts;
} rows[] = {
    {"{'peerReferences':[{'armId':'" RG "/providers/microsoft.example/WIDGETS/x'}]}", ""},
    {"{'peerReferences':[{'group':'example.azure.com','kind':'Widget','name':'x'}]}", ""},
    {"{'peerReferences':[{'azure':{'name':'Microsoft.Example/widgets/x'}}]}", ""},
    {"{'peerReferences':[{'armId':'" RG "/providers/Microsoft.Example/widgets/x'},{'armId':'" RG
     "/providers/Microsoft.Example/widgets/x/parts/y'}]}",
     DOUBT("spec.peerReferences[1]", "Microsoft.Example/widgets/parts",
           "Microsoft.Example/widgets")},
    {"{'peerReferences':[{'group':'resources.azure.com','kind':'ResourceGroup','name':'x'}]}",
     DOUBT("spec.peerReferences[0]", "Microsoft.Resources/resourceGroups",
           "Microsoft.Example/widgets")},
    {"{'identity':{'userAssignedIdentities':[{'reference':{'azure':{'name':"
     "'Microsoft.Example/widgets/x'}}}]},'peerReferences':[{'armId':'" RG "'}]}",
     DOUBT(
         "spec.identity.userAssignedIdentities[0].reference", "Microsoft.Example/widgets",
         "Microsoft.ManagedIdentity/userAssignedIdentities, Microsoft.Example/badges") "; " DOUBT("spec.peerReferences[0]",
                                                                                                  "Microsoft.Resources/resourceGroups",
                                                                                                  "Microsoft.Example/widgets")},
    /* Anything, names that Azure knows, kinds that nobody knows, owners. */
    {"{'rules':[{'name':'aa','targetReference':{'armId':'" RG "'}}]}", ""},
    {"{'rules':[{'name':'aa','targetReference':{'wellKnownName':'Internet'}}]}", ""},
    {"{'peerReferences':[{'group':'else.where','kind':'Thing','name':'x'}]}", ""},
    {"{'owner':{'armId':'" RG "'}}", ""},
};

TEST(unusual_targets_are_doubted)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        AUTO_ARENA a = arena_new();
        assert_str(doubts_of(a, rows[i].spec), str_c(rows[i].doubts));
    }
}

/* ---- The facts of the model. ----------------------------------------------------------------- */

static const struct model_prop *at_path(const struct model_resource *res, str path)
{
    const struct model_type *t = res->spec;
    const struct model_prop *p = NULL;
    str name = path;

    for (bool more = true; more; path = name) {
        more = str_cut(path, STR("."), &path, &name);
        p = t ? model_prop(t, path) : NULL;
        const struct model_shape *shape = p ? p->shape : NULL;
        while (shape && shape->form == FORM_LIST)
            shape = shape->item;
        t = shape ? shape->object : NULL;
    }
    return p;
}

static bool is_reference(const struct model_prop *p)
{
    return p && (p->role == ROLE_REF || p->role == ROLE_WELL_KNOWN || p->role == ROLE_IDENTITY);
}

/* Versions differ: the path must be one of a reference in some version of the kind. */
TEST(every_fact_is_about_a_reference)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    const struct model_resource **all;
    struct model *m;
    size_t count, facts = 0;

    assert_ok(model_open(a, STR("api/model"), &m, &e), &e);
    assert_ok(model_all(m, a, &all, &count, &e), &e);
    for (size_t i = 0; i < count; i++) {
        const struct value *targets = all[i]->targets;
        for (size_t k = 0; k < value_len(targets); k++) {
            str path = value_key(&targets->items[k]);
            bool found = false;
            for (size_t j = 0; j < count && !found; j++)
                found = str_eq(all[j]->group, all[i]->group) &&
                        str_eq(all[j]->kind, all[i]->kind) && is_reference(at_path(all[j], path));
            if (!found)
                fail_msg("%.*s %.*s has no reference %.*s", STR_ARG(all[i]->group),
                         STR_ARG(all[i]->kind), STR_ARG(path));
            facts++;
        }
    }
    assert_true(facts >= 60);
    model_close(m);
}

RUN_TESTS(cmocka_unit_test(unusual_targets_are_doubted),
          cmocka_unit_test(every_fact_is_about_a_reference))
