/* SPDX-License-Identifier: Apache-2.0 */
/* test_graph.c - queries to the Resource Graph of the simulated ARM. */
#include "../test.h"

#include "sim/kql.h"
#include "sim/sim.h"
#include "text/json/json.h"

#define GRAPH "/providers/Microsoft.ResourceGraph/resources"

static struct arena *a;
static struct sim *sim;
static struct sim_response r;
static struct value *answer;

static int ask(const char *method, const char *path, const char *body)
{
    struct sim_request q = {.method = str_c(method),
                            .path = str_c(path),
                            .query = STR("api-version=2021-03-01"),
                            .base = STR("http://sim"),
                            .body = str_c(body)};
    struct source src;

    sim_handle(sim, a, &q, &r);
    src = (struct source){.text = r.body};
    if (!r.body.len || !json_read(a, &src, NULL, &answer, NULL))
        answer = NULL;
    return r.status;
}

/* A query, its double quotes escaped by the caller. */
static int query(const char *text, const char *options)
{
    return ask("POST", GRAPH,
               str_z(a, str_fmt(a, "{\"query\":\"%s\",\"options\":{%s}}", text, options)));
}

static void put_account(const char *group, const char *name, const char *place, int size)
{
    str path = str_fmt(a,
                       "/subscriptions/s1/resourceGroups/%s/providers/Microsoft.Storage"
                       "/storageAccounts/%s",
                       group, name);
    str body = str_fmt(a,
                       "{\"location\":\"%s\",\"tags\":{\"owner\":\"%s\"},"
                       "\"properties\":{\"size\":%d,\"note\":\"blue-green deploy\"}}",
                       place, name, size);

    ask("PUT", str_z(a, path), str_z(a, body));
}

static int begin(void **state)
{
    struct sim_config config = sim_defaults();
    AUTO_ERR e = {0};

    (void)state;
    a = arena_new();
    config.virtual_time = config.unlimited = true;
    assert_ok(sim_new(&config, &sim, &e), &e);
    ask("PUT", "/subscriptions/s1/resourceGroups/East", "{\"location\":\"eastus\"}");
    ask("PUT", "/subscriptions/s1/resourceGroups/West", "{\"location\":\"westus\"}");
    ask("PUT", "/subscriptions/s2/resourceGroups/Other", "{\"location\":\"westus\"}");
    put_account("East", "Alpha", "eastus", 9);
    put_account("East", "beta", "eastus", 10);
    put_account("West", "gamma", "westus", 11);
    ask("PUT",
        "/subscriptions/s1/resourceGroups/West/providers/Microsoft.Network/virtualNetworks/net",
        "{\"location\":\"westus\",\"properties\":{\"subnets\":[{\"name\":\"a\"}]}}");
    return 0;
}

static int end(void **state)
{
    (void)state;
    sim_free(sim);
    arena_free(a);
    return 0;
}

static str names(void)
{
    const struct value *data = value_get(answer, STR("data"));
    struct buf b = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; i < value_len(data); i++)
        buf_fmt(&b, "%s%.*s", i ? " " : "", STR_ARG(value_get_str(&data->items[i], STR("name"))));
    return buf_str(&b);
}

#define ACCOUNTS "Resources | where type =~ 'Microsoft.Storage/storageAccounts' "

static const struct {
    const char *query, *names;
} where_cases[] = {
    {ACCOUNTS, "Alpha beta gamma"},
    {"resources", "Alpha beta gamma net"},
    {"resources | where type == 'Microsoft.Storage/storageAccounts'", ""},
    {"resources | where type == 'microsoft.storage/storageaccounts'", "Alpha beta gamma"},
    {ACCOUNTS "| where name == 'alpha'", ""},
    {ACCOUNTS "| where name =~ 'alpha' or location == \\\"westus\\\"", "Alpha gamma"},
    {ACCOUNTS "| where name !~ 'alpha' and not(location == 'westus')", "beta"},
    {ACCOUNTS "| where name in ('beta', 'gamma')", "beta gamma"},
    {ACCOUNTS "| where name in~ ('BETA')", "beta"},
    {ACCOUNTS "| where name !in~ ('BETA', 'ALPHA')", "gamma"},
    {ACCOUNTS "| where name startswith 'AL'", "Alpha"},
    {ACCOUNTS "| where name contains 'MM' // the third\\n", "gamma"},
    {ACCOUNTS "| where properties.note has 'green' | where name endswith 'a' | limit 1", "Alpha"},
    {ACCOUNTS "| where properties.note has 'gree'", ""},
    {ACCOUNTS "| where properties['size'] >= 10 and tags.owner != 'gamma'", "beta"},
    {ACCOUNTS "| where isnull(tags.none) and isnotempty(tags['owner'])", "Alpha beta gamma"},
    {ACCOUNTS "| where tags.none != 'x'", "Alpha beta gamma"},
    {ACCOUNTS "| where tolower(name) == 'alpha'", "Alpha"},
    {ACCOUNTS "| where resourceGroup == 'west' and subscriptionId == 's1'", "gamma"},
    {ACCOUNTS "| order by properties.size | project name", "gamma beta Alpha"},
    {ACCOUNTS "| sort by location asc, name desc | take 2 | project name", "beta Alpha"},
    {ACCOUNTS "| project name = toupper(name)", "ALPHA BETA GAMMA"},
    {"resourcecontainers | where type has 'resourcegroups' | order by name asc", "East Other West"},
    {"ResourceContainers | where type == 'microsoft.resources/subscriptions'", "s1 s2"},
};

TEST(queries_choose_rows)
{
    for (size_t i = 0; i < COUNT(where_cases); i++) {
        assert_int_equal(query(where_cases[i].query, ""), 200);
        if (!str_eq(names(), str_c(where_cases[i].names)))
            fail_msg("%s gave %.*s", where_cases[i].query, STR_ARG(names()));
    }
}

static str data(void)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    assert_true(json_write(&b, value_get(answer, STR("data")), &json_exact, NULL));
    return buf_str(&b);
}

TEST(queries_count)
{
    assert_int_equal(query(ACCOUNTS "| count", ""), 200);
    assert_str(data(), STR("[{\"Count\":3}]"));
    query(ACCOUNTS "| summarize count() by location | order by count_ desc", "");
    assert_str(data(), STR("[{\"location\":\"eastus\",\"count_\":2},"
                           "{\"location\":\"westus\",\"count_\":1}]"));
    query(ACCOUNTS "| summarize n = count() by place = tolower(location) | where n > 1", "");
    assert_str(data(), STR("[{\"place\":\"eastus\",\"n\":2}]"));
    query(ACCOUNTS "| summarize count()", "\"resultFormat\":\"table\"");
    assert_str(data(),
               STR("{\"columns\":[{\"name\":\"count_\",\"type\":\"long\"}],\"rows\":[[3]]}"));
}

TEST(answers_come_in_pages)
{
    assert_int_equal(query(ACCOUNTS "| project id, name", "\"$top\":2"), 200);
    assert_str(names(), STR("Alpha beta"));
    assert_str(value_get_str(answer, STR("resultTruncated")), STR("true"));
    str token = value_get_str(answer, STR("$skipToken"));
    str options = str_fmt(a, "\"$top\":2,\"$skipToken\":\"%.*s\"", STR_ARG(token));
    assert_int_equal(query(ACCOUNTS "| project id, name", str_z(a, options)), 200);
    assert_str(names(), STR("gamma"));
    assert_null(value_get(answer, STR("$skipToken")));
    assert_int_equal(query(ACCOUNTS "| project id", str_z(a, options)), 400);
    query(ACCOUNTS "| project name", "\"$top\":1,\"$skip\":1");
    assert_str(names(), STR("beta"));
    assert_null(value_get(answer, STR("$skipToken")));
    assert_int_equal(query(ACCOUNTS, "\"$top\":1001"), 400);
}

TEST(subscriptions_limit_a_question)
{
    ask("POST", GRAPH, "{\"subscriptions\":[\"S2\"],\"query\":\"resourcecontainers | count\"}");
    assert_str(data(), STR("[{\"Count\":2}]"));
}

static const struct {
    const char *query, *code, *text;
} bad_cases[] = {
    {"nowhere", "DisallowedLogicalTableName", "Table nowhere is invalid"},
    {"resources | join x", "ParserFailure", "(line:1, col:12)"},
    {"resources | where", "ParserFailure", "a value"},
    {"resources | where a ==", "ParserFailure", "a value"},
    {"resources\\n| where (a == 1", "ParserFailure", "(line:2, col:15): expected is )"},
    {"resources | where a = 1", "ParserFailure", "| or the end"},
    {"resources | where strlen(a) == 1", "UnknownFunction", "strlen"},
    {"resources | where a in ()", "ParserFailure", "a value"},
    {"resources | where a == 'x", "ParserFailure", "a value"},
    {"resources | limit x", "ParserFailure", "a number of rows"},
    {"resources | where a == 1.2.3", "ParserFailure", "a number"},
    {"resources | summarize sum(a)", "UnknownFunction", "only count()"},
    {"resources | project", "ParserFailure", "a value"},
    {"", "InvalidQuery", "must not be empty"},
    {"resources; resources", "ParserFailure", "| or the end"},
};

TEST(other_queries_are_refused_as_azure_does)
{
    for (size_t i = 0; i < COUNT(bad_cases); i++) {
        assert_int_equal(query(bad_cases[i].query, ""), 400);
        assert_str(value_get_str(value_get(answer, STR("error")), STR("code")), STR("BadRequest"));
        if (!str_contains(r.body, str_c(bad_cases[i].code)) ||
            !str_contains(r.body, str_c(bad_cases[i].text)))
            fail_msg("%s gave %.*s", bad_cases[i].query, STR_ARG(r.body));
    }
}

TEST(deep_queries_are_refused)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    buf_add(&b, STR("resources | where "));
    for (int i = 0; i < 1000; i++)
        buf_char(&b, '(');
    assert_int_equal(query(str_z(a, buf_str(&b)), ""), 400);
    assert_true(str_contains(r.body, STR("less nesting")));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

RUN_TESTS(CASE(queries_choose_rows), CASE(queries_count), CASE(answers_come_in_pages),
          CASE(subscriptions_limit_a_question), CASE(other_queries_are_refused_as_azure_does),
          CASE(deep_queries_are_refused))
