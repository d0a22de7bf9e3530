/* SPDX-License-Identifier: Apache-2.0 */
/* test_crd.c - definitions: the storage version keeps everything that any version has. */
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
     "{'type':'object','properties':{'x':{'type':'string'},'y':{'type':'string'}}}"},
    {"enums become one", "{'type':'string','enum':['A','C']}", "{'type':'string','enum':['B','A']}",
     "{'type':'string','enum':['A','C','B']}"},
    {"an enum that the other lacks", "{'type':'string','enum':['A']}", "{'type':'string'}",
     "{'type':'string'}"},
    {"an enum that only the other has", "{'type':'string'}", "{'type':'string','enum':['A']}",
     "{'type':'string'}"},
    {"what both require stays",
     "{'type':'object','properties':{'x':{'type':'string'},'y':{'type':'string'}},'required':['x',"
     "'y']}",
     "{'type':'object','properties':{'y':{'type':'string'}},'required':['y','z']}",
     "{'type':'object','properties':{'x':{'type':'string'},'y':{'type':'string'}},'required':['y']"
     "}"},
    {"the loosest limits", "{'type':'integer','minimum':9,'maximum':10}",
     "{'type':'integer','minimum':10,'maximum':100}",
     "{'type':'integer','minimum':9,'maximum':100}"},
    {"limits that the other lacks", "{'type':'string','minLength':1,'maxLength':2,'pattern':'a'}",
     "{'type':'string'}", "{'type':'string'}"},
    {"patterns that differ", "{'type':'string','pattern':'a','maxLength':3}",
     "{'type':'string','pattern':'b','maxLength':4}", "{'type':'string','maxLength':4}"},
    {"a whole number that was any", "{'type':'integer','minimum':1}",
     "{'type':'number','minimum':0.5}", "{'type':'number','minimum':0.5}"},
    {"a number that was a text", "{'type':'integer','minimum':1}", "{'type':'string'}",
     "{'x-kubernetes-preserve-unknown-fields':true}"},
    {"in the elements of lists",
     "{'type':'array','items':{'type':'object','properties':{}},'minItems':1}",
     "{'type':'array','items':{'type':'object','properties':{'y':{'type':'object','properties':{"
     "'required':{'type':'string','pattern':'a'}},'required':['required']}}}}",
     "{'type':'array','items':{'type':'object','properties':{'y':{'type':'object','properties':{"
     "'required':{'type':'string'}}}}}}"},
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
     "{'x-kubernetes-preserve-unknown-fields':true}"},
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

static bool contains(const struct value *list, const struct value *v)
{
    for (size_t i = 0; i < value_len(list); i++)
        if (value_equal(&list->items[i], v))
            return true;
    return false;
}

/* Whether every element of one list is in the other. */
static bool is_part(const struct value *list, const struct value *of)
{
    for (size_t i = 0; i < value_len(list); i++)
        if (!contains(of, &list->items[i]))
            return false;
    return true;
}

static const struct {
    const char *name;
    int looser; /* the sign of a looser limit against a tighter one; 0: they must be equal */
} limits[] = {
    {"minimum", -1}, {"minLength", -1}, {"minItems", -1}, {"maximum", 1},    {"maxLength", 1},
    {"maxItems", 1}, {"pattern", 0},    {"format", 0},    {"multipleOf", 0},
};

/* What in the stored schema rejects a value that the other accepts at this very place; or NULL. */
static const char *rejects(const struct value *stored, const struct value *schema)
{
    const struct value *choices = value_get(stored, STR("enum"));
    str type = value_get_str(stored, STR("type")), other = value_get_str(schema, STR("type"));

    if (type.len && !str_eq(type, other) &&
        !(str_eq(type, STR("number")) && str_eq(other, STR("integer"))))
        return "type";
    if (choices &&
        (!value_get(schema, STR("enum")) || !is_part(value_get(schema, STR("enum")), choices)))
        return "enum";
    if (!is_part(value_get(stored, STR("required")), value_get(schema, STR("required"))))
        return "required";
    for (size_t i = 0; i < COUNT(limits); i++) {
        const struct value *mine = value_get(stored, str_c(limits[i].name));
        const struct value *theirs = value_get(schema, str_c(limits[i].name));
        if (mine && (!theirs || (!value_equal(mine, theirs) &&
                                 value_compare(mine, theirs) * limits[i].looser <= 0)))
            return limits[i].name;
    }
    return NULL;
}

/* How many places of a version the stored one is stricter at; why has the first. */
static size_t stricter(const struct value *stored, const struct value *schema, const char **why)
{
    static const char *const parts[] = {"items", "additionalProperties"};
    const struct value *props = value_get(schema, STR("properties"));
    const char *reason = rejects(stored, schema);
    size_t count = reason ? 1 : 0;

    *why = *why ? *why : reason;
    for (size_t i = 0; i < value_len(props); i++) {
        const struct value *place =
            value_get(value_get(stored, STR("properties")), value_key(&props->items[i]));
        count += place ? stricter(place, &props->items[i], why) : 0;
    }
    for (size_t i = 0; i < COUNT(parts); i++) {
        const struct value *part = value_get(schema, str_c(parts[i]));
        const struct value *place = value_get(stored, str_c(parts[i]));
        count += part && place ? stricter(place, part, why) : 0;
    }
    return count;
}

static const struct value *root_of(const struct value *version)
{
    return value_get(value_get(version, STR("schema")), STR("openAPIV3Schema"));
}

/* An object that nobody has looked at yet is Pending, and newer programs may remember more. */
static void check_status(struct arena *a, const struct value *root)
{
    const struct value *status = value_get(value_get(root, STR("properties")), STR("status"));
    const struct value *own =
        value_get(value_get(status, STR("properties")), STR("operatorStatus"));
    const struct value *first =
        value_at(value_get(value_get(status, STR("default")), STR("conditions")), 0);

    assert_str(value_get_str(first, STR("type")), STR("Ready"));
    assert_str(value_get_str(first, STR("status")), STR("Unknown"));
    assert_str(value_get_str(first, STR("reason")), STR("Pending"));
    assert_str(value_get_str(first, STR("lastTransitionTime")), STR("1970-01-01T00:00:00Z"));
    assert_json(a, value_get(own, PRESERVE), "true");
    assert_true(value_len(value_get(own, STR("properties"))) > 10);
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
    for (size_t i = 0; i < count; i++) {
        const char *why = NULL;
        size_t places = stricter(stored, root_of(value_at(list, i)), &why);
        if (places)
            fail_msg("%.*s %.*s: the stored version is stricter at %zu places (%s)",
                     STR_ARG(versions[i]->kind), STR_ARG(versions[i]->version), places, why);
    }
    assert_json(a, value_get(value_get(crd, STR("spec")), STR("conversion")),
                "{'strategy':'None'}");
    for (size_t i = 0; i < count; i++)
        check_status(a, root_of(value_at(list, i)));
}

TEST(a_stored_version_keeps_and_allows_what_the_others_have)
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
          cmocka_unit_test(a_stored_version_keeps_and_allows_what_the_others_have))
