/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_kubectl.c - what kubectl needs besides objects: aggregated discovery, OpenAPI, bodies in
 * protobuf and YAML, strategic merge patches.
 */
#include "stage.h"

#include "store/internal.h"
#include "text/json/json.h"

#define AGGREGATED                                                                                 \
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
#define MAPS "/api/v1/namespaces/default/configmaps"

static const struct value *at(const struct value *v, const char *path)
{
    AUTO_ARENA a = arena_new();

    return store_json_path(a, v, str_c(path));
}

TEST(discovery_comes_in_one_answer)
{
    struct stage s = stage_begin();

    s.c.accept = STR(AGGREGATED);
    ASSERT_ASK(&s, "GET", "/apis", NULL, 200);
    assert_str(http_header_get(&s.c.headers, STR("Content-Type")),
               STR("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"));
    const struct value *group = at(s.c.body, ".items[?(@.metadata.name=='example.com')]");
    assert_str(value_str(at(group, ".versions[0].version")), STR("v2"));
    const struct value *widgets = at(group, ".versions[1].resources[?(@.resource=='widgets')]");
    assert_str(value_str(at(widgets, ".scope")), STR("Namespaced"));
    assert_str(value_str(at(widgets, ".responseKind.kind")), STR("Widget"));
    assert_str(value_str(at(widgets, ".subresources[0].subresource")), STR("status"));
    ASSERT_ASK(&s, "GET", "/api", NULL, 200);
    assert_str(value_str(at(s.c.body, ".items[0].versions[0].version")), STR("v1"));
    /* Who does not ask for it gets the lists. */
    s.c.accept = STR_NONE;
    ASSERT_ASK(&s, "GET", "/apis", NULL, 200);
    assert_str(local_text(&s.c, "kind"), STR("APIGroupList"));
    stage_end(&s);
}

TEST(the_best_version_of_a_group_is_first)
{
    static const char *const given[] = {"v1alpha1", "foo", "v2beta1", "v1",
                                        "bar",      "v10", "v2",      "v2beta2"};
    static const char *const want[] = {"v10",     "v2",       "v1",  "v2beta2",
                                       "v2beta1", "v1alpha1", "bar", "foo"};
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, 64 * KIB);
    struct stage s = stage_begin();

    buf_add(&b, STR("{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":"
                    "\"CustomResourceDefinition\",\"metadata\":{\"name\":\"cogs.order.com\"},"
                    "\"spec\":{\"group\":\"order.com\",\"scope\":\"Cluster\",\"names\":{"
                    "\"plural\":\"cogs\",\"kind\":\"Cog\"},\"versions\":["));
    for (size_t i = 0; i < COUNT(given); i++)
        buf_fmt(&b,
                "%s{\"name\":\"%s\",\"served\":true,\"storage\":%s,\"schema\":{"
                "\"openAPIV3Schema\":{\"type\":\"object\"}}}",
                i ? "," : "", given[i], i ? "false" : "true");
    buf_add(&b, STR("]}}"));
    ASSERT_ASK(&s, "POST", CRDS, str_z(a, buf_str(&b)), 201);
    ASSERT_ASK(&s, "GET", "/apis/order.com", NULL, 200);
    for (size_t i = 0; i < COUNT(want); i++)
        assert_str(value_get_str(value_at(value_get(s.c.body, STR("versions")), i), STR("version")),
                   str_c(want[i]));
    assert_str(local_text(&s.c, "preferredVersion.version"), STR("v10"));
    stage_end(&s);
}

TEST(openapi_describes_patches_and_schemas)
{
    static const char *const parameters[] = {"dryRun", "fieldManager", "fieldValidation"};
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();

    ASSERT_ASK(&s, "GET", "/openapi/v3", NULL, 200);
    const struct value *paths = value_get(s.c.body, STR("paths"));
    str url = str_copy(
        a, value_get_str(value_get(paths, STR("apis/example.com/v1")), STR("serverRelativeURL")));
    assert_non_null(value_get(paths, STR("api/v1")));
    assert_true(str_has_prefix(url, STR("/openapi/v3/apis/example.com/v1?hash=")));
    ASSERT_ASK(&s, "GET", str_z(a, url), NULL, 200);
    const struct value *patch =
        value_get(value_get(value_get(s.c.body, STR("paths")),
                            STR("/apis/example.com/v1/namespaces/{namespace}/widgets/{name}")),
                  STR("patch"));
    assert_str(value_str(at(patch, ".x-kubernetes-group-version-kind.kind")), STR("Widget"));
    for (size_t i = 0; i < COUNT(parameters); i++)
        assert_str(value_get_str(value_at(value_get(patch, STR("parameters")), i), STR("name")),
                   str_c(parameters[i]));
    const struct value *schema =
        value_get(at(s.c.body, ".components.schemas"), STR("com.example.v1.Widget"));
    assert_str(value_str(at(schema, ".properties.spec.properties.size.type")), STR("integer"));
    assert_str(value_str(at(schema, ".properties.kind.type")), STR("string"));
    ASSERT_ASK(&s, "GET", "/openapi/v3/apis/example.com/v9", NULL, 404);
    /* Version 2 has no types, in JSON and in protobuf. */
    ASSERT_ASK(&s, "GET", "/openapi/v2", NULL, 200);
    assert_str(local_text(&s.c, "swagger"), STR("2.0"));
    s.c.accept = STR("application/com.github.proto-openapi.spec.v2@v1.0+protobuf");
    ASSERT_ASK(&s, "GET", "/openapi/v2", NULL, 200);
    assert_true(str_has_prefix(s.c.text, STR("\x0a\x03"
                                             "2.0")));
    s.c.accept = STR_NONE;
    /* What a client keeps must get another address when a definition changes. */
    s.c.type = STR("application/merge-patch+json");
    ASSERT_ASK(&s, "PATCH", CRDS "/widgets.example.com",
               "{\"spec\":{\"names\":{\"categories\":[\"all\"]}}}", 200);
    ASSERT_ASK(&s, "GET", "/openapi/v3", NULL, 200);
    paths = value_get(s.c.body, STR("paths"));
    assert_false(str_eq(url, value_get_str(value_get(paths, STR("apis/example.com/v1")),
                                           STR("serverRelativeURL"))));
    stage_end(&s);
}

TEST(figures_are_served)
{
    struct stage s = stage_begin();

    ASSERT_ASK(&s, "GET", "/metrics", NULL, 200);
    assert_true(str_contains(s.c.text, STR("plumb_store_objects 4\n")));
    assert_true(str_contains(s.c.text, STR("plumb_store_types 8\n")));
    stage_end(&s);
}

/* ---- Protobuf. ---- */

/* "k8s\0", apiVersion v1, kind ConfigMap; name "p", a label, data {"k": "v"}, a time of nothing. */
static const char config_map[] = "k8s\0"
                                 "\x0a\x0f\x0a\x02v1\x12\x09"
                                 "ConfigMap"
                                 "\x12\x1b"
                                 "\x0a\x11\x0a\x01p\x12\x00\x42\x00\x5a\x08\x0a\x01"
                                 "a\x12\x03one"
                                 "\x12\x06\x0a\x01k\x12\x01v"
                                 "\x1a\x00\x22\x00";

TEST(objects_come_in_protobuf)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct value *v;
    const str body = str_of(config_map, sizeof(config_map) - 1);

    assert_true(store_is_protobuf(body));
    assert_ok(store_protobuf_read(a, body, &v, &e), &e);
    struct buf b = buf_new(a, KIB);
    store_write_json(&b, v);
    assert_str(buf_str(&b),
               STR("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
                   "\"p\",\"labels\":{\"a\":\"one\"}},\"data\":{\"k\":\"v\"}}"));
    /* Cut short anywhere it is an error, or less of the object, and never a crash. */
    for (size_t i = 0; i < body.len; i++)
        if (store_protobuf_read(a, str_slice(body, 0, i), &v, &e))
            assert_true(value_is(v, VALUE_OBJECT));
    assert_false(store_protobuf_read(a, str_of("k8s\0\x0a\x06\x0a\x00\x12\x02xx", 12), &v, &e));
}

TEST(objects_come_in_yaml)
{
    struct stage s = stage_begin();

    s.c.type = STR("application/yaml");
    ASSERT_ASK(&s, "POST", MAPS,
               "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: in-yaml}\ndata: {a: b}\n", 201);
    assert_str(local_text(&s.c, "data.a"), STR("b"));
    ASSERT_ASK(&s, "POST", MAPS, "apiVersion: [", 400);
    stage_end(&s);
}

/* ---- Strategic merge patches. ---- */

static const struct {
    const char *old, *patch, *want;
} strategic_cases[] = {
    {"{\"data\":{\"a\":\"1\",\"b\":\"2\"}}", "{\"data\":{\"b\":null,\"c\":\"3\"}}",
     "{\"data\":{\"a\":\"1\",\"c\":\"3\"}}"},
    {"{\"metadata\":{\"finalizers\":[\"a\",\"b\"]}}",
     "{\"metadata\":{\"finalizers\":[\"c\",\"a\"]}}",
     "{\"metadata\":{\"finalizers\":[\"a\",\"b\",\"c\"]}}"},
    {"{\"metadata\":{\"finalizers\":[\"a\",\"b\"]}}",
     "{\"metadata\":{\"$deleteFromPrimitiveList/finalizers\":[\"a\"]}}",
     "{\"metadata\":{\"finalizers\":[\"b\"]}}"},
    {"{\"metadata\":{\"finalizers\":[\"a\",\"b\"]}}",
     "{\"metadata\":{\"$setElementOrder/finalizers\":[\"c\",\"a\"],\"finalizers\":[\"c\"]}}",
     "{\"metadata\":{\"finalizers\":[\"c\",\"a\",\"b\"]}}"},
    {"{\"metadata\":{\"ownerReferences\":[{\"uid\":\"1\",\"name\":\"a\"},{\"uid\":\"2\"}]}}",
     "{\"metadata\":{\"ownerReferences\":[{\"uid\":\"1\",\"kind\":\"K\"},{\"uid\":\"3\"}]}}",
     "{\"metadata\":{\"ownerReferences\":[{\"uid\":\"1\",\"name\":\"a\",\"kind\":\"K\"},{\"uid\":"
     "\"2\"},{\"uid\":\"3\"}]}}"},
    {"{\"metadata\":{\"ownerReferences\":[{\"uid\":\"1\"},{\"uid\":\"2\"}]}}",
     "{\"metadata\":{\"ownerReferences\":[{\"$patch\":\"delete\",\"uid\":\"1\"}]}}",
     "{\"metadata\":{\"ownerReferences\":[{\"uid\":\"2\"}]}}"},
    {"{\"metadata\":{\"ownerReferences\":[{\"uid\":\"1\"}]}}",
     "{\"metadata\":{\"ownerReferences\":[{\"$patch\":\"replace\"},{\"uid\":\"9\"}]}}",
     "{\"metadata\":{\"ownerReferences\":[{\"uid\":\"9\"}]}}"},
    {"{\"data\":{\"a\":\"1\"}}", "{\"data\":{\"$patch\":\"replace\",\"b\":\"2\"}}",
     "{\"data\":{\"b\":\"2\"}}"},
    {"{\"data\":{\"a\":\"1\"},\"x\":1}", "{\"data\":{\"$patch\":\"delete\"}}", "{\"x\":1}"},
    {"{\"data\":{\"a\":\"1\",\"b\":\"2\"}}", "{\"data\":{\"$retainKeys\":[\"b\"]}}",
     "{\"data\":{\"b\":\"2\"}}"},
    {"{\"metadata\":{\"finalizers\":[\"a\",\"b\",\"a\",\"c\"]}}",
     "{\"metadata\":{\"$deleteFromPrimitiveList/finalizers\":[\"a\",\"z\"]}}",
     "{\"metadata\":{\"finalizers\":[\"b\",\"c\"]}}"},
    {"{\"metadata\":{\"ownerReferences\":[{\"uid\":\"1\",\"name\":\"x\"},{\"uid\":\"2\"},{\"uid\":"
     "\"1\",\"name\":\"y\"}]}}",
     "{\"metadata\":{\"ownerReferences\":[{\"$patch\":\"delete\",\"uid\":\"1\"},{\"uid\":\"1\","
     "\"kind\":\"K\"},{\"uid\":\"3\"},{\"$patch\":\"delete\",\"uid\":\"3\"}]}}",
     "{\"metadata\":{\"ownerReferences\":[{\"uid\":\"2\"},{\"uid\":\"1\",\"name\":\"y\",\"kind\":"
     "\"K\"}]}}"},
    {"{\"metadata\":{\"ownerReferences\":[{\"uid\":\"1\"},{\"uid\":\"2\"},{\"uid\":\"3\"}]}}",
     "{\"metadata\":{\"$setElementOrder/"
     "ownerReferences\":[{\"uid\":\"3\"},{\"uid\":\"9\"},{\"uid\":"
     "\"3\"},{\"uid\":\"1\"}]}}",
     "{\"metadata\":{\"ownerReferences\":[{\"uid\":\"3\"},{\"uid\":\"1\"},{\"uid\":\"2\"}]}}"},
    {"{\"spec\":{\"list\":[1,2]}}", "{\"spec\":{\"list\":[3]}}", "{\"spec\":{\"list\":[3]}}"},
};

TEST(strategic_patches_merge_some_lists)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(strategic_cases); i++) {
        const struct source old = {.text = str_c(strategic_cases[i].old)};
        const struct source patch = {.text = str_c(strategic_cases[i].patch)};
        struct value *x = NULL, *y = NULL;
        struct buf b = buf_new(a, KIB);

        assert_true(json_read(a, &old, NULL, &x, NULL) && json_read(a, &patch, NULL, &y, NULL));
        store_write_json(&b, store_strategic_merge(a, x, y));
        assert_str(buf_str(&b), str_c(strategic_cases[i].want));
    }
}

/* {"metadata":{"...":["0","1",...]}}, with a name for a member of metadata. */
static struct value *many_texts(struct arena *a, const char *name, size_t count)
{
    struct value *object = value_object(a), *meta = value_object(a), *list = value_list(a);

    for (size_t i = count; i > 0; i--)
        value_add(a, list, value_string(a, str_fmt(a, "example.com/%zu", i)));
    meta = value_set(a, object, STR("metadata"), meta);
    value_set(a, meta, str_c(name), list);
    return object;
}

/* Each element was searched for from the beginning: half a minute for 800 kB. */
TEST(strategic_patches_of_long_lists_end_in_time)
{
    static const char *const directives[] = {"finalizers", "$setElementOrder/finalizers",
                                             "$deleteFromPrimitiveList/finalizers"};
    AUTO_ARENA a = arena_new();
    const struct value *old = many_texts(a, "finalizers", 100000);
    int64_t start = clock_mono();

    for (size_t i = 0; i < COUNT(directives); i++) {
        struct value *patch = many_texts(a, directives[i], 100000), *list;
        list = value_get(value_get(store_strategic_merge(a, old, patch), STR("metadata")),
                         STR("finalizers"));
        assert_int_equal(value_len(list), i == 2 ? 0 : 100000);
    }
    assert_true(clock_mono() - start < 5 * NS_PER_SEC);
}

/* {"data":{"0":text,...}}; without a text, null. */
static struct value *many_members(struct arena *a, size_t count, const char *text)
{
    struct value *object = value_object(a), *data;

    data = value_set(a, object, STR("data"), value_object(a));
    for (size_t i = 0; i < count; i++)
        value_set(a, data, str_fmt(a, "%zu", i),
                  text ? value_string(a, str_c(text)) : value_null(a));
    return object;
}

/* The members were counted anew for each one that went: a minute for half a megabyte. */
TEST(strategic_patches_take_out_many_members_in_time)
{
    AUTO_ARENA a = arena_new();
    const struct value *old = many_members(a, 100000, "x"), *patch = many_members(a, 50000, NULL);
    int64_t start = clock_mono();

    assert_int_equal(value_len(value_get(store_strategic_merge(a, old, patch), STR("data"))),
                     50000);
    assert_true(clock_mono() - start < 5 * NS_PER_SEC);
}

TEST(strategic_patches_are_for_built_in_types)
{
    struct stage s = stage_begin();

    ASSERT_ASK(
        &s, "POST", MAPS,
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"},\"data\":{"
        "\"x\":\"1\"}}",
        201);
    ASSERT_ASK(&s, "POST", WIDGETS, WIDGET("\"name\":\"a\"", "\"size\":1"), 201);
    s.c.type = STR("application/strategic-merge-patch+json");
    ASSERT_ASK(&s, "PATCH", MAPS "/a", "{\"data\":{\"y\":\"2\"}}", 200);
    assert_str(local_text(&s.c, "data.x"), STR("1"));
    assert_str(local_text(&s.c, "data.y"), STR("2"));
    ASSERT_ASK(&s, "PATCH", WIDGETS "/a", "{\"spec\":{\"size\":2}}", 415);
    s.c.type = STR("application/apply-patch+yaml");
    ASSERT_ASK(&s, "PATCH", MAPS "/a", "{\"data\":{\"y\":\"2\"}}", 415);
    ASSERT_ASK(&s, "PATCH", MAPS "/missing", "not even JSON", 415);
    stage_end(&s);
}

RUN_TESTS(cmocka_unit_test(discovery_comes_in_one_answer),
          cmocka_unit_test(the_best_version_of_a_group_is_first),
          cmocka_unit_test(openapi_describes_patches_and_schemas),
          cmocka_unit_test(figures_are_served), cmocka_unit_test(objects_come_in_protobuf),
          cmocka_unit_test(objects_come_in_yaml),
          cmocka_unit_test(strategic_patches_merge_some_lists),
          cmocka_unit_test(strategic_patches_of_long_lists_end_in_time),
          cmocka_unit_test(strategic_patches_take_out_many_members_in_time),
          cmocka_unit_test(strategic_patches_are_for_built_in_types))
