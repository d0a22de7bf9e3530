/* SPDX-License-Identifier: Apache-2.0 */
/* test_sim.c - the simulated ARM, called without a server. */
#include "../test.h"

#include "sim/sim.h"
#include "text/json/json.h"

#define SUB "/subscriptions/s"
#define GROUP SUB "/resourceGroups/g"
#define VNET GROUP "/providers/Microsoft.Network/virtualNetworks/v"
#define SUBNET VNET "/subnets/a"
#define VAULT GROUP "/providers/Microsoft.KeyVault/vaults/k"
#define DELETED SUB "/providers/Microsoft.KeyVault/locations/westus2/deletedVaults/k"
#define ODD GROUP "/providers/Example.Odd/things/x"
#define BASE "http://127.0.0.1:1"

struct world {
    struct arena *a;
    struct sim *s;
    struct sim_response r;
    struct value *body;
};

static struct world begin(const struct sim_config *config)
{
    struct world w = {.a = arena_new()};
    AUTO_ERR e = {0};

    assert_ok(sim_new(config, &w.s, &e), &e);
    return w;
}

static struct world begin_virtual(void)
{
    struct sim_config config = sim_defaults();

    config.virtual_time = true;
    return begin(&config);
}

static void end(struct world *w)
{
    sim_free(w->s);
    arena_free(w->a);
}

static void send_with(struct world *w, const char *method, str url, str body,
                      const struct http_headers *headers)
{
    struct sim_request q = {
        .method = str_c(method), .base = STR(BASE), .body = body, .headers = headers};
    struct source src;

    str_cut(str_without_prefix(url, STR(BASE)), STR("?"), &q.path, &q.query);
    sim_handle(w->s, w->a, &q, &w->r);
    src = (struct source){.text = w->r.body};
    if (!w->r.body.len || !json_read(w->a, &src, NULL, &w->body, NULL))
        w->body = NULL;
}

/* Sends a request with an api-version and answers the status. */
static int ask(struct world *w, const char *method, const char *path, const char *body)
{
    send_with(w, method, str_fmt(w->a, "%s?api-version=2024-03-01", path), str_c(body), NULL);
    return w->r.status;
}

static int follow(struct world *w, str url)
{
    send_with(w, "GET", url, STR_NONE, NULL);
    return w->r.status;
}

static str code(const struct world *w)
{
    return value_get_str(value_get(w->body, STR("error")), STR("code"));
}

static str header(const struct world *w, const char *name)
{
    return http_header_get(&w->r.headers, str_c(name));
}

static str condition(const struct world *w)
{
    return value_get_str(value_get(w->body, STR("properties")), STR("provisioningState"));
}

static void make_group(struct world *w)
{
    assert_int_equal(ask(w, "PUT", GROUP, "{\"location\":\"westus2\"}"), 201);
}

/* Polls until the operation is over; answers how many polls there were. */
static int poll_to_end(struct world *w)
{
    str url = header(w, "Azure-AsyncOperation");

    for (int i = 1; i < 100; i++) {
        assert_int_equal(follow(w, url), 200);
        if (str_eq(value_get_str(w->body, STR("status")), STR("Succeeded")))
            return i;
    }
    return 100;
}

/* ---- Requests and refusals. ---- */

TEST(what_is_missing_is_refused_as_recorded)
{
    struct world w = begin_virtual();

    send_with(&w, "GET", STR(GROUP), STR_NONE, NULL);
    assert_int_equal(w.r.status, 400);
    assert_str(code(&w), STR("MissingApiVersionParameter"));
    assert_int_equal(ask(&w, "PUT", VNET, "{}"), 404);
    assert_str(code(&w), STR("ResourceGroupNotFound"));
    make_group(&w);
    assert_int_equal(ask(&w, "GET", VNET, ""), 404);
    assert_str(code(&w), STR("ResourceNotFound"));
    assert_int_equal(ask(&w, "PUT", SUBNET, "{}"), 404);
    assert_str(code(&w), STR("ParentResourceNotFound"));
    assert_int_equal(ask(&w, "PUT", VNET, "not JSON"), 400);
    assert_str(code(&w), STR("InvalidRequestContent"));
    assert_int_equal(ask(&w, "DELETE", VNET, ""), 204);
    end(&w);
}

TEST(ids_have_no_case_and_unknown_types_are_done_at_once)
{
    struct world w = begin_virtual();

    make_group(&w);
    assert_int_equal(ask(&w, "PUT", ODD, "{\"location\":\"x\",\"properties\":{\"a\":1}}"), 201);
    assert_int_equal(
        ask(&w, "GET", "/SUBSCRIPTIONS/S/resourcegroups/G/providers/EXAMPLE.odd/THINGS/X", ""),
        200);
    assert_str(condition(&w), STR("Succeeded"));
    assert_str(value_get_str(w.body, STR("name")), STR("x"));
    assert_int_equal(ask(&w, "PUT", ODD, "{\"location\":\"x\"}"), 200);
    assert_int_equal(ask(&w, "HEAD", ODD, ""), 204);
    assert_int_equal(ask(&w, "DELETE", ODD, ""), 200);
    assert_int_equal(ask(&w, "HEAD", ODD, ""), 404);
    end(&w);
}

/* ---- Operations. ---- */

TEST(an_operation_ends_after_its_polls_or_with_time)
{
    struct world w = begin_virtual();

    make_group(&w);
    assert_int_equal(ask(&w, "PUT", VNET, "{\"location\":\"westus2\",\"properties\":{}}"), 201);
    assert_str(condition(&w), STR("Updating"));
    assert_true(header(&w, "Retry-After").len);
    assert_in_range(poll_to_end(&w), 2, 10);
    ask(&w, "GET", VNET, "");
    assert_str(condition(&w), STR("Succeeded"));
    ask(&w, "PUT", VNET "2", "{\"location\":\"westus2\",\"properties\":{\"a\":1}}");
    ask(&w, "GET", VNET "2", "");
    assert_str(condition(&w), STR("Updating"));
    sim_advance(w.s, 3600 * NS_PER_SEC);
    ask(&w, "GET", VNET "2", "");
    assert_str(condition(&w), STR("Succeeded"));
    end(&w);
}

TEST(a_poll_with_an_altered_query_is_refused)
{
    struct world w = begin_virtual();

    make_group(&w);
    ask(&w, "PUT", VNET, "{\"location\":\"westus2\"}");
    str url = header(&w, "Azure-AsyncOperation");
    assert_int_equal(follow(&w, str_concat(w.a, url, STR("0"))), 403);
    assert_int_equal(follow(&w, str_slice(url, 0, str_find_char(url, '?'))), 403);
    assert_int_equal(follow(&w, url), 200);
    end(&w);
}

TEST(a_group_takes_everything_along)
{
    struct world w = begin_virtual();

    make_group(&w);
    ask(&w, "PUT", ODD, "{}");
    assert_int_equal(ask(&w, "DELETE", GROUP, ""), 202);
    str url = header(&w, "Location");
    assert_int_equal(ask(&w, "PUT", ODD, "{}"), 409);
    assert_str(code(&w), STR("ResourceGroupBeingDeleted"));
    assert_int_equal(follow(&w, url), 202);
    assert_str(header(&w, "Retry-After"), STR("15"));
    assert_int_equal(follow(&w, url), 202);
    assert_int_equal(follow(&w, url), 200);
    assert_int_equal(ask(&w, "GET", ODD, ""), 404);
    assert_str(code(&w), STR("ResourceGroupNotFound"));
    end(&w);
}

/* ---- Children, soft delete, actions, lists. ---- */

TEST(children_are_shown_in_their_parent_and_replaced_by_its_list)
{
    struct world w = begin_virtual();

    make_group(&w);
    ask(&w, "PUT", VNET,
        "{\"location\":\"westus2\",\"properties\":{\"subnets\":[{\"name\":\"a\",\"properties\":{}},"
        "{\"name\":\"b\",\"properties\":{}}]}}");
    poll_to_end(&w);
    assert_int_equal(ask(&w, "GET", SUBNET, ""), 200);
    assert_int_equal(ask(&w, "PUT", VNET "/subnets/c", "{\"properties\":{}}"), 201);
    poll_to_end(&w);
    ask(&w, "GET", VNET, "");
    assert_int_equal(value_len(value_get(value_get(w.body, STR("properties")), STR("subnets"))), 3);
    ask(&w, "PUT", VNET,
        "{\"location\":\"westus2\",\"properties\":{\"subnets\":[{\"name\":\"b\"}]}}");
    assert_int_equal(ask(&w, "GET", SUBNET, ""), 404);
    assert_int_equal(ask(&w, "GET", VNET "/subnets", ""), 200);
    assert_int_equal(value_len(value_get(w.body, STR("value"))), 1);
    end(&w);
}

TEST(a_vault_can_be_recovered_or_purged)
{
    static const char body[] = "{\"location\":\"westus2\",\"properties\":{\"x\":1}}";
    static const char recover[] =
        "{\"location\":\"westus2\",\"properties\":{\"createMode\":\"recover\"}}";
    struct world w = begin_virtual();

    make_group(&w);
    ask(&w, "PUT", VAULT, body);
    ask(&w, "DELETE", VAULT, "");
    sim_advance(w.s, 3600 * NS_PER_SEC);
    assert_int_equal(ask(&w, "GET", VAULT, ""), 404);
    assert_int_equal(ask(&w, "GET", DELETED, ""), 200);
    assert_int_equal(ask(&w, "PUT", VAULT, body), 409);
    assert_str(code(&w), STR("ConflictError"));
    assert_in_range(ask(&w, "PUT", VAULT, recover), 200, 202);
    assert_int_equal(ask(&w, "GET", VAULT, ""), 200);
    assert_non_null(value_get(value_get(w.body, STR("properties")), STR("x")));
    ask(&w, "DELETE", VAULT, "");
    sim_advance(w.s, 3600 * NS_PER_SEC);
    assert_int_equal(ask(&w, "POST", DELETED "/purge", ""), 202);
    assert_in_range(ask(&w, "PUT", VAULT, body), 200, 202);
    end(&w);
}

TEST(keys_are_listed_and_stay_the_same)
{
    struct world w = begin_virtual();

    make_group(&w);
    ask(&w, "PUT", ODD, "{}");
    assert_int_equal(ask(&w, "POST", ODD "/listKeys", ""), 200);
    str first = value_get_str(w.body, STR("primaryKey"));
    assert_true(first.len > 0);
    assert_false(str_eq(first, value_get_str(w.body, STR("secondaryKey"))));
    ask(&w, "POST", ODD "/listkeys", "");
    assert_str(value_get_str(w.body, STR("primaryKey")), first);
    assert_int_equal(ask(&w, "POST", ODD "/dance", ""), 404);
    end(&w);
}

TEST(lists_come_in_pages)
{
    struct world w = begin_virtual();

    make_group(&w);
    for (int i = 0; i < 150; i++)
        ask(&w, "PUT", str_z(w.a, str_fmt(w.a, "%s%d", ODD, i)), "{}");
    ask(&w, "GET", GROUP "/providers/Example.Odd/things", "");
    assert_int_equal(value_len(value_get(w.body, STR("value"))), 100);
    follow(&w, value_get_str(w.body, STR("nextLink")));
    assert_int_equal(value_len(value_get(w.body, STR("value"))), 50);
    assert_null(value_get(w.body, STR("nextLink")));
    ask(&w, "GET", SUB "/providers/Example.Odd/things", "");
    assert_int_equal(value_len(value_get(w.body, STR("value"))), 100);
    ask(&w, "GET", SUB "/resourceGroups", "");
    assert_int_equal(value_len(value_get(w.body, STR("value"))), 1);
    end(&w);
}

/* ---- Budget, tokens, providers. ---- */

TEST(buckets_empty_and_fill_again)
{
    struct world w = begin_virtual();

    make_group(&w);
    for (int i = 0; i < 199; i++)
        assert_int_equal(ask(&w, "PUT", GROUP, "{\"location\":\"westus2\"}"), 200);
    assert_str(header(&w, "x-ms-ratelimit-remaining-subscription-writes"), STR("0"));
    assert_int_equal(ask(&w, "PUT", GROUP, "{\"location\":\"westus2\"}"), 429);
    assert_str(header(&w, "Retry-After"), STR("1"));
    assert_int_equal(ask(&w, "GET", GROUP, ""), 200);
    sim_advance(w.s, NS_PER_SEC);
    for (int i = 0; i < 10; i++)
        assert_int_equal(ask(&w, "PUT", GROUP, "{\"location\":\"westus2\"}"), 200);
    assert_int_equal(ask(&w, "PUT", GROUP, "{\"location\":\"westus2\"}"), 429);
    end(&w);
}

TEST(tokens_are_given_to_one_tenant_only)
{
    struct sim_config config = sim_defaults();
    config.tenant = STR("t");
    config.auth = config.virtual_time = true;
    struct world w = begin(&config);
    str form = STR("grant_type=client_credentials&client_id=c&client_secret=s&scope=x");
    struct http_headers headers = {0};

    assert_int_equal(ask(&w, "GET", GROUP, ""), 401);
    send_with(&w, "POST", STR("/other/oauth2/v2.0/token"), form, NULL);
    assert_int_equal(w.r.status, 400);
    assert_str(value_get_str(w.body, STR("error")), STR("invalid_request"));
    send_with(&w, "POST", STR("/t/oauth2/v2.0/token"), form, NULL);
    assert_int_equal(w.r.status, 200);
    http_header_add(w.a, &headers, STR("Authorization"),
                    str_concat(w.a, STR("Bearer "), value_get_str(w.body, STR("access_token"))));
    send_with(&w, "GET", STR(GROUP "?api-version=2024-03-01"), STR_NONE, &headers);
    assert_int_equal(w.r.status, 404);
    sim_advance(w.s, 3600 * NS_PER_SEC);
    send_with(&w, "GET", STR(GROUP "?api-version=2024-03-01"), STR_NONE, &headers);
    assert_int_equal(w.r.status, 401);
    end(&w);
}

TEST(providers_can_ask_for_registration)
{
    struct sim_config config = sim_defaults();
    AUTO_ERR e = {0};
    assert_ok(sim_preset(&config, STR("unregistered"), &e), &e);
    struct world w = begin(&config);
    static const char provider[] = SUB "/providers/Example.Odd";

    make_group(&w);
    assert_int_equal(ask(&w, "PUT", ODD, "{}"), 409);
    assert_str(code(&w), STR("MissingSubscriptionRegistration"));
    assert_int_equal(ask(&w, "POST", SUB "/providers/Example.Odd/register", ""), 200);
    for (int i = 0; i < 3; i++)
        ask(&w, "GET", provider, "");
    assert_str(value_get_str(w.body, STR("registrationState")), STR("Registered"));
    assert_int_equal(ask(&w, "PUT", ODD, "{}"), 201);
    assert_false(sim_preset(&config, STR("nothing"), &e));
    end(&w);
}

TEST(what_a_web_page_sends_below_sim_is_rejected)
{
    static const struct {
        const char *host, *origin;
        int status;
    } cases[] = {
        {NULL, NULL, 200},
        {"127.0.0.1:8642", NULL, 200},
        {"localhost:8642", NULL, 200},
        {"localhost", NULL, 200},
        {"[::1]:8642", NULL, 200},
        {"localhost:8642", "http://localhost:8642", 200},
        {"evil.example", NULL, 403},
        {"evil.example:8642", "http://evil.example:8642", 403},
        {"127.evil.example:8642", NULL, 403},
        {"localhost.evil.example", NULL, 403},
        {"10.0.0.1:8642", NULL, 403},
        {"", NULL, 403},
        {"127.0.0.1:8642", "https://evil.example", 403},
        {"127.0.0.1:8642", "http://127.0.0.1:3000", 403},
        {"127.0.0.1:8642", "http://localhost:8642", 403},
        {"127.0.0.1:8642", "null", 403},
        {"127.0.0.1:8642", "", 403},
    };
    struct world w = begin_virtual();

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct http_headers headers = {0};
        struct sim_request q = {
            .method = STR("POST"), .path = STR("/_sim/time"), .query = STR("advance=1s")};
        if (cases[i].host)
            http_header_add(w.a, &headers, STR("Host"), str_c(cases[i].host));
        if (cases[i].origin)
            http_header_add(w.a, &headers, STR("Origin"), str_c(cases[i].origin));
        q.headers = &headers;
        sim_handle(w.s, w.a, &q, &w.r);
        assert_int_equal(w.r.status, cases[i].status);
    }
    end(&w);
}

RUN_TESTS(cmocka_unit_test(what_a_web_page_sends_below_sim_is_rejected),
          cmocka_unit_test(what_is_missing_is_refused_as_recorded),
          cmocka_unit_test(ids_have_no_case_and_unknown_types_are_done_at_once),
          cmocka_unit_test(an_operation_ends_after_its_polls_or_with_time),
          cmocka_unit_test(a_poll_with_an_altered_query_is_refused),
          cmocka_unit_test(a_group_takes_everything_along),
          cmocka_unit_test(children_are_shown_in_their_parent_and_replaced_by_its_list),
          cmocka_unit_test(a_vault_can_be_recovered_or_purged),
          cmocka_unit_test(keys_are_listed_and_stay_the_same),
          cmocka_unit_test(lists_come_in_pages), cmocka_unit_test(buckets_empty_and_fill_again),
          cmocka_unit_test(tokens_are_given_to_one_tenant_only),
          cmocka_unit_test(providers_can_ask_for_registration))
