/* SPDX-License-Identifier: Apache-2.0 */
/* owners.c - scenarios of ownership and references: operator.md, section 4. */
#include "world/behaviours.h"

static struct stage stage;

static struct stage *open(struct world *w)
{
    stage_open(&stage, w, &(struct stage_options){0});
    return &stage;
}

/* 4.4: a missing owner is reported, and its arrival wakes the object at once. */
void owner_missing(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 20 * NS_PER_SEC);
    stage_expect(s, "StorageAccount", "acc", "WaitingForOwner", "\"rg\" does not exist yet");
    world_expect(w, !s->arm_writes && !s->arm_reads, "Azure was asked without an owner");
    stage_expect_quiet(s, 120 * WORLD_MINUTE);
    stage_apply_text(s, GROUP("rg", ""));
    /* 3.5: work that has started replaces the reason for waiting. */
    for (int i = 0; i < 600 && !stage_puts(s, STR(ACCOUNT_ID("acc"))); i++)
        stage_run(s, 20 * NS_PER_MS);
    stage_expect(s, "StorageAccount", "acc", "Reconciling", "is being created");
    stage_run(s, 60 * NS_PER_SEC);
    stage_expect_ready(s, "StorageAccount", "acc");
    const struct value *object = stage_get(s, "StorageAccount", "acc");
    world_expect(w, object_owner_count(object) == 1, "no owner reference");
    world_expect(w,
                 str_eq(object_label(object, STR(LABEL_OWNER_NAME)), STR("rg")) &&
                     str_eq(object_label(object, STR(LABEL_OWNER_KIND)),
                            STR("ResourceGroup.resources.azure.com")),
                 "no labels of the owner");
    stage_close(s);
}

/* 4.4: the reason of an owner that is not Ready is shown. */
void owner_not_ready(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, GROUP("rg", POLICY("skip")));
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 30 * NS_PER_SEC);
    stage_expect(s, "ResourceGroup", "rg", "AzureResourceNotFound", "does not exist");
    stage_expect(s, "StorageAccount", "acc", "WaitingForOwner",
                 "is not Ready yet (AzureResourceNotFound)");
    stage_patch(s, "ResourceGroup", "rg", ANNOTATE(ANNOTATION_POLICY, "'manage'"));
    stage_run(s, 60 * NS_PER_SEC);
    stage_expect_ready(s, "StorageAccount", "acc");
    stage_close(s);
}

/* 4.3, 4.6: an owner by id is read once; a missing one is reported. A wrong type is an Error. */
void owner_by_id(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(
        s, OBJECT("storage.azure.com/v20230101", "StorageAccount", "acc", "",
                  "'location':'westus2','kind':'StorageV2','sku':{'name':'Standard_LRS'},'owner':"
                  "{'armId':'" STAGE_GROUP "'}"));
    stage_apply_text(
        s, OBJECT("storage.azure.com/v20230101", "StorageAccount", "wrong", "",
                  "'location':'westus2','kind':'StorageV2','sku':{'name':'Standard_LRS'},'owner':"
                  "{'armId':'" ACCOUNT_ID("other") "'}"));
    stage_apply_text(
        s, OBJECT("storage.azure.com/v20230101", "StorageAccount", "foreign", "",
                  "'location':'westus2','kind':'StorageV2','sku':{'name':'Standard_LRS'},'owner':"
                  "{'armId':'" NETWORK_ID("vnet") "'}"));
    stage_run(s, 30 * NS_PER_SEC);
    stage_expect(s, "StorageAccount", "acc", "WaitingForOwner", STAGE_GROUP);
    world_expect(w, str_eq(stage_condition(s, "StorageAccount", "wrong").severity, STR("Error")),
                 "an owner of a wrong type is accepted");
    world_expect(w, str_eq(stage_condition(s, "StorageAccount", "foreign").severity, STR("Error")),
                 "an owner of another provider is accepted");
    stage_azure(s, "PUT", STR(STAGE_GROUP), STR("2020-06-01"), STR("{\"location\":\"westus2\"}"));
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    world_expect(w, object_owner_count(stage_get(s, "StorageAccount", "acc")) == 0,
                 "an owner reference to nobody");
    stage_close(s);
}

/* 4.5: the owner reference is restored; the annotation sets blockOwnerDeletion. */
void owner_reference(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_patch(s, "StorageAccount", "acc", "{'metadata':{'ownerReferences':null}}");
    stage_run(s, STAGE_PERIOD + STAGE_PERIOD / 2);
    world_expect(w, object_owner_count(stage_get(s, "StorageAccount", "acc")) == 1,
                 "the owner reference did not come back");
    stage_patch(s, "StorageAccount", "acc", ANNOTATE(ANNOTATION_BLOCK_OWNER, "'true'"));
    stage_run(s, 10 * NS_PER_SEC);
    world_expect(w, object_owner(stage_get(s, "StorageAccount", "acc"), 0).block_deletion,
                 "blockOwnerDeletion is not set");
    world_expect(w, stage_puts(s, STR(ACCOUNT_ID("acc"))) == 1, "a PUT without a cause");
    stage_close(s);
}

/* 4.5: an owner that was deleted loses its dependents, in the cluster and in Azure. */
void owner_recreated(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, GROUP("rg", POLICY("detach-on-delete")));
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    stage_delete(s, "ResourceGroup", "rg");
    stage_run(s, 1 * NS_PER_SEC);
    world_expect(w, !stage_get(s, "ResourceGroup", "rg"), "the group is still there");
    stage_apply_text(s, GROUP("rg", ""));
    stage_run(s, 10 * WORLD_MINUTE);
    stage_expect_ready(s, "ResourceGroup", "rg");
    world_expect(w, !stage_get(s, "StorageAccount", "acc"), "the dependent was not collected");
    world_expect(w, !stage_is_in_azure(s, ACCOUNT_ID("acc")), "the resource was not deleted");
    stage_close(s);
}

/* 4.8: name and owner are frozen by the claim. */
void owner_frozen(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_patch(s, "StorageAccount", "acc", "{'spec':{'azureName':'other'}}");
    stage_run(s, 10 * NS_PER_SEC);
    stage_expect(s, "StorageAccount", "acc", "ImmutableField", "was claimed as");
    world_expect(w, !stage_is_in_azure(s, ACCOUNT_ID("other")), "a second resource was made");
    stage_patch(s, "StorageAccount", "acc", "{'spec':{'azureName':null}}");
    stage_run(s, 10 * NS_PER_SEC);
    stage_expect_ready(s, "StorageAccount", "acc");
    stage_close(s);
}

/* 4.7: everything that is missing is reported together, and what arrives wakes the object. */
void references_missing(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, NETWORK("vnet", "", ""));
    stage_apply_text(
        s, SUBNET("sub", "vnet",
                  ",'addressPrefix':'10.0.0.0/24','routeTable':{'reference':{'group':"
                  "'network.azure.com','kind':'RouteTable','name':'routes'}},'natGateway':{"
                  "'reference':{'group':'network.azure.com','kind':'NatGateway','name':'nat'}}"));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect(s, "VirtualNetworksSubnet", "sub", "ReferenceNotFound", "routes");
    stage_expect(s, "VirtualNetworksSubnet", "sub", "ReferenceNotFound", "nat");
    stage_apply_text(s, ROUTES("routes"));
    stage_apply_text(s, OBJECT("network.azure.com/v20250301", "NatGateway", "nat", "",
                               "'location':'westus2','owner':{'name':'rg'},'sku':{'name':"
                               "'Standard'}"));
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "VirtualNetworksSubnet", "sub");
    world_expect(w, !s->refused, "%u writes were refused", s->refused);
    stage_close(s);
}

/* 4.7 [PLUMB]: objects wait for a target that is not Ready, but not forever. */
void references_wait(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, NETWORK("vnet", "", ""));
    stage_fault(s, "{'faults':[{'kind':'fail','method':'PUT','type':'Microsoft.Network/"
                   "routeTables','status':409,'code':'AnotherOperationInProgress','count':0}]}");
    stage_apply_text(s, ROUTES("routes"));
    stage_apply_text(s, SUBNET("sub", "vnet",
                               ",'addressPrefix':'10.0.0.0/24','routeTable':{'reference':{'group':"
                               "'network.azure.com','kind':'RouteTable','name':'routes'}}"));
    stage_run(s, 5 * WORLD_MINUTE);
    stage_expect(s, "VirtualNetworksSubnet", "sub", "WaitingForReference",
                 "RouteTable \"routes\" is not Ready yet");
    world_expect(w, !stage_puts(s, STR(NETWORK_ID("vnet") "/subnets/sub")), "sent too early");
    stage_run(s, 8 * WORLD_MINUTE);
    world_expect(w, stage_puts(s, STR(NETWORK_ID("vnet") "/subnets/sub")), "not sent at all");
    stage_close(s);
}

/* 4.7: the same, and the target becomes Ready in time: at once, by one PUT. */
void references_woken(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, NETWORK("vnet", "", ""));
    stage_fault(s, "{'faults':[{'kind':'fail','method':'PUT','type':'Microsoft.Network/"
                   "routeTables','status':409,'code':'AnotherOperationInProgress','count':7}]}");
    stage_apply_text(s, ROUTES("routes"));
    stage_apply_text(s, SUBNET("sub", "vnet",
                               ",'addressPrefix':'10.0.0.0/24','routeTable':{'reference':{'group':"
                               "'network.azure.com','kind':'RouteTable','name':'routes'}}"));
    stage_run(s, 9 * WORLD_MINUTE);
    stage_expect_ready(s, "RouteTable", "routes");
    stage_expect_ready(s, "VirtualNetworksSubnet", "sub");
    world_expect(w, stage_puts(s, STR(NETWORK_ID("vnet") "/subnets/sub")) == 1,
                 "more than one PUT of the subnet");
    stage_close(s);
}

#define INTERFACE_ID STAGE_GROUP "/providers/Microsoft.Network/networkInterfaces/nic"

/*
 * 4.6 [SEED-REF]: a reference by id to a resource of an unusual type is sent, since Azure decides;
 * if Azure rejects it, the message mentions the reference; if Azure accepts it, the object is just
 * Ready.
 */
void references_doubtful(struct world *w)
{
    struct stage *s = open(w);
    struct condition c;

    stage_apply_text(s, GROUP("rg", ""));
    stage_apply_text(s, ACCOUNT("acc", ""));
    stage_run(s, 2 * WORLD_MINUTE);
    stage_fault(s, "{'faults':[{'kind':'fail','method':'PUT','type':'Microsoft.Network/"
                   "networkInterfaces','status':400,'code':'InvalidResourceReference','message':"
                   "'no such resource.','count':1}]}");
    stage_apply_text(
        s, OBJECT("network.azure.com/v20250301", "NetworkInterface", "nic", "",
                  "'location':'westus2','owner':{'name':'rg'},'ipConfigurations':[{"
                  "'name':'ip','privateIPAllocationMethod':'Dynamic'}],"
                  "'networkSecurityGroup':{'reference':{'armId':'" ACCOUNT_ID("acc") "'}}"));
    for (int i = 0; i < 600 && !s->refused; i++)
        stage_run(s, 100 * NS_PER_MS);
    stage_run(s, 1 * NS_PER_SEC);
    stage_expect(s, "NetworkInterface", "nic", "InvalidResourceReference",
                 "no such resource; spec.networkSecurityGroup.reference points to a resource of "
                 "type Microsoft.Storage/storageAccounts, and is known to be used for "
                 "Microsoft.Network/networkSecurityGroups");
    stage_run(s, STAGE_PERIOD + 5 * WORLD_MINUTE);
    stage_expect_ready(s, "NetworkInterface", "nic");
    c = stage_condition(s, "NetworkInterface", "nic");
    world_expect(w, !c.message.len, "Ready says: %.*s", STR_ARG(c.message));
    world_expect(w, stage_puts(s, STR(INTERFACE_ID)) == 1, "more than one PUT was accepted");
    stage_close(s);
}
