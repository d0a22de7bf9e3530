/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_ext_rules.c - what the rules of kinds decide: errors, gates, lists with elements of others,
 * names, exports. Every built-in rule has a case here, which every_rule_has_a_case checks.
 */
#include "../test.h"

#include "azure/model/model.h"
#include "operator/ext.h"
#include "text/json/json.h"

#define ID "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/rg/providers/P/T/it"
#define VERSION "2030-01-01"

static struct value *parse(struct arena *a, const char *text)
{
    struct source *src = ARENA_NEW(a, struct source);
    struct value *v = NULL;
    AUTO_ERR e = {0};

    src->text = str_c(text);
    assert_ok(json_read(a, src, NULL, &v, &e), &e);
    return v;
}

static struct ext find(const char *group, const char *kind)
{
    AUTO_ARENA a = arena_new();

    return ext_find(NULL, NULL, str_fmt(a, "%s.azure.com", group), str_c(kind));
}

static struct ext_input input(struct arena *a)
{
    return (struct ext_input){.arena = a,
                              .id = STR(ID),
                              .api_version = STR(VERSION),
                              .endpoint = STR("https://management.azure.com")};
}

/* ---- Errors. --------------------------------------------------------------------------------- */

#define R CLASS_RETRYABLE
#define F CLASS_FATAL

static const struct {
    const char *group, *kind;
    int http;
    const char *code, *message;
    enum error_class class;
    const char *retry;
    bool own; /* a rule of the kind has decided */
} error_cases[] = {
    {"app", "ContainerApp", 400, "ManagedEnvironmentNotProvisioned", "x", R, "very-slow", true},
    {"app", "Job", 400, "ManagedEnvironmentNotProvisioned", "x", R, "very-slow", true},
    {"cdn", "AfdCustomDomain", 400, "BadRequest",
     "This resource is still associated with a route. Please delete it first", R, "slow", true},
    {"cdn", "AfdCustomDomain", 400, "BadRequest", "Something else", R, "very-slow", false},
    {"cdn", "Route", 400, "BadRequest",
     "Please make sure that the originGroup is created successfully and at least one enabled "
     "origin is created under the origin group",
     R, "very-slow", true},
    {"cdn", "Route", 400, "BadRequest", "the originGroup is created successfully", R, "very-slow",
     false},
    {"cdn", "Rule", 400, "BadRequest",
     "make sure that the originGroup is created successfully and at least one enabled origin is "
     "created",
     R, "very-slow", true},
    {"cdn", "SecurityPolicy", 400, "BadRequest",
     "Domain is not associated with the AFDX profile or is in a invalid provisioning state", R,
     "very-slow", true},
    {"compute", "Disk", 400, "BadRequest", "DiskAccess object 'd' is not found", R, "very-slow",
     true},
    {"compute", "Disk", 400, "BadRequest", "not found: DiskAccess", R, "very-slow", false},
    {"compute", "Disk", 409, "Conflict", "DiskAccess 'd' is in failed state", R, "slow", true},
    {"compute", "VirtualMachine", 409, "OperationNotAllowed", "quota", R, "slow", true},
    {"compute", "VirtualMachineScaleSet", 409, "OperationNotAllowed", "quota", R, "slow", true},
    {"containerservice", "FleetsMember", 400, "DependentResourceNotFound", "x", R, "very-slow",
     true},
    {"containerservice", "ManagedCluster", 400, "CustomKubeletIdentityMissingPermissionError", "x",
     R, "very-slow", true},
    {"containerservice", "ManagedClustersAgentPool", 400, "NodePoolMcVersionIncompatible", "x", R,
     "slow", true},
    {"documentdb", "CassandraCluster", 400, "BadRequest", "the service principal lacks a role", R,
     "very-slow", true},
    {"documentdb", "DatabaseAccount", 503, "ServiceUnavailable",
     "we are currently experiencing high demand in West US", F, "none", true},
    {"documentdb", "DatabaseAccount", 503, "ServiceUnavailable", "try again", R, "slow", false},
    {"documentdb", "MongodbDatabase", 400, "BadRequest", "x", R, "very-slow", true},
    {"documentdb", "SqlDatabase", 400, "BadRequest", "x", R, "very-slow", true},
    {"documentdb", "SqlRoleAssignment", 400, "BadRequest",
     "The principal was not found in the AAD tenant", R, "very-slow", true},
    {"insights", "DataCollectionRule", 400, "WorkspaceNotFound", "x", R, "very-slow", true},
    {"insights", "ScheduledQueryRule", 400, "BadRequest", "the table does not exist", R,
     "very-slow", true},
    {"insights", "ScheduledQueryRule", 400, "BadRequest", "insufficient access", R, "very-slow",
     true},
    {"machinelearningservices", "Workspace", 400, "BadRequest",
     "[Code: StorageAccountIsNotProvisioned]", R, "very-slow", true},
    {"network", "AzureFirewall", 400, "AzfwAddToFirewallPolicyFailed",
     "Put on Firewall Failed to Reference Firewall Policy p", R, "very-slow", true},
    {"network", "DnsForwardingRuleset", 400, "Anything", "The endpoint was not found", R,
     "very-slow", true},
    {"network", "DnsZonesARecord", 400, "BadRequest", "The referenced resource r was not found", R,
     "very-slow", true},
    {"network", "DnsZonesAAAARecord", 400, "BadRequest", "The referenced resource r was not found",
     R, "very-slow", true},
    {"network", "DnsZonesCNAMERecord", 400, "BadRequest", "The referenced resource r was not found",
     R, "very-slow", true},
    {"network", "NetworkWatchersFlowLog", 400, "NetworkSecurityGroupNotFoundForFlowLog", "x", R,
     "very-slow", true},
    {"network", "NetworkWatchersFlowLog", 400, "StorageProvisioningStateNotSucceeded", "x", R,
     "very-slow", true},
    {"network", "PublicIPAddress", 429, "ReferencedResourceNotProvisioned", "x", R, "slow", true},
    {"network", "VirtualNetworksVirtualNetworkPeering", 429, "ReferencedResourceNotProvisioned",
     "x", R, "slow", true},
    {"network", "VirtualNetworksSubnet", 400, "NetcfgSubnetRangeOutsideVnet", "x", R, "very-slow",
     true},
    {"servicebus", "NamespacesTopicsSubscription", 400, "MessagingGatewayBadRequest", "x", R,
     "very-slow", true},
    {"sql", "Server", 400, "PasswordNotComplex", "x", F, "none", true},
    {"sql", "ServersVulnerabilityAssessment", 400, "VulnerabilityAssessmentADSIsDisabled", "x", R,
     "very-slow", true},
    /* What is special about one kind says nothing about another. */
    {"sql", "ServersDatabase", 400, "PasswordNotComplex", "x", R, "very-slow", false},
};

static struct error_verdict classify(struct arena *a, const struct ext *x, int http,
                                     const char *code, const char *message)
{
    struct ext_input in = input(a);
    struct cloud_error e;

    cloud_error_read(
        a, http, str_fmt(a, "{\"error\":{\"code\":\"%s\",\"message\":\"%s\"}}", code, message), &e);
    return ext_classify(
        x, &in, rules_errors(),
        (struct error_facts){.error = &e, .method = STR("PUT"), .api_version = STR(VERSION)});
}

TEST(every_classifier_decides)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(error_cases); i++) {
        struct ext x = find(error_cases[i].group, error_cases[i].kind);
        struct error_verdict v =
            classify(a, &x, error_cases[i].http, error_cases[i].code, error_cases[i].message);
        str id = str_fmt(a, "%s-", error_cases[i].group);
        assert_int_equal(v.class, error_cases[i].class);
        assert_str(v.retry->name, str_c(error_cases[i].retry));
        assert_int_equal(str_find(v.rule, id) != STR_NPOS, error_cases[i].own);
        assert_str(v.reason,
                   error_cases[i].http == 429 ? STR("Throttled") : str_c(error_cases[i].code));
    }
}

/* ---- Gates. ---------------------------------------------------------------------------------- */

#define STATE(s) "{\"properties\":{\"provisioningState\":\"" s "\"}}"
#define PLAIN(s) "{\"properties\":{\"state\":\"" s "\"}}"
#define PROTECTION(s) "{\"properties\":{\"protectionStatus\":{\"status\":\"" s "\"}}}"
#define MANUAL(list) "{\"properties\":{\"manualPrivateLinkServiceConnections\":[" list "]}}"
#define CONNECTION(s)                                                                              \
    "{\"properties\":{\"privateLinkServiceConnectionState\":{\"status\":\"" s "\"}}}"

typedef struct decision point_fn(const struct ext *x, const struct ext_input *in);

static const struct {
    const char *group, *kind;
    point_fn *point;
    const char *body, *message; /* NULL: it is open */
} gate_cases[] = {
    {"containerservice", "ManagedCluster", ext_check, STATE("Updating"),
     "provisioningState is Updating: a change is sent once it is Succeeded, Failed or Canceled"},
    {"containerservice", "ManagedCluster", ext_check, STATE("succeeded"), NULL},
    {"containerservice", "ManagedCluster", ext_check, STATE("Failed"), NULL},
    {"containerservice", "ManagedCluster", ext_check, STATE("Canceled"), NULL},
    {"containerservice", "ManagedCluster", ext_check, STATE(""), NULL},
    {"containerservice", "ManagedCluster", ext_check, "{}", NULL},
    {"containerservice", "ManagedCluster", ext_check, NULL, NULL},
    {"containerservice", "ManagedClustersAgentPool", ext_check, STATE("Upgrading"),
     "provisioningState is Upgrading: a change is sent once it is Succeeded, Failed or Canceled"},
    {"containerservice", "ManagedClustersAgentPool", ext_owner_check, STATE("Creating"),
     "the cluster's provisioningState is Creating: a change is sent once it is Succeeded, Failed "
     "or Canceled"},
    {"containerservice", "ManagedClustersAgentPool", ext_owner_check, STATE("Succeeded"), NULL},
    {"dbforpostgresql", "FlexibleServer", ext_check, PLAIN("Updating"),
     "state is Updating: a change is sent once it is Succeeded, Failed, Canceled or Ready"},
    {"dbforpostgresql", "FlexibleServer", ext_check, PLAIN("ready"), NULL},
    {"dbforpostgresql", "FlexibleServersDatabase", ext_owner_check, PLAIN("Starting"),
     "the server's state is Starting: a change is sent once it is Succeeded, Failed, Canceled or "
     "Ready"},
    {"dbforpostgresql", "FlexibleServersDatabase", ext_owner_check, PLAIN("Ready"), NULL},
    {"dbforpostgresql", "FlexibleServersFirewallRule", ext_owner_check, PLAIN("Dropping"),
     "the server's state is Dropping: a change is sent once it is Succeeded, Failed, Canceled or "
     "Ready"},
    {"documentdb", "CassandraDataCenter", ext_owner_check, STATE("succeeded"),
     "the cluster's provisioningState is succeeded: a change is sent once it is Succeeded"},
    {"documentdb", "CassandraDataCenter", ext_owner_check, STATE("Succeeded"), NULL},
    {"documentdb", "DatabaseAccount", ext_check, STATE("deleting"),
     "provisioningState is deleting: a change is sent when that is over"},
    {"documentdb", "DatabaseAccount", ext_check, STATE("Creating"), NULL},
    {"kusto", "Cluster", ext_check, STATE("Running"),
     "provisioningState is Running: a change is sent once it is Succeeded, Failed or Canceled"},
    {"kusto", "Database", ext_owner_check, STATE("Moving"),
     "the cluster's provisioningState is Moving: a change is sent once it is Succeeded, Failed or "
     "Canceled"},
    {"dataprotection", "BackupVaultsBackupInstance", ext_post_check,
     PROTECTION("ConfiguringProtection"),
     "protectionStatus is ConfiguringProtection: waiting for the protection to settle"},
    {"dataprotection", "BackupVaultsBackupInstance", ext_post_check,
     PROTECTION("protectionconfigured"), NULL},
    {"dataprotection", "BackupVaultsBackupInstance", ext_post_check, "{}", NULL},
    {"network", "PrivateEndpoint", ext_post_check,
     MANUAL(CONNECTION("Approved") "," CONNECTION("Pending")),
     "a manual connection is Pending: waiting for its approval"},
    {"network", "PrivateEndpoint", ext_post_check, MANUAL(CONNECTION("approved")),
     "a manual connection is approved: waiting for its approval"},
    {"network", "PrivateEndpoint", ext_post_check, MANUAL("{}"),
     "a manual connection is not known yet: waiting for its approval"},
    {"network", "PrivateEndpoint", ext_post_check,
     MANUAL(CONNECTION("Approved") "," CONNECTION("Approved")), NULL},
    {"network", "PrivateEndpoint", ext_post_check, MANUAL(""), NULL},
    {"network", "PrivateEndpoint", ext_post_check, "{\"properties\":{}}", NULL},
};

TEST(gates_open_and_close)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(gate_cases); i++) {
        struct ext x = find(gate_cases[i].group, gate_cases[i].kind);
        struct ext_input in = input(a);
        in.body = in.owner = gate_cases[i].body ? parse(a, gate_cases[i].body) : NULL;
        struct decision d = gate_cases[i].point(&x, &in);
        assert_int_equal(d.kind, gate_cases[i].message ? DECISION_BLOCK : DECISION_GO);
        if (!gate_cases[i].message)
            continue;
        assert_str(d.message, str_c(gate_cases[i].message));
        assert_str(d.severity, STR("Warning"));
        assert_str(d.reason, gate_cases[i].point == ext_post_check
                                 ? STR("PostReconciliationFailure")
                                 : STR("ReconciliationBlocked"));
        assert_true(gate_cases[i].point != ext_owner_check || ext_asks_owner(&x));
    }
    struct ext none = find("storage", "StorageAccount");
    assert_false(ext_asks_owner(&none));
}

/* ---- Lists with elements of others. ---------------------------------------------------------- */

static const struct {
    const char *group, *kind, *payload, *body, *sent, *want;
} merge_cases[] = {
    {"network", "VirtualNetwork", "{\"properties\":{}}",
     "{\"properties\":{\"subnets\":[{\"name\":\"a\"},{\"name\":\"b\"}]}}", NULL,
     "{\"properties\":{\"subnets\":[{\"name\":\"a\"},{\"name\":\"b\"}]}}"},
    {"network", "VirtualNetwork", "{\"properties\":{}}", NULL, NULL, "{\"properties\":{}}"},
    /* A body without the list has none of it. */
    {"network", "VirtualNetwork", "{\"properties\":{}}", "{\"properties\":{}}", NULL,
     "{\"properties\":{}}"},
    {"network", "NetworkSecurityGroup", "{\"location\":\"x\"}",
     "{\"properties\":{\"securityRules\":[{\"name\":\"a\"}]}}", NULL,
     "{\"location\":\"x\",\"properties\":{\"securityRules\":[{\"name\":\"a\"}]}}"},
    {"network", "RouteTable", "{\"properties\":{\"routes\":null}}",
     "{\"properties\":{\"routes\":[{\"name\":\"a\"}]}}", NULL,
     "{\"properties\":{\"routes\":[{\"name\":\"a\"}]}}"},
    /* The payload's own elements win, whatever the case of their names. */
    {"network", "LoadBalancer", "{\"properties\":{\"inboundNatRules\":[{\"name\":\"A\",\"p\":1}]}}",
     "{\"properties\":{\"inboundNatRules\":[{\"name\":\"a\",\"p\":2},{\"name\":\"b\"}]}}", NULL,
     "{\"properties\":{\"inboundNatRules\":[{\"name\":\"A\",\"p\":1},{\"name\":\"b\"}]}}"},
    /* What we sent before and the spec no longer has is ours to drop. */
    {"network", "LoadBalancer", "{\"properties\":{\"inboundNatRules\":[{\"name\":\"a\"}]}}",
     "{\"properties\":{\"inboundNatRules\":[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"}]}}",
     "{\"properties.inboundNatRules\":[\"a\",\"b\"]}",
     "{\"properties\":{\"inboundNatRules\":[{\"name\":\"a\"},{\"name\":\"c\"}]}}"},
    {"compute", "VirtualMachineScaleSet", "{\"properties\":{\"virtualMachineProfile\":{}}}",
     "{\"properties\":{\"virtualMachineProfile\":{\"extensionProfile\":{\"extensions\":[{\"name\":"
     "\"e\"}]}}}}",
     NULL,
     "{\"properties\":{\"virtualMachineProfile\":{\"extensionProfile\":{\"extensions\":[{\"name\":"
     "\"e\"}]}}}}"},
    {"compute", "VirtualMachineScaleSet", "{\"properties\":{\"virtualMachineProfile\":{}}}",
     "{\"properties\":{\"virtualMachineProfile\":{\"extensionProfile\":{}}}}", NULL,
     "{\"properties\":{\"virtualMachineProfile\":{}}}"},
};

TEST(elements_of_others_are_kept)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(merge_cases); i++) {
        struct ext x = find(merge_cases[i].group, merge_cases[i].kind);
        struct value *payload = parse(a, merge_cases[i].payload);
        struct ext_input in = input(a);
        in.payload = payload;
        in.body = merge_cases[i].body ? parse(a, merge_cases[i].body) : NULL;
        in.sent = merge_cases[i].sent ? parse(a, merge_cases[i].sent) : NULL;
        struct decision d = ext_payload(&x, &in);
        assert_int_equal(d.kind, DECISION_GO);
        assert_true(value_equal(d.value, parse(a, merge_cases[i].want)));
        /* What was given is not changed. */
        assert_true(value_equal(payload, parse(a, merge_cases[i].payload)));
    }
    struct ext x = find("network", "LoadBalancer");
    assert_true(value_equal(
        ext_sent(a, &x, parse(a, "{\"properties\":{\"inboundNatRules\":[{\"name\":\"a\"}]}}")),
        parse(a, "{\"properties.inboundNatRules\":[\"a\"]}")));
    assert_null(ext_sent(a, &x, parse(a, "{\"properties\":{}}")));
}

/* ---- Names, lists that are too long, deletes. ------------------------------------------------ */

static const struct {
    const char *kind, *name, *payload, *message;
} name_cases[] = {
    {"Domain", "azuremanageddomain", "{\"properties\":{\"domainManagement\":\"AzureManaged\"}}",
     NULL},
    {"Domain", "mine", "{\"properties\":{\"domainManagement\":\"azuremanaged\"}}",
     "the name in Azure must be \"AzureManagedDomain\", not \"mine\": correct spec.azureName"},
    {"Domain", "mine.example", "{\"properties\":{\"domainManagement\":\"CustomerManaged\"}}", NULL},
    {"SenderUsername", "Info", "{\"properties\":{\"username\":\"info\"}}", NULL},
    {"SenderUsername", "it", "{\"properties\":{\"username\":\"info\"}}",
     "the name in Azure must be \"info\", not \"it\": correct spec.azureName"},
};

TEST(names_are_checked)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(name_cases); i++) {
        struct ext x = find("communication", name_cases[i].kind);
        struct ext_input in = input(a);
        in.id =
            str_fmt(a, "/subscriptions/s/resourceGroups/rg/providers/P/T/%s", name_cases[i].name);
        in.payload = parse(a, name_cases[i].payload);
        struct decision d = ext_payload(&x, &in);
        assert_int_equal(d.kind, name_cases[i].message ? DECISION_BLOCK : DECISION_GO);
        if (!name_cases[i].message)
            continue;
        assert_str(d.message, str_c(name_cases[i].message));
        assert_str(d.severity, STR("Error"));
        assert_str(d.reason, STR("Failed"));
    }
}

TEST(long_lists_are_trimmed)
{
    static const size_t lengths[] = {0, 2000, 2001};
    struct ext x = find("network", "VirtualNetworksSubnet");

    for (size_t i = 0; i < COUNT(lengths); i++) {
        AUTO_ARENA a = arena_new();
        struct value *body = value_object(a);
        struct value *p = value_set(a, body, STR("properties"), value_object(a));
        struct value *list = value_set(a, p, STR("ipConfigurations"), value_list(a));
        struct ext_input in = input(a);
        for (size_t j = 0; j < lengths[i]; j++)
            value_add(a, list, value_object(a));
        in.body = body;
        struct decision d = ext_post_check(&x, &in);
        const struct value *left =
            value_get(value_get(d.value, STR("properties")), STR("ipConfigurations"));
        assert_int_equal(d.kind, DECISION_GO);
        assert_int_equal(left != NULL, lengths[i] <= 2000);
        assert_int_equal(value_len(value_get(p, STR("ipConfigurations"))), lengths[i]);
    }
}

TEST(deletes_have_their_parameters)
{
    AUTO_ARENA a = arena_new();
    struct ext_input in = input(a);
    struct ext product = find("apimanagement", "Product"), plain = find("cache", "Redis");

    assert_str(ext_delete(&product, &in).request.url,
               STR(ID "?api-version=" VERSION "&deleteSubscriptions=true"));
    assert_str(ext_delete(&plain, &in).request.url, STR(ID "?api-version=" VERSION));
    assert_str(ext_delete(&plain, &in).request.method, STR("DELETE"));
}

/* ---- Exports. -------------------------------------------------------------------------------- */

#define KEYS "{\"primaryKey\":\"pk\",\"secondaryKey\":\"sk\"}"
#define KEYS_WANT "primaryKey=pk secondaryKey=sk"
#define CONNECTIONS                                                                                \
    "{\"primaryKey\":\"pk\",\"secondaryKey\":\"sk\",\"primaryConnectionString\":\"pc\","           \
    "\"secondaryConnectionString\":\"sc\"}"
#define CONNECTIONS_WANT                                                                           \
    "primaryKey=pk secondaryKey=sk primaryConnectionString=pc secondaryConnectionString=sc"
#define TWO "{\"key1\":\"k1\",\"key2\":\"k2\"}"
#define DOMAIN "{\"properties\":{\"fullyQualifiedDomainName\":\"h.example\"}}"
#define STORE_KEY(name, n)                                                                         \
    "{\"id\":\"i" n "\",\"name\":\"" name "\",\"value\":\"v" n "\",\"connectionString\":\"c" n "\"}"
#define HUB_KEY(name)                                                                              \
    "{\"keyName\":\"" name "\",\"primaryKey\":\"p-" name "\",\"secondaryKey\":\"s-" name "\"}"

static const struct {
    const char *group, *kind;
    const char *body;
    struct {
        const char *url, *answer; /* in the order of the requests */
    } calls[3];
    const char *want; /* in the order of the rules */
} export_cases[] = {
    {"apimanagement",
     "ServiceGateway",
     "{}",
     {{"/listKeys?api-version=2022-08-01", "{\"primary\":\"pk\",\"secondary\":\"sk\"}"}},
     KEYS_WANT},
    {"apimanagement",
     "Subscription",
     "{}",
     {{"/listSecrets?api-version=2022-08-01", KEYS}},
     KEYS_WANT},
    {"appconfiguration",
     "ConfigurationStore",
     "{}",
     {{"/listKeys?api-version=2022-05-01",
       "{\"value\":[" STORE_KEY("Primary", "1") "," STORE_KEY(
           "Secondary", "2") "],"
                             "\"nextLink\":\"https://management.azure.com/page2\"}"},
      {"https://management.azure.com/page2",
       "{\"value\":[" STORE_KEY("Primary Read Only", "3") "]}"}},
     "primaryConnectionString=c1 primaryKey=v1 primaryKeyID=i1 primaryReadOnlyConnectionString=c3 "
     "primaryReadOnlyKey=v3 primaryReadOnlyKeyID=i3 secondaryConnectionString=c2 secondaryKey=v2 "
     "secondaryKeyID=i2"},
    {"cache",
     "Redis",
     "{\"properties\":{\"hostName\":\"h\",\"port\":6379,\"sslPort\":6380}}",
     {{"/listKeys?api-version=2021-06-01", KEYS}},
     KEYS_WANT " hostName=h port=6379 sslPort=6380"},
    {"cache",
     "RedisEnterpriseDatabase",
     "{}",
     {{"/listKeys?api-version=2022-01-01", KEYS}},
     KEYS_WANT},
    {"cognitiveservices",
     "Account",
     "{}",
     {{"/listKeys?api-version=2025-06-01", TWO}},
     "key1=k1 key2=k2"},
    {"communication",
     "CommunicationService",
     "{}",
     {{"/listKeys?api-version=2020-08-20", CONNECTIONS}},
     CONNECTIONS_WANT},
    {"containerservice",
     "Fleet",
     "{}",
     {{"/listCredentials?api-version=" VERSION, "{\"kubeconfigs\":[{\"name\":\"u\",\"value\":"
                                                "\"dXNlcg==\"}]}"}},
     "userCredentials=user"},
    {"containerservice",
     "ManagedCluster",
     "{}",
     {{"/listClusterAdminCredential?api-version=2022-04-01",
       "{\"kubeconfigs\":[{\"name\":\"a\",\"value\":\"YWRtaW4=\"}]}"},
      {"/listClusterUserCredential?api-version=2022-04-01",
       "{\"kubeconfigs\":[{\"name\":\"u\",\"value\":\"dXNlcg==\"}]}"}},
     "adminCredentials=admin userCredentials=user"},
    {"dbformariadb", "Server", DOMAIN, {{0}}, "fullyQualifiedDomainName=h.example"},
    {"dbformysql", "FlexibleServer", DOMAIN, {{0}}, "fullyQualifiedDomainName=h.example"},
    {"dbforpostgresql", "FlexibleServer", DOMAIN, {{0}}, "fullyQualifiedDomainName=h.example"},
    {"devices",
     "IotHub",
     "{}",
     {{"/listkeys?api-version=2023-06-30",
       "{\"value\":[" HUB_KEY("iothubowner") "," HUB_KEY("service") "," HUB_KEY(
           "device") "," HUB_KEY("registryRead") "," HUB_KEY("registryReadWrite") "]}"}},
     "iotHubOwnerPrimaryKey=p-iothubowner iotHubOwnerSecondaryKey=s-iothubowner "
     "servicePrimaryKey=p-service serviceSecondaryKey=s-service devicePrimaryKey=p-device "
     "deviceSecondaryKey=s-device registryReadPrimaryKey=p-registryRead "
     "registryReadSecondaryKey=s-registryRead registryReadWritePrimaryKey=p-registryReadWrite "
     "registryReadWriteSecondaryKey=s-registryReadWrite"},
    {"documentdb",
     "DatabaseAccount",
     "{\"properties\":{\"documentEndpoint\":\"https://d\"}}",
     {{"/listKeys?api-version=" VERSION,
       "{\"primaryMasterKey\":\"a\",\"secondaryMasterKey\":\"b\",\"primaryReadonlyMasterKey\":"
       "\"c\",\"secondaryReadonlyMasterKey\":\"d\"}"}},
     "primaryMasterKey=a secondaryMasterKey=b primaryReadonlyMasterKey=c "
     "secondaryReadonlyMasterKey=d documentEndpoint=https://d"},
    {"eventgrid", "Topic", "{}", {{"/listKeys?api-version=2021-12-01", TWO}}, "key1=k1 key2=k2"},
    {"eventhub",
     "Namespace",
     "{}",
     {{"/authorizationRules/RootManageSharedAccessKey/listKeys?api-version=2024-01-01",
       CONNECTIONS}},
     CONNECTIONS_WANT},
    {"eventhub",
     "NamespacesAuthorizationRule",
     "{}",
     {{"/listKeys?api-version=2024-01-01", CONNECTIONS}},
     CONNECTIONS_WANT},
    {"eventhub",
     "NamespacesEventhubsAuthorizationRule",
     "{}",
     {{"/listKeys?api-version=2024-01-01", CONNECTIONS}},
     CONNECTIONS_WANT},
    {"machinelearningservices",
     "Workspace",
     "{}",
     {{"/listKeys?api-version=2021-07-01",
       "{\"appInsightsInstrumentationKey\":\"i\",\"notebookAccessKeys\":{\"primaryAccessKey\":"
       "\"n1\",\"secondaryAccessKey\":\"n2\"},\"userStorageKey\":\"u\","
       "\"containerRegistryCredentials\":{\"username\":\"r\",\"passwords\":[{\"name\":\"password\","
       "\"value\":\"w1\"},{\"name\":\"password2\",\"value\":\"w2\"}]}}"}},
     "appInsightsInstrumentationKey=i primaryNotebookAccessKey=n1 secondaryNotebookAccessKey=n2 "
     "userStorageKey=u containerRegistryPassword=w1 containerRegistryPassword2=w2 "
     "containerRegistryUserName=r"},
    {"managedidentity",
     "UserAssignedIdentity",
     "{\"properties\":{\"clientId\":\"c\",\"principalId\":\"p\",\"tenantId\":\"t\"}}",
     {{0}},
     "clientId=c principalId=p tenantId=t subscriptionId=11111111-2222-3333-4444-555555555555"},
    {"notificationhubs",
     "Namespace",
     "{}",
     {{"/AuthorizationRules/RootManageSharedAccessKey/listKeys?api-version=2017-04-01",
       CONNECTIONS}},
     CONNECTIONS_WANT},
    {"notificationhubs",
     "NotificationHub",
     "{}",
     {{"/AuthorizationRules/DefaultFullSharedAccessSignature/listKeys?api-version=2017-04-01",
       CONNECTIONS}},
     CONNECTIONS_WANT},
    {"operationalinsights",
     "Workspace",
     "{}",
     {{"/sharedKeys?api-version=2020-08-01",
       "{\"primarySharedKey\":\"a\",\"secondarySharedKey\":\"b\"}"}},
     "primarySharedKey=a secondarySharedKey=b"},
    {"redhatopenshift",
     "OpenShiftCluster",
     "{}",
     {{"/listAdminCredentials?api-version=2023-11-22", "{\"kubeconfig\":\"YWRtaW4=\"}"},
      {"/listCredentials?api-version=2023-11-22",
       "{\"kubeadminUsername\":\"u\",\"kubeadminPassword\":\"p\"}"}},
     "adminCredentials=YWRtaW4= username=u password=p"},
    {"search",
     "SearchService",
     "{}",
     {{"/listAdminKeys?api-version=2025-05-01", KEYS},
      {"/listQueryKeys?api-version=2025-05-01",
       "{\"value\":[{\"name\":\"mine\",\"key\":\"q1\"},{\"name\":null,\"key\":\"q2\"}]}"}},
     "adminPrimaryKey=pk adminSecondaryKey=sk queryKey=q2"},
    {"servicebus",
     "Namespace",
     "{\"properties\":{\"serviceBusEndpoint\":\"https://s\"}}",
     {{"/AuthorizationRules/RootManageSharedAccessKey/listKeys?api-version=2021-11-01",
       CONNECTIONS}},
     "endpoint=https://s " CONNECTIONS_WANT},
    {"servicebus",
     "NamespacesAuthorizationRule",
     "{}",
     {{"/listKeys?api-version=2021-11-01", CONNECTIONS}},
     CONNECTIONS_WANT},
    {"servicebus",
     "TopicAuthorizationRule",
     "{}",
     {{"/ListKeys?api-version=2021-11-01", CONNECTIONS}},
     CONNECTIONS_WANT},
    {"signalrservice",
     "SignalR",
     "{}",
     {{"/listKeys?api-version=2023-02-01", CONNECTIONS}},
     CONNECTIONS_WANT},
    {"storage",
     "StorageAccount",
     "{\"properties\":{\"primaryEndpoints\":{\"blob\":\"b\",\"queue\":\"q\",\"table\":\"t\","
     "\"file\":\"f\",\"web\":\"w\",\"dfs\":\"d\"}}}",
     {{"/listKeys?api-version=2024-01-01",
       "{\"keys\":[{\"keyName\":\"key1\",\"value\":\"k1\"},{\"keyName\":\"key2\",\"value\":\"k2\"}]"
       "}"}},
     "key1=k1 key2=k2 blobEndpoint=b queueEndpoint=q tableEndpoint=t fileEndpoint=f webEndpoint=w "
     "dfsEndpoint=d"},
};

/* An object that wants members of a kind: all, or the one that is named. */
static struct value *wanting(struct arena *a, const struct ext *x, const char *only)
{
    struct value *object = value_object(a);
    struct value *spec = value_set(a, object, STR("spec"), value_object(a));
    struct value *op = value_set(a, spec, STR("operatorSpec"), value_object(a));
    struct value *secrets = value_set(a, op, STR("secrets"), value_object(a));

    for (size_t i = 0; i < x->rules->secrets.len; i++) {
        str name = x->rules->secrets.items[i].name;
        if (only && !str_eq(name, str_c(only)))
            continue;
        struct value *to = value_set(a, secrets, name, value_object(a));
        value_set_str(a, to, STR("name"), STR("target"));
        value_set_str(a, to, STR("key"), str_fmt(a, "k-%.*s", STR_ARG(name)));
    }
    return object;
}

static str exports_text(struct arena *a, const struct ext_exports *x)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < x->count; i++) {
        assert_str(x->items[i].object, STR("target"));
        assert_str(x->items[i].key, str_fmt(a, "k-%.*s", STR_ARG(x->items[i].member)));
        buf_fmt(&b, "%s%.*s=%.*s", i ? " " : "", STR_ARG(x->items[i].member),
                STR_ARG(x->items[i].value));
    }
    return buf_str(&b);
}

TEST(every_exporter_exports)
{
    for (size_t i = 0; i < COUNT(export_cases); i++) {
        AUTO_ARENA a = arena_new();
        struct ext x = find(export_cases[i].group, export_cases[i].kind);
        struct ext_input in = input(a);
        struct arm_answer answers[4];
        struct ext_exports got;
        in.answers = answers;
        in.body = parse(a, export_cases[i].body);
        in.object = wanting(a, &x, NULL);
        while ((got = ext_secrets(&x, &in)).request_count) {
            const char *url = export_cases[i].calls[in.answer_count].url;
            bool page = in.answer_count && str_has_prefix(str_c(url), STR("https:"));
            assert_non_null(url);
            assert_str(got.requests[0].url, page ? str_c(url) : str_fmt(a, "%s%s", ID, url));
            assert_str(got.requests[0].method, page ? STR("GET") : STR("POST"));
            assert_true(got.requests[0].harmless);
            answers[in.answer_count] = (struct arm_answer){
                .http = 200, .body = str_c(export_cases[i].calls[in.answer_count].answer)};
            in.answer_count++;
        }
        assert_null(export_cases[i].calls[in.answer_count].url);
        assert_str(got.fault, STR_NONE);
        assert_str(exports_text(a, &got), str_c(export_cases[i].want));
    }
}

TEST(only_what_is_wanted_is_asked_for)
{
    static const struct {
        const char *group, *kind, *member, *url;
    } cases[] = {
        {"servicebus", "Namespace", "endpoint", NULL},
        {"storage", "StorageAccount", "blobEndpoint", NULL},
        {"search", "SearchService", "queryKey", "/listQueryKeys?api-version=2025-05-01"},
        {"containerservice", "ManagedCluster", "userCredentials",
         "/listClusterUserCredential?api-version=2022-04-01"},
        {"cache", "Redis", "nothing", NULL},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        struct ext x = find(cases[i].group, cases[i].kind);
        struct ext_input in = input(a);
        in.body = parse(a, "{\"properties\":{\"serviceBusEndpoint\":\"x\",\"primaryEndpoints\":"
                           "{\"blob\":\"x\"}}}");
        in.object = wanting(a, &x, cases[i].member);
        struct ext_exports got = ext_secrets(&x, &in);
        assert_int_equal(got.request_count, cases[i].url ? 1 : 0);
        if (cases[i].url)
            assert_str(got.requests[0].url, str_fmt(a, "%s%s", ID, cases[i].url));
    }
}

TEST(what_cannot_be_exported_is_explained)
{
    static const struct {
        const char *group, *kind, *member;
        int http;
        const char *answer, *fault;
    } cases[] = {
        {"cache", "Redis", "primaryKey", 200, "{\"primaryKey\":\"\"}",
         "operatorSpec.secrets.primaryKey: Azure returned no value"},
        {"cache", "Redis", "primaryKey", 403,
         "{\"error\":{\"code\":\"AuthorizationFailed\",\"message\":\"no\"}}",
         "listKeys: AuthorizationFailed: no"},
        {"cache", "Redis", "primaryKey", 200, "<html>",
         "listKeys: UnknownError: Azure answered with status 200, but not with JSON"},
        {"cache", "Redis", "primaryKey", 200, "{\"primaryKey\":\"do-not-show\"} x",
         "listKeys: UnknownError: Azure answered with status 200, but not with JSON"},
        {"containerservice", "ManagedCluster", "userCredentials", 200,
         "{\"kubeconfigs\":[{\"value\":\"???\"}]}",
         "operatorSpec.secrets.userCredentials: the value that Azure returned is not base64"},
        {"search", "SearchService", "queryKey", 200, "{\"value\":[]}", ""},
        {"devices", "IotHub", "devicePrimaryKey", 200, "{\"value\":[]}", ""},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        struct ext x = find(cases[i].group, cases[i].kind);
        struct ext_input in = input(a);
        struct arm_answer answer = {.http = cases[i].http, .body = str_c(cases[i].answer)};
        in.body = value_object(a);
        in.object = wanting(a, &x, cases[i].member);
        in.answers = &answer;
        in.answer_count = 1;
        struct ext_exports got = ext_secrets(&x, &in);
        assert_int_equal(got.count, 0);
        assert_str(got.fault, str_c(cases[i].fault));
    }
}

TEST(config_maps_are_filled_from_the_status)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct model *m;
    struct ext x = find("storage", "StorageAccount");
    struct ext_input in = input(a);

    assert_ok(model_open(a, STR_NONE, &m, &e), &e);
    assert_ok(model_find_hub(m, STR("storage.azure.com"), STR("StorageAccount"), &in.resource, &e),
              &e);
    in.object = parse(a, "{\"spec\":{\"operatorSpec\":{\"configMaps\":{\"blobEndpoint\":{\"name\":"
                         "\"c\",\"key\":\"k\"},\"webEndpoint\":{\"name\":\"c\",\"key\":\"w\"}}}}}");
    in.body = parse(a, "{\"properties\":{\"primaryEndpoints\":{\"blob\":\"https://b\"}}}");
    struct ext_exports got = ext_configs(&x, &in);
    assert_int_equal(got.request_count, 0);
    assert_int_equal(got.count, 1);
    assert_str(got.items[0].object, STR("c"));
    assert_str(got.items[0].key, STR("k"));
    assert_str(got.items[0].value, STR("https://b"));
    model_close(m);
}

/* ---- Completeness. --------------------------------------------------------------------------- */

#define HAS_CASE(cases, rules)                                                                     \
    ({                                                                                             \
        bool found_ = false;                                                                       \
        for (size_t i_ = 0; i_ < COUNT(cases); i_++)                                               \
            found_ |= str_eq(str_without_suffix((rules)->group, STR(".azure.com")),                \
                             str_c((cases)[i_].group)) &&                                          \
                      str_eq((rules)->kind, str_c((cases)[i_].kind));                              \
        found_;                                                                                    \
    })

TEST(every_rule_has_a_case)
{
    const struct kind_set *set = kind_set_built_in();

    for (size_t i = 0; i < kind_set_len(set); i++) {
        const struct kind_rules *r = kind_set_at(set, i);
        assert_true(!r->errors || HAS_CASE(error_cases, r));
        assert_true(!(r->owner.len + r->send.len + r->ready.len) || HAS_CASE(gate_cases, r));
        assert_true(!r->merges.len || HAS_CASE(merge_cases, r));
        assert_true(!r->secrets.len || HAS_CASE(export_cases, r));
    }
}

TEST(rules_and_model_agree)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    const struct kind_set *set = kind_set_built_in();
    const struct model_resource *resource;
    struct model *m;

    assert_ok(model_open(a, STR_NONE, &m, &e), &e);
    for (size_t i = 0; i < kind_set_len(set); i++) {
        const struct kind_rules *r = kind_set_at(set, i);
        assert_ok(model_find_hub(m, r->group, r->kind, &resource, &e), &e);
        assert_int_equal(value_len(resource->secrets), r->secrets.len);
        for (size_t j = 0; j < r->secrets.len; j++)
            assert_non_null(value_get(resource->secrets, r->secrets.items[j].name));
    }
    model_close(m);
}

RUN_TESTS(cmocka_unit_test(every_classifier_decides), cmocka_unit_test(gates_open_and_close),
          cmocka_unit_test(elements_of_others_are_kept), cmocka_unit_test(names_are_checked),
          cmocka_unit_test(long_lists_are_trimmed), cmocka_unit_test(deletes_have_their_parameters),
          cmocka_unit_test(every_exporter_exports),
          cmocka_unit_test(only_what_is_wanted_is_asked_for),
          cmocka_unit_test(what_cannot_be_exported_is_explained),
          cmocka_unit_test(config_maps_are_filled_from_the_status),
          cmocka_unit_test(every_rule_has_a_case), cmocka_unit_test(rules_and_model_agree))
