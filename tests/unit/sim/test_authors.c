/* SPDX-License-Identifier: Apache-2.0 */
/* test_authors.c - who wrote what, changes of others, and services that keep what they have. */
#include "sim_world.h"

#define THING GROUP "/providers/Example.Odd/things/x"
#define EVENTS                                                                                     \
    SUB "/providers/Microsoft.Insights/eventtypes/management/"                                     \
        "values?api-version=2015-04-01&$filter="

static const char types[] =
    "{\"types\":{\"Example.Odd/things\":{\"rules\":["
    "{\"add\":\"systemData\",\"value\":{}},"
    "{\"add\":\"systemData.createdAt\",\"value\":\"$time\"},"
    "{\"add\":\"systemData.createdBy\",\"value\":\"redacted\"},"
    "{\"add\":\"systemData.lastModifiedAt\",\"value\":\"$time\"},"
    "{\"add\":\"systemData.lastModifiedBy\",\"value\":\"redacted\"},"
    "{\"set\":\"properties.version\",\"value\":\"6.0\"}]},"
    "\"Example.Odd/keepers\":{\"keepsOmitted\":true,\"rules\":[]},"
    "\"Example.Odd/stubborn\":{\"keeps\":{\"properties.size\":7},\"rules\":[]}}}";

static struct world open_world(void)
{
    struct sim_config config = sim_defaults();

    config.virtual_time = true;
    struct world w = begin(&config);
    add_types(&w, types);
    assert_int_equal(ask(&w, "PUT", GROUP, "{\"location\":\"westus2\"}"), 201);
    return w;
}

static str data(struct world *w, const char *name)
{
    return value_get_str(value_get(w->body, STR("systemData")), str_c(name));
}

static str property(struct world *w, const char *name)
{
    return value_text(value_get(value_get(w->body, STR("properties")), str_c(name)));
}

static int change(struct world *w, const char *text)
{
    return ask_url(w, "POST", STR("/_sim/change"), str_c(text));
}

/* As a client that has a token. */
static int put_as(struct world *w, const char *client, const char *path, const char *body)
{
    struct http_headers headers = {0};
    struct sim_request q = {.method = STR("PUT"),
                            .path = str_c(path),
                            .query = STR("api-version=2024-03-01"),
                            .headers = &headers,
                            .body = str_c(body)};

    assert_int_equal(ask_url(w, "POST", STR("/t/oauth2/v2.0/token"),
                             str_fmt(w->a, "grant_type=x&client_secret=x&client_id=%s", client)),
                     200);
    http_header_set(
        w->a, &headers, STR("Authorization"),
        str_fmt(w->a, "Bearer %.*s", STR_ARG(value_get_str(w->body, STR("access_token")))));
    sim_handle(w->s, w->a, &q, &w->r);
    return w->r.status;
}

TEST(system_data_says_who_made_and_who_wrote_it_last)
{
    struct world w = open_world();

    assert_int_equal(put_as(&w, "one", THING, "{\"properties\":{\"size\":1}}"), 201);
    assert_int_equal(ask(&w, "GET", THING, ""), 200);
    str one = data(&w, "createdBy"), made = data(&w, "createdAt");
    assert_true(one.len > 0 && str_eq(one, data(&w, "lastModifiedBy")));
    sim_advance(w.s, 60 * NS_PER_SEC);
    assert_int_equal(put_as(&w, "two", THING, "{\"properties\":{\"size\":2}}"), 200);
    assert_int_equal(ask(&w, "GET", THING, ""), 200);
    assert_str(data(&w, "createdBy"), one);
    assert_str(data(&w, "createdAt"), made);
    assert_false(str_eq(data(&w, "lastModifiedBy"), one));
    assert_true(str_cmp(data(&w, "lastModifiedAt"), made) > 0);
    end(&w);
}

TEST(somebody_changes_what_even_a_rule_decides)
{
    struct world w = open_world();

    assert_int_equal(ask(&w, "PUT", THING, "{\"properties\":{\"version\":\"6\"}}"), 201);
    assert_int_equal(change(&w, "{\"id\":\"" THING "\",\"at\":\"properties.version\",\"value\":"
                                "\"4.0\",\"by\":\"eve@example.com\"}"),
                     204);
    assert_int_equal(ask(&w, "GET", THING, ""), 200);
    assert_str(property(&w, "version"), STR("4.0"));
    assert_str(data(&w, "lastModifiedBy"), STR("eve@example.com"));
    assert_str(data(&w, "createdBy"), STR("anonymous"));
    assert_int_equal(ask(&w, "PUT", THING, "{\"properties\":{\"version\":\"6\"}}"), 200);
    assert_str(property(&w, "version"), STR("6.0"));
    assert_int_equal(ask_url(&w, "GET", STR("/_sim/assert"), STR_NONE), 200);
    assert_str(value_text(value_get(w.body, STR("noopWrites"))), STR("0"));
    end(&w);
}

TEST(a_service_changes_something_and_nobody_did)
{
    struct world w = open_world();

    assert_int_equal(ask(&w, "PUT", THING, "{\"properties\":{}}"), 201);
    assert_int_equal(ask(&w, "GET", THING, ""), 200);
    str when = data(&w, "lastModifiedAt");
    sim_advance(w.s, 60 * NS_PER_SEC);
    assert_int_equal(change(&w, "{\"id\":\"" THING "\",\"at\":\"properties.new\",\"value\":3,"
                                "\"silent\":true}"),
                     204);
    assert_int_equal(ask(&w, "GET", THING, ""), 200);
    assert_str(property(&w, "new"), STR("3"));
    assert_str(data(&w, "lastModifiedAt"), when);
    end(&w);
}

TEST(wrong_changes_are_refused)
{
    struct world w = open_world();

    assert_int_equal(change(&w, "{\"id\":\"" THING "\",\"at\":\"properties.x\"}"), 404);
    assert_int_equal(change(&w, "{\"id\":\"" THING "\"}"), 400);
    assert_int_equal(change(&w, "{\"id\":\"" THING "\",\"at\":\"a..b\"}"), 400);
    assert_int_equal(change(&w, "{\"id\":\"" THING "\",\"at\":\"a\",\"why\":1}"), 400);
    assert_int_equal(change(&w, "nothing"), 400);
    end(&w);
}

TEST(a_type_may_keep_what_a_put_omits)
{
    struct world w = open_world();
    const char *id = GROUP "/providers/Example.Odd/keepers/x";

    assert_int_equal(ask(&w, "PUT", id, "{\"properties\":{\"a\":1}}"), 201);
    assert_int_equal(change(&w, "{\"id\":\"" GROUP "/providers/Example.Odd/keepers/x\",\"at\":"
                                "\"properties.b\",\"value\":2}"),
                     204);
    assert_int_equal(ask(&w, "PUT", id, "{\"properties\":{\"a\":1}}"), 200);
    assert_str(property(&w, "b"), STR("2"));
    assert_int_equal(ask(&w, "PUT", id, "{\"properties\":{\"a\":1,\"b\":null}}"), 200);
    assert_str(property(&w, "b"), STR(""));
    end(&w);
}

TEST(a_service_may_go_back_to_its_own_value)
{
    struct world w = open_world();
    const char *id = GROUP "/providers/Example.Odd/stubborn/x";

    assert_int_equal(ask(&w, "PUT", id, "{\"properties\":{\"size\":1}}"), 201);
    assert_int_equal(ask(&w, "GET", id, ""), 200);
    assert_str(property(&w, "size"), STR("1"));
    sim_advance(w.s, 600 * NS_PER_SEC);
    assert_int_equal(ask(&w, "GET", id, ""), 200);
    assert_str(property(&w, "size"), STR("7"));
    end(&w);
}

TEST(a_patch_of_a_parent_leaves_children_alone)
{
    struct world w = open_world();
    const char *net = GROUP "/providers/Microsoft.Network/virtualNetworks/v";
    const char *sub = GROUP "/providers/Microsoft.Network/virtualNetworks/v/subnets/s";

    assert_int_equal(ask(&w, "PUT", net, "{\"location\":\"westus2\",\"properties\":{}}"), 201);
    sim_advance(w.s, 600 * NS_PER_SEC);
    assert_int_equal(ask(&w, "PUT", sub, "{\"properties\":{\"addressPrefix\":\"10.0.0.0/24\"}}"),
                     201);
    sim_advance(w.s, 600 * NS_PER_SEC);
    assert_true(ask(&w, "PATCH", net, "{\"tags\":{\"a\":\"b\"}}") < 300);
    assert_int_equal(ask(&w, "GET", sub, ""), 200);
    end(&w);
}

TEST(the_activity_log_names_the_caller)
{
    struct world w = open_world();

    assert_int_equal(ask(&w, "PUT", THING, "{}"), 201);
    sim_advance(w.s, 60 * NS_PER_SEC);
    assert_int_equal(change(&w, "{\"id\":\"" THING "\",\"at\":\"properties.b\",\"value\":2,\"by\":"
                                "\"eve@example.com\"}"),
                     204);
    assert_int_equal(ask_url(&w, "GET",
                             STR(EVENTS "eventTimestamp%20ge%20%272000-01-01T00:00:00Z%27%20and%20"
                                        "resourceUri%20eq%20%27" THING "%27"),
                             STR_NONE),
                     200);
    const struct value *list = value_get(w.body, STR("value"));
    assert_int_equal(value_len(list), 2);
    assert_str(value_get_str(value_at(list, 0), STR("caller")), STR("eve@example.com"));
    assert_str(value_get_str(value_at(list, 1), STR("caller")), STR("anonymous"));
    assert_int_equal(
        ask_url(&w, "GET", STR(EVENTS "eventTimestamp%20ge%20%272999-01-01%27"), STR_NONE), 200);
    assert_int_equal(value_len(value_get(w.body, STR("value"))), 0);
    assert_int_equal(ask_url(&w, "GET", STR(EVENTS "caller%20eq%20%27x%27"), STR_NONE), 400);
    end(&w);
}

RUN_TESTS(cmocka_unit_test(system_data_says_who_made_and_who_wrote_it_last),
          cmocka_unit_test(somebody_changes_what_even_a_rule_decides),
          cmocka_unit_test(a_service_changes_something_and_nobody_did),
          cmocka_unit_test(wrong_changes_are_refused),
          cmocka_unit_test(a_type_may_keep_what_a_put_omits),
          cmocka_unit_test(a_service_may_go_back_to_its_own_value),
          cmocka_unit_test(a_patch_of_a_parent_leaves_children_alone),
          cmocka_unit_test(the_activity_log_names_the_caller))
