/* SPDX-License-Identifier: Apache-2.0 */
/* test_settings.c - the reference operator's settings, from an environment and a Secret. */
#include "../test.h"

#include "operator/schedule.h"
#include "operator/settings.h"

static const char *const *environment; /* names and values, ended by NULL */

static const char *get(const char *name)
{
    for (size_t i = 0; environment[i]; i += 2)
        if (strcmp(environment[i], name) == 0)
            return environment[i + 1];
    return NULL;
}

static bool read(struct arena *a, const char *const *pairs, const struct value *secret,
                 struct settings *out, struct err *e)
{
    environment = pairs;
    return settings_read(a, &(struct settings_source){.environment = get, .secret = secret}, out,
                         e);
}

TEST(nothing_set_means_the_defaults)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct settings s;

    assert_true(read(a, (const char *const[]){NULL}, NULL, &s, &e));
    assert_false(s.has_credential);
    assert_int_equal(s.period, 15 * 60 * NS_PER_SEC);
    assert_int_equal(s.policy, POLICY_MANAGE);
    assert_str(s.cloud.endpoint, STR("https://management.azure.com"));
    assert_int_equal(s.target.len, 0);
}

static const struct {
    const char *name, *value, *error;
} wrong[] = {
    {"AZURE_SYNC_PERIOD", "soon", "AZURE_SYNC_PERIOD: time: invalid duration"},
    {"AZURE_SYNC_PERIOD", "10ms", "less than a second"},
    {"AZURE_OPERATOR_MODE", "both", "is not a mode"},
    {"AZURE_OPERATOR_MODE", "webhooks", "run it with watchers"},
    {"DEFAULT_RECONCILE_POLICY", "Manage", "is not a policy"},
    {"MAX_CONCURRENT_RECONCILES", "0", "not a number from 1 on"},
    {"RATE_LIMIT_MODE", "leaky", "must be disabled or bucket"},
    {"AZURE_RESOURCE_MANAGER_ENDPOINT", "management", "must begin with https://"},
};

TEST(what_cannot_be_understood_is_an_error)
{
    for (size_t i = 0; i < COUNT(wrong); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct settings s;
        assert_false(
            read(a, (const char *const[]){wrong[i].name, wrong[i].value, NULL}, NULL, &s, &e));
        if (!str_contains(e.text, str_c(wrong[i].error)))
            fail_msg("%s=%s: %.*s", wrong[i].name, wrong[i].value, STR_ARG(e.text));
    }
}

TEST(everything_is_read)
{
    static const char *const pairs[] = {"AZURE_SUBSCRIPTION_ID",
                                        "sub",
                                        "AZURE_TENANT_ID",
                                        "tenant",
                                        "AZURE_CLIENT_ID",
                                        "client",
                                        "AZURE_CLIENT_SECRET",
                                        "hush",
                                        "AZURE_SYNC_PERIOD",
                                        "never",
                                        "AZURE_TARGET_NAMESPACES",
                                        " a, b ,,c",
                                        "AZURE_OPERATOR_MODE",
                                        "Watchers",
                                        "DEFAULT_RECONCILE_POLICY",
                                        "detach-on-delete",
                                        "ALLOW_MULTI_ENV_MANAGEMENT",
                                        "T",
                                        "POD_NAMESPACE",
                                        "ours",
                                        "AZURE_USER_AGENT_SUFFIX",
                                        "shop",
                                        NULL};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct settings s;

    assert_true(read(a, pairs, NULL, &s, &e));
    assert_true(s.has_credential && s.own_cloud);
    assert_int_equal(s.credential.kind, CREDENTIAL_SECRET);
    assert_int_equal(s.period, SCHEDULE_NEVER);
    assert_int_equal(s.policy, POLICY_DETACH);
    assert_int_equal(s.target.len, 3);
    assert_str(s.target.items[1], STR("b"));
    assert_str(s.namespace, STR("ours"));
    assert_str(s.agent, STR("shop"));
}

TEST(the_environment_wins_over_the_secret_and_empty_is_absent)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct value *secret = value_object(a);
    struct settings s;

    value_set_str(a, secret, STR("POD_NAMESPACE"), STR("c2VjcmV0"));           /* secret */
    value_set_str(a, secret, STR("AZURE_USER_AGENT_SUFFIX"), STR("c2VjcmV0")); /* secret */
    assert_true(read(
        a,
        (const char *const[]){"POD_NAMESPACE", "environment", "AZURE_USER_AGENT_SUFFIX", "", NULL},
        secret, &s, &e));
    assert_str(s.namespace, STR("environment"));
    assert_str(s.agent, STR("secret"));
}

TEST(a_credential_that_lacks_something_is_an_error_that_names_all_of_it)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct settings s;

    assert_false(read(a,
                      (const char *const[]){"AZURE_SUBSCRIPTION_ID", "s",
                                            "USE_WORKLOAD_IDENTITY_AUTH", "true", NULL},
                      NULL, &s, &e));
    assert_str(e.text, STR("the environment lacks AZURE_TENANT_ID, AZURE_CLIENT_ID"));
}

RUN_TESTS(cmocka_unit_test(nothing_set_means_the_defaults),
          cmocka_unit_test(what_cannot_be_understood_is_an_error),
          cmocka_unit_test(everything_is_read),
          cmocka_unit_test(the_environment_wins_over_the_secret_and_empty_is_absent),
          cmocka_unit_test(a_credential_that_lacks_something_is_an_error_that_names_all_of_it))
