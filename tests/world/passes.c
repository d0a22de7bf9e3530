/* SPDX-License-Identifier: Apache-2.0 */
/* passes.c - scenarios of the pass itself and of conditions: operator.md, sections 1 and 3. */
#include "world/behaviours.h"

static struct stage stage;

static struct stage *open_with(struct world *w, const struct operator_config *config)
{
    stage_open(&stage, w, &(struct stage_options){.config = *config});
    return &stage;
}

static struct stage *open(struct world *w)
{
    return open_with(w, &(struct operator_config){0});
}

static struct stage *open_ready(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    return s;
}

/* 1.1, 1.3: what the claim and the pass write, and nothing else while all is well. */
void pass_metadata(struct world *w)
{
    struct stage *s = open_ready(w);
    const struct value *object = stage_get(s, "StorageAccount", "acc");

    world_expect(
        w,
        str_eq(object_annotation(object, STR(ANNOTATION_RESOURCE_ID)), STR(ACCOUNT_ID("acc"))) &&
            str_eq(object_annotation(object, STR(ANNOTATION_OPERATOR_NAMESPACE)),
                   STR("plumb-system")) &&
            str_eq(object_annotation(object, STR(ANNOTATION_GENERATION)), STR("1")) &&
            str_eq(object_label(object, STR(LABEL_VERSION)), STR("v0.1.0")) &&
            object_has_finalizer(object, STR(FINALIZER)),
        "the metadata are not as they should be");
    unsigned kube = s->kube_writes, status = s->status_writes, arm = s->arm_writes;
    stage_patch(s, "ResourceGroup", "rg", "{'metadata':{'labels':{'a':'b'}}}");
    stage_expect_quiet(s, STAGE_PERIOD / 2);
    stage_run(s, 5 * STAGE_PERIOD);
    world_expect(w, s->kube_writes == kube && s->status_writes == status && s->arm_writes == arm,
                 "checks of healthy objects write something");
    stage_close(s);
}

/* 1.2: an object of another operator is left alone, with one Event. */
void pass_overlap(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s,
                     GROUP("rg", ",'annotations':{'" ANNOTATION_OPERATOR_NAMESPACE "':'another'}"));
    stage_run(s, 30 * WORLD_MINUTE);
    stage_patch(s, "ResourceGroup", "rg", "{'spec':{'tags':{'a':'b'}}}");
    stage_run(s, 30 * WORLD_MINUTE);
    world_expect(w, stage_count_events(s, "Overlap") == 1, "%u Events",
                 stage_count_events(s, "Overlap"));
    world_expect(w, !s->arm_reads && !s->arm_writes && !s->status_writes, "it was touched");
    /* Its user takes it away from the other one. */
    stage_apply_text(
        s, GROUP("free", ",'annotations':{'" ANNOTATION_OPERATOR_NAMESPACE "':'another'}"));
    stage_run(s, 10 * NS_PER_SEC);
    stage_patch(s, "ResourceGroup", "free", ANNOTATE(ANNOTATION_OPERATOR_NAMESPACE, "null"));
    stage_run(s, 30 * NS_PER_SEC);
    stage_expect_ready(s, "ResourceGroup", "free");
    stage_restart(s, &(struct operator_config){.take_over = true});
    stage_run(s, 1 * WORLD_MINUTE);
    stage_expect_ready(s, "ResourceGroup", "rg");
    world_expect(w,
                 str_eq(object_annotation(stage_get(s, "ResourceGroup", "rg"),
                                          STR(ANNOTATION_OPERATOR_NAMESPACE)),
                        STR("plumb-system")),
                 "it was not taken over");
    stage_close(s);
}

/* 1.3: a change of the spec is sent, even one that is made while an operation runs. */
void pass_changes(struct world *w)
{
    struct stage *s = open_ready(w);

    stage_patch(s, "StorageAccount", "acc", "{'spec':{'accessTier':'Cool'}}");
    stage_run(s, 100 * NS_PER_MS);
    stage_patch(s, "StorageAccount", "acc", "{'spec':{'accessTier':'Hot'}}");
    stage_run(s, 2 * NS_PER_SEC);
    stage_patch(s, "StorageAccount", "acc", "{'spec':{'accessTier':'Cool'}}");
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    const struct value *body = stage_body(s, ACCOUNT_ID("acc"), "2023-01-01");
    world_expect(
        w,
        str_eq(value_get_str(value_get(body, STR("properties")), STR("accessTier")), STR("Cool")),
        "the last change is not in Azure");
    stage_close(s);
}

/* 1.4: skip observes. */
void pass_skip(struct world *w)
{
    struct stage *s = open(w);

    stage_azure(s, "PUT", STR(STAGE_GROUP), STR("2020-06-01"), STR("{\"location\":\"eastus\"}"));
    stage_apply_text(s, GROUP("rg", POLICY("skip")));
    stage_apply_text(s, OBJECT("resources.azure.com/v1api20200601", "ResourceGroup", "absent",
                               POLICY("skip"), "'location':'westus2'"));
    stage_run(s, 30 * NS_PER_SEC);
    stage_expect_ready(s, "ResourceGroup", "rg");
    world_expect(w,
                 str_eq(value_get_str(value_get(stage_get(s, "ResourceGroup", "rg"), STR("status")),
                                      STR("location")),
                        STR("eastus")),
                 "the status is not what Azure has");
    stage_expect(s, "ResourceGroup", "absent", "AzureResourceNotFound", NULL);
    world_expect(w,
                 str_eq(object_label(stage_get(s, "ResourceGroup", "rg"), STR(LABEL_VERSION)),
                        STR("v0.1.0")),
                 "no version whose policy is skip");
    /* Nothing is sent, so nothing is missing for it. */
    stage_apply_text(s, OBJECT("sql.azure.com/v20211101", "Server", "db", POLICY("skip"),
                               "'location':'westus2','owner':{'name':'rg'},'administratorLogin':"
                               "'a','administratorLoginPassword':{'name':'none','key':'p'}"));
    stage_run(s, 30 * NS_PER_SEC);
    stage_expect(s, "Server", "db", "AzureResourceNotFound", NULL);
    stage_delete(s, "Server", "db");
    stage_run(s, 30 * NS_PER_SEC);
    stage_delete(s, "ResourceGroup", "rg");
    stage_run(s, 30 * NS_PER_SEC);
    world_expect(w, !stage_get(s, "ResourceGroup", "rg") && stage_is_in_azure(s, STAGE_GROUP),
                 "skip deletes");
    world_expect(w, !s->arm_writes, "skip writes");
    stage_close(s);
}

/* 1.5: detach-on-delete creates and updates, and deletes nothing. */
void pass_detach(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, ACCOUNT("acc", POLICY("detach-on-delete")));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    unsigned writes = s->arm_writes;
    stage_delete(s, "StorageAccount", "acc");
    stage_run(s, 2 * WORLD_MINUTE);
    world_expect(w, !stage_get(s, "StorageAccount", "acc") && s->arm_writes == writes,
                 "it was not detached");
    world_expect(w, stage_is_in_azure(s, ACCOUNT_ID("acc")), "the resource is gone");
    stage_close(s);
}

/* 1.5: the policy of the Namespace applies to objects without one, and its change wakes them. */
void pass_namespace_policy(struct world *w)
{
    struct stage *s = open(w);

    stage_patch(s, "Namespace", "default", ANNOTATE(ANNOTATION_POLICY, "'skip'"));
    stage_run(s, 5 * NS_PER_SEC);
    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, GROUP("own", POLICY("manage")));
    /* An unknown value means the configured default, not the Namespace's. */
    stage_apply_text(s, GROUP("odd", POLICY("Skip")));
    stage_run(s, 40 * NS_PER_SEC);
    stage_expect_ready(s, "ResourceGroup", "odd");
    stage_expect(s, "ResourceGroup", "rg", "AzureResourceNotFound", NULL);
    stage_expect_ready(s, "ResourceGroup", "own");
    uint64_t passes = operator_stats(s->operator).passes;
    stage_patch(s, "Namespace", "default", "{'metadata':{'labels':{'a':'b'}}}");
    stage_run(s, 1 * NS_PER_SEC);
    world_expect(w, operator_stats(s->operator).passes <= passes + 1,
                 "a label of the Namespace wakes objects");
    /* Its next regular look is half a minute away. */
    stage_patch(s, "Namespace", "default", ANNOTATE(ANNOTATION_POLICY, "null"));
    stage_run(s, 15 * NS_PER_SEC);
    stage_expect_ready(s, "ResourceGroup", "rg");
    stage_close(s);
}

/* 3.3, 3.4: an error is shown with Azure's code and text, and retried. */
void condition_refused(struct world *w)
{
    struct stage *s = open(w);
    struct condition c;

    stage_apply_text(s, GROUP("rg", ""));
    stage_run(s, 30 * NS_PER_SEC);
    stage_fault(s, "{'faults':[{'kind':'fail','method':'PUT','type':'Microsoft.Storage*','status':"
                   "403,'code':'RequestDisallowedByPolicy','message':'not in this region',"
                   "'count':3}]}");
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 3 * NS_PER_SEC);
    stage_expect(s, "StorageAccount", "acc", "RequestDisallowedByPolicy", "not in this region");
    c = stage_condition(s, "StorageAccount", "acc");
    world_expect(w, str_eq(c.severity, STR("Warning")), "wrong severity");
    const struct value *memory = value_get(
        value_get(stage_get(s, "StorageAccount", "acc"), STR("status")), STR("operatorStatus"));
    world_expect(w,
                 value_get_str(memory, STR("nextRetry")).len &&
                     str_eq(value_get_str(memory, STR("class")), STR("retryable")) &&
                     value_get_str(memory, STR("rule")).len,
                 "operatorStatus does not say when it is tried again");
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    memory = value_get(value_get(stage_get(s, "StorageAccount", "acc"), STR("status")),
                       STR("operatorStatus"));
    world_expect(w, !value_get(memory, STR("nextRetry")) && !value_get(memory, STR("attempt")),
                 "the failure is still remembered");
    /* 1.7: once each. */
    world_expect(w, stage_count_events(s, "CreateOrUpdateActionError") == 1, "%u Events",
                 stage_count_events(s, "CreateOrUpdateActionError"));
    stage_close(s);
}

/* 3.3 [PLUMB]: an Error is looked at again once in a period, and says so. */
void condition_fatal(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, GROUP("rg", ""));
    stage_run(s, 5 * WORLD_MINUTE); /* nothing that it needs changes from now on */
    stage_fault(s, "{'faults':[{'kind':'fail','method':'PUT','type':'Microsoft.Storage*','status':"
                   "400,'code':'LocationRequired','message':'no','count':1}]}");
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, STAGE_PERIOD / 2);
    stage_expect(s, "StorageAccount", "acc", "LocationRequired", "checked again every 15 minutes");
    world_expect(w, str_eq(stage_condition(s, "StorageAccount", "acc").severity, STR("Error")),
                 "wrong severity");
    stage_run(s, STAGE_PERIOD + STAGE_PERIOD / 4);
    stage_expect_ready(s, "StorageAccount", "acc");
    stage_close(s);
}

/* 1.3.2: an operation that fails is reported, and started again. */
void condition_operation_failed(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, GROUP("rg", ""));
    stage_run(s, 30 * NS_PER_SEC);
    stage_fault(s, "{'faults':[{'kind':'operation','method':'PUT','type':'Microsoft.Storage*',"
                   "'code':'AllocationFailed','message':'no capacity','count':1}]}");
    stage_apply_text(s, ACCOUNT("acc", ""));
    for (int i = 0; i < 1200 && !str_eq(stage_condition(s, "StorageAccount", "acc").reason,
                                        STR("AllocationFailed"));
         i++)
        stage_run(s, 50 * NS_PER_MS);
    stage_expect(s, "StorageAccount", "acc", "AllocationFailed", "no capacity");
    world_expect(
        w,
        !object_annotation(stage_get(s, "StorageAccount", "acc"), STR(ANNOTATION_POLL_TOKEN)).len,
        "the token is left");
    stage_run(s, 5 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    stage_close(s);
}

/* The first answer that shows the account is twisted. */
static void show_failed(struct stage *s, const struct effect *effect, struct arm_answer *answer)
{
    struct arena *a = s->w->arena;
    str before, after;

    if (effect->kind != ARM_GET || answer->http != 200 ||
        !str_contains(effect->url, STR("storageAccounts/acc?")) ||
        !str_cut(answer->body, STR("\"provisioningState\":\"Succeeded\""), &before, &after))
        return;
    answer->body =
        str_fmt(a, "%.*s\"provisioningState\":\"Failed\"%.*s", STR_ARG(before), STR_ARG(after));
}

/* 1.3.1: an operation that succeeds but leaves a resource in state Failed has failed. */
void condition_failed_resource(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, GROUP("rg", ""));
    stage_run(s, 30 * NS_PER_SEC);
    s->twist = show_failed;
    stage_apply_text(s, ACCOUNT("acc", ""));
    for (int i = 0; i < 120; i++) {
        stage_run(s, NS_PER_SEC);
        world_expect(w, !str_eq(stage_condition(s, "StorageAccount", "acc").status, STR("True")),
                     "a failed resource is Ready");
    }
    s->twist = NULL;
    stage_run(s, 30 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    stage_close(s);
}

#define MANY_RULES 20000

static void show_many(struct stage *s, const struct effect *effect, struct arm_answer *answer)
{
    struct buf b = buf_new(s->w->arena, BUF_UNLIMITED);
    str before, after;

    if (effect->kind != ARM_GET || answer->http != 200 ||
        !str_contains(effect->url, STR("storageAccounts/acc?")) ||
        !str_cut(answer->body, STR("\"privateEndpointConnections\":["), &before, &after))
        return;
    buf_fmt(&b, "%.*s\"privateEndpointConnections\":[", STR_ARG(before));
    for (unsigned i = 0; i < MANY_RULES; i++)
        buf_fmt(&b, "%s{\"id\":\"/subscriptions/s/connections/%u\"}", i ? "," : "", i);
    buf_add(&b, after);
    answer->body = buf_str(&b);
}

/* 5.5: what is too large for an object is cut, and a condition says so. */
void condition_truncated(struct world *w)
{
    struct stage *s = open(w);
    struct condition cut = {0};

    stage_apply_text(s, GROUP("rg", ""));
    stage_run(s, 30 * NS_PER_SEC);
    s->twist = show_many;
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    const struct value *status = value_get(stage_get(s, "StorageAccount", "acc"), STR("status"));
    (void)condition_get(status, STR("Truncated"), &cut);
    world_expect(w, str_contains(cut.message, STR("privateEndpointConnections (20000 elements")),
                 "not cut: %.*s", STR_ARG(cut.message));
    world_expect(w, value_len(value_get(status, STR("privateEndpointConnections"))) == 50,
                 "%zu elements",
                 (size_t)value_len(value_get(status, STR("privateEndpointConnections"))));
    stage_close(s);
}

/* 3.5, 3.6: a healthy object keeps its condition, and the time of its last transition. */
void condition_steady(struct world *w)
{
    struct stage *s = open_ready(w);
    str since = str_copy(w->arena, stage_condition(s, "StorageAccount", "acc").since);

    stage_fault(s, "{'faults':[{'kind':'fail','method':'GET','type':'Microsoft.Storage*','status':"
                   "503,'code':'ServerBusy','count':2}]}");
    for (int i = 0; i < 120; i++) {
        stage_run(s, 30 * NS_PER_SEC);
        stage_expect_ready(s, "StorageAccount", "acc");
    }
    world_expect(w, str_eq(since, stage_condition(s, "StorageAccount", "acc").since),
                 "lastTransitionTime moves without a transition");
    stage_close(s);
}

/* 3.5: a correction leaves Ready alone; an edit of the spec does not. */
void condition_at_work(struct world *w)
{
    struct stage *s = open_ready(w);
    bool shown = false;

    stage_change(s, ACCOUNT_ID("acc"), "properties.accessTier", "\"Cool\"");
    for (int i = 0; i < 20 * 60 * 4 && stage_puts(s, STR(ACCOUNT_ID("acc"))) < 2; i++) {
        stage_run(s, NS_PER_SEC / 4);
        stage_expect_ready(s, "StorageAccount", "acc");
    }
    for (int i = 0; i < 60 * 4; i++) {
        stage_run(s, NS_PER_SEC / 4);
        stage_expect_ready(s, "StorageAccount", "acc");
    }
    world_expect(w, stage_puts(s, STR(ACCOUNT_ID("acc"))) == 2, "it was not corrected");
    stage_patch(s, "StorageAccount", "acc", "{'spec':{'accessTier':'Cool'}}");
    for (int i = 0; i < 60 * 20 && !shown; i++) {
        stage_run(s, NS_PER_SEC / 20);
        shown = str_eq(stage_condition(s, "StorageAccount", "acc").reason, STR("Reconciling"));
    }
    world_expect(w, shown, "nothing shows that the change is being sent");
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    stage_close(s);
}

/* 1.6: protection, and the confirmation of many deletions. */
void delete_protected(struct world *w)
{
    struct stage *s = open_ready(w);

    stage_patch(s, "StorageAccount", "acc", ANNOTATE(ANNOTATION_PROTECT, "'true'"));
    stage_run(s, 5 * NS_PER_SEC);
    stage_delete(s, "StorageAccount", "acc");
    stage_run(s, 30 * WORLD_MINUTE);
    stage_expect(s, "StorageAccount", "acc", "Protected", ANNOTATION_PROTECT);
    world_expect(w, stage_is_in_azure(s, ACCOUNT_ID("acc")), "it was deleted");
    stage_patch(s, "StorageAccount", "acc", ANNOTATE(ANNOTATION_PROTECT, "null"));
    stage_run(s, 2 * WORLD_MINUTE);
    world_expect(w,
                 !stage_get(s, "StorageAccount", "acc") && !stage_is_in_azure(s, ACCOUNT_ID("acc")),
                 "it was not deleted");
    stage_close(s);
}

void delete_confirmed(struct world *w)
{
    struct stage *s = open_with(w, &(struct operator_config){.confirm_deletes = 2});

    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, ACCOUNT("acc1", ""));
    stage_apply_text(s, ACCOUNT("acc2", ""));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc2");
    stage_delete(s, "ResourceGroup", "rg");
    stage_run(s, 60 * WORLD_MINUTE);
    stage_expect(s, "ResourceGroup", "rg", "WaitingForConfirmation", "3 objects");
    stage_patch(s, "ResourceGroup", "rg", ANNOTATE(ANNOTATION_CONFIRM, "'false'"));
    stage_run(s, 60 * WORLD_MINUTE);
    world_expect(w, stage_is_in_azure(s, STAGE_GROUP), "it was deleted");
    stage_patch(s, "ResourceGroup", "rg", ANNOTATE(ANNOTATION_CONFIRM, "'delete'"));
    stage_run(s, 60 * WORLD_MINUTE);
    world_expect(w, !stage_get(s, "ResourceGroup", "rg") && !stage_is_in_azure(s, STAGE_GROUP),
                 "it was not deleted");
    stage_close(s);
}

/* A deletion that Azure rejects at first, and is sent again, counts once for --confirm-deletes. */
void delete_counted_once(struct world *w)
{
    struct stage *s = open_with(w, &(struct operator_config){.confirm_deletes = 2});

    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, ACCOUNT("acc1", ""));
    stage_apply_text(s, ACCOUNT("acc2", ""));
    stage_apply_text(s, ACCOUNT("acc3", ""));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc3");
    stage_fault(s, "{'kind':'fail','method':'DELETE','id':'" ACCOUNT_ID(
                       "acc1") "','status':409,'code':'AnotherOperationInProgress','count':3}");
    stage_delete(s, "StorageAccount", "acc1");
    stage_run(s, 1 * WORLD_MINUTE);
    stage_delete(s, "StorageAccount", "acc2");
    stage_run(s, 1 * WORLD_MINUTE);
    world_expect(w,
                 !stage_get(s, "StorageAccount", "acc1") && !stage_get(s, "StorageAccount", "acc2"),
                 "a second try counts as another deletion");
    stage_delete(s, "StorageAccount", "acc3");
    stage_run(s, 1 * WORLD_MINUTE);
    stage_expect(s, "StorageAccount", "acc3", "WaitingForConfirmation", "after 2 in the last ten");
    stage_close(s);
}

/* 1.6.1: an error of a deletion is a Warning, whatever its code, and the deletion is sent again. */
void delete_refused(struct world *w)
{
    struct stage *s = open_ready(w);

    stage_fault(s, "{'kind':'fail','method':'DELETE','status':400,'code':'LocationRequired',"
                   "'message':'no','count':1}");
    stage_delete(s, "StorageAccount", "acc");
    stage_run(s, 400 * NS_PER_MS);
    for (int i = 0; i < 40 && !str_eq(stage_condition(s, "StorageAccount", "acc").reason,
                                      STR("LocationRequired"));
         i++)
        stage_run(s, 20 * NS_PER_MS);
    stage_expect(s, "StorageAccount", "acc", "LocationRequired", "no");
    world_expect(w, str_eq(stage_condition(s, "StorageAccount", "acc").severity, STR("Warning")),
                 "wrong severity");
    stage_run(s, 2 * STAGE_PERIOD);
    world_expect(w, !stage_get(s, "StorageAccount", "acc"), "it is not deleted");
    stage_close(s);
}

/* 1.6: a kind that Azure cannot delete waits for its owner, and goes with it. */
void delete_unsupported(struct world *w)
{
    struct stage *s = open_ready(w);

    stage_apply_text(s, OBJECT("storage.azure.com/v20230101", "StorageAccountsBlobService", "blobs",
                               "", "'owner':{'name':'acc'}"));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccountsBlobService", "blobs");
    stage_delete(s, "StorageAccountsBlobService", "blobs");
    stage_run(s, 10 * WORLD_MINUTE);
    stage_expect(s, "StorageAccountsBlobService", "blobs", "DeletionNotSupportedInAzure",
                 "detach-on-delete");
    stage_delete(s, "StorageAccount", "acc");
    stage_run(s, 30 * WORLD_MINUTE);
    world_expect(w, !stage_get(s, "StorageAccountsBlobService", "blobs"),
                 "it does not go with its owner");
    world_expect(w, !stage_get(s, "StorageAccount", "acc"), "the owner is left");
    stage_close(s);
}

/* 1.6: nothing is deleted below a group that is being deleted. */
void delete_below_group(struct world *w)
{
    struct stage *s = open_ready(w);

    stage_apply_text(s, NETWORK("vnet", "", ""));
    stage_run(s, 2 * WORLD_MINUTE);
    unsigned writes = s->arm_writes;
    stage_delete(s, "ResourceGroup", "rg");
    stage_run(s, 300 * NS_PER_MS);
    stage_delete(s, "StorageAccount", "acc");
    stage_delete(s, "VirtualNetwork", "vnet");
    stage_run(s, 60 * WORLD_MINUTE);
    world_expect(w,
                 !stage_get(s, "StorageAccount", "acc") && !stage_get(s, "VirtualNetwork", "vnet"),
                 "objects are left");
    world_expect(w, s->arm_writes == writes + 1, "%u DELETEs instead of one",
                 s->arm_writes - writes);
    stage_close(s);
}

/*
 * 1.6: a resource that was lost in Azure is recreated; its object is never deleted because of it.
 */
void pass_lost_resource(struct world *w)
{
    struct stage *s = open_ready(w);

    stage_azure(s, "DELETE", STR(ACCOUNT_ID("acc")), STR("2023-01-01"), STR_NONE);
    stage_run(s, 2 * STAGE_PERIOD);
    stage_expect_ready(s, "StorageAccount", "acc");
    world_expect(w, stage_is_in_azure(s, ACCOUNT_ID("acc")), "it was not made again");
    stage_close(s);
}

/* 2.7, 10.3: an operation that the reference operator started is resumed from its token. */
void pass_take_over(struct world *w)
{
    struct stage *s = open(w);
    struct sim_response r;
    AUTO_ARENA a = arena_new();

    stage_apply_text(s, GROUP("rg", ""));
    stage_run(s, 30 * NS_PER_SEC);
    r = stage_azure(s, "PUT", STR(ACCOUNT_ID("acc")), STR("2023-01-01"),
                    STR("{\"location\":\"westus2\",\"kind\":\"StorageV2\",\"sku\":{\"name\":"
                        "\"Standard_LRS\"},\"properties\":{\"accessTier\":\"Hot\"}}"));
    world_expect(w, r.status == 202, "no operation to take over: %d", r.status);
    str url = http_header_get(&r.headers, STR("Location"));
    str text = str_fmt(
        a,
        "{\"apiVersion\":\"storage.azure.com/v20230101\",\"kind\":\"StorageAccount\",\"metadata\":"
        "{\"name\":\"acc\",\"finalizers\":[\"" FINALIZER
        "\"],\"annotations\":{\"" ANNOTATION_OPERATOR_NAMESPACE
        "\":\"plumb-system\",\"" ANNOTATION_RESOURCE_ID "\":\"" ACCOUNT_ID(
            "acc") "\",\"" ANNOTATION_GENERATION "\":\"1\",\"" ANNOTATION_POLL_ID
                   "\":\"GenericClient.CreateOrUpdateByID\",\"" ANNOTATION_POLL_TOKEN
                   "\":\"{\\\"type\\\":\\\"GenericResource\\\",\\\"token\\\":{\\\"type\\\":"
                   "\\\"loc\\\",\\\"pollURL\\\":\\\"%.*s\\\",\\\"state\\\":\\\"InProgress\\\"}}\"}}"
                   ","
                   "\"spec\":{\"location\":\"westus2\",\"kind\":\"StorageV2\",\"sku\":{\"name\":"
                   "\"Standard_LRS\"},\"accessTier\":\"Hot\",\"owner\":{\"name\":\"rg\"}}}",
        STR_ARG(url));
    stage_apply_text(s, str_z(a, text));
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    world_expect(w, !stage_puts(s, STR(ACCOUNT_ID("acc"))), "a second create");
    world_expect(w, s->polls, "the operation is not followed");
    stage_close(s);
}

/* 8: without a writer nothing is written, and withheld writes are counted. */
void pass_observe(struct world *w)
{
    stage_open(&stage, w, &(struct stage_options){.observe = true});
    stage_run(&stage, NS_PER_SEC); /* the Namespace would be a reason to look again */
    stage_apply_text(&stage, GROUP("rg", ""));
    stage_run(&stage, STAGE_PERIOD / 2);
    /* The claim, the condition and the PUT, in one pass. */
    world_expect(w, operator_stats(stage.operator).withheld == 3, "%llu writes are counted",
                 (unsigned long long)operator_stats(stage.operator).withheld);
    world_expect(w, !stage.arm_writes && !stage.kube_writes && !stage.status_writes, "it writes");
    stage_close(&stage);
}

/* A wiped status leads to a look, not to a PUT. */
void pass_wiped_status(struct world *w)
{
    struct stage *s = open_ready(w);
    struct local client = local_client(store_handler(w->store));

    client.type = STR("application/merge-patch+json");
    world_expect(w, stage_get(s, "StorageAccount", "acc"), "no object");
    world_expect(w,
                 local_askf(&client, "PATCH", "{\"status\":null}",
                            "/apis/%.*s/namespaces/default/storageaccounts/acc/status",
                            STR_ARG(value_get_str(w->client.body, STR("apiVersion")))) == 200,
                 "the status cannot be wiped: %.*s", STR_ARG(client.text));
    local_end(&client);
    stage_run(s, NS_PER_SEC);
    stage_restart(s, NULL);
    stage_run(s, 1 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    world_expect(w, stage_puts(s, STR(ACCOUNT_ID("acc"))) == 1, "a PUT because of a wiped status");
    stage_close(s);
}

/* 1.8: an object may be checked more or less often than others. */
void pass_sync_period(struct world *w)
{
    struct stage *s = open_ready(w);

    stage_patch(s, "StorageAccount", "acc", ANNOTATE(ANNOTATION_SYNC_PERIOD, "'1m'"));
    stage_patch(s, "ResourceGroup", "rg", ANNOTATE(ANNOTATION_SYNC_PERIOD, "'never'"));
    stage_run(s, 5 * NS_PER_SEC);
    unsigned reads = s->arm_reads;
    stage_run(s, 10 * WORLD_MINUTE);
    world_expect(w, s->arm_reads >= reads + 7 && s->arm_reads <= reads + 14,
                 "%u checks in ten minutes", s->arm_reads - reads);
    stage_patch(s, "StorageAccount", "acc", ANNOTATE(ANNOTATION_SYNC_PERIOD, "'never'"));
    stage_run(s, 5 * NS_PER_SEC);
    stage_expect_quiet(s, 24 * 60 * WORLD_MINUTE);
    stage_close(s);
}

/* The second look after a PUT does not make a short period longer. */
void pass_short_period(struct world *w)
{
    struct stage *s = &stage;

    stage_open(s, w, &(struct stage_options){.config = {.period = 4 * NS_PER_SEC}});
    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, ACCOUNT("acc", ""));
    for (unsigned i = 0; i < 120 && !stage_puts(s, STR(ACCOUNT_ID("acc"))); i++)
        stage_run(s, NS_PER_SEC);
    for (unsigned i = 0;
         i < 120 && !str_eq(stage_condition(s, "StorageAccount", "acc").status, STR("True")); i++)
        stage_run(s, NS_PER_SEC);
    stage_change(s, ACCOUNT_ID("acc"), "properties.accessTier", "\"Cool\"");
    stage_run(s, 12 * NS_PER_SEC);
    world_expect(w, stage_puts(s, STR(ACCOUNT_ID("acc"))) == 2, "not corrected in three periods");
    stage_close(s);
}
