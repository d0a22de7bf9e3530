/* SPDX-License-Identifier: Apache-2.0 */
/* test_detect.c - canonical forms, known differences, and what is new. */
#include "../azure/fixture.h"

#include "operator/detect/internal.h"

#define SUB "/subscriptions/00000000-0000-0000-0000-000000000000"
#define GROUP SUB "/resourceGroups/rg"
#define ID GROUP "/providers/Microsoft.ManagedIdentity/userAssignedIdentities/a"
#define LOWER SUB "/resourcegroups/RG/providers/microsoft.managedidentity/userassignedidentities/A"
#define ROLE                                                                                       \
    "/providers/Microsoft.Authorization/roleDefinitions/"                                          \
    "11111111-2222-3333-4444-555555555555"

static const struct kind {
    const char *group, *version, *kind;
} redis = {"cache.azure.com", "v1api20230801", "Redis"},
  network = {"network.azure.com", "v1api20240301", "VirtualNetwork"},
  table = {"network.azure.com", "v1api20240301", "RouteTable"},
  server = {"sql.azure.com", "v1api20211101", "Server"},
  role = {"authorization.azure.com", "v1api20220401", "RoleAssignment"},
  account = {"documentdb.azure.com", "v1api20240815", "DatabaseAccount"},
  cluster = {"containerservice.azure.com", "v1api20250801", "ManagedCluster"},
  fragment = {"apimanagement.azure.com", "v1api20230501preview", "PolicyFragment"},
  logger = {"apimanagement.azure.com", "v20240501", "Logger"},
  subnet = {"network.azure.com", "v1api20201101", "VirtualNetworksSubnet"},
  security = {"network.azure.com", "v1api20201101", "NetworkSecurityGroup"},
  group = {"resources.azure.com", "v1api20200601", "ResourceGroup"},
  definition = {"authorization.azure.com", "v1api20220401", "RoleDefinition"},
  postgres = {"dbforpostgresql.azure.com", "v20250801", "FlexibleServer"},
  vault = {"keyvault.azure.com", "v1api20230701", "Vault"},
  maria = {"dbformariadb.azure.com", "v1api20180601", "Server"},
  container = {"documentdb.azure.com", "v1api20240815", "SqlDatabaseContainer"},
  trigger = {"documentdb.azure.com", "v1api20240815", "SqlDatabaseContainerTrigger"};

static struct arena *arena;
static struct model *model;

static void close_model(void)
{
    model_close(model);
    arena_free(arena);
}

/* One for all tests, until the end of the program. */
static struct model *the_model(void)
{
    AUTO_ERR e = {0};

    if (!model) {
        arena = arena_new();
        assert_ok(model_open(arena, STR_NONE, &model, &e), &e);
        atexit(close_model);
    }
    return model;
}

static struct detect *start(struct arena *a, const struct kind *kind)
{
    const struct model_resource *res = NULL;
    AUTO_ERR e = {0};

    assert_ok(model_find(the_model(), str_c(kind->group), str_c(kind->version), str_c(kind->kind),
                         &res, &e),
              &e);
    return detect_new(a, the_model(), res, STR("key"));
}

/* ---- Rules. ---------------------------------------------------------------------------------- */

/* What one rule makes alike. */
static const struct {
    enum detect_rule rule;
    const struct kind *kind;
    const char *wanted, *found;
} alike[] = {
    {DETECT_EMPTY, &group, "{'location':'x'}", "{'location':'x','tags':{},'managedBy':null}"},
    {DETECT_EMPTY, &group, "{'location':'x','tags':{}}", "{'location':'x'}"},
    {DETECT_EMPTY, &redis, "{'properties':{'shardCount':null}}", "{'properties':{'sku':{}}}"},
    {DETECT_NEVER, &group, "{'name':'a'}", "{'name':'p/a'}"},
    {DETECT_KEY_CASE, &redis, "{'properties':{'redisVersion':'6'}}",
     "{'properties':{'RedisVersion':'6'}}"},
    {DETECT_KEY_CASE, &group, "{'tags':{'Owner':'x'}}", "{'tags':{'owner':'x'}}"},
    {DETECT_ENUM, &redis,
     "{'properties':{'minimumTlsVersion':'1.2','publicNetworkAccess':'enabled'}}",
     "{'properties':{'minimumTlsVersion':'1.2','publicNetworkAccess':'Enabled'}}"},
    {DETECT_ID, &server, "{'properties':{'primaryUserAssignedIdentityId':'" ID "'}}",
     "{'properties':{'primaryUserAssignedIdentityId':'" LOWER "/'}}"},
    {DETECT_ID, &server, "{'identity':{'userAssignedIdentities':{'" ID "':{}}}}",
     "{'identity':{'userAssignedIdentities':{'" LOWER "':{'clientId':'c'}}}}"},
    {DETECT_ROLE, &role, "{'properties':{'roleDefinitionId':'" ROLE "'}}",
     "{'properties':{'roleDefinitionId':'" SUB ROLE "'}}"},
    {DETECT_GUID, &role, "{'properties':{'principalId':'AAAAAAAA-0000-0000-0000-000000000000'}}",
     "{'properties':{'principalId':'aaaaaaaa-0000-0000-0000-000000000000'}}"},
    {DETECT_LOCATION, &redis, "{'location':'westus2'}", "{'location':'West US 2'}"},
    {DETECT_LOCATION, &account, "{'properties':{'locations':[{'locationName':'australiaeast'}]}}",
     "{'properties':{'locations':[{'locationName':'Australia East'}]}}"},
    {DETECT_LOCATION, &subnet,
     "{'properties':{'serviceEndpoints':[{'service':'s','locations':['westus2']}]}}",
     "{'properties':{'serviceEndpoints':[{'service':'s','locations':['West US 2']}]}}"},
    {DETECT_SKU, &cluster,
     "{'properties':{'agentPoolProfiles':[{'name':'a','vmSize':'Standard_DS2_v2'}]}}",
     "{'properties':{'agentPoolProfiles':[{'name':'a','vmSize':'standard_ds2_v2'}]}}"},
    {DETECT_NUMBER, &redis, "{'properties':{'shardCount':1}}",
     "{'properties':{'shardCount':'1.0'}}"},
    {DETECT_XML, &fragment, "{'properties':{'value':'<a><b x=\\'1\\' /></a>'}}",
     "{'properties':{'value':'<a>\\n  <b x=\\'1\\'/>\\n</a>'}}"},
};

static size_t differences(struct arena *a, struct detect *d, const char *wanted, const char *found)
{
    const struct value *x = detect_wanted(d, fixture_json(a, wanted));
    const struct value *y = detect_found(d, fixture_json(a, found), x);

    return detect_learn(d, x, y).count;
}

static void test_a_rule_makes_alike_and_can_be_switched_off(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(alike); i++) {
        AUTO_ARENA a = arena_new();
        struct detect *d = start(a, alike[i].kind);
        size_t with = differences(a, d, alike[i].wanted, alike[i].found);
        if (with)
            fail_msg("rule %d: case %zu has %zu differences", alike[i].rule, i, with);
        d->off |= UINT32_C(1) << alike[i].rule;
        if (!differences(a, d, alike[i].wanted, alike[i].found))
            fail_msg("rule %d: case %zu does not need it", alike[i].rule, i);
    }
}

/* ---- News. ----------------------------------------------------------------------------------- */

#define BASE "'location':'westus2','properties':{'redisVersion':'6'"
#define ROUTES(x) "{'properties':{'routes':[" x "]}}"
#define ROUTE(name, prefix)                                                                        \
    "{'name':'" name "','etag':'e" prefix "','properties':{'addressPrefix':'" prefix "'}}"

static const struct {
    const struct kind *kind;
    const char *put, *first, *now;
    const char *news; /* one line each */
} looks[] = {
    /* Nothing, read-only members, and what the record knows. */
    {&redis, "{" BASE "}}", "{" BASE ",'port':1}}", "{" BASE ",'port':2}}", ""},
    {&redis, "{" BASE "}}", "{" BASE ",'publicNetworkAccess':'Enabled'}}",
     "{" BASE ",'publicNetworkAccess':'Enabled'}}", ""},
    /* Below what the model has no member for, only what is sent counts. */
    {&security, "{'properties':{'securityRules':[{'name':'a','properties':{'priority':1}}]}}",
     "{'properties':{'securityRules':[{'name':'a','properties':{'priority':1}}],'resourceGuid':'1',"
     "'defaultSecurityRules':[{'name':'d','etag':'1'}]}}",
     "{'properties':{'securityRules':[{'name':'a','properties':{'priority':1}}],'resourceGuid':'2',"
     "'defaultSecurityRules':[{'name':'d','etag':'2','properties':{}}]}}",
     ""},
    /* Neighbours, and keys that look like paths. */
    {&redis, "{" BASE "}}", "{" BASE ",'publicNetworkAccess':'Enabled','minimumTlsVersion':'1.2'}}",
     "{" BASE ",'publicNetworkAccess':'Enabled','minimumTlsVersion':'1.0'}}",
     "changed properties.minimumTlsVersion\n"},
    {&group, "{'location':'x','tags':{'z':'1'}}",
     "{'location':'x','tags':{'z':'1','p.q':'1','q':'2','[0].r':'3','p':'4'}}",
     "{'location':'x','tags':{'z':'1','p.q':'1','q':'2','[0].r':'3','p':'5'}}", "changed tags.p\n"},
    /* A member that was set, one left to Azure, one that vanished, one that appeared. */
    {&redis, "{" BASE "}}", "{" BASE "}}",
     "{'location':'westus2','properties':{'redisVersion':'4'}}",
     "changed properties.redisVersion\n"},
    {&redis, "{" BASE "}}", "{" BASE ",'publicNetworkAccess':'Enabled'}}",
     "{" BASE ",'publicNetworkAccess':'Disabled'}}", "changed properties.publicNetworkAccess\n"},
    {&redis, "{" BASE "}}", "{" BASE ",'publicNetworkAccess':'Enabled'}}", "{" BASE "}}",
     "missing properties.publicNetworkAccess\n"},
    {&redis, "{" BASE "}}", "{" BASE "}}", "{" BASE "},'tags':{'a':'b'}}", "added tags\n"},
    /* A tag is compared letter by letter, also one that looks like an id. */
    {&group, "{'tags':{'a':'" ID "'}}", "{'tags':{'a':'" ID "'}}", "{'tags':{'a':'" LOWER "'}}",
     "changed tags.a\n"},
    /* A value that Azure replaced is known; another one is news, the wanted one is not. */
    {&redis, "{'properties':{'redisVersion':'6'}}", "{'properties':{'redisVersion':'6.0'}}",
     "{'properties':{'redisVersion':'6.0'}}", ""},
    {&redis, "{'properties':{'redisVersion':'6'}}", "{'properties':{'redisVersion':'6.0'}}",
     "{'properties':{'redisVersion':'7.0'}}", "changed properties.redisVersion\n"},
    {&redis, "{'properties':{'redisVersion':'6'}}", "{'properties':{'redisVersion':'6.0'}}",
     "{'properties':{'redisVersion':'6'}}", ""},
    {&redis, "{'properties':{'redisVersion':'6'}}", "{'properties':{}}",
     "{'properties':{'redisVersion':'6'}}", ""},
    /* Lists of texts: one difference, and their order counts. */
    {&network, "{'properties':{'addressSpace':{'addressPrefixes':['a','b']}}}",
     "{'properties':{'addressSpace':{'addressPrefixes':['c','a','b']}}}",
     "{'properties':{'addressSpace':{'addressPrefixes':['c','a','b']}}}", ""},
    {&network, "{'properties':{'addressSpace':{'addressPrefixes':['a','b']}}}",
     "{'properties':{'addressSpace':{'addressPrefixes':['a','b']}}}",
     "{'properties':{'addressSpace':{'addressPrefixes':['b','a']}}}",
     "reordered properties.addressSpace.addressPrefixes\n"},
    {&network, "{'properties':{'addressSpace':{'addressPrefixes':['a']}}}",
     "{'properties':{'addressSpace':{'addressPrefixes':['b','a']}}}",
     "{'properties':{'addressSpace':{'addressPrefixes':['a']}}}", ""},
    {&network, "{'properties':{'addressSpace':{'addressPrefixes':['a']}}}",
     "{'properties':{'addressSpace':{'addressPrefixes':['b','a']}}}",
     "{'properties':{'addressSpace':{'addressPrefixes':['b']}}}",
     "changed properties.addressSpace.addressPrefixes\n"},
    /* Children: new ones are no news, changes of those that were there are. */
    {&table, "{'location':'x'}", "{'location':'x'}",
     "{'location':'x','properties':{'routes':[" ROUTE("a", "10.0.0.0/8") "]}}", ""},
    {&table, ROUTES(ROUTE("a", "1") "," ROUTE("b", "2")),
     ROUTES(ROUTE("a", "1") "," ROUTE("b", "2")),
     ROUTES(ROUTE("b", "2") "," ROUTE("a", "1") "," ROUTE("c", "3")), ""},
    {&table, "{}", ROUTES(ROUTE("a", "1")), ROUTES(ROUTE("a", "2")),
     "changed properties.routes[name=a].properties.addressPrefix\n"},
    {&table, "{}", ROUTES(ROUTE("a", "1") "," ROUTE("b", "2")), ROUTES(ROUTE("a", "1")),
     "missing properties.routes[name=b]\n"},
    /* A secret comes back masked: known, and another mask is news. */
    {&server, "{'properties':{'administratorLoginPassword':'p'}}", "{'properties':{}}",
     "{'properties':{}}", ""},
    {&server, "{'properties':{'administratorLoginPassword':'p','version':'12'}}", "{}", "{}", ""},
    {&server, "{'properties':{'administratorLoginPassword':'p','version':'12'}}", "{}",
     "{'properties':{'version':'13'}}", "added properties\n"},
};

static str news_of(struct arena *a, const struct deviations *f)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < f->count; i++)
        buf_fmt(&b, "%s %.*s\n", difference_kind_name(f->items[i].kind), STR_ARG(f->items[i].path));
    return buf_str(&b);
}

/* What a status keeps of a record, read back. */
static struct record kept(struct arena *a, const struct record *r)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);
    struct source *src = ARENA_NEW(a, struct source);
    struct record back;
    struct value *v;

    assert_true(json_write(&b, record_write(a, r), &json_exact, NULL));
    src->text = buf_str(&b);
    assert_true(json_read(a, src, NULL, &v, NULL));
    assert_true(record_read(a, v, &back));
    return back;
}

static void test_what_is_new(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(looks); i++) {
        AUTO_ARENA a = arena_new();
        struct detect *d = start(a, looks[i].kind);
        const struct value *wanted = detect_wanted(d, fixture_json(a, looks[i].put));
        struct record learned =
            detect_learn(d, wanted, detect_found(d, fixture_json(a, looks[i].first), wanted));
        struct record r = kept(a, &learned);
        struct deviations f =
            detect_compare(d, &r, wanted, detect_found(d, fixture_json(a, looks[i].now), wanted));
        str got = news_of(a, &f);
        if (!str_eq(got, str_c(looks[i].news)))
            fail_msg("case %zu: got\n%.*swant\n%s", i, STR_ARG(got), looks[i].news);
    }
}

/* ---- Causes. --------------------------------------------------------------------------------- */

#define MARIA(more) "{'properties':{" more "'createMode':'Default'}}"

static const struct {
    const struct kind *kind;
    const char *put, *first, *cause;
} causes[] = {
    {&redis, "{'properties':{}}", "{'properties':{'redisVersion':'6'}}", "defaulted"},
    {&group, "{'tags':{'a':'b'}}", "{'tags':{'a':'b','c':'d'}}", "extended"},
    {&network, "{'properties':{'addressSpace':{'addressPrefixes':['a']}}}",
     "{'properties':{'addressSpace':{'addressPrefixes':['b','a']}}}", "extended"},
    {&server, "{'properties':{'administratorLoginPassword':'p'}}", "{}", "hidden"},
    {&redis, "{'properties':{'redisVersion':'6'}}", "{'properties':{}}", "dropped"},
    {&server, "{'properties':{'administratorLoginPassword':'p','version':'12'}}",
     "{'properties':{'version':'12'}}", "hidden"},
    {&redis, "{'properties':{'redisVersion':'6'}}", "{'properties':{'redisVersion':'6.0'}}",
     "normalised"},
    {&redis, "{'properties':{'subnetId':'x/'}}", "{'properties':{'subnetId':' X'}}", "normalised"},
    {&redis, "{'properties':{'redisVersion':'6'}}", "{'properties':{'redisVersion':'7'}}",
     "replaced"},
    /* The published types say that it is only written; one that is shown counts. */
    {&vault, "{'properties':{'createMode':'default'}}", "{}", "hidden"},
    {&postgres, "{'properties':{'createMode':'Create','version':'16'}}",
     "{'properties':{'version':'16'}}", "hidden"},
    {&postgres, "{'properties':{'createMode':'Create'}}", "{'properties':{'createMode':'Update'}}",
     "replaced"},
    /* Children are where their parents are. */
    {&container, "{'location':'westus2'}", "{}", "hidden"},
    {&trigger, "{'location':'westus2'}", "{}", "hidden"},
    {&trigger, "{'location':'westus2'}", "{'location':'eastus'}", "replaced"},
    {&account, "{'location':'westus2'}", "{}", "dropped"},
    /* A secret of a variant; a member of one that can be read. */
    {&maria, MARIA("'administratorLoginPassword':'p',"), MARIA(""), "hidden"},
    {&maria, MARIA("'version':'10.3',"), MARIA(""), "dropped"},
};

static void test_a_known_difference_has_a_cause(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(causes); i++) {
        AUTO_ARENA a = arena_new();
        struct detect *d = start(a, causes[i].kind);
        const struct value *wanted = detect_wanted(d, fixture_json(a, causes[i].put));
        struct record r =
            detect_learn(d, wanted, detect_found(d, fixture_json(a, causes[i].first), wanted));
        if (r.count != 1 || strcmp(detect_cause_name(r.items[0].cause), causes[i].cause) != 0)
            fail_msg("case %zu: %zu differences, %s", i, r.count,
                     r.count ? detect_cause_name(r.items[0].cause) : "");
    }
}

static void test_no_secret_is_kept(void **state)
{
    AUTO_ARENA a = arena_new();
    struct detect *d = start(a, &server);
    const struct value *wanted = detect_wanted(
        d, fixture_json(a, "{'properties':{'administratorLoginPassword':'hunter2'}}"));
    struct record r = detect_learn(
        d, wanted,
        detect_found(d, fixture_json(a, "{'properties':{'administratorLoginPassword':'hunter3'}}"),
                     wanted));
    struct buf b = buf_new(a, BUF_UNLIMITED);

    (void)state;
    assert_int_equal(r.count, 1);
    assert_true(json_write(&b, record_write(a, &r), &json_exact, NULL));
    assert_false(str_contains(buf_str(&b), STR("hunter")));
    assert_true(str_contains(buf_str(&b), STR("sha256:")));
}

/* A member that Azure is not expected to show, and shows after all. */
static void test_what_is_hidden_is_kept_as_a_digest(void **state)
{
    AUTO_ARENA a = arena_new();
    struct detect *d = start(a, &logger);
    const char *shown = "{'properties':{'credentials':{'instrumentationKey':'{{shown}}'}}}";
    const struct value *wanted = detect_wanted(
        d, fixture_json(a, "{'properties':{'credentials':{'instrumentationKey':'hunter2'}}}"));
    struct record r = detect_learn(d, wanted, detect_found(d, fixture_json(a, shown), wanted));
    struct buf b = buf_new(a, BUF_UNLIMITED);

    (void)state;
    assert_int_equal(r.count, 1);
    assert_true(json_write(&b, record_write(a, &r), &json_exact, NULL));
    assert_false(str_contains(buf_str(&b), STR("shown")));
    assert_false(str_contains(buf_str(&b), STR("hunter2")));
    struct record known = kept(a, &r);
    assert_int_equal(
        detect_compare(d, &known, wanted, detect_found(d, fixture_json(a, shown), wanted)).count,
        0);
}

static void test_long_values_are_kept_as_digests(void **state)
{
    AUTO_ARENA a = arena_new();
    struct detect *d = start(a, &fragment);
    char *text = arena_alloc(a, 3000);
    memset(text, 'x', 2999);
    char *put = str_z(a, str_fmt(a, "{'properties':{'description':'%s'}}", text));
    text[100] = 'y';
    char *first = str_z(a, str_fmt(a, "{'properties':{'description':'%s'}}", text));
    text[101] = 'z';
    char *other = str_z(a, str_fmt(a, "{'properties':{'description':'%s'}}", text));
    const struct value *wanted = detect_wanted(d, fixture_json(a, put));
    struct record learned =
        detect_learn(d, wanted, detect_found(d, fixture_json(a, first), wanted));
    struct record r = kept(a, &learned);

    (void)state;
    assert_int_equal(r.count, 1);
    assert_null(r.items[0].found);
    assert_true(r.items[0].digest.len > 0);
    assert_int_equal(r.items[0].length, 3001);
    assert_int_equal(
        detect_compare(d, &r, wanted, detect_found(d, fixture_json(a, first), wanted)).count, 0);
    assert_int_equal(
        detect_compare(d, &r, wanted, detect_found(d, fixture_json(a, other), wanted)).count, 1);
}

/* ---- Another payload. ------------------------------------------------------------------------ */

static const struct {
    const char *put, *first, *next;
    bool satisfied;
} payloads[] = {
    {"{'properties':{}}", "{'properties':{'redisVersion':'6'}}",
     "{'properties':{'redisVersion':'6'}}", true},
    {"{'properties':{}}", "{'properties':{'redisVersion':'6'}}",
     "{'properties':{'redisVersion':'7'}}", false},
    {"{'properties':{'redisVersion':'6'}}", "{'properties':{'redisVersion':'6'}}",
     "{'properties':{}}", false},
    /* A wish that was not granted is asked for again. */
    {"{'properties':{'redisVersion':'6'}}", "{'properties':{'redisVersion':'7','shardCount':1}}",
     "{'properties':{'redisVersion':'6','shardCount':1}}", false},
};

static void test_another_payload(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(payloads); i++) {
        AUTO_ARENA a = arena_new();
        struct detect *d = start(a, &redis);
        const struct value *wanted = detect_wanted(d, fixture_json(a, payloads[i].put));
        struct record r =
            detect_learn(d, wanted, detect_found(d, fixture_json(a, payloads[i].first), wanted));
        const struct value *next = detect_wanted(d, fixture_json(a, payloads[i].next));
        const struct value *found = detect_found(d, fixture_json(a, payloads[i].first), next);
        struct deviations f = detect_compare(d, NULL, next, found);
        deviations_keep_set(&f);
        if (!f.count)
            f = detect_compare(d, &r, next, found);
        if ((f.count == 0) != payloads[i].satisfied)
            fail_msg("case %zu: %zu findings", i, f.count);
    }
}

/* ---- Adoption. ------------------------------------------------------------------------------- */

static const struct {
    const struct kind *kind;
    const char *wanted, *found;
    bool same;
} adoptions[] = {
    {&group, "{'location':'West US 2'}", "{'location':'westus2','tags':{}}", true},
    {&group, "{'location':'westus2'}", "{'location':'eastus'}", false},
    {&group, "{'tags':{}}", "{}", true},
    {&group, "{'tags':{'a':'b'}}", "{'tags':{'a':'c'}}", false},
    {&group, "{'tags':{'a':'b'}}", "{}", false},
    {&group, "{'managedBy':'" GROUP "'}", "{'managedBy':'" GROUP "/'}", true},
    {&group, "{'location':'westus2'}", "{'location':'westus2','properties':{'x':1}}", true},
    {&server, "{'properties':{'administratorLoginPassword':'p'}}", "{}", true},
    {&maria, MARIA("'administratorLoginPassword':'p',"), MARIA(""), true},
    {&vault, "{'properties':{'createMode':'default'}}", "{}", true},
    {&postgres, "{'properties':{'createMode':'Create','version':'16'}}",
     "{'properties':{'version':'16'}}", true},
    {&postgres, "{'properties':{'createMode':'Create'}}", "{'properties':{'createMode':'Update'}}",
     false},
    {&definition, "{'properties':{'type':'customRole'}}", "{'properties':{'type':'CustomRole'}}",
     true},
    {&trigger, "{'location':'westus2'}", "{}", true},
    {&trigger, "{'location':'westus2'}", "{'location':'eastus'}", false},
    {&account, "{'location':'westus2'}", "{}", false},
    {&network, "{'properties':{'addressSpace':{'addressPrefixes':['a']}}}",
     "{'properties':{'addressSpace':{'addressPrefixes':['a','b']}}}", true},
};

static void test_without_a_record_only_what_was_set_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(adoptions); i++) {
        AUTO_ARENA a = arena_new();
        struct detect *d = start(a, adoptions[i].kind);
        const struct value *wanted = detect_wanted(d, fixture_json(a, adoptions[i].wanted));
        struct deviations f = detect_compare(
            d, NULL, wanted, detect_found(d, fixture_json(a, adoptions[i].found), wanted));
        deviations_keep_set(&f);
        if ((f.count == 0) != adoptions[i].same)
            fail_msg("case %zu: %zu findings", i, f.count);
    }
}

/* ---- Convergence. ---------------------------------------------------------------------------- */

static struct deviations look_at(struct arena *a, struct detect *d, const char *put,
                                 const char *first, const char *now)
{
    const struct value *wanted = detect_wanted(d, fixture_json(a, put));
    struct record r = detect_learn(d, wanted, detect_found(d, fixture_json(a, first), wanted));

    return detect_compare(d, &r, wanted, detect_found(d, fixture_json(a, now), wanted));
}

#define SHARDS(n) "{'properties':{'shardCount':" n "}}"

static void test_the_same_pair_is_a_reason_twice(void **state)
{
    AUTO_ARENA a = arena_new();
    struct detect *d = start(a, &redis);
    struct deviations f = look_at(a, d, SHARDS("1"), SHARDS("1"), SHARDS("2"));
    struct deviations g = look_at(a, d, SHARDS("1"), SHARDS("1"), SHARDS("3"));
    struct guard guard = {0};

    (void)state;
    assert_false(guard_holds(d, &guard, &f.items[0]));
    guard_count(d, &guard, &f);
    assert_false(guard_holds(d, &guard, &f.items[0]));
    guard_count(d, &guard, &f);
    assert_true(guard_holds(d, &guard, &f.items[0]));
    assert_false(guard_holds(d, &guard, &g.items[0]));
    guard_read(a, guard_write(a, &guard), &guard);
    assert_true(guard_holds(d, &guard, &f.items[0]));
    guard_count(d, &guard, &g);
    assert_true(guard_holds(d, &guard, &g.items[0])); /* the third PUT for this path */
}

static void test_what_is_held_shows_while_it_is_there(void **state)
{
    AUTO_ARENA a = arena_new();
    struct detect *d = start(a, &redis);
    struct deviations f = look_at(a, d, SHARDS("1"), SHARDS("1"), SHARDS("2"));
    const struct value *wanted = detect_wanted(d, fixture_json(a, SHARDS("1")));
    const struct deviations none = {0};
    struct guard guard = {0};

    (void)state;
    guard_count(d, &guard, &f);
    guard_count(d, &guard, &f);
    assert_int_equal(
        guard_stuck(d, &guard, &none, wanted, detect_found(d, fixture_json(a, SHARDS("2")), wanted))
            .count,
        1);
    assert_int_equal(
        guard_stuck(d, &guard, &none, wanted, detect_found(d, fixture_json(a, SHARDS("1")), wanted))
            .count,
        0);
}

/* ---- Sharing. -------------------------------------------------------------------------------- */

#define POOLS(count, on)                                                                           \
    "{'properties':{'agentPoolProfiles':[{'name':'a','count':" count ",'enableAutoScaling':" on    \
    "}]}}"

static const struct {
    const struct kind *kind;
    const char *ignore, *additive, *put, *first, *now;
    size_t news;
} shares[] = {
    {&group, "", "", "{'tags':{'a':'b'}}", "{'tags':{'a':'b'}}", "{'tags':{'a':'b','c':'d'}}", 1},
    {&group, "", "tags", "{'tags':{'a':'b'}}", "{'tags':{'a':'b'}}", "{'tags':{'a':'b','c':'d'}}",
     0},
    {&group, "", "tags", "{'tags':{'a':'b'}}", "{'tags':{'a':'b'}}", "{'tags':{'a':'x'}}", 1},
    {&group, "location, tags.a", "", "{'tags':{'a':'b'}}", "{'tags':{'a':'b'}}",
     "{'tags':{'a':'x'}}", 0},
    {&network, "", "properties.addressSpace.addressPrefixes",
     "{'properties':{'addressSpace':{'addressPrefixes':['a']}}}",
     "{'properties':{'addressSpace':{'addressPrefixes':['a']}}}",
     "{'properties':{'addressSpace':{'addressPrefixes':['b','a']}}}", 0},
    {&cluster, "", "", POOLS("1", "true"), POOLS("1", "true"), POOLS("5", "true"), 0},
    {&cluster, "", "", POOLS("1", "false"), POOLS("1", "false"), POOLS("5", "false"), 1},
    {&cluster, "properties.agentPoolProfiles.*.count", "", POOLS("1", "false"), POOLS("1", "false"),
     POOLS("5", "false"), 0},
};

static void test_others_may_change_what_is_shared(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(shares); i++) {
        AUTO_ARENA a = arena_new();
        struct detect *d = start(a, shares[i].kind);
        struct sharing s = sharing_read(a, str_c(shares[i].ignore), str_c(shares[i].additive));
        struct deviations f = look_at(a, d, shares[i].put, shares[i].first, shares[i].now);
        const struct value *wanted = detect_wanted(d, fixture_json(a, shares[i].put));
        deviations_drop_shared(d, &f, &s, detect_found(d, fixture_json(a, shares[i].now), wanted));
        if (f.count != shares[i].news)
            fail_msg("case %zu: %zu findings", i, f.count);
    }
}

static void test_a_put_carries_what_is_shared(void **state)
{
    AUTO_ARENA a = arena_new();
    struct detect *d = start(a, &cluster);
    struct sharing none = {0};
    const struct value *payload = fixture_json(a, POOLS("1", "true"));
    const struct value *wanted = detect_wanted(d, payload);
    const struct value *found = detect_found(d, fixture_json(a, POOLS("5", "true")), wanted);

    (void)state;
    assert_json(a, sharing_carry(d, &none, payload, wanted, found), POOLS("5", "true"));
}

static void test_records_of_others_are_rejected(void **state)
{
    static const char *const bad[] = {"{}", "[1]", "[{'path':'a'}]",
                                      "[{'path':'a','kind':'added','cause':'magic'}]"};
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        AUTO_ARENA a = arena_new();
        struct record r;
        assert_false(record_read(a, fixture_json(a, bad[i]), &r));
    }
}

static void test_a_new_member_is_no_entry(void **state)
{
    AUTO_ARENA a = arena_new();
    struct detect *d = start(a, &account);
    static const struct {
        const char *path;
        bool member;
    } cases[] = {{"properties.allowCrossTenantReplication", true},
                 {"properties.networkAcls", true},
                 {"tags", false},
                 {"tags.who", false},
                 {"identity.userAssignedIdentities.x", false},
                 {"properties.networkAcls.ipRules[0]", false}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct deviation f = {.path = str_c(cases[i].path), .kind = DIFFERENCE_ADDED};
        assert_int_equal(deviation_is_new_member(d, &f), cases[i].member);
        f.wanted = value_null(a);
        assert_false(deviation_is_new_member(d, &f));
    }
}

static void test_a_new_member_of_a_variant(void **state)
{
    AUTO_ARENA a = arena_new();
    struct detect *d = start(a, &maria);
    struct deviation f = {.path = STR("properties.storageProfile.new"), .kind = DIFFERENCE_ADDED};

    (void)state;
    assert_true(deviation_is_new_member(d, &f));
    f.path = STR("properties.storageProfile.storageMB.new");
    assert_false(deviation_is_new_member(d, &f));
}

/* A child shows in what nobody set, but never in tags. */
static void test_the_work_of_a_child(void **state)
{
    AUTO_ARENA a = arena_new();
    struct detect *d = start(a, &table);
    const struct value *wanted = detect_wanted(d, fixture_json(a, "{'location':'x'}"));
    struct record r = detect_learn(d, wanted, wanted);

    (void)state;
    struct deviations f = detect_compare(
        d, &r, wanted,
        detect_found(d,
                     fixture_json(a, "{'location':'x','tags':{'who':'eve'},'properties':"
                                     "{'disableBgpRoutePropagation':true}}"),
                     wanted));
    assert_int_equal(f.count, 2);
    deviations_drop_child_write(&f);
    assert_str(news_of(a, &f), STR("added tags\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_rule_makes_alike_and_can_be_switched_off),
        cmocka_unit_test(test_what_is_new),
        cmocka_unit_test(test_a_known_difference_has_a_cause),
        cmocka_unit_test(test_no_secret_is_kept),
        cmocka_unit_test(test_what_is_hidden_is_kept_as_a_digest),
        cmocka_unit_test(test_long_values_are_kept_as_digests),
        cmocka_unit_test(test_another_payload),
        cmocka_unit_test(test_without_a_record_only_what_was_set_counts),
        cmocka_unit_test(test_the_same_pair_is_a_reason_twice),
        cmocka_unit_test(test_what_is_held_shows_while_it_is_there),
        cmocka_unit_test(test_others_may_change_what_is_shared),
        cmocka_unit_test(test_a_put_carries_what_is_shared),
        cmocka_unit_test(test_records_of_others_are_rejected),
        cmocka_unit_test(test_a_new_member_of_a_variant),
        cmocka_unit_test(test_the_work_of_a_child),
        cmocka_unit_test(test_a_new_member_is_no_entry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
