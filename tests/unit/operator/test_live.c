/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_live.c - the operator as users run it: store and simulated Azure behind sockets, real
 * threads, real time.
 */
#include "../test.h"

#include "azure/crd.h"
#include "net/server/handler_serve.h"
#include "object/condition.h"
#include "operator/live.h"
#include "operator/replay.h"
#include "sim/sim.h"
#include "store/store.h"
#include "support/local.h"
#include "base/log.h"
#include "text/json/json.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUBSCRIPTION "00000000-0000-0000-0000-000000000001"
#define GROUP_ID "/subscriptions/" SUBSCRIPTION "/resourceGroups/rg"
#define VNET_ID GROUP_ID "/providers/Microsoft.Network/virtualNetworks/vnet"
#define GROUPS "/apis/resources.azure.com/v1api20200601/namespaces/default/resourcegroups"
#define NETWORKS "/apis/network.azure.com/v20250301/namespaces/default/virtualnetworks"
#define GROUP                                                                                      \
    "{\"apiVersion\":\"resources.azure.com/v1api20200601\",\"kind\":\"ResourceGroup\","            \
    "\"metadata\":{\"name\":\"rg\"},\"spec\":{\"location\":\"westus2\"}}"
#define NETWORK                                                                                    \
    "{\"apiVersion\":\"network.azure.com/v20250301\",\"kind\":\"VirtualNetwork\","                 \
    "\"metadata\":{\"name\":\"vnet\"},\"spec\":{\"location\":\"westus2\",\"owner\":"               \
    "{\"name\":\"rg\"},\"addressSpace\":{\"addressPrefixes\":[\"10.0.0.0/16\"]}}}"
/* Far beyond what a busy machine takes. */
#define PATIENCE (60 * NS_PER_SEC)

struct stage {
    struct arena *arena;
    struct model *model;
    struct store *store;
    struct sim *sim;
    struct server *api, *azure;
    struct local client;
    struct kube_config kube;
    struct kube_transport *transport;
    struct credential_settings credential;
    struct live_config config;
};

struct running {
    struct live *live;
    struct http_cancel *cancel;
    pthread_t thread;
};

static void open_stage(struct stage *s)
{
    struct store_config store = store_defaults();
    struct sim_config sim = sim_defaults();
    AUTO_ERR e = {0};

    *s = (struct stage){.arena = arena_new()};
    sim.quick = sim.unlimited = true;
    assert_true(store_open(&store, &s->store, &e));
    assert_true(sim_new(&sim, &s->sim, &e));
    assert_true(model_open(s->arena, STR_NONE, &s->model, &e));
    assert_true(server_start(&(struct server_config){.handle = handler_serve,
                                                     .ctx = (void *)store_handler(s->store),
                                                     .body_max = STORE_BODY_MAX},
                             &s->api, &e));
    assert_true(server_start(&(struct server_config){.handle = handler_serve,
                                                     .ctx = (void *)sim_handler(s->sim),
                                                     .body_max = SIM_BODY_MAX},
                             &s->azure, &e));
    s->client = local_client(store_handler(s->store));
    s->kube = (struct kube_config){
        .server = server_url(s->api), .namespace = STR("default"), .http = http_defaults()};
    assert_true(kube_transport_new(&s->kube, STR("plumb-operator"), &s->transport, &e));
    s->credential = (struct credential_settings){
        .kind = CREDENTIAL_SECRET,
        .subscription = STR(SUBSCRIPTION),
        .tenant = STR("tenant"),
        .client = STR("client"),
        .secret = STR("PLANTED-client-secret"),
        .cloud = {.endpoint = server_url(s->azure),
                  .audience = server_url(s->azure),
                  .authority = str_concat(s->arena, server_url(s->azure), STR("/"))}};
    s->config = (struct live_config){.transport = s->transport,
                                     .credential = &s->credential,
                                     .identity = STR("test"),
                                     .operator= {.model = s->model,
                                                 .namespace = STR("plumb-system"),
                                                 .period = NS_PER_SEC / 2} };
}

static void close_stage(struct stage *s)
{
    kube_transport_free(s->transport);
    server_stop(s->api, 0);
    server_stop(s->azure, 0);
    local_end(&s->client);
    store_close(s->store);
    sim_free(s->sim);
    model_close(s->model);
    arena_free(s->arena);
}

/* As the reference operator defines its kinds: stored in a twin of the newest version, which plumb
 * does not own and which has no place for what plumb remembers. */
static void make_foreign(struct arena *a, struct value *crd)
{
    struct value *versions = value_get(value_get(crd, STR("spec")), STR("versions")), *twin = NULL;

    for (size_t i = 0; i < value_len(versions); i++) {
        struct value *v = value_at(versions, i);
        struct value *status =
            value_get(value_get(value_get(value_get(v, STR("schema")), STR("openAPIV3Schema")),
                                STR("properties")),
                      STR("status"));
        (void)value_unset(value_get(status, STR("properties")), STR("operatorStatus"));
        (void)value_unset(status, STR("default"));
        if (!value_is_true(value_get(v, STR("storage"))))
            continue;
        twin = value_copy(a, v);
        value_set_bool(a, v, STR("storage"), false);
        value_set_str(a, twin, STR("name"),
                      str_concat(a, value_get_str(v, STR("name")), STR("storage")));
    }
    value_add(a, versions, twin);
    object_set_label(a, crd, STR("app.kubernetes.io/name"), STR("azure-service-operator"));
}

static void define_as(struct stage *s, const char *group, const char *kind, bool foreign)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    const struct model_resource **versions;
    struct buf b = buf_new(a, BUF_UNLIMITED);
    size_t count;

    assert_true(model_versions(s->model, a, str_c(group), str_c(kind), &versions, &count, &e));
    struct value *crd = value_copy(a, crd_build(a, (const struct model_resource *const *)versions,
                                                count, &(struct crd_options){0}));
    if (foreign)
        make_foreign(a, crd);
    assert_true(json_write(&b, crd, &json_exact, &e));
    assert_int_equal(local_ask(&s->client, "POST",
                               "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                               str_z(a, buf_str(&b))),
                     201);
}

static void define(struct stage *s, const char *group, const char *kind)
{
    define_as(s, group, kind, false);
}

/* ---- The operator. ---- */

static void *run(void *ctx)
{
    struct running *r = ctx;

    live_run(r->live, r->cancel);
    return NULL;
}

static void start(struct stage *s, struct running *r)
{
    AUTO_ERR e = {0};

    r->cancel = http_cancel_new();
    assert_true(live_start(&s->config, &r->live, &e));
    assert_int_equal(pthread_create(&r->thread, NULL, run, r), 0);
}

static void stop(struct running *r)
{
    http_cancel_raise(r->cancel);
    pthread_join(r->thread, NULL);
    live_stop(r->live);
    http_cancel_free(r->cancel);
}

/* ---- Waiting for a state. ---- */

static bool is_ready(struct stage *s, const char *path)
{
    if (local_ask(&s->client, "GET", path, "") != 200)
        return false;
    return condition_is_true(value_get(s->client.body, STR("status")), STR("Ready"),
                             object_generation(s->client.body));
}

static bool is_settled(struct stage *s, const char *path)
{
    if (!is_ready(s, path))
        return false;
    const struct value *status = value_get(s->client.body, STR("status"));
    return value_is_true(value_get(value_get(status, STR("operatorStatus")), STR("settled")));
}

static bool is_gone(struct stage *s, const char *path)
{
    return local_ask(&s->client, "GET", path, "") == 404;
}

static struct sim_response ask_azure(struct stage *s, const char *method, const char *id,
                                     const char *body)
{
    struct http_headers headers = {0};
    struct sim_response r = {0};

    http_header_add(s->arena, &headers, STR("Content-Type"), STR("application/json"));
    sim_handle(s->sim, s->arena,
               &(struct sim_request){.method = str_c(method),
                                     .path = str_c(id),
                                     .query = STR("api-version=2025-03-01"),
                                     .base = server_url(s->azure),
                                     .headers = &headers,
                                     .body = str_c(body)},
               &r);
    return r;
}

static bool is_gone_in_azure(struct stage *s, const char *id)
{
    return ask_azure(s, "GET", id, "").status == 404;
}

static bool has_prefix(struct stage *s, const char *prefix)
{
    return str_contains(ask_azure(s, "GET", VNET_ID, "").body, str_c(prefix));
}

static bool is_corrected(struct stage *s, const char *path)
{
    (void)path;
    return has_prefix(s, "10.0.0.0/16") && !has_prefix(s, "192.168.0.0/24");
}

static void until(struct stage *s, bool (*state)(struct stage *s, const char *path),
                  const char *path)
{
    int64_t end = clock_mono() + PATIENCE;

    while (!state(s, path)) {
        if (clock_mono() > end)
            fail_msg("%s never got there: %.*s", path, STR_ARG(s->client.text));
        clock_sleep(5 * NS_PER_MS);
    }
}

static uint64_t metric_of(struct running *r, const char *name)
{
    AUTO_ARENA a = arena_new();
    struct buf b = buf_new(a, BUF_UNLIMITED);
    str before, after, line;
    uint64_t n = 0;

    live_metrics(r->live, &b);
    assert_true(str_cut(buf_str(&b), str_fmt(a, "\n%s ", name), &before, &after));
    str_cut(after, STR("\n"), &line, &after);
    assert_true(str_to_u64(line, &n));
    return n;
}

static uint64_t passes_of(struct running *r)
{
    return metric_of(r, "plumb_passes_total");
}

static void wait_for_passes(struct running *r, uint64_t more)
{
    uint64_t end = passes_of(r) + more;

    while (passes_of(r) < end)
        clock_sleep(5 * NS_PER_MS);
}

/* ---- The stories. ---- */

TEST(what_is_declared_is_made_corrected_and_deleted)
{
    struct stage s;
    struct running r;

    open_stage(&s);
    define(&s, "resources.azure.com", "ResourceGroup");
    start(&s, &r);
    assert_int_equal(local_ask(&s.client, "POST", GROUPS, GROUP), 201);
    until(&s, is_ready, GROUPS "/rg");
    assert_true(live_ready(r.live) && live_leads(r.live));
    /* A kind that comes later needs no restart. */
    define(&s, "network.azure.com", "VirtualNetwork");
    assert_int_equal(local_ask(&s.client, "POST", NETWORKS, NETWORK), 201);
    until(&s, is_ready, NETWORKS "/vnet");
    assert_int_equal(ask_azure(&s, "GET", VNET_ID, "").status, 200);

    ask_azure(&s, "PUT", VNET_ID,
              "{\"location\":\"westus2\",\"properties\":{\"addressSpace\":"
              "{\"addressPrefixes\":[\"192.168.0.0/24\"]}}}");
    assert_true(has_prefix(&s, "192.168.0.0/24"));
    until(&s, is_corrected, NETWORKS "/vnet");

    assert_int_equal(local_ask(&s.client, "DELETE", GROUPS "/rg", ""), 200);
    until(&s, is_gone, GROUPS "/rg");
    until(&s, is_gone, NETWORKS "/vnet");
    assert_int_equal(ask_azure(&s, "GET", GROUP_ID, "").status, 404);
    stop(&r);
    close_stage(&s);
}

TEST(definitions_of_the_reference_operator_are_used_as_they_are)
{
    struct stage s;
    struct running r;

    open_stage(&s);
    define_as(&s, "resources.azure.com", "ResourceGroup", true);
    define_as(&s, "network.azure.com", "VirtualNetwork", true);
    start(&s, &r);
    assert_int_equal(local_ask(&s.client, "POST", NETWORKS, NETWORK), 201);
    assert_int_equal(local_ask(&s.client, "POST", GROUPS, GROUP), 201);
    until(&s, is_ready, NETWORKS "/vnet");
    assert_false(str_contains(s.client.text, STR("operatorStatus")));
    /* The second look takes the record, which is an annotation here. */
    wait_for_passes(&r, 6);
    assert_true(is_ready(&s, NETWORKS "/vnet"));
    uint64_t version = object_version(s.client.body);
    /* What has no place is not written again and again. */
    wait_for_passes(&r, 6);
    assert_true(is_ready(&s, NETWORKS "/vnet"));
    assert_int_equal(object_version(s.client.body), version);
    assert_int_equal(local_ask(&s.client, "DELETE", GROUPS "/rg", ""), 200);
    until(&s, is_gone, NETWORKS "/vnet");
    until(&s, is_gone, GROUPS "/rg");
    stop(&r);
    close_stage(&s);
}

#define OTHER                                                                                      \
    "{\"apiVersion\":\"resources.azure.com/v1api20200601\",\"kind\":\"ResourceGroup\","            \
    "\"metadata\":{\"name\":\"other\"},\"spec\":{\"location\":\"westus2\"}}"

/* What was found well is not looked at before its period is over, unless something changes. */
TEST(a_restart_leaves_alone_what_is_well)
{
    struct stage s;
    struct running r;

    open_stage(&s);
    s.config.operator.namespace = STR("default");
    define(&s, "resources.azure.com", "ResourceGroup");
    start(&s, &r);
    assert_int_equal(local_ask(&s.client, "POST", GROUPS, GROUP), 201);
    /* Found well by the second look, which comes soon with a short period. */
    until(&s, is_settled, GROUPS "/rg");
    while (metric_of(&r, "plumb_requests_in_flight"))
        clock_sleep(5 * NS_PER_MS);
    stop(&r);
    s.config.operator.period = 3600 * NS_PER_SEC;
    /* Only a look at Azure could tell. */
    ask_azure(&s, "DELETE", GROUP_ID, "");
    until(&s, is_gone_in_azure, GROUP_ID);
    start(&s, &r);
    assert_int_equal(local_ask(&s.client, "POST", GROUPS, OTHER), 201);
    until(&s, is_ready, GROUPS "/other");
    assert_int_equal(ask_azure(&s, "GET", GROUP_ID, "").status, 404);
    s.client.type = STR("application/merge-patch+json");
    assert_int_equal(
        local_ask(&s.client, "PATCH", GROUPS "/rg", "{\"spec\":{\"tags\":{\"a\":\"b\"}}}"), 200);
    until(&s, is_ready, GROUPS "/rg");
    assert_int_equal(ask_azure(&s, "GET", GROUP_ID, "").status, 200);
    stop(&r);
    close_stage(&s);
}

/* ---- What decisions were made from. ---- */

struct verdicts {
    size_t all, drift, absent;
};

static void judge_again(struct stage *s, str line, struct verdicts *out)
{
    AUTO_ARENA a = arena_new();
    const struct source src = {.text = line};
    struct value *record;
    struct replay r;
    AUTO_ERR e = {0};

    assert_ok(json_read(a, &src, NULL, &record, &e), &e);
    assert_ok(replay_judge(a, s->model, NULL, record, &r, &e), &e);
    assert_true(r.same && !r.inexact);
    out->all++;
    out->drift += str_has_prefix(r.is, STR("write drift: properties.addressSpace"));
    out->absent += str_has_prefix(r.is, STR("write absent"));
}

static struct verdicts read_decisions(struct stage *s, str path)
{
    struct verdicts out = {0};
    str text, line;
    AUTO_ERR e = {0};

    assert_ok(file_read(s->arena, path, &text, &e), &e);
    while (str_cut(text, STR("\n"), &line, &text))
        judge_again(s, line, &out);
    assert_int_equal(text.len, 0);
    return out;
}

TEST(decisions_of_a_running_operator_are_kept_and_reached_again)
{
    char path[] = "/tmp/plumb-decisions-XXXXXX";
    struct stage s;
    struct running r;
    struct stat found;

    open_stage(&s);
    close(mkstemp(path));
    unlink(path);
    s.config.keep = str_c(path);
    define(&s, "resources.azure.com", "ResourceGroup");
    define(&s, "network.azure.com", "VirtualNetwork");
    start(&s, &r);
    assert_int_equal(local_ask(&s.client, "POST", GROUPS, GROUP), 201);
    assert_int_equal(local_ask(&s.client, "POST", NETWORKS, NETWORK), 201);
    until(&s, is_settled, NETWORKS "/vnet");
    ask_azure(&s, "PUT", VNET_ID,
              "{\"location\":\"westus2\",\"properties\":{\"addressSpace\":"
              "{\"addressPrefixes\":[\"192.168.0.0/24\"]}}}");
    until(&s, is_corrected, NETWORKS "/vnet");
    stop(&r);
    struct verdicts v = read_decisions(&s, str_c(path));
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0600);
    unlink(path);
    assert_true(v.absent >= 2 && v.drift >= 1);
    assert_true(v.all > v.absent + v.drift);
    close_stage(&s);
}

/* ---- Two of them. ---- */

#define LEASE "/apis/coordination.k8s.io/v1/namespaces/default/leases/operator"

static bool is_held_by(struct stage *s, const char *who)
{
    if (local_ask(&s->client, "GET", LEASE, "") != 200)
        return false;
    return str_eq(value_get_str(value_get(s->client.body, STR("spec")), STR("holderIdentity")),
                  str_c(who));
}

static void start_as(struct stage *s, struct running *r, const char *identity)
{
    s->config.identity = str_c(identity);
    s->config.lease_name = STR("operator");
    s->config.lease_namespace = STR("default");
    start(s, r);
}

/* A write that waits for Azure's budget when the lease goes to another process is never sent. */
TEST(who_loses_the_lease_sends_nothing_that_waited)
{
    struct stage s;
    struct running one, two;
    const struct source fault = {
        .text =
            STR("{\"faults\":[{\"kind\":\"throttle\",\"method\":\"PUT\",\"retryAfter\":600}]}")};
    AUTO_ERR e = {0};

    open_stage(&s);
    define(&s, "resources.azure.com", "ResourceGroup");
    start_as(&s, &one, "one");
    until(&s, is_held_by, "one");
    start_as(&s, &two, "two");
    assert_ok(sim_add_faults(s.sim, &fault, &e), &e);
    assert_int_equal(local_ask(&s.client, "POST", GROUPS, GROUP), 201);
    while (!metric_of(&one, "plumb_requests_waiting"))
        clock_sleep(5 * NS_PER_MS);
    s.client.type = STR("application/merge-patch+json");
    assert_int_equal(
        local_ask(&s.client, "PATCH", LEASE, "{\"spec\":{\"holderIdentity\":\"two\"}}"), 200);
    until(&s, is_ready, GROUPS "/rg");
    assert_true(live_leads(two.live));
    for (int64_t end = clock_mono() + PATIENCE; metric_of(&one, "plumb_requests_waiting");) {
        assert_true(clock_mono() < end);
        clock_sleep(5 * NS_PER_MS);
    }
    stop(&one);
    stop(&two);
    close_stage(&s);
}

/* ---- Secrets. ---- */

#define SERVERS "/apis/sql.azure.com/v20211101/namespaces/default/servers"
#define SERVER                                                                                     \
    "{\"apiVersion\":\"sql.azure.com/v20211101\",\"kind\":\"Server\",\"metadata\":"                \
    "{\"name\":\"db\"},\"spec\":{\"location\":\"westus2\",\"owner\":{\"name\":\"rg\"},"            \
    "\"administratorLogin\":\"admin\",\"administratorLoginPassword\":{\"name\":\"password\","      \
    "\"key\":\"p\"}}}"

static bool is_refused(struct stage *s, const char *path)
{
    return local_ask(&s->client, "GET", path, "") == 200 &&
           str_contains(s->client.text, STR("WeakPassword"));
}

static void expect_clean(str what, str text)
{
    size_t at = str_find(text, STR("PLANTED"));

    if (at != STR_NPOS)
        fail_msg("%.*s: ...%.*s", STR_ARG(what),
                 STR_ARG(str_slice(text, at > 200 ? at - 200 : 0, at + 60)));
}

static void expect_no_secret(struct stage *s, struct running *r, const char *log)
{
    static const char *const lists[] = {GROUPS, SERVERS, "/api/v1/events"};
    struct buf metrics = buf_new(s->arena, BUF_UNLIMITED);
    AUTO_ERR e = {0};
    str text;

    for (size_t i = 0; i < COUNT(lists); i++) {
        assert_int_equal(local_ask(&s->client, "GET", lists[i], ""), 200);
        expect_clean(str_c(lists[i]), s->client.text);
    }
    live_metrics(r->live, &metrics);
    assert_true(str_contains(buf_str(&metrics), STR("azure_successful_requests_total{")));
    expect_clean(STR("metrics"), buf_str(&metrics));
    assert_true(file_read(s->arena, str_c(log), &text, &e));
    assert_true(text.len > 0);
    expect_clean(STR("log"), text);
}

/* The client secret, an input Secret, and that Secret echoed by Azure. */
TEST(secrets_appear_nowhere)
{
    char log[] = "/tmp/plumb-test-log-XXXXXX";
    struct stage s;
    struct running r;
    int fd = mkstemp(log);

    assert_true(fd >= 0);
    log_setup(LOG_LEVEL_DEBUG, LOG_JSON, fd);
    open_stage(&s);
    define(&s, "resources.azure.com", "ResourceGroup");
    define(&s, "sql.azure.com", "Server");
    assert_int_equal(local_ask(&s.client, "POST", "/api/v1/namespaces/default/secrets",
                               "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":"
                               "{\"name\":\"password\"},\"stringData\":"
                               "{\"p\":\"PLANTED-password\"}}"),
                     201);
    assert_int_equal(
        ask_azure(&s, "POST", "/_sim/faults",
                  "{\"kind\":\"fail\",\"method\":\"PUT\",\"type\":\"Microsoft.Sql/servers\","
                  "\"status\":400,\"code\":\"WeakPassword\",\"count\":0,"
                  "\"message\":\"The password PLANTED-password is too weak.\"}")
            .status,
        204);
    start(&s, &r);
    assert_int_equal(local_ask(&s.client, "POST", GROUPS, GROUP), 201);
    assert_int_equal(local_ask(&s.client, "POST", SERVERS, SERVER), 201);
    until(&s, is_refused, SERVERS "/db");
    expect_no_secret(&s, &r, log);
    ask_azure(&s, "DELETE", "/_sim/faults", "");
    stop(&r);
    close_stage(&s);
    log_setup(LOG_LEVEL_WARN, LOG_TEXT, STDERR_FILENO);
    close(fd);
    unlink(log);
}

#define MAPS "/api/v1/namespaces/plumb-system/configmaps"

static bool is_kept_back(struct stage *s, const char *path)
{
    struct condition ready;

    return local_ask(&s->client, "GET", path, "") == 200 &&
           condition_get(value_get(s->client.body, STR("status")), STR("Ready"), &ready) &&
           str_eq(ready.reason, STR("PostReconciliationFailure")) &&
           str_contains(ready.message, STR("not in this place: westus2"));
}

/* A gate keeps the group back until the ConfigMap has no such rule any more: without a restart. */
TEST(rules_of_a_config_map_are_followed)
{
    struct stage s;
    struct running r;

    open_stage(&s);
    s.config.rules_map = STR("rules");
    define(&s, "resources.azure.com", "ResourceGroup");
    assert_int_equal(local_ask(&s.client, "POST", "/api/v1/namespaces",
                               "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{"
                               "\"name\":\"plumb-system\"}}"),
                     201);
    assert_int_equal(
        local_ask(&s.client, "POST", MAPS,
                  "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"rules\"},"
                  "\"data\":{\"group.json\":\"{"
                  "\\\"rules\\\":\\\"kind\\\",\\\"kind\\\":\\\"resources.azure.com/"
                  "ResourceGroup\\\",\\\"ready\\\":[{\\\"at\\\":\\\"location\\\",\\\"in\\\":"
                  "[\\\"elsewhere\\\"],\\\"else\\\":\\\"not in this place: %s\\\"}]}\"}}"),
        201);
    start(&s, &r);
    assert_int_equal(local_ask(&s.client, "POST", GROUPS, GROUP), 201);
    until(&s, is_kept_back, GROUPS "/rg");
    s.client.type = STR("application/merge-patch+json");
    assert_int_equal(local_ask(&s.client, "PATCH", MAPS "/rules",
                               "{\"data\":{\"group.json\":\"{\\\"rules\\\":\\\"kind\\\","
                               "\\\"kind\\\":\\\"resources.azure.com/ResourceGroup\\\"}\"}}"),
                     200);
    s.client.type = STR("application/json");
    until(&s, is_ready, GROUPS "/rg");
    stop(&r);
    close_stage(&s);
}

RUN_TESTS(cmocka_unit_test(rules_of_a_config_map_are_followed),
          cmocka_unit_test(what_is_declared_is_made_corrected_and_deleted),
          cmocka_unit_test(definitions_of_the_reference_operator_are_used_as_they_are),
          cmocka_unit_test(a_restart_leaves_alone_what_is_well),
          cmocka_unit_test(decisions_of_a_running_operator_are_kept_and_reached_again),
          cmocka_unit_test(who_loses_the_lease_sends_nothing_that_waited),
          cmocka_unit_test(secrets_appear_nowhere))
