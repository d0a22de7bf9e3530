/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stage.h - the fixture of the store's tests: a driven store in memory, a client, and a widget
 * type.
 */
#pragma once

#include "../test.h"

#include "store/store.h"
#include "support/disk.h"
#include "support/local.h"

#define CRDS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define WIDGETS "/apis/example.com/v1/namespaces/default/widgets"
#define GADGETS "/apis/example.com/v1/gadgets"

#define WIDGET_SCHEMA                                                                              \
    "{\"type\":\"object\",\"required\":[\"spec\"],\"properties\":{"                                \
    "\"spec\":{\"type\":\"object\",\"required\":[\"size\"],\"properties\":{"                       \
    "\"size\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100},"                               \
    "\"color\":{\"type\":\"string\",\"enum\":[\"red\",\"blue\"],\"default\":\"red\"},"             \
    "\"name\":{\"type\":\"string\",\"pattern\":\"^a+$\",\"maxLength\":5},"                         \
    "\"parts\":{\"type\":\"array\",\"x-kubernetes-list-type\":\"map\","                            \
    "\"x-kubernetes-list-map-keys\":[\"name\"],\"items\":{\"type\":\"object\","                    \
    "\"required\":[\"name\"],\"properties\":{\"name\":{\"type\":\"string\"},"                      \
    "\"count\":{\"type\":\"integer\"}}}},"                                                         \
    "\"more\":{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true},"                \
    "\"labels\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}}},"           \
    "\"status\":{\"type\":\"object\",\"default\":{\"phase\":\"New\"},\"properties\":{"             \
    "\"phase\":{\"type\":\"string\"}}}}}"

#define NAMES(plural, kind) "\"names\":{\"plural\":\"" plural "\",\"kind\":\"" kind "\"}"
#define WIDGET_CRD                                                                                 \
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","           \
    "\"metadata\":{\"name\":\"widgets.example.com\"},\"spec\":{\"group\":\"example.com\","         \
    "\"scope\":\"Namespaced\"," NAMES(                                                             \
        "widgets",                                                                                 \
        "Widget") ",\"versions\":["                                                                \
                  "{\"name\":\"v1\",\"served\":true,\"storage\":true,\"subresources\":{"           \
                  "\"status\":{}},"                                                                \
                  "\"schema\":{\"openAPIV3Schema\":" WIDGET_SCHEMA "}},"                           \
                  "{\"name\":\"v2\",\"served\":true,\"storage\":false,\"subresources\":{"          \
                  "\"status\":{}},"                                                                \
                  "\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{\"spec\":" \
                  "{"                                                                              \
                  "\"type\":\"object\",\"properties\":{\"size\":{\"type\":\"integer\"}}}}}}}]}}"
#define GADGET_CRD                                                                                 \
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","           \
    "\"metadata\":{\"name\":\"gadgets.example.com\"},\"spec\":{\"group\":\"example.com\","         \
    "\"scope\":\"Cluster\"," NAMES(                                                                \
        "gadgets", "Gadget") ",\"versions\":["                                                     \
                             "{\"name\":\"v1\",\"served\":true,\"storage\":true,"                  \
                             "\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","               \
                             "\"x-kubernetes-preserve-unknown-fields\":true}}}]}}"

/* meta and spec are the members of both. */
#define WIDGET(meta, spec)                                                                         \
    "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{" meta                   \
    "},\"spec\":{" spec "}}"
#define GADGET(meta)                                                                               \
    "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Gadget\",\"metadata\":{" meta "}}"

struct stage {
    struct disk *disk;
    struct store_config config;
    struct store *store;
    struct local c;
};

static inline void stage_open(struct stage *s)
{
    AUTO_ERR e = {0};

    assert_ok(store_open(&s->config, &s->store, &e), &e);
    s->c = local_client(store_handler(s->store));
}

static inline void stage_close(struct stage *s)
{
    AUTO_ERR e = {0};

    assert_ok(store_check(s->store, &e), &e);
    local_end(&s->c);
    store_close(s->store);
}

static inline struct stage stage_begin(void)
{
    struct stage s = {.disk = disk_new(), .config = store_defaults()};

    clock_fake(1800000000 * NS_PER_SEC);
    random_fake(1);
    s.config.driven = true;
    s.config.path = STR("store");
    s.config.vfs = disk_vfs(s.disk);
    stage_open(&s);
    assert_int_equal(local_ask(&s.c, "POST", CRDS, WIDGET_CRD), 201);
    assert_int_equal(local_ask(&s.c, "POST", CRDS, GADGET_CRD), 201);
    return s;
}

static inline void stage_end(struct stage *s)
{
    stage_close(s);
    disk_free(s->disk);
    clock_real();
    random_real();
}

/* Lets the collector finish its work. */
static inline void stage_settle(struct stage *s)
{
    for (int i = 0; i < 1000 && store_step(s->store) <= clock_now(); i++)
        continue;
}

#define ASK(s, method, target, body) local_ask(&(s)->c, method, target, body)
/* Reports failures at the line of the test. */
#define ASSERT_ASK(s, method, target, body, want)                                                  \
    stage_assert((s), (method), (target), (body), (want), __FILE__, __LINE__)

static inline void stage_assert(struct stage *s, const char *method, const char *target,
                                const char *body, int want, const char *file, int line)
{
    if (local_ask(&s->c, method, target, body) == want)
        return;
    print_error("%s %s: wanted %d, got %d %.*s\n", method, target, want, s->c.status,
                STR_ARG(s->c.text));
    _fail(file, line);
}
