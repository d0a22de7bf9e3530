/* SPDX-License-Identifier: Apache-2.0 */
/* test_tree.c - how objects are related. */
#include "../test.h"

#include "operator/tree.h"
#include "text/json/json.h"

static struct value *parse(struct arena *a, const char *text)
{
    struct source *src = ARENA_NEW(a, struct source);
    struct value *v = NULL;

    src->text = str_c(text);
    assert_true(json_read(a, src, NULL, &v, NULL));
    return v;
}

#define GROUP(name, more)                                                                          \
    "{\"apiVersion\":\"resources.azure.com/v1api20200601\",\"kind\":\"ResourceGroup\","            \
    "\"metadata\":{\"namespace\":\"d\",\"name\":\"" name "\",\"generation\":2" more                \
    ",\"spec\":{\"location\":\"x\"}"
#define NETWORK(name, owner)                                                                       \
    "{\"apiVersion\":\"network.azure.com/v20250301\",\"kind\":\"VirtualNetwork\","                 \
    "\"metadata\":{\"namespace\":\"d\",\"name\":\"" name                                           \
    "\"},\"spec\":{\"owner\":{\"name\":\"" owner "\"}}}"

static struct object_key key(const char *group, const char *kind, const char *name)
{
    return (struct object_key){str_c(group), str_c(kind), STR("d"), str_c(name)};
}

TEST(owners_are_those_that_specs_name)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct model *model;

    assert_true(model_open(a, STR_NONE, &model, &e));
    struct tree *t = tree_new(a, model);
    tree_add(t, parse(a, NETWORK("z", "rg")));
    tree_add(t, parse(a, GROUP("rg", "}") "}"));
    tree_add(t, parse(a, NETWORK("b", "rg")));
    tree_add(t, parse(a, NETWORK("lost", "nowhere")));
    struct object_key k = key("resources.azure.com", "ResourceGroup", "rg");
    const struct tree_node *group = tree_find(t, &k);
    assert_non_null(group);
    assert_int_equal(group->child_count, 2);
    assert_str(group->children[0]->key.name, STR("b"));
    assert_str(group->children[1]->key.name, STR("z"));
    assert_ptr_equal(group->children[0]->owner, group);
    k = key("network.azure.com", "VirtualNetwork", "lost");
    const struct tree_node *lost = tree_find(t, &k);
    assert_null(lost->owner);
    assert_str(lost->wants->name, STR("nowhere"));
    k.name = STR("other");
    assert_null(tree_find(t, &k));
    model_close(model);
}

#define READY(status, reason, generation)                                                          \
    ",\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"" status                        \
    "\",\"reason\":\"" reason "\",\"message\":\"m\",\"observedGeneration\":" generation "}]}}"

static const struct {
    const char *object, *state;
} states[] = {
    {GROUP("x", "}") "}", "Unknown"},
    {GROUP("x", "}") READY("True", "Succeeded", "2"), "Ready"},
    {GROUP("x", "}") READY("True", "Succeeded", "1"), "Outdated"},
    {GROUP("x", "}") READY("False", "WaitingForOwner", "2"), "WaitingForOwner"},
    {GROUP("x", ",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\"}") READY("True", "Succeeded", "2"),
     "Deleting"},
};

TEST(a_state_is_one_word)
{
    for (size_t i = 0; i < COUNT(states); i++) {
        AUTO_ARENA a = arena_new();
        struct tree_node n = {.object = parse(a, states[i].object)};
        str message;
        assert_str(tree_state(&n, &message), str_c(states[i].state));
    }
}

RUN_TESTS(cmocka_unit_test(owners_are_those_that_specs_name), cmocka_unit_test(a_state_is_one_word))
