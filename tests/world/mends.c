/* SPDX-License-Identifier: Apache-2.0 */
/* mends.c - regression scenarios for bugs found in reviews; each fails without its fix. */
#include "world/behaviours.h"

static struct stage stage;

#define SERVER(name, more)                                                                         \
    OBJECT("sql.azure.com/v20211101", "Server", name, more,                                        \
           "'location':'westus2','owner':{'name':'rg'},'administratorLogin':'me','version':"       \
           "'12.0','administratorLoginPassword':{'name':'admin','key':'password'}")
#define SERVER_ID(name) STAGE_GROUP "/providers/Microsoft.Sql/servers/" name
#define SECRET(value)                                                                              \
    "{'apiVersion':'v1','kind':'Secret','metadata':{'name':'admin'},'stringData':{'password':"     \
    "'" value "'}}"

static struct stage *open(struct world *w)
{
    stage_open(&stage, w, &(struct stage_options){0});
    stage_apply_text(&stage, GROUP("rg", ""));
    stage_run(&stage, 30 * NS_PER_SEC);
    return &stage;
}

static bool has_token(struct stage *s, const char *kind, const char *name)
{
    return object_annotation(stage_get(s, kind, name), STR(ANNOTATION_POLL_TOKEN)).len > 0;
}

/* Runs until an operation is under way and noted on the object. */
static void run_into_operation(struct stage *s, const char *kind, const char *name)
{
    for (int i = 0; i < 4000 && !has_token(s, kind, name); i++)
        stage_run(s, 20 * NS_PER_MS);
    world_expect(s->w, has_token(s, kind, name), "no operation of %s %s", kind, name);
}

/* Nothing is sent for an object that is only observed, so nothing is missing for it: not at its
 * first pass, nor later, nor when an earlier operation ends. */
void pass_skip_gathers_nothing(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, SERVER("absent", POLICY("skip")));
    stage_run(s, 30 * NS_PER_SEC);
    stage_expect(s, "Server", "absent", "AzureResourceNotFound", NULL);
    stage_restart(s, NULL);
    stage_run(s, 2 * STAGE_PERIOD);
    stage_expect(s, "Server", "absent", "AzureResourceNotFound", NULL);
    stage_apply_text(s, SECRET("hunter22hunter22"));
    stage_apply_text(s, SERVER("server", ""));
    run_into_operation(s, "Server", "server");
    stage_patch(s, "Server", "server", ANNOTATE(ANNOTATION_POLICY, "'skip'"));
    stage_delete(s, "Secret", "admin");
    stage_run(s, 1 * NS_PER_SEC);
    stage_restart(s, NULL);
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "Server", "server");
    stage_close(s);
}

/* After Azure has accepted a DELETE, it is checked for ten minutes before it is sent again. */
void delete_no_storm(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    s->deaf = 2;
    unsigned writes = s->arm_writes;
    stage_delete(s, "StorageAccount", "acc");
    stage_run(s, 9 * WORLD_MINUTE);
    world_expect(w, s->arm_writes == writes + 1, "%u DELETEs in nine minutes",
                 s->arm_writes - writes);
    stage_run(s, 30 * WORLD_MINUTE);
    world_expect(w, s->arm_writes == writes + 3, "%u DELETEs in all", s->arm_writes - writes);
    world_expect(w,
                 !stage_get(s, "StorageAccount", "acc") && !stage_is_in_azure(s, ACCOUNT_ID("acc")),
                 "it was not deleted");
    stage_close(s);
}

#define FORBIDDEN(type)                                                                            \
    "{'faults':[{'kind':'fail','method':'GET','type':'" type "','status':403,'code':"              \
    "'AuthorizationFailed','message':'not allowed','count':0}]}"

/* 1.6: a resource that cannot be read is deleted anyway; if Azure has no DELETE, it goes with its
 * owner. */
void delete_unseen(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_apply_text(s, OBJECT("storage.azure.com/v20230101", "StorageAccountsBlobService", "blobs",
                               "", "'owner':{'name':'acc'}"));
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccountsBlobService", "blobs");
    stage_fault(s, FORBIDDEN("Microsoft.Storage/*"));
    unsigned writes = s->arm_writes;
    stage_delete(s, "StorageAccountsBlobService", "blobs");
    stage_delete(s, "StorageAccount", "acc");
    stage_run(s, 5 * WORLD_MINUTE);
    world_expect(w, !stage_get(s, "StorageAccount", "acc"), "the account is left");
    world_expect(w, !stage_get(s, "StorageAccountsBlobService", "blobs"), "its child is left");
    world_expect(w, s->arm_writes == writes + 1 && !stage_is_in_azure(s, ACCOUNT_ID("acc")),
                 "%u DELETEs", s->arm_writes - writes);
    stage_close(s);
}

/* An object that is deleted and immediately recreated under its name is recreated in Azure, too. */
void pass_made_anew(struct world *w)
{
    struct stage *s = open(w);

    for (int round = 0; round < 8; round++) {
        if (!stage_get(s, "ResourceGroup", "rg"))
            stage_apply_text(s, GROUP("rg", ""));
        stage_run(s, 2 * WORLD_MINUTE);
        stage_expect_ready(s, "ResourceGroup", "rg");
        world_expect(w, stage_is_in_azure(s, STAGE_GROUP), "it is not in Azure");
        stage_delete(s, "ResourceGroup", "rg");
        for (int i = 0; i < 20000 && stage_get(s, "ResourceGroup", "rg"); i++)
            stage_run(s, 10 * NS_PER_MS);
        world_expect(w, !stage_get(s, "ResourceGroup", "rg"), "it was not deleted");
        stage_run(s, (int64_t)world_below(w, 200) * NS_PER_MS);
    }
    stage_close(s);
}

/* A Secret is rotated while an operation runs, and the operator is gone before its end: the
 * operation applied the old value, so another PUT follows. */
void secret_rotated_meanwhile(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, SECRET("hunter22hunter22"));
    stage_apply_text(s, SERVER("server", ""));
    run_into_operation(s, "Server", "server");
    stage_patch(s, "Secret", "admin", "{'stringData':{'password':'correct horse battery'}}");
    stage_run(s, 500 * NS_PER_MS);
    stage_restart(s, NULL);
    stage_run(s, 5 * WORLD_MINUTE);
    stage_expect_ready(s, "Server", "server");
    world_expect(w, stage_puts(s, STR(SERVER_ID("server"))) == 2, "%u PUTs after the rotation",
                 stage_puts(s, STR(SERVER_ID("server"))));
    /* An operation that was resumed without a change is not followed by another PUT. */
    stage_patch(s, "Server", "server", "{'spec':{'minimalTlsVersion':'1.2'}}");
    run_into_operation(s, "Server", "server");
    stage_run(s, 500 * NS_PER_MS);
    stage_restart(s, NULL);
    stage_run(s, 5 * WORLD_MINUTE);
    stage_expect_ready(s, "Server", "server");
    world_expect(w, stage_puts(s, STR(SERVER_ID("server"))) == 3, "%u PUTs in the end",
                 stage_puts(s, STR(SERVER_ID("server"))));
    world_expect(
        w, !object_annotation(stage_get(s, "Server", "server"), STR(ANNOTATION_POLL_DIGEST)).len,
        "the digest is left");
    stage_close(s);
}
