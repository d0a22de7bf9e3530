/* SPDX-License-Identifier: Apache-2.0 */
/* values.c - scenarios of Secrets and ConfigMaps, as inputs and exports, and of lists shared with
 * children: operator.md, sections 5 and 8.4. */
#include "world/behaviours.h"

#include "text/codec.h"

static struct stage stage;

#define SERVER                                                                                     \
    OBJECT(                                                                                        \
        "sql.azure.com/v20211101", "Server", "server", "",                                         \
        "'location':'westus2','owner':{'name':'rg'},'administratorLogin':'me','version':'12.0',"   \
        "'administratorLoginPassword':{'name':'admin','key':'password'}")
#define SERVER_ID STAGE_GROUP "/providers/Microsoft.Sql/servers/server"
#define SECRET(name, key, value)                                                                   \
    "{'apiVersion':'v1','kind':'Secret','metadata':{'name':'" name "'},'stringData':{'" key        \
    "':'" value "'}}"
#define EXPORTING(exports)                                                                         \
    OBJECT("storage.azure.com/v20230101", "StorageAccount", "acc", "",                             \
           "'location':'westus2','kind':'StorageV2','sku':{'name':'Standard_LRS'},'accessTier':"   \
           "'Hot','owner':{'name':'rg'},'operatorSpec':{" exports "}")

static struct stage *open(struct world *w)
{
    stage_open(&stage, w, &(struct stage_options){0});
    stage_apply_text(&stage, GROUP("rg", ""));
    return &stage;
}

/* 5.1: a missing Secret, a missing key, and the wake-up by exactly what was missing. */
void secret_missing(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, SERVER);
    stage_run(s, 30 * NS_PER_SEC);
    stage_expect(s, "Server", "server", "SecretNotFound", "\"admin\" does not exist yet");
    stage_apply_text(s, SECRET("admin", "other", "x"));
    stage_run(s, 30 * NS_PER_SEC);
    stage_expect(s, "Server", "server", "SecretNotFound", "no key \"password\"");
    stage_expect_quiet(s, 5 * WORLD_MINUTE);
    uint64_t passes = operator_stats(s->operator).passes;
    stage_patch(s, "Secret", "admin", "{'stringData':{'password':'hunter22hunter22'}}");
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "Server", "server");
    world_expect(w, operator_stats(s->operator).passes == passes + 2,
                 "%llu passes instead of one and a second look",
                 (unsigned long long)(operator_stats(s->operator).passes - passes));
    stage_close(s);
}

/* 5.1: the same with a ConfigMap. */
void config_map_missing(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(
        s, OBJECT("sql.azure.com/v20211101", "Server", "server", "",
                  "'location':'westus2','owner':{'name':'rg'},'version':'12.0','administrators':{"
                  "'administratorType':'ActiveDirectory','azureADOnlyAuthentication':true,"
                  "'principalType':'Group','login':'admins','sidFromConfig':{'name':'admins',"
                  "'key':'id'}}"));
    stage_run(s, 30 * NS_PER_SEC);
    stage_expect(s, "Server", "server", "ConfigMapNotFound", "\"admins\" does not exist yet");
    stage_apply_text(s, "{'apiVersion':'v1','kind':'ConfigMap','metadata':{'name':'admins'},"
                        "'data':{'other':'x'}}");
    stage_run(s, 30 * NS_PER_SEC);
    stage_expect(s, "Server", "server", "ConfigMapNotFound", "no key \"id\"");
    world_expect(w, !stage_puts(s, STR(SERVER_ID)), "sent without it");
    stage_patch(s, "ConfigMap", "admins", "{'data':{'id':'00000000-0000-0000-0000-000000000001'}}");
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "Server", "server");
    const struct value *properties =
        value_get(stage_body(s, SERVER_ID, "2021-11-01"), STR("properties"));
    world_expect(
        w,
        str_eq(value_str(value_get(value_get(properties, STR("administrators")), STR("sid"))),
               STR("00000000-0000-0000-0000-000000000001")),
        "the value was not sent");
    stage_close(s);
}

/* 5.1: a rotated Secret leads to one PUT, another key of it to none. */
void secret_rotated(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, SECRET("admin", "password", "hunter22hunter22"));
    stage_apply_text(s, SERVER);
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "Server", "server");
    world_expect(w, stage_puts(s, STR(SERVER_ID)) == 1, "not one PUT");
    stage_patch(s, "Secret", "admin", "{'stringData':{'other':'x'}}");
    stage_run(s, 1 * WORLD_MINUTE);
    world_expect(w, stage_puts(s, STR(SERVER_ID)) == 1, "a PUT for a key that is not used");
    stage_patch(s, "Secret", "admin", "{'stringData':{'password':'correct horse battery'}}");
    stage_run(s, 1 * WORLD_MINUTE);
    world_expect(w, stage_puts(s, STR(SERVER_ID)) == 2, "%u PUTs after the rotation",
                 stage_puts(s, STR(SERVER_ID)));
    stage_run(s, 2 * STAGE_PERIOD);
    world_expect(w, stage_puts(s, STR(SERVER_ID)) == 2, "a PUT without a cause");
    stage_close(s);
}

/* 5.1: a Secret that somebody changes all the time does not cost a request each time. */
void secret_busy(struct world *w)
{
    AUTO_ARENA a = arena_new();
    struct stage *s = open(w);

    stage_apply_text(s, SECRET("admin", "password", "hunter22hunter22"));
    stage_apply_text(s, SERVER);
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "Server", "server");
    unsigned reads = s->arm_reads;
    for (int i = 0; i < 240; i++) {
        stage_patch(s, "Secret", "admin",
                    str_z(a, str_fmt(a, "{'metadata':{'annotations':{'mark':'%d'}}}", i)));
        stage_run(s, NS_PER_SEC / 2);
    }
    world_expect(w, s->arm_reads - reads <= 15, "%u reads in two minutes", s->arm_reads - reads);
    stage_patch(s, "Secret", "admin", "{'stringData':{'password':'correct horse battery'}}");
    stage_run(s, 2 * WORLD_MINUTE);
    world_expect(w, stage_puts(s, STR(SERVER_ID)) == 2, "the rotation was not sent");
    stage_close(s);
}

/* 5: values of Secrets are never shown, even if Azure quotes them. */
void secret_quoted(struct world *w)
{
    struct stage *s = open(w);

    stage_fault(s,
                "{'faults':[{'kind':'fail','method':'PUT','type':'Microsoft.Sql*','status':400,"
                "'code':'PasswordTooWeak','message':'hunter22hunter22 is too weak','count':0}]}");
    stage_apply_text(s, SECRET("admin", "password", "hunter22hunter22"));
    stage_apply_text(s, SERVER);
    stage_run(s, 1 * WORLD_MINUTE);
    stage_expect(s, "Server", "server", "PasswordTooWeak", "*** is too weak");
    world_expect(w, !str_contains(s->w->client.text, STR("hunter22")), "the password is shown");
    for (size_t i = 0; i < s->events.len; i++)
        world_expect(w, !str_contains(s->events.items[i], STR("hunter22")),
                     "the password is in an Event");
    stage_close(s);
}

/* 5.2, 5.4: keys are exported once, restored if deleted, and follow changes of the spec. */
void export_secrets(struct world *w)
{
    struct stage *s = open(w);
    const struct value *secret;

    stage_apply_text(s,
                     EXPORTING("'secrets':{'key1':{'name':'keys','key':'first'}},'configMaps':{}"));
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "StorageAccount", "acc");
    secret = stage_get(s, "Secret", "keys");
    world_expect(w, secret && value_get_str(value_get(secret, STR("data")), STR("first")).len,
                 "the key was not exported");
    world_expect(w, object_owner_count(secret) == 1, "the Secret has no owner");
    unsigned posts = s->posts;
    stage_run(s, 4 * STAGE_PERIOD);
    world_expect(w, s->posts == posts, "keys are asked for on every pass");
    stage_delete(s, "Secret", "keys");
    stage_run(s, 10 * NS_PER_SEC);
    world_expect(w, stage_get(s, "Secret", "keys"), "it does not come back");
    uint64_t passes = operator_stats(s->operator).passes;
    stage_run(s, 30 * NS_PER_SEC);
    world_expect(w, operator_stats(s->operator).passes <= passes + 1, "an own write wakes it");
    stage_patch(s, "StorageAccount", "acc",
                "{'spec':{'operatorSpec':{'secrets':{'key1':null,'key2':{'name':'keys','key':"
                "'second'}}}}}");
    stage_run(s, 30 * NS_PER_SEC);
    secret = stage_get(s, "Secret", "keys");
    world_expect(w,
                 !value_get(value_get(secret, STR("data")), STR("first")) &&
                     value_get(value_get(secret, STR("data")), STR("second")),
                 "the Secret does not follow the wish");
    world_expect(w, stage_puts(s, STR(ACCOUNT_ID("acc"))) == 1, "a PUT for an export");
    stage_delete(s, "StorageAccount", "acc");
    stage_run(s, 5 * WORLD_MINUTE);
    world_expect(w, !stage_get(s, "Secret", "keys"), "the Secret outlives its owner");
    stage_close(s);
}

/* 5.4: a Secret of somebody else is never touched. */
void export_collision(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, SECRET("keys", "mine", "x"));
    stage_apply_text(s, EXPORTING("'secrets':{'key1':{'name':'keys','key':'first'}}"));
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect(s, "StorageAccount", "acc", "FailedWritingAdditionalKubernetesObjects",
                 "\"keys\" exists and is not owned by this resource");
    world_expect(w, value_get(value_get(stage_get(s, "Secret", "keys"), STR("data")), STR("mine")),
                 "it was overwritten");
    stage_close(s);
}

static size_t count_at(struct stage *s, const char *id, const char *member)
{
    const struct value *body = stage_body(s, id, "2025-03-01");
    const struct value *list = value_get(value_get(body, STR("properties")), str_c(member));

    for (size_t i = 0; i < value_len(list); i++)
        world_note(s->w, "%s %.*s", member, STR_ARG(value_get_str(value_at(list, i), STR("name"))));
    return value_len(list);
}

/* 8.4: the PUT of a network keeps subnets created by others. */
void children_kept(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, NETWORK("vnet", "", ""));
    stage_apply_text(s, SUBNET("theirs", "vnet", ",'addressPrefix':'10.0.2.0/24'"));
    stage_run(s, 3 * WORLD_MINUTE);
    stage_azure(s, "PUT", STR(NETWORK_ID("vnet") "/subnets/portal"), STR("2025-03-01"),
                STR("{\"properties\":{\"addressPrefix\":\"10.0.3.0/24\"}}"));
    stage_run(s, 1 * WORLD_MINUTE);
    world_expect(w, count_at(s, NETWORK_ID("vnet"), "subnets") == 2, "not two subnets");
    stage_patch(s, "VirtualNetwork", "vnet", "{'spec':{'tags':{'a':'b'}}}");
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "VirtualNetwork", "vnet");
    stage_expect_ready(s, "VirtualNetworksSubnet", "theirs");
    world_expect(w, stage_puts(s, STR(NETWORK_ID("vnet"))) == 2, "the change was not sent");
    world_expect(w, count_at(s, NETWORK_ID("vnet"), "subnets") == 2,
                 "a PUT of the network has wiped subnets");
    stage_close(s);
}

/* A resource that needs a child when it is created is not sent without one. */
void children_needed(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(s, OBJECT("network.azure.com/v20250301", "NetworkInterface", "nic", "",
                               "'location':'westus2','owner':{'name':'rg'}"));
    stage_run(s, 1 * WORLD_MINUTE);
    stage_expect(s, "NetworkInterface", "nic", "InvalidSpec", "spec.ipConfigurations");
    world_expect(w,
                 !stage_puts(s, STR(STAGE_GROUP "/providers/Microsoft.Network/networkInterfaces/"
                                                "nic")),
                 "it was sent");
    stage_close(s);
}

#define BALANCER_ID STAGE_GROUP "/providers/Microsoft.Network/loadBalancers/lb"
#define FRONT BALANCER_ID "/frontendIPConfigurations/front"
#define RULE(name, port)                                                                           \
    "{'name':'" name "','protocol':'Tcp','frontendPort':" port ",'backendPort':" port              \
    ",'frontendIPConfiguration':{'reference':{'armId':'" FRONT "'}}}"

/* 8.4: elements that we sent and the spec no longer has are removed, others are kept. */
void children_dropped(struct world *w)
{
    struct stage *s = open(w);

    stage_apply_text(
        s, OBJECT("network.azure.com/v20250301", "LoadBalancer", "lb", "",
                  "'location':'westus2','owner':{'name':'rg'},'sku':{'name':'Standard'},"
                  "'frontendIPConfigurations':[{'name':'front'}],'inboundNatRules':[" RULE(
                      "one", "1001") "," RULE("two", "1002") "]"));
    stage_run(s, 3 * WORLD_MINUTE);
    stage_expect_ready(s, "LoadBalancer", "lb");
    stage_azure(s, "PUT", STR(BALANCER_ID "/inboundNatRules/portal"), STR("2025-03-01"),
                STR("{\"properties\":{\"protocol\":\"Tcp\",\"frontendPort\":1003,\"backendPort\":"
                    "1003}}"));
    stage_run(s, 1 * WORLD_MINUTE);
    world_expect(w, count_at(s, BALANCER_ID, "inboundNatRules") == 3, "not three rules");
    stage_patch(s, "LoadBalancer", "lb", "{'spec':{'inboundNatRules':[" RULE("one", "1001") "]}}");
    stage_run(s, 2 * WORLD_MINUTE);
    stage_expect_ready(s, "LoadBalancer", "lb");
    world_expect(w, count_at(s, BALANCER_ID, "inboundNatRules") == 2,
                 "the rule that was ours is not the one that is gone");
    stage_run(s, 2 * STAGE_PERIOD);
    world_expect(w, stage_puts(s, STR(BALANCER_ID)) == 2, "PUTs without a cause");
    stage_close(s);
}
