/* SPDX-License-Identifier: Apache-2.0 */
/* test_served.c - the store behind a socket, with plumb's own Kubernetes client. */
#include "stage.h"

#include "kube/cache.h"
#include "kube/client.h"
#include "kube/discovery.h"
#include "net/server/handler_serve.h"
#include "text/json/json.h"

#include <sched.h>

static const struct kube_resource widgets = {
    .group = STR_INIT("example.com"),
    .version = STR_INIT("v1"),
    .name = STR_INIT("widgets"),
    .kind = STR_INIT("Widget"),
    .namespaced = true,
};

static struct value *parsed(struct arena *a, const char *text)
{
    const struct source src = {.text = str_c(text)};
    struct value *v = NULL;

    assert_true(json_read(a, &src, NULL, &v, NULL));
    return v;
}

/* Waits until the cache has, or has not, an object with that size. */
static void await(struct kube_cache *cache, const char *name, const char *size)
{
    for (;;) {
        AUTO_ARENA a = arena_new();
        const struct value *v = kube_cache_get(cache, a, STR("default"), str_c(name));
        if (size
                ? str_eq(value_text(value_get(value_get(v, STR("spec")), STR("size"))), str_c(size))
                : !v)
            return;
        sched_yield();
    }
}

/* A store behind a socket, and a client of it. */
struct served {
    struct stage stage;
    struct server *server;
    struct kube_config config; /* the transport looks at it */
    struct kube_transport *transport;
};

static void begin(struct served *v)
{
    AUTO_ERR e = {0};

    *v = (struct served){.stage.config = store_defaults()};
    stage_open(&v->stage);
    ASSERT_ASK(&v->stage, "POST", CRDS, WIDGET_CRD, 201);
    struct server_config listen = {.handle = handler_serve,
                                   .ctx = (void *)(uintptr_t)store_handler(v->stage.store)};
    assert_ok(server_start(&listen, &v->server, &e), &e);
    v->config = (struct kube_config){.server = server_url(v->server), .http = http_defaults()};
    v->config.http.no_proxy = true;
    assert_ok(kube_transport_new(&v->config, STR("test"), &v->transport, &e), &e);
}

static void end(struct served *v)
{
    kube_transport_free(v->transport);
    server_stop(v->server, NS_PER_SEC);
    stage_close(&v->stage);
}

TEST(plumbs_own_client_lists_watches_and_writes)
{
    AUTO_ARENA a = arena_new();
    struct served v;
    AUTO_ERR e = {0};
    struct value *out;

    begin(&v);
    struct kube_watches *hub = kube_watches_new(v.transport);
    struct kube_cache_config cached = {.watch.call = {.resource = &widgets}};
    struct kube_cache *cache = kube_cache_start(hub, &cached);
    assert_ok(kube_cache_wait(cache, 30 * NS_PER_SEC, &e), &e);

    struct kube_call all = {.resource = &widgets, .namespace = STR("default")}, one = all;
    one.name = STR("a");
    assert_ok(kube_create(v.transport, a, &all, parsed(a, WIDGET("\"name\":\"a\"", "\"size\":1")),
                          NULL, &out, &e),
              &e);
    await(cache, "a", "1");
    assert_ok(kube_patch(v.transport, a, &one, KUBE_MERGE_PATCH,
                         parsed(a, "{\"spec\":{\"size\":2}}"), NULL, &out, &e),
              &e);
    await(cache, "a", "2");
    assert_false(
        kube_update(v.transport, a, &one,
                    parsed(a, WIDGET("\"name\":\"a\",\"resourceVersion\":\"1\"", "\"size\":3")),
                    NULL, &out, &e));
    assert_int_equal(e.kind, ERR_CONFLICT);
    assert_ok(kube_delete(v.transport, a, &one, NULL, &out, &e), &e);
    await(cache, "a", NULL);
    assert_false(kube_get(v.transport, a, &one, &out, &e));
    assert_int_equal(e.kind, ERR_NOT_FOUND);

    kube_cache_stop(cache);
    kube_watches_free(hub);
    end(&v);
}

TEST(plumbs_own_client_finds_what_is_served)
{
    AUTO_ARENA a = arena_new();
    struct served v;
    AUTO_ERR e = {0};
    struct kube_discovery *d;

    begin(&v);
    assert_ok(kube_discover(v.transport, a, NULL, &d, &e), &e);
    assert_ok(kube_discovery_complete(d, &e), &e);
    static const char *const names[] = {
        "widgets.example.com",       "widgets.v2.example.com", "secrets", "ns", "crd",
        "leases.coordination.k8s.io"};
    for (size_t i = 0; i < COUNT(names); i++)
        assert_non_null(kube_resource_find(d, str_c(names[i])));
    assert_true(kube_verb_has(kube_resource_find(d, STR("widgets")), "watch"));
    assert_true(kube_resource_find(d, STR("widgets"))->namespaced);
    assert_null(kube_resource_find(d, STR("pods")));
    end(&v);
}

RUN_TESTS(cmocka_unit_test(plumbs_own_client_lists_watches_and_writes),
          cmocka_unit_test(plumbs_own_client_finds_what_is_served))
