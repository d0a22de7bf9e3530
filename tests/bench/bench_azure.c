/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_azure.c - the resource model and conversions by it.
 *
 * The model is opened afresh in each round; its rate counts the bytes of the files that are read.
 * Conversions work on one object of about 4 KB, many times; what can be reached is a plain copy of
 * the same tree.
 */
#include "bench.h"

#include "azure/convert/convert.h"
#include "azure/manifests.h"
#include "text/json/json.h"

#define GROUP "network.azure.com"
#define VERSION "v20250301"
#define KIND "LoadBalancer"
enum { REPEAT = 1000 };

struct task {
    struct arena *arena; /* emptied after each conversion */
    struct manifests *manifests;
    const struct model_resource *res;
    struct value *object, *body;
};

/* ---- The model. ---- */

static size_t open_one(void *ctx)
{
    AUTO_ARENA a = arena_new();
    const struct model_resource *r;
    struct model *m;
    AUTO_ERR e = {0};

    (void)ctx;
    bench_check(model_open(a, STR_NONE, &m, &e), &e);
    bench_check(model_find(m, STR(GROUP), STR(VERSION), STR(KIND), &r, &e), &e);
    size_t held = model_held(m);
    model_close(m);
    return held;
}

static size_t open_all(void *ctx)
{
    AUTO_ARENA a = arena_new();
    const struct model_resource **all;
    struct model *m;
    AUTO_ERR e = {0};
    size_t count;

    (void)ctx;
    bench_check(model_open(a, STR_NONE, &m, &e), &e);
    bench_check(model_all(m, a, &all, &count, &e), &e);
    size_t held = model_held(m);
    model_close(m);
    return held;
}

/* ---- Conversions. ---- */

static size_t copy_round(void *ctx)
{
    struct task *t = ctx;

    for (int i = 0; i < REPEAT; i++) {
        (void)value_copy(t->arena, t->object);
        arena_reset(t->arena);
    }
    return 0;
}

static size_t to_arm_round(void *ctx)
{
    struct task *t = ctx;
    struct arm_request out;
    AUTO_ERR e = {0};

    for (int i = 0; i < REPEAT; i++) {
        bench_check(convert_to_arm(t->arena, manifests_resolver(t->manifests), t->res, t->object,
                                   NULL, &out, &e),
                    &e);
        arena_reset(t->arena);
    }
    return 0;
}

static size_t to_status_round(void *ctx)
{
    struct task *t = ctx;

    for (int i = 0; i < REPEAT; i++) {
        (void)convert_to_status(t->arena, t->res, t->body);
        arena_reset(t->arena);
    }
    return 0;
}

static struct value *parse(struct arena *a, str text)
{
    struct source *src = ARENA_NEW(a, struct source);
    struct value *v = NULL;
    AUTO_ERR e = {0};

    src->text = text;
    bench_check(json_read(a, src, NULL, &v, &e), &e);
    return v;
}

/* A load balancer with as many rules as 4 KB hold. */
static struct value *make_object(struct arena *a)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    buf_add(&b, STR("{\"apiVersion\":\"" GROUP "/" VERSION "\",\"kind\":\"" KIND "\","
                    "\"metadata\":{\"name\":\"lb\"},\"spec\":{\"owner\":{\"armId\":"
                    "\"/subscriptions/s/resourceGroups/g\"},\"location\":\"l\","
                    "\"sku\":{\"name\":\"Standard\"},\"loadBalancingRules\":["));
    for (int i = 0; b.len < 3900; i++)
        buf_fmt(&b,
                "%s{\"name\":\"rule%d\",\"protocol\":\"Tcp\",\"frontendPort\":%d,"
                "\"backendPort\":%d,\"enableTcpReset\":true,\"probe\":{\"reference\":{\"armId\":"
                "\"/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/x/y%d\"}}}",
                i ? "," : "", i, 80 + i, 8000 + i, i);
    buf_add(&b, STR("]}}"));
    return parse(a, buf_str(&b));
}

static size_t json_size(struct arena *a, const struct value *v)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    AUTO_ERR e = {0};

    bench_check(json_write(&b, v, &json_exact, &e), &e);
    return b.len;
}

static size_t files_size(bool all)
{
    AUTO_ARENA a = arena_new();
    size_t bytes = 0, groups = 0, files;
    str *names, *versions, text;
    AUTO_ERR e = {0};

    if (!all) {
        bench_check(file_read(a, STR("api/model/network/" VERSION ".json"), &text, &e), &e);
        return text.len;
    }
    bench_check(file_list(a, STR("api/model"), &names, &groups, &e), &e);
    for (size_t i = 0; i < groups; i++) {
        str folder = file_join(a, STR("api/model"), names[i]);
        bench_check(file_list(a, folder, &versions, &files, &e), &e);
        for (size_t k = 0; k < files; k++) {
            bench_check(file_read(a, file_join(a, folder, versions[k]), &text, &e), &e);
            bytes += text.len;
        }
    }
    return bytes;
}

static void run(void)
{
    AUTO_ARENA a = arena_new();
    AUTO_ARENA moment = arena_new();
    struct task t = {.arena = moment, .object = make_object(a)};
    struct arm_request out;
    struct model *m;
    AUTO_ERR e = {0};

    bench_run(&(struct bench_case){
        .name = "model, one kind", .bytes = files_size(false), .run = open_one});
    bench_run(&(struct bench_case){
        .name = "model, all of it", .bytes = files_size(true), .run = open_all});
    bench_check(model_open(a, STR_NONE, &m, &e), &e);
    bench_check(object_resource(m, t.object, &t.res, &e), &e);
    t.manifests = manifests_new(a, m, STR("s"));
    bench_check(convert_to_arm(a, manifests_resolver(t.manifests), t.res, t.object, NULL, &out, &e),
                &e);
    t.body = value_copy(a, out.body);
    size_t bytes = REPEAT * json_size(a, t.object);
    bench_run(&(struct bench_case){
        .name = "copy of an object", .bytes = bytes, .run = copy_round, .ctx = &t});
    bench_run(&(struct bench_case){.name = "spec to ARM",
                                   .bytes = bytes,
                                   .run = to_arm_round,
                                   .ctx = &t,
                                   .reference = "copy of an object",
                                   .target = 0.08});
    bench_run(&(struct bench_case){.name = "ARM to status",
                                   .bytes = REPEAT * json_size(a, t.body),
                                   .run = to_status_round,
                                   .ctx = &t,
                                   .reference = "copy of an object",
                                   .target = 0.2});
    model_close(m);
}

const struct benchmark bench_azure = {
    .name = "azure",
    .help = "the resource model, and conversions by it",
    .run = run,
};
