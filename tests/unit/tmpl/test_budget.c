/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_budget.c - what functions are charged for, so that a limit of steps is a limit of time.
 * "bench tmpl-budget" measures how long a step takes.
 */
#include "../test.h"

#include "support/hostile.h"

#define SIZE (16 * KIB)

/* Runs the call in an endless loop. Answers how often it was made. */
static size_t run_forever(const struct hostile_call *call, uint64_t steps, struct err *e)
{
    AUTO_ARENA a = arena_new();
    const struct tmpl_limits limits = {.steps = steps, .memory = 64 * MIB};
    struct tmpl_run run = {.limits = &limits};
    struct buf out = buf_new(a, BUF_UNLIMITED);
    size_t used;

    assert_false(hostile_run(a, hostile_template(a, call, HOSTILE_FOREVER), &run, &out, &used, e));
    assert_true(run.steps <= steps);
    assert_true(used <= 2 * limits.memory);
    return out.len;
}

/* What a list becomes on the way to a text is several times its size. */
TEST(long_lists_are_written_within_the_limit)
{
    static const char *const calls[] = {"toJson", "toYaml", "toToml (dict `a`", "toPrettyJson"};
    const struct tmpl_limits limits = {.memory = 64 * MIB};

    for (size_t i = 0; i < COUNT(calls); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        struct tmpl_run run = {.limits = &limits};
        struct buf out = buf_new(a, BUF_UNLIMITED);
        size_t used;
        str text = str_fmt(a, "{{ %s (until 3000000)%s | len }}", calls[i],
                           strchr(calls[i], '(') ? ")" : "");
        assert_false(hostile_run(a, text, &run, &out, &used, &e));
        assert_int_equal(e.kind, ERR_LIMIT);
        assert_true(used <= limits.memory + limits.memory / 2);
    }
}

/* A loop over any function ends at a limit, or with the first call when that fails by itself. */
TEST(no_function_runs_forever)
{
    AUTO_ARENA a = arena_new();
    struct tmpl_help *functions;
    size_t count = hostile_functions(a, &functions);

    assert_true(count >= 216);
    for (size_t i = 0; i < count; i++) {
        struct hostile_calls calls = hostile_calls(a, &functions[i], SIZE, 2);
        for (size_t k = 0; k < calls.len; k++) {
            AUTO_ERR e = {0};
            size_t rounds = run_forever(&calls.items[k], 200000, &e);
            if (e.kind != ERR_LIMIT && rounds > 0)
                fail_msg("%.*s ended after %zu rounds: %.*s", STR_ARG(calls.items[k].call), rounds,
                         STR_ARG(e.text));
        }
    }
}

/* and and or stop at the first argument that decides, and do not look into it. */
static bool looks_at_its_arguments(str name)
{
    return !str_eq(name, STR("and")) && !str_eq(name, STR("or"));
}

/* Whatever a function does with a text, it is charged for its bytes. */
TEST(texts_are_charged_to_every_function)
{
    AUTO_ARENA a = arena_new();
    const uint64_t steps = 100000;
    struct tmpl_help *functions;
    size_t count = hostile_functions(a, &functions);

    for (size_t i = 0; i < count; i++) {
        struct hostile_calls calls = hostile_calls(a, &functions[i], SIZE, 12);
        for (size_t k = 0; k < calls.len; k++) {
            AUTO_ERR e = {0};
            str call = calls.items[k].call;
            if (!str_contains(call, STR(" $text")) || str_contains(call, STR("$texts")) ||
                !looks_at_its_arguments(functions[i].name))
                continue;
            size_t rounds = run_forever(&calls.items[k], steps, &e);
            if (rounds > steps * 8 / SIZE)
                fail_msg("%.*s was called %zu times", STR_ARG(call), rounds);
        }
    }
}

#define TEXTS                                                                                      \
    "{{ $text := repeat 65536 \"a\" }}{{ $list := list }}"                                         \
    "{{ range until 50 }}{{ $list = append $list (print $text \"b\") }}{{ end }}"
#define SAME_LISTS "{{ $x := list 1 }}{{ range until 60 }}{{ $x = list $x $x }}{{ end }}"
#define LONG_KEYS                                                                                  \
    "{{ $text := repeat 65536 \"a\" }}{{ $map := dict }}"                                          \
    "{{ range until 50 }}{{ $_ := set $map (print $text (sub 99 .)) 1 }}{{ end }}"
#define FEW_STEPS_LEFT "{{ $_ := len (repeat 33000000 \"a\") }}" /* 0.87 million */
#define RSA_KEY "{{ $key := (genCA \"a\" 1).Key }}"
#define AUTHORITY "{{ $key := genPrivateKey \"ecdsa\" }}{{ $ca := genCAWithKey \"a\" 1 $key }}"
#define ENDLESS UINT64_MAX /* the limit ends it */

/* Work that does not show in the size of the arguments. */
static const struct {
    const char *setup, *call;
    uint64_t steps; /* that the call takes at least */
} cases[] = {
    /* Long texts in lists, and as keys. */
    {TEXTS, "has (print $text \"c\") $list", 50 * 65536 / 8},
    {TEXTS, "uniq $list", 49 * 65536 / 8},
    {TEXTS, "without $list (print $text \"c\")", 50 * 65536 / 8},
    {TEXTS, "deepEqual $list (deepCopy $list)", 50 * 65536 / 8},
    {TEXTS, "sortAlpha $list", 50 * 65536 / 8 * 5},
    {LONG_KEYS, "keys $map", 50 * 65536 / 8 * 5},
    {LONG_KEYS, "toJson $map", 50 * 65536 / 8 * 5},
    {LONG_KEYS, "merge (dict) $map", 50 * 65536 / 8 * 5},
    /* Products of sizes. */
    {"{{ $text := repeat 2000 \"a\" }}", "trimAll (print (repeat 2000 \"b\") \"a\") $text",
     2000 * 2000 / 8},
    {SAME_LISTS, "print $x", ENDLESS},
    {SAME_LISTS, "toString $x", ENDLESS},
    {SAME_LISTS, "printf \"%v\" $x", ENDLESS},
    {SAME_LISTS, "quote $x", ENDLESS},
    {SAME_LISTS, "html $x", ENDLESS},
    {SAME_LISTS, "toJson $x", ENDLESS},
    {SAME_LISTS, "toYaml $x", ENDLESS},
    {SAME_LISTS, "deepCopy $x", ENDLESS},
    {SAME_LISTS, "deepEqual $x (list (first $x) (last $x))", ENDLESS},
    {SAME_LISTS, "eq $x $x", ENDLESS},
    /* What takes longer than its bytes tell. */
    {"", "date (repeat 10000 \"Jan 2006\") now", 80000 * 4},
    {"", "toDate (repeat 10000 \"Jan 2006\") \"x\"", 80000 * 4},
    {"", "now.Format (repeat 10000 \"Jan 2006\")", 80000 * 4},
    {"", "camelcase (repeat 10000 \"a_B\")", 30000 / 4},
    {"", "snakecase (repeat 10000 \"aB\")", 20000 / 4},
    {"", "upper (repeat 10000 \"\\u00e9\")", 20000 / 4},
    {"", "shuffle (repeat 10000 \"a\")", 40000},
    {"", "fromYaml (repeat 10000 \"[1, \")", 40000},
    {"", "fromYamlArray (repeat 10000 \"[1, \")", 40000},
    {"", "fromJson (repeat 10000 \"[1, \")", 20000},
    {"", "fromJsonArray (repeat 10000 \"[1, \")", 20000},
    {"", "fromToml (repeat 10000 \"[1, \")", 40000},
    {"", "tpl (repeat 10000 \"{{ 1 }}\") 1", 70000},
    {"", "dateModify (repeat 10000 \"1s\") now", 20000},
    {"", "mustDateModify (repeat 10000 \"1s\") now", 20000},
    {"", "durationRound (repeat 10000 \"1s\")", 20000},
    {"", "js (repeat 10000 \"\\n\")", 20000},
    {"", "html (repeat 10000 \"<\")", 20000},
    {"", "urlquery (repeat 10000 \"<\") nil", 20000},
    {"", "genPrivateKey \"rsa\"", ENDLESS},
    {FEW_STEPS_LEFT, "genPrivateKey \"dsa\"", ENDLESS},
    {FEW_STEPS_LEFT, "genCA \"a\" 1", ENDLESS},
    {FEW_STEPS_LEFT, "derivePassword 1 \"long\" \"a\" \"b\" \"c\"", ENDLESS},
    {RSA_KEY, "genCAWithKey \"a\" 1 $key", 4000 + 8000 + 32 * 32 * 32 / 4},
    {AUTHORITY, "genSelfSignedCertWithKey \"a\" nil nil 1 $key", 4000 + 8000},
    {AUTHORITY, "genSignedCertWithKey \"a\" nil nil 1 $ca $key", 3 * 4000 + 8000},
    {AUTHORITY, "buildCustomCert (b64enc $ca.Cert) (b64enc $ca.Key)", 2 * 4000},
    {"", "divf 1 3", 20},
    {"", "randInt 1 3", 10},
    {"", "encryptAES \"a\" \"b\"", 50},
    {"", "print now", 50},
};

TEST(functions_are_charged_for_the_work_they_do)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        const struct hostile_call call = {str_c(cases[i].setup), str_c(cases[i].call)};
        const struct tmpl_limits limits = {.steps = 5000000};
        struct tmpl_run before = {0}, run = {.limits = &limits};
        struct buf out = buf_new(a, BUF_UNLIMITED);
        size_t used;
        assert_ok(hostile_run(a, hostile_template(a, &call, 0), &before, &out, &used, &e), &e);
        bool ok = hostile_run(a, hostile_template(a, &call, 1), &run, &out, &used, &e);
        if (cases[i].steps == ENDLESS ? e.kind != ERR_LIMIT
                                      : !ok || run.steps - before.steps < cases[i].steps)
            fail_msg("%s took %llu steps %.*s", cases[i].call,
                     (unsigned long long)(run.steps - before.steps), STR_ARG(e.text));
    }
}

TEST(searching_many_variables_is_charged)
{
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct buf text = buf_new(a, BUF_UNLIMITED), out = buf_new(a, BUF_UNLIMITED);
    struct tmpl_run run = {0};
    size_t used;

    buf_add(&text, STR("{{ $first := 1 }}"));
    for (int i = 0; i < 1000; i++)
        buf_fmt(&text, "{{ $v%d := 1 }}", i);
    buf_add(&text, STR("{{ range until 1000 }}{{ $first = 2 }}{{ $first }}{{ end }}"));
    assert_ok(hostile_run(a, buf_str(&text), &run, &out, &used, &e), &e);
    assert_true(run.steps > 2 * 1000 * 1000 / 8);
}

static size_t find_none(void *ctx, struct arena *a, const str query[4], const struct value ***found)
{
    (void)ctx;
    (void)a;
    (void)query;
    (void)found;
    return 0;
}

static size_t thousand(void *ctx, const str query[4])
{
    (void)ctx;
    (void)query;
    return 1000;
}

TEST(lookups_are_charged_for_what_the_host_looks_at)
{
    static const char *const calls[] = {"lookupCR \"v1\" \"Pod\" \"n\" \"x\"",
                                        "lookupCRs \"v1\" \"Pod\" \"n\" \"x\"",
                                        "lookup \"v1\" \"Pod\" \"n\" \"x\""};

    for (size_t i = 0; i < COUNT(calls); i++) {
        AUTO_ARENA a = arena_new();
        AUTO_ERR e = {0};
        const struct tmpl_hooks hooks = {.lookup = find_none, .candidates = thousand};
        const struct hostile_call call = {STR_NONE, str_c(calls[i])};
        struct tmpl_run run = {.hooks = &hooks};
        struct buf out = buf_new(a, BUF_UNLIMITED);
        size_t used;
        assert_ok(hostile_run(a, hostile_template(a, &call, 100), &run, &out, &used, &e), &e);
        assert_true(run.steps >= 100 * 1000);
    }
}

RUN_TESTS(cmocka_unit_test(long_lists_are_written_within_the_limit),
          cmocka_unit_test(no_function_runs_forever),
          cmocka_unit_test(texts_are_charged_to_every_function),
          cmocka_unit_test(functions_are_charged_for_the_work_they_do),
          cmocka_unit_test(searching_many_variables_is_charged),
          cmocka_unit_test(lookups_are_charged_for_what_the_host_looks_at))
