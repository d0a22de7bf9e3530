/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.c - what is written into objects, byte for byte as by the reference operator: operator.md,
 * 1.1, 2.7 and 4.5. Names are spelled out here, so that a changed define is noticed.
 */
#include "world/behaviours.h"

#define OTHERS "serviceoperator.azure.com/"
#define GROUP_STORED "resources.azure.com/v1api20200601storage"

static struct stage stage;

static const struct {
    const char *place, *name, *value; /* value NULL: absent */
} fields[] = {
    {"annotations", OTHERS "operator-namespace", "plumb-system"},
    {"annotations", OTHERS "resource-id",
     "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/rg/providers/"
     "Microsoft.Storage/storageAccounts/acc"},
    {"annotations", OTHERS "latest-reconciled-generation", "1"},
    {"annotations", OTHERS "poller-resume-token", NULL},
    {"annotations", OTHERS "poller-resume-id", NULL},
    {"annotations", OTHERS "reconcile-policy", NULL},
    {"labels", OTHERS "owner-name", "rg"},
    {"labels", OTHERS "owner-group-kind", "ResourceGroup.resources.azure.com"},
    {"labels", OTHERS "last-reconciled-version", "v0.1.0"},
};

static const struct value *meta_of_account(struct stage *s)
{
    return value_get(stage_get(s, "StorageAccount", "acc"), STR("metadata"));
}

static void check_fields(struct stage *s, const struct value *meta)
{
    for (size_t i = 0; i < COUNT(fields); i++) {
        const struct value *v =
            value_get(value_get(meta, str_c(fields[i].place)), str_c(fields[i].name));
        world_expect(s->w, fields[i].value ? str_eq(value_str(v), str_c(fields[i].value)) : !v,
                     "%s is \"%.*s\"", fields[i].name, STR_ARG(value_str(v)));
    }
}

/* {apiVersion, kind, name, uid} and nothing else; the uid is that of the label, too. */
static void check_owner(struct stage *s, str uid)
{
    const struct value *meta = meta_of_account(s);
    const struct value *owners = value_get(meta, STR("ownerReferences")), *o = value_at(owners, 0);

    world_expect(s->w, value_len(owners) == 1 && value_len(o) == 4, "the owner reference");
    world_expect(
        s->w,
        str_has_prefix(value_get_str(o, STR("apiVersion")), STR("resources.azure.com/")) &&
            str_eq(value_get_str(o, STR("kind")), STR("ResourceGroup")) &&
            str_eq(value_get_str(o, STR("name")), STR("rg")) &&
            str_eq(value_get_str(o, STR("uid")), uid) &&
            str_eq(value_get_str(value_get(meta, STR("labels")), STR(OTHERS "owner-uid")), uid),
        "the owner reference");
}

void fields_of_objects(struct world *w)
{
    struct stage *s = &stage;
    const struct value *annotations = NULL, *finalizers;
    str token = STR_NONE;

    stage_open(s, w, &(struct stage_options){0});
    stage_apply_text(s, GROUP("rg", ""));
    stage_run(s, 30 * NS_PER_SEC);
    str uid = str_copy(w->arena, object_uid(stage_get(s, "ResourceGroup", "rg")));
    /* 1.3.1: the generation that was started, even by a PUT that ends at once. */
    world_expect(w,
                 str_eq(object_annotation(stage_get(s, "ResourceGroup", "rg"),
                                          STR(OTHERS "latest-reconciled-generation")),
                        STR("1")),
                 "no generation after a PUT without an operation");
    stage_apply_text(s, ACCOUNT("acc", ""));
    for (int i = 0; i < 600 && !token.len; i++) {
        stage_run(s, 20 * NS_PER_MS);
        annotations = value_get(meta_of_account(s), STR("annotations"));
        token = value_get_str(annotations, STR(OTHERS "poller-resume-token"));
    }
    world_expect(w,
                 str_has_prefix(token, STR("{\"type\":\"GenericResource\",\"token\":{\"")) &&
                     str_eq(value_get_str(annotations, STR(OTHERS "poller-resume-id")),
                            STR("GenericClient.CreateOrUpdateByID")) &&
                     str_eq(value_get_str(annotations, STR(OTHERS "latest-reconciled-generation")),
                            STR("1")),
                 "the poll token: %.*s", STR_ARG(token));
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    check_fields(s, meta_of_account(s));
    check_owner(s, uid);
    finalizers = value_get(meta_of_account(s), STR("finalizers"));
    world_expect(w,
                 value_len(finalizers) == 1 &&
                     str_eq(value_str(value_at(finalizers, 0)), STR(OTHERS "finalizer")),
                 "the finalizer");
    /* It is set after a rejected PUT, too. */
    stage_fault(s, "{'kind':'fail','method':'PUT','status':403,'code':'RequestDisallowedByPolicy',"
                   "'count':0}");
    stage_patch(s, "StorageAccount", "acc", "{'spec':{'accessTier':'Cool'}}");
    stage_run(s, 5 * NS_PER_SEC);
    world_expect(w,
                 str_eq(object_annotation(stage_get(s, "StorageAccount", "acc"),
                                          STR(OTHERS "latest-reconciled-generation")),
                        STR("2")),
                 "no generation after a refused PUT");
    stage_close(s);
}

/* ---- Objects as the reference operator leaves them. ------------------------------------------ */

/* Ampersands in texts of texts, as its JSON writer escapes them. */
static str escaped(struct arena *a, str url)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    str before;

    for (bool more = true; more;) {
        more = str_cut(url, STR("&"), &before, &url);
        buf_add(&b, before);
        buf_add(&b, more ? STR("\\u0026") : STR_NONE);
    }
    return buf_str(&b);
}

/* 2.7: the token of an operation that somebody else started with a PUT. */
static str token_of(struct stage *s, const struct sim_response *r, const char *id)
{
    struct arena *a = s->w->arena;
    str async = http_header_get(&r->headers, STR("Azure-AsyncOperation"));
    str location = http_header_get(&r->headers, STR("Location"));

    world_expect(s->w, async.len || location.len, "no operation to take over: %d", r->status);
    if (!async.len)
        return str_fmt(a,
                       "{\"type\":\"GenericResource\",\"token\":{\"type\":\"loc\",\"pollURL\":"
                       "\"%.*s\",\"state\":\"InProgress\"}}",
                       STR_ARG(escaped(a, location)));
    return str_fmt(a,
                   "{\"type\":\"GenericResource\",\"token\":{\"asyncURL\":\"%.*s\",\"locURL\":"
                   "\"\",\"origURL\":\"" STAGE_ENDPOINT
                   "%s?api-version=2025-03-01\",\"method\":\"PUT\",\"finalState\":\"\","
                   "\"state\":\"InProgress\"}}",
                   STR_ARG(escaped(a, async)), id);
}

/* The object in the storage version, with everything that the reference operator keeps in it. */
static struct value *left_behind(struct stage *s, const char *text, const char *id, str uid)
{
    struct arena *a = s->w->arena;
    struct value *object = stage_parse(a, text), *meta = object_meta(object);

    object_add_finalizer(a, object, STR(OTHERS "finalizer"));
    object_set_annotation(a, object, STR(OTHERS "operator-namespace"), STR("plumb-system"));
    object_set_annotation(a, object, STR(OTHERS "resource-id"), str_c(id));
    object_set_annotation(a, object, STR(OTHERS "latest-reconciled-generation"), STR("1"));
    object_set_label(a, object, STR(OTHERS "last-reconciled-version"), STR("v2.20.0"));
    if (!uid.len)
        return object;
    object_set_label(a, object, STR(OTHERS "owner-name"), STR("rg"));
    object_set_label(a, object, STR(OTHERS "owner-group-kind"),
                     STR("ResourceGroup.resources.azure.com"));
    object_set_label(a, object, STR(OTHERS "owner-uid"), uid);
    struct value *owners = value_set(a, meta, STR("ownerReferences"), value_list(a));
    struct value *owner = value_add(a, owners, value_object(a));
    value_set_str(a, owner, STR("apiVersion"), STR(GROUP_STORED));
    value_set_str(a, owner, STR("kind"), STR("ResourceGroup"));
    value_set_str(a, owner, STR("name"), STR("rg"));
    value_set_str(a, owner, STR("uid"), uid);
    return object;
}

static void leave(struct stage *s, const struct value *object)
{
    world_expect(s->w, stage_apply(s, object) == 201, "refused: %.*s", STR_ARG(s->w->client.text));
}

static void set_ready(struct stage *s, const char *path)
{
    struct local client = local_client(store_handler(s->w->store));

    client.type = STR("application/merge-patch+json");
    world_expect(s->w,
                 local_ask(&client, "PATCH", path,
                           "{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\","
                           "\"reason\":\"Succeeded\",\"observedGeneration\":1,"
                           "\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}]}}") == 200,
                 "no status: %.*s", STR_ARG(client.text));
    local_end(&client);
}

static void leave_running(struct stage *s, const char *text, const char *id, str uid,
                          const struct sim_response *r)
{
    struct value *object = left_behind(s, text, id, uid);
    struct arena *a = s->w->arena;

    object_set_annotation(a, object, STR(OTHERS "poller-resume-token"), token_of(s, r, id));
    object_set_annotation(a, object, STR(OTHERS "poller-resume-id"),
                          STR("GenericClient.CreateOrUpdateByID"));
    leave(s, object);
}

/* Owner reference and claim are unchanged, and the token is gone. */
static void check_taken_over(struct stage *s, const char *kind, const char *name, str uid)
{
    stage_expect_ready(s, kind, name);
    const struct value *meta = object_meta(stage_get(s, kind, name));
    const struct value *owners = value_get(meta, STR("ownerReferences")), *o = value_at(owners, 0);
    const struct value *finalizers = value_get(meta, STR("finalizers"));

    world_expect(s->w,
                 value_len(owners) == 1 && value_len(o) == 4 &&
                     str_eq(value_get_str(o, STR("apiVersion")), STR(GROUP_STORED)) &&
                     str_eq(value_get_str(o, STR("uid")), uid),
                 "the owner reference of %s", name);
    world_expect(s->w,
                 value_len(finalizers) == 1 &&
                     str_eq(value_str(value_at(finalizers, 0)), STR(OTHERS "finalizer")),
                 "the finalizer of %s", name);
    world_expect(
        s->w, str_eq(value_get_str(value_get(meta, STR("labels")), STR(OTHERS "owner-uid")), uid),
        "the label of %s", name);
}

#define ACCOUNT_SPEC                                                                               \
    "'location':'westus2','kind':'StorageV2','sku':{'name':'Standard_LRS'},'accessTier':'Hot',"    \
    "'owner':{'name':'rg'}"
#define STORED_ACCOUNT                                                                             \
    OBJECT("storage.azure.com/v20250601storage", "StorageAccount", "acc", "",                      \
           ACCOUNT_SPEC ",'azureName':'acc','originalVersion':'v20230101'")
#define STORED_NETWORK                                                                             \
    OBJECT("network.azure.com/v20250301storage", "VirtualNetwork", "net", "",                      \
           "'location':'westus2','owner':{'name':'rg'},'azureName':'net','addressSpace':{"         \
           "'addressPrefixes':['10.0.0.0/8']},'originalVersion':'v20250301'")
#define STORED_GROUP                                                                               \
    OBJECT(GROUP_STORED, "ResourceGroup", "rg", "",                                                \
           "'location':'westus2','azureName':'rg','originalVersion':'v1api20200601'")

/* 10.3: takes over on its definitions, with its objects, in the middle of its operations; nothing
 * is created twice, and healthy objects cost no writes. */
void fields_taken_over(struct world *w)
{
    struct stage *s = &stage;
    struct sim_response account, network;

    stage_open(s, w, &(struct stage_options){.foreign = true, .twins = true});
    s->leads = false; /* its lease is the other operator's */
    stage_azure(s, "PUT", STR(STAGE_GROUP), STR("2020-06-01"), STR("{\"location\":\"westus2\"}"));
    leave(s, left_behind(s, STORED_GROUP, STAGE_GROUP, STR_NONE));
    set_ready(s, "/apis/" GROUP_STORED "/namespaces/default/resourcegroups/rg/status");
    str uid = str_copy(w->arena, object_uid(stage_get(s, "ResourceGroup", "rg")));
    account = stage_azure(s, "PUT", STR(ACCOUNT_ID("acc")), STR("2023-01-01"),
                          STR("{\"location\":\"westus2\",\"kind\":\"StorageV2\",\"sku\":{\"name\":"
                              "\"Standard_LRS\"},\"properties\":{\"accessTier\":\"Hot\"}}"));
    network = stage_azure(s, "PUT", STR(NETWORK_ID("net")), STR("2025-03-01"),
                          STR("{\"location\":\"westus2\",\"properties\":{\"addressSpace\":{"
                              "\"addressPrefixes\":[\"10.0.0.0/8\"]}}}"));
    leave_running(s, STORED_ACCOUNT, ACCOUNT_ID("acc"), uid, &account);
    leave_running(s, STORED_NETWORK, NETWORK_ID("net"), uid, &network);
    s->leads = true;
    stage_run(s, 5 * WORLD_MINUTE);
    check_taken_over(s, "StorageAccount", "acc", uid);
    check_taken_over(s, "VirtualNetwork", "net", uid);
    world_expect(w, s->polls >= 2, "the operations are not followed");
    world_expect(w, !s->arm_writes, "%u writes to Azure", s->arm_writes);
    /* What was learned so far has been written; nothing else is. */
    unsigned writes = s->kube_writes + s->status_writes;
    stage_run(s, 3 * STAGE_PERIOD);
    world_expect(w, s->kube_writes + s->status_writes == writes && !s->arm_writes,
                 "what is well is written again");
    /* What plumb binds looks the same. */
    stage_apply_text(s, ACCOUNT("new", ""));
    stage_run(s, 5 * WORLD_MINUTE);
    check_taken_over(s, "StorageAccount", "new", uid);
    stage_delete(s, "ResourceGroup", "rg");
    stage_run(s, 10 * WORLD_MINUTE);
    world_expect(w,
                 !stage_get(s, "ResourceGroup", "rg") && !stage_get(s, "StorageAccount", "acc") &&
                     !stage_is_in_azure(s, STAGE_GROUP),
                 "it does not go");
    stage_close(s);
}
