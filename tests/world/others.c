/* SPDX-License-Identifier: Apache-2.0 */
/*
 * others.c - scenarios of what others do to an object, its resource or its owner: operations in
 * progress, copies, protected owners that are deleted in the foreground, clocks that are set back.
 */
#include "world/behaviours.h"

static struct stage stage;

static struct stage *open_with(struct world *w, const struct operator_config *config)
{
    struct stage *s = &stage;

    stage_open(s, w, &(struct stage_options){.config = *config});
    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 5 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    return s;
}

static struct stage *open(struct world *w)
{
    return open_with(w, &(struct operator_config){0});
}

static unsigned put_count(const struct stage *s)
{
    return stage_puts(s, STR(ACCOUNT_ID("acc")));
}

static void set_state(struct stage *s, const char *state)
{
    stage_evolve(s, ACCOUNT_ID("acc"), "properties.provisioningState", state);
}

/* 8.3: while somebody else's operation is in progress nothing is sent, whatever the cause. */
void others_busy(struct world *w)
{
    struct stage *s = open(w);
    unsigned before = put_count(s);

    set_state(s, "\"Updating\"");
    stage_patch(s, "StorageAccount", "acc", "{'spec':{'accessTier':'Cool'}}");
    stage_run(s, 20 * WORLD_MINUTE);
    world_expect(w, put_count(s) == before, "a PUT while an operation is in progress");
    stage_expect(s, "StorageAccount", "acc", "ReconciliationBlocked", "state \"Updating\"");
    set_state(s, "\"Succeeded\"");
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    world_expect(w, put_count(s) == before + 1, "%u PUTs", put_count(s) - before);
    /* A state that never ends is ignored: Azure decides. */
    set_state(s, "\"Parked\"");
    stage_patch(s, "StorageAccount", "acc", "{'spec':{'accessTier':'Hot'}}");
    stage_run(s, 90 * WORLD_MINUTE);
    world_expect(w, put_count(s) > before + 1, "it waits for ever");
    stage_close(s);
}

/* What is below an owner that must stay is not deleted, either, whichever is deleted first. */
static void expect_held(struct stage *s, const char *reason)
{
    stage_run(s, NS_PER_SEC);
    /* Which of the two caches shows it first is random. */
    stage_delete_foreground(s, "ResourceGroup", "rg");
    stage_run(s, 60 * WORLD_MINUTE);
    stage_expect(s, "ResourceGroup", "rg", reason, NULL);
    world_expect(s->w, stage_get(s, "StorageAccount", "acc"), "the object is gone");
    world_expect(s->w, object_is_deleting(s->w->client.body), "it is not deleted in foreground");
    world_expect(s->w, stage_is_in_azure(s, ACCOUNT_ID("acc")), "the resource is gone");
}

void others_protected_owner(struct world *w)
{
    struct stage *s = open(w);

    stage_patch(s, "StorageAccount", "acc", ANNOTATE(ANNOTATION_BLOCK_OWNER, "'true'"));
    stage_patch(s, "ResourceGroup", "rg", ANNOTATE(ANNOTATION_PROTECT, "'true'"));
    expect_held(s, "Protected");
    stage_patch(s, "ResourceGroup", "rg", ANNOTATE(ANNOTATION_PROTECT, "null"));
    stage_run(s, 30 * WORLD_MINUTE);
    world_expect(w, !stage_get(s, "ResourceGroup", "rg") && !stage_is_in_azure(s, STAGE_GROUP),
                 "it was not deleted");
    stage_close(s);
}

void others_unconfirmed_owner(struct world *w)
{
    struct stage *s = open_with(w, &(struct operator_config){.confirm_deletes = 1});

    stage_patch(s, "StorageAccount", "acc", ANNOTATE(ANNOTATION_BLOCK_OWNER, "'true'"));
    expect_held(s, "WaitingForConfirmation");
    /* Once confirmed itself, it is deleted. */
    stage_patch(s, "StorageAccount", "acc", ANNOTATE(ANNOTATION_CONFIRM, "'delete'"));
    stage_run(s, 5 * WORLD_MINUTE);
    world_expect(w,
                 !stage_get(s, "StorageAccount", "acc") && !stage_is_in_azure(s, ACCOUNT_ID("acc")),
                 "what was confirmed stays");
    stage_close(s);
}

/* 1.8, 3.3: without a period, failed objects are still looked at once an hour. */
void others_never(struct world *w)
{
    struct stage *s = &stage;
    const int64_t never = INT64_C(50) * 365 * 24 * WORLD_HOUR;

    stage_open(s, w, &(struct stage_options){.config = {.period = never}});
    stage_apply_text(s, GROUP("rg", ""));
    stage_run(s, 30 * NS_PER_SEC);
    stage_fault(s, "{'faults':[{'kind':'fail','method':'PUT','type':'Microsoft.Storage*','status':"
                   "400,'code':'SkuNotAvailable','message':'no','count':12},{'kind':'fail',"
                   "'method':'PUT','type':'Microsoft.Network*','status':400,'code':"
                   "'LocationRequired','message':'no','count':2}]}");
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_apply_text(s, NETWORK("net", "", ""));
    stage_run(s, 30 * NS_PER_SEC);
    stage_expect(s, "StorageAccount", "acc", "SkuNotAvailable", "at most 60 minutes");
    stage_expect(s, "VirtualNetwork", "net", "LocationRequired", "every 60 minutes");
    stage_run(s, 9 * WORLD_HOUR);
    stage_expect_ready(s, "StorageAccount", "acc");
    stage_expect_ready(s, "VirtualNetwork", "net");
    stage_close(s);
}

/* 8.3: retries do not wait longer because the clock was set back after the next try was noted. */
void others_clock_back(struct world *w)
{
    struct stage *s = open(w);

    s->skew = 40 * 24 * WORLD_HOUR;
    stage_change(s, ACCOUNT_ID("acc"), "properties.provisioningState", "\"Failed\"");
    stage_fault(s, "{'kind':'fail','method':'PUT','id':'" ACCOUNT_ID(
                       "acc") "','status':500,'code':'InternalServerError','count':0}");
    stage_run(s, 60 * WORLD_MINUTE);
    s->skew = 0;
    stage_end_faults(s);
    stage_run(s, 6 * WORLD_HOUR);
    stage_expect_ready(s, "StorageAccount", "acc");
    stage_close(s);
}

/* "kubectl get -o yaml", another name, "kubectl apply". */
static void copy(struct stage *s, const char *name, bool same)
{
    static const char *const not_copied[] = {"uid", "resourceVersion", "creationTimestamp",
                                             "generation", "managedFields"};
    struct arena *a = s->w->arena;
    struct value *object = value_clone(a, stage_get(s, "StorageAccount", "acc"));

    for (size_t i = 0; i < COUNT(not_copied); i++)
        (void)value_unset(object_meta(object), str_c(not_copied[i]));
    (void)value_unset(object, STR("status"));
    value_set_str(a, object_meta(object), STR("name"), str_c(name));
    if (same)
        value_set_str(a, value_get(object, STR("spec")), STR("azureName"), STR("acc"));
    world_expect(s->w, stage_apply(s, object) == 201, "refused: %.*s", STR_ARG(s->w->client.text));
}

/* A copy of an object does not get, and does not delete, what belongs to the original. */
void others_copied(struct world *w)
{
    struct stage *s = open(w);

    copy(s, "other", false);
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "other");
    world_expect(w, stage_is_in_azure(s, ACCOUNT_ID("other")) && put_count(s) == 1,
                 "the copy has no resource of its own");
    copy(s, "same", true);
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect(s, "StorageAccount", "same", "ResourceTaken", "StorageAccount \"acc\"");
    stage_delete(s, "StorageAccount", "same");
    stage_run(s, 3 * WORLD_MINUTE);
    world_expect(w, !stage_get(s, "StorageAccount", "same"), "the copy stays");
    /* Created and deleted while writing is not allowed. */
    unsigned writes = s->arm_writes;
    s->leads = false;
    copy(s, "unseen", false);
    stage_run(s, NS_PER_SEC);
    stage_delete(s, "StorageAccount", "unseen");
    stage_run(s, NS_PER_SEC);
    s->leads = true;
    stage_run(s, 3 * WORLD_MINUTE);
    world_expect(w, !stage_get(s, "StorageAccount", "unseen"), "the copy stays");
    world_expect(w, s->arm_writes == writes, "the copy took the resource along");
    /* When the original gives it up, the copy gets it. */
    copy(s, "heir", true);
    stage_run(s, 1 * WORLD_MINUTE);
    stage_patch(s, "StorageAccount", "acc", ANNOTATE(ANNOTATION_POLICY, "'detach-on-delete'"));
    stage_delete(s, "StorageAccount", "acc");
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "heir");
    world_expect(w, stage_is_in_azure(s, ACCOUNT_ID("acc")), "the resource is gone");
    stage_close(s);
}
