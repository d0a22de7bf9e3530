/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of azure/derive/derive.h: one rule at a time, on a type file of a few lines. A case is a
 * list of types, the members of the overlay besides the kind, and what must be in the model.
 */
#include "../test.h"

#include "azure/derive/derive.h"
#include "text/json/json.h"

/* Types 0 to 3 and the resource come first; a case adds the members of "properties". */
static const char head[] =
    "[{\"$type\":\"StringType\"},{\"$type\":\"BooleanType\"},"
    "{\"$type\":\"IntegerType\",\"minValue\":1},"
    "{\"$type\":\"ResourceType\",\"name\":\"A.B/cs@2020-01-01\",\"body\":{\"$ref\":\"#/4\"},"
    "\"writableScopes\":8},"
    "{\"$type\":\"ObjectType\",\"name\":\"A.B/cs\",\"properties\":{"
    "\"name\":{\"type\":{\"$ref\":\"#/0\"},\"flags\":9},"
    "\"properties\":{\"type\":{\"$ref\":\"#/5\"},\"flags\":0}}},"
    "{\"$type\":\"ObjectType\",\"name\":\"P\",\"properties\":{";

static str read_model(struct arena *a, const char *props, const char *types, const char *overlay)
{
    struct source *src = ARENA_NEW(a, struct source), *facts = ARENA_NEW(a, struct source);
    struct buf text = buf_new(a, MIB);
    AUTO_ERR e = {0};
    struct overlay o;
    struct derive_result r;

    src->text = str_fmt(a, "%s%s}}%s]", head, props, types);
    facts->text = str_fmt(a,
                          "{\"format\":1,\"kinds\":{\"C\":{\"type\":\"A.B/cs\",\"versions\":["
                          "\"v20200101\"]}}%s}",
                          overlay);
    struct type_folder *folder = type_folder_new(a);
    assert_ok(type_folder_add(folder, STR("a.b"), STR("2020-01-01"), src, &e), &e);
    assert_ok(overlay_parse(a, facts, STR("g"), &o, &e), &e);
    const struct derive_options options = {.notes = true};
    if (!derive_with(a, &o, folder, &options, &r, &e))
        return str_copy(a, e.text);
    assert_int_equal(r.unused.len, 0);
    assert_ok(derive_write(&text, r.models.items[0].root, &e), &e);
    derive_write_notes(&text, &r);
    return buf_str(&text);
}

#define REF(n) "{\"type\":{\"$ref\":\"#/" #n "\"},\"flags\":0}"
#define FLAGGED(n, flags) "{\"type\":{\"$ref\":\"#/" #n "\"},\"flags\":" #flags "}"

static const struct {
    const char *what, *props, *types, *overlay;
    const char *want[4];  /* each must be in the model or the notes */
    const char *unwanted; /* and this must not; or NULL */
} cases[] = {
    {"required holds for flattened members",
     "\"x\":" FLAGGED(0, 1),
     "",
     "",
     {"\"x\":{\"t\":\"string\",\"a\":\"properties/x\",\"r\":true}"},
     NULL},
    {"noFlatten keeps the wrapper",
     "\"x\":" REF(0),
     "",
     ",\"noFlatten\":[\"A.B/cs\"]",
     {"\"properties\":{\"t\":\"@P\"}", "\"P\":{\"props\":{\"x\":{\"t\":\"string\"}}}"},
     NULL},
    {"the spec has no read-only properties",
     "\"x\":" FLAGGED(0, 2),
     "",
     "",
     {"C_STATUS\":{\"props\":{\"conditions\":{\"t\":\"[]#Condition\",\"role\":\"conditions\"},"
      "\"name\":{\"t\":\"string\"},\"x\":{\"t\":\"string\",\"a\":\"properties/x\"}}}",
      "dropped g/v20200101 C spec P.x: read-only"},
     NULL},
    {"keep.spec keeps them",
     "\"x\":" FLAGGED(0, 2),
     "",
     ",\"props\":{\"P\":{\"x\":\"keep.spec\"}}",
     {"x\":{\"t\":\"string\",\"a\":\"properties/x\"}}},"},
     "P.x: read-only"},
    {"the status has no write-only properties",
     "\"x\":" FLAGGED(0, 4),
     "",
     "",
     {"status P.x: write-only"},
     NULL},
    {"keep.status keeps them, and the spec says that they are only written",
     "\"x\":" FLAGGED(0, 4),
     "",
     ",\"props\":{\"P\":{\"x\":\"keep.status\"}}",
     {"\"x\":{\"t\":\"string\",\"a\":\"properties/x\",\"writeOnly\":true}",
      "\"x\":{\"t\":\"string\",\"a\":\"properties/x\"}"},
     "status P.x: write-only"},
    {"secrets are not marked as only written",
     "\"x\":" FLAGGED(0, 4),
     "",
     ",\"props\":{\"P\":{\"x\":\"secret\"}}",
     {"\"role\":\"secret\""},
     "writeOnly"},
    {"secrets leave an empty object in the status",
     "\"o\":" REF(6),
     ",{\"$type\":\"ObjectType\",\"name\":\"O\",\"properties\":{\"x\":" REF(
         7) "}},"
            "{\"$type\":\"StringType\",\"sensitive\":true}",
     "",
     {"\"O_STATUS\":{\"props\":{}}", "\"x\":{\"t\":\"#SecretReference\",\"role\":\"secret\"}"},
     NULL},
    {"an object without properties disappears",
     "\"o\":" REF(6),
     ",{\"$type\":\"ObjectType\",\"name\":\"O\",\"properties\":{\"x\":" FLAGGED(0, 2) "}}",
     "",
     {"spec P.o: nothing is left of its type"},
     "\"O\":"},
    {"numbers can be floating",
     "\"x\":" REF(2),
     "",
     ",\"props\":{\"P\":{\"x\":\"float.status\"}}",
     {"\"x\":{\"t\":\"int\",\"v\":{\"min\":1}", "\"x\":{\"t\":\"float\",\"a\""},
     NULL},
    {"any can be a map",
     "\"x\":" REF(6) ",\"y\":" REF(6),
     ",{\"$type\":\"AnyType\"}",
     ",\"props\":{\"P\":{\"x\":\"map\"}}",
     {"\"x\":{\"t\":\"{}json\"", "\"y\":{\"t\":\"json\""},
     NULL},
    {"a pair is never required",
     "\"x\":" FLAGGED(0, 1),
     "",
     ",\"props\":{\"P\":{\"x\":\"config\"}}",
     {"\"x\":{\"t\":\"string\",\"pair\":\"X\",\"a\":\"properties/x\"},"
      "\"xFromConfig\":{\"t\":\"#ConfigMapReference\",\"pair\":\"X\",\"role\":\"configMap\","
      "\"a\":\"properties/x\"}"},
     "\"r\":true}}},\n\"enums"},
    {"a reference can stand beside its literal",
     "\"xId\":" REF(0),
     "",
     ",\"props\":{\"P\":{\"xId\":\"ref+\"}}",
     {"\"xId\":{\"t\":\"string\"", "\"xReference\":{\"t\":\"#ResourceReference\""},
     NULL},
    {"identities are a list of references",
     "\"userAssignedIdentities\":" REF(6),
     ",{\"$type\":\"ObjectType\",\"name\":\"O\",\"properties\":{},"
     "\"additionalProperties\":{\"$ref\":\"#/0\"}}",
     "",
     {"{\"t\":\"[]@UserAssignedIdentityDetails\",\"role\":\"uai\",\"a\":",
      "{\"reference\":{\"t\":\"#ResourceReference\",\"a\":null,\"role\":\"uaiKey\"}}"},
     NULL},
    {"unset collections can be sent as null",
     "\"x\":" REF(6) ",\"y\":" REF(6),
     ",{\"$type\":\"ArrayType\",\"itemType\":{\"$ref\":\"#/0\"}}",
     ",\"payload\":\"explicitCollections\",\"props\":{\"P\":{\"y\":\"keepEmpty\"}}",
     {"\"x\":{\"t\":\"[]string\",\"a\":\"properties/x\",\"empty\":\"null\"}", "\"empty\":\"keep\""},
     NULL},
    {"elements have their validation",
     "\"x\":" REF(6),
     ",{\"$type\":\"ArrayType\",\"itemType\":{\"$ref\":\"#/2\"},\"maxLength\":3}",
     "",
     {"{\"t\":\"[]~P_X\",\"v\":{\"maxItems\":3}", "\"P_X\":{\"t\":\"int\",\"v\":{\"min\":1}}",
      "\"x\":{\"t\":\"[]int\",\"a\""},
     NULL},
    {"a pattern with look-around is left out",
     "\"x\":" REF(6),
     ",{\"$type\":\"StringType\",\"pattern\":\"^(?!a)b$\",\"maxLength\":3}",
     "",
     {"\"x\":{\"t\":\"string\",\"v\":{\"maxLen\":3}", "its pattern cannot be used in a CRD"},
     "(?!a)"},
    {"a union of different things is free",
     "\"x\":" REF(6),
     ",{\"$type\":\"UnionType\",\"elements\":[{\"$ref\":\"#/0\"},{\"$ref\":\"#/1\"}]}",
     "",
     {"\"x\":{\"t\":\"json\"", "a union of different things"},
     NULL},
    {"a fact can replace an enum",
     "\"x\":" REF(0),
     "",
     ",\"props\":{\"P\":{\"x\":{\"enum\":[2,1]}}}",
     {"\"t\":\"%P_X\"", "\"P_X\":[2,1]"},
     NULL},
    {"a fact can rename on both sides",
     "\"x\":" REF(0),
     "",
     ",\"props\":{\"P\":{\"x\":{\"name\":\"y\"}}}",
     {"\"y\":{\"t\":\"string\",\"a\":\"properties/x\"}"},
     "\"x\":{"},
    {"identity is guessed by name",
     "\"x\":" REF(6),
     ",{\"$type\":\"ArrayType\",\"itemType\":{\"$ref\":\"#/7\"}},"
     "{\"$type\":\"ObjectType\",\"name\":\"E\",\"properties\":{\"v\":" REF(0) ",\"name\":" REF(
         0) "}}",
     "",
     {"\"identity\":[\"name\"]"},
     "identity g"},
    {"identity can be unknown",
     "\"x\":" REF(6),
     ",{\"$type\":\"ArrayType\",\"itemType\":{\"$ref\":\"#/7\"}},"
     "{\"$type\":\"ObjectType\",\"name\":\"E\",\"properties\":{\"v\":" REF(0) ",\"w\":" REF(0) "}}",
     "",
     {"identity g/v20200101 C spec P.x: nothing obvious"},
     "\"identity\""},
    {"identity can be a fact",
     "\"x\":" REF(6),
     ",{\"$type\":\"ArrayType\",\"itemType\":{\"$ref\":\"#/7\"}},"
     "{\"$type\":\"ObjectType\",\"name\":\"E\",\"properties\":{\"v\":" REF(0) ",\"w\":" REF(0) "}}",
     ",\"props\":{\"P\":{\"x\":{\"identity\":[\"v\",\"w\"],\"minItems\":1}}}",
     {"\"identity\":[\"v\",\"w\"],\"minItems\":1"},
     "identity g"},
    {"longer circles are cut",
     "\"x\":" REF(6),
     ",{\"$type\":\"ObjectType\",\"name\":\"X\",\"properties\":{\"y\":" REF(7) ",\"s\":" REF(
         0) "}},{\"$type\":\"ObjectType\",\"name\":\"Y\",\"properties\":{"
            "\"x\":" REF(6) ",\"s\":" REF(0) "}}",
     "",
     {"\"X\":{\"props\":{\"s\":{\"t\":\"string\"},\"y\":{\"t\":\"@Y\"}}}",
      "\"Y\":{\"props\":{\"s\":{\"t\":\"string\"}}}", "spec X.*: contains itself"},
     NULL},
    {"two names for one thing are refused",
     "\"x\":" REF(0) ",\"y\":" REF(0),
     "",
     ",\"props\":{\"P\":{\"x\":{\"name\":\"y\"}}}",
     {"two properties of the spec want to be called properties_y"},
     NULL},
};

TEST(each_rule_does_what_it_says)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        AUTO_ARENA a = arena_new();
        str got = read_model(a, cases[i].props, cases[i].types, cases[i].overlay);
        bool ok = !cases[i].unwanted || !str_contains(got, str_c(cases[i].unwanted));
        for (size_t j = 0; j < COUNT(cases[i].want) && cases[i].want[j]; j++)
            ok = ok && str_contains(got, str_c(cases[i].want[j]));
        if (!ok)
            fail_msg("%s:\n%.*s", cases[i].what, STR_ARG(got));
    }
}

static const struct {
    const char *version, *want;
} versions[] = {
    {"v20240501", "2024-05-01"},
    {"v1api20240501preview", "2024-05-01-preview"},
    {"v1", NULL},
    {"20240501", NULL},
    {"v2024050x", NULL},
};

TEST(versions_have_an_api_version)
{
    AUTO_ARENA a = arena_new();

    for (size_t i = 0; i < COUNT(versions); i++) {
        str got = STR_NONE;
        assert_int_equal(overlay_api_version(a, str_c(versions[i].version), &got),
                         versions[i].want != NULL);
        assert_str(got, str_c(versions[i].want));
    }
}

RUN_TESTS(cmocka_unit_test(each_rule_does_what_it_says),
          cmocka_unit_test(versions_have_an_api_version))
