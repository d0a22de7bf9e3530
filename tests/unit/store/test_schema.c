/* SPDX-License-Identifier: Apache-2.0 */
/* test_schema.c - definitions, pruning, defaults, and validation errors. */
#include "stage.h"

/* The members of a widget's spec, and what is wrong with them. */
static const struct {
    const char *spec, *message;
} faults[] = {
    {"\"size\":\"x\"", "spec.size: Invalid value: \"string\": spec.size in body must be of type "
                       "integer: \"string\""},
    {"\"size\":1.5", "spec.size: Invalid value: \"number\": spec.size in body must be of type "
                     "integer: \"number\""},
    {"", "spec.size: Required value"},
    {"\"size\":null", "spec.size: Required value"},
    {"\"size\":0", "spec.size: Invalid value: 0: spec.size in body should be greater than or equal "
                   "to 1"},
    {"\"size\":101", "spec.size: Invalid value: 101: spec.size in body should be less than or "
                     "equal to 100"},
    {"\"size\":1,\"color\":\"green\"",
     "spec.color: Unsupported value: \"green\": supported values: \"red\", \"blue\""},
    {"\"size\":1,\"name\":\"b\"",
     "spec.name: Invalid value: \"b\": spec.name in body should match '^a+$'"},
    {"\"size\":1,\"name\":\"aaaaaa\"", "spec.name: Too long: may not be more than 5 bytes"},
    {"\"size\":1,\"parts\":[{}]", "spec.parts[0].name: Required value"},
    {"\"size\":1,\"parts\":[{\"name\":\"a\"},{\"name\":\"a\"}]",
     "spec.parts[1]: Duplicate value: {\"name\":\"a\"}"},
    {"\"size\":1,\"parts\":{}", "spec.parts: Invalid value: \"object\": spec.parts in body must be "
                                "of type array: \"object\""},
    {"\"size\":1,\"labels\":{\"k\":7}",
     "spec.labels.k: Invalid value: \"integer\": spec.labels.k in body must be of type string: "
     "\"integer\""},
    {"\"size\":0,\"name\":\"b\"",
     "[spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1, "
     "spec.name: Invalid value: \"b\": spec.name in body should match '^a+$']"},
};

TEST(objects_that_do_not_fit_their_schema_are_rejected_in_kubernetes_words)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();

    for (size_t i = 0; i < COUNT(faults); i++) {
        str body = str_fmt(a, WIDGET("\"name\":\"a\"", "%s"), faults[i].spec);
        ASSERT_ASK(&s, "POST", WIDGETS, str_z(a, body), 422);
        str want = str_fmt(a, "Widget.example.com \"a\" is invalid: %s", faults[i].message);
        assert_str(local_text(&s.c, "message"), want);
        assert_str(local_text(&s.c, "details.kind"), STR("Widget"));
        assert_true(local_text(&s.c, "details.causes.0.field").len > 0);
    }
    stage_end(&s);
}

static const struct {
    const char *spec;
    bool fits;
} multiples[] = {
    {"\"step\":21", true},
    {"\"step\":-21", true},
    {"\"step\":0", true},
    {"\"step\":22", false},
    {"\"step\":9223372036854775807", true},
    {"\"step\":9223372036854775806", false}, /* the same as a double */
    {"\"step\":-9223372036854775808", false},
    {"\"share\":0.3", true}, /* 0.3 / 0.1 is not 3 */
    {"\"share\":0.35", false},
    {"\"share\":0.05", false},
    {"\"share\":7", true},
    {"\"share\":1e30", false},
    {"\"share\":-1e300", false},
};

TEST(multiples_are_counted_exactly)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();

    ASSERT_ASK(
        &s, "POST", CRDS,
        "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
        "\"metadata\":{\"name\":\"stairs.example.com\"},\"spec\":{\"group\":\"example.com\","
        "\"scope\":\"Cluster\"," NAMES(
            "stairs", "Stair") ",\"versions\":[{\"name\":\"v1\","
                               "\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{"
                               "\"type\":\"object\","
                               "\"properties\":{\"step\":{\"type\":\"integer\",\"multipleOf\":7},"
                               "\"share\":{\"type\":\"number\",\"multipleOf\":0.1}}}}}]}}",
        201);
    for (size_t i = 0; i < COUNT(multiples); i++) {
        str body = str_fmt(a,
                           "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Stair\",\"metadata\":{"
                           "\"name\":\"s\"},%s}",
                           multiples[i].spec);
        ASSERT_ASK(&s, "POST", "/apis/example.com/v1/stairs?dryRun=All", str_z(a, body),
                   multiples[i].fits ? 201 : 422);
    }
    assert_true(str_contains(local_text(&s.c, "message"), STR("should be a multiple of 0.1")));
    stage_end(&s);
}

static const struct {
    const char *meta, *message;
} meta_faults[] = {
    {"\"name\":\"A\"", "metadata.name: Invalid value: \"A\": a lowercase RFC 1123 subdomain must "
                       "consist of lower case alphanumeric characters, '-' or '.', and must start "
                       "and end with an alphanumeric character (e.g. 'example.com', regex used for "
                       "validation is "
                       "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"},
    {"", "metadata.name: Required value: name or generateName is required"},
    {"\"name\":\"a\",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"X\",\"name\":\"x\"}]",
     "metadata.ownerReferences[0].uid: Invalid value: \"\": must not be empty"},
    {"\"name\":\"a\",\"finalizers\":[\"orphan\",\"foregroundDeletion\"]",
     "metadata.finalizers: Invalid value: finalizer orphan and foregroundDeletion cannot be both "
     "set"},
};

TEST(metadata_is_checked_too)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();

    for (size_t i = 0; i < COUNT(meta_faults); i++) {
        str body = str_fmt(a, WIDGET("%s", "\"size\":1"), meta_faults[i].meta);
        ASSERT_ASK(&s, "POST", WIDGETS, str_z(a, body), 422);
        assert_true(str_has_suffix(local_text(&s.c, "message"), str_c(meta_faults[i].message)));
    }
    ASSERT_ASK(&s, "POST", WIDGETS, WIDGET("\"name\":7", "\"size\":1"), 400);
    ASSERT_ASK(&s, "POST", WIDGETS, WIDGET("\"name\":\"a\",\"labels\":{\"x\":1}", "\"size\":1"),
               400);
    stage_end(&s);
}

TEST(unknown_fields_are_dropped_with_a_warning_and_kept_where_the_schema_says_so)
{
    struct stage s = stage_begin();

    ASSERT_ASK(&s, "POST", WIDGETS,
               WIDGET("\"name\":\"a\",\"odd\":1",
                      "\"size\":1,\"odd\":1,\"more\":{\"any\":{\"thing\":[1]}},\"parts\":[{"
                      "\"name\":\"p\",\"odd\":2}]"),
               201);
    assert_str(local_text(&s.c, "spec.odd"), STR_NONE);
    assert_str(local_text(&s.c, "metadata.odd"), STR_NONE);
    assert_str(local_text(&s.c, "spec.parts.0.odd"), STR_NONE);
    assert_str(local_text(&s.c, "spec.more.any.thing.0"), STR("1"));
    assert_str(http_header_get(&s.c.headers, STR("Warning")),
               STR("299 - \"unknown field \\\"metadata.odd\\\"\""));
    ASSERT_ASK(&s, "POST", WIDGETS "?fieldValidation=Ignore",
               WIDGET("\"name\":\"b\"", "\"size\":1,\"odd\":1"), 201);
    assert_false(http_header_has(&s.c.headers, STR("Warning")));
    stage_end(&s);
}

/* The head of an answer has its limit; beyond it the client would learn nothing at all. */
TEST(warnings_are_few_and_well_formed)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();
    struct buf spec = buf_new(a, BUF_UNLIMITED);
    size_t bytes = 0;

    buf_add(&spec, STR("\"size\":1,\"a\\\"\\n\":1"));
    for (int i = 0; i < 3000; i++)
        buf_fmt(&spec, ",\"odd%d\":1", i);
    str body = str_fmt(a, WIDGET("\"name\":\"a\"", "%.*s"), STR_ARG(buf_str(&spec)));
    ASSERT_ASK(&s, "POST", WIDGETS, str_z(a, body), 201);
    assert_str(http_header_get(&s.c.headers, STR("Warning")),
               STR("299 - \"unknown field \\\"spec.a\\\\\\\"\\\\n\\\"\""));
    for (size_t i = 0; i < s.c.headers.len; i++)
        bytes += s.c.headers.items[i].value.len;
    assert_true(bytes < 5 * KIB);
    stage_end(&s);
}

/* A definition changes while objects exist: they are read by the new one. */
TEST(defaults_of_a_new_definition_are_there_when_old_objects_are_read)
{
    struct stage s = stage_begin();

    ASSERT_ASK(&s, "POST", WIDGETS, WIDGET("\"name\":\"a\"", "\"size\":1,\"name\":\"aa\""), 201);
    s.c.type = STR("application/json-patch+json");
    ASSERT_ASK(
        &s, "PATCH", CRDS "/widgets.example.com",
        "[{\"op\":\"add\",\"path\":\"/spec/versions/0/schema/openAPIV3Schema/properties/spec/"
        "properties/fresh\",\"value\":{\"type\":\"string\",\"default\":\"new\"}},"
        "{\"op\":\"remove\",\"path\":\"/spec/versions/0/schema/openAPIV3Schema/properties/"
        "spec/properties/name\"}]",
        200);
    s.c.type = STR_NONE;
    assert_str(local_text(&s.c, "metadata.generation"), STR("2"));
    ASSERT_ASK(&s, "GET", WIDGETS "/a", "", 200);
    assert_str(local_text(&s.c, "spec.fresh"), STR("new"));
    assert_str(local_text(&s.c, "spec.name"), STR_NONE);
    stage_end(&s);
}

/* A stricter definition does not lock its objects: only what a write changes is checked. */
TEST(what_a_write_leaves_as_it_was_is_not_checked_again)
{
    static const struct {
        const char *patch;
        int status;
    } patches[] = {
        {"{\"metadata\":{\"labels\":{\"x\":\"y\"}}}", 200},
        {"{\"spec\":{\"color\":\"blue\"}}", 200},
        {"{\"spec\":{\"size\":11}}", 422},
        {"{\"spec\":{\"parts\":[{\"name\":\"q\",\"count\":1},{\"name\":\"p\",\"count\":9}]}}", 200},
        {"{\"spec\":{\"parts\":[{\"name\":\"q\",\"count\":9},{\"name\":\"p\",\"count\":9}]}}", 422},
        {"{\"spec\":{\"size\":4}}", 200},
        {"{\"spec\":{\"size\":10}}", 422},
    };
    struct stage s = stage_begin();

    ASSERT_ASK(&s, "POST", WIDGETS,
               WIDGET("\"name\":\"a\"", "\"size\":10,\"parts\":[{\"name\":\"p\",\"count\":9}]"),
               201);
    s.c.type = STR("application/json-patch+json");
    ASSERT_ASK(
        &s, "PATCH", CRDS "/widgets.example.com",
        "[{\"op\":\"add\",\"path\":\"/spec/versions/0/schema/openAPIV3Schema/properties/spec/"
        "properties/size/maximum\",\"value\":5},{\"op\":\"add\",\"path\":\"/spec/versions/0/"
        "schema/openAPIV3Schema/properties/spec/properties/parts/items/properties/count/"
        "maximum\",\"value\":5}]",
        200);
    s.c.type = STR("application/merge-patch+json");
    for (size_t i = 0; i < COUNT(patches); i++)
        ASSERT_ASK(&s, "PATCH", WIDGETS "/a", patches[i].patch, patches[i].status);
    ASSERT_ASK(&s, "PATCH", WIDGETS "/a/status", "{\"status\":{\"phase\":\"Old\"}}", 200);
    stage_end(&s);
}

#define CRD_WITH(versions)                                                                         \
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","           \
    "\"metadata\":{\"name\":\"things.example.com\"},\"spec\":{\"group\":\"example.com\","          \
    "\"scope\":\"Namespaced\"," NAMES("things", "Thing") ",\"versions\":[" versions "]}}"
#define VERSION(name, storage, schema)                                                             \
    "{\"name\":\"" name "\",\"served\":true,\"storage\":" storage                                  \
    ",\"schema\":{\"openAPIV3Schema\":" schema "}}"

static const struct {
    const char *body, *field;
} crd_faults[] = {
    {CRD_WITH(""), "spec.versions"},
    {CRD_WITH(VERSION("v1", "false", "{\"type\":\"object\"}")), "spec.versions"},
    {CRD_WITH(VERSION("v1", "true", "{\"type\":\"object\"}") "," VERSION("v1", "false",
                                                                         "{\"type\":\"object\"}")),
     "spec.versions[1].name"},
    {CRD_WITH(VERSION("v1", "true", "{\"type\":\"object\",\"properties\":{\"a\":{}}}")),
     "spec.versions[0].schema.openAPIV3Schema.properties[a].type"},
    {CRD_WITH(VERSION("v1", "true",
                      "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\","
                      "\"pattern\":\"(\"}}}")),
     "spec.versions[0].schema.openAPIV3Schema.properties[a].pattern"},
    {CRD_WITH("{\"name\":\"v1\",\"served\":true,\"storage\":true}"),
     "spec.versions[0].schema.openAPIV3Schema"},
};

TEST(definitions_that_are_not_structural_are_rejected)
{
    struct stage s = stage_begin();

    for (size_t i = 0; i < COUNT(crd_faults); i++) {
        ASSERT_ASK(&s, "POST", CRDS, crd_faults[i].body, 422);
        assert_str(local_text(&s.c, "details.causes.0.field"), str_c(crd_faults[i].field));
    }
    ASSERT_ASK(&s, "POST", CRDS, CRD_WITH(VERSION("v1", "true", "{\"type\":\"object\"}")), 201);
    assert_str(local_text(&s.c, "status.conditions.1.type"), STR("Established"));
    assert_str(local_text(&s.c, "status.storedVersions.0"), STR("v1"));
    assert_str(local_text(&s.c, "spec.names.listKind"), STR("ThingList"));
    assert_str(local_text(&s.c, "spec.conversion.strategy"), STR("None"));
    ASSERT_ASK(&s, "GET", "/apis/example.com/v1", "", 200);
    assert_str(local_text(&s.c, "kind"), STR("APIResourceList"));
    stage_end(&s);
}

RUN_TESTS(
    cmocka_unit_test(objects_that_do_not_fit_their_schema_are_rejected_in_kubernetes_words),
    cmocka_unit_test(multiples_are_counted_exactly), cmocka_unit_test(metadata_is_checked_too),
    cmocka_unit_test(unknown_fields_are_dropped_with_a_warning_and_kept_where_the_schema_says_so),
    cmocka_unit_test(warnings_are_few_and_well_formed),
    cmocka_unit_test(defaults_of_a_new_definition_are_there_when_old_objects_are_read),
    cmocka_unit_test(what_a_write_leaves_as_it_was_is_not_checked_again),
    cmocka_unit_test(definitions_that_are_not_structural_are_rejected))
