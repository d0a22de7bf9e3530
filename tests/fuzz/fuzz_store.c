/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_store.c - any bytes as requests to the store: paths, selectors, bodies, patches, schemas.
 *
 * A line is a request: one letter for the method, the target, a tab, the body. Whatever comes, it
 * is answered, and the store is whole afterwards. The first byte of the input says whether the
 * store begins with a definition.
 */
#include "store/store.h"
#include "text/url.h"

static const char definition[] =
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\","
    "\"metadata\":{\"name\":\"ws.e.x\"},\"spec\":{\"group\":\"e.x\",\"scope\":\"Namespaced\","
    "\"names\":{\"plural\":\"ws\",\"kind\":\"W\"},\"versions\":[{\"name\":\"v1\",\"served\":true,"
    "\"storage\":true,\"subresources\":{\"status\":{}},\"schema\":{\"openAPIV3Schema\":{\"type\":"
    "\"object\",\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
    "\"array\",\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":[\"k\"],\"items\":"
    "{\"type\":\"object\",\"properties\":{\"k\":{\"type\":\"string\",\"default\":\"d\"}}}},\"b\":{"
    "\"type\":\"string\",\"pattern\":\"^a*$\"},\"c\":{\"x-kubernetes-int-or-string\":true},\"d\":{"
    "\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}}},\"status\":{\"type\":"
    "\"object\",\"x-kubernetes-preserve-unknown-fields\":true}}}}}]}}";

struct asked {
    struct handler_call call;
    bool done;
};

static void note_done(struct handler_call *c)
{
    ((struct asked *)c)->done = true;
}

static void read_some(struct handler_stream *s, struct arena *a)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    if (!s)
        return;
    for (int i = 0; i < 4 && handler_stream_pull(s, &b, KIB) == HANDLER_PULL_MORE; i++)
        continue;
    handler_stream_close(s);
}

static void ask(struct store *store, const char *method, str target, str body, const char *type,
                const char *accept)
{
    AUTO_ARENA a = arena_new();
    struct http_headers headers = {0};
    struct asked q = {.call = {.arena = a,
                               .method = str_c(method),
                               .headers = &headers,
                               .body = body,
                               .done = note_done}};
    str path;

    http_header_add(a, &headers, STR("Content-Type"), str_c(type));
    http_header_add(a, &headers, STR("Accept"), str_c(accept));
    str_cut(target, STR("?"), &path, &q.call.query);
    if (!url_unescape(a, path, false, &q.call.path))
        q.call.path = path;
    handler_answer(store_handler(store), &q.call);
    if (!q.done || q.call.status < 200 || q.call.status > 599)
        abort();
    read_some(q.call.stream, a);
}

static void ask_line(struct store *store, str line)
{
    static const struct {
        char letter;
        const char *method, *type, *accept;
    } methods[] = {
        {'a', "GET", "", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"},
        {'c', "POST", "application/json", ""},
        {'d', "DELETE", "application/json", ""},
        {'g', "GET", "", ""},
        {'j', "PATCH", "application/json-patch+json", ""},
        {'m', "PATCH", "application/merge-patch+json", ""},
        {'o', "GET", "", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"},
        {'p', "PUT", "application/json", ""},
        {'s', "PATCH", "application/strategic-merge-patch+json", ""},
        {'t', "GET", "", "application/json;as=Table;v=v1;g=meta.k8s.io"},
        {'y', "POST", "application/yaml", ""},
    };
    str target, body;

    str_cut(str_from(line, 1), STR("\t"), &target, &body);
    for (size_t i = 0; i < COUNT(methods); i++)
        if (line.len && line.ptr[0] == methods[i].letter)
            ask(store, methods[i].method, target, body, methods[i].type, methods[i].accept);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct store_config config = store_defaults();
    struct store *store;
    AUTO_ERR e = {0};
    str rest = str_of((const char *)data, size), line;

    config.driven = true;
    clock_fake(1800000000 * NS_PER_SEC);
    random_fake(1);
    if (!store_open(&config, &store, &e))
        abort();
    if (size && data[0] != '-')
        ask(store, "POST", STR("/apis/apiextensions.k8s.io/v1/customresourcedefinitions"),
            str_c(definition), "application/json", "");
    for (int i = 0; i < 20 && str_next_line(&rest, &line); i++) {
        ask_line(store, line);
        store_step(store);
    }
    if (!store_check(store, &e))
        abort();
    store_close(store);
    return 0;
}
