/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_ext_hooks.c - kinds with hooks, and what is true for all hooks and rules: a hook that
 * returns next changes nothing, nor does an empty file, and both apply to a new API version.
 */
#include "../test.h"

#include "object/names.h"
#include "operator/ext.h"
#include "text/json/json.h"

#define SUB "/subscriptions/11111111-2222-3333-4444-555555555555"
#define VAULT SUB "/resourceGroups/rg/providers/Microsoft.KeyVault/vaults/kv"
#define DELETED SUB "/providers/Microsoft.KeyVault/locations/westus2/deletedVaults/kv"

static struct value *parse(struct arena *a, const char *text)
{
    struct source *src = ARENA_NEW(a, struct source);
    struct value *v = NULL;
    AUTO_ERR e = {0};

    src->text = str_c(text);
    assert_ok(json_read(a, src, NULL, &v, &e), &e);
    return v;
}

static str print(struct arena *a, const struct value *v)
{
    struct buf b = buf_new(a, BUF_UNLIMITED);

    return v && json_write(&b, v, &json_exact, NULL) ? buf_str(&b) : STR_NONE;
}

/* What a decision says, on one line. */
static str told(struct arena *a, const struct decision *d)
{
    switch (d->kind) {
    case DECISION_ASK:
        return str_fmt(a, "%s%.*s %.*s %.*s",
                       d->request.harmless ? "" : "write: ", STR_ARG(d->request.method),
                       STR_ARG(d->request.url), STR_ARG(print(a, d->request.body)));
    case DECISION_BLOCK:
        return str_fmt(a, "%.*s %.*s: %.*s", STR_ARG(d->severity), STR_ARG(d->reason),
                       STR_ARG(d->message));
    default:
        return print(a, d->value);
    }
}

struct answer {
    int http;
    const char *body;
};

static size_t take_answers(const struct answer *from, struct arm_answer *to)
{
    size_t n = 0;

    for (; from[n].http; n++)
        to[n] = (struct arm_answer){
            .http = from[n].http, .body = str_c(from[n].body), .retry_after = -1};
    return n;
}

/* ---- Key Vault. ------------------------------------------------------------------------------ */

#define GONE "{\"error\":{\"code\":\"VaultNotFound\",\"message\":\"none\"}}"
#define KEPT(group)                                                                                \
    "{\"properties\":{\"vaultId\":\"" SUB "/resourceGroups/" group                                 \
    "/providers/Microsoft.KeyVault/vaults/kv\"}}"
#define AS_DEFAULT "{\"properties\":{\"createMode\":\"default\"}}"
#define LOOK_UP "GET " DELETED "?api-version=2024-11-01 "

static const struct {
    const char *mode, *location, *body;
    struct answer answers[4];
    const char *want;
} vault_cases[] = {
    {"default", "westus2", NULL, {{0}}, AS_DEFAULT},
    {"createOrRecover", "West US 2", NULL, {{0}}, LOOK_UP},
    {"createOrRecover", "westus2", "{}", {{0}}, AS_DEFAULT},
    {"createOrRecover", "westus2", NULL, {{404, GONE}}, AS_DEFAULT},
    {"createOrRecover",
     "westus2",
     NULL,
     {{200, KEPT("RG")}},
     "{\"properties\":{\"createMode\":\"recover\"}}"},
    {"createOrRecover",
     "westus2",
     NULL,
     {{200, KEPT("other")}},
     "Error Failed: the deleted vault kv was in resource group other and can be recovered only "
     "there"},
    {"createOrRecover",
     "westus2",
     NULL,
     {{403, "{\"error\":{\"code\":\"AuthorizationFailed\",\"message\":\"no\"}}"}},
     "Warning Failed: looking for a deleted vault: AuthorizationFailed: no"},
    {"createOrRecover",
     "",
     NULL,
     {{0}},
     "Warning Failed: createMode createOrRecover needs spec.location"},
    {"purgeThenCreate",
     "../westus2",
     NULL,
     {{0}},
     "Warning Failed: createMode purgeThenCreate needs spec.location"},
    {"purgeThenCreate", "westus2", NULL, {{0}}, LOOK_UP},
    {"purgeThenCreate", "westus2", NULL, {{404, GONE}}, AS_DEFAULT},
    {"purgeThenCreate", "westus2", NULL, {{403, "{}"}}, AS_DEFAULT},
    {"purgeThenCreate",
     "westus2",
     NULL,
     {{200, KEPT("other")}},
     "write: POST " DELETED "/purge?api-version=2024-11-01 "},
    {"purgeThenCreate", "westus2", NULL, {{200, KEPT("rg")}, {202, ""}}, LOOK_UP},
    {"purgeThenCreate", "westus2", NULL, {{200, KEPT("rg")}, {202, ""}, {404, GONE}}, AS_DEFAULT},
    {"purgeThenCreate",
     "westus2",
     NULL,
     {{200, KEPT("rg")}, {409, "{}"}, {200, KEPT("rg")}},
     "Info Reconciling: the deleted vault of this name is being purged"},
    {"purgeThenCreate",
     "westus2",
     NULL,
     {{200, KEPT("rg")},
      {400, "{\"error\":{\"code\":\"MethodNotAllowed\",\"message\":\"purge protection\"}}"}},
     "Warning Failed: purging the deleted vault: MethodNotAllowed: purge protection"},
};

TEST(vaults_are_recovered_or_purged)
{
    struct ext x = ext_find(NULL, NULL, STR("keyvault.azure.com"), STR("Vault"));

    for (size_t i = 0; i < COUNT(vault_cases); i++) {
        AUTO_ARENA a = arena_new();
        struct arm_answer answers[4];
        struct ext_input in = {.arena = a, .id = STR(VAULT), .answers = answers};
        in.object = parse(a, str_z(a, str_fmt(a,
                                              "{\"spec\":{\"location\":\"%s\",\"properties\":{"
                                              "\"createMode\":\"%s\"}}}",
                                              vault_cases[i].location, vault_cases[i].mode)));
        in.payload = parse(a, AS_DEFAULT);
        in.body = vault_cases[i].body ? parse(a, vault_cases[i].body) : NULL;
        in.answer_count = take_answers(vault_cases[i].answers, answers);
        struct decision d = ext_payload(&x, &in);
        assert_str(told(a, &d), str_c(vault_cases[i].want));
    }
}

/* ---- Roles. ---------------------------------------------------------------------------------- */

#define ROLE "properties\":{\"roleDefinitionId\":\""
#define LIST                                                                                       \
    "GET /providers/Microsoft.Authorization/roleDefinitions?api-version=2022-04-01&%24filter="
#define DEFINITION(name, type, id)                                                                 \
    "{\"name\":\"" id "\",\"properties\":{\"roleName\":\"" name "\",\"type\":\"" type "\"}}"

static const struct {
    const char *id, *role;
    struct answer answers[4];
    const char *want;
} role_cases[] = {
    {SUB "/providers/Microsoft.Authorization/roleAssignments/x",
     SUB "/x",
     {{0}},
     "{\"" ROLE SUB "/x\"}}"},
    {SUB "/providers/Microsoft.Authorization/roleAssignments/x",
     "It's mine",
     {{0}},
     LIST "roleName+eq+%27It%27%27s+mine%27 "},
    {SUB "/providers/Microsoft.Authorization/roleAssignments/x",
     "reader",
     {{200, "{\"value\":[" DEFINITION("Reader", "CustomRole",
                                      "c") "," DEFINITION("Reader", "BuiltInRole", "b") "]}"}},
     "{\"" ROLE SUB "/providers/Microsoft.Authorization/roleDefinitions/b\"}}"},
    {"/providers/Microsoft.Management/managementGroups/g/providers/Microsoft.Authorization/"
     "roleAssignments/x",
     "Reader",
     {{200, "{\"value\":[" DEFINITION("Reader", "BuiltInRole", "b") "]}"}},
     "{\"" ROLE "/providers/Microsoft.Authorization/roleDefinitions/b\"}}"},
    {SUB "/providers/Microsoft.Authorization/roleAssignments/x",
     "Reader",
     {{200, "{\"value\":[],\"nextLink\":\"https://management.azure.com/2\"}"}},
     "GET https://management.azure.com/2 "},
    {SUB "/providers/Microsoft.Authorization/roleAssignments/x",
     "Raeder",
     {{200, "{\"value\":[],\"nextLink\":\"https://management.azure.com/2\"}"},
      {200, "{\"value\":[]}"}},
     "Warning Failed: there is no built-in role \"Raeder\""},
    {SUB "/providers/Microsoft.Authorization/roleAssignments/x",
     "Reader",
     {{403, "{\"error\":{\"code\":\"AuthorizationFailed\",\"message\":\"no\"}}"}},
     "Warning Failed: listing role definitions: AuthorizationFailed: no"},
};

TEST(roles_are_found_by_name)
{
    struct ext x = ext_find(NULL, NULL, STR("authorization.azure.com"), STR("RoleAssignment"));

    for (size_t i = 0; i < COUNT(role_cases); i++) {
        AUTO_ARENA a = arena_new();
        struct arm_answer answers[4];
        struct ext_input in = {.arena = a, .id = str_c(role_cases[i].id), .answers = answers};
        in.object = parse(a, "{}");
        in.payload = parse(a, str_z(a, str_fmt(a, "{\"" ROLE "%s\"}}", role_cases[i].role)));
        in.answer_count = take_answers(role_cases[i].answers, answers);
        struct decision d = ext_payload(&x, &in);
        assert_str(told(a, &d), str_c(role_cases[i].want));
    }
}

/* ---- Backups. -------------------------------------------------------------------------------- */

#define INSTANCE                                                                                   \
    SUB "/resourceGroups/rg/providers/Microsoft.DataProtection/backupVaults/v/backupInstances/i"
#define PROTECTION(status, code)                                                                   \
    "{\"properties\":{\"protectionStatus\":{\"status\":\"" status                                  \
    "\",\"errorDetails\":{\"code\":\"" code "\"}}}}"
#define OPERATION "https://management.azure.com/operations/1"
#define WAITS                                                                                      \
    "Warning PostReconciliationFailure: protectionStatus is ProtectionError: waiting for the "     \
    "protection to settle"

TEST(backups_are_synced)
{
    AUTO_ARENA a = arena_new();
    struct ext x =
        ext_find(NULL, NULL, STR("dataprotection.azure.com"), STR("BackupVaultsBackupInstance"));
    struct arm_answer answer = {.http = 202, .location = STR(OPERATION), .retry_after = -1};
    struct ext_input in = {.arena = a,
                           .id = STR(INSTANCE),
                           .endpoint = STR("https://management.azure.com"),
                           .answers = &answer};

    /* An error that is no mistake of the user is waited for. */
    in.object = parse(a, "{\"metadata\":{}}");
    in.body = parse(a, PROTECTION("ProtectionError", "InternalError"));
    struct decision d = ext_post_check(&x, &in);
    assert_str(told(a, &d), STR(WAITS));

    in.body = parse(a, PROTECTION("protectionError", "usererrorMissingPermission"));
    d = ext_post_check(&x, &in);
    assert_str(told(a, &d), STR("write: POST " INSTANCE "/sync?api-version=2024-04-01 "
                                "{\"syncType\":\"Default\"}"));

    /* Accepted: the token is kept, and the next pass polls it. */
    in.answer_count = 1;
    d = ext_post_check(&x, &in);
    assert_int_equal(d.kind, DECISION_BLOCK);
    str token = value_get_str(d.annotations, STR(ANNOTATION_SYNC_TOKEN));
    assert_true(str_has_prefix(
        token, STR("{\"type\":\"BackupInstancesClientSyncBackupInstanceResponse\"")));
    struct value *object = parse(a, "{\"metadata\":{\"annotations\":{}}}");
    value_set_str(a, value_get(value_get(object, STR("metadata")), STR("annotations")),
                  STR(ANNOTATION_SYNC_TOKEN), token);
    in.object = object;
    in.answer_count = 0;
    d = ext_post_check(&x, &in);
    assert_str(told(a, &d), STR("GET " OPERATION " "));

    /* Still running: asked again after a while. Done: the token goes. */
    in.answer_count = 1;
    answer.retry_after = 7 * NS_PER_SEC;
    d = ext_post_check(&x, &in);
    assert_int_equal(d.kind, DECISION_BLOCK);
    assert_int_equal(d.retry, 7 * NS_PER_SEC);
    assert_null(d.annotations);
    answer = (struct arm_answer){.http = 200, .retry_after = -1};
    d = ext_post_check(&x, &in);
    assert_int_equal(d.kind, DECISION_BLOCK);
    assert_str(print(a, d.annotations), STR("{\"" ANNOTATION_SYNC_TOKEN "\":\"\"}"));
}

/* ---- The example of the design document, as a rule and as a hook. ---------------------------- */

static struct error_verdict conflict_passes(const struct ext_input *in,
                                            const struct cloud_error *error,
                                            struct error_verdict next)
{
    (void)in;
    if (str_eq(error->code, STR("Conflict")))
        next.class = CLASS_RETRYABLE;
    return next;
}

static const struct azure_ext redis_hook = {.kind = "cache.azure.com/Redis",
                                            .classify = conflict_passes};
static const struct azure_ext *const redis_hooks[] = {&redis_hook, NULL};

#define REDIS(rest) "{\"rules\":\"kind\",\"kind\":\"cache.azure.com/Redis\"" rest "}"

static struct kind_set *rules_of(struct arena *a, const char *text)
{
    struct source *src = ARENA_NEW(a, struct source);
    struct kind_set *set;
    AUTO_ERR e = {0};

    *src = (struct source){.file = STR("cache.Redis.json"), .text = str_c(text)};
    assert_ok(kind_set_overlay(a, (const struct source *const *)&src, 1, &set, &e), &e);
    return set;
}

/* General rules by which Conflict is fatal, as it was when the document was written. */
static const struct rules *old_rules(struct arena *a)
{
    static const struct source src = {
        .file = STR_INIT("errors.json"),
        .text = STR_INIT("{\"rules\":\"errors\",\"retries\":{\"slow\":{\"base\":1,\"max\":2}},"
                         "\"stages\":[{\"name\":\"all\",\"rules\":[{\"id\":\"all\",\"match\":{},"
                         "\"class\":\"fatal\",\"retry\":\"slow\"}]}]}")};
    struct rules *rules;
    AUTO_ERR e = {0};

    assert_ok(rules_read(a, &src, &rules, &e), &e);
    return rules;
}

static enum error_class class_of(struct arena *a, const struct ext *x, const char *code)
{
    struct ext_input in = {.arena = a, .api_version = STR("2030-01-01")};
    struct cloud_error e;

    cloud_error_read(a, 409, str_fmt(a, "{\"error\":{\"code\":\"%s\",\"message\":\"m\"}}", code),
                     &e);
    return ext_classify(x, &in, old_rules(a), (struct error_facts){.error = &e}).class;
}

TEST(redis_conflicts_can_be_retried)
{
    AUTO_ARENA a = arena_new();
    struct kind_set *rule =
        rules_of(a, REDIS(",\"errors\":[{\"id\":\"redis-conflict\",\"match\":{\"code\":"
                          "[\"Conflict\"]},\"class\":\"retryable\"}]"));
    const struct ext with[] = {
        ext_find(rule, NULL, STR("cache.azure.com"), STR("Redis")),
        ext_find(NULL, redis_hooks, STR("cache.azure.com"), STR("Redis")),
    };
    struct ext without = ext_find(NULL, NULL, STR("cache.azure.com"), STR("Redis"));

    for (size_t i = 0; i < COUNT(with); i++) {
        assert_int_equal(class_of(a, &with[i], "Conflict"), CLASS_RETRYABLE);
        assert_int_equal(class_of(a, &with[i], "Other"), CLASS_FATAL);
    }
    assert_int_equal(class_of(a, &without, "Conflict"), CLASS_FATAL);
    /* A file of the user keeps what the built-in one has besides. */
    assert_int_equal(with[0].rules->secrets.len, without.rules->secrets.len);
}

/* ---- Law 8: next, an empty file and no file behave alike. ------------------------------------ */

static struct decision same(const struct ext_input *in, struct decision next)
{
    (void)in;
    return next;
}
static struct error_verdict same_verdict(const struct ext_input *in,
                                         const struct cloud_error *error, struct error_verdict next)
{
    (void)in;
    (void)error;
    return next;
}
static struct ext_exports same_exports(const struct ext_input *in, struct ext_exports next)
{
    (void)in;
    return next;
}
static struct differences same_differences(const struct ext_input *in, struct differences next)
{
    (void)in;
    return next;
}

static const struct azure_ext next_only = {.kind = "made.azure.com/Up",
                                           .claim = same,
                                           .payload = same,
                                           .owner_check = same,
                                           .check = same,
                                           .before_compare = same,
                                           .after_compare = same_differences,
                                           .classify = same_verdict,
                                           .post_check = same,
                                           .secrets = same_exports,
                                           .configs = same_exports,
                                           .success = same,
                                           .delete = same,
                                           .import = same};
static const struct azure_ext *const next_hooks[] = {&next_only, NULL};

/* Everything that the points say, as one text. */
static str all_points(struct arena *a, const struct ext *x)
{
    static struct decision (*const points[])(const struct ext *, const struct ext_input *) = {
        ext_claim,      ext_payload, ext_owner_check, ext_check, ext_before_compare,
        ext_post_check, ext_success, ext_delete,      ext_import};
    struct buf b = buf_new(a, BUF_UNLIMITED);
    struct difference difference = {.kind = DIFFERENCE_ADDED};
    struct cloud_error e;
    struct ext_input in = {.arena = a, .id = STR("/subscriptions/s/x"), .api_version = STR("v")};

    in.object = parse(a, "{\"spec\":{\"operatorSpec\":{\"secrets\":{\"k\":{\"name\":\"n\",\"key\":"
                         "\"k\"}}}}}");
    in.payload = parse(a, "{\"properties\":{\"a\":1}}");
    in.body = in.owner = parse(a, "{\"properties\":{\"provisioningState\":\"Updating\"}}");
    for (size_t i = 0; i < COUNT(points); i++) {
        struct decision d = points[i](x, &in);
        buf_fmt(&b, "%d %.*s %.*s\n", (int)d.kind, STR_ARG(told(a, &d)), STR_ARG(d.request.url));
    }
    cloud_error_read(a, 409, STR("{\"error\":{\"code\":\"Conflict\",\"message\":\"m\"}}"), &e);
    struct error_verdict v =
        ext_classify(x, &in, rules_errors(), (struct error_facts){.error = &e});
    struct differences diff =
        ext_after_compare(x, &in, (struct differences){.items = &difference, .count = 1});
    buf_fmt(&b, "%d %.*s %.*s %zu %zu %zu\n", (int)v.class, STR_ARG(v.retry->name), STR_ARG(v.rule),
            diff.count, ext_secrets(x, &in).request_count, ext_configs(x, &in).count);
    return buf_str(&b);
}

TEST(doing_nothing_is_the_same_as_not_being_there)
{
    AUTO_ARENA a = arena_new();
    const struct azure_ext empty = {.kind = "made.azure.com/Up"};
    const struct azure_ext *const empty_hooks[] = {&empty, NULL};
    struct kind_set *file = rules_of(a, "{\"rules\":\"kind\",\"kind\":\"made.azure.com/Up\"}");
    struct ext none = ext_find(NULL, NULL, STR("made.azure.com"), STR("Up"));
    const struct ext others[] = {
        ext_find(file, NULL, STR("made.azure.com"), STR("Up")),
        ext_find(NULL, next_hooks, STR("made.azure.com"), STR("Up")),
        ext_find(file, next_hooks, STR("made.azure.com"), STR("Up")),
        ext_find(NULL, empty_hooks, STR("made.azure.com"), STR("Up")),
    };
    str want = all_points(a, &none);

    assert_null(none.rules);
    assert_null(none.hooks);
    for (size_t i = 0; i < COUNT(others); i++)
        assert_str(all_points(a, &others[i]), want);
}

/* The lookup knows groups and kinds only, so whatever version there will be has both. */
TEST(a_new_api_version_keeps_rules_and_hooks)
{
    AUTO_ARENA a = arena_new();
    struct ext x = ext_find(NULL, NULL, STR("keyvault.azure.com"), STR("Vault"));
    struct ext_input in = {.arena = a, .id = STR(VAULT), .api_version = STR("2099-12-31")};

    in.object = parse(a, "{\"apiVersion\":\"keyvault.azure.com/v20991231\",\"spec\":{\"location\":"
                         "\"westus2\",\"properties\":{\"createMode\":\"createOrRecover\"}}}");
    in.payload = parse(a, AS_DEFAULT);
    assert_int_equal(x.rules->values.len, 1);
    assert_int_equal(ext_payload(&x, &in).kind, DECISION_ASK);
    assert_null(ext_find(NULL, NULL, STR("other.azure.com"), STR("Vault")).hooks);
}

TEST(hooks_are_sorted_and_of_known_form)
{
    for (size_t i = 0; azure_exts[i]; i++) {
        assert_true(str_find(str_c(azure_exts[i]->kind), STR(".azure.com/")) != STR_NPOS);
        assert_true(!i || str_cmp(str_c(azure_exts[i - 1]->kind), str_c(azure_exts[i]->kind)) < 0);
    }
}

TEST(tokens_are_shown_to_resource_manager_only)
{
    static const struct {
        const char *url, *want; /* NULL: not at all */
    } cases[] = {
        {"/a?b", "https://management.azure.com/a?b"},
        {"https://management.azure.com/n", "https://management.azure.com/n"},
        {"https://evil.example/n", NULL},
    };
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ext_request r = {.url = str_c(cases[i].url)};
        str url;
        bool ok = ext_url(a, STR("https://management.azure.com"), &r, &url);
        assert_int_equal(ok, cases[i].want != NULL);
        if (ok)
            assert_str(url, str_c(cases[i].want));
    }
}

RUN_TESTS(cmocka_unit_test(vaults_are_recovered_or_purged),
          cmocka_unit_test(roles_are_found_by_name), cmocka_unit_test(backups_are_synced),
          cmocka_unit_test(redis_conflicts_can_be_retried),
          cmocka_unit_test(doing_nothing_is_the_same_as_not_being_there),
          cmocka_unit_test(a_new_api_version_keeps_rules_and_hooks),
          cmocka_unit_test(hooks_are_sorted_and_of_known_form),
          cmocka_unit_test(tokens_are_shown_to_resource_manager_only))
