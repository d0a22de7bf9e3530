/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostile.c - what goes wrong around the operator: the rows of docs/bad-input.md, "The operator".
 */
#include "world/behaviours.h"

static struct stage stage;

static struct stage *open(struct world *w)
{
    stage_open(&stage, w, &(struct stage_options){.config = {.patience = 10 * WORLD_MINUTE}});
    stage_apply_text(&stage, GROUP("rg", ""));
    stage_run(&stage, 30 * NS_PER_SEC);
    stage.counts_created = true;
    return &stage;
}

/* ---- The end of the process, and clocks. ----------------------------------------------------- */

/* The number of requests to create and delete one account, and some more. */
#define STEPS 14

/*
 * The process ends after each request in turn and loses its answer: nothing is created twice, and
 * nothing is left behind.
 */
void bad_crashes(struct world *w)
{
    struct stage *s = open(w);

    for (unsigned n = 1; n <= STEPS; n++) {
        s->crash_after = n;
        stage_apply_text(s, ACCOUNT("acc", ""));
        stage_run(s, 3 * WORLD_MINUTE);
        stage_expect_ready(s, "StorageAccount", "acc");
        world_expect(w, stage_is_in_azure(s, ACCOUNT_ID("acc")), "not there, crash %u", n);
        world_expect(w, s->created == n, "%u creations, not %u", s->created, n);
        s->crash_after = n;
        stage_delete(s, "StorageAccount", "acc");
        stage_run(s, 3 * WORLD_MINUTE);
        world_expect(w, !stage_get(s, "StorageAccount", "acc"), "the object is stuck, crash %u", n);
        world_expect(w, !stage_is_in_azure(s, ACCOUNT_ID("acc")), "left in Azure, crash %u", n);
    }
    stage_close(s);
}

static void take_over_often(struct stage *s)
{
    for (unsigned i = 0; i < 8; i++) {
        stage_run(s, (int64_t)world_below(s->w, 4000) * NS_PER_MS);
        stage_take_over(s);
    }
}

/*
 * Another operator gets the lease again and again while the first one goes on for a moment: it
 * writes nothing (law 4, at every request), nothing is created twice and no finalizer is lost.
 */
void bad_two_leaders(struct world *w)
{
    struct stage *s = open(w);

    s->options.faults.held = 50;
    for (unsigned n = 1; n <= 5; n++) {
        stage_apply_text(s, ACCOUNT("acc", ""));
        take_over_often(s);
        stage_run(s, 3 * WORLD_MINUTE);
        stage_expect_ready(s, "StorageAccount", "acc");
        world_expect(w, s->created == n, "%u creations, not %u", s->created, n);
        stage_delete(s, "StorageAccount", "acc");
        take_over_often(s);
        stage_run(s, 3 * WORLD_MINUTE);
        world_expect(w, !stage_get(s, "StorageAccount", "acc"), "the object is stuck");
        world_expect(w, !stage_is_in_azure(s, ACCOUNT_ID("acc")), "left in Azure");
    }
    stage_close(s);
}

#define DAY (24 * 60 * WORLD_MINUTE)

/*
 * The wall clock jumps forward and back by a day, while objects are created, waiting and healthy.
 */
void bad_clocks(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, NETWORK("vnet", "", ""));
    stage_fault(s, "{'faults':[{'kind':'fail','method':'PUT','type':'Microsoft.Network/"
                   "routeTables','status':409,'code':'AnotherOperationInProgress','count':0}]}");
    stage_apply_text(s, ROUTES("routes"));
    stage_apply_text(s, SUBNET("sub", "vnet",
                               ",'addressPrefix':'10.0.0.0/24','routeTable':{'reference':{'group':"
                               "'network.azure.com','kind':'RouteTable','name':'routes'}}"));
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 2 * NS_PER_SEC);
    s->skew = DAY;
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    s->skew = -DAY;
    stage_run(s, 2 * NS_PER_SEC);
    stage_restart(s, NULL);
    /* The patience for references is ten minutes, whatever the clock says. */
    stage_run(s, 15 * WORLD_MINUTE);
    world_expect(w, stage_puts(s, STR(NETWORK_ID("vnet") "/subnets/sub")), "waits for a day");
    unsigned reads = s->arm_reads;
    stage_run(s, 2 * STAGE_PERIOD);
    world_expect(w, s->arm_reads > reads, "nothing is checked any more");
    world_expect(w, stage_puts(s, STR(ACCOUNT_ID("acc"))) == 1, "a PUT because of the clock");
    stage_expect_ready(s, "StorageAccount", "acc");
    stage_close(s);
}

/* ---- Answers of Azure. ----------------------------------------------------------------------- */

/* How an answer about the account is changed, the first count times. */
struct twist {
    const char *name;
    enum effect_kind kind;
    int from, to; /* status; from 0: any */
    const char *body;
    bool without_headers;
    bool ends; /* it ends well; else the condition says what is wrong while it lasts */
    unsigned count;
};

static const struct twist twists[] = {
    {"PUT 200 without a body", ARM_PUT, 0, 200, "", true, true, 1},
    {"PUT 201 without a body", ARM_PUT, 0, 201, "", true, true, 1},
    {"PUT 202 without body and address", ARM_PUT, 0, 202, "", true, true, 1},
    {"PUT 200 with an error", ARM_PUT, 0, 200, "{'error':{'code':'Odd','message':'no'}}", true,
     true, 1},
    {"GET 200 with an error", ARM_GET, 200, 200, "{'error':{'code':'Odd','message':'no'}}", false,
     true, 2},
    {"GET 204", ARM_GET, 200, 204, "", false, true, 2},
    {"GET 200 without a body", ARM_GET, 200, 200, "", false, true, 2},
    {"GET 200 with half a body", ARM_GET, 200, 200, "{'id':'/subscr", false, true, 2},
    {"GET 200 with a list", ARM_GET, 200, 200, "[]", false, true, 2},
    {"GET 200 with a page", ARM_GET, 200, 200, "<html>sorry</html>", false, true, 2},
    {"GET 504", ARM_GET, 200, 504, "", false, true, 3},
    {"GET 403", ARM_GET, 200, 403, "{'error':{'code':'AuthorizationFailed','message':'no'}}", false,
     true, 2},
};

static struct twisting {
    const struct twist *t;
    unsigned done;
} twisting;

static void twist(struct stage *s, const struct effect *effect, struct arm_answer *answer)
{
    const struct twist *t = twisting.t;

    if (!t || twisting.done >= t->count || effect->kind != t->kind ||
        !str_contains(effect->url, STR("storageAccounts/")) ||
        (t->from && answer->http != t->from) || (t->kind == ARM_PUT && answer->http >= 300))
        return;
    twisting.done++;
    answer->http = t->to;
    answer->body = str_c(t->body);
    char *text = str_z(s->w->arena, answer->body);
    for (char *at = text; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    answer->body = str_c(text);
    if (t->without_headers)
        answer->async_operation = answer->location = answer->operation_location = STR_NONE;
}

/* Odd answers: the resource becomes Ready, is created once, and is not written again later. */
void bad_answers(struct world *w)
{
    struct stage *s = open(w);

    s->twist = twist;
    for (size_t i = 0; i < COUNT(twists); i++) {
        unsigned created = s->created;
        world_note(w, "%s", twists[i].name);
        twisting = (struct twisting){.t = &twists[i]};
        stage_apply_text(s, ACCOUNT("acc", ""));
        stage_run(s, 5 * WORLD_MINUTE);
        stage_expect_ready(s, "StorageAccount", "acc");
        world_expect(w, twisting.done, "%s did not happen", twists[i].name);
        world_expect(w, s->created == created + 1, "%s: %u creations", twists[i].name,
                     s->created - created);
        /* Once more, on a healthy object. */
        unsigned puts = stage_puts(s, STR(ACCOUNT_ID("acc")));
        twisting.done = 0;
        stage_run(s, 3 * STAGE_PERIOD);
        stage_expect_ready(s, "StorageAccount", "acc");
        world_expect(w, stage_puts(s, STR(ACCOUNT_ID("acc"))) == puts, "%s: a PUT without a cause",
                     twists[i].name);
        twisting.t = NULL;
        stage_delete(s, "StorageAccount", "acc");
        stage_run(s, 5 * WORLD_MINUTE);
        world_expect(w, !stage_get(s, "StorageAccount", "acc"), "%s: the object is left",
                     twists[i].name);
    }
    stage_close(s);
}

/* Transient errors without end: the number of requests per hour is bounded. */
void bad_throttling(struct world *w)
{
    static const char *const faults[] = {
        "'kind':'throttle','retryAfter':60",
        "'kind':'fail','status':429,'code':'TooManyRequests'",
        "'kind':'fail','status':429,'code':'RetryableError','detail':"
        "'ReferencedResourceNotProvisioned'",
        "'kind':'fail','status':503,'code':'ServerBusy'",
        "'kind':'fail','status':504,'code':'GatewayTimeout','shape':'html'",
        "'kind':'drop'",
    };
    struct stage *s = open(w);

    for (size_t i = 0; i < COUNT(faults); i++) {
        unsigned tries = s->arm_writes;
        world_note(w, "%s", faults[i]);
        stage_fault(s, str_z(w->arena, str_fmt(w->arena,
                                               "{'faults':[{%s,'method':'PUT','type':"
                                               "'Microsoft.Storage*','count':0}]}",
                                               faults[i])));
        stage_apply_text(s, ACCOUNT("acc", ""));
        stage_run(s, 60 * WORLD_MINUTE);
        struct condition c = stage_condition(s, "StorageAccount", "acc");
        tries = s->arm_writes - tries;
        world_expect(w, tries >= 4 && tries <= 75, "%s: %u tries in an hour", faults[i], tries);
        world_expect(w, !str_eq(c.severity, STR("Error")) && c.message.len, "%s: %.*s", faults[i],
                     STR_ARG(c.reason));
        stage_end_faults(s);
        stage_run(s, 5 * WORLD_MINUTE);
        stage_expect_ready(s, "StorageAccount", "acc");
        stage_delete(s, "StorageAccount", "acc");
        stage_run(s, 5 * WORLD_MINUTE);
    }
    stage_close(s);
}

/* An answer that takes a quarter of an hour: one request, and all other objects go on. */
void bad_slow_answers(struct world *w)
{
    struct stage *s = open(w);

    s->slow_id = ACCOUNT_ID("acc");
    s->slow_by = 15 * WORLD_MINUTE;
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 10 * NS_PER_SEC);
    stage_apply_text(s, ACCOUNT("other", ""));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "other");
    stage_run(s, 120 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    world_expect(w, stage_puts(s, STR(ACCOUNT_ID("acc"))) == 1, "sent twice");
    stage_close(s);
}

/* What users must see: Azure's error code, whether it is retried, and when. */
void bad_refusals(struct world *w)
{
    static const struct {
        const char *status, *code, *class, *severity;
    } rows[] = {
        {"403", "RequestDisallowedByPolicy", "retryable", "Warning"},
        {"409", "QuotaExceeded", "retryable", "Warning"},
        {"409", "ResourceQuotaExceeded", "retryable", "Warning"},
        {"409", "ScopeLocked", "retryable", "Warning"},
        {"409", "FlagMustBeSetForRestore", "retryable", "Warning"},
        {"409", "SoftDeletedVaultDoesNotExist", "retryable", "Warning"},
        {"409", "StorageAccountAlreadyTaken", "retryable", "Warning"},
        {"400", "LocationRequired", "fatal", "Error"},
    };
    struct stage *s = open(w);

    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *fault = str_z(
            w->arena, str_fmt(w->arena,
                              "{'faults':[{'kind':'fail','method':'PUT','type':'Microsoft.Storage*"
                              "','status':%s,'code':'%s','message':'because','count':0}]}",
                              rows[i].status, rows[i].code));
        stage_fault(s, fault);
        stage_apply_text(s, ACCOUNT("acc", ""));
        stage_run(s, 20 * NS_PER_SEC);
        stage_expect(s, "StorageAccount", "acc", rows[i].code, "because");
        struct condition c = stage_condition(s, "StorageAccount", "acc");
        const struct value *memory = value_get(
            value_get(stage_get(s, "StorageAccount", "acc"), STR("status")), STR("operatorStatus"));
        world_expect(w,
                     str_eq(c.severity, str_c(rows[i].severity)) &&
                         str_contains(c.message, STR(" again ")) &&
                         str_eq(value_get_str(memory, STR("class")), str_c(rows[i].class)) &&
                         value_get_str(memory, STR("nextRetry")).len,
                     "%s: %.*s", rows[i].code, STR_ARG(c.message));
        stage_end_faults(s);
        stage_delete(s, "StorageAccount", "acc");
        stage_run(s, 5 * WORLD_MINUTE);
    }
    stage_close(s);
}

/* ---- The cluster. ---------------------------------------------------------------------------- */

#define MANY 300

static str group_text(struct world *w, unsigned i)
{
    return str_fmt(w->arena,
                   "{'apiVersion':'resources.azure.com/v1api20200601','kind':'ResourceGroup',"
                   "'metadata':{'name':'g%u'},'spec':{'location':'westus2'}}",
                   i);
}

/* The status of many objects is wiped, as by a restored backup: all are read, nothing is written to
 * Azure. */
void bad_wiped(struct world *w)
{
    struct stage *s = open(w);
    struct local client = local_client(store_handler(w->store));

    for (unsigned i = 0; i < MANY; i++)
        stage_apply_text(s, str_z(w->arena, group_text(w, i)));
    stage_run(s, 5 * WORLD_MINUTE);
    unsigned writes = s->arm_writes;
    client.type = STR("application/merge-patch+json");
    client.agent = STR("a-restore");
    for (unsigned i = 0; i < MANY; i++)
        world_expect(w,
                     local_askf(&client, "PATCH", "{\"status\":null}",
                                "/apis/resources.azure.com/v1api20200601/namespaces/default/"
                                "resourcegroups/g%u/status",
                                i) == 200,
                     "not wiped: %.*s", STR_ARG(client.text));
    local_end(&client);
    stage_restart(s, NULL);
    stage_run(s, 2 * STAGE_PERIOD);
    for (unsigned i = 0; i < MANY; i += 100)
        stage_expect_ready(s, "ResourceGroup", str_z(w->arena, str_fmt(w->arena, "g%u", i)));
    world_expect(w, s->arm_writes == writes, "%u writes", s->arm_writes - writes);
    stage_close(s);
}

#define ROLE(name, owner)                                                                          \
    OBJECT("authorization.azure.com/v1api20220401", "RoleAssignment", name, "",                    \
           "'owner':{'group':'authorization.azure.com','kind':'RoleAssignment','name':'" owner     \
           "'},'principalId':'00000000-0000-0000-0000-000000000001','roleDefinitionReference':{"   \
           "'armId':'/subscriptions/" STAGE_SUBSCRIPTION "/providers/Microsoft.Authorization/"     \
           "roleDefinitions/00000000-0000-0000-0000-000000000002'}")
#define ELSEWHERE "/subscriptions/99999999-0000-0000-0000-000000000000/resourceGroups/rg"

/* Owners that own each other; an owner in a subscription other than the credential's. */
void bad_owners(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, ROLE("a", "b"));
    stage_apply_text(s, ROLE("b", "a"));
    stage_apply_text(
        s, OBJECT("storage.azure.com/v20230101", "StorageAccount", "far", "",
                  "'location':'westus2','kind':'StorageV2','sku':{'name':'Standard_LRS'},'owner':"
                  "{'armId':'" ELSEWHERE "'}"));
    stage_azure(s, "PUT", STR(ELSEWHERE), STR("2020-06-01"), STR("{\"location\":\"westus2\"}"));
    stage_run(s, 30 * WORLD_MINUTE);
    struct condition c = stage_condition(s, "RoleAssignment", "a");
    world_expect(w, c.message.len && !str_eq(c.status, STR("True")), "a circle is accepted");
    stage_expect(s, "StorageAccount", "far", "SubscriptionMismatch", "99999999");
    world_expect(w,
                 !stage_is_in_azure(s, ELSEWHERE "/providers/Microsoft.Storage/storageAccounts/"
                                                 "far"),
                 "it was written");
    uint64_t passes = operator_stats(s->operator).passes;
    stage_run(s, 60 * WORLD_MINUTE);
    world_expect(w, operator_stats(s->operator).passes < passes + 300, "the circle goes round");
    stage_delete(s, "RoleAssignment", "a");
    stage_delete(s, "RoleAssignment", "b");
    stage_run(s, 10 * WORLD_MINUTE);
    world_expect(w, !stage_get(s, "RoleAssignment", "a") && !stage_get(s, "RoleAssignment", "b"),
                 "the circle cannot be deleted");
    stage_close(s);
}

/* Below a group that is gone Azure answers 403, not 404, if the role went with it. */
void bad_parent_gone(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_azure(s, "DELETE", STR(STAGE_GROUP), STR("2020-06-01"), STR_NONE);
    stage_run(s, 1 * WORLD_MINUTE);
    stage_fault(s, "{'faults':[{'kind':'fail','type':'Microsoft.Storage*','status':"
                   "403,'code':'AuthorizationFailed','message':'no','count':0}]}");
    stage_delete(s, "StorageAccount", "acc");
    stage_run(s, 1 * WORLD_MINUTE);
    world_expect(w, !stage_get(s, "StorageAccount", "acc"), "the object is stuck");
    /* The same answer means nothing while the group exists. */
    stage_end_faults(s);
    stage_run(s, 2 * STAGE_PERIOD);
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    stage_fault(s, "{'faults':[{'kind':'fail','type':'Microsoft.Storage*','status':"
                   "403,'code':'AuthorizationFailed','message':'no','count':0}]}");
    stage_delete(s, "StorageAccount", "acc");
    stage_run(s, 10 * WORLD_MINUTE);
    stage_expect(s, "StorageAccount", "acc", "AuthorizationFailed", "detach-on-delete");
    stage_end_faults(s);
    stage_run(s, 10 * WORLD_MINUTE);
    world_expect(w,
                 !stage_get(s, "StorageAccount", "acc") && !stage_is_in_azure(s, ACCOUNT_ID("acc")),
                 "it was not deleted");
    stage_close(s);
}

/* An object that was claimed in an unknown version; unknown members. */
void bad_versions(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(
        s, OBJECT("storage.azure.com/v20230101", "StorageAccount", "acc",
                  ",'annotations':{'" ANNOTATION_API_VERSION "':'v19990101'}",
                  "'location':'westus2','kind':'StorageV2','sku':{'name':'Standard_LRS'},'owner':"
                  "{'name':'rg'},'nobodyKnows':{'this':1}"));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    const struct value *body = stage_body(s, ACCOUNT_ID("acc"), "2023-01-01");
    world_expect(w, !value_get(value_get(body, STR("properties")), STR("nobodyKnows")),
                 "an unknown member was sent");
    stage_patch(s, "StorageAccount", "acc", "{'metadata':{'managedFields':[{}]}}");
    stage_patch(s, "StorageAccount", "acc", ANNOTATE(ANNOTATION_API_VERSION, "'v19990101'"));
    stage_run(s, 1 * WORLD_MINUTE);
    unsigned writes = s->arm_writes;
    stage_restart(s, NULL);
    stage_run(s, 1 * WORLD_MINUTE);
    stage_expect(s, "StorageAccount", "acc", "Failed", "v19990101");
    stage_run(s, 2 * STAGE_PERIOD);
    world_expect(w, s->arm_writes == writes, "written in a version that nobody knows");
    stage_close(s);
}

/* ---- Ids. ------------------------------------------------------------------------------------ */

#define GROUPS "/subscriptions/" STAGE_SUBSCRIPTION "/resourceGroups/"
#define CLAIMED(id)                                                                                \
    ",'finalizers':['" FINALIZER "'],'annotations':{'" ANNOTATION_RESOURCE_ID "':'" id "'}"

/* Each has an annotation with an id that is not of its kind; the first is within the scope. */
static const struct claimed {
    const char *kind, *name, *text;
} claimed[] = {
    {"VirtualNetworksSubnet", "group",
     OBJECT("network.azure.com/v20250301", "VirtualNetworksSubnet", "group", CLAIMED(STAGE_GROUP),
            "'owner':{'name':'vnet'}")},
    {"StorageAccount", "network", ACCOUNT("network", CLAIMED(NETWORK_ID("vnet")))},
    {"StorageAccount", "dots",
     ACCOUNT("dots", CLAIMED(STAGE_GROUP "/providers/../../theirs/providers/Microsoft.Storage/"
                                         "storageAccounts/acc"))},
    {"StorageAccount", "none", ACCOUNT("none", CLAIMED("acc"))},
    {"StorageAccount", "host", ACCOUNT("host", CLAIMED("@example.com/acc"))},
};

static void expect_left_alone(struct stage *s, const struct claimed *c, unsigned writes)
{
    world_expect(s->w, s->arm_writes == writes, "%s: %u writes", c->name, s->arm_writes - writes);
    world_expect(s->w, stage_is_in_azure(s, STAGE_GROUP), "%s: the group is gone", c->name);
    stage_expect(s, c->kind, c->name, "InvalidResourceId", "is not the id of a Microsoft.");
}

/*
 * Annotations are under the user's control: somebody who may write subnets must not be able to
 * delete a group with one, or to escape the scope. The user of such an object can still delete it.
 */
void bad_ids(struct world *w)
{
    const str scope = STR(STAGE_GROUP);

    stage_open(&stage, w, &(struct stage_options){.config = {.scopes = &scope, .scope_count = 1}});
    struct stage *s = &stage;
    stage_apply_text(s, GROUP("rg", ""));
    stage_azure(s, "PUT", STR(GROUPS "theirs"), STR("2020-06-01"),
                STR("{\"location\":\"westus2\"}"));
    stage_apply_text(s, NETWORK("vnet", "", ""));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "VirtualNetwork", "vnet");
    unsigned writes = s->arm_writes;
    for (size_t i = 0; i < COUNT(claimed); i++) {
        const struct claimed *c = &claimed[i];
        stage_apply_text(s, c->text);
        stage_run(s, 2 * WORLD_MINUTE);
        expect_left_alone(s, c, writes);
        stage_delete(s, c->kind, c->name);
        stage_run(s, 20 * WORLD_MINUTE);
        expect_left_alone(s, c, writes);
        stage_patch(s, c->kind, c->name, ANNOTATE(ANNOTATION_POLICY, "'detach-on-delete'"));
        stage_run(s, 2 * WORLD_MINUTE);
        world_expect(w, !stage_get(s, c->kind, c->name), "%s is stuck", c->name);
    }
    stage_close(s);
}

#define ROLE_OF(name, id)                                                                          \
    OBJECT("authorization.azure.com/v1api20220401", "RoleAssignment", name, "",                    \
           "'owner':{'armId':'" id "'},'principalId':'00000000-0000-0000-0000-000000000001',"      \
           "'roleDefinitionReference':{'armId':'" STAGE_GROUP "/providers/Microsoft.Authorization" \
           "/roleDefinitions/00000000-0000-0000-0000-000000000002'}")

#define VAULT                                                                                      \
    OBJECT("keyvault.azure.com/v1api20230701", "Vault", "kv", "",                                  \
           "'location':'westus2','owner':{'name':'rg'},'properties':{'createMode':"                \
           "'purgeThenCreate','tenantId':'00000000-0000-0000-0000-000000000003','sku':{'family':"  \
           "'A','name':'standard'}}")
#define VAULT_ID GROUPS "theirs/providers/Microsoft.KeyVault/vaults/kv"

/* Deleted vaults of somebody else are kept outside all groups. */
static void delete_vault(struct stage *s)
{
    const str version = STR("2024-11-01");

    stage_azure(s, "PUT", STR(GROUPS "theirs"), STR("2020-06-01"),
                STR("{\"location\":\"westus2\"}"));
    stage_azure(s, "PUT", STR(VAULT_ID), version,
                STR("{\"location\":\"westus2\",\"properties\":{}}"));
    stage_run(s, WORLD_MINUTE);
    stage_azure(s, "DELETE", STR(VAULT_ID), version, STR_NONE);
    stage_run(s, WORLD_MINUTE);
}

/* However something outside --allow-scope is named, nothing is sent. */
void bad_scopes(struct world *w)
{
    const str scope = STR(STAGE_GROUP);

    stage_open(&stage, w, &(struct stage_options){.config = {.scopes = &scope, .scope_count = 1}});
    struct stage *s = &stage;
    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, NETWORK("vnet", "", ""));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "VirtualNetwork", "vnet");
    delete_vault(s);
    unsigned writes = s->arm_writes;
    stage_apply_text(s, VAULT);
    stage_apply_text(s, GROUP("theirs", ""));
    stage_apply_text(s, ROLE_OF("open", GROUPS "theirs"));
    stage_apply_text(s, ROLE_OF("dots", STAGE_GROUP "/providers/../../theirs"));
    stage_apply_text(s, OBJECT("network.azure.com/v20250301", "RouteTable", "name", "",
                               "'location':'westus2','owner':{'name':'rg'},'azureName':'..\\\\x'"));
    stage_apply_text(
        s, SUBNET("id", "vnet",
                  ",'addressPrefix':'10.0.0.0/24','routeTable':{'reference':{'armId':'" GROUPS
                  "theirs/providers/Microsoft.Network/routeTables/r'}}"));
    stage_apply_text(s, SUBNET("azure", "vnet",
                               ",'addressPrefix':'10.0.1.0/24','routeTable':{'reference':{'azure':{"
                               "'resourceGroup':'theirs','name':'Microsoft.Network/routeTables/r'}}"
                               "}"));
    stage_run(s, 30 * WORLD_MINUTE);
    world_expect(w, s->arm_writes == writes, "%u writes", s->arm_writes - writes);
    stage_expect(s, "Vault", "kv", "ScopeNotAllowed", "deletedVaults/kv/purge");
    stage_expect(s, "ResourceGroup", "theirs", "ScopeNotAllowed", "theirs");
    stage_expect(s, "RoleAssignment", "open", "ScopeNotAllowed", "theirs");
    stage_expect(s, "RoleAssignment", "dots", "Failed", "\"..\" in it is not a name");
    stage_expect(s, "RouteTable", "name", "Failed", "cannot be a name in Azure");
    stage_expect(s, "VirtualNetworksSubnet", "id", "ScopeNotAllowed", "theirs");
    stage_expect(s, "VirtualNetworksSubnet", "azure", "ScopeNotAllowed", "theirs");
    stage_close(s);
}
