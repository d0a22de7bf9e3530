/* SPDX-License-Identifier: Apache-2.0 */
/* test_plan.c - plans: what they find, and what they cost. */
#include "fixture.h"

#include "azure/plan.h"

/* The bytes that a plan takes for count objects of another group. */
static size_t cost_of_foreign(size_t count)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct model *model = fixture_model(a);
    struct manifests *m = manifests_new(a, model, STR("s"));
    struct value *object =
        fixture_json(a, "{'apiVersion':'apps/v1','kind':'Deployment','metadata':{'name':'x'}}");
    struct plan plan;

    for (size_t i = 0; i < count; i++)
        manifests_add(m, &(struct doc){.root = object});
    size_t before = arena_used(a);
    assert_ok(plan_make(a, m, false, &plan, &e), &e);
    assert_int_equal(plan.ignored.len, count);
    size_t used = arena_used(a) - before;
    model_close(model);
    return used;
}

TEST(foreign_objects_cost_memory_by_their_number)
{
    size_t one = cost_of_foreign(2000), two = cost_of_foreign(4000), four = cost_of_foreign(8000);

    assert_true(two * 10 <= one * 23);
    assert_true(four * 10 <= two * 23);
}

RUN_TESTS(cmocka_unit_test(foreign_objects_cost_memory_by_their_number))
