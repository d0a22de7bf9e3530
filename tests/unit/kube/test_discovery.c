/* SPDX-License-Identifier: Apache-2.0 */
/* Discovery, in all forms, complete and partial. */
#include "../test.h"

#include "support/api_server.h"

static struct api_server *api;

static int start(void **state)
{
    (void)state;
    api = api_start();
    return 0;
}

static int stop(void **state)
{
    (void)state;
    api_stop(api);
    return 0;
}

#define JSON "application/json"

#define AGGREGATED_CORE                                                                            \
    "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/v2\",\"items\":["    \
    "{\"metadata\":{},\"versions\":[{\"version\":\"v1\",\"freshness\":\"Current\",\"resources\":[" \
    "{\"resource\":\"pods\",\"responseKind\":{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\"}" \
    ",\"scope\":\"Namespaced\",\"singularResource\":\"pod\",\"verbs\":[\"get\",\"list\"],"         \
    "\"shortNames\":[\"po\"],\"categories\":[\"all\"],\"subresources\":[{\"subresource\":"         \
    "\"eviction\",\"responseKind\":{\"group\":\"policy\",\"version\":\"v1\",\"kind\":"             \
    "\"Eviction\"},\"verbs\":[\"create\"]}]},"                                                     \
    "{\"resource\":\"nodes\",\"responseKind\":{\"version\":\"v1\",\"kind\":\"Node\"},\"scope\":"   \
    "\"Cluster\",\"singularResource\":\"node\",\"verbs\":[\"list\"]}]}]}]}"

#define AGGREGATED_GROUPS                                                                          \
    "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/v2beta1\","          \
    "\"items\":["                                                                                  \
    "{\"metadata\":{\"name\":\"apps\"},\"versions\":[{\"version\":\"v1\",\"resources\":["          \
    "{\"resource\":\"deployments\",\"responseKind\":{\"group\":\"apps\",\"version\":\"v1\","       \
    "\"kind\":\"Deployment\"},\"scope\":\"Namespaced\",\"singularResource\":\"deployment\","       \
    "\"shortNames\":[\"deploy\"],\"verbs\":[\"list\"]}]},"                                         \
    "{\"version\":\"v1beta1\",\"resources\":[{\"resource\":\"deployments\",\"responseKind\":"      \
    "{\"group\":\"apps\",\"version\":\"v1beta1\",\"kind\":\"Deployment\"},\"scope\":"              \
    "\"Namespaced\"}]}]},"                                                                         \
    "{\"metadata\":{\"name\":\"metrics.k8s.io\"},\"versions\":[{\"version\":\"v1\","               \
    "\"freshness\":\"Stale\",\"resources\":[{\"resource\":\"pods\",\"responseKind\":{\"group\":"   \
    "\"metrics.k8s.io\",\"version\":\"v1\",\"kind\":\"PodMetrics\"}}]}]}]}"

static str shown(struct arena *a, const struct kube_discovery *d)
{
    struct buf b = buf_new(a, 64 * KIB);

    for (size_t i = 0; i < d->resource_count; i++) {
        const struct kube_resource *r = &d->resources[i];
        buf_fmt(&b, "%.*s %.*s/%.*s %.*s %.*s/%.*s%s%s%s\n", STR_ARG(r->name), STR_ARG(r->group),
                STR_ARG(r->version), STR_ARG(r->kind), STR_ARG(r->kind_group),
                STR_ARG(r->kind_version), r->namespaced ? " namespaced" : "",
                r->preferred ? " preferred" : "", r->subresource ? " sub" : "");
    }
    return buf_str(&b);
}

static struct kube_discovery *discover(struct arena *a)
{
    AUTO_ERR e = {0};
    struct kube_discovery *d = NULL;

    assert_ok(kube_discover(api_transport(api), a, NULL, &d, &e), &e);
    return d;
}

TEST(aggregated_discovery_takes_two_requests)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};

    api_answer(api, "/api?", 200, JSON, AGGREGATED_CORE);
    api_answer(api, "/apis?", 200, JSON, AGGREGATED_GROUPS);
    const struct kube_discovery *d = discover(a);
    assert_true(d->aggregated);
    assert_str(shown(a, d), STR("pods /v1 Pod /v1 namespaced preferred\n"
                                "pods/eviction /v1 Eviction policy/v1 namespaced preferred sub\n"
                                "nodes /v1 Node /v1 preferred\n"
                                "deployments apps/v1 Deployment apps/v1 namespaced preferred\n"
                                "deployments apps/v1beta1 Deployment apps/v1beta1 namespaced\n"));
    assert_true(kube_verb_has(&d->resources[0], "list"));
    assert_false(kube_verb_has(&d->resources[0], "watch"));
    assert_str(d->versions[3].doubt, STR("the API behind it does not answer the server (stale)"));
    assert_str(d->versions[0].doubt, STR_NONE);
    assert_ok(kube_discovery_complete(d, &e), &e);
    assert_str(api_requests(api, a, true),
               STR("GET /api?timeout=32s "
                   "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
                   "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
                   "application/json\n"
                   "GET /apis?timeout=32s "
                   "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
                   "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
                   "application/json\n"));
}

#define GROUPS                                                                                     \
    "{\"kind\":\"APIGroupList\",\"groups\":[{\"name\":\"apps\",\"versions\":[{\"groupVersion\":"   \
    "\"apps/v1beta1\",\"version\":\"v1beta1\"},{\"groupVersion\":\"apps/v1\",\"version\":\"v1\"}]" \
    ",\"preferredVersion\":{\"groupVersion\":\"apps/v1\",\"version\":\"v1\"}}]}"
#define DEPLOYMENTS                                                                                \
    "{\"kind\":\"APIResourceList\",\"resources\":[{\"name\":\"deployments\",\"singularName\":\"\"" \
    ",\"namespaced\":true,\"kind\":\"Deployment\",\"verbs\":[\"list\"]},{\"name\":"                \
    "\"deployments/scale\",\"namespaced\":true,\"group\":\"autoscaling\",\"version\":\"v1\","      \
    "\"kind\":\"Scale\",\"verbs\":[]}]}"

TEST(classic_discovery_asks_for_every_version)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};

    api_answer(api, "/api?", 200, JSON, "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}");
    api_answer(api, "/apis?", 200, JSON, GROUPS);
    api_answer(api, "/api/v1?", 200, JSON,
               "{\"resources\":[{\"name\":\"nodes\",\"kind\":\"Node\"},{\"name\":\"\"},3]}");
    api_answer(api, "/apis/apps/v1?", 200, JSON, DEPLOYMENTS);
    api_answer(api, "/apis/apps/v1beta1?", 503, "text/plain", "down");
    const struct kube_discovery *d = discover(a);
    assert_false(d->aggregated);
    assert_str(shown(a, d),
               STR("nodes /v1 Node / preferred\n"
                   "deployments apps/v1 Deployment / namespaced preferred\n"
                   "deployments/scale apps/v1 Scale autoscaling/v1 namespaced preferred sub\n"));
    assert_str(d->versions[0].doubt,
               STR("the server lists a resource of it without a name or a kind"));
    assert_false(kube_discovery_complete(d, &e));
    assert_str(e.text, STR("unable to retrieve the complete list of server APIs: apps/v1beta1: the "
                           "server is currently unable to handle the request"));
    assert_int_equal(e.kind, ERR_IO);
}

TEST(a_server_of_extensions_alone_has_no_core)
{
    AUTO_ARENA a = arena_new();

    api_answer(api, "/api?", 404, "text/plain", "404 page not found");
    api_answer(api, "/apis?", 200, JSON, AGGREGATED_GROUPS);
    assert_int_equal(discover(a)->resource_count, 2);
}

TEST(a_server_that_refuses_its_groups_is_an_error)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct kube_discovery *d;

    api_answer(api, "/api?", 200, JSON, AGGREGATED_CORE);
    api_answer(api, "/apis?", 401, JSON,
               "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"Unauthorized\","
               "\"reason\":\"Unauthorized\",\"code\":401}");
    assert_false(kube_discover(api_transport(api), a, NULL, &d, &e));
    assert_str(e.text, STR("Unauthorized"));
    assert_int_equal(e.kind, ERR_DENIED);
}

/* Taken for empty, they would make kinds of the cluster unknown. */
static const struct {
    const char *core, *groups, *core_v1, *want;
} malformed[] = {
    {"{\"versions\":\"v1\"}", NULL, NULL, "/api: \"versions\" is not a list but a string"},
    {"[]", NULL, NULL, "/api: the server sent list where an object should be"},
    {"{\"versions\":[]}", "{\"groups\":{}}", NULL, "/apis: \"groups\" is not a list but an object"},
    {"{\"versions\":[]}", "{\"groups\":[],\"groups\":[]}", NULL, "/apis: duplicate key \"groups\""},
    {"{\"kind\":\"APIGroupDiscoveryList\",\"items\":1}", NULL, NULL,
     "/api: \"items\" is not a list but an integer"},
    {"{\"versions\":[\"v1\"]}", "{\"groups\":[]}", "{\"resources\":\"none\"}",
     "unable to retrieve the complete list of server APIs: v1: /api/v1: \"resources\" is not a "
     "list but a string"},
    {"{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"versions\":[{\"version\":\"v1\","
     "\"resources\":{}}]}]}",
     "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[]}", NULL,
     "unable to retrieve the complete list of server APIs: v1: \"resources\" is not a list but an "
     "object"},
    {"{\"kind\":\"Status\",\"status\":\"Failure\"}", NULL, NULL,
     "/api: the server's response has no \"versions\""},
    {"{\"versions\":[]}", "{}", NULL, "/apis: the server's response has no \"groups\""},
    {"{\"kind\":\"APIGroupDiscoveryList\"}", NULL, NULL,
     "/api: the server's response has no \"items\""},
    {"{\"versions\":[\"v1\"]}", "{\"groups\":[]}", "{\"kind\":\"Status\"}",
     "unable to retrieve the complete list of server APIs: v1: /api/v1: the server's response has "
     "no \"resources\""},
    {"{\"versions\":[1]}", "{\"groups\":[]}", NULL, "a version of the core has no name"},
    {"{\"versions\":[]}", "{\"groups\":[\"apps\"]}", NULL, "a group is not an object but string"},
    {"{\"versions\":[]}", "{\"groups\":[{\"name\":5}]}", NULL,
     "\"name\" is not a string but an integer"},
    {"{\"versions\":[]}", "{\"groups\":[{\"name\":\"apps\",\"versions\":{}}]}", NULL,
     "\"versions\" is not a list but an object"},
    {"{\"versions\":[]}", "{\"groups\":[{\"name\":\"apps\",\"versions\":[{\"version\":1}]}]}", NULL,
     "a version of apps has no name"},
    {"{\"kind\":\"APIGroupDiscoveryList\",\"items\":[]}",
     "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":1}}]}", NULL,
     "\"name\" is not a string but an integer"},
    {"{\"kind\":\"APIGroupDiscoveryList\",\"items\":[]}",
     "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":\"apps\"},"
     "\"versions\":[{\"resources\":[]}]}]}",
     NULL, "a version of apps has no name"},
};

TEST(lists_that_are_none_are_errors)
{
    for (size_t i = 0; i < COUNT(malformed); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct kube_discovery *d;

        api_answer_no_more(api);
        api_answer(api, "/api?", 200, JSON, malformed[i].core);
        if (malformed[i].groups)
            api_answer(api, "/apis?", 200, JSON, malformed[i].groups);
        if (malformed[i].core_v1)
            api_answer(api, "/api/v1?", 200, JSON, malformed[i].core_v1);
        if (kube_discover(api_transport(api), a, NULL, &d, &e))
            assert_false(kube_discovery_complete(d, &e));
        assert_str(e.text, str_c(malformed[i].want));
    }
}

static const struct {
    const char *text, *want;
} words[] = {
    {"pods", "pods /v1"},
    {"pod", "pods /v1"},
    {"Pod", "pods /v1"},
    {"po", "pods /v1"},
    {"pods/eviction", NULL},
    {"deploy", "deployments apps/v1"},
    {"deployments.apps", "deployments apps/v1"},
    {"deployments.v1beta1.apps", "deployments apps/v1beta1"},
    {"deployments.v1.apps", "deployments apps/v1"},
    {"deployments.other", NULL},
    {"deployments.v9.apps", NULL},
    {"", NULL},
    {".", NULL},
    {"nothing", NULL},
};

TEST(words_of_people_find_resources)
{
    AUTO_ARENA a = arena_new();

    api_answer(api, "/api?", 200, JSON, AGGREGATED_CORE);
    api_answer(api, "/apis?", 200, JSON, AGGREGATED_GROUPS);
    const struct kube_discovery *d = discover(a);
    for (size_t i = 0; i < COUNT(words); i++) {
        const struct kube_resource *r = kube_resource_find(d, str_c(words[i].text));
        assert_int_equal(r != NULL, words[i].want != NULL);
        if (r)
            assert_str(str_fmt(a, "%.*s %.*s/%.*s", STR_ARG(r->name), STR_ARG(r->group),
                               STR_ARG(r->version)),
                       str_c(words[i].want));
    }
    assert_str(kube_kind_find(d, STR("Deployment"), STR_NONE, STR_NONE)->version, STR("v1"));
    assert_str(kube_kind_find(d, STR("Deployment"), STR("apps"), STR("v1beta1"))->version,
               STR("v1beta1"));
    assert_null(kube_kind_find(d, STR("Eviction"), STR_NONE, STR_NONE));
    assert_non_null(kube_kind_exact(d, STR("v1"), STR("Pod")));
    assert_null(kube_kind_exact(d, STR("v1"), STR("Deployment")));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)
RUN_TESTS(CASE(aggregated_discovery_takes_two_requests),
          CASE(classic_discovery_asks_for_every_version),
          CASE(a_server_of_extensions_alone_has_no_core),
          CASE(a_server_that_refuses_its_groups_is_an_error), CASE(lists_that_are_none_are_errors),
          CASE(words_of_people_find_resources))
