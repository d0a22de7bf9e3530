/* SPDX-License-Identifier: Apache-2.0 */
/* test_crd.c - definitions: what one version has, the stored version keeps. */
#include "fixture.h"

#include "azure/crd_internal.h"

#define PRESERVE STR("x-kubernetes-preserve-unknown-fields")

/* ---- One kind. ---- */

TEST(a_definition_has_every_version)
{
    AUTO_ARENA a = arena_new();
    struct model *m = fixture_model(a);
    const struct model_resource **all;
    AUTO_ERR e = {0};
    size_t count;

    assert_ok(model_versions(m, a, STR("example.azure.com"), STR("Widget"), &all, &count, &e), &e);
    struct value *crd = crd_build(a, all, count, NULL);
    const struct value *versions = value_get(value_get(crd, STR("spec")), STR("versions"));
    assert_int_equal(value_len(versions), 2);
    assert_json(a, value_get(value_at(versions, 0), STR("storage")), "false");
    assert_json(a, value_get(value_at(versions, 1), STR("storage")), "true");
    const struct value *schema =
        value_get(value_get(value_at(versions, 0), STR("schema")), STR("openAPIV3Schema"));
    const struct value *props = value_get(schema, STR("properties"));
    const struct value *spec = value_get(value_get(props, STR("spec")), STR("properties"));
    assert_json(a, value_get(spec, STR("colour")), "{'type':'string','enum':['Red','Green']}");
    assert_json(a, value_get(value_get(props, STR("spec")), STR("required")),
                "['location','owner']");
    assert_json(a, value_get(spec, STR("settings")),
                "{'type':'object','additionalProperties':{'x-kubernetes-preserve-unknown-fields':"
                "true}}");
    const struct value *status = value_get(value_get(props, STR("status")), STR("properties"));
    assert_non_null(value_get(status, STR("operatorStatus")));
    assert_json(a, value_get(status, STR("colour")), "{'type':'string'}");
    model_close(m);
}

/* ---- Widening one schema. ---- */

static const struct {
    const char *what, *schema, *other, *want;
} widenings[] = {
    {"a field more, without its limits",
     "{'type':'object','properties':{'x':{'type':'string'}},'required':['x']}",
     "{'type':'object','properties':{'y':{'type':'string','enum':['A'],'maxLength':1}},'required':["
     "'y']}",
     "{'type':'object','properties':{'x':{'type':'string'},'y':{'type':'string'}},'required':['x']"
     "}"},
    {"own limits stay", "{'type':'string','enum':['A']}", "{'type':'string','enum':['A','B']}",
     "{'type':'string','enum':['A']}"},
    {"in the elements of lists",
     "{'type':'array','items':{'type':'object','properties':{}},'minItems':1}",
     "{'type':'array','items':{'type':'object','properties':{'y':{'type':'object','properties':{"
     "'required':{'type':'string','pattern':'a'}},'required':['required']}}}}",
     "{'type':'array','items':{'type':'object','properties':{'y':{'type':'object','properties':{"
     "'required':{'type':'string'}}}}},'minItems':1}"},
    {"in the values of maps",
     "{'type':'object','additionalProperties':{'type':'object','properties':{}}}",
     "{'type':'object','additionalProperties':{'type':'object','properties':{'y':{'type':'integer'}"
     "}}}",
     "{'type':'object','additionalProperties':{'type':'object','properties':{'y':{'type':'integer'}"
     "}}}"},
    {"a map that was an object",
     "{'type':'object','properties':{'x':{'type':'string'}},'required':['x']}",
     "{'type':'object','additionalProperties':{'type':'string'}}",
     "{'type':'object','x-kubernetes-preserve-unknown-fields':true}"},
    {"an object that was a text", "{'type':'string','maxLength':3}",
     "{'type':'object','properties':{'x':{'type':'string'}}}",
     "{'maxLength':3,'x-kubernetes-preserve-unknown-fields':true}"},
    {"anything that was a text", "{'type':'string'}",
     "{'x-kubernetes-preserve-unknown-fields':true}",
     "{'x-kubernetes-preserve-unknown-fields':true}"},
    {"a text that was anything", "{'x-kubernetes-preserve-unknown-fields':true}",
     "{'type':'object','properties':{'x':{'type':'string'}}}",
     "{'x-kubernetes-preserve-unknown-fields':true}"},
};

TEST(a_schema_takes_in_the_fields_of_another)
{
    for (size_t i = 0; i < COUNT(widenings); i++) {
        AUTO_ARENA a = arena_new();
        struct value *schema = fixture_json(a, widenings[i].schema);
        crd_widen(a, schema, fixture_json(a, widenings[i].other));
        if (!value_equal(schema, fixture_json(a, widenings[i].want)))
            fail_msg("%s", widenings[i].what);
    }
}

/* ---- The definitions of all kinds. ---- */

/* How many places of a version have none in the stored one. */
static size_t lost(const struct value *stored, const struct value *schema)
{
    static const char *const parts[] = {"items", "additionalProperties"};
    const struct value *props = value_get(schema, STR("properties"));
    size_t count = 0;

    if (value_get(stored, PRESERVE))
        return 0;
    for (size_t i = 0; i < value_len(props); i++) {
        const struct value *place =
            value_get(value_get(stored, STR("properties")), value_key(&props->items[i]));
        count += place ? lost(place, &props->items[i]) : 1;
    }
    for (size_t i = 0; i < COUNT(parts); i++) {
        const struct value *part = value_get(schema, str_c(parts[i]));
        const struct value *place = value_get(stored, str_c(parts[i]));
        if (part)
            count += place ? lost(place, part) : 1;
    }
    return count;
}

static const struct value *root_of(const struct value *version)
{
    return value_get(value_get(version, STR("schema")), STR("openAPIV3Schema"));
}

static void check_kind(const struct model_resource *const *versions, size_t count)
{
    AUTO_ARENA a = arena_new();
    const struct value *crd = crd_build(a, versions, count, NULL);
    const struct value *list = value_get(value_get(crd, STR("spec")), STR("versions"));
    const struct value *stored = NULL;

    for (size_t i = 0; i < count; i++)
        if (value_is_true(value_get(value_at(list, i), STR("storage"))))
            stored = root_of(value_at(list, i));
    assert_non_null(stored);
    for (size_t i = 0; i < count; i++)
        if (lost(stored, root_of(value_at(list, i))))
            fail_msg("%.*s %.*s: its objects lose fields when they are stored",
                     STR_ARG(versions[i]->kind), STR_ARG(versions[i]->version));
}

TEST(what_a_version_has_is_kept_when_it_is_stored)
{
    AUTO_ARENA a = arena_new();
    const struct model_resource **all;
    size_t count, first = 0;
    AUTO_ERR e = {0};
    struct model *m = NULL;

    assert_ok(model_open(a, STR("api/model"), &m, &e), &e);
    assert_ok(model_all(m, a, &all, &count, &e), &e);
    for (size_t i = 1; i <= count; i++) {
        if (i < count && str_eq(all[i]->kind, all[first]->kind) &&
            str_eq(all[i]->group, all[first]->group))
            continue;
        check_kind(&all[first], i - first);
        first = i;
    }
    assert_true(count > 0);
    model_close(m);
}

RUN_TESTS(cmocka_unit_test(a_definition_has_every_version),
          cmocka_unit_test(a_schema_takes_in_the_fields_of_another),
          cmocka_unit_test(what_a_version_has_is_kept_when_it_is_stored))
