/* SPDX-License-Identifier: Apache-2.0 */
/* test_write.c - create, get, update, patch, status: what clients can rely on. */
#include "stage.h"

TEST(an_object_gets_what_the_server_decides)
{
    struct stage s = stage_begin();

    ASSERT_ASK(&s, "POST", WIDGETS, WIDGET("\"name\":\"a\"", "\"size\":1"), 201);
    assert_str(local_text(&s.c, "metadata.creationTimestamp"), STR("2027-01-15T08:00:00Z"));
    assert_str(local_text(&s.c, "metadata.generation"), STR("1"));
    assert_str(local_text(&s.c, "metadata.namespace"), STR("default"));
    assert_int_equal(local_text(&s.c, "metadata.uid").len, 36);
    assert_str(local_text(&s.c, "spec.color"), STR("red"));
    assert_str(local_text(&s.c, "status.phase"), STR("New"));
    ASSERT_ASK(&s, "GET", WIDGETS "/a", "", 200);
    assert_str(local_text(&s.c, "spec.size"), STR("1"));
    ASSERT_ASK(&s, "GET", "/apis/example.com/v2/namespaces/default/widgets/a", "", 200);
    assert_str(local_text(&s.c, "apiVersion"), STR("example.com/v2"));
    assert_str(local_text(&s.c, "spec.color"), STR_NONE);
    stage_end(&s);
}

TEST(generated_names_differ_and_dry_runs_leave_nothing)
{
    struct stage s = stage_begin();

    ASSERT_ASK(&s, "POST", WIDGETS, WIDGET("\"generateName\":\"w-\"", "\"size\":1"), 201);
    assert_int_equal(local_text(&s.c, "metadata.name").len, 7);
    ASSERT_ASK(&s, "POST", WIDGETS, WIDGET("\"generateName\":\"w-\"", "\"size\":1"), 201);
    uint64_t before = store_version(s.store);
    ASSERT_ASK(&s, "POST", WIDGETS "?dryRun=All", WIDGET("\"name\":\"d\"", "\"size\":1"), 201);
    ASSERT_ASK(&s, "GET", WIDGETS "/d", "", 404);
    assert_int_equal(store_version(s.store), before);
    stage_end(&s);
}

static const struct {
    const char *method, *target, *type, *body;
    int status;
    const char *reason, *message;
} refusals[] = {
    {"GET", WIDGETS "/x", "", "", 404, "NotFound", "widgets.example.com \"x\" not found"},
    {"POST", WIDGETS, "", WIDGET("\"name\":\"a\"", "\"size\":2"), 409, "AlreadyExists",
     "widgets.example.com \"a\" already exists"},
    {"POST", "/apis/example.com/v1/namespaces/none/widgets", "",
     WIDGET("\"name\":\"b\"", "\"size\":2"), 404, "NotFound", "namespaces \"none\" not found"},
    {"POST", WIDGETS, "", WIDGET("\"name\":\"b\",\"namespace\":\"other\"", "\"size\":2"), 400,
     "BadRequest",
     "the namespace of the provided object does not match the namespace sent on the request"},
    {"PUT", WIDGETS "/a", "", WIDGET("\"name\":\"a\",\"resourceVersion\":\"1\"", "\"size\":2"), 409,
     "Conflict",
     "Operation cannot be fulfilled on widgets.example.com \"a\": the object has been modified; "
     "please apply your changes to the latest version and try again"},
    {"PUT", WIDGETS "/a", "", WIDGET("\"name\":\"a\"", "\"size\":2"), 422, "Invalid",
     "widgets.example.com \"a\" is invalid: metadata.resourceVersion: Invalid value: 0: must be "
     "specified for an update"},
    {"PUT", WIDGETS "/a", "", WIDGET("\"name\":\"b\"", "\"size\":2"), 400, "BadRequest",
     "the name of the object (b) does not match the name on the URL (a)"},
    {"PATCH", WIDGETS "/a", "application/merge-patch+json", "{\"spec\":{\"size\":0}}", 422,
     "Invalid",
     "Widget.example.com \"a\" is invalid: spec.size: Invalid value: 0: spec.size in body should "
     "be greater than or equal to 1"},
    {"PATCH", WIDGETS "/a", "application/json-patch+json",
     "[{\"op\":\"remove\",\"path\":\"/spec/nothing\"}]", 422, "Invalid",
     "the server rejected our request due to an error in our request"},
    {"PATCH", WIDGETS "/a", "application/apply-patch+yaml", "{}", 415, "UnsupportedMediaType",
     "the embedded store understands JSON patches and merge patches, not "
     "\"application/apply-patch+yaml\" - accepted media types include: "
     "application/json-patch+json, application/merge-patch+json"},
    {"POST", WIDGETS, "", "{", 400, "BadRequest", NULL},
    {"POST", WIDGETS, "", "[]", 400, "BadRequest", "the body of the request must be an object"},
    {"POST", WIDGETS, "", GADGET("\"name\":\"b\""), 422, "Invalid",
     "Gadget.example.com \"b\" is invalid: kind: Invalid value: \"Gadget\": must be Widget"},
    {"POST", "/api/v1/namespaces/default/secrets", "", "{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}",
     400, "BadRequest", "the kind in the data (Pod) does not match the expected kind (Secret)"},
    {"POST", "/api/v1/namespaces/default/secrets", "",
     "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\"},\"data\":{\"a\":"
     "\"?\"}}",
     400, "BadRequest",
     "Secret in version \"v1\" cannot be handled as a Secret: illegal base64 data at input byte 0"},
    {"POST", "/api/v1/namespaces/default/secrets", "",
     "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\"},\"data\":{\"a\":"
     "\"YWE-\"}}",
     400, "BadRequest",
     "Secret in version \"v1\" cannot be handled as a Secret: illegal base64 data at input byte 3"},
    {"GET", WIDGETS "?resourceVersionMatch=Exact", "", "", 422, "Invalid",
     "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: "
     "resourceVersionMatch is forbidden unless resourceVersion is provided"},
    {"DELETE", WIDGETS "/a", "", "{\"preconditions\":{\"resourceVersion\":\"1\"}}", 409, "Conflict",
     "Operation cannot be fulfilled on Widget.example.com \"a\": the ResourceVersion in the "
     "precondition (1) does not match the ResourceVersion in record (5). The object might have "
     "been "
     "modified"},
    {"POST", WIDGETS "?fieldValidation=Strict", "",
     WIDGET("\"name\":\"b\"", "\"size\":2,\"wrong\":1"), 400, "BadRequest",
     "Widget in version \"v1\" cannot be handled as a Widget: strict decoding error: unknown "
     "field \"spec.wrong\""},
    {"POST", WIDGETS "/a/status", "", "{}", 405, "MethodNotAllowed",
     "the server does not allow this method on the requested resource"},
    {"GET", "/api/v1/pods", "", "", 404, "NotFound",
     "the server could not find the requested resource: the embedded store serves namespaces, "
     "secrets, configmaps, events, leases, customresourcedefinitions and the resources that these "
     "define"},
    {"GET", "/api/v1//x", "", "", 404, "NotFound", NULL},
    {"DELETE", "/api/v1/namespaces/default", "", "", 403, "Forbidden",
     "namespaces \"default\" is forbidden: this namespace may not be deleted"},
    {"DELETE", WIDGETS "/a", "", "{\"preconditions\":{\"uid\":\"x\"}}", 409, "Conflict", NULL},
    {"GET", WIDGETS "?fieldSelector=spec.size%3D1", "", "", 400, "BadRequest",
     "field label not supported: spec.size"},
    {"GET", WIDGETS "?labelSelector=a%3D%3D%3Db", "", "", 400, "BadRequest", NULL},
    {"GET", WIDGETS "?resourceVersion=999", "", "", 504, "Timeout", NULL},
    {"GET", WIDGETS "?continue=%21", "", "", 400, "BadRequest", "continue key is not valid"},
};

TEST(refusals_have_kubernetes_words)
{
    struct stage s = stage_begin();

    ASSERT_ASK(&s, "POST", WIDGETS, WIDGET("\"name\":\"a\"", "\"size\":1"), 201);
    uint64_t before = store_version(s.store);
    for (size_t i = 0; i < COUNT(refusals); i++) {
        s.c.type = str_c(refusals[i].type);
        ASSERT_ASK(&s, refusals[i].method, refusals[i].target, refusals[i].body,
                   refusals[i].status);
        assert_str(local_text(&s.c, "reason"), str_c(refusals[i].reason));
        if (refusals[i].message)
            assert_str(local_text(&s.c, "message"), str_c(refusals[i].message));
    }
    assert_int_equal(store_version(s.store), before);
    s.c.type = STR_NONE;
    stage_end(&s);
}

/* Each step: a merge patch, to the object or its status, and the generation afterwards. */
static const struct {
    const char *target, *patch, *generation;
    bool writes;
} steps[] = {
    {WIDGETS "/a", "{\"spec\":{\"size\":2}}", "2", true},
    {WIDGETS "/a", "{\"metadata\":{\"labels\":{\"x\":\"y\"}}}", "2", true},
    {WIDGETS "/a", "{\"metadata\":{\"labels\":{\"x\":\"y\"}}}", "2", false},
    {WIDGETS "/a", "{\"status\":{\"phase\":\"Ignored\"}}", "2", false},
    {WIDGETS "/a/status", "{\"status\":{\"phase\":\"Done\"}}", "2", true},
    {WIDGETS "/a/status", "{\"spec\":{\"size\":9}}", "2", false},
    {WIDGETS "/a", "{\"metadata\":{\"uid\":null,\"generation\":77}}", "2", false},
    {WIDGETS "/a", "{\"spec\":{\"color\":null}}", "2", false},
    {WIDGETS "/a", "{\"spec\":{\"color\":\"blue\"}}", "3", true},
};

TEST(the_generation_counts_what_is_neither_metadata_nor_status)
{
    struct stage s = stage_begin();

    ASSERT_ASK(&s, "POST", WIDGETS, WIDGET("\"name\":\"a\"", "\"size\":1"), 201);
    s.c.type = STR("application/merge-patch+json");
    for (size_t i = 0; i < COUNT(steps); i++) {
        uint64_t before = store_version(s.store);
        ASSERT_ASK(&s, "PATCH", steps[i].target, steps[i].patch, 200);
        assert_str(local_text(&s.c, "metadata.generation"), str_c(steps[i].generation));
        assert_int_equal(store_version(s.store) - before, steps[i].writes);
    }
    assert_str(local_text(&s.c, "spec.size"), STR("2"));
    assert_str(local_text(&s.c, "status.phase"), STR("Done"));
    stage_end(&s);
}

static str fields_of(const struct local *c, struct arena *a)
{
    const struct value *list = value_get(value_get(c->body, STR("metadata")), STR("managedFields"));
    struct buf b = buf_new(a, 8 * KIB);

    for (size_t i = 0; i < value_len(list); i++) {
        const struct value *v = &list->items[i];
        buf_fmt(&b, "%.*s %.*s %.*s", STR_ARG(value_get_str(v, STR("manager"))),
                STR_ARG(value_get_str(v, STR("apiVersion"))),
                STR_ARG(value_get_str(v, STR("subresource"))));
        for (const struct value *f = value_get(v, STR("fieldsV1")); value_len(f); f = &f->items[0])
            for (size_t k = 0; k < f->len; k++)
                buf_fmt(&b, "%s%.*s", k ? "," : " ", STR_ARG(value_key(&f->items[k])));
        buf_char(&b, '\n');
    }
    return buf_str(&b);
}

TEST(managed_fields_say_who_wrote_what_in_which_version)
{
    AUTO_ARENA a = arena_new();
    struct stage s = stage_begin();

    ASSERT_ASK(&s, "POST", WIDGETS "?fieldManager=alice", WIDGET("\"name\":\"a\"", "\"size\":1"),
               201);
    assert_str(fields_of(&s.c, a), STR("alice example.com/v1  f:spec,f:status .,f:color,f:size\n"));
    s.c.type = STR("application/merge-patch+json");
    clock_advance(NS_PER_SEC);
    ASSERT_ASK(&s, "PATCH", WIDGETS "/a/status?fieldManager=op", "{\"status\":{\"phase\":\"X\"}}",
               200);
    clock_advance(NS_PER_SEC);
    ASSERT_ASK(&s, "PATCH", "/apis/example.com/v2/namespaces/default/widgets/a?fieldManager=bob",
               "{\"spec\":{\"size\":5}}", 200);
    ASSERT_ASK(&s, "GET", WIDGETS "/a", "", 200);
    assert_str(fields_of(&s.c, a), STR("alice example.com/v1  f:spec,f:status .,f:color\n"
                                       "op example.com/v1 status f:status f:phase\n"
                                       "bob example.com/v2  f:spec f:size\n"));
    /* A write in v2, which does not know it, loses it; v1 has a default. */
    assert_str(local_text(&s.c, "spec.color"), STR("red"));
    stage_end(&s);
}

#define PLAIN_SECRET(data)                                                                         \
    "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"p\"},"                    \
    "\"stringData\":" data "}"

/* A password without quotes in YAML: it was stored as an empty one. */
TEST(plain_data_of_secrets_that_is_no_text_is_rejected)
{
    static const char *const bad[] = {
        PLAIN_SECRET("{\"a\":\"x\",\"k\":123456}"), PLAIN_SECRET("{\"k\":true}"),
        PLAIN_SECRET("{\"k\":{\"a\":\"b\"}}"), PLAIN_SECRET("[\"a\"]"), PLAIN_SECRET("\"a\"")};
    struct stage s = stage_begin();

    for (size_t i = 0; i < COUNT(bad); i++)
        ASSERT_ASK(&s, "POST", "/api/v1/namespaces/default/secrets", bad[i], 422);
    assert_true(str_contains(local_text(&s.c, "message"), STR("stringData")));
    ASSERT_ASK(&s, "POST", "/api/v1/namespaces/default/secrets",
               PLAIN_SECRET("{\"a\":\"x\",\"k\":null}"), 201);
    assert_str(local_text(&s.c, "data.a"), STR("eA=="));
    s.c.type = STR("application/merge-patch+json");
    ASSERT_ASK(&s, "PATCH", "/api/v1/namespaces/default/secrets/p", "{\"stringData\":{\"a\":1}}",
               422);
    ASSERT_ASK(&s, "GET", "/api/v1/namespaces/default/secrets/p", "", 200);
    assert_str(local_text(&s.c, "data.a"), STR("eA=="));
    stage_end(&s);
}

TEST(secrets_take_plain_texts_and_keep_them_encoded)
{
    struct stage s = stage_begin();

    ASSERT_ASK(&s, "POST", "/api/v1/namespaces/default/secrets",
               "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"s\"},"
               "\"stringData\":{\"k\":\"planted-secret\"}}",
               201);
    assert_str(local_text(&s.c, "type"), STR("Opaque"));
    assert_str(local_text(&s.c, "data.k"), STR("cGxhbnRlZC1zZWNyZXQ="));
    assert_str(local_text(&s.c, "stringData.k"), STR_NONE);
    assert_str(local_text(&s.c, "metadata.generation"), STR_NONE);
    ASSERT_ASK(&s, "POST", "/api/v1/namespaces/default/secrets",
               "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"t\"},"
               "\"data\":{\"k\":\"*\"}}",
               400);
    s.c.accept = STR("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
    ASSERT_ASK(&s, "GET", "/api/v1/namespaces/default/secrets/s", "", 200);
    assert_str(local_text(&s.c, "kind"), STR("PartialObjectMetadata"));
    assert_str(local_text(&s.c, "data.k"), STR_NONE);
    s.c.accept = STR("application/vnd.kubernetes.protobuf");
    ASSERT_ASK(&s, "GET", "/api/v1/namespaces/default/secrets/s", "", 406);
    stage_end(&s);
}

RUN_TESTS(cmocka_unit_test(an_object_gets_what_the_server_decides),
          cmocka_unit_test(generated_names_differ_and_dry_runs_leave_nothing),
          cmocka_unit_test(refusals_have_kubernetes_words),
          cmocka_unit_test(the_generation_counts_what_is_neither_metadata_nor_status),
          cmocka_unit_test(managed_fields_say_who_wrote_what_in_which_version),
          cmocka_unit_test(plain_data_of_secrets_that_is_no_text_is_rejected),
          cmocka_unit_test(secrets_take_plain_texts_and_keep_them_encoded))
