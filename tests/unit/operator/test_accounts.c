/* SPDX-License-Identifier: Apache-2.0 */
/* test_accounts.c - which credential an object gets, and when Secrets are read. */
#include "../test.h"

#include "object/names.h"
#include "operator/accounts.h"
#include "text/codec.h"
#include "text/json/json.h"

struct stage {
    str uid; /* of the Namespace */
    struct arena *arena;
    struct arm_gate *gate;
    struct accounts *accounts;
    struct credential_settings global;
    uint64_t version; /* of the Secret that the caches have; 0: it is not there */
    str secret;       /* its name */
    unsigned reads;
};

static const struct value *find(void *ctx, struct arena *a, const struct object_key *key)
{
    struct stage *s = ctx;

    if (str_eq(key->kind, STR("Namespace"))) {
        struct value *namespace = value_object(a), *of = value_object(a);
        value_set_str(a, of, STR("uid"), s->uid);
        value_set(a, namespace, STR("metadata"), of);
        return namespace;
    }
    if (!s->version || !str_eq(key->kind, STR("Secret")) || !str_eq(key->name, s->secret))
        return NULL;
    struct value *object = value_object(a), *meta = value_object(a);
    value_set_str(a, meta, STR("resourceVersion"),
                  str_fmt(a, "%llu", (unsigned long long)s->version));
    value_set(a, object, STR("metadata"), meta);
    return object;
}

static void on_read(void *ctx, str namespace, str name)
{
    struct stage *s = ctx;

    assert_str(namespace, STR("shop"));
    assert_true(str_eq(name, s->secret));
    s->reads++;
}

static void begin(struct stage *s, const char *secret, bool global, bool own_cloud)
{
    const struct budget_limits limits = budget_published();
    AUTO_ERR e = {0};

    *s = (struct stage){.arena = arena_new(), .secret = str_c(secret)};
    s->gate = arm_gate_new(&limits);
    s->global = (struct credential_settings){.kind = CREDENTIAL_SECRET,
                                             .subscription = STR("global-subscription"),
                                             .tenant = STR("tenant"),
                                             .client = STR("client"),
                                             .secret = STR("hush"),
                                             .cloud = *cloud_find(STR("public"))};
    assert_true(accounts_new(&(struct accounts_config){.gate = s->gate,
                                                       .global = global ? &s->global : NULL,
                                                       .own_cloud = own_cloud,
                                                       .find = find,
                                                       .read = on_read,
                                                       .ctx = s},
                             &s->accounts, &e));
}

static void end(struct stage *s)
{
    accounts_free(s->accounts);
    arm_gate_free(s->gate);
    arena_free(s->arena);
}

/* Keys and values, ended by NULL. */
static void tell(struct stage *s, uint64_t version, const char *const *pairs)
{
    struct arena *a = s->arena;
    struct value *data = value_object(a), *secret = value_object(a), *meta = value_object(a);
    struct buf b = buf_new(a, BUF_UNLIMITED);

    for (size_t i = 0; pairs[i]; i += 2)
        value_set_str(a, data, str_c(pairs[i]), base64_encode(a, str_c(pairs[i + 1])));
    value_set_str(a, meta, STR("resourceVersion"), str_fmt(a, "%llu", (unsigned long long)version));
    value_set(a, secret, STR("metadata"), meta);
    value_set(a, secret, STR("data"), data);
    assert_true(json_write(&b, secret, &json_exact, NULL));
    accounts_tell(s->accounts, STR("shop"), s->secret, 200, buf_str(&b));
}

static struct value *object(struct stage *s, const char *from, bool deleting)
{
    struct value *o = value_object(s->arena), *meta = value_object(s->arena);

    value_set_str(s->arena, meta, STR("namespace"), STR("shop"));
    value_set_str(s->arena, meta, STR("name"), STR("thing"));
    if (deleting)
        value_set_str(s->arena, meta, STR("deletionTimestamp"), STR("2026-01-01T00:00:00Z"));
    value_set(s->arena, o, STR("metadata"), meta);
    if (from)
        object_set_annotation(s->arena, o, STR(ANNOTATION_CREDENTIAL_FROM), str_c(from));
    return o;
}

static enum account_state ask(struct stage *s, const char *from, bool deleting, struct account *out,
                              struct err *e)
{
    err_clear(e);
    return accounts_of(s->accounts, s->arena, object(s, from, deleting), out, e);
}

#define GOOD                                                                                       \
    "AZURE_SUBSCRIPTION_ID", "own-subscription", "AZURE_TENANT_ID", "t", "AZURE_CLIENT_ID", "c"

TEST(without_a_secret_the_operators_own_credential_is_used)
{
    struct stage s;
    struct account account;
    AUTO_ERR e = {0};

    begin(&s, "aso-credential", true, false);
    assert_int_equal(ask(&s, NULL, false, &account, &e), ACCOUNT_READY);
    assert_str(account.key, STR("global"));
    assert_str(account.subscription, STR("global-subscription"));
    assert_int_equal(account.need_count, 1);
    assert_str(account.needs[0].name, STR("aso-credential"));
    end(&s);

    begin(&s, "aso-credential", false, false);
    assert_int_equal(ask(&s, NULL, false, &account, &e), ACCOUNT_MISSING);
    assert_true(str_contains(e.text, STR("create the Secret shop/aso-credential")));
    end(&s);
}

TEST(a_secret_is_read_once_and_again_when_it_has_changed)
{
    struct stage s;
    struct account account;
    AUTO_ERR e = {0};

    begin(&s, "aso-credential", true, false);
    s.version = 5;
    assert_int_equal(ask(&s, NULL, false, &account, &e), ACCOUNT_PENDING);
    assert_int_equal(ask(&s, NULL, false, &account, &e), ACCOUNT_PENDING);
    assert_int_equal(s.reads, 1);
    tell(&s, 5, (const char *const[]){GOOD, "AZURE_CLIENT_SECRET", "x", NULL});
    assert_int_equal(ask(&s, NULL, false, &account, &e), ACCOUNT_READY);
    assert_str(account.key, STR("shop/aso-credential"));
    assert_str(account.subscription, STR("own-subscription"));
    assert_int_equal(s.reads, 1);
    /* A client in use outlives the change. */
    struct account_client *client = accounts_take(s.accounts, account.key);
    s.version = 6;
    assert_int_equal(ask(&s, NULL, false, &account, &e), ACCOUNT_PENDING);
    assert_int_equal(s.reads, 2);
    tell(&s, 6,
         (const char *const[]){"AZURE_SUBSCRIPTION_ID", "another", "AZURE_TENANT_ID", "t",
                               "AZURE_CLIENT_ID", "c", "AZURE_CLIENT_SECRET", "x", NULL});
    assert_int_equal(ask(&s, NULL, false, &account, &e), ACCOUNT_READY);
    assert_str(account.subscription, STR("another"));
    assert_str(accounts_endpoint(client), STR("https://management.azure.com"));
    accounts_give(s.accounts, client);
    assert_null(accounts_take(s.accounts, STR("shop/other")));
    end(&s);
}

TEST(a_secret_that_is_gone_serves_deletions_only)
{
    struct stage s;
    struct account account;
    AUTO_ERR e = {0};

    begin(&s, "mine", true, false);
    s.version = 5;
    (void)ask(&s, "mine", false, &account, &e);
    tell(&s, 5, (const char *const[]){GOOD, "AZURE_CLIENT_SECRET", "x", NULL});
    s.version = 0;
    assert_int_equal(ask(&s, "mine", true, &account, &e), ACCOUNT_READY);
    assert_str(account.subscription, STR("own-subscription"));
    assert_int_equal(ask(&s, "mine", false, &account, &e), ACCOUNT_MISSING);
    assert_true(str_contains(e.text, STR("Secret shop/mine of the annotation")));
    assert_int_equal(ask(&s, NULL, false, &account, &e), ACCOUNT_READY);
    assert_str(account.key, STR("global"));
    /* A namespace made anew under the old name is somebody else's. */
    s.uid = STR("another");
    assert_int_equal(ask(&s, "mine", true, &account, &e), ACCOUNT_MISSING);
    end(&s);
}

static const struct {
    const char *pairs[16];
    bool own_cloud;
    const char *error;
} bad[] = {
    {{"AZURE_TENANT_ID", "t", NULL},
     false,
     "Secret shop/aso-credential lacks AZURE_SUBSCRIPTION_ID, AZURE_CLIENT_ID"},
    {{GOOD, "AUTH_MODE", "magic", NULL}, false, "AUTH_MODE is \"magic\""},
    {{GOOD, "AZURE_CLIENT_SECRET", "", NULL}, false, "is there but empty"},
    {{GOOD, "AZURE_AUTHORITY_HOST", "https://login", NULL}, false, "which is not allowed"},
    {{GOOD, "AZURE_AUTHORITY_HOST", "https://login", NULL}, true, "must have all of"},
};

TEST(a_secret_that_is_wrong_is_no_reason_to_take_another_credential)
{
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct stage s;
        struct account account;
        AUTO_ERR e = {0};
        begin(&s, "aso-credential", true, bad[i].own_cloud);
        s.version = 5;
        (void)ask(&s, NULL, false, &account, &e);
        tell(&s, 5, bad[i].pairs);
        assert_int_equal(ask(&s, NULL, false, &account, &e), ACCOUNT_MISSING);
        if (!str_contains(e.text, str_c(bad[i].error)))
            fail_msg("%zu: %.*s", i, STR_ARG(e.text));
        assert_int_equal(s.reads, 1);
        end(&s);
    }
}

TEST(a_failed_read_is_repeated)
{
    struct stage s;
    struct account account;
    AUTO_ERR e = {0};

    clock_fake(NS_PER_SEC);
    begin(&s, "aso-credential", true, false);
    s.version = 5;
    (void)ask(&s, NULL, false, &account, &e);
    accounts_tell(s.accounts, STR("shop"), s.secret, 403, STR("{}"));
    assert_int_equal(ask(&s, NULL, false, &account, &e), ACCOUNT_MISSING);
    assert_true(str_contains(e.text, STR("the API server answers 403")));
    accounts_step(s.accounts);
    assert_int_equal(s.reads, 1);
    clock_advance(10 * NS_PER_SEC);
    accounts_step(s.accounts);
    accounts_step(s.accounts);
    assert_int_equal(s.reads, 2);
    tell(&s, 5, (const char *const[]){GOOD, "AZURE_CLIENT_SECRET", "x", NULL});
    assert_int_equal(ask(&s, NULL, false, &account, &e), ACCOUNT_READY);
    end(&s);
    clock_real();
}

TEST(a_name_with_a_slash_is_an_error)
{
    struct stage s;
    struct account account;
    AUTO_ERR e = {0};

    begin(&s, "x", true, false);
    assert_int_equal(ask(&s, "other/x", false, &account, &e), ACCOUNT_MISSING);
    assert_true(str_contains(e.text, STR("without \"/\"")));
    end(&s);
}

RUN_TESTS(cmocka_unit_test(without_a_secret_the_operators_own_credential_is_used),
          cmocka_unit_test(a_secret_is_read_once_and_again_when_it_has_changed),
          cmocka_unit_test(a_secret_that_is_gone_serves_deletions_only),
          cmocka_unit_test(a_secret_that_is_wrong_is_no_reason_to_take_another_credential),
          cmocka_unit_test(a_failed_read_is_repeated),
          cmocka_unit_test(a_name_with_a_slash_is_an_error))
