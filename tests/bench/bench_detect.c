/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_detect.c - one look at a healthy resource: canonical forms, record, comparison.
 *
 * The answer is one of about 4 KB, as Azure gives it: what was sent, defaults, and members that
 * cannot be written. What can be reached is a plain copy of the answer.
 */
#include "bench.h"

#include "operator/detect/detect.h"
#include "text/json/json.h"

enum { REPEAT = 1000 };

struct task {
    struct arena *arena; /* emptied after each look */
    struct model *model;
    const struct model_resource *res;
    struct value *payload, *body, *record;
};

static struct value *parse(struct arena *a, str text)
{
    struct source *src = ARENA_NEW(a, struct source);
    struct value *v = NULL;
    AUTO_ERR e = {0};

    src->text = text;
    bench_check(json_read(a, src, NULL, &v, &e), &e);
    return v;
}

#define LB "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/loadBalancers/lb"

/* A load balancer with eight rules; answered: with what Azure adds. */
static struct value *make(struct arena *a, bool answered)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    buf_fmt(&b, "{\"name\":\"lb\",\"location\":\"westus2\",\"sku\":{\"name\":\"Standard\"%s},",
            answered ? ",\"tier\":\"Regional\"" : "");
    if (answered)
        buf_add(&b, STR("\"id\":\"" LB "\",\"etag\":\"W/1\",\"type\":\"x\",\"tags\":{},"));
    buf_add(&b, STR("\"properties\":{\"loadBalancingRules\":["));
    for (int i = 0; i < 8; i++) {
        buf_fmt(&b, "%s{\"name\":\"rule%d\",", i ? "," : "", i);
        if (answered)
            buf_fmt(&b, "\"id\":\"" LB "/loadBalancingRules/rule%d\",\"etag\":\"W/1\",", i);
        buf_fmt(&b,
                "\"properties\":{\"protocol\":\"Tcp\",\"frontendPort\":%d,\"backendPort\":%d,"
                "\"probe\":{\"id\":\"" LB "/probes/p%d\"}",
                80 + i, 8000 + i, i);
        if (answered)
            buf_add(&b, STR(",\"provisioningState\":\"Succeeded\",\"enableFloatingIP\":false,"
                            "\"idleTimeoutInMinutes\":4,\"loadDistribution\":\"Default\""));
        buf_add(&b, STR("}}"));
    }
    buf_add(&b, STR("]}}"));
    return parse(a, buf_str(&b));
}

static size_t copy_round(void *ctx)
{
    struct task *t = ctx;

    for (int i = 0; i < REPEAT; i++) {
        (void)value_copy(t->arena, t->body);
        arena_reset(t->arena);
    }
    return 0;
}

static size_t look_round(void *ctx)
{
    struct task *t = ctx;

    for (int i = 0; i < REPEAT; i++) {
        struct detect *d = detect_new(t->arena, t->model, t->res, STR("key"));
        const struct value *wanted = detect_wanted(d, t->payload);
        const struct value *found = detect_found(d, t->body, wanted);
        struct record r;
        AUTO_ERR e = {0};
        bench_check((record_read(t->arena, t->record, &r) &&
                     detect_compare(d, &r, wanted, found).count == 0) ||
                        err_set(&e, ERR_INVALID, "there is drift"),
                    &e);
        arena_reset(t->arena);
    }
    return 0;
}

static void learn(struct arena *a, struct task *t)
{
    struct detect *d = detect_new(a, t->model, t->res, STR("key"));
    const struct value *wanted = detect_wanted(d, t->payload);
    struct record r = detect_learn(d, wanted, detect_found(d, t->body, wanted));

    t->record = record_write(a, &r);
}

static void run(void)
{
    AUTO_ARENA a = arena_new();
    AUTO_ARENA moment = arena_new();
    struct task t = {.arena = moment, .payload = make(a, false), .body = make(a, true)};
    struct buf b = buf_new(a, BUF_UNLIMITED);
    AUTO_ERR e = {0};

    bench_check(model_open(a, STR_NONE, &t.model, &e), &e);
    bench_check(model_find(t.model, STR("network.azure.com"), STR("v20250301"), STR("LoadBalancer"),
                           &t.res, &e),
                &e);
    bench_check(json_write(&b, t.body, &json_exact, &e), &e);
    learn(a, &t);
    bench_run(&(struct bench_case){
        .name = "copy of an answer", .bytes = REPEAT * b.len, .run = copy_round, .ctx = &t});
    bench_run(&(struct bench_case){.name = "look for drift",
                                   .bytes = REPEAT * b.len,
                                   .run = look_round,
                                   .ctx = &t,
                                   .reference = "copy of an answer",
                                   .target = 0.03});
    model_close(t.model);
}

const struct benchmark bench_detect = {
    .name = "detect",
    .help = "one look at a resource: canonical forms, record, comparison",
    .run = run,
};
