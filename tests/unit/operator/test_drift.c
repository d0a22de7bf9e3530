/* SPDX-License-Identifier: Apache-2.0 */
/* test_drift.c - causes and modes: what leads to a PUT, what is remembered, what is reported. */
#include "../azure/fixture.h"

#include "operator/internal.h"

struct stage {
    struct operator_config config;
    struct ports ports;
    struct card card;
    struct pass pass;
    const struct value *namespace;
};

static const struct value *find(void *ctx, struct arena *a, const struct object_key *key)
{
    const struct stage *s = ctx;

    (void)a;
    return str_eq(key->kind, STR("Namespace")) ? s->namespace : NULL;
}

static struct pass *stage(struct arena *a, struct stage *s, const char *annotations,
                          const char *status, const char *body)
{
    AUTO_ERR e = {0};

    *s = (struct stage){.config = {.period = 900 * NS_PER_SEC},
                        .ports = {.ctx = s, .find = find},
                        .card.key = {.group = STR("resources.azure.com"),
                                     .kind = STR("ResourceGroup"),
                                     .namespace = STR("default"),
                                     .name = STR("rg")}};
    assert_ok(model_open(a, STR_NONE, &s->config.model, &e), &e);
    str object = str_fmt(a,
                         "{'apiVersion':'resources.azure.com/v1api20200601','kind':"
                         "'ResourceGroup','metadata':{'generation':1,'annotations':{%s}},"
                         "'status':{%s}}",
                         annotations, status);
    s->pass = (struct pass){.arena = a,
                            .config = &s->config,
                            .ports = &s->ports,
                            .card = &s->card,
                            .now = INT64_C(1800000000) * NS_PER_SEC,
                            .generation = 1,
                            .digest = STR("ab:1"),
                            .state = STATE_SETTLE,
                            .object = fixture_json(a, str_z(a, object))};
    assert_ok(model_find_hub(s->config.model, STR("resources.azure.com"), STR("ResourceGroup"),
                             &s->pass.resource, &e),
              &e);
    s->pass.hub = s->pass.resource;
    s->pass.request.body = fixture_json(a, "{'location':'westus2','tags':{'a':'b'}}");
    s->pass.body = body ? fixture_json(a, body) : NULL;
    return &s->pass;
}

#define KNOWN(more)                                                                                \
    "'operatorStatus':{'payloadDigest':'ab:1','apiVersion':'2020-06-01','comparator':2,"           \
    "'settled':true,'knownDifferences':[]" more "}"
#define SAME "{'location':'West US 2','tags':{'a':'b'}}"
#define OTHER "{'location':'westus2','tags':{'a':'c'}}"
#define ADDED "{'location':'westus2','tags':{'a':'b'},'managedBy':'me'}"
#define MODE(x) "'plumb.azure.com/mode':'" x "'"

/* ---- Modes. ---------------------------------------------------------------------------------- */

static const struct {
    const char *object, *namespace, *status, *body;
    enum drift_mode configured;
    const char *cause, *synced; /* NULL: no PUT */
} modes[] = {
    /* The three of them, by what there is to do. */
    {"", "", KNOWN(""), NULL, DRIFT_CORRECT, "absent", ""},
    {MODE("report"), "", KNOWN(""), NULL, DRIFT_CORRECT, "absent", ""},
    {MODE("put-only"), "", KNOWN(""), NULL, DRIFT_CORRECT, "absent", ""},
    {"", "", "'operatorStatus':{'payloadDigest':'ab:2'}", SAME, DRIFT_REPORT, "payload", ""},
    {"", "", KNOWN(""), SAME, DRIFT_CORRECT, NULL, "Synced"},
    {MODE("report"), "", KNOWN(""), SAME, DRIFT_CORRECT, NULL, "Synced"},
    {MODE("put-only"), "", KNOWN(""), SAME, DRIFT_CORRECT, "period", "NotCompared"},
    {"", "", KNOWN(""), OTHER, DRIFT_CORRECT, "drift", ""},
    {"", "", KNOWN(""), ADDED, DRIFT_CORRECT, "drift", ""},
    {MODE("report"), "", KNOWN(""), OTHER, DRIFT_CORRECT, NULL, "DriftFound"},
    {MODE("put-only"), "", KNOWN(""), OTHER, DRIFT_CORRECT, "period", "NotCompared"},
    /* Object over Namespace over configuration. */
    {"", MODE("report"), KNOWN(""), OTHER, DRIFT_CORRECT, NULL, "DriftFound"},
    {MODE("correct"), MODE("report"), KNOWN(""), OTHER, DRIFT_REPORT, "drift", ""},
    {"", "", KNOWN(""), OTHER, DRIFT_REPORT, NULL, "DriftFound"},
    {MODE("nonsense"), "", KNOWN(""), OTHER, DRIFT_CORRECT, "drift", ""},
    /* Bounds. */
    {"'plumb.azure.com/ignore':'tags.a'", "", KNOWN(""), OTHER, DRIFT_CORRECT, NULL, "Synced"},
    {"'plumb.azure.com/ignore':'managedBy'", "", KNOWN(""), ADDED, DRIFT_CORRECT, NULL, "Synced"},
    /* Without a record only what was set counts; without anything it is sent. */
    {"", "", "", SAME, DRIFT_CORRECT, "generation", ""},
    {"'serviceoperator.azure.com/latest-reconciled-generation':'1'", "", "", ADDED, DRIFT_CORRECT,
     NULL, "Synced"},
    {"'serviceoperator.azure.com/latest-reconciled-generation':'1'", "", "", OTHER, DRIFT_CORRECT,
     "drift", ""},
    {"'serviceoperator.azure.com/latest-reconciled-generation':'0'", "", "", SAME, DRIFT_CORRECT,
     "generation", ""},
    /* Two PUTs did not help. */
    {"", "", KNOWN(",'guard':[{'path':'tags.a','wanted':'b','found':'c','puts':1}]"), OTHER,
     DRIFT_CORRECT, "drift", ""},
    {"", "", KNOWN(",'guard':[{'path':'tags.a','wanted':'b','found':'c','puts':2}]"), OTHER,
     DRIFT_CORRECT, NULL, "NotConverging"},
    {"", "", KNOWN(",'guard':[{'path':'tags.a','wanted':'b','found':'x','puts':2}]"), OTHER,
     DRIFT_CORRECT, "drift", ""},
};

TEST(causes_and_modes_lead_to_a_put_or_not)
{
    for (size_t i = 0; i < COUNT(modes); i++) {
        AUTO_ARENA a = arena_new();
        struct stage s;
        struct pass *p = stage(a, &s, modes[i].object, modes[i].status, modes[i].body);
        struct condition synced = {0};
        struct cause cause;

        s.namespace = fixture_json(
            a, str_z(a, str_fmt(a, "{'metadata':{'annotations':{%s}}}", modes[i].namespace)));
        s.config.drift = modes[i].configured;
        bool put = judge_cause(p, &cause);
        if (put != (modes[i].cause != NULL) || (put && strcmp(cause.name, modes[i].cause) != 0))
            fail_msg("case %zu: %s", i, put ? cause.name : "no PUT");
        if (modes[i].synced[0] &&
            (!drift_condition(p, &synced) || !str_eq(synced.reason, str_c(modes[i].synced))))
            fail_msg("case %zu: Synced is %.*s", i, STR_ARG(synced.reason));
        model_close(s.config.model);
    }
}

static const struct {
    const char *object, *namespace;
    enum drift_mode configured;
    bool shown, want;
} writing[] = {
    {"", "", DRIFT_CORRECT, true, false},
    {"", "", DRIFT_CORRECT, false, true},
    {"", "", DRIFT_PUT_ONLY, true, true},
    {MODE("put-only"), "", DRIFT_CORRECT, true, true},
    {"", MODE("put-only"), DRIFT_CORRECT, true, true},
    {MODE("report"), MODE("put-only"), DRIFT_PUT_ONLY, true, false},
};

TEST(whoever_decides_on_put_only_slows_the_checks_down)
{
    for (size_t i = 0; i < COUNT(writing); i++) {
        AUTO_ARENA a = arena_new();
        struct stage s;
        struct pass *p = stage(a, &s, writing[i].object, "", SAME);
        struct model_resource hidden = *p->resource;

        s.namespace = fixture_json(
            a, str_z(a, str_fmt(a, "{'metadata':{'annotations':{%s}}}", writing[i].namespace)));
        s.config.drift = writing[i].configured;
        hidden.operations &= ~(unsigned)MODEL_GET;
        if (!writing[i].shown)
            p->resource = &hidden;
        if (drift_writes(p) != writing[i].want)
            fail_msg("case %zu", i);
        assert_int_equal(explain_period(p), (writing[i].want ? 3600 : 900) * NS_PER_SEC);
        model_close(s.config.model);
    }
}

/* ---- Retries. -------------------------------------------------------------------------------- */

static const struct {
    struct rule_retry rule;
    unsigned attempt;
    int64_t want;
    const char *when;
} delays[] = {
    {{.base = 60 * NS_PER_SEC, .factor = 1}, 0, 60, " (tried again every 60 seconds)"},
    {{.base = 60 * NS_PER_SEC, .factor = 1}, 2, 60, " (tried again every 60 seconds)"},
    {{.base = 60 * NS_PER_SEC, .factor = 2},
     0,
     60,
     " (tried again after growing delays, at most 15 minutes)"},
    {{.base = 60 * NS_PER_SEC, .factor = 2},
     2,
     240,
     " (tried again after growing delays, at most 15 minutes)"},
    {{.base = 60 * NS_PER_SEC, .factor = 3, .max = 120 * NS_PER_SEC},
     2,
     120,
     " (tried again after growing delays, at most 2 minutes)"},
    {{.base = 3600 * NS_PER_SEC, .factor = 1}, 2, 900, " (tried again every 15 minutes)"},
};

TEST(delays_grow_by_the_factor_of_the_rule)
{
    for (size_t i = 0; i < COUNT(delays); i++) {
        AUTO_ARENA a = arena_new();
        struct stage s;
        struct pass *p = stage(a, &s, "", "", SAME);

        s.card.attempt = delays[i].attempt;
        p->verdict = (struct verdict){.severity = STR("Warning"),
                                      .reason = STR("Conflict"),
                                      .rule = &delays[i].rule,
                                      .quiet = true};
        struct pass_step step = state_explain(p);
        assert_int_equal(step.kind, STEP_REST);
        assert_int_equal(step.delay / NS_PER_SEC, delays[i].want);
        assert_str(advice_when(p), str_c(delays[i].when));
        model_close(s.config.model);
    }
}

/* ---- Learning. ------------------------------------------------------------------------------- */

TEST(a_record_is_taken_after_a_put_and_settles)
{
    AUTO_ARENA a = arena_new();
    struct stage s;
    struct pass *p = stage(a, &s, "", "", ADDED);

    p->sent = true;
    p->cause.name = "absent";
    assert_int_equal(state_learn(p).to, STATE_EXPORT);
    drift_remember(p);
    assert_json(a, memory_get(p, "knownDifferences"),
                "[{'path':'managedBy','kind':'added','cause':'defaulted','found':'me'}]");
    assert_false(value_is_true(memory_get(p, "settled")));
    model_close(s.config.model);
}

TEST(a_value_that_survives_is_carried_once)
{
    AUTO_ARENA a = arena_new();
    struct stage s;
    struct pass *p =
        stage(a, &s, "",
              "'operatorStatus':{'payloadDigest':'ab:1','apiVersion':'2020-06-01','comparator':2,"
              "'settled':true,'knownDifferences':[{'path':'managedBy','kind':'added','cause':"
              "'defaulted','found':'me'}]}",
              "{'location':'westus2','tags':{'a':'b'},'managedBy':'you'}");

    assert_true(judge_cause(p, &p->cause));
    assert_string_equal(p->cause.name, "drift");
    drift_before_put(p);
    assert_true(str_contains(p->cause.paths, STR("managedBy: wanted \"me\", found \"you\"")));
    p->sent = true;
    assert_int_equal(state_learn(p).to, STATE_SEND);
    assert_json(a, p->request.body, "{'location':'westus2','tags':{'a':'b'},'managedBy':'me'}");
    p->sent = true;
    assert_int_equal(state_learn(p).to, STATE_EXPORT); /* nothing more can be done */
    drift_remember(p);
    struct condition synced;
    assert_true(drift_condition(p, &synced));
    assert_string_equal(str_z(a, synced.reason), "NotConverging");
    model_close(s.config.model);
}

RUN_TESTS(cmocka_unit_test(causes_and_modes_lead_to_a_put_or_not),
          cmocka_unit_test(whoever_decides_on_put_only_slows_the_checks_down),
          cmocka_unit_test(delays_grow_by_the_factor_of_the_rule),
          cmocka_unit_test(a_record_is_taken_after_a_put_and_settles),
          cmocka_unit_test(a_value_that_survives_is_carried_once))
