/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare/input/live_internal.h - what the programs of this folder share: a transport to the server
 * of KUBECONFIG, and a custom resource to play with (gauges.live.test). Each program includes it
 * once, and its main is LIVE_TESTS(begin, tests...): begin makes what all of them need, when they
 * are connected.
 */
#pragma once

#include "../unit/test.h"

#include "kube/client.h"
#include "text/json/json.h"

#include <stdlib.h>
#include <time.h>

static struct arena *arena;
static struct kube_transport *transport;

static inline struct value *json(struct arena *a, const char *text)
{
    const struct source src = {.text = str_c(text)};
    AUTO_ERR e = {0};
    struct value *v = NULL;

    assert_ok(json_read(a, &src, NULL, &v, &e), &e);
    return v;
}

static inline struct kube_transport *connect_as(str user)
{
    struct kube_flags flags = {.as = user};
    struct kube_config *config;
    struct kube_transport *t;
    AUTO_ERR e = {0};

    assert_ok(kube_config_load(arena, &flags, &config, &e), &e);
    assert_ok(kube_transport_new(config, STR("plumb-test"), &t, &e), &e);
    return t;
}

static inline void live_open(void)
{
    arena = arena_new();
    transport = connect_as(STR_NONE);
}

static inline int live_close(void **state)
{
    (void)state;
    kube_transport_free(transport);
    arena_free(arena);
    return 0;
}

#define LIVE_TESTS(begin, ...)                                                                     \
    static int live_begin(void **state)                                                            \
    {                                                                                              \
        (void)state;                                                                               \
        live_open();                                                                               \
        begin();                                                                                   \
        return 0;                                                                                  \
    }                                                                                              \
    int main(void)                                                                                 \
    {                                                                                              \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                           \
        if (getenv("KUBECONFIG"))                                                                  \
            return cmocka_run_group_tests(tests, live_begin, live_close);                          \
        print_message("KUBECONFIG names no control plane to test with\n");                         \
        return 77;                                                                                 \
    }

static const char definition[] =
    "{\"apiVersion\":\"apiextensions.k8s.io/"
    "v1\",\"kind\":\"CustomResourceDefinition\",\"metadata\":{"
    "\"name\":\"gauges.live.test\"},\"spec\":{\"group\":\"live.test\",\"scope\":\"Namespaced\","
    "\"names\":{\"plural\":\"gauges\",\"singular\":\"gauge\",\"kind\":\"Gauge\",\"shortNames\":["
    "\"gg\"]},"
    "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"subresources\":{\"status\":{"
    "}},"
    "\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":"
    "\"object\","
    "\"properties\":{\"size\":{\"type\":\"integer\",\"minimum\":0}}},\"status\":{\"type\":"
    "\"object\","
    "\"properties\":{\"level\":{\"type\":\"integer\"}}}}}}}]}}";

/* Asks until the server has taken note of the definition. */
static inline const struct kube_resource *await_gauges(void)
{
    for (int i = 0; i < 300; i++) {
        AUTO_ERR e = {0};
        struct kube_discovery *fresh;
        assert_ok(kube_discover(transport, arena, NULL, &fresh, &e), &e);
        const struct kube_resource *r = kube_resource_find(fresh, STR("gg"));
        if (r)
            return r;
        nanosleep(&(struct timespec){.tv_nsec = 100 * NS_PER_MS}, NULL);
    }
    return NULL;
}

static inline void define_gauges(void)
{
    AUTO_ERR e = {0};
    const struct kube_resource definitions = {.group = STR("apiextensions.k8s.io"),
                                              .version = STR("v1"),
                                              .name = STR("customresourcedefinitions"),
                                              .kind = STR("CustomResourceDefinition")};
    const struct kube_call c = {.resource = &definitions};

    if (!kube_create(transport, arena, &c, json(arena, definition), NULL, NULL, &e))
        assert_int_equal(e.kind, ERR_EXISTS);
}
