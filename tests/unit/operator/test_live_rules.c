/* SPDX-License-Identifier: Apache-2.0 */
/* test_live_rules.c - watching a ConfigMap of rules. */
#include "../test.h"

#include "operator/live_rules.h"

#define MAP(version, data)                                                                         \
    STR("{\"metadata\":{\"name\":\"rules\",\"namespace\":\"sys\",\"resourceVersion\":\"" version   \
        "\"},\"data\":{" data "}}")
#define TRIM(max)                                                                                  \
    "\"widget.json\":\"{\\\"rules\\\":\\\"kind\\\",\\\"kind\\\":\\\"example.azure.com/Widget\\\"," \
    "\\\"trim\\\":[{\\\"at\\\":\\\"properties.parts\\\",\\\"max\\\":" max "}]}\""

static size_t max_of(const struct kind_set *set)
{
    const struct kind_rules *rules = kind_rules_find(set, STR("example.azure.com"), STR("Widget"));

    return rules && rules->trims.len ? rules->trims.items[0].max : 0;
}

static const struct object_key key = {
    .kind = STR_INIT("ConfigMap"), .namespace = STR_INIT("sys"), .name = STR_INIT("rules")};

TEST(other_rules_come_into_force)
{
    struct live_rules *r = live_rules_new(STR("sys"), STR("rules"), STR("1"));

    assert_true(live_rules_due(r, 1));
    assert_false(live_rules_due(r, 1)); /* it is being read */
    assert_false(live_rules_tell(r, 200, MAP("1", TRIM("1"))));
    assert_false(live_rules_pending(r));
    assert_true(live_rules_due(r, 1 + LIVE_RULES_EVERY));
    assert_true(live_rules_tell(r, 200, MAP("2", TRIM("2"))));
    assert_true(live_rules_pending(r));
    assert_int_equal(max_of(live_rules_take(r)), 2);
    assert_false(live_rules_pending(r));
    /* The last of several counts. */
    assert_true(live_rules_tell(r, 200, MAP("3", TRIM("3"))));
    assert_true(live_rules_tell(r, 200, MAP("4", TRIM("4"))));
    assert_int_equal(max_of(live_rules_take(r)), 4);
    live_rules_free(r);
}

TEST(what_cannot_be_read_changes_nothing)
{
    static const struct {
        int http;
        str body;
    } rows[] = {
        {0, STR_INIT("")},
        {404, STR_INIT("{}")},
        {500, STR_INIT("{}")},
        {200, STR_INIT("no json")},
        {200, STR_INIT("[]")},
        {200, STR_INIT("{\"metadata\":{\"resourceVersion\":\"9\"},\"data\":{\"x.json\":\"{\"}}")},
    };
    struct live_rules *r = live_rules_new(STR("sys"), STR("rules"), STR("1"));

    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_false(live_rules_tell(r, rows[i].http, rows[i].body));
        assert_false(live_rules_pending(r));
    }
    assert_true(live_rules_tell(r, 200, MAP("10", TRIM("7"))));
    live_rules_free(r);
}

TEST(news_is_read_at_once)
{
    const struct object_key others[] = {
        {.kind = STR("Secret"), .namespace = key.namespace, .name = key.name},
        {.kind = key.kind, .namespace = STR("else"), .name = key.name},
        {.kind = key.kind, .namespace = key.namespace, .name = STR("else")},
    };
    struct live_rules *r = live_rules_new(STR("sys"), STR("rules"), STR("1"));

    assert_false(live_rules_changed(NULL, &key));
    assert_true(live_rules_due(r, 1));
    assert_false(live_rules_tell(r, 200, MAP("1", TRIM("1"))));
    for (size_t i = 0; i < COUNT(others); i++)
        assert_false(live_rules_changed(r, &others[i]));
    assert_false(live_rules_due(r, 2));
    assert_true(live_rules_changed(r, &key));
    assert_true(live_rules_due(r, 3));
    /* News while it is read: once more. */
    assert_true(live_rules_changed(r, &key));
    assert_false(live_rules_due(r, 4));
    assert_true(live_rules_tell(r, 200, MAP("2", TRIM("2"))));
    assert_true(live_rules_due(r, 5));
    live_rules_free(r);
}

RUN_TESTS(cmocka_unit_test(other_rules_come_into_force),
          cmocka_unit_test(what_cannot_be_read_changes_nothing),
          cmocka_unit_test(news_is_read_at_once))
