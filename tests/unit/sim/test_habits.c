/* SPDX-License-Identifier: Apache-2.0 */
/* test_habits.c - how types behave: conditions, the model, errors, limits and roles. */
#include "sim_world.h"

#define ODD GROUP "/providers/Example.Odd/things/x"
#define ROLES "/providers/Microsoft.Authorization/roleDefinitions"
#define READER "acdd72a7-3385-48ef-bd42-f606fba81ae7"

static struct world w;

static int start(void **state)
{
    struct sim_config config = sim_defaults();

    (void)state;
    config.virtual_time = true;
    w = begin(&config);
    ask(&w, "PUT", GROUP, "{\"location\":\"westus2\"}");
    return 0;
}

static int stop(void **state)
{
    (void)state;
    end(&w);
    return 0;
}

static str text(void)
{
    struct buf b = buf_new(w.a, BUF_UNLIMITED);

    assert_true(json_write(&b, value_get(w.body, STR("properties")), &json_exact, NULL));
    return buf_str(&b);
}

#define RULE(rule) "{\"types\":{\"Example.Odd/things\":{\"rules\":[" rule "]}}}"

static const struct {
    const char *rules, *sent, *shown;
} condition_cases[] = {
    {RULE("{\"add\":\"properties.a\",\"value\":1,\"when\":\"kind\",\"is\":\"k\"}"), "{}", "{}"},
    {RULE("{\"add\":\"properties.a\",\"value\":1,\"when\":[{\"at\":\"properties.n\",\"in\":[1,2]},"
          "{\"at\":\"properties.z\",\"absent\":true}]}"),
     "{\"n\":2}", "{\"n\":2,\"a\":1}"},
    {RULE("{\"add\":\"properties.a\",\"value\":1,\"when\":[{\"at\":\"properties.n\",\"in\":[1,2]},"
          "{\"at\":\"properties.z\",\"absent\":true}]}"),
     "{\"n\":2,\"z\":0}", "{\"n\":2,\"z\":0}"},
    {RULE(
         "{\"add\":\"properties.a\",\"value\":1,\"when\":[{\"at\":\"properties.n\",\"isNot\":2}]}"),
     "{\"n\":3}", "{\"n\":3,\"a\":1}"},
    {RULE("{\"add\":\"properties.list.[].a\",\"value\":1,\"when\":\".n\",\"is\":2}"),
     "{\"list\":[{\"n\":1},{\"n\":2}]}", "{\"list\":[{\"n\":1},{\"n\":2,\"a\":1}]}"},
    {RULE("{\"extend\":\"properties.list\",\"value\":[{\"n\":5}]},"
          "{\"add\":\"properties.list.[].a\",\"value\":1}"),
     "{\"list\":[{\"n\":1}]}", "{\"list\":[{\"n\":1,\"a\":1},{\"n\":5}]}"},
    {RULE("{\"add\":\"properties.o\",\"value\":{}},{\"add\":\"properties.o.p\",\"value\":true}"),
     "{}", "{\"o\":{\"p\":true}}"},
};

TEST(rules_hold_by_what_was_sent_at_the_top_or_beside)
{
    for (size_t i = 0; i < COUNT(condition_cases); i++) {
        add_types(&w, condition_cases[i].rules);
        str body = str_fmt(w.a, "{\"properties\":%s}", condition_cases[i].sent);
        ask(&w, "PUT", ODD, str_z(w.a, body));
        ask(&w, "GET", ODD, "");
        assert_str(text(), str_c(condition_cases[i].shown));
    }
}

TEST(answers_depend_on_the_version_and_waits_grow)
{
    add_types(&w, "{\"types\":{\"Example.Odd/things\":{\"create\":["
                  "{\"status\":200,\"to\":\"2020-01-01\"},{\"status\":201,\"poller\":\"async\","
                  "\"retryAfter\":[10,20,40],\"polls\":4,\"running\":\"Enqueued\"}]}}}");
    static const char *const waits[] = {"20", "40", "40", "40"};
    assert_int_equal(ask_url(&w, "PUT",
                             STR(GROUP "/providers/Example.Odd/things/old?api-version="
                                       "2019-01-01"),
                             STR("{}")),
                     200);
    assert_int_equal(ask(&w, "PUT", ODD, "{}"), 201);
    assert_str(header(&w, "Retry-After"), STR("10"));
    str url = header(&w, "Azure-AsyncOperation");
    for (size_t i = 0; i < COUNT(waits); i++) {
        ask_url(&w, "GET", url, STR_NONE);
        assert_str(value_get_str(w.body, STR("status")), STR("Enqueued"));
        assert_str(header(&w, "Retry-After"), str_c(waits[i]));
    }
    ask_url(&w, "GET", url, STR_NONE);
    assert_str(value_get_str(w.body, STR("status")), STR("Succeeded"));
}

TEST(some_resources_are_refused_before_they_are_accepted)
{
    struct sim_config config = sim_defaults();

    end(&w);
    config.virtual_time = config.troubled = true;
    w = begin(&config);
    ask(&w, "PUT", GROUP, "{\"location\":\"westus2\"}");
    add_types(&w, "{\"types\":{\"Example.Odd/things\":{\"troubles\":["
                  "{\"status\":409,\"code\":\"NotYet\",\"count\":2,\"retryAfter\":7},"
                  "{\"status\":409,\"code\":\"InUse\",\"method\":\"DELETE\"},"
                  "{\"status\":400,\"code\":\"Never\",\"percent\":0}]}}}");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ask(&w, "PUT", ODD, "{}"), 409);
        assert_str(code(&w), STR("NotYet"));
        assert_str(header(&w, "Retry-After"), STR("7"));
    }
    assert_int_equal(ask(&w, "PUT", ODD, "{}"), 201);
    assert_int_equal(ask(&w, "DELETE", ODD, ""), 409);
    assert_int_equal(ask(&w, "DELETE", ODD, ""), 200);
}

TEST(a_share_of_resources_is_the_same_for_a_seed)
{
    struct sim_config config = sim_defaults();
    char refused[9] = "";

    end(&w);
    config.virtual_time = config.troubled = true;
    w = begin(&config);
    ask(&w, "PUT", GROUP, "{\"location\":\"westus2\"}");
    add_types(&w, "{\"types\":{\"Example.Odd/things\":{\"troubles\":["
                  "{\"status\":409,\"code\":\"NotYet\",\"percent\":50}]}}}");
    for (int i = 0; i < 8; i++) {
        str id = str_fmt(w.a, ODD "%d", i);
        refused[i] = ask(&w, "PUT", str_z(w.a, id), "{}") == 409 ? 'x' : '-';
    }
    assert_string_equal(refused, "x---x--x");
}

TEST(providers_have_limits_of_their_own)
{
    add_types(&w, "{\"limits\":[{\"provider\":\"Example.Odd\",\"name\":\"Puts1Min\","
                  "\"kind\":\"write\",\"count\":2,\"seconds\":60}]}");
    assert_int_equal(ask(&w, "PUT", ODD, "{}"), 201);
    assert_str(header(&w, "x-ms-ratelimit-remaining-resource"), STR("Example.Odd/Puts1Min;1"));
    assert_int_equal(ask(&w, "PUT", ODD, "{}"), 200);
    assert_int_equal(ask(&w, "PUT", ODD, "{}"), 429);
    assert_str(code(&w), STR("TooManyRequests"));
    assert_str(header(&w, "Retry-After"), STR("30"));
    assert_int_equal(ask(&w, "GET", ODD, ""), 200);
    sim_advance(w.s, 30 * NS_PER_SEC);
    assert_int_equal(ask(&w, "PUT", ODD, "{}"), 200);
}

TEST(the_old_limits_are_a_preset)
{
    struct sim_config config = sim_defaults();
    AUTO_ERR e = {0};

    assert_ok(sim_preset(&config, STR("hourly"), &e), &e);
    config.virtual_time = true;
    struct world old = begin(&config);
    ask(&old, "GET", GROUP, "");
    assert_str(header(&old, "x-ms-ratelimit-remaining-subscription-reads"), STR("11999"));
    ask(&old, "PUT", GROUP, "{\"location\":\"x\"}");
    assert_str(header(&old, "x-ms-ratelimit-remaining-subscription-writes"), STR("1199"));
    for (int i = 0; i < 1199; i++)
        ask(&old, "PUT", GROUP, "{\"location\":\"x\"}");
    assert_int_equal(ask(&old, "PUT", GROUP, "{\"location\":\"x\"}"), 429);
    assert_str(header(&old, "Retry-After"), STR("3"));
    end(&old);
}

TEST(types_without_a_file_follow_the_model)
{
    struct sim_config config = sim_defaults();

    config.virtual_time = config.bare = true;
    struct world bare = begin(&config);
    ask(&bare, "PUT", GROUP, "{\"location\":\"x\"}");
    assert_int_equal(ask_url(&bare, "PUT",
                             STR(GROUP "/providers/Microsoft.Network/loadBalancers/r"
                                       "?api-version=2024-03-01"),
                             STR("{\"location\":\"x\",\"properties\":{\"probes\":[{\"name\":\"a\","
                                 "\"properties\":{}}]}}")),
                     201);
    assert_true(header(&bare, "Azure-AsyncOperation").len > 0);
    const struct value *p = value_get(bare.body, STR("properties"));
    assert_true(value_get_str(p, STR("resourceGuid")).len == 36);
    assert_str(value_get_str(p, STR("provisioningState")), STR("Creating"));
    assert_true(value_get_str(bare.body, STR("etag")).len > 0);
    const struct value *probe = &value_get(p, STR("probes"))->items[0];
    assert_true(str_has_prefix(value_get_str(probe, STR("id")), STR(GROUP)));
    end(&bare);
}

TEST(unknown_types_do_what_most_of_their_provider_do)
{
    add_types(&w, "{\"types\":{\"Example.Odd/*\":{\"create\":{\"status\":202,\"poller\":"
                  "\"location\",\"body\":\"empty\"}},\"Example.Odd/known\":{}}}");
    assert_int_equal(ask(&w, "PUT", ODD, "{}"), 202);
    assert_true(header(&w, "Location").len > 0);
    assert_int_equal(ask(&w, "PUT", GROUP "/providers/Example.Odd/known/x", "{}"), 201);
}

TEST(some_types_are_never_read_or_deleted)
{
    static const char service[] = GROUP "/providers/Microsoft.ApiManagement/service/m";
    static const char link[] = GROUP
        "/providers/Microsoft.ApiManagement/service/m/products/p/apis/a";

    ask(&w, "PUT", service, "{\"location\":\"x\"}");
    ask(&w, "PUT", GROUP "/providers/Microsoft.ApiManagement/service/m/products/p", "{}");
    assert_int_equal(ask(&w, "HEAD", link, ""), 404);
    ask(&w, "PUT", link, "{}");
    assert_int_equal(ask(&w, "HEAD", link, ""), 204);
    assert_int_equal(ask(&w, "GET", link, ""), 405);
    ask(&w, "PUT", GROUP "/providers/Microsoft.Storage/storageAccounts/a", "{\"location\":\"x\"}");
    sim_advance(w.s, 3600 * NS_PER_SEC);
    static const char blobs[] = GROUP
        "/providers/Microsoft.Storage/storageAccounts/a/blobServices/default";
    ask(&w, "PUT", blobs, "{}");
    assert_int_equal(ask(&w, "DELETE", blobs, ""), 405);
    ask(&w, "DELETE", GROUP "/providers/Microsoft.Storage/storageAccounts/a", "");
    sim_advance(w.s, 3600 * NS_PER_SEC);
    assert_int_equal(ask(&w, "GET", blobs, ""), 404);
}

TEST(some_deletes_need_a_query_and_a_condition)
{
    struct http_headers headers = {0};
    struct sim_request q = {.method = STR("DELETE"), .path = STR(ODD), .headers = &headers};

    add_types(&w, "{\"types\":{\"Example.Odd/things\":{\"deleteQuery\":\"all=true\","
                  "\"deleteMatch\":true}}}");
    ask(&w, "PUT", ODD, "{}");
    assert_int_equal(ask(&w, "DELETE", ODD, ""), 400);
    q.query = STR("api-version=2024-03-01&all=true");
    sim_handle(w.s, w.a, &q, &w.r);
    assert_int_equal(w.r.status, 400);
    http_header_set(w.a, &headers, STR("If-Match"), STR("*"));
    sim_handle(w.s, w.a, &q, &w.r);
    assert_int_equal(w.r.status, 200);
}

static size_t roles(const char *query)
{
    assert_int_equal(
        ask_url(&w, "GET", str_fmt(w.a, SUB ROLES "?api-version=2022-04-01%s", query), STR_NONE),
        200);
    return value_len(value_get(w.body, STR("value")));
}

static const char *const assigned[][2] = {
    {"{}", ""},
    {"{\"identity\":{\"type\":\"None\"}}", ""},
    {"{\"identity\":{\"type\":\"UserAssigned\"}}", ""},
    {"{\"identity\":{\"type\":\"SystemAssigned\"}}", "shown"},
    {"{\"identity\":{\"type\":\"SystemAssigned, UserAssigned\"}}", "shown"},
    {"{\"identity\":{\"type\":\"systemAssigned\"}}", "shown"},
};

TEST(identities_of_their_own_show_whose_they_are)
{
    const char *const types[] = {"Microsoft.Search/searchServices", "Example.Odd/things"};

    for (size_t k = 0; k < COUNT(types); k++)
        for (size_t i = 0; i < COUNT(assigned); i++) {
            char *id = str_z(w.a, str_fmt(w.a, GROUP "/providers/%s/x%zu", types[k], i));
            ask(&w, "PUT", id, assigned[i][0]);
            ask(&w, "GET", id, "");
            const struct value *identity = value_get(w.body, STR("identity"));
            str principal = value_get_str(identity, STR("principalId"));
            str tenant = value_get_str(identity, STR("tenantId"));
            assert_int_equal(principal.len, *assigned[i][1] ? 36 : 0);
            assert_int_equal(tenant.len, principal.len);
            ask(&w, "PUT", id, assigned[i][0]);
            ask(&w, "GET", id, "");
            assert_str(value_get_str(value_get(w.body, STR("identity")), STR("principalId")),
                       principal);
        }
}

TEST(role_definitions_are_found_by_id_and_name)
{
    assert_int_equal(ask(&w, "GET", SUB ROLES "/" READER, ""), 200);
    assert_str(value_get_str(value_get(w.body, STR("properties")), STR("roleName")), STR("Reader"));
    assert_str(value_get_str(w.body, STR("id")), STR(SUB ROLES "/" READER));
    assert_int_equal(ask(&w, "GET", ROLES "/" READER, ""), 200);
    assert_int_equal(roles("&$filter=roleName%20eq%20'reader'"), 1);
    assert_int_equal(roles("&$filter=roleName+eq+'Nobody'"), 0);
    size_t all = roles("");
    assert_true(all > 20);
    ask(&w, "PUT", SUB ROLES "/00000000-0000-0000-0000-000000000001",
        "{\"properties\":{\"roleName\":\"Painter's\",\"type\":\"CustomRole\"}}");
    assert_int_equal(roles(""), all + 1);
    assert_int_equal(roles("&$filter=type%20eq%20'CustomRole'"), 1);
    assert_int_equal(roles("&$filter=atScopeAndBelow()%20and%20roleName%20eq%20'Painter''s'"), 1);
    assert_int_equal(ask_url(&w, "GET",
                             STR(SUB ROLES "?api-version=2022-04-01&$filter=color%20eq%20'red'"),
                             STR_NONE),
                     400);
    assert_int_equal(ask(&w, "GET", SUB ROLES "/00000000-0000-0000-0000-000000000002", ""), 404);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)

RUN_TESTS(CASE(rules_hold_by_what_was_sent_at_the_top_or_beside),
          CASE(answers_depend_on_the_version_and_waits_grow),
          CASE(some_resources_are_refused_before_they_are_accepted),
          CASE(a_share_of_resources_is_the_same_for_a_seed),
          CASE(providers_have_limits_of_their_own), CASE(the_old_limits_are_a_preset),
          CASE(types_without_a_file_follow_the_model), CASE(some_types_are_never_read_or_deleted),
          CASE(unknown_types_do_what_most_of_their_provider_do),
          CASE(some_deletes_need_a_query_and_a_condition),
          CASE(identities_of_their_own_show_whose_they_are),
          CASE(role_definitions_are_found_by_id_and_name))
