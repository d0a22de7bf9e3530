/* SPDX-License-Identifier: Apache-2.0 */
/* test_kinds.c - caches of kinds while definitions change. */
#include "../test.h"

#include "azure/crd.h"
#include "net/server/handler_serve.h"
#include "operator/kinds.h"
#include "store/store.h"
#include "support/local.h"
#include "text/json/json.h"

#include <stdatomic.h>

#define GROUPS "/apis/resources.azure.com/v1api20200601/namespaces/default/resourcegroups"
#define GROUP                                                                                      \
    "{\"apiVersion\":\"resources.azure.com/v1api20200601\",\"kind\":\"ResourceGroup\","            \
    "\"metadata\":{\"name\":\"rg\"},\"spec\":{\"location\":\"westus2\"}}"
#define DEFINITIONS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
/* Far beyond what a busy machine takes. */
#define PATIENCE (60 * NS_PER_SEC)

struct stage {
    struct arena *arena;
    struct model *model;
    struct store *store;
    struct server *api;
    struct local client;
    struct kube_config kube;
    struct kube_transport *transport;
    struct kube_watches *hub;
    struct kinds *kinds;
    struct value *definition;
    struct handler handler;
    atomic_bool refuses; /* lists of the new version */
    atomic_bool unknown; /* lists of groups are, for the server */
    atomic_uint unknown_lists;
};

static const struct object_key rg = {.group = STR_INIT("resources.azure.com"),
                                     .kind = STR_INIT("ResourceGroup"),
                                     .namespace = STR_INIT("default"),
                                     .name = STR_INIT("rg")};

static void answer(void *ctx, struct handler_call *c)
{
    struct stage *s = ctx;

    if (atomic_load(&s->refuses) && str_contains(c->path, STR("/v1api20200601later/")))
        handler_reply(c, 503, STR_NONE, STR_NONE);
    else if (atomic_load(&s->unknown) && str_contains(c->path, STR("/resourcegroups"))) {
        atomic_fetch_add(&s->unknown_lists, 1);
        handler_reply(c, 404, STR_NONE, STR_NONE);
    } else
        handler_answer(store_handler(s->store), c);
}

static void on_change(void *ctx, const struct object_key *key)
{
    (void)ctx;
    (void)key;
}

static void on_wake(void *ctx)
{
    (void)ctx;
}

static void send(struct stage *s, const char *method, const char *path, int status)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);

    assert_true(json_write(&b, s->definition, &json_exact, NULL));
    assert_int_equal(local_ask(&s->client, method, path, str_z(a, buf_str(&b))), status);
}

static void open_stage(struct stage *s)
{
    struct store_config store = store_defaults();
    const struct model_resource **versions;
    size_t count;
    AUTO_ERR e = {0};

    *s = (struct stage){.arena = arena_new(), .handler = {answer, s}};
    assert_true(store_open(&store, &s->store, &e));
    assert_true(model_open(s->arena, STR_NONE, &s->model, &e));
    assert_true(server_start(&(struct server_config){.handle = handler_serve,
                                                     .ctx = (void *)&s->handler,
                                                     .body_max = STORE_BODY_MAX},
                             &s->api, &e));
    s->client = local_client(store_handler(s->store));
    s->kube = (struct kube_config){
        .server = server_url(s->api), .namespace = STR("default"), .http = http_defaults()};
    assert_true(kube_transport_new(&s->kube, STR("test"), &s->transport, &e));
    assert_true(model_versions(s->model, s->arena, rg.group, rg.kind, &versions, &count, &e));
    s->definition =
        value_copy(s->arena, crd_build(s->arena, (const struct model_resource *const *)versions,
                                       count, &(struct crd_options){0}));
    send(s, "POST", DEFINITIONS, 201);
    assert_int_equal(local_ask(&s->client, "POST", GROUPS, GROUP), 201);
    s->hub = kube_watches_new(s->transport);
    s->kinds = kinds_new(&(struct kinds_config){
        .hub = s->hub, .model = s->model, .changed = on_change, .wake = on_wake});
}

static void close_stage(struct stage *s)
{
    kinds_free(s->kinds);
    kube_watches_free(s->hub);
    kube_transport_free(s->transport);
    server_stop(s->api, 0);
    local_end(&s->client);
    store_close(s->store);
    model_close(s->model);
    arena_free(s->arena);
}

/* The definition gets a version, in which objects are stored from now on. */
static void store_in_another(struct stage *s)
{
    struct value *versions = value_get(value_get(s->definition, STR("spec")), STR("versions"));
    struct value *later = NULL;

    for (size_t i = 0; i < value_len(versions); i++) {
        struct value *v = value_at(versions, i);
        if (!value_is_true(value_get(v, STR("storage"))))
            continue;
        later = value_copy(s->arena, v);
        value_set_bool(s->arena, v, STR("storage"), false);
        value_set_str(s->arena, later, STR("name"), STR("v1api20200601later"));
    }
    value_add(s->arena, versions, later);
    assert_int_equal(
        local_ask(&s->client, "GET", DEFINITIONS "/resourcegroups.resources.azure.com", ""), 200);
    value_set_str(s->arena, object_meta(s->definition), STR("resourceVersion"),
                  value_get_str(object_meta(s->client.body), STR("resourceVersion")));
    send(s, "PUT", DEFINITIONS "/resourcegroups.resources.azure.com", 200);
}

/* The version in which the object is seen; empty when it is not. */
static str seen_in(struct stage *s, struct arena *a)
{
    str group, version;

    kinds_step(s->kinds);
    api_version_split(value_get_str(kinds_find(s->kinds, a, &rg), STR("apiVersion")), &group,
                      &version);
    return version;
}

static void until_seen_in(struct stage *s, const char *version, bool always)
{
    int64_t end = clock_mono() + PATIENCE;

    for (;;) {
        AUTO_ARENA a = arena_new();
        str seen = seen_in(s, a);
        if (str_eq(seen, str_c(version)))
            return;
        assert_true(seen.len || !always);
        assert_true(clock_mono() < end);
        clock_sleep(NS_PER_MS);
    }
}

TEST(objects_stay_while_they_are_stored_in_another_version)
{
    struct stage s;

    open_stage(&s);
    until_seen_in(&s, "v1api20200601", false);
    atomic_store(&s.refuses, true);
    store_in_another(&s);
    /* The list of the new version fails, and is tried again. */
    for (uint64_t failures = 0; failures < 1; failures = kinds_stats(s.kinds).failures) {
        AUTO_ARENA a = arena_new();
        assert_true(str_eq(seen_in(&s, a), STR("v1api20200601")));
        clock_sleep(NS_PER_MS);
    }
    atomic_store(&s.refuses, false);
    until_seen_in(&s, "v1api20200601later", true);
    assert_int_equal(kinds_stats(s.kinds).kinds, 1);
    close_stage(&s);
}

static void set_established(struct stage *s, const char *status)
{
    AUTO_ARENA a = arena_new();
    str patch = str_fmt(a,
                        "{\"status\":{\"conditions\":[{\"type\":\"Established\",\"status\":\"%s\","
                        "\"reason\":\"Test\",\"message\":\"\",\"lastTransitionTime\":"
                        "\"2026-01-01T00:00:00Z\"}]}}",
                        status);

    s->client.type = STR("application/merge-patch+json");
    assert_int_equal(local_ask(&s->client, "PATCH",
                               DEFINITIONS "/resourcegroups.resources.azure.com/status",
                               str_z(a, patch)),
                     200);
    s->client.type = STR("application/json");
}

static void until_synced(struct stage *s)
{
    int64_t end = clock_mono() + PATIENCE;

    for (kinds_step(s->kinds); !kinds_synced(s->kinds); kinds_step(s->kinds)) {
        assert_true(clock_mono() < end);
        clock_sleep(NS_PER_MS);
    }
}

/*
 * Nothing is asked before the definition is established, and what a server does not serve yet is
 * no failure.
 */
TEST(kinds_are_watched_once_they_are_established)
{
    struct stage s;

    open_stage(&s);
    kinds_free(s.kinds);
    set_established(&s, "False");
    atomic_store(&s.unknown, true);
    s.kinds = kinds_new(&(struct kinds_config){
        .hub = s.hub, .model = s.model, .changed = on_change, .wake = on_wake});
    until_synced(&s);
    assert_int_equal(kinds_stats(s.kinds).kinds, 0);
    assert_int_equal(atomic_load(&s.unknown_lists), 0);

    set_established(&s, "True");
    for (int64_t end = clock_mono() + PATIENCE; !atomic_load(&s.unknown_lists);) {
        kinds_step(s.kinds);
        assert_true(clock_mono() < end);
        clock_sleep(NS_PER_MS);
    }
    assert_int_equal(kinds_stats(s.kinds).kinds, 1);
    atomic_store(&s.unknown, false);
    until_seen_in(&s, "v1api20200601", false);
    assert_int_equal(kinds_stats(s.kinds).failures, 0);
    close_stage(&s);
}

RUN_TESTS(cmocka_unit_test(objects_stay_while_they_are_stored_in_another_version),
          cmocka_unit_test(kinds_are_watched_once_they_are_established))
