/* SPDX-License-Identifier: Apache-2.0 */
/* test_refusals.c - what is rejected: resources in use, locked, unknown or missing; and in which
 * form. */
#include "sim_world.h"

#define NETWORK GROUP "/providers/Microsoft.Network"
#define SUBNET NETWORK "/virtualNetworks/v/subnets/s"
#define NIC NETWORK "/networkInterfaces/n"
#define NIC_BODY                                                                                   \
    "{\"location\":\"westus2\",\"properties\":{\"ipConfigurations\":[{\"name\":\"i\","             \
    "\"properties\":{\"subnet\":{\"id\":\"" SUBNET "\"}}}]}}"
#define ODD GROUP "/providers/Example.Odd/things/x"
#define DAY (86400 * NS_PER_SEC)

static struct world w;

static struct world begin_with(const char *preset)
{
    struct sim_config config = sim_defaults();
    AUTO_ERR e = {0};

    config.virtual_time = true;
    assert_ok(sim_preset(&config, str_c(preset), &e), &e);
    struct world made = begin(&config);
    ask_url(&made, "PUT", STR(GROUP "?api-version=2020-06-01"), STR("{\"location\":\"westus2\"}"));
    return made;
}

static int start(void **state)
{
    (void)state;
    w = begin_with("azure");
    return 0;
}

static int stop(void **state)
{
    (void)state;
    end(&w);
    return 0;
}

static void put(const char *path, const char *body)
{
    assert_in_range(ask(&w, "PUT", path, body), 200, 202);
    sim_advance(w.s, DAY);
}

static str message(void)
{
    return value_get_str(value_get(w.body, STR("error")), STR("message"));
}

/* ---- In use. ---- */

TEST(what_others_refer_to_cannot_be_deleted)
{
    put(NETWORK "/virtualNetworks/v", "{\"location\":\"westus2\"}");
    put(SUBNET, "{\"properties\":{\"addressPrefix\":\"10.0.0.0/24\"}}");
    put(NIC, NIC_BODY);
    assert_int_equal(ask(&w, "DELETE", SUBNET, ""), 400);
    assert_str(code(&w), STR("InUseSubnetCannotBeDeleted"));
    assert_true(str_contains(message(), STR(NIC)));
    assert_int_equal(ask(&w, "DELETE", NETWORK "/virtualNetworks/v", ""), 400);
    ask(&w, "DELETE", NIC, "");
    /* It is in use until it is gone. */
    assert_int_equal(ask(&w, "DELETE", SUBNET, ""), 400);
    sim_advance(w.s, DAY);
    assert_int_equal(ask(&w, "DELETE", SUBNET, ""), 202);
}

TEST(what_has_children_of_some_types_cannot_be_deleted)
{
    put(NETWORK "/privateDnsZones/z", "{\"location\":\"global\"}");
    put(NETWORK "/privateDnsZones/z/A/a", "{\"properties\":{\"ttl\":60}}");
    put(NETWORK "/privateDnsZones/z/virtualNetworkLinks/l", "{\"location\":\"global\"}");
    assert_int_equal(ask(&w, "DELETE", NETWORK "/privateDnsZones/z", ""), 409);
    assert_str(code(&w), STR("CannotDeleteResource"));
    assert_true(str_contains(message(), STR("virtualNetworkLinks/l")));
    ask(&w, "DELETE", NETWORK "/privateDnsZones/z/virtualNetworkLinks/l", "");
    sim_advance(w.s, DAY);
    assert_int_equal(ask(&w, "DELETE", NETWORK "/privateDnsZones/z", ""), 202);
}

TEST(a_group_takes_along_what_is_in_use)
{
    put(NETWORK "/virtualNetworks/v", "{\"location\":\"westus2\"}");
    put(SUBNET, "{\"properties\":{\"addressPrefix\":\"10.0.0.0/24\"}}");
    put(NIC, NIC_BODY);
    assert_int_equal(ask(&w, "DELETE", GROUP, ""), 202);
    sim_advance(w.s, DAY);
    assert_int_equal(ask(&w, "GET", SUBNET, ""), 404);
}

TEST(a_lock_keeps_what_it_is_on_and_all_around_it)
{
    put(ODD, "{}");
    put(ODD "/providers/Microsoft.Authorization/locks/l",
        "{\"properties\":{\"level\":\"CanNotDelete\"}}");
    assert_int_equal(ask(&w, "DELETE", ODD, ""), 409);
    assert_str(code(&w), STR("ScopeLocked"));
    assert_int_equal(ask(&w, "DELETE", GROUP, ""), 409);
    ask(&w, "DELETE", ODD "/providers/Microsoft.Authorization/locks/l", "");
    sim_advance(w.s, DAY);
    assert_int_equal(ask(&w, "DELETE", ODD, ""), 200);
}

TEST(siblings_may_have_to_wait_for_each_other)
{
    add_types(&w, "{\"types\":{\"Example.Odd/things/parts\":{\"exclusiveSiblings\":true,"
                  "\"create\":{\"status\":201,\"poller\":\"async\",\"polls\":2}}}}");
    put(ODD, "{}");
    assert_int_equal(ask(&w, "PUT", ODD "/parts/a", "{}"), 201);
    assert_int_equal(ask(&w, "PUT", ODD "/parts/b", "{}"), 409);
    assert_str(code(&w), STR("AnotherOperationInProgress"));
    sim_advance(w.s, DAY);
    assert_int_equal(ask(&w, "PUT", ODD "/parts/b", "{}"), 201);
}

/* ---- Forms. ---- */

static const struct {
    const char *shape, *body;
} shape_cases[] = {
    {"error", "{\"error\":{\"code\":\"C\",\"message\":\"x M\",\"details\":[{\"code\":\"D\","
              "\"message\":\"x M\"}]}}"},
    {"flat", "{\"code\":\"C\",\"message\":\"x M\",\"details\":[{\"code\":\"D\","
             "\"message\":\"x M\"}]}"},
    {"both", "{\"error\":{\"code\":\"C\",\"message\":\"x M\",\"details\":[{\"code\":\"D\","
             "\"message\":\"x M\"}]},\"code\":\"C\",\"message\":\"x M\"}"},
    {"upper", "{\"Code\":\"C\",\"Message\":\"x M\",\"Target\":null,\"Details\":[{\"code\":\"D\","
              "\"message\":\"x M\"}],\"Innererror\":null}"},
    {"inner", "{\"error\":{\"code\":\"C\",\"message\":\"x M\",\"innererror\":{\"code\":\"D\"}}}"},
    {"message", "{\"Message\":\"x M\"}"},
    {"number", "{\"code\":418002,\"httpStatusCode\":418,\"message\":\"x M\"}"},
    {"html", "<html><body><h1>x M</h1></body></html>"},
    {"empty", ""},
};

TEST(errors_have_every_recorded_form)
{
    for (size_t i = 0; i < COUNT(shape_cases); i++) {
        str fault = str_fmt(w.a,
                            "{\"kind\":\"fail\",\"status\":418,\"code\":\"C\",\"detail\":\"D\","
                            "\"message\":\"$name M\",\"shape\":\"%s\",\"retryAfter\":60,"
                            "\"retryDate\":true}",
                            shape_cases[i].shape);
        assert_int_equal(ask_url(&w, "POST", STR("/_sim/faults"), fault), 204);
        assert_int_equal(ask(&w, "GET", ODD, ""), 418);
        assert_str(w.r.body, str_c(shape_cases[i].body));
        assert_str(header(&w, "Retry-After"), STR("Thu, 01 Jan 2026 00:01:00 GMT"));
    }
}

TEST(errors_may_be_problems_or_json_in_a_text)
{
    ask_url(&w, "POST", STR("/_sim/faults"),
            STR("faults: [{kind: fail, status: 400, shape: problem, message: M},"
                "{kind: fail, status: 400, shape: text, code: C, message: M}]"));
    ask(&w, "GET", ODD, "");
    assert_str(value_get_str(w.body, STR("title")), STR("M"));
    ask(&w, "GET", ODD, "");
    assert_str(message(), STR("{\"error\":{\"code\":\"C\",\"message\":\"M\"}}"));
}

TEST(types_say_in_their_own_way_that_something_is_missing)
{
    assert_int_equal(ask(&w, "GET", GROUP "/providers/Microsoft.Devices/IotHubs/h", ""), 404);
    int64_t number = 0;
    assert_true(value_to_i64(value_get(w.body, STR("code")), &number) && number == 404002);
    assert_int_equal(ask(&w, "GET", ODD, ""), 404);
    assert_str(code(&w), STR("ResourceNotFound"));
}

/* ---- Vaults. ---- */

#define KEYVAULT SUB "/providers/Microsoft.KeyVault"

TEST(deleted_vaults_are_listed_until_they_are_purged)
{
    put(GROUP "/providers/Microsoft.KeyVault/vaults/kv", "{\"location\":\"westus2\"}");
    ask(&w, "GET", KEYVAULT "/deletedVaults", "");
    assert_int_equal(value_len(value_get(w.body, STR("value"))), 0);
    ask(&w, "DELETE", GROUP "/providers/Microsoft.KeyVault/vaults/kv", "");
    sim_advance(w.s, DAY);
    for (int i = 0; i < 2; i++) {
        ask(&w, "GET", i ? KEYVAULT "/deletedVaults" : KEYVAULT "/locations/westus2/deletedVaults",
            "");
        const struct value *list = value_get(w.body, STR("value"));
        assert_int_equal(value_len(list), 1);
        assert_str(value_get_str(value_get(&list->items[0], STR("properties")), STR("vaultId")),
                   STR(GROUP "/providers/Microsoft.KeyVault/vaults/kv"));
    }
    ask(&w, "GET", KEYVAULT "/locations/eastus/deletedVaults", "");
    assert_int_equal(value_len(value_get(w.body, STR("value"))), 0);
    assert_int_equal(ask(&w, "POST", KEYVAULT "/locations/westus2/deletedVaults/kv/purge", ""),
                     202);
    str location = str_copy(w.a, header(&w, "Location"));
    assert_int_equal(ask_url(&w, "GET", location, STR_NONE), 202);
    assert_int_equal(ask_url(&w, "GET", location, STR_NONE), 204);
    assert_int_equal(ask(&w, "GET", KEYVAULT "/locations/westus2/deletedVaults/kv", ""), 404);
    assert_str(code(&w), STR("DeletedVaultNotFound"));
    put(GROUP "/providers/Microsoft.KeyVault/vaults/kv", "{\"location\":\"westus2\"}");
}

/* ---- Polls. ---- */

TEST(polls_look_as_the_type_says)
{
    add_types(&w, "{\"types\":{\"Example.Odd/things\":{\"create\":{\"status\":202,"
                  "\"poller\":\"async\",\"polls\":4,\"body\":\"started\",\"pollStatus\":202,"
                  "\"running\":[\"Enqueued\",\"Dequeued\"],"
                  "\"operation\":[\"id\",\"error\",\"percentComplete\",\"resourceId\"]}}}}");
    assert_int_equal(ask(&w, "PUT", ODD, "{}"), 202);
    assert_str(value_get_str(w.body, STR("operation")), STR("Upsertthings"));
    str url = str_copy(w.a, header(&w, "Azure-AsyncOperation"));
    static const char *const want[] = {"Enqueued", "Enqueued", "Dequeued", "Dequeued"};
    for (size_t i = 0; i < COUNT(want); i++) {
        assert_int_equal(ask_url(&w, "GET", url, STR_NONE), 202);
        assert_str(value_get_str(w.body, STR("status")), str_c(want[i]));
        assert_true(value_is(value_get(w.body, STR("error")), VALUE_NULL));
    }
    assert_int_equal(ask_url(&w, "GET", url, STR_NONE), 200);
    assert_str(w.r.body, str_fmt(w.a,
                                 "{\"id\":\"%.*s\",\"resourceId\":\"%.*s\","
                                 "\"status\":\"Succeeded\",\"percentComplete\":100,"
                                 "\"error\":null}",
                                 (int)(str_find_char(url, '?') - strlen(BASE)),
                                 url.ptr + strlen(BASE), STR_ARG(str_lower(w.a, STR(ODD)))));
}

TEST(the_last_poll_of_a_location_may_say_201)
{
    add_types(&w, "{\"types\":{\"Example.Odd/things\":{\"create\":{\"status\":202,"
                  "\"poller\":\"location\",\"body\":\"empty\",\"result\":201}}}}");
    ask(&w, "PUT", ODD, "{}");
    str url = str_copy(w.a, header(&w, "Location"));
    assert_int_equal(ask_url(&w, "GET", url, STR_NONE), 202);
    assert_int_equal(ask_url(&w, "GET", url, STR_NONE), 201);
    assert_str(value_get_str(w.body, STR("name")), STR("x"));
}

/* ---- Strict. ---- */

TEST(a_strict_simulator_knows_its_versions)
{
    struct world strict = begin_with("strict");
    static const struct {
        const char *method, *url, *code;
        int status;
    } cases[] = {
        {"PUT", NETWORK "/routeTables/r?api-version=2003-01-01", "NoRegisteredProviderFound", 400},
        {"GET", NETWORK "/routeTables/r?api-version=2003-01-01", "InvalidResourceType", 400},
        {"GET", NETWORK "/roots/r?api-version=2024-03-01", "InvalidResourceType", 404},
        {"GET", ODD "?api-version=2024-03-01", "InvalidResourceNamespace", 404},
        {"GET", NETWORK "/routeTables/r?api-version=2024-03-01", "ResourceNotFound", 404},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(ask_url(&strict, cases[i].method, str_c(cases[i].url),
                                 STR("{\"location\":\"westus2\"}")),
                         cases[i].status);
        assert_str(code(&strict), str_c(cases[i].code));
    }
    ask_url(&strict, "GET", STR(NETWORK "/routeTables/r?api-version=2003-01-01"), STR_NONE);
    assert_true(str_contains(strict.r.body, STR("The supported api-versions are '2")));
    end(&strict);
}

TEST(a_type_may_list_its_versions)
{
    add_types(&w, "{\"types\":{\"Example.Odd/things\":{\"versions\":[\"2020-01-01\"]}}}");
    assert_int_equal(ask(&w, "PUT", ODD, "{}"), 400);
    assert_str(code(&w), STR("NoRegisteredProviderFound"));
    assert_int_equal(ask_url(&w, "PUT", STR(ODD "?api-version=2020-01-01"), STR("{}")), 201);
}

TEST(a_strict_simulator_looks_for_what_is_referred_to)
{
    struct world strict = begin_with("strict");
    str version = STR("?api-version=2024-03-01");

    assert_int_equal(
        ask_url(&strict, "PUT", str_concat(strict.a, STR(NIC), version), STR(NIC_BODY)), 400);
    assert_str(code(&strict), STR("InvalidResourceReference"));
    assert_in_range(
        ask_url(&strict, "PUT", str_concat(strict.a, STR(NETWORK "/virtualNetworks/v"), version),
                STR("{\"location\":\"westus2\",\"properties\":{\"subnets\":[{\"name\":\"s\"}]}}")),
        200, 202);
    sim_advance(strict.s, DAY);
    assert_in_range(ask_url(&strict, "PUT", str_concat(strict.a, STR(NIC), version), STR(NIC_BODY)),
                    200, 202);
    end(&strict);
}

#define BALANCER NETWORK "/loadBalancers/lb"
#define COSMOS GROUP "/providers/Microsoft.DocumentDB/databaseAccounts/cosmos"

/* What a load balancer refers to below itself or another refers to inside of it. */
static const struct {
    const char *reference;
    int status;
} parts[] = {
    {BALANCER "/frontendIPConfigurations/front", 202},
    {BALANCER "/FrontendIPConfigurations/FRONT", 202},
    {BALANCER "/inboundNatPools/pool", 202},
    {BALANCER "/frontendIPConfigurations/other", 400},
    {BALANCER "/pools/front", 400},
    {NETWORK "/loadBalancers/other/frontendIPConfigurations/front", 400},
    {COSMOS "/sqlRoleDefinitions/00000000-0000-0000-0000-000000000002", 202},
    {COSMOS "/sqlRoleDefinitions/00000000-0000-0000-0000-000000000003", 400},
    {COSMOS "x/sqlRoleDefinitions/00000000-0000-0000-0000-000000000002", 400},
};

TEST(a_strict_simulator_knows_parts_of_bodies_and_what_is_built_in)
{
    struct world strict = begin_with("strict");

    assert_in_range(
        ask_url(&strict, "PUT", STR(BALANCER "?api-version=2024-03-01"),
                STR("{\"location\":\"westus2\",\"properties\":{\"frontendIPConfigurations\":["
                    "{\"name\":\"front\"}],\"inboundNatPools\":[{\"name\":\"pool\"}]}}")),
        200, 202);
    assert_in_range(ask_url(&strict, "PUT", STR(COSMOS "?api-version=2021-05-15"),
                            STR("{\"location\":\"westus2\"}")),
                    200, 202);
    sim_advance(strict.s, DAY);
    for (size_t i = 0; i < COUNT(parts); i++) {
        str body = str_fmt(strict.a, "{\"location\":\"westus2\",\"properties\":{\"x\":\"%s\"}}",
                           parts[i].reference);
        int got =
            ask_url(&strict, "PUT", STR(NETWORK "/routeTables/r?api-version=2024-03-01"), body);
        if ((got >= 400) != (parts[i].status >= 400))
            fail_msg("%s: %d", parts[i].reference, got);
        sim_advance(strict.s, DAY);
    }
    assert_int_equal(ask_url(&strict, "GET",
                             STR(COSMOS "/sqlRoleDefinitions/00000000-0000-0000-0000-000000000001"
                                        "?api-version=2021-05-15"),
                             STR_NONE),
                     200);
    assert_true(str_contains(strict.r.body, STR("Cosmos DB Built-in Data Reader")));
    end(&strict);
}

TEST(a_strict_simulator_waits_for_what_is_referred_to)
{
    struct world strict = begin_with("strict");
    str version = STR("?api-version=2024-03-01");

    ask_url(&strict, "PUT", str_concat(strict.a, STR(NETWORK "/virtualNetworks/v"), version),
            STR("{\"location\":\"westus2\"}"));
    sim_advance(strict.s, DAY);
    ask_url(&strict, "PUT", str_concat(strict.a, STR(SUBNET), version),
            STR("{\"properties\":{\"addressPrefix\":\"10.0.0.0/24\"}}"));
    assert_int_equal(
        ask_url(&strict, "PUT", str_concat(strict.a, STR(NIC), version), STR(NIC_BODY)), 429);
    assert_str(code(&strict), STR("RetryableError"));
    assert_true(str_contains(strict.r.body, STR("ReferencedResourceNotProvisioned")));
    end(&strict);
}

/* ---- About itself. ---- */

TEST(a_reset_forgets_all_that_happened)
{
    put(ODD, "{}");
    ask_url(&w, "POST", STR("/_sim/faults"), STR("{\"kind\":\"drop\"}"));
    assert_int_equal(ask_url(&w, "POST", STR("/_sim/reset"), STR_NONE), 204);
    ask_url(&w, "GET", STR("/_sim/resources"), STR_NONE);
    assert_int_equal(value_len(w.body), 0);
    ask_url(&w, "GET", STR("/_sim/faults"), STR_NONE);
    assert_int_equal(value_len(w.body), 0);
    ask_url(&w, "GET", STR("/_sim/time"), STR_NONE);
    assert_str(value_get_str(w.body, STR("now")), STR("2026-01-01T00:00:00.0000000Z"));
}

TEST(every_behaviour_in_the_program_can_be_read)
{
    AUTO_ERR e = {0};

    assert_ok(sim_read_types(w.s, &e), &e);
}

TEST(what_is_added_wins_over_what_is_read_later)
{
    add_types(&w, "{\"types\":{\"Microsoft.Network/routeTables\":"
                  "{\"create\":{\"status\":202,\"body\":\"empty\"}}}}");
    assert_int_equal(ask(&w, "PUT", NETWORK "/routeTables/r", "{\"location\":\"westus2\"}"), 202);
}

TEST(the_simulator_lists_its_paths)
{
    assert_int_equal(ask_url(&w, "GET", STR("/_sim/"), STR_NONE), 200);
    assert_true(value_len(w.body) > 10);
    assert_int_equal(ask_url(&w, "GET", STR("/_sim"), STR_NONE), 200);
    assert_int_equal(ask_url(&w, "GET", STR("/_sim/reset"), STR_NONE), 405);
    assert_str(header(&w, "Allow"), STR("POST"));
    assert_int_equal(ask_url(&w, "GET", STR("/_sim/rest"), STR_NONE), 404);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)

RUN_TESTS(CASE(what_others_refer_to_cannot_be_deleted),
          CASE(what_has_children_of_some_types_cannot_be_deleted),
          CASE(a_group_takes_along_what_is_in_use),
          CASE(a_lock_keeps_what_it_is_on_and_all_around_it),
          CASE(siblings_may_have_to_wait_for_each_other), CASE(errors_have_every_recorded_form),
          CASE(errors_may_be_problems_or_json_in_a_text),
          CASE(types_say_in_their_own_way_that_something_is_missing),
          CASE(deleted_vaults_are_listed_until_they_are_purged), CASE(polls_look_as_the_type_says),
          CASE(the_last_poll_of_a_location_may_say_201),
          CASE(a_strict_simulator_knows_its_versions), CASE(a_type_may_list_its_versions),
          CASE(a_strict_simulator_looks_for_what_is_referred_to),
          CASE(a_strict_simulator_knows_parts_of_bodies_and_what_is_built_in),
          CASE(a_strict_simulator_waits_for_what_is_referred_to),
          CASE(every_behaviour_in_the_program_can_be_read),
          CASE(what_is_added_wins_over_what_is_read_later), CASE(a_reset_forgets_all_that_happened),
          CASE(the_simulator_lists_its_paths))
