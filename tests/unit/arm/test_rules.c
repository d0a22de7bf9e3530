/* SPDX-License-Identifier: Apache-2.0 */
/* test_rules.c - rules as data: what they decide, and which rule files are rejected. */
#include "../test.h"

#include "arm/rules/kind.h"
#include "value/source.h"

static const struct {
    int http;
    const char *body, *group, *kind;
    enum error_class class;
    const char *retry;
    enum error_effect effect;
    const char *reason, *rule;
} cases[] = {
    {409, "{\"error\":{\"code\":\"Conflict\",\"message\":\"x\"}}", "", "", CLASS_RETRYABLE, "slow",
     EFFECT_OBJECT, "Conflict", "transient"},
    {400, "{\"error\":{\"code\":\"PasswordTooLong\",\"message\":\"x\"}}", "", "", CLASS_FATAL,
     "none", EFFECT_OBJECT, "PasswordTooLong", "fatal"},
    {400, "{\"error\":{\"code\":\"Strange\",\"message\":\"x\"}}", "", "", CLASS_RETRYABLE,
     "very-slow", EFFECT_OBJECT, "Strange", "bad-request"},
    {403, "{\"error\":{\"code\":\"Strange\",\"message\":\"x\"}}", "", "", CLASS_RETRYABLE, "slow",
     EFFECT_OBJECT, "Strange", "other"},
    {400, "<html>", "", "", CLASS_RETRYABLE, "slow", EFFECT_OBJECT, "UnknownError", "unreadable"},
    {400, "{\"error\":{\"code\":\"PasswordNotComplex\",\"message\":\"x\"}}", "sql", "Server",
     CLASS_FATAL, "none", EFFECT_OBJECT, "PasswordNotComplex", "bad-request, sql-server"},
    {400, "{\"error\":{\"code\":\"BadRequest\",\"message\":\"DiskAccess object d is not found\"}}",
     "compute", "Disk", CLASS_RETRYABLE, "very-slow", EFFECT_OBJECT, "BadRequest",
     "hopeful, compute-disk"},
    {429,
     "{\"error\":{\"code\":\"RetryableError\",\"message\":\"x\",\"details\":[{\"code\":"
     "\"ReferencedResourceNotProvisioned\",\"message\":\"y\"}]}}",
     "", "", CLASS_RETRYABLE, "slow", EFFECT_OBJECT, "RetryableError", "other, waits-for-other"},
    {429, "{\"error\":{\"code\":\"429\",\"message\":\"x\"}}", "", "", CLASS_RETRYABLE, "slow",
     EFFECT_BUCKET, "Throttled", "other, throttled"},
    {401, "{\"error\":{\"code\":\"InvalidAuthenticationToken\",\"message\":\"x\"}}", "", "",
     CLASS_RETRYABLE, "slow", EFFECT_TOKEN, "CredentialInvalid", "other, token-refused"},
    {409, "{\"error\":{\"code\":\"missingSubscriptionRegistration\",\"message\":\"x\"}}", "", "",
     CLASS_RETRYABLE, "slow", EFFECT_REGISTER, "missingSubscriptionRegistration",
     "other, not-registered"},
    {503, "", "", "", CLASS_RETRYABLE, "slow", EFFECT_SERVER, "UnknownError",
     "other, server-trouble"},
};

TEST(built_in_rules_decide)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cloud_error e;
        struct error_verdict v;
        cloud_error_read(a, cases[i].http, str_c(cases[i].body), &e);
        rules_classify(a, rules_errors(),
                       &(struct error_facts){.error = &e,
                                             .method = STR("PUT"),
                                             .own = kind_rules_find(NULL, str_c(cases[i].group),
                                                                    str_c(cases[i].kind))},
                       &v);
        assert_str(v.rule, str_c(cases[i].rule));
        assert_int_equal(v.class, cases[i].class);
        assert_str(v.retry->name, str_c(cases[i].retry));
        assert_int_equal(v.effect, cases[i].effect);
        assert_str(v.reason, str_c(cases[i].reason));
    }
}

TEST(built_in_rules_have_no_findings)
{
    AUTO_ARENA a = arena_new();
    struct rules_finding *findings;

    assert_int_equal(rules_lint(a, rules_errors(), &findings), 0);
}

#define RETRIES                                                                                    \
    "{\"retries\":{\"slow\":{\"base\":1,\"max\":2}},\n\"stages\":[{\"name\":\"s\",\"rules\":["

static const struct {
    const char *text, *want;
} broken[] = {
    {"{", "r.json:1:2: unexpected end of JSON input"},
    {"{}", "r.json:1:1: a file of rules needs retries and, after them, stages"},
    {"{\"retries\":{\"slow\":{\"jitter\":1}}}",
     "r.json:1:30: jitter must be at least 0 and less than 1"},
    {"{\"retries\":{\"slow\":{\"factor\":0.5}}}", "r.json:1:30: factor must be from 1 to 1000"},
    {"{\"stage\":[]}", "r.json:1:10: unknown key \"stage\"; known are retries, rules, stages"},
    {RETRIES "{\"id\":\"a\",\"match\":{\"cod\":[]}}]}]}",
     "r.json:2:57: unknown key \"cod\"; known are apiVersion, code, contains, containsAny, group, "
     "http, ignoreCase, inOrder, inner, kind, method, pattern, understood"},
    {RETRIES "{\"match\":{},\"retry\":\"slow\"}]}]}", "r.json:2:32: a rule needs an id"},
    {RETRIES "{\"id\":\"a\",\"retry\":\"slow\"}]}]}",
     "r.json:2:32: rule a has no match; {} matches everything"},
    {RETRIES "{\"id\":\"a\",\"match\":{}}]}]}", "r.json:2:32: rule a sets nothing"},
    {RETRIES "{\"id\":\"a\",\"match\":{},\"retry\":\"quick\"}]}]}",
     "r.json:2:61: there is no retry policy \"quick\" in retries"},
    {RETRIES "{\"id\":\"a\",\"match\":{\"http\":[99]},\"retry\":\"slow\"}]}]}",
     "r.json:2:59: a status is a number from 100 to 599, or 0 for no answer"},
    {RETRIES "{\"id\":\"a\",\"match\":{\"pattern\":\"(\"},\"retry\":\"slow\"}]}]}",
     "r.json:2:61: error parsing regexp: missing closing ): `(`"},
    {RETRIES "{\"id\":\"a\",\"match\":{},\"class\":\"bad\"}]}]}",
     "r.json:2:61: class must be retryable or fatal"},
};

TEST(broken_files_say_where)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(broken); i++) {
        AUTO_ERR e = {0};
        struct source src = {.file = STR("r.json"), .text = str_c(broken[i].text)};
        struct rules *rules;
        assert_false(rules_read(a, &src, &rules, &e));
        assert_str(err_message(a, &e), str_c(broken[i].want));
    }
}

TEST(shadowed_and_doubled_rules_are_found)
{
    static const char text[] = RETRIES
        "{\"id\":\"a\",\"match\":{\"http\":[400,409]},\"retry\":\"slow\"},\n"
        "{\"id\":\"b\",\"match\":{\"http\":[409],\"code\":[\"X\"]},\"retry\":\"slow\"},\n"
        "{\"id\":\"a\",\"match\":{\"http\":[500]},\"retry\":\"slow\"}]}]}";
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct source src = {.file = STR("r.json"), .text = str_c(text)};
    struct rules_finding *f;
    struct rules *rules;

    assert_ok(rules_read(a, &src, &rules, &e), &e);
    assert_int_equal(rules_lint(a, rules, &f), 2);
    assert_str(f[0].text, STR("rule b never counts: rule a before it takes all of it"));
    assert_int_equal(f[0].at.line, 3);
    assert_str(f[1].text, STR("there are two rules a"));
}

#define KIND(kind, rest) "{\"rules\":\"kind\",\"kind\":\"" kind "\"" rest "}"

static bool overlay(struct arena *a, const char *const *texts, size_t count, struct kind_set **out,
                    struct err *e)
{
    const struct source *files[4];

    for (size_t i = 0; i < count; i++) {
        struct source *src = ARENA_NEW(a, struct source);
        *src = (struct source){.file = str_fmt(a, "%zu.json", i), .text = str_c(texts[i])};
        files[i] = src;
    }
    return kind_set_overlay(a, files, count, out, e);
}

TEST(rules_of_a_user_are_laid_over_the_built_in_ones)
{
    static const char *const texts[] = {
        KIND("sql.azure.com/Server",
             ",\"errors\":[{\"id\":\"own\",\"match\":{\"code\":[\"X\"]},\"class\":\"fatal\"}]"),
        KIND("cache.azure.com/Redis", ",\"secrets\":{\"values\":{\"a\":{\"at\":\"b\"}}}"),
        KIND("new.azure.com/Kind", ""),
    };
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct kind_set *set;

    assert_ok(overlay(a, texts, COUNT(texts), &set, &e), &e);
    assert_int_equal(kind_set_len(set), kind_set_len(kind_set_built_in()) + 1);
    /* Own error rules come first, the built-in ones stay; any other member is replaced. */
    assert_non_null(kind_rules_find(set, STR("sql.azure.com"), STR("Server"))->errors);
    assert_int_equal(kind_rules_find(set, STR("cache"), STR("Redis"))->secrets.len, 1);
    assert_int_equal(kind_rules_find(NULL, STR("cache"), STR("Redis"))->secrets.len, 5);
    assert_non_null(kind_rules_find(set, STR("new.azure.com"), STR("Kind")));
    assert_null(kind_rules_find(NULL, STR("new.azure.com"), STR("Kind")));
    assert_null(kind_rules_find(set, STR("cache.azure.com"), STR("Redi")));

    for (int code = 0; code < 2; code++) {
        struct cloud_error error;
        struct error_verdict v;
        cloud_error_read(a, 400,
                         code ? STR("{\"error\":{\"code\":\"PasswordNotComplex\"}}")
                              : STR("{\"error\":{\"code\":\"X\"}}"),
                         &error);
        rules_classify(
            a, rules_errors(),
            &(struct error_facts){.error = &error,
                                  .own = kind_rules_find(set, STR("sql.azure.com"), STR("Server"))},
            &v);
        assert_int_equal(v.class, CLASS_FATAL);
    }
}

TEST(two_files_for_one_kind_are_an_error)
{
    static const char *const texts[] = {KIND("a.azure.com/B", ""), KIND("a.azure.com/B", "")};
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct kind_set *set;

    assert_false(overlay(a, texts, COUNT(texts), &set, &e));
    assert_str(err_message(a, &e), STR("1.json:1:1: another file has rules for a.azure.com/B"));
}

RUN_TESTS(cmocka_unit_test(built_in_rules_decide),
          cmocka_unit_test(built_in_rules_have_no_findings),
          cmocka_unit_test(broken_files_say_where),
          cmocka_unit_test(shadowed_and_doubled_rules_are_found),
          cmocka_unit_test(rules_of_a_user_are_laid_over_the_built_in_ones),
          cmocka_unit_test(two_files_for_one_kind_are_an_error))
