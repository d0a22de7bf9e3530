/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_ext_sim.c - every exporter against the simulated Azure: each secret of a kind gets a value,
 * with exactly the requests in the rules.
 */
#include "../test.h"

#include "azure/model/model.h"
#include "operator/ext.h"
#include "sim/sim.h"
#include "text/json/json.h"

#define BASE "http://127.0.0.1:1"
#define SUB "/subscriptions/11111111-2222-3333-4444-555555555555"
#define GROUP SUB "/resourceGroups/rg"

static struct sim *sim;

static struct sim_response ask(struct arena *a, str method, str url, str body)
{
    struct sim_request q = {.method = method, .base = STR(BASE), .body = body};
    struct sim_response r = {0};

    str_cut(str_without_prefix(url, STR(BASE)), STR("?"), &q.path, &q.query);
    sim_handle(sim, a, &q, &r);
    return r;
}

static struct value *read_body(struct arena *a, str text)
{
    struct source *src = ARENA_NEW(a, struct source);
    struct value *v = NULL;

    src->text = text;
    return text.len && json_read(a, src, NULL, &v, NULL) ? v : NULL;
}

/* The id of a resource and of those above it, which are put too. */
static str put(struct arena *a, const struct model_resource *res)
{
    str id = STR(GROUP), provider, rest, type;

    str_cut(res->arm_type, STR("/"), &provider, &rest);
    id = str_fmt(a, "%.*s/providers/%.*s", STR_ARG(id), STR_ARG(provider));
    for (bool more = true; more;) {
        more = str_cut(rest, STR("/"), &type, &rest);
        id = str_fmt(a, "%.*s/%.*s/it", STR_ARG(id), STR_ARG(type));
        struct sim_response r = ask(a, STR("PUT"), ext_path(a, id, STR_NONE, res->api_version),
                                    STR("{\"location\":\"westus2\",\"kind\":\"StorageV2\",\"sku\":{"
                                        "\"name\":\"Standard_LRS\"},\"properties\":{}}"));
        if (r.status > 299)
            print_error("PUT %.*s: %d %.*s\n", STR_ARG(id), r.status, STR_ARG(r.body));
        assert_true(r.status >= 200 && r.status <= 299);
    }
    sim_advance(sim, 3600 * NS_PER_SEC);
    return id;
}

static struct value *wanting(struct arena *a, const struct kind_rules *rules)
{
    struct value *object = value_object(a);
    struct value *spec = value_set(a, object, STR("spec"), value_object(a));
    struct value *op = value_set(a, spec, STR("operatorSpec"), value_object(a));
    struct value *secrets = value_set(a, op, STR("secrets"), value_object(a));

    for (size_t i = 0; i < rules->secrets.len; i++) {
        struct value *to = value_set(a, secrets, rules->secrets.items[i].name, value_object(a));
        value_set_str(a, to, STR("name"), STR("target"));
        value_set_str(a, to, STR("key"), rules->secrets.items[i].name);
    }
    return object;
}

static void export(struct arena *a, struct model *m, const struct kind_rules *rules)
{
    struct ext x = ext_find(NULL, NULL, rules->group, rules->kind);
    struct arm_answer answers[8];
    struct ext_input in = {.arena = a, .endpoint = STR(BASE), .answers = answers};
    struct ext_exports got;
    AUTO_ERR e = {0};

    assert_ok(model_find_hub(m, rules->group, rules->kind, &in.resource, &e), &e);
    in.id = put(a, in.resource);
    in.api_version = in.resource->api_version;
    in.object = wanting(a, rules);
    in.body = read_body(
        a, ask(a, STR("GET"), ext_path(a, in.id, STR_NONE, in.api_version), STR_NONE).body);
    while ((got = ext_secrets(&x, &in)).request_count) {
        str url;
        assert_true(in.answer_count < COUNT(answers));
        assert_true(ext_url(a, STR(BASE), &got.requests[0], &url));
        struct sim_response r = ask(a, got.requests[0].method, url, STR_NONE);
        answers[in.answer_count++] = (struct arm_answer){.http = r.status, .body = r.body};
    }
    if (got.fault.len || got.count != rules->secrets.len)
        print_error("%.*s/%.*s: %zu of %zu: %.*s\n", STR_ARG(rules->group), STR_ARG(rules->kind),
                    got.count, rules->secrets.len, STR_ARG(got.fault));
    assert_int_equal(got.count, rules->secrets.len);
    for (size_t i = 0; i < got.count; i++)
        assert_true(got.items[i].value.len);
}

TEST(the_simulator_answers_every_exporter)
{
    const struct kind_set *set = kind_set_built_in();
    AUTO_ARENA a = arena_new();
    AUTO_ERR e = {0};
    struct sim_config config = sim_defaults();
    struct model *m;
    size_t exporters = 0;

    config.unlimited = config.virtual_time = true;
    assert_ok(sim_new(&config, &sim, &e), &e);
    assert_ok(model_open(a, STR_NONE, &m, &e), &e);
    assert_int_equal(
        ask(a, STR("PUT"), STR(GROUP "?api-version=2020-06-01"), STR("{\"location\":\"westus2\"}"))
            .status,
        201);
    for (size_t i = 0; i < kind_set_len(set); i++)
        if (kind_set_at(set, i)->secrets.len) {
            exporters++;
            export(a, m, kind_set_at(set, i));
        }
    assert_int_equal(exporters, 30);
    model_close(m);
    sim_free(sim);
}

RUN_TESTS(cmocka_unit_test(the_simulator_answers_every_exporter))
