/* SPDX-License-Identifier: Apache-2.0 */
/* edges.c - users, Azure and restarts at the wrong moment: operator.md, sections 1.3 and 1.6. */
#include "world/behaviours.h"

#include "base/clock.h"

static struct stage stage;

static struct stage *open_group(struct world *w)
{
    stage_open(&stage, w, &(struct stage_options){0});
    stage_apply_text(&stage, GROUP("rg", ""));
    stage_run(&stage, 30 * NS_PER_SEC);
    return &stage;
}

/*
 * 1.3: an object that was copied or restored with annotations from an earlier life, but without the
 * finalizer, is claimed before anything is sent (law 2), whatever its token says.
 */
void edge_unclaimed_token(struct world *w)
{
    struct stage *s = open_group(w);

    stage_apply_text(
        s, ACCOUNT("acc", ",'annotations':{'" ANNOTATION_RESOURCE_ID "':'" ACCOUNT_ID(
                              "acc") "','" ANNOTATION_POLL_ID
                                     "':'GenericClient.CreateOrUpdateByID','" ANNOTATION_POLL_TOKEN
                                     "':'of another life'}"));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    stage_close(s);
}

/*
 * 1.3.2 [PLUMB]: an operation that fails permanently, resumed after a restart, was for an older
 * spec: the newer one is sent at once.
 */
void edge_newer_generation(struct world *w)
{
    struct stage *s = open_group(w);

    /* The group is at rest, so that it wakes nothing after the restart. */
    stage_run(s, 2 * STAGE_PERIOD);
    stage_fault(s, "{'faults':[{'kind':'operation','method':'PUT','type':'Microsoft.Storage*',"
                   "'code':'LocationRequired','message':'no','count':1}]}");
    stage_apply_text(s, ACCOUNT("acc", ""));
    for (int i = 0;
         i < 600 &&
         !object_annotation(stage_get(s, "StorageAccount", "acc"), STR(ANNOTATION_POLL_TOKEN)).len;
         i++)
        stage_run(s, 20 * NS_PER_MS);
    stage_patch(s, "StorageAccount", "acc", "{'spec':{'accessTier':'Cool'}}");
    stage_run(s, 1 * NS_PER_SEC); /* the cache shows it */
    stage_restart(s, NULL);
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    stage_close(s);
}

/* 1.6: a resource that cannot be read can be deleted. */
void edge_delete_unreadable(struct world *w)
{
    struct stage *s = open_group(w);

    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    stage_fault(s, "{'faults':[{'kind':'fail','method':'GET','type':'Microsoft.Storage*','status':"
                   "500,'code':'InternalServerError','message':'broken','count':10}]}");
    stage_delete(s, "StorageAccount", "acc");
    stage_run(s, 20 * NS_PER_SEC);
    world_expect(w, !stage_is_in_azure(s, ACCOUNT_ID("acc")), "it was not deleted");
    stage_run(s, 10 * WORLD_MINUTE);
    world_expect(w, !stage_get(s, "StorageAccount", "acc"), "the object is left");
    stage_close(s);
}

/* Finalizer and id were lost when the manifest was replaced: both are restored at once. */
void edge_claim_lost(struct world *w)
{
    struct stage *s = open_group(w);

    stage_patch(s, "ResourceGroup", "rg",
                "{'metadata':{'finalizers':null,'annotations':{'" ANNOTATION_RESOURCE_ID
                "':null}}}");
    stage_run(s, 10 * NS_PER_SEC);
    const struct value *object = stage_get(s, "ResourceGroup", "rg");
    world_expect(w,
                 object_has_finalizer(object, STR(FINALIZER)) &&
                     object_annotation(object, STR(ANNOTATION_RESOURCE_ID)).len,
                 "it is not claimed again");
    world_expect(w, stage_puts(s, STR(STAGE_GROUP)) == 1, "it was sent again");
    stage_close(s);
}

/*
 * 3.3 [PLUMB]: an object that failed is looked at again when something that it is made from becomes
 * Ready.
 */
void edge_failed_and_owner_ready(struct world *w)
{
    struct stage *s = open_group(w);

    stage_fault(s, "{'faults':[{'kind':'fail','method':'PUT','type':'Microsoft.Storage*','status':"
                   "400,'code':'LocationRequired','message':'no','count':1}]}");
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 30 * NS_PER_SEC);
    stage_expect(s, "StorageAccount", "acc", "LocationRequired", NULL);
    stage_patch(s, "ResourceGroup", "rg", "{'spec':{'tags':{'a':'b'}}}");
    stage_run(s, 1 * WORLD_MINUTE);
    stage_expect_ready(s, "ResourceGroup", "rg");
    stage_expect_ready(s, "StorageAccount", "acc");
    stage_close(s);
}

/* 1.9 [PLUMB]: somebody else writes to the object all the time, which is not a reason to send
 * again. */
static void point_elsewhere(struct stage *s, const struct effect *effect, struct arm_answer *answer)
{
    (void)s;
    if (effect->kind != ARM_PUT || answer->http != 202)
        return;
    answer->location = STR("https://elsewhere.example/operations/2");
    answer->async_operation = STR_NONE;
}

/* 2.7: a URL elsewhere is not followed, neither from a poll token nor from an answer. */
void edge_foreign_token(struct world *w)
{
    struct stage *s = open_group(w);

    stage_azure(s, "PUT", STR(ACCOUNT_ID("acc")), STR("2023-01-01"),
                STR("{\"location\":\"westus2\",\"kind\":\"StorageV2\",\"sku\":{\"name\":"
                    "\"Standard_LRS\"},\"properties\":{\"accessTier\":\"Hot\"}}"));
    stage_run(s, 1 * WORLD_MINUTE);
    stage_apply_text(
        s,
        ACCOUNT(
            "acc",
            ",'finalizers':['" FINALIZER "'],'annotations':{'" ANNOTATION_RESOURCE_ID
            "':'" ACCOUNT_ID(
                "acc") "','" ANNOTATION_POLL_ID
                       "':'GenericClient.CreateOrUpdateByID','" ANNOTATION_POLL_TOKEN
                       "':'{\\u0022type\\u0022:\\u0022GenericResource\\u0022,\\u0022token\\u0022:{"
                       "\\u0022type\\u0022:\\u0022loc\\u0022,\\u0022pollURL\\u0022:"
                       "\\u0022https://elsewhere.example/operations/1\\u0022,"
                       "\\u0022state\\u0022:\\u0022InProgress\\u0022}}'}"));
    stage_run(s, 5 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    s->twist = point_elsewhere;
    stage_apply_text(s, ACCOUNT("other", ""));
    stage_run(s, 5 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "other");
    stage_close(s);
}

/* Somebody writes all the time and the caches are far behind: after a conflict, wait for the caches
 * instead of writing again at once. */
void edge_conflicts(struct world *w)
{
    AUTO_ARENA a = arena_new();
    struct stage *s = &stage;

    stage_open(s, w, &(struct stage_options){.faults = {.late = 100}});
    stage_apply_text(s, GROUP("rg", ""));
    stage_run(s, 2 * WORLD_MINUTE);
    unsigned writes = s->kube_writes;
    stage_apply_text(s, ACCOUNT("acc", ""));
    for (int i = 0; i < 60; i++) {
        stage_patch(s, "StorageAccount", "acc",
                    str_z(a, str_fmt(a, "{'metadata':{'annotations':{'busy':'%d'}}}", i)));
        stage_run(s, NS_PER_SEC);
    }
    world_expect(w, s->kube_writes - writes <= 80, "%u writes in a minute",
                 s->kube_writes - writes);
    stage_run(s, 5 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    world_expect(w, stage_puts(s, STR(ACCOUNT_ID("acc"))) == 1, "%u PUTs",
                 stage_puts(s, STR(ACCOUNT_ID("acc"))));
    stage_close(s);
}

void edge_busy_object(struct world *w)
{
    AUTO_ARENA a = arena_new();

    stage_open(&stage, w, &(struct stage_options){0});
    stage_apply_text(&stage, GROUP("rg", ""));
    for (int i = 0; i < 200; i++) {
        stage_patch(&stage, "ResourceGroup", "rg",
                    str_z(a, str_fmt(a, "{'metadata':{'annotations':{'busy':'%d'}}}", i)));
        stage_run(&stage, 50 * NS_PER_MS);
    }
    stage_run(&stage, 30 * NS_PER_SEC);
    stage_expect_ready(&stage, "ResourceGroup", "rg");
    world_expect(w, stage_puts(&stage, STR(STAGE_GROUP)) == 1, "%u PUTs",
                 stage_puts(&stage, STR(STAGE_GROUP)));
    stage_close(&stage);
}

static int64_t unsynced_age(struct stage *s)
{
    int64_t since = operator_unsynced_since(s->operator);

    return since ? clock_now() - since : 0;
}

/* How long something has not been as its user wants it, across restarts, and 0 if all is well. */
void edge_unsynced_age(struct world *w)
{
    struct stage *s = &stage;

    stage_open(s, w, &(struct stage_options){0});
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 10 * WORLD_MINUTE);
    stage_restart(s, NULL);
    stage_run(s, 10 * WORLD_MINUTE);
    int64_t age = unsynced_age(s);
    world_expect(w, age > 19 * WORLD_MINUTE && age < 21 * WORLD_MINUTE, "it waits for %lld s",
                 (long long)(age / NS_PER_SEC));
    stage_apply_text(s, GROUP("rg", ""));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    world_expect(w, !unsynced_age(s), "all are Ready");
    stage_fault(s, "{'faults':[{'kind':'fail','method':'PUT','type':'Microsoft.Storage*','status':"
                   "400,'code':'LocationRequired','message':'no','count':0}]}");
    stage_patch(s, "StorageAccount", "acc", "{'spec':{'accessTier':'Cool'}}");
    stage_run(s, 5 * WORLD_MINUTE);
    age = unsynced_age(s);
    world_expect(w, age > 4 * WORLD_MINUTE && age < 6 * WORLD_MINUTE, "a change waits for %lld s",
                 (long long)(age / NS_PER_SEC));
    stage_end_faults(s);
    stage_delete(s, "StorageAccount", "acc");
    stage_run(s, 5 * WORLD_MINUTE);
    world_expect(w, !unsynced_age(s), "it is gone");
    stage_close(s);
}
